"""Quantities: units spelled and converted, angles, money, percent, counted things; and the slips made in them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from tests.srt.answers.rewriting.forms import Case, Named, case, full_width
from tests.srt.answers.rewriting.number_words import english, han
from tests.srt.answers.rewriting.numerals import decimal_text, other_numbers, spelled
from tests.srt.answers.rewriting.statements import stated


@dataclass(frozen=True)
class _Unit:
    """``size`` in the base unit of its family; ``spellings`` behind a number, the first as a school book has it."""

    size: Fraction
    spellings: tuple[str, ...]


def _lengths(power: int) -> list[_Unit]:
    """Units of length, squared or cubed."""
    sign = {1: "", 2: "²", 3: "³"}[power]
    english_before = {1: "", 2: "square ", 3: "cubic "}[power]
    han_before = {1: "", 2: "平方", 3: "立方"}[power]
    found = []
    for exponent, short, long, chinese in ((-3, "mm", "millimetres", "毫米"), (-2, "cm", "centimetres", "厘米"),
                                           (-1, "dm", "decimetres", "分米"), (0, "m", "metres", "米")):  # fmt: skip
        latex = f"\\mathrm{{~{short}}}" + (f"^{{{power}}}" if power > 1 else "")
        spellings = [f" {short}{sign}", f"{short}{sign}", latex,
                     f" \\text{{ {short}}}" + (f"^{power}" if power > 1 else ""),
                     f" {english_before}{long}", f" {english_before}{long.replace('metres', 'meters')}",
                     f"{han_before}{chinese}", f" {han_before}{chinese}"]  # fmt: skip
        if power > 1:
            spellings += [f" {short}^{power}", f" {short}^{{{power}}}",
                          f" sq {short}" if power == 2 else f" cu {short}",
                          f" {long} {'squared' if power == 2 else 'cubed'}"]  # fmt: skip
        found.append(_Unit(Fraction(10) ** (exponent * power), tuple(spellings)))
    if power == 3:
        found.append(_Unit(Fraction(1, 1000), (" L", " l", " litres", " liters", "升")))
        found.append(_Unit(Fraction(1, 10**6), (" mL", " ml", " millilitres", "毫升")))
    return found


FAMILIES: dict[str, list[_Unit]] = {
    "length": _lengths(1),
    "area": _lengths(2),
    "volume": _lengths(3),
    "mass": [_Unit(Fraction(1, 1000), (" g", "g", " grams", "克")),
             _Unit(Fraction(1), (" kg", "kg", " kilograms", "千克")),
             _Unit(Fraction(1000), (" tonnes", " tons", "吨"))],
    "time": [_Unit(Fraction(1), (" s", " seconds", "秒")), _Unit(Fraction(60), (" min", " minutes", "分钟")),
             _Unit(Fraction(3600), (" h", " hours", "小时"))],
    "speed": [_Unit(Fraction(1), (" m/s", " ms⁻¹", " m s^{-1}", " m·s⁻¹", r" \mathrm{~m/s}", " metres per second",
                                  " m s⁻¹", "米/秒", r"\,\mathrm{m\,s^{-1}}", " m/sec")),
              _Unit(Fraction(1000, 3600), (" km/h", " km h⁻¹", " kilometres per hour", "千米/时", " km per hour"))],
    "density": [_Unit(Fraction(1), (" kg/m³", " kg m⁻³", r" \mathrm{kg/m^3}", " kg per cubic metre", "千克/立方米")),
                _Unit(Fraction(1000), (" g/cm³", " g/cm^3", " g cm⁻³", "克/立方厘米"))],
}  # fmt: skip
_ASKED = {"length": "How long is the edge?", "area": "Find the area.", "volume": "Find the volume.",
          "mass": "How heavy is it?",
          "time": "How long does it take?", "speed": "How fast is it?", "density": "Find the density."}  # fmt: skip
_CURRENCIES = {
    "$": (("${n}", r"\${n}", "US${n}", "USD {n}", "{n} USD", "{n} dollars", "{n} US dollars", "{n}美元", r"\$ {n}"),
          " cents"),
    "€": (("€{n}", "{n} €", "{n}€", "EUR {n}", "{n} EUR", "{n} euros", "{n}欧元"), " euro cents"),
    "£": (("£{n}", r"\pounds {n}", "GBP {n}", "{n} GBP", "{n}英镑", "{n} pounds"), " pence"),
    "¥": (("¥{n}", "￥{n}", "{n}元", "{n} yuan", "RMB {n}", "{n} RMB", "CNY {n}", "人民币{n}元", "{n}块钱",
           "{n} 元"), "分"),
}  # fmt: skip


def quantity(rng: random.Random) -> Case:
    """A value with a unit."""
    family = rng.choice(list(FAMILIES))
    unit = rng.choice(FAMILIES[family])
    exact = Fraction(rng.choice((rng.randint(2, 99), rng.randint(2, 9999))), rng.choice((1, 1, 1, 2, 4, 5)))
    digits = decimal_text(exact) or ""
    gold = f"{digits}{unit.spellings[0]}"
    return case(f"quantity: {family}", gold, _ASKED[family], _equal_quantities(exact, unit, family, rng),
                _near_quantities(exact, unit, family, rng), rng)  # fmt: skip


def _equal_quantities(exact: Fraction, unit: _Unit, family: str, rng: random.Random) -> Iterator[Named]:
    digits = decimal_text(exact) or ""
    for spelling in unit.spellings:
        yield "unit spelled", digits + spelling
        yield "unit spelled", f"${digits}{spelling}$"
    for name, text in spelled(exact):
        if name not in ("percent", "Chinese percent", "percent in words"):
            behind = rng.choice(unit.spellings)
            if name.startswith("Chinese"):
                behind = unit.spellings[-1] if not unit.spellings[-1].isascii() else behind
            gap = (
                " " if text[-1].isascii() and text[-1].isalpha() and behind[0].isascii() and behind[0].isalpha() else ""
            )
            yield f"unit behind {name}", text + gap + behind
    for other in FAMILIES[family]:
        converted = decimal_text(exact * unit.size / other.size)
        if other is not unit and converted is not None and len(converted) < 12:
            for spelling in rng.sample(other.spellings, min(2, len(other.spellings))):
                yield "unit converted", converted + spelling
    yield "full width", full_width(digits + unit.spellings[0].strip())
    if family in ("length", "mass", "time") and exact.denominator > 1:
        for small in FAMILIES[family]:
            rest = (exact - int(exact)) * unit.size / small.size
            if small.size < unit.size and rest.denominator == 1 and int(exact):
                yield "two units", f"{int(exact)}{unit.spellings[0]} {rest}{small.spellings[0]}"
    for name, text in stated(digits + unit.spellings[0], [], rng):
        yield name, text


def _near_quantities(exact: Fraction, unit: _Unit, family: str, rng: random.Random) -> Iterator[Named]:
    digits = decimal_text(exact) or ""
    for name, number in other_numbers(exact, rng):
        text = decimal_text(number)
        if text is not None:
            yield f"{name}, right unit", text + rng.choice(unit.spellings)
    for other in FAMILIES[family]:
        if other.size != unit.size:
            yield "another unit of the kind", digits + rng.choice(other.spellings)
    for another, units in FAMILIES.items():
        if another != family:
            yield "another kind of unit", digits + rng.choice(rng.choice(units).spellings)
    yield "another sign", f"{digits}%"
    yield "another sign", f"{digits}°"
    yield "another sign", f"${digits}"
    yield "another sign", f"€{digits}"
    yield "a ratio", f"{digits}:1"
    yield "a ratio", f"1:{digits}"
    yield "a ratio", f"{digits}:1{unit.spellings[0]}"
    yield "unit to a power", f"{digits}{unit.spellings[0]}^4"


def angle(rng: random.Random) -> Case:
    """An angle in degrees."""
    degrees = rng.choice((15, 30, 36, 45, 60, 72, 75, 90, 100, 120, 135, 150, rng.randint(5, 170)))
    share = Fraction(degrees, 180)
    a, b = share.numerator, share.denominator
    front = "" if a == 1 else str(a)
    equal = [
        ("degrees", f"{degrees}{sign}")
        for sign in ("°", r"^\circ", r"^{\circ}", " degrees", "度", " deg", "º", r"\degree", " ^\\circ")
    ]
    equal += [("degrees", f"∠ABC = {degrees}°"), ("degrees", f"$\\angle ABC = {degrees}^\\circ$"),
              ("degrees", full_width(str(degrees)) + "°"), ("degrees", f"{degrees}.0°"),
              ("number in words", f"{english(degrees)} degrees"), ("number in words", f"{han(degrees)}度"),
              ("radians", f"{front}π/{b}" if b > 1 else f"{front}π"), ("radians", f"\\frac{{{front}\\pi}}{{{b}}}"),
              ("radians", f"{front}π/{b} rad"), ("radians", f"\\frac{{{a}}}{{{b}}}\\pi"),
              ("radians", f"({a}/{b})π radians"),
              ("unevaluated", f"{180 - degrees + 0}° subtracted from 180°" if False else f"180° - {180 - degrees}°"),
              ("unevaluated", f"{degrees * 2}°/2"), ("minutes", f"{degrees}°0'")]  # fmt: skip
    near = [("minutes", f"{degrees}'"), ("minutes", f"{degrees}′"), ("minutes", f"{degrees}''"),
            ("minutes", f"{degrees}\""),
            ("minutes", f"{degrees}^\\prime"), ("minutes", f"{degrees} minutes"), ("minutes", f"{degrees}分"),
            ("another unit", f"{degrees} rad"), ("another unit", f"{degrees}%"), ("another unit", f"{degrees}°C"),
            ("another unit", f"{degrees} cm"), ("another angle", f"{degrees + 5}°"),
            ("another angle", f"{180 - degrees + (degrees == 90)}°"),
            ("another angle", f"{degrees}.5°"), ("another angle", f"π/{b + 1}"), ("another angle", f"{degrees}°30'"),
            ("another angle", f"{front}π/{b * 2}"), ("another angle", f"-{degrees}°"),
            ("another angle", f"{degrees}π"),
            ("a ratio", f"{degrees}:1"), ("another angle", f"{degrees}° or {degrees + 10}°"),
            ("a sine", f"cos {degrees}°"),
            ("a sine", f"\\sin {degrees}^\\circ"), ("another angle", f"2·{degrees}°")]  # fmt: skip
    return case("angle", f"{degrees}°", "How large is the angle ABC?", equal, near, rng)


def money(rng: random.Random) -> Case:
    """An amount of money."""
    sign = rng.choice(list(_CURRENCIES))
    templates, small = _CURRENCIES[sign]
    exact = rng.choice(
        (Fraction(rng.randint(2, 99)), Fraction(rng.randint(1, 199) * 2 + 1, 2), Fraction(rng.randint(1000, 99999)))
    )
    digits = decimal_text(exact * 100) or ""
    fixed = f"{digits.rjust(3, '0')[:-2]}.{digits.rjust(3, '0')[-2:]}"
    plain = decimal_text(exact) or ""
    equal = [("currency spelled", one.format(n=number)) for one in templates for number in (plain, fixed)]
    equal += [("bare", plain), ("bare", fixed), *([("smaller unit", f"{digits}{small}")] if sign in "$£" else []),
              ("sentence", "It costs " + templates[0].format(n=fixed)),
              ("sentence", f"x = {templates[0].format(n=plain)}")]  # fmt: skip
    if exact >= 1000:
        equal += [("thousands", one.format(n=f"{int(exact):,}")) for one in templates]
    elif exact.denominator == 1:
        word = {"$": "dollars", "€": "euros", "£": "pounds", "¥": "yuan"}[sign]
        equal += [("in words", f"{english(int(exact))} {word}")]
    elif sign in "$£":
        large = {"$": "dollars", "£": "pounds"}[sign]
        equal += [("two units", f"{int(exact)} {large} and 50{small}")]
    near = [
        ("another currency", one.format(n=plain))
        for other, (others, _) in _CURRENCIES.items()
        if other != sign
        for one in others
    ]
    near += [("smaller unit", f"{plain}{small}"), ("another unit", f"{plain} cm"), ("another unit", f"{plain}%"),
             ("thousand", f"{templates[0].format(n=plain)} thousand"),
             ("a bound", f"less than {templates[0].format(n=plain)}")]  # fmt: skip
    for name, number in other_numbers(exact, rng):
        text = decimal_text(number)
        if text is not None:
            near.append((name, rng.choice(templates).format(n=text)))
            near.append((name, text))
    return case("money", templates[0].format(n=fixed if rng.random() < 0.5 else plain), "What does it cost?", equal,
                near, rng)  # fmt: skip


def percent(rng: random.Random) -> Case:
    """A share, as percent; the question asks for percent in half of the cases."""
    exact = Fraction(rng.choice((rng.randint(2, 99) * 10, rng.randint(11, 999))), 1000)
    number = decimal_text(exact * 100) or ""
    asked = rng.random() < 0.5
    equal = [(name, text) for name, text in spelled(exact) if "ercent" in name or not asked]
    equal += [("percent", f"x = {number}%"), ("percent", f"${number}\\%$"), ("percent", f"It is {number}%."),
              ("percent", f"{number}0%" if "." in number else f"{number}.0%")]  # fmt: skip
    if asked:
        equal += [("asked for percent", number), ("asked for percent", f"The answer is {number}")]
    near = [
        ("another percent", f"{text}%") for _, one in other_numbers(exact * 100, rng) if (text := decimal_text(one))
    ]
    near += [("per mille", f"{number}‰"), ("another unit", f"{number} cm"), ("another unit", f"{number}°"),
             ("a tenth", f"{decimal_text(exact * 10)}"), ("twice a percent", f"{number}%%"),
             ("a hundredth", f"{decimal_text(exact)}%")]  # fmt: skip
    if not asked:
        near += [("percent sign lost", number), ("percent sign lost", f"The answer is {number}")]
    else:
        near += [
            (name, text) for name, one in other_numbers(exact * 100, rng) if (text := decimal_text(one)) and one > 1
        ]
    gold = f"{number}%"
    question = "What percentage of the cubes is red?" if asked else "How large is the probability?"
    return case("percent", gold, question, equal, near, rng)


def counted(rng: random.Random) -> Case:
    """A number of things, followed by words."""
    exact = rng.choice((rng.randint(2, 99), rng.randint(1000, 99999)))
    noun, chinese = rng.choice((("books", "本书"), ("cubes", "个小正方体"), ("students", "名学生")))
    grouped = f"{exact:,}"
    spellings = [str(exact), grouped, grouped.replace(",", r",\!"), grouped.replace(",", "{,}")]
    equal = [("noun behind", f"{one} {words}") for one in spellings for words in
             (noun, f"{noun} now", f"{noun} in total", f"{noun} altogether", f"{noun} are left",
              f"{noun}.")]  # fmt: skip
    equal += [("sentence", f"There are {one} {noun} now.") for one in spellings]
    equal += [("words", f"{english(exact)} {noun}"), ("words", f"{han(exact)}{chinese}"),
              ("noun behind", f"{exact}{chinese}"),
              ("sentence", f"现在有{exact}{chinese}"), ("sentence", f"一共有{exact}{chinese}")]  # fmt: skip
    near = [("another number", f"{one} {noun}") for other in (exact + 1, exact * 10, exact // 2 + (exact < 4),
                                                              exact * 1000)
            for one in (str(other), f"{other:,}")]  # fmt: skip
    near += [("a multiple", f"{exact} dozen {noun}"), ("a multiple", f"{exact} thousand {noun}"),
             ("a multiple", f"{exact} hundred"),
             ("a multiple", f"{exact}万{chinese}"), ("a multiple", f"{exact}倍"),
             ("a multiple", f"half of the {exact} {noun}"),
             ("a change", f"{exact} more {noun} than before"), ("a change", f"{exact} fewer"),
             ("a change", f"{exact} times as many {noun}"),
             ("a bound", f"at most {exact} {noun}"), ("a bound", f"more than {exact} {noun}"),
             ("a bound", f"至多{exact}{chinese}"),
             ("a bound", f"不到{exact}{chinese}"), ("two values", f"{exact} or {exact + 1} {noun}"),
             ("another word", f"{han(exact + 1)}{chinese}"),
             ("another word", f"{english(exact + 1)} {noun}"),
             ("a unit", f"{exact} percent of the {noun}")]  # fmt: skip
    if exact >= 1000:
        near.append(("a point for a comma", f"{grouped.replace(',', '.')} {noun}"))
    question = f"How many {noun} ({chinese}) are there now?"
    return case("counted", str(exact), question, equal, near, rng)
