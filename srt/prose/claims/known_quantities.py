"""The quantities that a text states with their units, ``60 cm by 2 m``, to be found again by their numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from srt.maths.syntax.expression import Quantity
from srt.maths.syntax.lexing.token_writer import Token
from srt.maths.units.spellings import FORMULA_UNITS, HAN_UNITS
from srt.maths.units.unit import Unit

_BETWEEN = frozenset({"and", "by", "和", "与", "及", "、"})
_MOST = 400
COUNTS = frozenset(map(Fraction, range(1, 13)))
"""Numbers that count or are part of a formula."""
_WORDS = re.compile("[A-Za-z]+|" + "|".join(HAN_UNITS))


@dataclass
class KnownQuantities:
    """Units by number, with the place where each is stated (negative for givens), and all bases that are mentioned."""

    by_number: dict[Fraction, list[tuple[int, Unit]]] = field(default_factory=dict)
    mentioned: dict[str, list[int]] = field(default_factory=dict)
    """Where each base is mentioned: ``cm`` for cm², too."""
    asked: set[int] = field(default_factory=set)
    """The powers of length that the givens ask for."""

    def add(self, text: str, tokens: Sequence[Token], place: int) -> None:
        """Add what ``text`` states; ``place`` is added to where it stands."""
        for match in _WORDS.finditer(text):
            if match[0] in FORMULA_UNITS:
                self.mentioned.setdefault(base(FORMULA_UNITS[match[0]].name), []).append(place + match.start())
        kept = [token for token in tokens if token.kind not in ("edge", "line")]
        for at, token in enumerate(kept):
            if token.unit is None or token.unit.power[0] != "length":
                continue
            for behind in range(at - 1, max(-1, at - 8), -1):
                earlier = kept[behind]
                if earlier.number is not None and not self._in_computation(kept, behind):
                    stated = self.by_number.setdefault(earlier.number.value, [])
                    if len(stated) < _MOST:
                        stated.append((place + earlier.start, token.unit))
                elif earlier.kind not in ("comma", "stop", "open") and earlier.text not in _BETWEEN:
                    break

    def _in_computation(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether the number is a part of something longer: ``3 × 4 cm`` says nothing of 4."""
        before = tokens[at - 1].kind if at else ""
        if before == "op" and at > 1 and tokens[at - 2].kind == "unit":
            return False  # ``3 cm × 4 cm``
        return before in ("op", "superscript", "frac", "lbrace", "number", "close", "sqrt", "ratio")

    def units_of(self, value: Fraction, before: int) -> list[Unit]:
        """The units that ``value`` is stated with before a place."""
        found: list[Unit] = []
        for at, unit in self.by_number.get(value, ()):
            if at < before and unit not in found:
                found.append(unit)
        return found

    def elsewhere(self, name: str, start: int, end: int) -> bool:
        """Whether the base ``name`` is mentioned outside ``[start, end)``."""
        return any(not start <= at < end for at in self.mentioned.get(name, ()))

    def converted(self, values: set[Fraction], unit: Quantity, before: int) -> bool:
        """Whether one of ``values`` may be a factor from a stated unit of length to ``unit``, or already converted.

        A small number that is stated with a unit is no factor: 10 in ``25 × 10 × 2`` for a pool 10 m wide. Nor is 20 cm
        converted in ``20 ÷ 2``, where 20 stands as it is.
        """
        stated = [(value, one) for value, found in self.by_number.items() for at, one in found if at < before]
        for value, one in stated:
            ratio = size(one) / size(unit)
            factors = {ratio**power for power in (-3, -2, -1, 1, 2, 3)} - {1}
            free = {number for number in values if number not in COUNTS or not self.by_number.get(number)}
            if free & factors or (value not in values and any(value * factor in values for factor in factors)):
                return True
        return False

    def given(self) -> bool:
        """Whether the givens mention a unit of length."""
        return any(name in _LENGTHS and min(places) < 0 for name, places in self.mentioned.items())


def size(unit: Unit | Quantity) -> Fraction:
    """The length in metres whose power the unit is: 1/10 for a litre."""
    power = unit.dimension[1] if isinstance(unit, Quantity) else unit.power[1]
    return Fraction(float(unit.scale) ** (1 / power)).limit_denominator(10**6)


def base(name: str) -> str:
    """``cm`` of ``cm^2``."""
    return name.partition("^")[0]


_LENGTHS = frozenset(base(unit.name) for unit in FORMULA_UNITS.values() if unit.power[0] == "length")
"""The names of the units of length, area and volume."""
