"""Wordings of published problems, which are read and not written.

Besides the slots of :mod:`.wordings`, these have slots of :data:`SYNONYMS`, where any of some words may stand.
"""

from __future__ import annotations

import re

from srt.io.records import Lang

SYNONYMS = {
    "find": ("Find", "Calculate", "Compute", "Determine"),
    "the": ("the", "this"),
    "with": ("with", "that has", "whose", "of", "having"),
    "box": ("box", "rectangular box", "cuboid", "rectangular prism", "tank", "rectangular tank"),
    "measures_by": ("is", "measures", "of"),
    "given": ("", "已知", "若", "如果", "设", "有"),
    "one": ("", "一个", "某"),
    "of": ("", "的", "，", "，它的"),
    "de": ("", "的"),
    "calc": ("求", "计算", "求出"),
    "then": ("", "则", "那么", "问"),
    "this": ("", "这个", "该", "此"),
    "its": ("", "它的", "其"),
    "is": ("是", "为", "等于"),
    "be": ("", "是", "为"),
    "what": ("", "是多少"),
    "and": ("、", "，"),
}
BLANK = r"(?:（[ 　]*）|\([ 　]*\)|_{2,})[ ]?(?P<unit>[^_（）()]*?)[。．]?"
"""What a Chinese question ends with where it asks for what stands in a gap; read as *how many*."""

SOLIDS: dict[Lang, dict[str, tuple[str, ...]]] = {"en": {"frustum": ("truncated right circular cone",)}, "zh": {}}
_ROUND: dict[Lang, dict[str, tuple[str, ...]]] = {
    "en": {"r": ("radius of its base", "radius of the circular base"), "d": ("diameter of its base",)},
    "zh": {"r": ("底面圆的半径", "底面圆半径"), "d": ("底面圆的直径", "底面圆直径")},
}
QUANTITIES: dict[Lang, dict[str, dict[str, tuple[str, ...]]]] = {
    "en": {
        "cylinder": _ROUND["en"],
        "cone": _ROUND["en"],
        "frustum": {
            "R": ("large base radius", "larger base radius", "radius of the larger base"),
            "r": ("small base radius", "smaller base radius", "radius of the smaller base"),
        },
    },
    "zh": {
        "cylinder": _ROUND["zh"],
        "cone": _ROUND["zh"],
        "pyramid": {"e": ("侧棱",)},
        "hexpyramid": {"e": ("侧棱",)},
    },
}
"""Words for solids and for measures of a kind of solid, besides those that are written too."""

GIVEN: dict[Lang, tuple[str, ...]] = {
    "en": (
        "In a {new} {measures}.",
        "In a {new}, {measures}.",
        "A {new} with {measures}.",
        "A {new}: {measures}.",
        "The {new} has {measures}.",
        "The {new} below has {measures}.",
        "If a {new} has {measures}.",
        "Given a {new} with {measures}.",
        "The {quantity} of a {new} is {value}.",
        "The {quantity} of a {new} is {value} and its {other} is {more}.",
    ),
    "zh": ("{given}{one}{new}{of}{measures}。", "{given}{one}{measures}的{new}。"),
}
SIDES: dict[Lang, tuple[str, ...]] = {
    "en": ("A {box} {measures_by} {long} by {wide} by {high}.",),
    "zh": (),
}
"""The sides of a cuboid, of which it is not said which is which."""
UNROLLED: dict[Lang, tuple[str, ...]] = {
    "en": (),
    "zh": tuple(
        f"{{given}}{cone}侧面展开图是{{one}}半径{{be}}{{value}}{shape}。"
        for cone in ("", "{one}圆锥的")
        for shape in ("{and}圆心角{be}{angle}的扇形", "的半圆")
    ),
}
"""The lateral surface of a cone, as a sector: its radius is the slant height."""
ASKED_AT_ONCE: dict[Lang, tuple[str, ...]] = {
    "en": (
        "{find} the {quantity} of a {new} {with} {measures}.",
        "What is the {quantity} of a {new} {with} {measures}?",
    ),
    "zh": (
        "{calc}{one}{measures}的{new}的{quantity}{what}。",
        "{one}{measures}的{new}的{quantity}{is}多少？",
        "{one}{measures}的{new}的{quantity}{is}多少{unit}？",
    ),
}
"""Problems of one sentence, which gives measures and asks for another."""
QUESTIONS: dict[Lang, tuple[str, ...]] = {
    "en": ("{find} the {quantity} of {the} {known}.", "What is the {quantity} of {the} {known}?"),
    "zh": ("{calc}{this}{known}{de}{quantity}{what}。", "{then}{this}{known}{de}{quantity}{is}多少？"),
}
ABOUT_IT: dict[Lang, tuple[str, ...]] = {
    "en": (
        "{find} its {quantity}.",
        "{find} the {quantity}.",
        "{find} {quantity}.",
        "What is the {quantity}?",
        "{find} the {quantity} of this solid.",
        "What is the {quantity} of this solid?",
    ),
    "zh": ("{calc}{its}{quantity}{what}。", "{then}{its}{quantity}{is}多少？"),
}
IN_UNIT: dict[Lang, tuple[str, ...]] = {
    "en": (
        "{find} the {quantity} of {the} {known} in {unit}.",
        "What is the {quantity} of {the} {known} in {unit}?",
        "{find} its {quantity} in {unit}.",
        "What is its {quantity} in {unit}?",
        "{find} the {quantity} in {unit}.",
        "{find} {quantity} in {unit}.",
        "What is the {quantity} in {unit}?",
        "{find} the {quantity} of this solid in {unit}.",
        "What is the {quantity} of this solid in {unit}?",
    ),
    "zh": (
        "{calc}{this}{known}{de}{quantity}{what}（单位：{unit}）。",
        "{then}{this}{known}{de}{quantity}{is}多少{unit}？",
        "{then}{this}{known}{de}{quantity}{is}多少（单位：{unit}）？",
        "{calc}{its}{quantity}{what}（单位：{unit}）。",
        "{then}{its}{quantity}{is}多少{unit}？",
        "{then}{its}{quantity}{is}多少（单位：{unit}）？",
    ),
}
HELD: dict[Lang, tuple[str, ...]] = {
    "en": (
        *(f"How many {{unit}}{water} {does} it hold?" for water in ("", " of water") for does in ("does", "can")),
        *(f"How much water {does} it hold?" for does in ("does", "can")),
    ),
    "zh": (),
}
"""Asks for the volume."""
INSCRIBED: dict[Lang, tuple[str, ...]] = {
    "en": ("A {new} is inscribed in a {known}.", "A {new} is inscribed in a {known} with {measures}."),
    "zh": (),
}
"""One solid touches all faces of the other from within; no solid is cut out."""
EXACT: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(
        r" in terms of (?:π|pi)(?=[.?]$)|\s(?:Leave|Give|Express) (?:your|the) answer in terms of (?:π|pi)\.$| (?=\?$)"
    ),
    "zh": re.compile(r"[（(](?:结果)?保留 ?π[）)](?=[。？]?$)|(?<=[。？])(?:结果|答案)保留 ?π。$"),
}
"""What asks for an exact answer, at the end of a text; it says nothing else. And a space before the last sign."""
