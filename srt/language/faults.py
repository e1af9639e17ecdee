"""What can be wrong with a trace: one list for the machine, the Reviewer, ``srt mutate`` and the review page.

Two families, counted separately. A *truth-changing* fault makes the trace say something false of its problem; a
*support-breaking* one may leave every claim true, but a step no longer follows from what it cites, or is not needed.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal

Family = Literal["truth-changing", "support-breaking"]
FAMILIES: tuple[Family, ...] = ("truth-changing", "support-breaking")
_TRUTH, _SUPPORT = FAMILIES


class Fault(Enum):
    """A class of fault. ``value`` is its name in files, ``explanation`` one line for people and for Reviewers."""

    family: Family
    explanation: str

    def __new__(cls, word: str, family: Family, explanation: str) -> Fault:
        """The member whose value is ``word``."""
        fault = object.__new__(cls)
        fault._value_ = word
        fault.family = family
        fault.explanation = explanation
        return fault

    ANOTHER_ENTITY = ("another_entity", _TRUTH, "a claim names another entity")
    ANOTHER_RELATION = ("another_relation", _TRUTH, "a claim names another relation, region or direction")
    ANOTHER_NUMBER = ("another_number", _TRUTH, "a claim counts to another number, or names another tier")
    ANOTHER_SEAT = ("another_seat", _TRUTH, "a claim puts somebody on another seat")
    CONTRADICTED = ("contradicted", _TRUTH, "a claim is negated, or a negation is taken off")
    ENTITIES_SWAPPED = ("entities_swapped", _TRUTH, "two entities change places from one step on")
    WRONG_OPTIONS = ("wrong_options", _TRUTH, "the options step names other letters")
    WRONG_ANSWER = (
        "wrong_answer",
        _TRUTH,
        "the final answer differs in meaning from the given answer, or from the one that the reasoning reaches",
    )
    WRONG_CONCLUSION = ("wrong_conclusion", _TRUTH, "the options step and the answer agree and are wrong")

    STEP_DROPPED = ("step_dropped", _SUPPORT, "a needed step is left out, with all references to it")
    NUMBERS_KEPT = ("numbers_kept", _SUPPORT, "a step is left out, and the references are not renumbered")
    ORDER_BROKEN = ("order_broken", _SUPPORT, "a step stands before what it needs")
    PREMISE_REPLACED = ("premise_replaced", _SUPPORT, "a step cites another step than the one it needs")
    PREMISE_LEFT_OUT = ("premise_left_out", _SUPPORT, "a premise that is needed is not cited")
    DANGLING_REFERENCE = ("dangling_reference", _SUPPORT, "a step cites a step or a clue that does not exist")
    MISLABELLED = (
        "mislabelled",
        _SUPPORT,
        "a step does the work of another operation than the one that it names",
    )
    UNUSED_STEP = (
        "unused_step",
        _SUPPORT,
        "a step repeats another, or nothing after it needs it",
    )
    MISQUOTED_CLUE = ("misquoted_clue", _SUPPORT, "a reading cites another clue than the one it reads")
    SWAPPED_ROLES = ("swapped_roles", _SUPPORT, "a reading swaps who is spoken of and to whom he is related")
    CLUES_SWAPPED = ("clues_swapped", _SUPPORT, "two readings have each other's clue numbers")
    UNSAID_READING = ("unsaid_reading", _SUPPORT, "a reading says what is true, but not what its clue says")
    FALSE_WLOG = ("false_wlog", _SUPPORT, "a choice is called free by symmetry where none is left")
    CASE_LEFT_OUT = ("case_left_out", _SUPPORT, "one of several alternatives is dropped without a reason")
    OVERCLAIMED = ("overclaimed", _SUPPORT, "a claim holds more than its premises give")
    LEAP = ("leap", _SUPPORT, "the answer is stated right after the question, nothing leads to it")
    GUESSED = ("guessed", _SUPPORT, "the right options are stated in the right form, without a derivation")
    STEP_SKIPPED = ("step_skipped", _SUPPORT, "a step is left out, and later steps cite what it cited")
    IDLE_PREMISE = ("idle_premise", _SUPPORT, "a step cites a premise that it does not need")
    VACUOUS_STEP = ("vacuous_step", _SUPPORT, "a step that always holds is inserted, and cited")

    FALSE_CLAIM = (
        "false_claim",
        _TRUTH,
        "what a step states is wrong: a calculation, a formula, a unit, a theorem, a rule of projection; or it "
        "contradicts the official solution",
    )
    HALLUCINATED_ENTITY = (
        "hallucinated_entity",
        _TRUTH,
        "a step uses a point, edge, face, person, number or condition that neither the problem nor the official "
        "solution has and that no step constructs",
    )
    MISREAD = (
        "misread",
        _TRUTH,
        "a step says of the problem, a clue, an option or a picture what is not there, or ties together parts that "
        "do not correspond",
    )
    CONTRADICTS_SOLUTION = ("contradicts_solution", _TRUTH, "a step says what the official solution denies")
    DOES_NOT_FOLLOW = (
        "does_not_follow",
        _SUPPORT,
        "a step may be right, but does not follow from what it rests on (the premises that it cites; in prose, what "
        "stands before it): a premise is missing, does not exist or is not the one that is needed, or a step "
        "between is left out",
    )
    UNSUPPORTED_NUMBER = (
        "unsupported_number",
        _SUPPORT,
        "a number stands in no cited premise, is not computed from them, and is no constant of a formula",
    )
    UNNAMED_FORMULA = (
        "unnamed_formula",
        _SUPPORT,
        "a named quantity, such as a volume, is calculated by what is no formula of it",
    )
    ANSWER_CITED = (
        "answer_cited",
        _SUPPORT,
        "a step rests on the answer or the official solution, or speaks of them",
    )
    OUT_OF_ORDER = ("out_of_order", _SUPPORT, "a step stands after one of a later operation")
    ANOTHER_LANGUAGE = ("another_language", _SUPPORT, "a step is in another language than its trace")
    TOO_LARGE = ("too_large", _SUPPORT, "there is more text, or there are more steps or premises, than is checked")
    MALFORMED = ("malformed", _SUPPORT, "what was written is not in the form of a trace")


OF_PROSE = frozenset(
    {
        Fault.FALSE_CLAIM,
        Fault.HALLUCINATED_ENTITY,
        Fault.MISREAD,
        Fault.CONTRADICTS_SOLUTION,
        Fault.DOES_NOT_FOLLOW,
        Fault.UNSUPPORTED_NUMBER,
        Fault.UNNAMED_FORMULA,
        Fault.ANSWER_CITED,
        Fault.OUT_OF_ORDER,
        Fault.ANOTHER_LANGUAGE,
        Fault.TOO_LARGE,
        Fault.MALFORMED,
    }
)
"""Faults that reviewers and machines report but that no mutation of a world trace makes: of prose, or more general."""

PLANTED = tuple(fault for fault in Fault if fault not in OF_PROSE)
"""The classes of fault that ``srt mutate`` plants in world traces, in the order of its table."""
