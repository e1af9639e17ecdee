"""The arms: which text a problem's trace becomes for training, and where each operation is in it.

An arm changes the text of the completion and nothing else: prompts, order and number of items are the same in all. The
table of arms, and what the removals are good for, is in ``docs/language.md``.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from functools import partial
from typing import get_args

from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from srt.language.arm import PROSE_INPUTS, Arm, Builder, Completion, Learns, completion
from srt.language.text import MARKERS, answer_line, linearize, step_line
from srt.language.trace import OPERATIONS, Operation, Step, Trace


def arm_named(name: str) -> Arm:
    """The arm ``name``; :class:`~srt.io.errors.UserError` lists the arms if there is none of that name."""
    if name not in ARMS:
        raise UserError(f"unknown arm {name!r}{did_you_mean(name, ARMS)}: the arms are {', '.join(ARMS)}")
    return ARMS[name]


def builder_of(name: str) -> Builder:
    """The builder of the arm ``name``; :class:`~srt.io.errors.UserError` if it is unknown or trains on nothing."""
    build = arm_named(name).build
    if build is None:
        raise UserError(f"arm {name!r} trains on nothing: there is no text to build")
    return build


def completion_text(trace: Trace, name: str) -> Completion:
    """The completion of ``trace`` in the arm ``name``.

    For an arm of prose, ``trace`` must already be the ``cot`` trace of the derivation.

    Raises:
        UserError: the arm is unknown, trains on nothing, or does not fit the kind of trace.
    """
    arm, build = arm_named(name), builder_of(name)
    # The builder of prose would not fail on steps: it would write them, and two arms would be the same.
    if arm.input != "any" and (trace.kind == "cot") != (arm.input in PROSE_INPUTS):
        raise UserError(f"trace {trace.id}: arm {name!r} cannot be built from a {trace.kind} trace")
    return build(trace)


def prose_text(trace: Trace) -> Completion:
    """The prose of a ``cot`` trace, then the answer."""
    return completion(trace, prose=linearize(trace).removesuffix(answer_line(trace.answer, trace.lang)))


def trace_text(trace: Trace) -> Completion:
    """The linear text of the trace."""
    return _steps_text(trace, trace.steps)


def unlabelled_text(trace: Trace) -> Completion:
    """The trace without its operation words."""
    lines = ((step.op, step_line(step, trace.lang)) for step in trace.steps)
    # With the blank after the word, or each line of this arm would begin with a token that no other arm has.
    bare = [(op, line.removeprefix(MARKERS[trace.lang][op]).lstrip()) for op, line in lines]
    return completion(trace, bare)


def shuffled_text(trace: Trace) -> Completion:
    """The trace with the same operation words, at the same frequencies, in an order that its id seeds."""
    words = [step.op for step in trace.steps]
    # By the trace alone: the same order in every build, whatever else is in the file.
    random.Random(hashlib.sha256(trace.id.encode()).digest()).shuffle(words)
    shuffled = [step.model_copy(update={"op": word}) for step, word in zip(trace.steps, words, strict=True)]
    return _steps_text(trace, shuffled)


def text_without(op: Operation, trace: Trace) -> Completion:
    """The trace as :func:`steps_without` leaves it."""
    return trace_text(steps_without(op, trace))


def steps_without(op: Operation, trace: Trace) -> Trace:
    """The trace without the steps of ``op``; references to them are left out too, and the rest renumbered."""
    kept = [number for number, step in enumerate(trace.steps, 1) if step.op != op]
    # As if those steps had never been there: no gap in the numbers, and no reference that leads nowhere.
    renumbered = {f"#{old}": f"#{new}" for new, old in enumerate(kept, 1)}
    dropped = {f"#{number}" for number, step in enumerate(trace.steps, 1) if step.op == op}
    left = tuple(
        step.model_copy(update={"args": tuple(renumbered.get(a, a) for a in step.args if a not in dropped)})
        for step in trace.steps
        if step.op != op
    )
    return trace.model_copy(update={"steps": left})


def _steps_text(trace: Trace, steps: Sequence[Step]) -> Completion:
    return completion(trace, [(step.op, step_line(step, trace.lang)) for step in steps])


LEARNS: tuple[Learns, ...] = get_args(Learns)
ARMS: dict[str, Arm] = {
    "base": Arm(None),
    **{f"base+{of}-shots": Arm(None, shots=of) for of in ("answer", "cot", "srt")},
    "answer": Arm(completion, input="any"),
    "cot": Arm(prose_text, input="prose"),
    "cot-terse": Arm(prose_text, input="terse prose"),
    **{f"cot-drop-{op}": Arm(prose_text, input="prose", without=op) for op in OPERATIONS},
    "cot-free": Arm(prose_text, input="free prose"),
    "srt": Arm(trace_text),
    "srt-free": Arm(trace_text, input="free steps"),
    "srt-unlabelled": Arm(unlabelled_text),
    "srt-shuffled": Arm(shuffled_text),
    **{f"srt-drop-{op}": Arm(partial(text_without, op)) for op in OPERATIONS},
    # Trained on the text of srt: only what may be generated differs, so a trained model of srt serves these arms too.
    **{f"srt-ban-{op}": Arm(trace_text, ban=op) for op in OPERATIONS},
    "srt+proved": Arm(trace_text, decode="proved"),
    **{f"srt+{name}": Arm(trace_text, learns=name) for name in LEARNS},
}
