"""The classes of fault that only traces of the seating world can have; :mod:`.mutation_subject` plants them."""

from __future__ import annotations

from srt.language.faults import SUPPORT_BREAKING, TRUTH_CHANGING, Fault, FaultClass


class SeatingFault(FaultClass):
    """What can be wrong with a derivation about seats alone."""

    ANOTHER_SEAT = ("another_seat", TRUTH_CHANGING, "a claim puts somebody on another seat", Fault.FALSE_CLAIM)
    SWAPPED_ROLES = (
        "swapped_roles",
        SUPPORT_BREAKING,
        "a reading swaps its subject and the person it relates them to",
        Fault.MISREAD,
    )
    CLUES_SWAPPED = ("clues_swapped", SUPPORT_BREAKING, "two readings have each other's clue numbers", Fault.MISREAD)
    UNSAID_READING = (
        "unsaid_reading",
        SUPPORT_BREAKING,
        "a reading says what is true, but not what its clue says",
        Fault.MISREAD,
    )
    FALSE_WLOG = (
        "false_wlog",
        SUPPORT_BREAKING,
        "a choice is called free by symmetry where none is left",
        Fault.DOES_NOT_FOLLOW,
    )
    CASE_LEFT_OUT = (
        "case_left_out",
        SUPPORT_BREAKING,
        "one of several alternatives is dropped without a reason",
        Fault.DOES_NOT_FOLLOW,
    )
    OVERCLAIMED = ("overclaimed", SUPPORT_BREAKING, "a claim holds more than its premises give", Fault.DOES_NOT_FOLLOW)
    VACUOUS_STEP = (
        "vacuous_step",
        SUPPORT_BREAKING,
        "a step that always holds is inserted, and cited",
        Fault.UNUSED_STEP,
    )
