"""What can be wrong with a trace, one list for the machine, the Reviewer, ``srt mutate`` and the review page.

Two families, counted separately. A *truth-changing* fault makes the trace say something false of its problem; a
*support-breaking* one may leave every claim true, but a step no longer follows from what it cites, or is not needed.
A world that can be wrong in its own ways adds an enumeration of its own (:class:`FaultClass`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

Family = Literal["truth-changing", "support-breaking"]
FAMILIES: tuple[Family, ...] = ("truth-changing", "support-breaking")
TRUTH_CHANGING, SUPPORT_BREAKING = FAMILIES


class FaultClass(StrEnum):
    """Classes of fault: each is its name in files. ``explanation`` is one line for people and for Reviewers.

    ``reviewed_as`` is the :class:`Fault` by whose name a Reviewer calls a world's own class, if any does.
    """

    family: Family
    explanation: str
    reviewed_as: Fault | None

    def __new__(cls, word: str, family: Family, explanation: str, reviewed_as: Fault | None = None) -> FaultClass:
        """The member whose value is ``word``."""
        # StrEnum would take the other items of the tuple for an encoding, as str(bytes, encoding, errors) does.
        fault = str.__new__(cls, word)
        fault._value_ = word
        fault.family = family
        fault.explanation = explanation
        fault.reviewed_as = reviewed_as
        return fault


class Fault(FaultClass):
    """The classes that mean something in any trace."""

    ANOTHER_ENTITY = ("another_entity", TRUTH_CHANGING, "a claim names another entity")
    ANOTHER_RELATION = ("another_relation", TRUTH_CHANGING, "a claim names another relation, region or direction")
    ANOTHER_NUMBER = ("another_number", TRUTH_CHANGING, "a claim counts to another number")
    CONTRADICTED = ("contradicted", TRUTH_CHANGING, "a claim is negated, or a negation is taken off")
    ENTITIES_SWAPPED = ("entities_swapped", TRUTH_CHANGING, "two entities change places from one step on")
    WRONG_OPTIONS = ("wrong_options", TRUTH_CHANGING, "the options step names other letters")
    WRONG_ANSWER = (
        "wrong_answer",
        TRUTH_CHANGING,
        "the final answer differs in meaning from the given answer, or from the one that the reasoning reaches",
    )
    WRONG_CONCLUSION = ("wrong_conclusion", TRUTH_CHANGING, "the options step and the answer agree and are wrong")

    STEP_DROPPED = ("step_dropped", SUPPORT_BREAKING, "a needed step is left out, with all references to it")
    NUMBERS_KEPT = ("numbers_kept", SUPPORT_BREAKING, "a step is left out, and the references are not renumbered")
    ORDER_BROKEN = ("order_broken", SUPPORT_BREAKING, "a step stands before what it needs")
    PREMISE_REPLACED = ("premise_replaced", SUPPORT_BREAKING, "a step cites another step than the one it needs")
    PREMISE_LEFT_OUT = ("premise_left_out", SUPPORT_BREAKING, "a premise that is needed is not cited")
    DANGLING_REFERENCE = ("dangling_reference", SUPPORT_BREAKING, "a step cites a step or a clue that does not exist")
    MISLABELLED = (
        "mislabelled",
        SUPPORT_BREAKING,
        "a step does the work of another operation than the one that it names",
    )
    UNUSED_STEP = (
        "unused_step",
        SUPPORT_BREAKING,
        "a step repeats another, or nothing after it needs it",
    )
    REPEATED = ("repeated", SUPPORT_BREAKING, "a step says what an earlier step says, or one thing twice")
    MISQUOTED_CLUE = ("misquoted_clue", SUPPORT_BREAKING, "a reading cites another clue than the one it reads")
    LEAP = ("leap", SUPPORT_BREAKING, "the answer is stated right after the question, nothing leads to it")
    GUESSED = ("guessed", SUPPORT_BREAKING, "the right options are stated in the right form, without a derivation")
    STEP_SKIPPED = ("step_skipped", SUPPORT_BREAKING, "a step is left out, and later steps cite what it cited")
    IDLE_PREMISE = ("idle_premise", SUPPORT_BREAKING, "a step cites a premise that it does not need")

    FALSE_CLAIM = (
        "false_claim",
        TRUTH_CHANGING,
        "what a step states is wrong: a calculation, a formula, a unit, a theorem, a rule of projection; or it "
        "contradicts the official solution",
    )
    HALLUCINATED_ENTITY = (
        "hallucinated_entity",
        TRUTH_CHANGING,
        "a step uses a point, edge, face, person, number or condition that neither the problem nor the official "
        "solution has and that no step constructs",
    )
    MISREAD = (
        "misread",
        TRUTH_CHANGING,
        "a step says of the problem, a clue, an option or a picture what is not there, or ties together parts that "
        "do not correspond",
    )
    CONTRADICTS_SOLUTION = ("contradicts_solution", TRUTH_CHANGING, "a step says what the official solution denies")
    DOES_NOT_FOLLOW = (
        "does_not_follow",
        SUPPORT_BREAKING,
        "a step may be right, but does not follow from what it rests on (the premises that it cites; in prose, what "
        "stands before it): a premise is missing, does not exist or is not the one that is needed, or a step "
        "between is left out",
    )
    UNSUPPORTED_NUMBER = (
        "unsupported_number",
        SUPPORT_BREAKING,
        "a number stands in no cited premise, is not computed from them, and is no constant of a formula",
    )
    UNNAMED_FORMULA = (
        "unnamed_formula",
        SUPPORT_BREAKING,
        "a named quantity, such as a volume, is calculated by what is no formula of it",
    )
    ANSWER_CITED = (
        "answer_cited",
        SUPPORT_BREAKING,
        "a step rests on the answer or the official solution, or speaks of them",
    )
    OUT_OF_ORDER = ("out_of_order", SUPPORT_BREAKING, "a step stands after one of a later operation")
    ANOTHER_LANGUAGE = (
        "another_language",
        SUPPORT_BREAKING,
        "a step is in another language than its trace, or the trace in another than its problem",
    )
    ANOTHER_FORM = (
        "another_form",
        SUPPORT_BREAKING,
        "the problem is of an exact world, and what was written is no trace of that world",
    )
    TOO_LARGE = (
        "too_large",
        SUPPORT_BREAKING,
        "there is more text, or there are more steps or premises, than is checked",
    )
    MALFORMED = ("malformed", SUPPORT_BREAKING, "what was written is not in the form of a trace")


# Left to right, because pydantic's own mode takes any string as it is and never makes it a Fault.
FaultWord = Annotated[Fault | str, Field(union_mode="left_to_right")]
"""A class of fault in a record: one of :class:`Fault`, or the word of a world's own."""
