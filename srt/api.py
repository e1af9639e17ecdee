"""The public Python API: what ``from srt import ...`` offers. ``docs/python.md`` shows it at work.

Records are immutable pydantic models. A notebook shows them as the cards of the gallery.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from srt.io.errors import UserError as UserError
from srt.io.records import CARDS, FinishReason, Record, Refusal
from srt.io.records import Answer as Answer
from srt.io.records import Message as Message
from srt.io.records import Problem as Problem
from srt.io.records import Score as Score
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
    # For their names alone: the modules load what most calls do without.
    from srt.answers.equality import PolicyName
    from srt.gallery.notebook_cards import ShownCard
    from srt.pipeline.kept_traces import Keep

R = TypeVar("R", bound=Record)


def sample(
    world: str,
    n: int = 1,
    seed: int = 0,
    *,
    split: str = "train",
    settings: Mapping[str, Any] | None = None,
) -> list[Problem]:
    """Sample ``n`` problems of ``world`` (``seating``, ``views``, ``routes``, ``solids``), each with its gold answer.

    ``settings`` are those of the world's page, as in the file for ``srt generate --spec``: ``{"lang": "zh"}``. The same
    arguments give the same problems; with seed 0 they are the first that ``srt generate`` writes. What a problem shows
    is drawn when it is displayed or written.

    Raises:
        UserError: no such world, split or setting, or the settings allow fewer different problems.
    """
    from srt.pipeline.sample import sample_problems

    return sample_problems(world, n, seed, split, settings or {})


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


def corrupt(problem: Problem, trace: Trace, fault: str, seed: int = 0) -> Trace:
    """Plant ``fault`` in a valid ``trace``, to see what ``check`` says of it.

    The faults are those of ``srt mutate``: classes of the trace's world, such as ``another_entity`` or
    ``premise_left_out``; in prose kinds of wrong equations, such as ``operand``; in free traces also ``misread`` and
    others. An unknown name is an error that lists them. ``seed`` draws the place. The fault is real: what leaves the
    trace valid by accident is drawn again.

    Raises:
        UserError: no such fault, no place for it in this trace, or the trace is not valid or of another problem.
    """
    from srt.mutate.plant_fault import plant_fault

    return plant_fault(problem, trace, fault, seed)


def parse(text: str, problem: Problem) -> Trace:
    """Read ``text``, as ``linearize`` writes it or a model generates it, as a trace of ``problem``.

    Raises:
        UserError: with the line and column of the first error.
    """
    return parse_text(text).trace(f"t-{problem.id}", problem.id)


def check(problem: Problem, trace: Trace) -> TraceCheck:
    """For a trace: check whether each step follows from the premises it cites, and the answer from the steps.

    ``truth`` of each step, from a solver that shares no code with the checker, is filled in for problems of an exact
    world.

    Raises:
        UserError: ``trace`` belongs to another problem.
    """
    _expect(trace, Trace, "check takes a trace; judge(problem, text) is for a text, and parse reads one as a trace")
    # Half of the time of importing SRT: who solves alone need not wait for the readers of prose and answers.
    from srt.pipeline.check import check_with_truth

    return check_with_truth(problem, trace)


def judge(problem: Problem, text: str, finish_reason: FinishReason = "stop", *, truth: bool = False) -> Judgement:
    """For a text: judge what a model wrote, with one word for the whole (``proved``, ``refuted``, ``no_answer``, ...).

    No text is an error. Thoughts, code fences and sentences around a trace are passed over; a text that breaks off is
    judged up to there. With ``finish_reason`` ``"length"`` its last line may be cut off. With ``truth`` the solver says
    of each step whether it is true, which takes longer than the judgement.
    """
    _expect(text, str, "judge takes a text; check(problem, trace) is for a trace")
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


def score(problem: Problem, text: str, finish_reason: FinishReason = "stop", *, policy: PolicyName = "strict") -> Score:
    """For an answer: compare it, or the one that a sentence or a whole output states, with the problem's gold answer.

    ``value`` is 1 or 0, ``extracted`` what was read as the answer, ``status`` ``ok`` or why none was read, ``how`` what
    decided. How it was derived does not matter: that is for ``judge``. Formulas that exact algebra leaves open are
    compared by math-verify where the extra ``[eval]`` is installed, as ``srt score`` does.

    Raises:
        UserError: the problem has no gold answer.
    """
    _expect(text, str, "score takes an answer as text, as in score(problem, '27 cm³')")
    if problem.answer is None:
        raise UserError(f"problem {problem.id}: answer: it has no gold answer to score against")
    from importlib.util import find_spec

    from srt.answers.equality.math_verify_client import shared_math_verify
    from srt.answers.score_text import score_text

    same = shared_math_verify().same if find_spec("math_verify") else None
    return score_text(problem, text, finish_reason, policy=policy, same_formula=same)


def prompt(problem: Problem, arm: str = "srt", *, style: PromptStyle = "full", pictures: bool = False) -> list[Message]:
    """The messages that ask a model for ``problem``: those of ``build``, and of ``srt eval``.

    All arms are asked in the same words, so that they differ in what they are trained to answer alone. With
    ``pictures`` the problem's ``diagram_description`` is left out, because a vision model sees them.

    Raises:
        UserError: no such arm or style.
    """
    from srt.language.arms import arm_named
    from srt.language.prompts import prompt_messages, style_named

    arm_named(arm)
    return prompt_messages(problem, style_named(style), pictures)


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


@overload
def read(path: str | Path) -> list[Any]: ...
@overload
def read(path: str | Path, kind: type[R]) -> list[R]: ...
def read(path: str | Path, kind: type[Record] | None = None) -> list[Any]:
    """Read the records of a file (``.jsonl`` or ``.parquet``) that a command or ``write`` wrote.

    They are of the ``kind`` that the first one has: problems, traces, sequences, predictions or scores. ``kind`` names
    it where only that will do: ``read("traces.jsonl", Trace)``.

    Raises:
        UserError: the file cannot be read, or a line is no such record; the message names file, line and field.
    """
    from srt.pipeline.record_files import read_any

    return read_any(Path(path), kind)


def write(path: str | Path, records: Iterable[Record], *, folder: str | Path | None = None) -> int:
    """Write ``records``, all of one kind, to a file (``.jsonl`` or ``.parquet``) as commands read it; returns how many.

    The file is whole or absent. Pictures are written beside it: those that a world draws, and those of problems that
    were read from a file in ``folder``.

    Raises:
        UserError: records of several kinds, a picture that is not there, or a file that cannot be written.
    """
    from srt.pipeline.record_files import write_all

    return write_all(Path(path), records, None if folder is None else Path(folder))


def show(problem: Problem, trace: Trace | None = None, *, folder: str | Path | None = None) -> ShownCard:
    """Show ``problem`` and, beside it, ``trace``, which is checked for it: the card of the gallery, in a notebook.

    A notebook displays what is returned; its ``html`` is the card as text. ``folder`` is that of the file of problems,
    where the pictures are. ``srt show`` makes a page of a whole file.

    Raises:
        UserError: ``trace`` belongs to another problem.
    """
    from srt.gallery.card import problem_card
    from srt.gallery.gallery_page import traced
    from srt.gallery.notebook_cards import ShownCard, card_html
    from srt.worlds.world_registry import world_of

    where = None if folder is None else Path(folder)
    card = problem_card(problem, where, world_of(problem)) if trace is None else traced(problem, trace, where)
    return ShownCard(card_html(card))


def _expect(given: object, kind: type, what: str) -> None:
    """A trace, a text and an answer are easily mixed up: say which was expected."""
    if not isinstance(given, kind):
        raise UserError(f"{what}; this is of type {type(given).__name__}")


def _card(record: Record) -> str:
    # Loaded when a notebook asks for it.
    from srt.gallery.notebook_cards import record_html

    return record_html(record)


CARDS.update(dict.fromkeys((Problem, Trace, TraceCheck, Judgement), _card))
