"""Draws statements of two solids: joined, one cut out of the other or off it, and similar ones."""

from __future__ import annotations

import random
from fractions import Fraction

from srt.worlds.solids.exact import whole
from srt.worlds.solids.reading.quantity_words import quantities
from srt.worlds.solids.sampling.settings import SolidsSettings
from srt.worlds.solids.sampling.shapes import FREE, TRIPLES, shape_of, writable
from srt.worlds.solids.statement import GivenFact, Measure, SolidStatement, unit_of
from srt.worlds.solids.table import DIMENSION, SIMILAR, STRUCTURES, rules_of_structure, structure_claim

_RATIOS = (2, 3, 4, 5, Fraction(3, 2), Fraction(5, 2), Fraction(4, 3), Fraction(5, 3))
_MADE = tuple(structure for structure in STRUCTURES if "~" not in structure)
_ON_A_BALL = ("sphere - cuboid", "sphere - cylinder", "sphere - cone")
"""The measures of the inner solid are given."""
_Given = dict[str, Measure]


def draw_composite(settings: SolidsSettings, length: str, rng: random.Random) -> SolidStatement | None:
    """Two solids that make one; ``None`` where the sizes that were drawn do not fit."""
    structure = rng.choice(_MADE)
    one, sign, other = structure.split(" ")
    asked = ["V(solid)", "S(solid)"]
    if structure in _ON_A_BALL:
        first, second = _within_a_ball(other, settings, length, rng), _Given()
        asked = ["V(solid)", "r(sphere)", "V(sphere)", "S(sphere)"]
    elif other == f"small{one}":
        cut = _cut_off(one, settings, length, rng)
        if cut is None:
            return None
        first, second = cut
        asked += [f"{letter}({other})" for letter in "BLV"]
    else:
        first, second = _by_its_own(structure, settings, length, rng)
        if structure == "cylinder - hemisphere" and float(first["h(cylinder)"].number) < float(
            first["r(cylinder)"].number
        ):
            return None  # The hemisphere would come out at the other base.
        if not second and sign == "-" and structure != "cylinder - hemisphere":
            asked += [f"{letter}({other})" for letter in "SV" if letter in quantities(other, "en")]
    if "r(cylinder)" in first and rng.random() < 0.3:
        twice = Measure(first["r(cylinder)"].number.scaled(Fraction(2)), first["r(cylinder)"].unit)
        first = {"d(cylinder)" if name == "r(cylinder)" else name: m for name, m in first.items()} | {
            "d(cylinder)": twice
        }
    facts = [GivenFact(1, structure_claim(structure))]
    facts += [GivenFact(2, name, measure) for name, measure in first.items()]
    facts += [GivenFact(3, name, measure) for name, measure in second.items()]
    return SolidStatement((one, other, "solid"), tuple(facts), rng.choice(asked))


def _by_its_own(structure: str, settings: SolidsSettings, length: str, rng: random.Random) -> tuple[_Given, _Given]:
    """The free measures of the first solid, and those of the other that the first does not give."""
    one, _, other = structure.split(" ")
    shape = shape_of(one, settings, length, rng)
    free = {"cylinder - sphere": "r", "cuboid + pyramid": "ah"}.get(structure, FREE[one])
    rules = rules_of_structure(structure)
    shared = [rule.target for rule in rules if rule.target.endswith(f"({other})") and rule.target[0] != "V"]
    own = [x for x in FREE[other] if f"{x}({other})" not in shared]
    if structure in ("cube - cylinder", "cube - cone", "cone - sphere", "sphere - cube"):
        own = []
    second = {f"{x}({other})": Measure(whole(rng.randint(1, settings.largest)), unit_of(x, length)) for x in own}
    return {f"{letter}({one})": shape[f"{letter}({one})"] for letter in free}, second


def _within_a_ball(kind: str, settings: SolidsSettings, length: str, rng: random.Random) -> _Given:
    shape = shape_of(kind, settings, length, rng)
    if kind == "cylinder" and rng.random() < 0.7:
        radius, half = rng.choice(TRIPLES)
        shape |= {"r(cylinder)": Measure(whole(radius), length), "h(cylinder)": Measure(whole(2 * half), length)}
    return {f"{letter}({kind})": shape[f"{letter}({kind})"] for letter in FREE[kind]}


def _cut_off(kind: str, settings: SolidsSettings, length: str, rng: random.Random) -> tuple[_Given, _Given] | None:
    """The free measures of a solid, and the height, an edge or the ratio of the small one that is cut off."""
    shape = shape_of(kind, settings, length, rng)
    ratio = rng.choice(_RATIOS)
    letter = rng.choice(("h", FREE[kind][0], "k"))
    small = f"{letter}(small{kind})"
    free = {f"{x}({kind})": shape[f"{x}({kind})"] for x in FREE[kind]}
    if letter == "k":
        return free, {small: Measure(whole(ratio), "")}
    number = shape[f"{letter}({kind})"].number.scaled(1 / Fraction(ratio))
    return (free, {small: Measure(number, length)}) if number.terms[0][2].denominator == 1 else None


def draw_similar(settings: SolidsSettings, length: str, rng: random.Random) -> SolidStatement | None:
    """Two similar solids: their ratio, or a measure of both, is given, and one of the small or the large one."""
    kind = rng.choice(list(SIMILAR))
    small, ratio = f"small{kind}", Fraction(rng.choice(_RATIOS))

    shape = shape_of(kind, settings, length, rng)
    letters = [x for x in SIMILAR[kind] if f"{x}({kind})" in shape and writable(shape[f"{x}({kind})"])]
    letters = [x for x in letters if writable(_times(shape[f"{x}({kind})"], ratio ** DIMENSION.get(x, 1)))]
    if len(letters) < 2:
        return None
    letter, other = rng.sample(letters, 2)
    pair, known = (
        (_times(small_one, ratio ** DIMENSION.get(x, 1)), small_one)
        for x in (letter, other)
        for small_one in (shape[f"{x}({kind})"],)
    )
    facts = [GivenFact(1, structure_claim(f"{kind} ~ {small}"))]
    ratios = {"k": ratio, "A": ratio**2, "Q": ratio**3}
    names = (f"{letter}({kind})", f"{letter}({small})")
    given, asked = (0, 1) if rng.random() < 0.6 else (1, 0)
    how = rng.random()
    if how < 0.5:
        of = rng.choice(list(ratios))
        facts.append(GivenFact(2, f"{of}({small})", Measure(whole(ratios[of]), "")))
        facts.append(GivenFact(3, names[given], pair[given]))
        return SolidStatement((kind, small), tuple(facts), names[asked])
    facts += [GivenFact(2, f"{other}({kind})", known[0]), GivenFact(3, f"{other}({small})", known[1])]
    if how < 0.65:
        return SolidStatement((kind, small), tuple(facts), f"{rng.choice(list(ratios))}({small})")
    facts.append(GivenFact(4, names[given], pair[given]))
    return SolidStatement((kind, small), tuple(facts), names[asked])


def _times(measure: Measure, factor: Fraction) -> Measure:
    return Measure(measure.number.scaled(factor), measure.unit)
