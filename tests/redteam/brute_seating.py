"""Whether a step of the seating world is entailed by what it cites: every way to sit is tried.

Shares no code with the solver or the checker: it has a reader of claims and tables of seats of its own. What a clue
says is given to it as a claim. A step without ``scene`` is tried in all pairs of an arrangement of places and one of
relations, as ``docs/seating.md`` says.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np

Scene = tuple[str, str]
"""Kind and compass: ``("hexagon-in", "NS")``."""
Where = Any
"""A boolean array over arrangements; without ``scene`` places along the first axis, relations along the second."""
RINGS = {
    "": ("P1", "P2", "P3", "P4", "P5", "P6"),
    "NS": ("N", "NE", "SE", "S", "SW", "NW"),
    "EW": ("NE", "E", "SE", "SW", "W", "NW"),
}
BENCHES = {"": "SN", "NS": "SN", "EW": "EW"}
OPPOSITE = {"N": "S", "S": "N", "E": "W", "W": "E", "": ""}
COMPASS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
NOBODY = "none"


class BruteSeating:
    """One problem: its scene, who sits there, what its clues and its question say, and who is which option."""

    def __init__(
        self, scene: Scene, names: Sequence[str], clues: Mapping[str, str], options: Mapping[str, str | None]
    ) -> None:
        self.scene = scene
        self.names = tuple(names)
        self.clues = {word: self._parsed(claim) for word, claim in clues.items()}
        self.options = options
        self.ways = ways(scene)

    def answers(self, letters: Sequence[str]) -> bool:
        """Whether ``letters`` are the right options wherever the clues hold."""
        held = self._all(claim for word, claim in self.clues.items() if word != "question")
        return self._are_right(letters, held, self._filled(self.clues["question"]))

    def fits(self, seats: Sequence[str], letters: Sequence[str]) -> bool:
        """Whether every clue holds where ``names`` have these ``seats``, and ``letters`` are right there."""
        if tuple(seats) not in self.ways:
            return False
        here = np.array([way == tuple(seats) for way in self.ways])
        held = self._all(claim for word, claim in self.clues.items() if word != "question")
        return bool((held & here).any()) and self._are_right(letters, here, self._filled(self.clues["question"]))

    def solution(self, rng: random.Random) -> tuple[tuple[str, ...], list[str]] | None:
        """Seats of ``names`` in which every clue holds, and the options that are right there; ``None`` if none are."""
        held = self._all(claim for word, claim in self.clues.items() if word != "question")
        seats = self.ways[rng.choice(np.flatnonzero(held).tolist())]
        here = np.array([way == seats for way in self.ways])
        filled = self._filled(self.clues["question"])
        named = [letter for letter, name in self.options.items() if name and filled[self.names.index(name)][here].any()]
        letters = named or [letter for letter, name in self.options.items() if name is None]
        return (seats, letters) if letters else None

    def entailed(self, claims: Sequence[str], step: tuple[str, Sequence[str], str]) -> bool:
        """Whether a step (operation, premises, claim) follows from its premises, where ``claims`` stand before it."""
        op, args, text = step
        claim = self._parsed(text)
        cited = [self._parsed(claims[int(word[1:]) - 1]) for word in args if word.startswith("#")]
        read = [self.clues[word] for word in args if word in self.clues]
        if op == "CORRELATE":
            return len(read) == 1 and not cited and self._same(claim, read[0])
        premises = [*cited, *read]
        apart = "scene" not in args and "wlog" not in args
        held = self._all((one for one in premises if not about_blank(one)), apart)
        asking = [self._filled(one, apart) for one in premises if about_blank(one) and not is_options(one)]
        for other in asking[1:]:
            for one, another in zip(asking[0], other, strict=True):
                held = held & (one == another)
        if not held.any():
            return False
        if is_options(claim):
            said = [one for one in premises if is_options(one)]
            return claim in said if not asking else self._are_right(claim[0][0][1], held, asking[0])
        if not about_blank(claim):
            holds = self._holds(claim, apart)
            return self._some_turn(held, holds) if "wlog" in args else bool((holds | ~held).all())
        if not asking:
            return False
        same = all(bool(((a == b) | ~held).all()) for a, b in zip(self._filled(claim, apart), asking[0], strict=True))
        others = tuple(tuple(atom for atom in part if not mentions_blank(atom)) for part in claim)
        return same and (not all(others) or bool((self._holds(others, apart) | ~held).all()))

    def _same(self, one: Any, other: Any) -> bool:
        if about_blank(one) != about_blank(other):
            return False
        if about_blank(one):
            pairs = zip(self._filled(one, True), self._filled(other, True), strict=True)
            return all(bool((a == b).all()) for a, b in pairs)
        return bool((self._holds(one, True) == self._holds(other, True)).all())

    def _all(self, claims: Any, apart: bool = False) -> Where:
        size = len(self.ways)
        held = np.ones((size, size) if apart else size, dtype=bool)
        for claim in claims:
            held = held & self._holds(claim, apart)
        return held

    def _filled(self, claim: Any, apart: bool = False) -> list[Where]:
        return [self._holds(claim, apart, n) for n in range(len(self.names))]

    def _holds(self, claim: Any, apart: bool, blank: int | None = None) -> Where:
        size = len(self.ways)
        found = np.zeros((size, size) if apart else size, dtype=bool)
        for atoms in claim:
            part = np.ones_like(found)
            for atom in atoms:
                column = atom_holds(self.scene, put(atom, blank))
                if apart:
                    column = column[:, None] if atom[0] in ("at", "trait") else column[None, :]
                part = part & column
            found = found | part
        return found

    def _are_right(self, letters: Sequence[str], held: Where, filled: Sequence[Where]) -> bool:
        nobody = np.ones_like(held)
        for name in self.options.values():
            if name is not None:
                nobody = nobody & ~filled[self.names.index(name)]
        for letter, name in self.options.items():
            right = nobody if name is None else filled[self.names.index(name)]
            if not ((right == (letter in letters)) | ~held).all():
                return False
        return set(letters) <= set(self.options)

    def _some_turn(self, held: Where, holds: Where) -> bool:
        reached = np.zeros_like(holds)
        for turned in turns(self.scene):
            reached = reached | holds[turned]
        return bool((reached | ~held).all())

    def _parsed(self, text: str) -> Any:
        return parse(text, self.names)


@lru_cache(maxsize=1 << 14)
def parse(text: str, names: tuple[str, ...]) -> Any:
    """A claim as alternatives of atoms, names as numbers and the blank as -1."""
    return tuple(tuple(_atom(atom, names) for atom in part.split(" & ")) for part in text.split(" | "))


def _atom(text: str, names: tuple[str, ...]) -> Any:
    if match := re.fullmatch(r"options = \{(.*)\}", text):
        return ("options", tuple(match[1].split(", ")))
    if text == "? = none":
        return ("nobody", -1)
    if match := re.fullmatch(r"(.+)@(\w+)", text):
        return ("at", _name(match[1], names), match[2])
    if match := re.fullmatch(r"(faces|tier|column)\((.+)\) = (\w+)", text):
        return ("trait", _name(match[2], names), match[1], match[3])
    if match := re.fullmatch(r"meet\((.+\)), (.+)\)", text):
        return ("meet", _region(match[1], names), _region(match[2], names))
    if match := re.fullmatch(r"(.+) (in|notin) (\w+\(.+\))", text):
        return ("in", _name(match[1], names), match[2], _region(match[3], names))
    left, sign, right = re.split(r" (!?=) ", text, maxsplit=1)
    return ("is", _term(left, names), sign, _term(right, names))


def _name(text: str, names: tuple[str, ...]) -> int:
    return -1 if text == "?" else names.index(text)


def _region(text: str, names: tuple[str, ...]) -> Any:
    match = re.fullmatch(r"(\w+)\((.+?)(?:, (\d))?\)", text)
    assert match is not None, text
    return match[1], int(match[3] or 0), _name(match[2], names)


def _term(text: str, names: tuple[str, ...]) -> Any:
    match = re.fullmatch(r"(\w+)\((.+?)(?:, (\d))?\)", text)
    if text in names or match is None:
        return _name(text, names)
    return match[1], int(match[3] or 1), _term(match[2], names)


def put(atom: Any, blank: int | None) -> Any:
    """``atom`` with number ``blank`` in the place of the blank."""
    if blank is None or not isinstance(atom, tuple):
        return blank if atom == -1 and blank is not None else atom
    return tuple(put(part, blank) for part in atom)


def mentions_blank(atom: Any) -> bool:
    return atom == -1 or (isinstance(atom, tuple) and any(map(mentions_blank, atom)))


def is_options(claim: Any) -> bool:
    return bool(claim[0][0][0] == "options")


def about_blank(claim: Any) -> bool:
    return is_options(claim) or any(mentions_blank(atom) for part in claim for atom in part)


@lru_cache(maxsize=1 << 14)
def atom_holds(scene: Scene, atom: Any) -> Where:
    """For each way to sit, whether an atom without blank holds in it."""
    return np.array([_true(scene, atom, way) for way in ways(scene)], dtype=bool)


def _true(scene: Scene, atom: Any, way: tuple[str, ...]) -> bool:
    match atom:
        case ("at", who, seat):
            return way[who] == seat
        case ("trait", who, trait, value):
            return _trait(scene, trait, way[who]) == value
        case ("in", who, sign, (region, k, of)):
            inside = lies_in(scene, region, k, way[of], way[who])
            return inside if sign == "in" else who != of and not inside
        case ("meet", (region, k, of), (other, other_k, other_of)):
            met = [seat for seat in seats(scene) if lies_in(scene, region, k, way[of], seat)]
            return any(lies_in(scene, other, other_k, way[other_of], seat) for seat in met)
        case ("is", one, sign, other):
            a, b = _value(scene, one, way), _value(scene, other, way)
            if a is None or b is None:
                return False
            direct = [(x, y) for x, y in ((one, other), (other, one)) if isinstance(x, int) and isinstance(y, tuple)]
            return a == b if sign == "=" else a != b and not any(y[2] == x for x, y in direct)
    return False  # Nobody fills the blank.


def _value(scene: Scene, term: Any, way: tuple[str, ...]) -> int | None:
    if isinstance(term, int):
        return term
    function, k, inner = term
    who = _value(scene, inner, way)
    seat = None if who is None else leads(scene, function, k, way[who])
    return None if seat is None else way.index(seat)


@lru_cache(maxsize=16)
def ways(scene: Scene) -> list[tuple[str, ...]]:
    return list(permutations(seats(scene)))


@lru_cache(maxsize=16)
def turns(scene: Scene) -> list[Any]:
    """For each symmetry of the scene, the number of the way that each way becomes."""
    kind, compass = scene
    here = seats(scene)
    if kind == "shelf" or compass:
        rotations = [0]
    else:
        rotations = [0, 2] if kind == "booth" else list(range(6))
    number = {way: n for n, way in enumerate(ways(scene))}
    size = len(here)
    moved = [{seat: here[(n + by) % size] for n, seat in enumerate(here)} for by in rotations]
    return [np.array([number[tuple(turn[seat] for seat in way)] for way in ways(scene)]) for turn in moved]


def seats(scene: Scene) -> tuple[str, ...]:
    kind, compass = scene
    if kind == "booth":
        return tuple(f"{side}{n}" for side in BENCHES[compass] for n in "12")
    return ("1E", "1W", "2E", "2W", "3E", "3W") if kind == "shelf" else RINGS[compass]


def _trait(scene: Scene, trait: str, seat: str) -> str:
    kind, _ = scene
    if trait == "tier":
        return seat[0]
    if trait == "column":
        return seat[1]
    if kind == "booth":
        return OPPOSITE[seat[0]]
    return seat if kind == "hexagon-out" else "".join(OPPOSITE[letter] for letter in seat)


def leads(scene: Scene, function: str, k: int, seat: str) -> str | None:
    """The seat to which a function leads, if any."""
    kind, compass = scene
    here = seats(scene)
    if kind == "booth":
        bench, place = here.index(seat) // 2, seat[1]
        other = BENCHES[compass][1 - bench]
        table = {
            "left": seat[0] + "1" if place == "2" else None,
            "right": seat[0] + "2" if place == "1" else None,
            "across": other + ("2" if place == "1" else "1"),
            "diag": other + place,
            "front_left": other + place if place == "2" else None,
            "front_right": other + place if place == "1" else None,
        }
        return table[function]
    if kind == "shelf":
        if function in ("left", "right"):
            return seat[0] + ("E" if function == "left" else "W") if (function == "left") == (seat[1] == "W") else None
        tier = int(seat[0]) + (k if function == "up" else -k)
        return f"{tier}{seat[1]}" if 1 <= tier <= 3 else None
    by = {"across": 3, "cw": k, "ccw": -k, "right": k, "left": -k}[function]
    if kind == "hexagon-in" and function in ("left", "right"):
        by = -by
    return here[(here.index(seat) + by) % 6]


def lies_in(scene: Scene, region: str, k: int, around: str, seat: str) -> bool:
    """Whether ``seat`` is in a region around another seat."""
    kind, compass = scene
    if seat == around:
        return False
    if kind == "booth":
        return seat[0] == around[0]
    if kind == "shelf":
        return _lies_on_shelf(region, k, around, seat)
    here = seats(scene)
    steps = (here.index(seat) - here.index(around)) % 6
    own_right = steps if kind == "hexagon-out" else -steps % 6
    ring = {"beside": (1, 5), "one_between": (2, 4)}
    if region in ring:
        return steps in ring[region]
    if region in ("left_side", "right_side"):
        return own_right in ((1, 2) if region == "right_side" else (4, 5))
    (x, y), (to_x, to_y) = (_spot(here.index(one), compass) for one in (around, seat))
    off = (to_x - x, to_y - y)
    directions = [COMPASS[word] for word in COMPASS if word in region]
    along = [off[0] * dx + off[1] * dy for dx, dy in directions]
    if region.startswith("due_"):
        ((dx, dy),) = directions
        return along[0] > 1e-6 and abs(off[0] * dy - off[1] * dx) < 1e-6
    return all(one > 1e-6 for one in along)


def _spot(place: int, compass: str) -> tuple[float, float]:
    angle = math.radians(60 * place + (30 if compass == "EW" else 0))
    return math.sin(angle), math.cos(angle)


def _lies_on_shelf(region: str, k: int, around: str, seat: str) -> bool:
    rise, same = int(seat[0]) - int(around[0]), seat[1] == around[1]
    side = "left" if seat[1] == "E" else "right"
    if region in ("left", "right"):
        return rise == 0 and region == side
    if region.startswith(("upper_", "lower_")):
        up, towards = region.split("_")
        return not same and towards == side and rise != 0 and (rise > 0) == (up == "upper") and k in (0, abs(rise))
    return {
        "beside": rise == 0,
        "above": rise > 0,
        "below": rise < 0,
        "tier_above": rise == 1,
        "tier_below": rise == -1,
        "tier_next": abs(rise) == 1,
        "tier_apart": abs(rise) == 2,
        "stacked": same and abs(rise) == 1,
        "over": same and rise > 0,
        "under": same and rise < 0,
        "diag_above": not same and rise > 0,
        "diag_below": not same and rise < 0,
        "same_side": same,
    }[region]
