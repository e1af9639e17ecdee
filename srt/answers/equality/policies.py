"""What counts as equal: one kind of policy, and the five that are in use, in words for people and in settings.

Each accepts all that the one before it accepts: :data:`SAME_VALUE` apart from rounding, then :data:`TRAINING`,
:data:`LENIENT` and :data:`CONTRADICTION`. What :data:`STRICT` accepts, :data:`TRAINING` accepts too: an answer that is
scored right is fit to train on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

PolicyName = Literal["strict", "lenient"]
"""The policies that a score can be under."""


@dataclass(frozen=True)
class Policy:
    """When two answers are equal.

    Args:
        description: one sentence for a report.
        loose_units: a unit may be missing on either side, and a counted noun (``27 cubes``) may be any. Otherwise the
            unit may be missing only where the question leaves no other, and the noun must be a word of the question.
            A unit that converts is converted under every policy: ``100 cm`` is ``1 m``, 60 degrees are pi/3.
        rounding: which side may be a rounded decimal: ``gold``, at gold's digits; ``either``; or ``none``.
            With ``either``, pi may also be taken as 3.14 or 22/7.
        tolerance: numbers that differ by no more than this share of the larger one are equal.
    """

    description: str
    loose_units: bool = False
    rounding: Literal["none", "gold", "either"] = "gold"
    tolerance: Fraction = Fraction()


STRICT = Policy(
    "a unit must be gold's or convert to it; it may be missing only where the question leaves no other; an exact gold "
    "(a fraction, a root, pi) must be met exactly; a decimal gold is met by what rounds to it at gold's digits"
)
"""For scores, unless ``lenient`` is asked for."""

LENIENT = Policy(
    "a unit may be missing, and one that converts is converted; an exact gold is also met by its "
    "decimal form, rounded to two decimals or three significant digits at least, pi may be 3.14 or 22/7; a decimal "
    "gold also by a shorter one to which it rounds, with as many digits",
    loose_units=True,
    rounding="either",
)
"""For scores, where it is asked for."""

TRAINING = Policy(
    "as strict, but a unit may be missing",
    loose_units=True,
)
"""For the answer of a trace against gold: what is imported, taught and built into sequences."""

SAME_VALUE = replace(TRAINING, description="as for training, but without any rounding", rounding="none")
"""For an answer against what the steps of its trace say, and for the gold answers of two problems."""

CONTRADICTION = replace(LENIENT, description="as lenient, and decimals may differ by 1%", tolerance=Fraction(1, 100))
"""For a solution against gold: what differs even so contradicts it."""

POLICIES: dict[PolicyName, Policy] = {"strict": STRICT, "lenient": LENIENT}

FEWEST_DECIMALS = 2
FEWEST_SIGNIFICANT = 3
"""A shorter decimal than these two is too coarse to stand for a value that it does not equal."""
