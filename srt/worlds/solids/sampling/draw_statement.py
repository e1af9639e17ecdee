"""Draws the statement of a problem: a solid with whole measures, what is given of it, and what is asked."""

from __future__ import annotations

import random
from collections.abc import Iterator

from srt.worlds.solids.exact import ExactNumber, whole
from srt.worlds.solids.sampling.draw_pair import draw_composite, draw_similar
from srt.worlds.solids.sampling.settings import Family, SolidsSettings
from srt.worlds.solids.sampling.shapes import FREE, shape_of, writable
from srt.worlds.solids.statement import LENGTHS, UNITS, GivenFact, Measure, SolidStatement, converted, unit_of
from srt.worlds.solids.table import DIMENSION


def draw_statement(family: Family, settings: SolidsSettings, rng: random.Random) -> SolidStatement | None:
    """A statement of ``family``; ``None`` where what was drawn does not fit."""
    length = "" if settings.units == "none" or (settings.units == "any" and rng.random() < 0.15) else _a_unit(rng)
    if family == "composite":
        statement = draw_composite(settings, length, rng)
    elif family == "similar":
        statement = draw_similar(settings, length, rng)
    elif family == "recast":
        statement = _recast(settings, length, rng)
    else:
        kind = rng.choice(list(FREE))
        statement = _single(kind, settings, length, rng, related=family == "related")
    mixed = settings.units == "mixed" or (settings.units == "any" and rng.random() < 0.3)
    return _mixed(statement, length, rng) if statement is not None and length and mixed else statement


def _a_unit(rng: random.Random) -> str:
    return rng.choices(("cm", "dm", "m", "mm"), (8, 2, 3, 1))[0]


def _given(name: str) -> bool:
    return name[0] not in "pquw"


def _single(
    kind: str, settings: SolidsSettings, length: str, rng: random.Random, *, related: bool
) -> SolidStatement | None:
    shape = shape_of(kind, settings, length, rng)
    names = [name for name in shape if _given(name) and writable(shape[name])]
    asked = rng.choice(list(shape))
    count = 2 if "x(sphere)" in shape else len(FREE[kind])
    rest = [name for name in names if name != asked]
    if len(rest) < count or (related and count < 2):
        return None
    # Lengths are given more often than areas and volumes are.
    rest.sort(key=lambda name: rng.random() + 0.35 * (DIMENSION.get(name[0], 1) != 1))
    given = sorted(rest[:count], key=lambda name: "aRbrdgCchlsentxDfEFPBTLUSVXZ".find(name[0]))
    if not related:
        return SolidStatement((kind,), tuple(GivenFact(1, name, shape[name]) for name in given), asked)
    pairs = list(_related(given, shape))
    if not pairs:
        return None
    one, other, times = rng.choice(pairs)
    link = f"{one} = {times}*{other}" if times > 1 else f"{one} = {other}"
    facts = [GivenFact(1, name, shape[name]) for name in given if name != one]
    return SolidStatement((kind,), (*facts, GivenFact(2, link)), asked)


def _related(names: list[str], shape: dict[str, Measure]) -> Iterator[tuple[str, str, int]]:
    """Pairs of which one is a whole number of times the other."""
    for one in names:
        for other in names:
            if one != other and DIMENSION.get(one[0], 1) == DIMENSION.get(other[0], 1) > 0:
                ratio = _ratio(shape[one].number, shape[other].number)
                if ratio is not None and 1 <= ratio <= 12:
                    yield one, other, ratio


def _ratio(one: ExactNumber, other: ExactNumber) -> int | None:
    if len(one.terms) != 1 or len(other.terms) != 1 or one.terms[0][:2] != other.terms[0][:2]:
        return None
    ratio = one.terms[0][2] / other.terms[0][2]
    return int(ratio) if ratio.denominator == 1 else None


def _recast(settings: SolidsSettings, length: str, rng: random.Random) -> SolidStatement | None:
    kind, new = rng.sample([kind for kind in FREE if kind not in ("frustum", "wedge")], 2)
    shape = shape_of(kind, settings, length, rng)
    names = [name for name in shape if _given(name) and writable(shape[name]) and name[0] != "V"]
    if len(names) < len(FREE[kind]):
        return None
    names.sort(key=lambda name: rng.random() + 0.5 * (DIMENSION.get(name[0], 1) != 1))
    given = sorted(names[: len(FREE[kind])], key=lambda name: "abrdCchlsenD".find(name[0]))
    facts = [GivenFact(1, name, shape[name]) for name in given]
    if rng.random() < 0.3:
        if len(FREE[new]) > 1:
            return None
        link = f"V({kind}) = {rng.choice((2, 3, 4, 6, 8, 9, 12, 18, 27, 36))}*V({new})"
        return SolidStatement((kind, new), (*facts, GivenFact(2, link)), f"{rng.choice(FREE[new] + 'V')}({new})")
    if len(FREE[new]) != 2:
        return None
    have, want = rng.sample(FREE[new], 2)
    value = Measure(whole(rng.randint(1, settings.largest)), unit_of(have, length))
    facts += [GivenFact(2, f"V({new}) = V({kind})"), GivenFact(2, f"{have}({new})", value)]
    return SolidStatement((kind, new), tuple(facts), f"{want}({new})")


def _mixed(statement: SolidStatement, length: str, rng: random.Random) -> SolidStatement:
    """With one measure in another unit, or an answer asked for in another unit."""
    letter = statement.asked[0]
    if DIMENSION.get(letter, 1) == 0:
        return statement
    units = [unit for unit, power in UNITS.items() if power == DIMENSION.get(letter, 1)]
    near = [unit for unit in LENGTHS if abs(list(LENGTHS).index(unit) - list(LENGTHS).index(length)) == 1]
    if rng.random() < 0.5:
        near_units = {*(unit_of(letter, other) for other in near), *(unit for unit in ("mL", "L") if letter == "V")}
        wanted = [unit for unit in units if unit in near_units]
        return statement._replace(unit=rng.choice(wanted)) if wanted else statement
    facts = list(statement.facts)
    places = [n for n, f in enumerate(facts) if f.measure is not None and DIMENSION.get(f.name[0], 1) == 1]
    if len([f for f in facts if f.measure is not None]) < 2 or not places:
        return statement
    at = rng.choice(places)
    measure = facts[at].measure
    assert measure is not None
    other = converted(measure, rng.choice(near))
    if other.number.terms[0][2].denominator != 1:
        return statement
    facts[at] = facts[at]._replace(measure=other)
    return statement._replace(facts=tuple(facts), unit=unit_of(letter, length))
