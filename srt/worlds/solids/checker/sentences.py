"""The forms of sentences, with ``S`` for a solid, ``Q`` for a quantity, ``Z`` for a ratio, ``V`` for a value.

The phrases of a sentence say what it means; its form says that it is a sentence at all, not a row of phrases.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from srt.io.records import Lang

_ITEM = {"en": r"(?:an? |the )?Q(?: of| is)? V", "zh": "Q(?:是|为)? ?V"}
_ITEMS = {
    "en": f"{_ITEM['en']}(?:(?:, | and |, and ){_ITEM['en']}){{0,8}}",
    "zh": f"(?:{_ITEM['zh']}(?:[，、]{_ITEM['zh']}){{0,8}}|Q(?:[、和与]Q){{1,8}}分别(?:是|为) ?V(?:[、，和]V){{1,8}})",
}
LABEL: dict[Lang, re.Pattern[str]] = {"en": re.compile(_ITEM["en"]), "zh": re.compile(_ITEM["zh"])}
LABELS_BETWEEN: dict[Lang, str] = {"en": "; ", "zh": "；"}
"""What separates the labels of a picture."""

_OPENING = "(?:已知|若|如果|设|有)?(?:一个|某)?"
_FIRST = {
    "en": (
        "A S has #",
        "Consider a S with #",
        "In a S,? #",
        "A S with #",
        "The figure shows a S",
        "A S: #",
        "The S(?: below)? has #",
        "If a S has #",
        "Given a S with #",
        "The Q of a S is V(?: and its Q is V)?",
    ),
    "zh": (rf"{_OPENING}S(?:的|，它的|，)?#", rf"{_OPENING}#的S", "如图是一个S"),
}
_LATER = {
    "en": (
        "The Q of the S is V", "The S has #", "The Q of the S is equal to the Q of the S",
        "The Q of the S is V times (?:as large as )?the Q of the S", "The Z of the S to the S is V",
        "It is melted down and (?:recast|cast, without any loss,) into a S with #",
        "It is melted down and recast into V equal copies of a S",
        "It is full of water, which exactly fills a S with #",
        "When it is sunk in a vessel of water, the water that rises is a S with #",
    ),
    "zh": (
        "(?:其中)?S的#", "S的Q等于S的Q", "S的Q是S的Q的V倍", "S与S的Z是V",
        "(?:把它熔铸成|将它熔化后铸成)一个S，S的#", "把它熔铸成V个相同的S",
        "把它装满水，再全部倒入一个S，恰好装满，S的#", "把它浸没在盛水的容器中，上升的水是一个S，S的#",
    ),
}  # fmt: skip
_MADE = {
    "en": (
        "A solid is made of a cylinder and a (?:cone|hemisphere) that stands on it; their bases coincide",
        "A (?:cone|hemisphere) is put on a cylinder so that their bases coincide",
        "A solid is made of a cone and a hemisphere; their bases coincide",
        "A cone is put on a hemisphere so that their bases coincide",
        "A cone with the same base and the same height is hollowed out of a cylinder",
        "A hemisphere with the same base is hollowed out of a cylinder",
        "A regular square pyramid is put on a cuboid so that their square bases coincide",
        "A regular square pyramid is put on a cube so that its base is a face of the cube",
        "A sphere that touches all faces is cut out of a cube",
        "A sphere that touches both bases and the lateral surface is cut out of a cylinder",
        "A sphere that touches the base and the lateral surface is cut out of a cone",
        r"A plane parallel to the base cuts a small (?P<off>cone|regular square pyramid) off a (?P=off)",
        "A (?:cube|cuboid) with all its corners on the surface is cut out of a sphere",
        "A cylinder with the circles of both bases on the surface is cut out of a sphere",
        "A cone with its apex and the circle of its base on the surface is cut out of a sphere",
        "The largest (?:cylinder|cone) that stands on a face is cut out of a cube",
        r"A (?P<pair>cone|cylinder|regular square pyramid|cuboid) and a small (?P=pair) are similar",
    ),
    "zh": (
        "一个几何体由圆柱和放在它上面的(?:圆锥|半球)组成，两者的底面重合",
        "在圆柱上放一个(?:圆锥|半球)，两者的底面重合",
        "一个几何体由圆锥和半球组成，两者的底面重合", "在半球上放一个圆锥，两者的底面重合",
        "从一个圆柱中挖去一个等底等高的圆锥", "从一个圆柱中挖去一个等底的半球",
        "在长方体上放一个正四棱锥，两者的正方形底面重合", "在正方体上放一个正四棱锥，它的底面是正方体的一个面",
        "从一个正方体中挖去一个与各面都相切的球", "从一个圆柱中挖去一个与两个底面和侧面都相切的球",
        "从一个圆锥中挖去一个与底面和侧面都相切的球",
        r"用平行于底面的平面从一个(?P<off>圆锥|正四棱锥)上截去一个小(?P=off)",
        "从一个球中挖去一个各顶点都在球面上的(?:正方体|长方体)", "从一个球中挖去一个两个底面的圆周都在球面上的圆柱",
        "从一个球中挖去一个顶点和底面的圆周都在球面上的圆锥",
        "从一个正方体中挖去一个底面在它的一个面上的最大的(?:圆柱|圆锥)",
        r"一个(?P<pair>圆锥|圆柱|正四棱锥|长方体)和一个小(?P=pair)相似",
    ),
}  # fmt: skip
_FIND, _WHAT = "(?:[Ff]ind|[Cc]alculate|[Cc]ompute|[Dd]etermine)", "[Ww]hat is"
_HAVING = "(?:with|that has|whose|of|having)"
_SOUGHT, _HOW_MUCH = "(?:求|计算|求出)", "(?:是|为|等于)多少？"
_MEASURE = {"en": "(?:the Q of (?:the|this) S|its Q|the Q)", "zh": "(?:(?:这个|该|此)?S的?Q|(?:它的|其)?Q)"}
_ASKED = {
    "en": (
        rf"{_FIND} (?:{_MEASURE['en']}|Q)\.", rf"{_WHAT} {_MEASURE['en']}\?",
        r"[Ff]ind the Z of the S to the S\.", rf"{_WHAT} the Z of the S to the S\?",
    ),
    "zh": (
        f"{_SOUGHT}{_MEASURE['zh']}(?:是多少)?。", f"(?:则|那么|问)?{_MEASURE['zh']}{_HOW_MUCH}",
        "求S与S的Z。", "S与S的Z是多少？",
    ),
}  # fmt: skip
_AT_ONCE = {
    "en": (
        rf"{_FIND} the Q of a S {_HAVING} #\.", rf"{_WHAT} the Q of a S {_HAVING} #\?",
    ),
    "zh": (
        f"{_SOUGHT}(?:一个|某)?#的S的Q(?:是多少)?。", f"(?:一个|某)?#的S的Q{_HOW_MUCH}",
    ),
}  # fmt: skip


def _forms(forms: Mapping[str, tuple[str, ...]], stops: dict[str, str]) -> dict[Lang, re.Pattern[str]]:
    langs: tuple[Lang, ...] = ("en", "zh")
    return {
        lang: re.compile("|".join(f"(?:{form.replace('#', _ITEMS[lang])}{stops[lang]})" for form in forms[lang]))
        for lang in langs
    }


_STOP = {"en": "[.,;]", "zh": "[。，]"}
FIRST, LATER, MADE = _forms(_FIRST, _STOP), _forms(_LATER, _STOP), _forms(_MADE, _STOP)
"""Sentences before and after a solid is named, and, in the words of the text, those that put two together."""
ASKED, AT_ONCE = _forms(_ASKED, {"en": "", "zh": ""}), _forms(_AT_ONCE, {"en": "", "zh": ""})
"""Questions, without their unit, and those that give the measures too."""
GAP = re.compile(r"(?:（[ 　]*）|\([ 　]*\)|__+) ?([^_（）()]*?)[。．]?$")
"""What stands at the end of a Chinese question for how many; its unit follows."""
INSCRIBED = re.compile(r"A ([a-z ]+) is inscribed in a ([a-z ]+?)(?: with (.{1,200}))?[.,;]")
"""What is within, what is outside, and what the latter has."""
SIDES = re.compile(
    r"A (?:(?:rectangular )?(?:box|tank)|rectangular prism|cuboid) (?:is|measures|of) "
    r"(.{1,40}) by (.{1,40}) by (.{1,40})[.,;]"
)
"""The sides of a cuboid, without names."""
UNROLLED = re.compile(
    r"(?:已知|若|如果|设|有)?(?:(?:一个|某)?圆锥的)?侧面展开图是(?:一个|某)?半径[是为]?(.{1,40}?)"
    r"(?:[、，]圆心角[是为]?(.{1,40}?)的扇形|的半圆)[。，]"
)
"""The lateral surface of a cone as a sector or half of a circle: its radius, which is the slant height, and angle."""
