"""What quantities and values, one after the other, say: the values of measures."""

from __future__ import annotations

import re

from srt.worlds.solids.checker.relations import POWERS
from srt.worlds.solids.checker.values import UNIT_WORDS, VALUE, Value, number_of, power_of

Signs = list[tuple[str, str]]
"""Signs of phrases, each with what it stands for."""
MOST_DIGITS = 12
"""Of a number in a sentence: two numbers with more could be too near to each other to be told apart."""


def values_of(references: Signs) -> dict[str, Value | None] | None:
    """The values of references (``R``) and values that alternate; ``None`` where a unit does not fit."""
    found: dict[str, Value | None] = {}
    for (_, name), (_, at) in zip(references[::2], references[1::2], strict=True):
        value = value_at(at)
        power, unit = POWERS.get(name[0], 1), value.unit
        if name in found or (unit != "deg") != (power != 0) or (unit not in ("", "deg") and power_of(unit) != power):
            return None
        found[name] = value
    return found


def lengths(values: dict[str, str]) -> dict[str, Value | None] | None:
    """Values of measures, which have units, or have none; ``None`` where one is no value."""
    rows: Signs = []
    for name, text in values.items():
        value = VALUE.fullmatch(text)
        if value is None or text != text.strip() or len(re.findall("[0-9]", value["number"])) > MOST_DIGITS:
            return None
        if not value["number"] or number_of(value["number"]) is None:
            return None
        rows += [("R", name), ("V", text)]
    found = values_of(rows)
    units = [value.unit == "" for name, value in (found or {}).items() if value and POWERS.get(name[0], 1)]
    return found if len(set(units)) == 1 else None


def value_at(text: str) -> Value:
    """The value that a text is which :data:`VALUE` matches."""
    match = VALUE.fullmatch(text)
    assert match is not None
    number = number_of(match["number"])
    assert number is not None
    return Value(number, UNIT_WORDS[match["unit"]] if match["unit"] else "", match["number"].strip())


def paired(signs: Signs) -> Signs:
    """The row with each quantity before its value, where it has first all quantities and then their values."""
    if "D" not in [sign for sign, _ in signs]:
        return signs
    names = [pair for pair in signs if pair[0] == "Q"]
    values = [pair for pair in signs if pair[0] in "VN"]
    if len(names) != len(values):
        return [("", "")]
    at = signs.index(names[0])
    pairs = [pair for both in zip(names, values, strict=True) for pair in both]
    others = [(place, pair) for place, pair in enumerate(signs) if pair[0] not in "QVND" and pair != ("J", "和")]
    return [p for place, p in others if place < at] + pairs + [p for place, p in others if place > at]
