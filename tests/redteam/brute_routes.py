"""Whether a step of a route is entailed by what it cites: walks are drawn by chance that fit it, and all must agree.

Shares no code with the solver or the checker. Sentences and options are read by
:mod:`tests.srt.worlds.routes.brute_force`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from srt.io.records import Problem
from tests.srt.worlds.routes.brute_force import COMPASS, TURNS, heading, number_in, pieces, right_answers

Facts = Mapping[tuple[str, int], str]
NAMES = {1j: "north", 1: "east", -1j: "south", -1: "west"}
BY = {"left": 1j, "right": -1j, "around": -1, "none": 1}
MODELS = 40


class BruteRoutes:
    """One problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        *self.sentences, self.question = problem.question.split("\n")
        self.chance = random.Random(0)

    def answers(self, letters: Sequence[str]) -> bool:
        return right_answers(self.problem) == list(letters)

    def entailed(self, claims: Sequence[str], step: tuple[str, Sequence[str], str]) -> bool:
        """Whether a step (operation, premises, claim) follows from its premises, where ``claims`` stand before it."""
        op, args, text = step
        cited = [claims[int(word[1:]) - 1] for word in args if word.startswith("#")]
        if op == "CORRELATE":
            return not cited and len(args) == 1 and text in self._said(args[0])
        if text.startswith(("options", "answer")):
            return len(cited) == 1 and text == self._conclusion(cited[0])
        facts = dict(filter(None, map(fact, cited)))
        meant = fact(text)
        if meant is None or len(facts) != len(cited):
            return False
        (name, n), value = meant
        models = [model for _ in range(MODELS) if (model := self._model(n, facts)) is not None]
        return bool(models) and all(said(name, model) == value for model in models)

    def _said(self, word: str) -> list[str]:
        n = int(word.strip("()")) if word.startswith("(") else 0
        if not 1 <= n <= len(self.sentences):
            return []
        sentence = re.sub(r"^\(\d+\)", "", self.sentences[n - 1])
        if n == 1:
            return [f"facing(1) = {NAMES[heading(sentence)]}"]
        turn = next((by for known, by in TURNS.items() if known in sentence), 1)
        side = next(side for side, by in BY.items() if by == turn)
        return [f"turn({n}) = {side}", f"walk({n}) = {number_in(sentence)}"]

    def _conclusion(self, cited: str) -> str | None:
        """What follows for the options, or the number, from the claim that was asked for."""
        meant = fact(cited)
        if meant is None or meant[0][1] != len(self.sentences):
            return None
        (name, _), value = meant
        asked = self.question
        if name != _asked(asked):
            return None
        if not self.problem.choices:
            return f"answer = {value}"
        letters = [letter for letter, text in self.problem.choices.items() if _option_says(name, text, value)]
        return f"options = {{{', '.join(letters)}}}"

    def _model(self, n: int, facts: Facts) -> tuple[list[complex], complex, complex, int] | None:
        """A walk up to sentence ``n`` that fits ``facts``: unit steps, the direction, the turn and the steps of it."""
        before = self._history(n - 1, facts)
        leg = re.fullmatch(r"(\d+) (\w+)", facts.get(("leg", n), ""))
        walk = int(leg[1]) if leg else int(facts.get(("walk", n), self.chance.randint(0, 5)))
        if before is None or (("walk", n) in facts and int(facts["walk", n]) != walk):
            return None
        after = COMPASS[leg[2]] if leg else COMPASS.get(facts.get(("facing", n), ""))
        turn = BY.get(facts.get(("turn", n), ""))
        start = COMPASS.get(facts.get(("facing", n - 1), ""))
        start = start if start is not None else after / turn if after and turn else self.chance.choice(list(NAMES))
        turn = turn if turn is not None else after / start if after else self.chance.choice(list(BY.values()))
        if after is not None and after != start * turn:
            return None
        whole = [*before, *[start * turn] * walk]
        if any((name, n) in facts for name in ("at", "back", "square")):
            history = self._history(n, facts)
            return None if history is None else (history, start * turn, turn, walk)
        return whole, start * turn, turn, walk

    def _history(self, n: int, facts: Facts) -> list[complex] | None:
        """The unit steps of a walk that fits what ``facts`` say of it after sentence ``n``."""
        if n <= 1:
            return []
        if ("back", n) in facts:
            return [-unit for unit in reversed(_units(facts["back", n]))]
        if ("at", n) in facts:
            units = _units(facts["at", n])
        elif ("square", n) in facts:
            size = int(facts["square", n])
            found = [(x, y) for x in range(60) for y in range(60) if x * x + y * y == size]
            if not found:
                return None
            x, y = self.chance.choice(found)
            units = [*[self.chance.choice([1, -1]) + 0j] * x, *[self.chance.choice([1j, -1j])] * y]
        else:
            units = [self.chance.choice(list(NAMES)) for _ in range(self.chance.randint(0, 6))]
        detour = self.chance.choice(list(NAMES))
        units = [*units, *[detour, -detour] * self.chance.randint(0, 1)]
        self.chance.shuffle(units)
        return units


def fact(text: str) -> tuple[tuple[str, int], str] | None:
    match = re.fullmatch(r"(\w+)\((\d+)\) = (.+)", text)
    return ((match[1], int(match[2])), match[3]) if match else None


def said(name: str, model: tuple[list[complex], complex, complex, int]) -> str:
    """What is so of a walk."""
    history, facing, turn, walk = model
    place = sum(history, 0j)
    x, y = round(place.real), round(place.imag)
    root = next((n for n in range(200) if n * n == x * x + y * y), None)
    along = [f"{abs(x)} {'east' if x > 0 else 'west'}"] * bool(x)
    up = [f"{abs(y)} {'north' if y > 0 else 'south'}"] * bool(y)
    legs: list[list[object]] = []
    for unit in reversed(history):
        if legs and legs[-1][1] == NAMES[-unit]:
            legs[-1][0] = int(str(legs[-1][0])) + 1
        else:
            legs.append([1, NAMES[-unit]])
    return {
        "facing": NAMES[facing],
        "turn": next(side for side, by in BY.items() if by == turn),
        "walk": str(walk),
        "leg": f"{walk} {NAMES[facing]}" if walk else "no leg",
        "at": ", ".join([*along, *up]) or "start",
        "back": ", ".join(f"{steps} {way}" for steps, way in legs) or "none",
        "steps": str(abs(x) + abs(y)),
        "square": str(x * x + y * y),
        "line": str(root),
    }.get(name, "")


def _units(text: str) -> list[complex]:
    return [COMPASS[way] + 0j for steps, way in re.findall(r"(\d+) (\w+)", text) for _ in range(int(steps))]


def _asked(question: str) -> str:
    if "straight line" in question or "直线" in question:
        return "line"
    if "ow many steps" in question or "多少步" in question:
        return "steps"
    if "back to the start" in question or "回" in question:
        return "back"
    if question.startswith("Where") or "在哪里" in question or "什么位置" in question:
        return "at"
    return "facing"


def _option_says(name: str, text: str, value: str) -> bool:
    if name == "facing":
        return NAMES[heading(text)] == value
    if name in ("steps", "line"):
        return re.sub(r"\D", "", text) == value
    if name == "at":
        return sum(pieces(text)) == sum(_units(value))
    return [unit for leg in pieces(text) for unit in [leg / abs(leg)] * round(abs(leg))] == _units(value)
