"""The arms: which text a problem's trace becomes for training, and where each operation stands in it.

An arm changes the text of the completion and nothing else: prompts, order and number of items are the same in all. The
table of arms, and what the removals are good for, is in ``docs/language.md``.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

from srt.errors import UserError
from srt.language.text import MARKERS, answer_line, linearize, step_line
from srt.language.trace import OPERATIONS, Operation, Step, Trace
from srt.records import Span

PROSE_ARMS = ("cot", "cot-terse")
REMOVALS = tuple(f"srt-drop-{op}" for op in OPERATIONS)
BANS = tuple(f"srt-ban-{op}" for op in OPERATIONS)
TRAINED_ARMS = ("answer", *PROSE_ARMS, "srt", "srt-unlabelled", "srt-shuffled", *REMOVALS, *BANS)
ARMS = ("base", *TRAINED_ARMS)


def check_arm(arm: str) -> str:
    """``arm`` itself; :class:`~srt.errors.UserError` lists the arms where there is none of that name."""
    if arm not in ARMS:
        raise UserError(f"unknown arm {arm!r}: the arms are {', '.join(ARMS)}")
    return arm


def banned_operation(arm: str) -> Operation | None:
    """The operation whose word is forbidden while generating, for ``srt-ban-OP``; else ``None``."""
    return next((op for op in OPERATIONS if arm == f"srt-ban-{op}"), None)


def completion_text(trace: Trace, arm: str) -> tuple[str, tuple[Span, ...]]:
    """The completion of ``trace`` in ``arm``, and the characters of each operation and of the answer in it.

    For the two prose arms ``trace`` must already be the ``cot`` trace of the derivation. Neighbouring steps have a span
    each; the newline that ends a line belongs to the line's span.

    Raises:
        UserError: the arm is unknown, is ``base`` (which trains on nothing), or does not fit the kind of trace.
    """
    check_arm(arm)
    if arm == "base":
        raise UserError("arm 'base' trains on nothing: there is no text to build")
    if arm == "answer":
        return _with_spans([], trace)
    if (trace.kind == "cot") != (arm in PROSE_ARMS):
        raise UserError(f"trace {trace.id}: arm {arm!r} cannot be built from a {trace.kind} trace")
    if trace.kind == "cot":
        prose = linearize(trace).removesuffix(answer_line(trace.answer, trace.lang))
        return _with_spans([], trace, prose)
    steps = trace.steps
    if arm.startswith("srt-drop-"):
        steps = without_operation(steps, arm.removeprefix("srt-drop-"))
    elif arm == "srt-shuffled":
        steps = _shuffle_operations(steps, trace.id)
    lines = [(step.op, step_line(step, trace.lang)) for step in steps]
    if arm == "srt-unlabelled":
        lines = [(op, line.removeprefix(MARKERS[trace.lang][op]).lstrip()) for op, line in lines]
    return _with_spans(lines, trace)


def without_operation(steps: Sequence[Step], op: str) -> tuple[Step, ...]:
    """``steps`` without those of ``op``; references to them are left out too, and the rest renumbered."""
    kept = [number for number, step in enumerate(steps, 1) if step.op != op]
    renumbered = {f"#{old}": f"#{new}" for new, old in enumerate(kept, 1)}
    dropped = {f"#{number}" for number, step in enumerate(steps, 1) if step.op == op}
    return tuple(
        step.model_copy(update={"args": tuple(renumbered.get(a, a) for a in step.args if a not in dropped)})
        for step in steps
        if step.op != op
    )


def _shuffle_operations(steps: Sequence[Step], seed: str) -> tuple[Step, ...]:
    """The same operation words with the same frequencies, drawn in an order that the trace's id seeds."""
    words = [step.op for step in steps]
    random.Random(hashlib.sha256(seed.encode()).digest()).shuffle(words)
    return tuple(step.model_copy(update={"op": word}) for step, word in zip(steps, words, strict=True))


def _with_spans(lines: Sequence[tuple[Operation, str]], trace: Trace, prose: str = "") -> tuple[str, tuple[Span, ...]]:
    spans: list[Span] = []
    text = prose
    for op, line in lines:
        spans.append(Span(start=len(text), end=len(text) + len(line) + 1, label=op))
        text += line + "\n"
    answer = answer_line(trace.answer, trace.lang)
    spans.append(Span(start=len(text), end=len(text) + len(answer), label="ANSWER"))
    return text + answer, tuple(spans)
