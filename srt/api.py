"""The public Python API: what ``from srt import ...`` offers. ``docs/python.md`` shows it at work.

Records are immutable pydantic models; files of records are read by :mod:`srt.io.record_reader` and written by
:mod:`srt.io.record_writer`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from srt.io.errors import UserError as UserError
from srt.io.records import Answer as Answer
from srt.io.records import FinishReason, Refusal
from srt.io.records import Problem as Problem
from srt.io.records import Sequence as Sequence
from srt.judging.judgement import Judgement as Judgement
from srt.language.prompts import PromptStyle
from srt.language.text import linearize as linearize
from srt.language.text import parse as parse_text
from srt.language.trace import Step as Step
from srt.language.trace import StepCheck as StepCheck
from srt.language.trace import Trace as Trace
from srt.language.trace import TraceCheck as TraceCheck
from srt.pipeline.solve import solve_one
from srt.worlds.world import CLAIMS

if TYPE_CHECKING:
    # For its name alone: the module loads the checkers, which solving does without.
    from srt.pipeline.kept_traces import Keep


def parse(text: str, problem: Problem) -> Trace:
    """Read ``text``, as :func:`linearize` writes it or a model generates it, as a trace of ``problem``.

    Raises:
        UserError: with the line and column of the first error (:class:`~srt.language.text.TraceSyntaxError`).
    """
    return parse_text(text).trace(f"t-{problem.id}", problem.id)


def solve(problem: Problem) -> Trace:
    """Solve a problem of an exact world. Every step of the trace is proved by the premises it cites.

    Raises:
        UserError: no exact world recognises the problem; or its clues cannot be read, contradict each other or leave
            several answers; or the solution differs from the gold answer.
    """
    solved = solve_one(problem)
    if isinstance(solved, Refusal):
        raise UserError(f"problem {problem.id}: {solved.reason}: {solved.detail}")
    return solved


def check(problem: Problem, trace: Trace) -> TraceCheck:
    """Check whether each step of ``trace`` follows from the premises it cites, and whether the answer follows.

    ``truth`` of each step, from a solver that shares no code with the checker, is filled in for problems of an exact
    world.

    Raises:
        UserError: ``trace`` belongs to another problem.
    """
    # Half of the time of importing SRT: who solves alone need not wait for the readers of prose and answers.
    from srt.pipeline.check import check_with_truth

    return check_with_truth(problem, trace)


def judge(problem: Problem, text: str, finish_reason: FinishReason = "stop", *, truth: bool = False) -> Judgement:
    """Judge a model's output: one word for the whole (:data:`srt.judging.judgement.Code`), and what it rests on.

    No text is an error. Thoughts, code fences and sentences around a trace are passed over; a text that breaks off is
    judged up to there. With ``finish_reason`` ``"length"`` its last line may be cut off. With ``truth`` the solver says
    of each step whether it is true, which takes longer than the judgement.
    """
    from srt.judging.judge import judge as judge_output

    if not truth:
        return judge_output(problem, text, finish_reason)
    from srt.pipeline.check import check_with_truth

    return judge_output(problem, text, finish_reason, checker=check_with_truth)


def judge_many(pairs: Iterable[tuple[Problem, str]], workers: int = 1) -> Iterator[Judgement]:
    """Judge each output for its problem, in order; ``workers`` processes share the work.

    An output that takes too long or kills its process is ``too_large``.
    """
    from srt.judging.judge_many import judge_many as judge_pairs

    return judge_pairs(pairs, workers)


def build(
    problem: Problem,
    trace: Trace,
    arm: str = "srt",
    *,
    prompt: PromptStyle = "full",
    text: str = CLAIMS,
    pictures: bool = False,
    keep: Keep = "auto",
) -> Sequence:
    """Build the training sequence of ``trace`` in ``arm``. ``docs/language.md`` lists arms and text styles.

    With ``pictures`` the sequence refers to the problem's pictures, for a vision model; without, the prompt has the
    problem's ``diagram_description``. The trace is checked first; ``keep`` is that of ``srt build``.

    Raises:
        UserError: the answer of ``trace`` is not the gold answer, or nobody can tell; ``keep`` leaves it out; it
            belongs to another problem; the arm has no text for it; or the problem has pictures and no description, and
            ``pictures`` is false.
    """
    from srt.pipeline.build import TraceRefusal
    from srt.pipeline.build import build as build_sequences

    (built,) = build_sequences(
        [trace], {problem.id: problem}, arm, prompt=prompt, text=text, pictures=pictures, keep=keep
    )
    if isinstance(built, TraceRefusal):
        raise UserError(f"trace {trace.id}: {built.reason}: {built.detail}")
    return built
