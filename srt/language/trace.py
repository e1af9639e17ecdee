"""The trace record: steps, premises, claims, and the checker's verdicts on them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from srt.io.records import Lang, Record
from srt.language.faults import FaultWord
from srt.language.premises import parse_premise

Operation = Literal["CORRELATE", "CONSTRAIN", "INFER"]
OPERATIONS: tuple[Operation, ...] = ("CORRELATE", "CONSTRAIN", "INFER")
TraceKind = Literal["world", "free", "cot"]
Support = Literal["proved", "computed", "refuted", "consistent", "unchecked"]
"""``proved`` is said of steps of world traces only, ``computed`` of prose: its equations hold, and its numbers have a
source."""
Truth = Literal["true", "false", "unknown"]


def one_line(text: str) -> str:
    """Normal form of claims, assertions and answers: no white space at the ends, runs of it become one space."""
    return " ".join(text.split())


def prose(text: str) -> str:
    """Normal form of a cot text: every line in normal form, no empty lines at the ends."""
    return "\n".join(one_line(line) for line in text.split("\n")).strip("\n")


def _canonical_premise(word: str) -> str:
    # Parsed to be checked, and kept as a word: files and text have the same premises, letter by letter.
    parse_premise(word)
    return word


Line = Annotated[str, AfterValidator(one_line)]
PremiseWord = Annotated[str, AfterValidator(_canonical_premise)]


class Step(Record):
    """One step: an operation, the premises it cites, and what it claims or asserts.

    A step of a world trace has a ``claim`` in its world's language and no assertion (that is rendered from the claim).
    A step of a free trace has an ``assertion`` in prose, and a ``claim`` where a machine found one in it.
    """

    op: Operation
    args: tuple[PremiseWord, ...] = ()
    claim: Line | None = None
    assertion: Line | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Step:
        if not self.claim and not self.assertion:
            raise ValueError("a step needs a claim or an assertion")
        if self.claim == "" or self.assertion == "":
            raise ValueError("an empty claim or assertion: leave the field out")
        if self.claim is not None and self.assertion is not None and CLAIM_OPENS in self.claim:
            raise ValueError(f"the claim of a free step cannot hold {CLAIM_OPENS!r}")
        return self


# How the text of a free step marks its claim (srt.language.text); a claim that holds it could not be read back.
CLAIM_OPENS = " [claim: "


class ClaimCheck(Record):
    """The verdict on one claim that a machine found in prose: an equation, an inequality, a count, a unit.

    ``start`` and ``end``: its characters ``[start, end)`` in the prose; ``claim``: its normal form.
    """

    claim: str
    start: int
    end: int
    support: Support
    reason: str | None = None
    counterexample: str | None = None


class StepCheck(Record):
    """The checker's verdict on one step, with its reason.

    ``support`` says whether the claim follows from the premises that the step cites and from nothing else. ``truth`` is
    a second column, from an independent solver. ``fault`` is the class of what keeps the step from being proved, where
    the checker can name it. ``counterexample`` (``refuted``) contradicts the claim; ``witness`` (``consistent``) is a
    case in which the premises hold and the claim does not. ``claims`` are those that a machine found in the prose of a
    free step.
    """

    support: Support
    truth: Truth = "unknown"
    fault: FaultWord | None = None
    reason: str | None = None
    counterexample: str | None = None
    witness: str | None = None
    claims: tuple[ClaimCheck, ...] = ()


class TraceCheck(Record):
    """The checker's verdict on a whole trace.

    ``unused`` are the numbers (from 1) of steps that neither a later step nor the answer uses; ``answer`` says whether
    the answer follows from the steps. ``prose`` are the claims that a machine found in the text of a cot trace.
    ``unread`` are the clues of the problem (``(3)``, ``question``) whose wording the checker does not know: it cannot
    say whether the trace agrees with them.
    """

    steps: tuple[StepCheck, ...]
    unused: tuple[int, ...] = ()
    answer: StepCheck
    prose: tuple[ClaimCheck, ...] = ()
    unread: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _of_version_0_1(cls, fields: Any) -> Any:
        """Records of version 0.1 call prose ``proved``, too; they are read as ``computed``."""
        return _computed(fields) if isinstance(fields, dict) and _is_prose(fields) else fields

    @property
    def proved(self) -> bool:
        """Every step is proved, every step is used, and the answer follows. Prose never is."""
        verdicts = {self.answer.support, *(step.support for step in self.steps)}
        return bool(self.steps) and not self.unused and verdicts == {"proved"}

    @property
    def computed(self) -> bool:
        """In prose: the answer is computed, and every step (or claim, if there are no steps) that could be decided.

        That is one at least.
        """
        decided = {*(step.support for step in self.steps), *(claim.support for claim in self.prose)} - {"unchecked"}
        return self.answer.support == "computed" and decided == {"computed"}

    @property
    def claims(self) -> tuple[ClaimCheck, ...]:
        """All claims that a machine found in prose: in that of a cot trace, in the steps of a free one."""
        return (*self.prose, *(claim for step in self.steps for claim in step.claims))

    @property
    def refuted(self) -> bool:
        """Some step, claim in prose, or the answer is refuted."""
        verdicts = [self.answer.support, *(step.support for step in self.steps), *(said.support for said in self.prose)]
        return "refuted" in verdicts


def _is_prose(check: dict[str, Any]) -> bool:
    """Whether the fields of a :class:`TraceCheck` have claims that a machine found in prose: no world trace has any."""
    steps = check.get("steps") or ()
    return bool(check.get("prose")) or any(isinstance(step, dict) and step.get("claims") for step in steps)


def _computed(fields: Any) -> Any:
    """``fields``, with every verdict ``proved`` in it as ``computed``."""
    if isinstance(fields, dict):
        return {
            name: "computed" if (name, value) == ("support", "proved") else _computed(value)
            for name, value in fields.items()
        }
    return [_computed(one) for one in fields] if isinstance(fields, list | tuple) else fields


class Trace(Record):
    """A trace of one problem. ``answer`` is text in normal form (option letters: ``A, C``).

    Steps may cite steps that come later or do not exist: a model can write such a trace, and the checker reports the
    fault. Only what no text can express is refused here.
    """

    how_to_make = "srt solve and srt teach write traces"

    id: str = Field(min_length=1)
    problem_id: str
    kind: TraceKind
    lang: Lang
    steps: tuple[Step, ...] = ()
    text: Annotated[str, AfterValidator(prose)] | None = None
    answer: Line
    teacher: str | None = None
    checks: TraceCheck | None = None

    @model_validator(mode="after")
    def _shape(self) -> Trace:
        if not self.answer:
            raise ValueError("a trace needs an answer")
        if self.kind == "cot":
            if self.steps or not self.text:
                raise ValueError("a cot trace is prose (text) without steps")
            return self
        if not self.steps or self.text is not None:
            raise ValueError(f"a {self.kind} trace has steps and no text")
        for number, step in enumerate(self.steps, 1):
            # An assertion beside the claim could say something else than the claim that is checked.
            if self.kind == "world" and (step.claim is None or step.assertion is not None):
                raise ValueError(f"steps.{number}: a step of a world trace has a claim and no assertion")
            if self.kind == "free" and step.assertion is None:
                raise ValueError(f"steps.{number}: a step of a free trace has an assertion")
        return self
