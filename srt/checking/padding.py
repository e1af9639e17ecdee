"""Whether a proved trace is padded: one of its steps adds nothing, and without it a shorter proof is left.

A step adds nothing if earlier steps say what it says, or more, and can be cited instead. Which steps those may be, a
world knows (:data:`srt.worlds.world_registry.LeftOut`); that the rest is a proof, :func:`srt.checking.check` decides.
It is no padding that a plan seats somebody of whom the question does not speak, that a step puts what is asked into
simpler words, or that a clue is read on the way to a later one: ``docs/language.md`` has the whole rule.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from srt.checking import check
from srt.io.records import Problem
from srt.language.trace import Step, Trace, TraceCheck
from srt.worlds.world_registry import steps_left_out

_MOST_CHECKED_AGAIN = 2
"""The steps of shorter traces that are checked, for each step of the trace: the limit counts work, not seconds."""


def padded(problem: Problem, trace: Trace, checked: TraceCheck) -> int | None:
    """The number (from 1) of a step of ``trace`` that can be left out, or ``None``.

    Args:
        problem: the problem of ``trace``.
        trace: any trace.
        checked: what :func:`srt.checking.check` says of it. Only a trace that it proves can be padded: for any other
            the result is ``None``.
    """
    if not checked.proved:
        return None
    left = _MOST_CHECKED_AGAIN * len(trace.steps)
    for number, instead in steps_left_out(problem, trace):
        steps = _without(trace.steps, number, instead)
        left -= len(steps)
        if left < 0:
            break
        if steps and check(problem, trace.model_copy(update={"steps": steps})).proved:
            return number
    return None


def _without(steps: Sequence[Step], number: int, instead: Sequence[str]) -> tuple[Step, ...]:
    """``steps`` without step ``number``; what cited it cites ``instead``, and what only it used is left out too."""
    cited = _cited(steps)
    args = {n: _replaced(step.args, f"#{number}", instead) for n, step in enumerate(steps, 1) if n != number}
    while idle := (cited & args.keys()) - {
        int(word[1:]) for words in args.values() for word in words if word[0] == "#"
    }:
        for n in idle:
            del args[n]
    new = {f"#{n}": f"#{place}" for place, n in enumerate(args, 1)}
    return tuple(
        steps[n - 1].model_copy(update={"args": tuple(new.get(word, word) for word in words)})
        for n, words in args.items()
    )


def _replaced(words: Sequence[str], word: str, instead: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(new for old in words for new in (instead if old == word else (old,))))


def _cited(steps: Sequence[Step]) -> Collection[int]:
    return {int(word[1:]) for step in steps for word in step.args if word.startswith("#")}
