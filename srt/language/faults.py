"""What can be wrong with a trace: the one list that the machine, the Reviewer, the mutation tester and the page share.

Two families, counted apart. A *truth-changing* fault makes the trace say something false of its problem; a
*support-breaking* one may leave every claim true, but a step no longer follows from what it cites, or is not needed.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal

Family = Literal["truth-changing", "support-breaking"]


class Fault(Enum):
    """A class of fault. ``value`` is its name in files, ``explanation`` one line for people."""

    family: Family
    explanation: str

    def __new__(cls, word: str, family: Family, explanation: str) -> Fault:
        """The member whose value is ``word``."""
        fault = object.__new__(cls)
        fault._value_ = word
        fault.family = family
        fault.explanation = explanation
        return fault

    ANOTHER_ENTITY = ("another_entity", "truth-changing", "a claim names another entity")
    ANOTHER_RELATION = ("another_relation", "truth-changing", "a claim names another relation, region or direction")
    ANOTHER_NUMBER = ("another_number", "truth-changing", "a claim counts to another number, or names another tier")
    ANOTHER_SEAT = ("another_seat", "truth-changing", "a claim puts somebody on another seat")
    CONTRADICTED = ("contradicted", "truth-changing", "a claim is negated, or a negation is taken off")
    ENTITIES_SWAPPED = ("entities_swapped", "truth-changing", "two entities change places from one step on")
    WRONG_OPTIONS = ("wrong_options", "truth-changing", "the options step names other letters")
    WRONG_ANSWER = ("wrong_answer", "truth-changing", "the answer is not what the steps lead to")
    WRONG_CONCLUSION = (
        "wrong_conclusion",
        "truth-changing",
        "the options step and the answer agree and are wrong",
    )

    STEP_DROPPED = ("step_dropped", "support-breaking", "a needed step is left out, with all references to it")
    NUMBERS_KEPT = ("numbers_kept", "support-breaking", "a step is left out, and the references are not renumbered")
    ORDER_BROKEN = ("order_broken", "support-breaking", "a step stands before what it needs")
    PREMISE_REPLACED = ("premise_replaced", "support-breaking", "a step cites another step than the one it needs")
    PREMISE_LEFT_OUT = ("premise_left_out", "support-breaking", "a premise that is needed is not cited")
    DANGLING_REFERENCE = ("dangling_reference", "support-breaking", "a step cites a step or a clue that does not exist")
    MISLABELLED = ("mislabelled", "support-breaking", "the operation is not the one that is carried out")
    UNUSED_STEP = ("unused_step", "support-breaking", "a step that is true and follows, but that nothing uses")
    MISQUOTED_CLUE = ("misquoted_clue", "support-breaking", "a reading cites another clue than the one it reads")
    SWAPPED_ROLES = ("swapped_roles", "support-breaking", "a reading swaps who is spoken of and to whom he is related")
    CLUES_SWAPPED = ("clues_swapped", "support-breaking", "two readings have each other's clue numbers")
    UNSAID_READING = ("unsaid_reading", "support-breaking", "a reading says what is true, but not what its clue says")
    FALSE_WLOG = ("false_wlog", "support-breaking", "a choice is called free by symmetry where none is left")
    CASE_LEFT_OUT = ("case_left_out", "support-breaking", "one of several alternatives is dropped without a reason")
    OVERCLAIMED = ("overclaimed", "support-breaking", "a claim holds more than its premises give")
    LEAP = ("leap", "support-breaking", "the answer is stated right after the question, nothing leads to it")

    FALSE_CLAIM = (
        "false_claim",
        "truth-changing",
        "what a step claims is wrong: an equation, inequality, count, unit or position",
    )
    HALLUCINATED_ENTITY = (
        "hallucinated_entity",
        "truth-changing",
        "a step names a point, edge, face or thing that the problem does not have",
    )
    CONTRADICTS_SOLUTION = ("contradicts_solution", "truth-changing", "a step says what the official solution denies")
    DOES_NOT_FOLLOW = (
        "does_not_follow",
        "support-breaking",
        "a step does not follow from what it cites, and no other class says why",
    )
    MALFORMED = ("malformed", "support-breaking", "what was written is not in the form of a trace")


OF_PROSE = frozenset(
    {
        Fault.FALSE_CLAIM,
        Fault.HALLUCINATED_ENTITY,
        Fault.CONTRADICTS_SOLUTION,
        Fault.DOES_NOT_FOLLOW,
        Fault.MALFORMED,
    }
)
"""Faults that reviews and machines name and that no mutation of a world trace makes: of prose, or more general."""

PLANTED = tuple(fault for fault in Fault if fault not in OF_PROSE)
"""The classes that the mutations of world traces make, in the order of the table."""
