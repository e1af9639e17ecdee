"""What is said of an output as a whole: one word, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from srt.io.records import Record
from srt.language.trace import StepCheck, TraceCheck, TraceKind

Code = Literal[
    "too_large",
    "refuted",
    "another_form",
    "malformed",
    "no_answer",
    "proved",
    "padded",
    "gap",
    "computed",
    "unchecked",
]
"""In order of precedence: the first that applies is said of an output.

``too_large``     there is more of it, or it takes more work, than is checked
``refuted``       a step, a claim in prose, or the answer is refuted
``another_form``  the problem is of an exact world, and this is no trace of that world in the problem's language
``malformed``     a line is not in the form of a trace; what stands before it was judged
``no_answer``     it states none, or none that the problem can have
``proved``        a world trace, with every step used and no step too many
``padded``        a world trace that is proved, and a shorter proof stands in it
``gap``           a world trace of which some step, or the answer, is not proved
``computed``      prose: every step that could be decided, one at least, and the answer
``unchecked``     anything else: nothing is known
"""


class JudgedStep(NamedTuple):
    """A step's verdict, and its characters ``[start, end)`` in the output."""

    start: int
    end: int
    check: StepCheck


class Judgement(Record):
    """What is known of one output for one problem.

    ``certified`` says of any text, in whatever form: the last plan that it states satisfies every clue, and its answer
    is right in that plan; ``None`` where the problem has no such certificate. Neither how the plan was found nor that
    it is the only one is shown (``docs/language.md``). ``answer`` is what the output states, in normal form; ``right``
    whether it equals gold (``None`` where there is no gold answer). ``kind`` is what the output was read as, ``None``
    if it is neither a trace nor prose with an answer. ``check`` has the verdicts on what was read, and ``spans`` the
    places of its steps. ``proved_steps`` counts the steps that are proved before the first that is not. ``padding`` is
    the number (from 1) of a step that a ``padded`` trace can do without. ``reason`` says, of a text that is too large,
    malformed or of another form, why.
    """

    code: Code
    certified: bool | None = None
    answer: str | None = None
    right: bool | None = None
    kind: TraceKind | None = None
    check: TraceCheck | None = None
    spans: tuple[tuple[int, int], ...] = ()
    proved_steps: int = 0
    padding: int | None = None
    reason: str | None = None

    @property
    def steps(self) -> Iterator[JudgedStep]:
        """The verdict on each step, with its place; none where the judgement is on a record, which has no places."""
        if self.check is not None and self.spans:
            for (start, end), check in zip(self.spans, self.check.steps, strict=True):
                yield JudgedStep(start, end, check)
