"""Answers of several values: numbered parts, both signs; and formulas in letters."""

from __future__ import annotations

import random
from fractions import Fraction

from tests.srt.answers.rewriting.forms import Case, Named, case, full_width
from tests.srt.answers.rewriting.numerals import other_numbers, spelled


def parts(rng: random.Random) -> Case:
    """Two or three values with numbers before them."""
    values = [Fraction(n, rng.choice((1, 1, 1, 2, 4))) for n in rng.sample(range(2, 90), rng.choice((2, 2, 3)))]
    written = list(map(str, values))
    circled = "①②③"
    gold = rng.choice(("; ", ";", " ")).join(f"({k}) {one}" for k, one in enumerate(written, 1))
    equal: list[Named] = []
    for texts in (written, [rng.choice([*_digits(one)]) for one in values]):
        equal += [("numbered", " ".join(f"({k}) {one}" for k, one in enumerate(texts, 1))),
                  ("numbered", "; ".join(f"({k}) {one}" for k, one in enumerate(texts, 1))),
                  ("numbered", "\n".join(f"({k}) {one}" for k, one in enumerate(texts, 1))),
                  ("numbered", "；".join(f"（{k}）{one}" for k, one in enumerate(texts, 1))),
                  ("numbered", "\n".join(f"{k}. {one}" for k, one in enumerate(texts, 1))),
                  ("circled", "".join(f"{circled[k]}{one}" for k, one in enumerate(texts))),
                  ("circled", "；".join(f"{circled[k]} {one}" for k, one in enumerate(texts))),
                  ("parts in words", "; ".join(f"Part {k}: {one}" for k, one in enumerate(texts, 1))),
                  ("bare", "; ".join(texts)), ("bare", ", ".join(texts)), ("bare", "、".join(texts)),
                  ("bare", " and ".join(texts) if len(texts) == 2 else "; ".join(texts)),
                  ("latex", " \\quad ".join(texts)),
                  ("named", "; ".join(f"({k}) x = {one}" for k, one in enumerate(texts, 1)))]  # fmt: skip
    turned = written[1:] + written[:1]
    place = rng.randrange(len(values))
    changed = [str(rng.choice([other for _, other in other_numbers(one, rng)])) if k == place else str(one) for k,
               one in enumerate(values)]  # fmt: skip
    near: list[Named] = []
    for name, texts in (("order", turned), ("another value", changed)):
        near += [(name, "; ".join(f"({k}) {one}" for k, one in enumerate(texts, 1))), (name, ", ".join(texts)),
                 (name, "".join(f"{circled[k]}{one}" for k, one in enumerate(texts))),
                 (name, "; ".join(texts))]  # fmt: skip
    near += [("one less", written[0]),
             ("one less", "; ".join(f"({k}) {one}" for k, one in enumerate(written[:-1], 1))),
             ("one more", "; ".join([*written, "7"])), ("one less", f"(1) {written[0]}"),
             ("a product", "".join(f"({one})" for one in written)),
             ("numbers turned", f"(2) {written[0]}; (1) {written[1]}" if len(written) == 2 else "; ".join(turned)),
             ("two values", " or ".join(written))]  # fmt: skip
    return case("parts", gold, "(1) Find x. (2) Find y.", equal, near, rng)


def _digits(exact: Fraction) -> list[str]:
    return [text for name, text in spelled(exact) if name in ("digits", "fraction", "full width")]


def both_signs(rng: random.Random) -> Case:
    """A value with either sign."""
    text, latex = rng.choice((("3", "3"), ("7", "7"), ("√2", r"\sqrt{2}"),
                                    ("1/2", r"\frac{1}{2}"), ("12", "12")))  # fmt: skip
    gold = rng.choice((f"x = ±{text}", f"x = \\pm {latex}", f"±{text}", f"x = {text} or x = -{text}", f"\\pm{latex}"))
    equal = [("±", f"±{text}"), ("±", f"x = ±{text}"), ("±", f"\\pm {latex}"), ("±", f"$x = \\pm {latex}$"),
             ("±", f"±{latex}"),
             ("or", f"x = {text} or x = -{text}"), ("or", f"{text} or -{text}"), ("or", f"x=-{text}或x={text}"),
             ("or", f"-{text} or {text}"),
             ("or", f"x = {latex} \\text{{ or }} x = -{latex}"), ("commas", f"{text}, -{text}"),
             ("commas", f"x = -{text}, x = {text}"),
             ("and", f"{text} and -{text}"), ("set", f"\\{{{latex}, -{latex}\\}}"), ("set", f"{{-{text}, {text}}}"),
             ("set", f"x ∈ {{{text}, -{text}}}"),
             ("indexed", f"x_1 = {text}, x_2 = -{text}"), ("full width", full_width(f"±{text}")),
             ("brackets", f"±({text})"), ("sentence", f"x is ±{text}.")]  # fmt: skip
    near = [("one sign", text), ("one sign", f"-{text}"), ("one sign", f"x = {text}"), ("one sign", f"x = -{text}"),
            ("another", f"±{text}0"), ("another", f"± 2·{text}"),
            ("another", f"x = {text} or x = -{text}1"), ("squared", f"({text})^2"), ("absolute", f"|x| < {text}"),
            ("between", f"-{text} < x < {text}"),
            ("one more", f"0, {text}, -{text}"), ("sum", "0"), ("another", f"x = ±(1 + {text})"),
            ("interval", f"[-{text}, {text}]"), ("twice the same", f"{text} or {text}"),
            ("one sign", f"+{text}"), ("denied", f"not ±{text}")]  # fmt: skip
    return case("both signs", gold, "Solve for x.", equal, near, rng)


def letters(rng: random.Random) -> Case:
    """A product of powers of letters, with a rational factor."""
    one, other = rng.choice((("a", "b"), ("r", "h"), ("x", "y")))
    factor = Fraction(rng.randint(1, 9), rng.choice((1, 2, 3, 6)))
    p, q = rng.randint(1, 3), rng.randint(0, 2)
    gold = _monomial(factor.numerator, one, p, other, q)
    if factor.denominator > 1:
        gold = f"\\frac{{{gold}}}{{{factor.denominator}}}"
    above, below = factor.numerator, factor.denominator
    equal = _letters_written(above, below, one, p, other, q)
    near: list[Named] = []
    for name, forms in (("another factor", _letters_written(above + 1, below, one, p, other, q)),
                        ("another power", _letters_written(above, below, one, p + 1, other, q)),
                        ("another power", _letters_written(above, below, one, p, other, q + 1)),
                        ("divided again", _letters_written(above, 5 * below, one, p, other, q))):  # fmt: skip
        near += [(name, text) for _, text in forms]
    near += [("letters swapped", _monomial(above, other, p + 1, one, q)),
             ("another letter", _monomial(above, "c", p, other, q)),
             ("a number", str(above)), ("a factor", f"({gold})\\pi"), ("a factor", f"{one}({gold})"),
             ("a sum", f"{gold} + 1"), ("a sum", f"{gold} + {one}")]  # fmt: skip
    return case("letters", gold, f"Express the volume in terms of {one} and {other}.", equal, near, rng)


def _letters_written(above: int, below: int, one: str, p: int, other: str, q: int) -> list[Named]:
    plain = _monomial(above, one, p, other, q)
    found = [("named", f"V = {plain}" if below == 1 else f"V = \\frac{{{plain}}}{{{below}}}")]
    tail = _monomial(1, one, p, other, q)
    raised = tail.replace("^2", "²").replace("^3", "³").replace("^4", "⁴")
    if below == 1:
        found += [("same", plain), ("signs", f"{above} \\cdot {tail}"), ("signs", f"{above}*{tail}"),
                  ("raised", f"{above if above > 1 else ''}{raised}"),
                  ("doubled", f"\\frac{{{2 * above}{tail}}}{{2}}"), ("brackets", f"({above}){tail}"),
                  ("order", f"{tail}·{above}")]  # fmt: skip
    else:
        found += [("slash", f"{plain}/{below}"), ("fraction in front", f"\\frac{{{above}}}{{{below}}}{tail}"),
                  ("fraction in front", f"({above}/{below}){tail}"),
                  ("raised", f"{above if above > 1 else ''}{raised}/{below}"),
                  ("doubled", f"\\frac{{{2 * above}{tail}}}{{{2 * below}}}"),
                  ("dfrac", f"\\dfrac{{{plain}}}{{{below}}}"), ("order", f"{tail}·({above}/{below})"),
                  ("signs", f"{above}*{tail}/{below}")]  # fmt: skip
    if q:
        behind = f"·{above}/{below}" if (above, below) != (1, 1) else ""
        found.append(("order", f"{_power(other, q)}{_power(one, p)}{behind}"))
    if p > 1:
        found.append(("power split", f"({above}/{below})·{one}·{_monomial(1, one, p - 1, other, q)}"))
    return found


def _monomial(above: int, one: str, p: int, other: str, q: int) -> str:
    return f"{above if above > 1 else ''}{_power(one, p)}{_power(other, q) if q else ''}"


def _power(letter: str, exponent: int) -> str:
    return letter if exponent == 1 else f"{letter}^{exponent}"
