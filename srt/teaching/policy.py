"""What is done about an answer that cannot be used: each way to fail has its own policy, and all are counted.

========================  ======================================  ===========================
outcome                   asked again                             and when that is used up
========================  ======================================  ===========================
``length``                once, with twice ``max_tokens``         failed
``refusal``               once                                    people
``malformed``, ``empty``  twice each                              failed
``another_problem``       twice                                   failed
``rejected``              never: the endpoint will not take it    failed
``unavailable``           never: the client has retried           pending, for the next run
========================  ======================================  ===========================

Where a trace is at hand already (the Reviewer or the Checker gave no usable answer), ``failed`` becomes people: there
is something to mend.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from srt.teaching.records import Outcome, State


@dataclass(frozen=True)
class Policy:
    """``again``: how often the question is put once more. ``then``: where the problem goes after that."""

    again: int
    then: State
    longer: bool = False


POLICIES: dict[Outcome, Policy] = {
    Outcome.LENGTH: Policy(again=1, then=State.FAILED, longer=True),
    Outcome.REFUSAL: Policy(again=1, then=State.PEOPLE),
    Outcome.MALFORMED: Policy(again=2, then=State.FAILED),
    Outcome.EMPTY: Policy(again=2, then=State.FAILED),
    Outcome.ANOTHER_PROBLEM: Policy(again=2, then=State.FAILED),
    Outcome.REJECTED: Policy(again=0, then=State.FAILED),
    Outcome.UNAVAILABLE: Policy(again=0, then=State.PENDING),
}


def asks_again(outcome: Outcome, seen: Counter[Outcome]) -> bool:
    """Whether to ask once more; ``seen`` counts the outcomes of this question so far, ``outcome`` included."""
    return seen[outcome] <= POLICIES[outcome].again


def state_after(outcome: Outcome, *, has_trace: bool) -> State:
    """Where a problem goes whose question ended with ``outcome``."""
    state = POLICIES[outcome].then
    return State.PEOPLE if has_trace and state is State.FAILED else state
