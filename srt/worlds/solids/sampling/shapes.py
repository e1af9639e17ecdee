"""The shapes of solids that are drawn: whole sizes, often those with a whole diagonal."""

from __future__ import annotations

import random
from functools import lru_cache

from srt.worlds.solids.derivation.derive import everything
from srt.worlds.solids.exact import ExactNumber, whole
from srt.worlds.solids.reading.quantity_words import quantities
from srt.worlds.solids.sampling.settings import SolidsSettings
from srt.worlds.solids.statement import GivenFact, Measure, SolidStatement, unit_of

FREE = {
    "cuboid": "abh", "cube": "a", "cylinder": "rh", "cone": "rh", "sphere": "r", "hemisphere": "r", "frustum": "Rrh",
    "pyramid": "ah", "hexpyramid": "ah", "triprism": "ah", "hexprism": "ah", "wedge": "abh", "tetrahedron": "a",
}  # fmt: skip
"""The measures that make a solid of each kind."""
TRIPLES = ((3, 4), (4, 3), (6, 8), (8, 6), (5, 12), (12, 5), (8, 15), (15, 8), (7, 24), (9, 12), (12, 9), (20, 21))
BOXES = ((1, 2, 2), (2, 3, 6), (1, 4, 8), (4, 4, 7), (2, 6, 9), (6, 6, 7), (3, 4, 12), (2, 5, 14), (2, 10, 11))


def shape_of(kind: str, settings: SolidsSettings, length: str, rng: random.Random) -> dict[str, Measure]:
    """A solid: all its measures that have a short exact number."""
    letters = FREE[kind]
    sizes: tuple[int, ...] = tuple(rng.randint(1, settings.largest) for _ in letters)
    nice = rng.random() < 0.6
    if nice and kind == "cone":
        sizes = rng.choice(TRIPLES)
    elif nice and kind == "sphere":
        letters, sizes = "tx", rng.choice(TRIPLES)  # With a section.
    elif nice and kind == "pyramid":
        half, height = rng.choice(TRIPLES)
        sizes = (2 * half, height)
    elif nice and kind == "wedge":
        sizes = (*rng.choice(TRIPLES), sizes[2])
    elif nice and kind == "cuboid":
        sizes = tuple(rng.sample(rng.choice(BOXES), 3))
    elif kind == "frustum":
        small, (more, height) = sizes[1], rng.choice(TRIPLES) if nice else (sizes[0], sizes[2])
        sizes = (small + more, small, height)
    if kind in ("hexpyramid",) and nice:
        sizes = (2 * sizes[0], sizes[1])
    numbers = _numbers(kind, letters, sizes)
    return {name: Measure(number, unit_of(name[0], length)) for name, number in numbers.items()}


@lru_cache(maxsize=2048)
def _numbers(kind: str, letters: str, sizes: tuple[int, ...]) -> dict[str, ExactNumber]:
    """The measures of a solid in its unit of length. Ten solids are drawn for one problem, and most not once."""
    facts = [GivenFact(1, f"{x}({kind})", Measure(whole(size), "")) for x, size in zip(letters, sizes, strict=True)]
    found = everything(SolidStatement((kind,), tuple(facts), facts[0].name))
    words = quantities(kind, "en")
    return {name: s.measure.number for name, s in found.items() if s.measure is not None and name[0] in words}


def writable(measure: Measure) -> bool:
    """Whether a text would give it: a whole number, with pi or a root at most."""
    if len(measure.number.terms) != 1:
        return False
    pi, root, factor = measure.number.terms[0]
    return factor.denominator == 1 and pi in (0, 1) and root in (1, 2, 3) and factor < 10_000
