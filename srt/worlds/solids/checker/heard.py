"""The checker's own reading of a problem, sentence by sentence (:mod:`.ear`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import product

from srt.io.records import Lang, Problem
from srt.worlds.solids.checker.ear import Ear
from srt.worlds.solids.checker.latex import without_latex
from srt.worlds.solids.checker.values import Value, option_value

_SPLIT = {
    "en": re.compile(r"(?<=[.?])\s+|(?<=[,;])\s(?=(?:what is|find|determine|compute|calculate) )"),
    "zh": re.compile(r"(?<=[。？])\s*|(?<=，)(?=那么|则|问|求|计算|[^，。]*多少)"),
}
_OF_EVERY_CUBOID = ("V(", "S(", "D(", "E(", "p(")
"""Measures for which it does not matter which side of a cuboid is the height."""


@dataclass
class HeardSolid:
    """What a problem says. ``said`` has the claims of each sentence, by its number: a value, or ``None`` where the key
    is an equation. Sentences that are not read are missing."""

    asked: str
    unit: str
    solids: list[str] = field(default_factory=list)
    said: dict[int, dict[str, Value | None]] = field(default_factory=dict)
    options: dict[str, Value | None] = field(default_factory=dict)


def hear(problem: Problem) -> HeardSolid | None:
    """The problem as the checker reads it; ``None`` if it is none of this world."""
    if "solids" not in (problem.source, problem.meta.get("world")):
        return None
    question = _without_form(without_latex(problem.question.strip()), problem.lang)
    sentences = [text for text in _SPLIT[problem.lang].split(question) if text]
    if not sentences or len(problem.question) > 2000:
        return None
    ear = Ear(problem.lang)
    if len(sentences) == 1:
        both = ear.at_once(sentences[0]) if problem.diagram_description is None else None
        if both is None:
            return None
        (name, unit), given = both
        return _with_options(HeardSolid(name, unit, ear.solids, {1: given}), problem)
    said = {n: found for n, text in enumerate(sentences[:-1], 1) if (found := ear.sentence(text)) is not None}
    if (problem.diagram_description is not None) != ear.pictured:
        return None
    if problem.diagram_description is not None:
        labels = ear.labels(problem.diagram_description)
        if labels is None:
            return None
        said[0] = labels
    asked = ear.question(sentences[-1])
    if asked is None or len(said) < len(sentences) - 1 or not any(said.values()):
        return None
    subjects = [name for found in said.values() for name in found]
    if len(set(subjects)) < len(subjects):
        return None
    if ear.unnamed and (len(subjects) > 3 or not asked[0].startswith(_OF_EVERY_CUBOID)):
        return None
    return _with_options(HeardSolid(*asked, ear.solids, said), problem)


def _without_form(text: str, lang: Lang) -> str:
    """The text without the wish at its end that the answer be exact."""
    if lang == "en":
        for verb, whose in product(("Give", "Leave", "Express"), ("your", "the")):
            for circle in ("π", "pi"):
                text = text.removesuffix(f" {verb} {whose} answer in terms of {circle}.")
        for end in (f" in terms of {circle}{stop}" for circle in ("π", "pi") for stop in (".", "?")):
            text = text.removesuffix(end) + end[-1] * text.endswith(end)
        return text.removesuffix(" ?") + "?" * text.endswith(" ?")
    stop = text[-1:] if text.endswith(("。", "？")) else ""
    for what, circle in product(("", "结果", "答案"), ("π", " π")):
        wish = f"{what}保留{circle}"
        if what and text.endswith((f"。{wish}。", f"？{wish}。")):
            return text.removesuffix(f"{wish}。")
        for brackets in ("（）", "()") if what != "答案" else ():
            kept = text.removesuffix(stop).removesuffix(f"{brackets[0]}{wish}{brackets[1]}")
            if kept != text.removesuffix(stop):
                return kept + stop
    return text


def _with_options(heard: HeardSolid, problem: Problem) -> HeardSolid | None:
    options = {letter: option_value(without_latex(text)) for letter, text in problem.choices.items()}
    if None in options.values():
        return None
    heard.options = options
    return heard
