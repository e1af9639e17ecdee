"""Judge a model's output: one total function for evaluation, training and the audits of teachers.

What an output is judged by is fixed by its problem: on a problem of an exact world only a trace of that world can be
proved, on others only what prose computes is known.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

from srt.answers.equality import STRICT, equal_to_gold
from srt.checking import check, is_of_a_world
from srt.checking.padding import padded
from srt.io.records import FinishReason, Problem
from srt.judging.judgement import Code, Judgement
from srt.judging.output_text import Output, read_output
from srt.judging.whole_input import refuse_unreadable
from srt.language.faults import Fault
from srt.language.text import linearize
from srt.language.trace import StepCheck, Trace, TraceCheck
from srt.worlds.world_registry import certified

Checker = Callable[[Problem, Trace], TraceCheck]

_OTHER_FORMS = (Fault.ANOTHER_FORM, Fault.ANOTHER_LANGUAGE)
_NO_ANSWER = StepCheck(support="unchecked", fault=Fault.MALFORMED, reason="no answer stands after the steps")
_PLACEHOLDER = "?"
"""Stands for the answer where there is none: a trace needs one."""


def judge(
    problem: Problem,
    text: str,
    finish_reason: FinishReason = "stop",
    *,
    thinking_open: bool = False,
    checker: Checker = check,
) -> Judgement:
    """Judge ``text``, what a model wrote for ``problem``; no text raises anything.

    It takes at most three times as long as ``check`` does.

    Args:
        problem: its question, and what counts as an answer.
        text: the output as it was decoded, with thoughts, fences and courtesies.
        finish_reason: ``length`` if the token budget ended the output: its last line may then be cut off.
        thinking_open: the prompt ended with an open think block that ``text`` does not close.
        checker: gives the verdicts on the steps; :func:`srt.pipeline.check.check_with_truth` adds the solver's truth,
            which takes about three times as long.

    Raises:
        UserError: ``problem`` is damaged, ``text`` is none, or there is no such ``finish_reason``.
    """
    refuse_unreadable(problem, text, finish_reason)
    output = read_output(problem, text, finish_reason, thinking_open=thinking_open)
    judged = _judged(problem, output, trace_of(output, problem), checker)
    # Nothing is read of a text that is too large, and an answer that another follows is not its last.
    whole = "" if output.too_large else text
    answer = None if output.restated else judged.answer
    return judged.model_copy(update={"certified": certified(problem, whole, answer)})


def judge_trace(problem: Problem, trace: Trace, *, checker: Checker = check) -> Judgement:
    """Judge a trace that is a record already, as a teacher's is; its judgement has no places.

    Raises:
        UserError: ``trace`` is a trace of another problem.
    """
    output = Output(trace.kind, trace.lang, trace.steps, text=trace.text, answer=trace.answer, stated=trace.answer)
    judged = _judged(problem, output, trace, checker)
    return judged.model_copy(update={"certified": certified(problem, linearize(trace), trace.answer)})


def _judged(problem: Problem, output: Output, trace: Trace | None, checker: Checker) -> Judgement:
    """The judgement on what was read of an output, of which ``trace`` is what is a trace."""
    found = None if trace is None else checker(problem, trace)
    if found is not None and output.answer is None:
        found = found.model_copy(update={"answer": _NO_ANSWER})
    padding = None if found is None or trace is None or output.answer is None else padded(problem, trace, found)
    code = _code(problem, output, found, padding)
    # What a step says is no answer where none stands behind the steps.
    answer = None if code == "no_answer" else output.stated
    return Judgement(
        code=code,
        answer=answer,
        right=None if problem.answer is None else _is_right(problem, answer),
        kind=output.kind,
        check=found,
        spans=output.spans if found is not None else (),
        proved_steps=_proved_at_first(found),
        padding=padding if code == "padded" else None,
        reason=output.too_large or output.fault or _reason(code, found),
    )


def trace_of(output: Output, problem: Problem, id: str = "output") -> Trace | None:
    """What ``output`` has of a trace of ``problem``; ``None`` where it has neither steps nor prose.

    An answer that is missing is ``?``.
    """
    if output.kind is None or not (output.steps or output.text):
        return None
    return Trace(
        id=id,
        problem_id=problem.id,
        kind=output.kind,
        lang=output.lang,
        steps=output.steps,
        text=output.text,
        answer=output.answer or _PLACEHOLDER,
    )


def _code(problem: Problem, output: Output, found: TraceCheck | None, padding: int | None) -> Code:
    """The first word that applies, in the order of :data:`~srt.judging.judgement.Code`."""
    faults = set() if found is None else {found.answer.fault, *(step.fault for step in found.steps)}
    if output.too_large or Fault.TOO_LARGE in faults:
        return "too_large"
    if found is not None and found.refuted:
        return "refuted"
    if faults.intersection(_OTHER_FORMS):
        return "another_form"
    if output.kind is None and output.answer is not None:
        return "another_form" if is_of_a_world(problem) else "unchecked"
    if output.fault is not None:
        return "malformed"
    if output.answer is None or found is None:
        return "no_answer"
    if found.proved:
        return "proved" if padding is None else "padded"
    if output.kind == "world" and any(step.support != "unchecked" for step in found.steps):
        return "gap"
    return "computed" if found.computed else "unchecked"


def _reason(code: Code, found: TraceCheck | None) -> str | None:
    if found is None or code not in ("too_large", "another_form"):
        return None
    return next((said.reason for said in (*found.steps, found.answer) if said.reason is not None), None)


def _is_right(problem: Problem, answer: str | None) -> bool:
    return answer is not None and equal_to_gold(problem, answer, STRICT).equal


def _proved_at_first(found: TraceCheck | None) -> int:
    steps = () if found is None else found.steps
    return sum(1 for _ in takewhile(lambda step: step.support == "proved", steps))
