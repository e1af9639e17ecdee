"""Claims as sentences, and a trace as prose or as notes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from srt.io.records import Lang
from srt.language.trace import Step
from srt.worlds.solids.derivation.solve_solid import parse_measure
from srt.worlds.solids.reading.quantity_words import RATIOS, quantities
from srt.worlds.solids.reading.wordings import SOLIDS, UNIT_WORDS
from srt.worlds.solids.table import base_kind
from srt.worlds.solids.writing.problem_text import measure_text, unit_text

_CLAIM = re.compile(r"(?P<name>[A-Za-z]\([a-z]+\)) = (?:(?P<formula>[^=]+) = )?(?P<value>[^=]+)")
_LINK = re.compile(r"(?P<name>[A-Za-z]\([a-z]+\)) = (?:(?P<times>[1-9][0-9]*)\*)?(?P<other>[A-Za-z]\([a-z]+\))")
_ASKED = re.compile(r"\? = (?P<name>[A-Za-z]\([a-z]+\))(?: in (?P<unit>\S+))?")
_WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        "name": "the {quantity} of the {solid}",
        "reading": "{name} is {value}",
        "converted": "in another unit, {name} is {value}",
        "formula": "by {formula}, {name} is {value}",
        "equal": "{name} is equal to {other}",
        "times": "{name} is {times} times {other}",
        "+": "the solid is made of the {one} and the {other}",
        "-": "the solid is the {one} without the {other}",
        "~": "the {one} and the {other} are similar",
        "ratio": "the {quantity} of the {solid} to the {small}",
        "asked": "{name} is asked for",
        "unit": "{name} is asked for in {unit}",
        "options": "so the right option is {value}",
        "answer": "so the answer is {value}",
        "stop": ". ",
        "semicolon": "; ",
    },
    "zh": {
        "name": "{solid}的{quantity}",
        "reading": "{name}是{value}",
        "converted": "换算单位，{name}是{value}",
        "formula": "由{formula}，{name}是{value}",
        "equal": "{name}等于{other}",
        "times": "{name}是{other}的{times}倍",
        "+": "几何体由{one}和{other}组成",
        "-": "几何体是从{one}中去掉{other}",
        "~": "{one}和{other}相似",
        "ratio": "{solid}与{small}的{quantity}",
        "asked": "要求的是{name}",
        "unit": "要求的是{name}，单位为{unit}",
        "options": "所以正确选项是{value}",
        "answer": "所以答案是{value}",
        "stop": "。",
        "semicolon": "；",
    },
}


def assertion(claim: str, lang: Lang, *, converted: bool = False) -> str:
    """``claim`` as a sentence; raises a :class:`ValueError` for text that is no claim."""
    text = _sentence(claim, lang, "converted" if converted else "reading")
    return f"{text[0].upper()}{text[1:]}{_WORDS[lang]['stop'].strip()}"


def full_prose(steps: Sequence[Step], lang: Lang) -> str:
    """A sentence for each step."""
    space = _WORDS[lang]["stop"].removeprefix(".").removeprefix("。")
    return space.join(assertion(s.claim or "", lang, converted=s.op == "INFER" and bool(s.args)) for s in steps)


def terse_prose(steps: Sequence[Step], lang: Lang) -> str:
    """The values alone."""
    return _WORDS[lang]["semicolon"].join(_note(step.claim or "", lang) for step in steps)


def _sentence(claim: str, lang: Lang, plain: str) -> str:
    words = _WORDS[lang]
    if match := re.fullmatch(r"(options|answer) = (.+)", claim):
        value = match[2].strip("{}")
        measure = parse_measure(value) if match[1] == "answer" else None
        return words[match[1]].format(value=measure_text(measure, lang) if measure else value)
    if match := re.fullmatch(r"(?:solid|pair) = ([a-z]+) ([-+~]) ([a-z]+)", claim):
        return words[match[2]].format(one=SOLIDS[lang][match[1]][0], other=SOLIDS[lang][match[3]][0])
    if match := _ASKED.fullmatch(claim):
        unit = match["unit"] or ""
        return words["unit" if unit else "asked"].format(
            name=_name(match["name"], lang), unit=UNIT_WORDS[lang].get(unit, unit_text(unit))
        )
    if match := _LINK.fullmatch(claim):
        return words["times" if match["times"] else "equal"].format(
            name=_name(match["name"], lang), other=_name(match["other"], lang), times=match["times"]
        )
    match = _CLAIM.fullmatch(claim)
    measure = parse_measure(match["value"]) if match else None
    if match is None or measure is None:
        raise ValueError(f"no claim: {claim!r}")
    letter = match["name"][0]
    formula = f"{letter} = {formula_words(match['formula'])}" if match["formula"] else ""
    return words["formula" if formula else plain].format(
        name=_name(match["name"], lang), value=measure_text(measure, lang), formula=formula
    )


def formula_words(formula: str) -> str:
    """``1/3·π·r²·h``."""
    text = formula.replace("*", "·").replace("pi", "π").replace("^2", "²").replace("^3", "³")
    return re.sub(r"(sqrt|cbrt)\(([0-9]+)\)", lambda m: f"{'√' if m[1] == 'sqrt' else '∛'}{m[2]}", text)


def _note(claim: str, lang: Lang) -> str:
    if match := re.fullmatch(r"(?:options|answer) = (.+)", claim):
        return match[1].strip("{}")
    if match := _ASKED.fullmatch(claim):
        return f"? {_short(match['name'], lang)}"
    if match := _CLAIM.fullmatch(claim):
        measure = parse_measure(match["value"])
        if measure is not None:
            return f"{_short(match['name'], lang)} {measure_text(measure, lang)}"
    return formula_words(claim)


def _short(name: str, lang: Lang) -> str:
    """The letter, with the solid behind it."""
    return f"{name[0]} {SOLIDS[lang][name[2:-1]][0].split()[-1]}"


def _name(name: str, lang: Lang) -> str:
    kind = name[2:-1]
    if kind not in SOLIDS[lang] or name[0] not in quantities(kind, lang):
        raise ValueError(f"no measure: {name!r}")
    quantity, solid = quantities(kind, lang)[name[0]][0], SOLIDS[lang][kind][0]
    if name[0] in RATIOS:
        return _WORDS[lang]["ratio"].format(quantity=quantity, solid=SOLIDS[lang][base_kind(kind)][0], small=solid)
    return _WORDS[lang]["name"].format(quantity=quantity, solid=solid)
