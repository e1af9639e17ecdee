"""The two policies under which answers are compared, in words for the report and in numbers for the code."""

from __future__ import annotations

from typing import Literal

Policy = Literal["strict", "lenient"]

POLICIES: dict[Policy, str] = {
    "strict": (
        "a unit must be gold's, in any spelling; it may be missing only where the question states it; an exact gold "
        "(a fraction, a root, pi) must be met exactly; a decimal gold is met by what rounds to it at gold's digits"
    ),
    "lenient": (
        "a unit may be missing, and one that converts is converted (100 cm = 1 m); an exact gold is also met by its "
        "decimal form, rounded to two decimals or three significant digits at least, pi may be 3.14 or 22/7; a decimal "
        "gold also by a shorter one to which it rounds, with as many digits"
    ),
}
"""What each policy accepts, one sentence a policy, as a report prints it."""

FEWEST_DECIMALS = 2
FEWEST_SIGNIFICANT = 3
"""A shorter decimal than these two is too coarse to stand for a value that it does not equal."""
