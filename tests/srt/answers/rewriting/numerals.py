"""Rational numbers in digits and in words: thousands, scientific, percent, mixed, full width, English and Chinese."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

from tests.srt.answers.rewriting.forms import Named, full_width
from tests.srt.answers.rewriting.number_words import (
    english,
    english_fraction,
    han,
    han_decimal,
    han_fraction,
    has_english_fraction,
)

_SIGNS = {Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔", Fraction(1, 4): "¼", Fraction(3, 4): "¾"}


def decimal_text(exact: Fraction) -> str | None:
    """The digits of ``exact``; ``None`` where they do not end within eight places."""
    for places in range(9):
        scaled = exact * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
            return f"-{text}" if exact < 0 else text
    return None


def spelled(exact: Fraction) -> Iterator[Named]:
    """``exact`` in digits and words."""
    sign, size = ("-" if exact < 0 else ""), abs(exact)
    digits = decimal_text(exact)
    if digits is not None:
        yield "digits", digits
        yield "full width", full_width(digits)
        yield "digits", f"{digits}{'' if '.' in digits else '.'}0"
        yield "scientific", _scientific(exact, r" \times 10^{", "}")
        yield "scientific", _scientific(exact, "*10^(", ")")
        yield "scientific", _scientific(exact, "e", "")
        yield "scientific", _scientific(exact, "×10^", "")
        if size < 1 and "." in digits:
            yield "no leading zero", digits.replace("0.", ".", 1)
        if exact < 0:
            yield "minus signs", digits.replace("-", "−")
            yield "minus signs", digits.replace("-", "–")
    if size.denominator == 1:
        yield from _whole(exact)
    else:
        yield from _fraction(sign, size)
    if size.denominator > 1 and size < 3 and decimal_text(size * 100) is not None:
        percent = decimal_text(exact * 100) or ""
        for behind in ("%", r"\%", " %", "％", " percent", " per cent"):
            yield "percent", percent + behind
        yield "Chinese percent", f"{'负' if sign else ''}百分之{percent.lstrip('-')}"
        if "." not in percent:
            yield "Chinese percent", f"{'负' if sign else ''}百分之{han(abs(int(percent)))}"
            yield "percent in words", f"{english(int(percent))} percent"
    if digits is not None and "." in digits and exact > 0:
        yield "Chinese decimal", han_decimal(digits)


def _whole(exact: Fraction) -> Iterator[Named]:
    number = int(exact)
    yield "digits", f"+{number}" if number > 0 else str(number)
    if abs(number) >= 1000:
        head, groups = _grouped(number)
        for between in (",", "{,}", r",\!", " ", r"\,"):
            yield "thousands", head + "".join(between + group for group in groups)
        yield "full width", full_width(head + "".join("," + group for group in groups))
    if 0 <= abs(number) < 1_000_000:
        yield "English words", english(number)
        yield "English words", english(number).capitalize()
        yield "English words", english(number, "").replace("-", " ")
        if number < 0:
            yield "English words", english(number).replace("minus", "negative")
    if abs(number) < 100_000_000:
        yield "Chinese numerals", han(number)
    if number % 1000 == 0 and number > 0:
        yield "counted thousands", f"{number // 1000} thousand"
    if number % 100 == 0 and number >= 10_000:
        yield "counted thousands", f"{decimal_text(Fraction(number, 10_000))}万"
    if number % 10_000 == 0 and number >= 1_000_000:
        yield "counted thousands", f"{decimal_text(Fraction(number, 1_000_000))} million"
    yield "with a root or bracket", f"({number})"
    yield "with a root or bracket", f"{{{number}}}"


def _fraction(sign: str, size: Fraction) -> Iterator[Named]:
    above, below = size.numerator, size.denominator
    yield "fraction", f"{sign}{above}/{below}"
    yield "fraction", f"{sign}\\frac{{{above}}}{{{below}}}"
    yield "fraction", f"\\frac{{{sign}{above}}}{{{below}}}"
    yield "fraction", f"{sign}\\dfrac {{{above}}} {{{below}}}"
    yield "fraction", f"{sign}({above}/{below})"
    yield "fraction", f"{sign}({above})/({below})"
    yield "division", f"{sign}{above} ÷ {below}"
    if above < 10 and below < 10:
        yield "fraction", f"{sign}\\frac{above}{below}"
    yield "full width", full_width(f"{sign}{above}/{below}")
    yield "not reduced", f"{sign}{above * 3}/{below * 3}"
    yield "Chinese fraction", ("负" if sign else "") + han_fraction(above, below)
    yield "Chinese fraction", f"{'负' if sign else ''}{below}分之{above}"
    if size in _SIGNS:
        yield "fraction sign", sign + _SIGNS[size]
    if has_english_fraction(below) and above < 100:
        words = english_fraction(above, below)
        yield "fraction in words", f"{'minus ' if sign else ''}{words}"
        yield "fraction in words", f"{'negative ' if sign else ''}{words.replace(' ', '-')}"
        if above == 1:
            yield "fraction in words", f"{'minus ' if sign else ''}{'a' if below != 8 else 'an'} {words.split()[1]}"
    if size > 1:
        whole, rest = divmod(size, 1)
        a, b = rest.numerator, rest.denominator
        yield "mixed number", f"{sign}{whole} {a}/{b}"
        yield "mixed number", f"{sign}{whole}\\frac{{{a}}}{{{b}}}"
        yield "mixed number", f"{sign}{whole}又{b}分之{a}"
        yield "mixed number", f"{'负' if sign else ''}{han(int(whole))}又{han_fraction(a, b)}"
        if rest in _SIGNS:
            yield "mixed number", f"{sign}{whole}{_SIGNS[rest]}"
        if has_english_fraction(b):
            words = "a half" if rest == Fraction(1, 2) else english_fraction(a, b)
            yield "mixed in words", f"{'minus ' if sign else ''}{english(int(whole))} and {words}"
    period = _repeating(size)
    if period is not None:
        whole_digits, fixed, repeated = period
        yield "repeating decimal", f"{sign}{whole_digits}.{fixed}\\overline{{{repeated}}}"
        if not fixed:
            yield "repeating decimal", f"{sign}{whole_digits}.({repeated})"
        if len(repeated) == 1:
            yield "repeating decimal", f"{sign}{whole_digits}.{fixed}\\dot{{{repeated}}}"


def other_numbers(exact: Fraction, rng: random.Random) -> Iterator[tuple[str, Fraction]]:
    """Numbers that a slip makes of ``exact``, two percent away from it or more."""
    slips = [("off by one", exact + rng.choice((-1, 1))), ("the sign", -exact), ("ten times", exact * 10),
             ("a tenth", exact / 10), ("a hundred times", exact * 100), ("a thousandth", exact / 1000),
             ("twice", exact * 2), ("half", exact / 2)]  # fmt: skip
    if exact.denominator > 1:
        slips += [("turned over", 1 / exact), ("another numerator", exact + Fraction(1, exact.denominator)),
                  ("another denominator", Fraction(exact.numerator, exact.denominator + 1)),
                  ("numerator alone", Fraction(exact.numerator))]  # fmt: skip
        whole, rest = divmod(abs(exact), 1)
        if whole and rest:
            slips += [("the whole alone", whole), ("the fraction alone", rest), ("a product", whole * rest)]
    text = str(abs(exact.numerator))
    if exact.denominator == 1 and len(text) > 1:
        turned = text[:-2] + text[-1] + text[-2]
        slips.append(("digits swapped", Fraction(int(turned))))
        slips.append(("a digit lost", Fraction(int(text[:-1]))))
    if exact.denominator == 1 and 3 <= exact < 20:
        slips.append(("teen or ten", exact * 10 if exact < 10 else (exact - 10) * 10 or exact + 2))
    for name, other in slips:
        if abs(other - exact) > Fraction(2, 100) * max(abs(other), abs(exact)):
            yield name, Fraction(other)


def _grouped(number: int) -> tuple[str, list[str]]:
    digits, groups = str(abs(number)), []
    while len(digits) > 3:
        groups.insert(0, digits[-3:])
        digits = digits[:-3]
    return ("-" if number < 0 else "") + digits, groups


def _scientific(exact: Fraction, before: str, after: str) -> str:
    power, size = 0, abs(exact)
    while size >= 10:
        size, power = size / 10, power + 1
    while 0 < size < 1:
        size, power = size * 10, power - 1
    return f"{'-' if exact < 0 else ''}{decimal_text(size)}{before}{power}{after}"


def _repeating(size: Fraction) -> tuple[str, str, str] | None:
    """Whole digits, fixed digits and the period; ``None`` where the decimal ends or the period is longer than three."""
    whole, rest = divmod(size, 1)
    for fixed in range(3):
        for length in range(1, 4):
            scaled = rest * 10**fixed * (10**length - 1)
            if scaled.denominator == 1 and rest.denominator > 1 and decimal_text(rest) is None:
                moved = rest * 10**fixed
                head = str(int(moved)).rjust(fixed, "0") if fixed else ""
                period = str(int((moved - int(moved)) * (10**length - 1))).rjust(length, "0")
                return str(whole), head, period
    return None
