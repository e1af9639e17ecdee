"""The sampler: a solid with whole measures, what is given and asked of it, in words, with options from mistakes."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from typing import Literal, get_args

from pydantic import Field

from srt.io.errors import UserError
from srt.io.records import Answer, Lang, Problem
from srt.io.yaml_config import Config
from srt.worlds.kit.splits import Split, split_of
from srt.worlds.solids.derivation.derive import Derivation, NotDetermined, derive, everything
from srt.worlds.solids.derivation.solve_solid import gold_of
from srt.worlds.solids.exact import ExactNumber, whole
from srt.worlds.solids.reading.wordings import quantities
from srt.worlds.solids.sampling.mistakes import WrongResult, chosen, wrong_results
from srt.worlds.solids.statement import LENGTHS, UNITS, GivenFact, Measure, SolidStatement, converted, unit_of
from srt.worlds.solids.table import DIMENSION, STRUCTURES, rules_of_structure
from srt.worlds.solids.writing.problem_text import measure_text, question_text

VERSION = 1
"""Counts up when the same settings and index give another problem."""
_DRAWS = 4_000
_OPTIONS = 4
Family = Literal["single", "related", "recast", "composite"]
_FREE = {
    "cuboid": "abh", "cube": "a", "cylinder": "rh", "cone": "rh", "sphere": "r", "hemisphere": "r", "frustum": "Rrh",
    "pyramid": "ah", "hexpyramid": "ah", "triprism": "ah", "hexprism": "ah", "wedge": "abh", "tetrahedron": "a",
}  # fmt: skip
"""The measures that make a solid of each kind."""
_TRIPLES = ((3, 4), (4, 3), (6, 8), (8, 6), (5, 12), (12, 5), (8, 15), (15, 8), (7, 24), (9, 12), (12, 9), (20, 21))
_BOXES = ((1, 2, 2), (2, 3, 6), (1, 4, 8), (4, 4, 7), (2, 6, 9), (6, 6, 7), (3, 4, 12), (2, 5, 14), (2, 10, 11))


class SolidsSettings(Config):
    """Which problems to draw, as a recipe or the file of ``srt generate --spec`` says it."""

    split: Split = "train"
    lang: Lang | Literal["both"] = "both"
    families: tuple[Family, ...] = Field(default=get_args(Family), min_length=1)
    """``single``: one solid; ``related``: one measure is so many times another; ``recast``: one is melted into
    another; ``composite``: two are joined, or one is cut out of the other."""
    largest: int = Field(default=20, ge=4, le=200)
    """The greatest whole length that is drawn."""
    steps: tuple[int, int] = (1, 6)
    """The fewest and the most formulas and conversions."""
    units: Literal["none", "one", "mixed", "any"] = "any"
    """No units, one unit of length, or several that must be converted."""
    form: Literal["options", "number", "any"] = "any"
    """With any, half of the problems have options."""


def sample_solid(settings: SolidsSettings, index: int) -> Problem:
    """Problem number ``index``; raises a :class:`UserError` where the settings allow none of their split."""
    name = f"solids/{VERSION}/{settings.model_dump_json()}/{index}"
    rng = random.Random(name)
    lang: Lang = rng.choice(("en", "zh")) if settings.lang == "both" else settings.lang
    family = rng.choice(settings.families)
    with_options = rng.random() < 0.5 if settings.form == "any" else settings.form == "options"
    for _ in range(_DRAWS):
        statement = _statement(family, settings, rng)
        if statement is None or split_of("solids", statement.key()) != settings.split:
            continue
        try:
            steps = derive(statement)
        except NotDetermined:
            continue
        right = steps[statement.asked].measure
        if right is None or not _worth_asking(statement, steps, settings):
            continue
        wrong: list[WrongResult] | None = []
        if with_options:
            wrong = chosen(wrong_results(steps, everything(statement), statement.asked), right, _OPTIONS - 1, rng)
        if wrong is not None:
            break
    else:
        raise UserError(f"solids: no problem {family!r} of the split {settings.split!r} in {_DRAWS} draws; allow more")
    measures = [right, *(result.measure for result in wrong)] if with_options else []
    rng.shuffle(measures)
    letters = dict(zip("ABCD", measures, strict=False))
    mistakes = {result.measure: result.mistake for result in wrong}
    gold = [letter for letter, measure in letters.items() if measure == right]
    derived = sum(step.op != "CORRELATE" for step in steps.values())
    return Problem(
        id=f"solids-{settings.split}-{index}-{hashlib.sha256(name.encode()).hexdigest()[:8]}",
        source="solids",
        split=settings.split,
        lang=lang,
        question=question_text(statement, lang, rng),
        choices={letter: measure_text(measure, lang) for letter, measure in letters.items()},
        answer=Answer(kind="choice_set", value=gold) if with_options else gold_of(right),
        category=family,
        subcategory=statement.solids[0] if family != "composite" else statement.facts[0].name.removeprefix("solid = "),
        group_id=statement.key(),
        meta={"family": family, "asked": statement.asked[0], "steps": derived}
        | ({"mistakes": {x: mistakes[m] for x, m in letters.items() if m != right}} if with_options else {}),
    )


def _worth_asking(statement: SolidStatement, steps: Derivation, settings: SolidsSettings) -> bool:
    claims = {step.claim for step in steps.values()}
    derived = sum(step.op != "CORRELATE" for step in steps.values())
    numbers = [step.measure.number for step in steps.values() if step.measure is not None]
    return (
        all(fact.claim in claims for fact in statement.facts)
        and settings.steps[0] <= derived <= settings.steps[1]
        and all(float(number) < 10**6 and _short(number) for number in numbers)
    )


def _short(number: ExactNumber) -> bool:
    return len(number.terms) <= 2 and all(
        factor.denominator <= 1000 and abs(factor.numerator) < 10**7 and root < 400 for _, root, factor in number.terms
    )


def _statement(family: Family, settings: SolidsSettings, rng: random.Random) -> SolidStatement | None:
    length = "" if settings.units == "none" or (settings.units == "any" and rng.random() < 0.15) else _a_unit(rng)
    if family == "composite":
        statement = _composite(settings, length, rng)
    elif family == "recast":
        statement = _recast(settings, length, rng)
    else:
        kind = rng.choice(list(_FREE))
        statement = _single(kind, settings, length, rng, related=family == "related")
    mixed = settings.units == "mixed" or (settings.units == "any" and rng.random() < 0.3)
    return _mixed(statement, length, rng) if statement is not None and length and mixed else statement


def _a_unit(rng: random.Random) -> str:
    return rng.choices(("cm", "dm", "m", "mm"), (8, 2, 3, 1))[0]


def _shape(kind: str, settings: SolidsSettings, length: str, rng: random.Random) -> dict[str, Measure]:
    """A solid: all its measures that have a short exact number."""
    letters = _FREE[kind]
    sizes: tuple[int, ...] = tuple(rng.randint(1, settings.largest) for _ in letters)
    nice = rng.random() < 0.6
    if nice and kind == "cone":
        sizes = rng.choice(_TRIPLES)
    elif nice and kind == "pyramid":
        half, height = rng.choice(_TRIPLES)
        sizes = (2 * half, height)
    elif nice and kind == "wedge":
        sizes = (*rng.choice(_TRIPLES), sizes[2])
    elif nice and kind == "cuboid":
        sizes = tuple(rng.sample(rng.choice(_BOXES), 3))
    elif kind == "frustum":
        small, (more, height) = sizes[1], rng.choice(_TRIPLES) if nice else (sizes[0], sizes[2])
        sizes = (small + more, small, height)
    if kind in ("hexpyramid",) and nice:
        sizes = (2 * sizes[0], sizes[1])
    facts = [
        GivenFact(1, f"{x}({kind})", Measure(whole(size), unit_of(x, length)))
        for x, size in zip(letters, sizes, strict=True)
    ]
    found = everything(SolidStatement((kind,), tuple(facts), facts[0].name))
    words = quantities(kind, "en")
    return {name: s.measure for name, s in found.items() if s.measure is not None and name[0] in words}


def _writable(measure: Measure) -> bool:
    """Whether a text would give it: a whole number, with pi or a root at most."""
    if len(measure.number.terms) != 1:
        return False
    pi, root, factor = measure.number.terms[0]
    return factor.denominator == 1 and pi in (0, 1) and root in (1, 2, 3) and factor < 10_000


def _given(name: str) -> bool:
    return name[0] not in "p"


def _single(
    kind: str, settings: SolidsSettings, length: str, rng: random.Random, *, related: bool
) -> SolidStatement | None:
    shape = _shape(kind, settings, length, rng)
    names = [name for name in shape if _given(name) and _writable(shape[name])]
    asked = rng.choice(list(shape))
    count = len(_FREE[kind])
    rest = [name for name in names if name != asked]
    if len(rest) < count or (related and count < 2):
        return None
    # Lengths are given more often than areas and volumes are.
    rest.sort(key=lambda name: rng.random() + 0.35 * (DIMENSION.get(name[0], 1) != 1))
    given = sorted(rest[:count], key=lambda name: "aRbrdCchlsenDfEFPBTLUSVX".find(name[0]))
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
    kind, new = rng.sample([kind for kind in _FREE if kind not in ("frustum", "wedge")], 2)
    shape = _shape(kind, settings, length, rng)
    names = [name for name in shape if _given(name) and _writable(shape[name]) and name[0] != "V"]
    if len(names) < len(_FREE[kind]):
        return None
    names.sort(key=lambda name: rng.random() + 0.5 * (DIMENSION.get(name[0], 1) != 1))
    given = sorted(names[: len(_FREE[kind])], key=lambda name: "abrdCchlsenD".find(name[0]))
    facts = [GivenFact(1, name, shape[name]) for name in given]
    if rng.random() < 0.3:
        if len(_FREE[new]) > 1:
            return None
        link = f"V({kind}) = {rng.choice((2, 3, 4, 6, 8, 9, 12, 18, 27, 36))}*V({new})"
        return SolidStatement((kind, new), (*facts, GivenFact(2, link)), f"{rng.choice(_FREE[new] + 'V')}({new})")
    if len(_FREE[new]) != 2:
        return None
    have, want = rng.sample(_FREE[new], 2)
    value = Measure(whole(rng.randint(1, settings.largest)), unit_of(have, length))
    facts += [GivenFact(2, f"V({new}) = V({kind})"), GivenFact(2, f"{have}({new})", value)]
    return SolidStatement((kind, new), tuple(facts), f"{want}({new})")


def _composite(settings: SolidsSettings, length: str, rng: random.Random) -> SolidStatement | None:
    structure = rng.choice(STRUCTURES)
    one, _, other = structure.split(" ")
    shape, second = _shape(one, settings, length, rng), {}
    if structure == "cylinder - hemisphere" and float(shape["h(cylinder)"].number) < float(shape["r(cylinder)"].number):
        return None  # The hemisphere would come out at the other base.
    free = [name for name in shape if name[0] in _FREE[one]]
    rules = rules_of_structure(structure)
    shared = [rule.target for rule in rules if rule.target.endswith(f"({other})") and rule.target[0] != "V"]
    own = [x for x in _FREE[other] if f"{x}({other})" not in shared]
    if structure == "cylinder - sphere":
        shape = {n: m for n, m in shape.items() if n[0] != "h"}
        free = ["r(cylinder)"]
    if structure == "cuboid + pyramid":
        free = ["a(cuboid)", "h(cuboid)"]
    for letter in own:
        second[f"{letter}({other})"] = Measure(whole(rng.randint(1, settings.largest)), unit_of(letter, length))
    if one == "cone" and own == [] and rng.random() < 0.5:
        free = ["r(cone)", "h(cone)"]
    facts = [GivenFact(1, f"solid = {structure}")]
    first = [GivenFact(2, name, shape[name]) for name in free if name in shape]
    if rng.random() < 0.3 and "d" in quantities(one, "en") and f"r({one})" in free and f"d({one})" in shape:
        first = [GivenFact(2, f"d({one})", shape[f"d({one})"]) if f.name[0] == "r" else f for f in first]
    facts += first
    facts += [GivenFact(3, name, measure) for name, measure in second.items()]
    asked = rng.choice(["V(solid)", "S(solid)"])
    return SolidStatement((one, other, "solid"), tuple(facts), asked)


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
