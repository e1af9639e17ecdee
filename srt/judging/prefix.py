"""The judgement on a trace that is still being written: whether a line may stand before the next one is written.

Nothing here needs a gold answer, and :func:`without_gold` takes it out of sight. What is kept line by line and ends in
an answer is what :func:`srt.judging.judge.judge` calls ``proved``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from srt.checking import check
from srt.io.records import Problem
from srt.judging.judge import judge, trace_of
from srt.judging.output_text import Output, read_prefix
from srt.language.text import step_lang
from srt.language.trace import Step

SAYS_NOTHING = re.compile(r"(?:\s|</?think(?:ing)?>|`{3,}+[a-z]*+)*+")


class PrefixVerdict(NamedTuple):
    """``kept``: the last line of a text may stand. ``whole``: the text is a trace that is proved, answer included.

    ``reason`` says why a line may not stand. ``op`` is the operation of the last line, if that is a step.
    """

    kept: bool
    whole: bool = False
    reason: str | None = None
    op: str | None = None


def judge_prefix(problem: Problem, text: str, *, ended: bool = False) -> PrefixVerdict:
    """Judge the last line of ``text``, all of whose lines before it were kept; ``ended``: nothing follows it.

    A line is kept if it says nothing (it is empty, or opens or closes a thought or a code fence), if it is a step and
    every step up to it is proved, or if the text with it is proved as a whole; a text that ends must be.
    """
    last = text.rstrip("\n").rpartition("\n")[2]
    if not ended:
        if SAYS_NOTHING.fullmatch(last):
            return PrefixVerdict(kept=True)
        read = read_prefix(text)
        if read.fault is None:
            return _on_steps(problem, read)
        if step_lang(last.strip()) is not None:
            return PrefixVerdict(kept=False, reason=read.fault)
    judged = judge(problem, text)
    if judged.code == "proved":
        return PrefixVerdict(kept=True, whole=True)
    steps = () if judged.check is None else (*judged.check.steps, judged.check.answer)
    reason = next((step.reason for step in steps if step.support != "proved" and step.reason), None)
    return PrefixVerdict(kept=False, reason=judged.reason or reason or judged.code)


def without_gold(problem: Problem) -> Problem:
    """``problem`` as who solves it may see it: without its answer and solution, and without notes of its maker.

    Of ``meta`` only the figures that the problem shows are left.
    """
    shown = {name: value for name, value in problem.meta.items() if name == "figures"}
    return problem.model_copy(update={"answer": None, "solution": None, "meta": shown})


def _on_steps(problem: Problem, read: Output) -> PrefixVerdict:
    trace = trace_of(read, problem)
    if trace is None or trace.kind != "world":
        return PrefixVerdict(kept=False, reason="a step of prose cannot be proved")
    last: Step = trace.steps[-1]
    found = check(problem, trace)
    fault = next((step for step in found.steps if step.support != "proved"), None)
    return PrefixVerdict(fault is None, reason=None if fault is None else fault.reason, op=last.op)
