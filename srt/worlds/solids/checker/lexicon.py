"""The words that the checker knows, in English and Chinese, each with its sign.

Signs: ``S`` a solid, ``Q`` a quantity, ``Z`` a ratio of two solids, and those of :data:`SIGNS`.
"""

from __future__ import annotations

import re
from functools import cache

from srt.io.records import Lang

_SOLIDS: dict[Lang, dict[str, str]] = {
    "en": {
        "cuboid": "cuboid", "box": "cuboid", "rectangular prism": "cuboid", "cube": "cube", "cylinder": "cylinder",
        "right circular cylinder": "cylinder", "cone": "cone", "right circular cone": "cone", "sphere": "sphere",
        "ball": "sphere", "hemisphere": "hemisphere", "frustum of a cone": "frustum", "frustum": "frustum",
        "truncated cone": "frustum", "regular square pyramid": "pyramid", "right square pyramid": "pyramid",
        "regular hexagonal pyramid": "hexpyramid", "regular triangular prism": "triprism",
        "regular hexagonal prism": "hexprism", "right prism with a right triangle as base": "wedge",
        "regular tetrahedron": "tetrahedron", "solid": "solid", "remaining solid": "solid", "whole solid": "solid",
    },
    "zh": {
        "长方体": "cuboid", "正方体": "cube", "立方体": "cube", "圆柱": "cylinder", "圆柱体": "cylinder",
        "圆锥": "cone",
        "圆锥体": "cone",
        "球": "sphere", "球体": "sphere", "半球": "hemisphere", "圆台": "frustum",
        "正四棱锥": "pyramid",
        "正六棱锥": "hexpyramid", "正三棱柱": "triprism", "正六棱柱": "hexprism",
        "底面为直角三角形的直三棱柱": "wedge", "正四面体": "tetrahedron", "几何体": "solid", "剩余几何体": "solid",
        "整个几何体": "solid",
    },
}  # fmt: skip
_ROUND, _POINTED, _COLUMNS = "cylinder cone", "pyramid hexpyramid", "triprism hexprism"
_WORDS: dict[Lang, tuple[tuple[str, str, str], ...]] = {
    "en": (
        ("V", "*", "volume"),
        ("S", "*", "surface area|total surface area"),
        ("L", "-sphere tetrahedron solid", "lateral area|lateral surface area"),
        ("L", "hemisphere", "area of the curved surface"),
        ("B", "-sphere tetrahedron solid", "base area|area of the base"),
        ("B", "hemisphere", "area of the flat face"),
        ("B", "frustum", "area of the lower base"),
        ("T", "frustum", "area of the upper base"),
        ("h", "-cube sphere hemisphere solid", "height"),
        ("r", _ROUND, "base radius|radius of the base"),
        ("r", f"{_ROUND} sphere hemisphere", "radius"),
        ("d", _ROUND, "base diameter|diameter of the base"),
        ("d", f"{_ROUND} sphere hemisphere", "diameter"),
        ("C", _ROUND, "base circumference|circumference of the base"),
        ("X", _ROUND, "area of the axial section"),
        ("R", "frustum", "lower base radius|radius of the lower base"),
        ("r", "frustum", "upper base radius|radius of the upper base"),
        ("l", "cone frustum", "slant height"),
        ("s", _POINTED, "slant height"),
        ("e", _POINTED, "lateral edge"),
        ("n", "cone", "central angle of the unrolled lateral surface"),
        ("G", "sphere", "area of a great circle"),
        ("a", "cuboid", "length"),
        ("b", "cuboid", "width"),
        ("D", "cuboid", "diagonal"),
        ("D", "cuboid cube", "space diagonal"),
        ("U", "cuboid cube cylinder", "surface area without the lid"),
        ("p", "cuboid", "distance of opposite corners over the unfolded front with top"),
        ("p", "cube", "shortest path over the surface between opposite corners"),
        ("E", "cuboid cube tetrahedron", "total length of the edges"),
        ("a", "cube tetrahedron", "edge|edge length"),
        ("a", "cube", "side length"),
        ("f", "cube", "face diagonal|diagonal of a face"),
        ("F", "cube tetrahedron", "area of a face"),
        ("a", f"{_POINTED} {_COLUMNS}", "base edge|edge of the base"),
        ("P", f"{_COLUMNS} wedge", "base perimeter|perimeter of the base"),
        ("a", "wedge", "first leg of the base"),
        ("b", "wedge", "second leg of the base"),
        ("c", "wedge", "hypotenuse of the base"),
    ),
    "zh": (
        ("V", "*", "体积"),
        ("S", "*", "表面积|全面积"),
        ("L", "-sphere tetrahedron solid", "侧面积"),
        ("L", "hemisphere", "曲面部分的面积"),
        ("B", "-sphere tetrahedron solid", "底面积|底面面积"),
        ("B", "hemisphere", "平面部分的面积"),
        ("B", "frustum", "下底面面积"),
        ("T", "frustum", "上底面面积"),
        ("h", "-cube sphere hemisphere solid", "高"),
        ("r", _ROUND, "底面半径"),
        ("r", f"{_ROUND} sphere hemisphere", "半径"),
        ("d", _ROUND, "底面直径"),
        ("d", f"{_ROUND} sphere hemisphere", "直径"),
        ("C", _ROUND, "底面周长"),
        ("X", _ROUND, "轴截面面积"),
        ("R", "frustum", "下底面半径"),
        ("r", "frustum", "上底面半径"),
        ("l", "cone", "母线"),
        ("l", "cone frustum", "母线长"),
        ("s", _POINTED, "斜高"),
        ("e", _POINTED, "侧棱长"),
        ("n", "cone", "侧面展开图的圆心角"),
        ("G", "sphere", "大圆面积"),
        ("a", "cuboid", "长"),
        ("b", "cuboid", "宽"),
        ("D", "cuboid", "对角线长"),
        ("D", "cuboid cube", "体对角线长"),
        ("U", "cuboid cube cylinder", "无盖时的表面积"),
        ("p", "cuboid", "沿前面和上面连接相对顶点的最短路径长"),
        ("p", "cube", "沿表面连接相对顶点的最短路径长"),
        ("E", "cuboid cube tetrahedron", "棱长总和"),
        ("a", "cube tetrahedron", "棱长"),
        ("f", "cube", "面对角线长"),
        ("F", "cube tetrahedron", "一个面的面积"),
        ("a", f"{_POINTED} {_COLUMNS}", "底面边长"),
        ("P", f"{_COLUMNS} wedge", "底面周长"),
        ("a", "wedge", "底面一条直角边长"),
        ("b", "wedge", "底面另一条直角边长"),
        ("c", "wedge", "底面斜边长"),
    ),
}
_FILLERS = {
    "en": "a|an|has|have|with|consider|is|of|and|the|its|,|.|what|find|?|in|down|into|to",
    "zh": "一个|已知|的|是|为|，|、|。|求|多少|？|其中",
}
_SIGNS = {
    "en": {
        "=": "equal to", "x": "times|times as large as",
        "M": "it is melted|recast|cast, without any loss,", "K": "equal copies",
        "J": "a solid is made of|is put on|stands on it|that stands on it", "O": "is hollowed out|is cut out|out",
        "c": "; their bases coincide|so that their bases coincide", "q": "so that their square bases coincide",
        "f": "so that its base is a face of the cube", "s": "same base", "h": "same height",
        "t": "that touches all faces", "u": "that touches both bases and the lateral surface", "I": "its",
    },
    "zh": {
        "=": "等于", "x": "倍", "M": "把它熔铸成|将它熔化后铸成", "K": "个相同的", "I": "它的",
        "J": "一个几何体由|组成|和放在它上面的|和|在|上放一个", "O": "从|中挖去一个|从一个",
        "c": "两者的底面重合", "q": "两者的正方形底面重合", "f": "它的底面是正方体的一个面", "s": "等底|等底等高",
        "t": "与各面都相切", "u": "与两个底面和侧面都相切",
    },
}  # fmt: skip
MADE = {
    ("J", "c", "cone cylinder"): "cylinder + cone",
    ("J", "c", "cylinder hemisphere"): "cylinder + hemisphere",
    ("J", "c", "cone hemisphere"): "cone + hemisphere",
    ("J", "q", "cuboid pyramid"): "cuboid + pyramid",
    ("J", "f", "cube pyramid"): "cube + pyramid",
    ("O", "sh", "cone cylinder"): "cylinder - cone",
    ("O", "s", "cylinder hemisphere"): "cylinder - hemisphere",
    ("O", "t", "cube sphere"): "cube - sphere",
    ("O", "u", "cylinder sphere"): "cylinder - sphere",
}


@cache
def lexicon(lang: Lang) -> tuple[dict[str, tuple[str, str]], re.Pattern[str]]:
    """Every phrase with its sign and what it stands for, and the pattern that finds the longest."""
    words: dict[str, tuple[str, str]] = dict.fromkeys(_FILLERS[lang].split("|"), ("", ""))
    words |= {word: ("S", kind) for word, kind in _SOLIDS[lang].items()}
    words |= {word: ("Q", word) for _, _, names in _WORDS[lang] for word in names.split("|")}
    words |= {word: (sign, word) for sign, names in _SIGNS[lang].items() for word in names.split("|")}
    if lang == "zh":
        words["等底等高"] = ("sh", "")
    longest = sorted(words, key=len, reverse=True)
    bound = r"(?![a-zA-Z])" if lang == "en" else ""
    pattern = "|".join(re.escape(word) + (bound if word[-1].isalpha() else "") for word in longest)
    return words, re.compile(pattern)


@cache
def letter_of(lang: Lang, word: str, kind: str) -> str | None:
    """The letter of a quantity of a solid; ``None`` where the solid has none of that name."""
    for letter, kinds, names in _WORDS[lang]:
        if word in names.split("|"):
            without = kinds[1:].split() if kinds.startswith("-") else None
            if kinds == "*" or (without is not None and kind not in without) or kind in kinds.split():
                return letter
    return None
