"""A gold answer of any kind with forms that are equal to it and forms that are near and differ, from a seed.

The generator computes what its forms are worth by itself (:mod:`.trees`) and spells them by its own rules; it imports
nothing of the package that it tests.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction

from tests.srt.answers.rewriting import compound, quantities, structures, word_answers
from tests.srt.answers.rewriting.forms import Case, Named, case
from tests.srt.answers.rewriting.formulas import SQUAREFREE, Linear, canonical, mutated, rewritten, worth
from tests.srt.answers.rewriting.numerals import decimal_text, other_numbers, spelled
from tests.srt.answers.rewriting.printing import printed
from tests.srt.answers.rewriting.statements import changed, stated

_ASKED = "What is the value of x?"


def generated(seed: int) -> Case:
    """The case of ``seed``; the kinds take turns."""
    rng = random.Random(f"rewriting {seed}")
    return KINDS[seed % len(KINDS)](rng)


def _integer(rng: random.Random) -> Case:
    size = rng.choice((rng.randint(2, 20), rng.randint(20, 999), rng.randint(10, 99) * 100, rng.randint(1000, 99_999)))
    return _rational("integer", Fraction(rng.choice((1, 1, 1, -1)) * size), rng)


def _decimal(rng: random.Random) -> Case:
    exact = Fraction(rng.choice((rng.randint(1, 99), rng.randint(100, 9999))), rng.choice((10, 100, 4, 8)))
    if exact.denominator == 1:
        exact += Fraction(1, 10)
    return _rational("decimal", exact * rng.choice((1, 1, 1, -1)), rng, decimal_text(exact) or "")


def _fraction(rng: random.Random) -> Case:
    below = rng.randint(2, 12)
    above = rng.choice([n for n in range(1, below) if Fraction(n, below).denominator == below])
    return _rational("fraction", Fraction(above, below) * rng.choice((1, 1, 1, -1)), rng)


def _mixed(rng: random.Random) -> Case:
    below = rng.choice((2, 3, 4, 5, 6, 8))
    above = rng.choice([n for n in range(1, below) if Fraction(n, below).denominator == below])
    return _rational("mixed number", rng.randint(1, 12) + Fraction(above, below), rng)


def _rational(kind: str, exact: Fraction, rng: random.Random, gold: str = "") -> Case:
    """A rational number, spelled in digits and words and as formulas."""
    linear: Linear = {(1, 0): exact}
    if gold:
        gold = decimal_text(exact) or ""
    elif exact.denominator == 1:
        gold = rng.choice((str(exact), f"{int(exact):,}"))
    elif kind == "mixed number":
        whole, rest = divmod(exact, 1)
        gold = rng.choice((f"{whole} {rest}", f"{whole}\\frac{{{rest.numerator}}}{{{rest.denominator}}}", str(exact)))
    else:
        gold = rng.choice((str(exact), f"\\frac{{{exact.numerator}}}{{{exact.denominator}}}"))
    equal = [*spelled(exact), *_printed(rewritten(linear, rng), rng)]
    equal += stated(rng.choice((str(exact), gold)), [text for _, text in _printed(rewritten(linear, rng), rng)], rng)
    near: list[Named] = []
    for name, other in other_numbers(exact, rng):
        near += [(f"{name}: {how}", text) for how, text in rng.sample([*spelled(other)], 2)]
    for name, value in mutated(linear, rng):
        near += [(f"{name}: {how}", text) for how, text in rng.sample([*_printed(rewritten(value, rng), rng)], 2)]
    near += _changed(gold, exact, rng)
    return case(kind, gold, _ASKED, equal, near, rng)


def _changed(gold: str, exact: Fraction, rng: random.Random) -> Iterator[Named]:
    sizes = [one for _, one in other_numbers(exact, rng) if 1 <= 20 * abs(one / exact) <= 400]
    other = rng.choice([decimal_text(one) or str(one) for one in sizes])
    yield from changed(gold, other)


def _surd(rng: random.Random) -> Case:
    return _formula("surd", {(rng.choice(SQUAREFREE), 0): _coefficient(rng)}, rng)


def _surd_sum(rng: random.Random) -> Case:
    one, other = rng.sample((1, 1, *SQUAREFREE), 2)
    while one == other:
        one, other = rng.sample((1, 1, *SQUAREFREE), 2)
    return _formula("sum with roots", {(one, 0): _coefficient(rng, 3), (other, 0): _coefficient(rng, 3)}, rng)


def _pi(rng: random.Random) -> Case:
    return _formula("multiple of pi", {(rng.choice((1, 1, 1, *SQUAREFREE[:4])), 1): _coefficient(rng)}, rng)


def _pi_sum(rng: random.Random) -> Case:
    return _formula("sum with pi",
                    {(rng.choice((1, *SQUAREFREE[:4])), 0): _coefficient(rng, 2), (1, 1): _coefficient(rng, 2)},
                    rng)  # fmt: skip


def _power(rng: random.Random) -> Case:
    base = rng.choice((2, 3, 5, 10))
    exponent = rng.choice((2, 3, 4, 5, -1, -2, -3))
    exact = Fraction(base) ** exponent
    made = _rational("power", exact, rng)
    gold = rng.choice((f"{base}^{{{exponent}}}", f"{base}^{exponent}" if exponent > 0 else f"{base}^{{{exponent}}}"))
    return Case(made.kind, gold, made.question, made.equal, made.near)


def _coefficient(rng: random.Random, largest: int = 6) -> Fraction:
    return Fraction(
        rng.choice((1, 1, -1)) * rng.randint(1, 2 * largest), rng.choice((1, 1, 1, 2, 3, 4, 6)[: largest + 1])
    )


def _formula(kind: str, linear: Linear, rng: random.Random) -> Case:
    gold = printed(canonical(linear), rng, rng.choice(("latex", "latex", "unicode")))
    equal = [*_printed(rewritten(linear, rng), rng), *_printed(rewritten(linear, rng), rng)]
    equal += stated(gold, [text for _, text in equal], rng)
    rounded = f"{worth(linear):.2f}"
    if abs(worth(linear)) > 1:
        equal += [("rounded beside", f"{gold} ≈ {rounded}"), ("rounded beside", f"{gold} (about {rounded})"),
                  ("rounded beside", f"{gold} \\approx {rounded}"),
                  ("rounded beside", f"{gold}（约{rounded}）")]  # fmt: skip
    near: list[Named] = []
    if abs(worth(linear)) > 1:
        near += [("rounded wrong", f"{gold} ≈ {worth(linear) * 1.1:.2f}"),
                 ("rounded wrong", f"{gold} (about {worth(linear) * 0.9:.2f})")]  # fmt: skip
    others: list[str] = []
    for name, value in mutated(linear, rng):
        forms = [*_printed(rewritten(value, rng), rng)]
        near += [(f"{name}: {how}", text) for how, text in rng.sample(forms, min(4, len(forms)))]
        others.append(forms[0][1])
    near += changed(gold, rng.choice(others))
    return case(kind, gold, _ASKED, equal, near, rng)


def _printed(forms: Iterator[tuple[str, object]], rng: random.Random) -> Iterator[Named]:
    for name, tree in forms:
        yield name, printed(tree, rng)  # type: ignore[arg-type]


KINDS: tuple[Callable[[random.Random], Case], ...] = (
    _integer, _decimal, _fraction, _mixed, _surd, _surd_sum, _pi, _pi_sum, _power, quantities.quantity,
                                                      quantities.angle,
    quantities.money, quantities.percent, quantities.counted, structures.ratio, structures.point, structures.interval,
    structures.values_set, structures.order, structures.inequality, word_answers.yes_no, word_answers.words,
    compound.parts, compound.both_signs, compound.letters,
)  # fmt: skip
