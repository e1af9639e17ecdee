"""What a problem says as a whole: everything that follows from it, about, by the equations of its solids."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property, lru_cache

from srt.io.records import Lang, Problem
from srt.worlds.solids.checker.heard import HeardSolid, hear
from srt.worlds.solids.checker.relations import closure, denied, every_relation
from srt.worlds.solids.checker.terms import DIGITS
from srt.worlds.solids.checker.together import contradiction, some_solid
from srt.worlds.solids.checker.units import can_have, size
from srt.worlds.solids.checker.values import Value


def whole_problem(problem: Problem) -> WholeProblem | None:
    """The problem as it is heard, and what follows from it; ``None`` if it is none of this world.

    The last problems are kept: many traces of one are checked, and most of the work is what they share.
    """
    if "solids" not in (problem.source, problem.meta.get("world")):
        return None
    return _whole(problem.lang, problem.question, problem.diagram_description, tuple(problem.choices.items()))


@lru_cache(maxsize=256)
def _whole(lang: Lang, question: str, labels: str | None, choices: tuple[tuple[str, str], ...]) -> WholeProblem | None:
    # Of these fields alone, so that nothing else of a problem can matter.
    text = Problem(
        id="p", source="solids", lang=lang, question=question, diagram_description=labels, choices=dict(choices)
    )
    heard = hear(text)
    return None if heard is None else WholeProblem(heard)


class WholeProblem:
    """What follows from a problem, computed when it is first asked for."""

    def __init__(self, heard: HeardSolid) -> None:
        self.heard = heard

    @cached_property
    def solved(self) -> dict[str, float]:
        """Every measure that the problem determines, about, in powers of a metre where units are given."""
        given = {}
        for found in self.heard.said.values():
            for name, value in found.items():
                if value is not None:
                    scale = float(size(value.unit)) if value.unit not in ("", "deg") else 1.0
                    given[name] = value.number.about * scale
        return closure(given, self.heard.solids, self.equations())

    @cached_property
    def impossible(self) -> str:
        """Measures that follow from the text and that no solid has, or was found to have; empty where there are none.

        What :attr:`solved` gives must be allowed, agree to the last digit, and belong to a solid that is found.
        """
        for found in self.heard.said.values():
            for name, value in found.items():
                if value is not None and value.number.about <= 1e-12:
                    return f"{name} = {value.number.about:.6g}"
        solids, equations, near = self.heard.solids, self.equations(), self.solved
        if nothing := denied(near, solids, equations):
            return nothing
        relations = every_relation(solids, equations)
        if differing := contradiction(self._given(), near, relations):
            return differing
        if not some_solid(near, relations, lambda measures: not denied(measures, solids, equations)):
            return ", ".join(f"{name} = {near[name]:.6g}" for name in sorted(self._given()))
        return ""

    def _given(self) -> dict[str, Decimal]:
        """The values of the text, precisely, in powers of a metre where units are given."""
        given = {}
        with localcontext(prec=DIGITS):
            for found in self.heard.said.values():
                for name, value in found.items():
                    if value is not None:
                        scale = size(value.unit) if value.unit not in ("", "deg") else Fraction(1)
                        given[name] = value.precise() * scale.numerator / scale.denominator
        return given

    def equations(self) -> tuple[str, ...]:
        """The equations that it states."""
        return tuple(key for found in self.heard.said.values() for key, value in found.items() if value is None)

    def length(self) -> str:
        """In what :attr:`solved` measures."""
        units = {value.unit for found in self.heard.said.values() for value in found.values() if value is not None}
        return "(m)" if units - {"", "deg"} else ""

    def is_near(self, name: str, value: Value, about: float) -> bool:
        """Whether a value of the quantity ``name`` is about that; one in a unit that it cannot have never is."""
        scale = float(size(value.unit)) if value.unit not in ("", "deg") else 1.0
        return can_have(name, value.unit) and math.isclose(value.number.about * scale, about, rel_tol=1e-7)
