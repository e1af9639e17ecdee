"""Whether a step about measures of solids is entailed by what it cites: a solid is looked for that has the cited
measures, by coordinates and Newton's method, and its measure must be the claimed one.

Shares no formula with the solver or the checker (:mod:`tests.srt.worlds.solids.by_coordinates`); what sentences and
options say is taken from the reader.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from srt.io.records import Problem
from srt.worlds.solids.derivation.solve_solid import parse_measure
from srt.worlds.solids.reading.read_solid import read_solid
from srt.worlds.solids.statement import GivenFact, Measure, SolidStatement, length_in, size_of
from tests.srt.worlds.solids.by_coordinates import asked_value

NAME = r"[A-Za-z]\([a-z]+\)"


class BruteSolids:
    """One problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.read = read_solid(problem)
        self.value = asked_value(self.read.statement)

    def answers(self, letters: Sequence[str]) -> bool:
        if self.problem.choices:
            right = [letter for letter, said in self.read.options.items() if near(metres(said), self.value)]
            return right == list(letters)
        measure = parse_measure(", ".join(letters))
        return measure is not None and near(metres(measure), self.value)

    def entailed(self, claims: Sequence[str], step: tuple[str, Sequence[str], str]) -> bool:
        """Whether a step (operation, premises, claim) follows from its premises, where ``claims`` stand before it."""
        op, args, text = step
        statement = self.read.statement
        cited = [claims[int(word[1:]) - 1] for word in args if word.startswith("#")]
        asked = f"? = {statement.asked}" + (f" in {statement.unit}" if statement.unit else "")
        if op == "CORRELATE":
            said = {f"({fact.sentence})": "" for fact in statement.facts} | {"question": asked}
            facts = [fact.claim for fact in statement.facts if [f"({fact.sentence})"] == list(args)]
            return not cited and (text in facts or (list(args) == ["question"] and said["question"] == text))
        if text.startswith(("options", "answer")):
            measures = [m for claim in cited if (m := measure_of(claim)) and m[0] == statement.asked]
            if len(measures) != 1 or asked not in cited:
                return False
            value = text.partition(" = ")[2]
            if not self.problem.choices:
                return str(measures[0][1]) == value
            right = [x for x, option in self.read.options.items() if near(metres(option), metres(measures[0][1]))]
            return value == f"{{{', '.join(right)}}}"
        meant = measure_of(text)
        if meant is None:
            return False
        given = [GivenFact(1, m[0], m[1]) if (m := measure_of(claim)) else GivenFact(1, claim) for claim in cited]
        names = re.findall(NAME, " ".join([text, *(fact.name for fact in given)]))
        kinds = [name[2:-1] for name in names]
        for fact in given:
            said, _, parts = fact.name.partition(" = ")
            if said in ("solid", "pair"):
                kinds += parts.split(" ")[::2]
        # A small solid after the large one, by which it is measured.
        kinds = sorted({kind for kind in kinds if kind != "solid"}, key=lambda kind: (kind.startswith("small"), kind))
        if [fact.name for fact in given] == [meant[0]] and given[0].measure:
            return near(metres(given[0].measure), metres(meant[1]))  # the same in another unit
        try:
            found = asked_value(SolidStatement((*kinds, "solid"), tuple(given), meant[0]))
        except (KeyError, AssertionError):  # a measure of a solid of which nothing is cited, or no such solid
            return False
        return near(found, metres(meant[1]))


def measure_of(claim: str) -> tuple[str, Measure] | None:
    match = re.fullmatch(rf"({NAME}) = (?:[^=]+ = )?([^=]+)", claim)
    measure = parse_measure(match[2]) if match else None
    return (match[1], measure) if match and measure else None


def metres(measure: Measure) -> float:
    scaled = length_in(measure.unit) not in ("", "deg")
    return float(measure.number) * (float(size_of(measure.unit)) if scaled else 1.0)


def near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6)
