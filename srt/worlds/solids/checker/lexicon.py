"""The words that the checker knows, in English and Chinese, each with its sign.

Signs: ``S`` a solid, ``Q`` a quantity, ``Z`` a ratio of two solids, and those of ``_SIGNS``.
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
        "truncated cone": "frustum", "truncated right circular cone": "frustum",
        "regular square pyramid": "pyramid", "right square pyramid": "pyramid",
        "regular hexagonal pyramid": "hexpyramid", "regular triangular prism": "triprism",
        "regular hexagonal prism": "hexprism", "right prism with a right triangle as base": "wedge",
        "regular tetrahedron": "tetrahedron", "small cone": "smallcone",
        "small cylinder": "smallcylinder", "small regular square pyramid": "smallpyramid",
        "small cuboid": "smallcuboid",
        "solid": "solid", "remaining solid": "solid",
    },
    "zh": {
        "长方体": "cuboid", "正方体": "cube", "立方体": "cube", "圆柱": "cylinder", "圆柱体": "cylinder",
        "圆锥": "cone",
        "圆锥体": "cone",
        "球": "sphere", "球体": "sphere", "半球": "hemisphere", "圆台": "frustum",
        "正四棱锥": "pyramid",
        "正六棱锥": "hexpyramid", "正三棱柱": "triprism", "正六棱柱": "hexprism",
        "底面为直角三角形的直三棱柱": "wedge", "正四面体": "tetrahedron", "小圆锥": "smallcone",
        "小圆柱": "smallcylinder",
        "小正四棱锥": "smallpyramid", "小长方体": "smallcuboid", "几何体": "solid", "剩余几何体": "solid",
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
        ("r", _ROUND, "base radius|radius of the base|radius of its base|radius of the circular base"),
        ("r", f"{_ROUND} sphere hemisphere", "radius"),
        ("d", _ROUND, "base diameter|diameter of the base|diameter of its base"),
        ("d", f"{_ROUND} sphere hemisphere", "diameter"),
        ("C", _ROUND, "base circumference|circumference of the base"),
        ("X", _ROUND, "area of the axial section"),
        ("R", "frustum", "lower base radius|radius of the lower base"),
        ("R", "frustum", "large base radius|larger base radius|radius of the larger base"),
        ("r", "frustum", "upper base radius|radius of the upper base"),
        ("r", "frustum", "small base radius|smaller base radius|radius of the smaller base"),
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
        ("g", "cuboid pyramid", "diagonal of the base"),
        ("X", "cuboid pyramid", "area of the diagonal section"),
        ("X", "frustum", "area of the axial section"),
        ("q", "cuboid", "path between opposite corners over front with side"),
        ("u", "cuboid", "path between opposite corners over front with top"),
        ("w", "cuboid", "path between opposite corners over side with top"),
        ("p", "cylinder", "diagonal of the unrolled lateral surface"),
        ("x", "sphere", "distance from the centre to the section"),
        ("t", "sphere", "radius of the section"),
        ("Z", "sphere", "area of the section"),
        ("p", "cuboid cube", "shortest path over the surface between opposite corners"),
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
        ("r", _ROUND, "底面半径|底面圆的半径|底面圆半径"),
        ("r", f"{_ROUND} sphere hemisphere", "半径"),
        ("d", _ROUND, "底面直径|底面圆的直径|底面圆直径"),
        ("d", f"{_ROUND} sphere hemisphere", "直径"),
        ("C", _ROUND, "底面周长"),
        ("X", _ROUND, "轴截面面积"),
        ("R", "frustum", "下底面半径"),
        ("r", "frustum", "上底面半径"),
        ("l", "cone", "母线"),
        ("l", "cone frustum", "母线长"),
        ("s", _POINTED, "斜高"),
        ("e", _POINTED, "侧棱|侧棱长"),
        ("n", "cone", "侧面展开图的圆心角"),
        ("G", "sphere", "大圆面积"),
        ("a", "cuboid", "长"),
        ("b", "cuboid", "宽"),
        ("D", "cuboid", "对角线长"),
        ("D", "cuboid cube", "体对角线长"),
        ("U", "cuboid cube cylinder", "无盖时的表面积"),
        ("g", "cuboid pyramid", "底面对角线长"),
        ("X", "cuboid pyramid", "对角面面积"),
        ("X", "frustum", "轴截面面积"),
        ("q", "cuboid", "沿前面和侧面连接相对顶点的路径长"),
        ("u", "cuboid", "沿前面和上面连接相对顶点的路径长"),
        ("w", "cuboid", "沿侧面和上面连接相对顶点的路径长"),
        ("p", "cylinder", "侧面展开图的对角线长"),
        ("x", "sphere", "球心到截面的距离"),
        ("t", "sphere", "截面半径"),
        ("Z", "sphere", "截面面积"),
        ("p", "cuboid cube", "沿表面连接相对顶点的最短路径长"),
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
_RATIOS = {
    "en": {"k": "ratio of similarity", "A": "ratio of the surface areas", "Q": "ratio of the volumes"},
    "zh": {"k": "相似比", "A": "表面积之比", "Q": "体积之比"},
}
_FILLERS = {
    "en": "a|an|has|are|have|with|consider|is|of|and|the|its|,|.|what|find|?|in|down|into|to|calculate|compute|"
    "determine|if|given|that|whose|having|this|below|:|;",
    "zh": "一个|已知|的|是|为|，|、|。|求|多少|？|其中|与|若|如果|设|有|某|这个|该|此|计算|求出|则|那么|问",
}
_SIGNS = {
    "en": {
        "=": "equal to", "x": "times|times as large as",
        "M": "it is melted|recast|cast, without any loss,|it is full of water, which exactly fills|"
        "when it is sunk in a vessel of water, the water that rises is", "K": "equal copies",
        "J": "a solid is made of|is put on|stands on it|that stands on it", "O": "is hollowed out|is cut out|out|off",
        "p": "a plane parallel to the base cuts",
        "P": "similar",
        "F": "the figure shows",
        "c": "; their bases coincide|so that their bases coincide", "q": "so that their square bases coincide",
        "f": "so that its base is a face of the cube", "s": "same base", "h": "same height",
        "m": "that touches the base and the lateral surface",
        "v": "with all its corners on the surface", "y": "with the circles of both bases on the surface",
        "z": "with its apex and the circle of its base on the surface", "b": "the largest",
        "a": "that stands on a face",
        "t": "that touches all faces", "u": "that touches both bases and the lateral surface", "I": "its",
    },
    "zh": {
        "=": "等于", "x": "倍", "D": "分别", "M": "把它熔铸成|将它熔化后铸成|把它装满水，再全部倒入|恰好装满|"
        "把它浸没在盛水的容器中，上升的水是", "K": "个相同的",
        "I": "它的|其",
        "J": "一个几何体由|组成|和放在它上面的|和|在|上放一个", "O": "从|中挖去一个|从一个|上截去一个",
        "p": "用平行于底面的平面",
        "P": "相似",
        "F": "如图是",
        "m": "与底面和侧面都相切的", "v": "各顶点都在球面上的", "y": "两个底面的圆周都在球面上的",
        "z": "顶点和底面的圆周都在球面上的", "b": "最大的", "a": "底面在它的一个面上的",
        "c": "两者的底面重合", "q": "两者的正方形底面重合", "f": "它的底面是正方体的一个面", "s": "等底|等底等高",
        "t": "与各面都相切", "u": "与两个底面和侧面都相切",
    },
}  # fmt: skip
SIMILAR = ("cone", "cylinder", "pyramid", "cuboid")
INSCRIBED = (
    *(f"{outer} sphere" for outer in ("cube", "cylinder", "cone")),
    *(f"sphere {inner}" for inner in ("cube", "cuboid", "cylinder", "cone")),
)
"""What is outside, and what can be within it."""
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
    ("O", "m", "cone sphere"): "cone - sphere",
    ("O", "v", "cube sphere"): "sphere - cube",
    ("O", "v", "cuboid sphere"): "sphere - cuboid",
    ("O", "y", "cylinder sphere"): "sphere - cylinder",
    ("O", "z", "cone sphere"): "sphere - cone",
    ("O", "ba", "cube cylinder"): "cube - cylinder",
    ("O", "ba", "cone cube"): "cube - cone",
    ("O", "p", "cone smallcone"): "cone - smallcone",
    ("O", "p", "pyramid smallpyramid"): "pyramid - smallpyramid",
}


@cache
def lexicon(lang: Lang) -> tuple[dict[str, tuple[str, str]], re.Pattern[str]]:
    """Every phrase with its sign and what it stands for, and the pattern that finds the longest."""
    words: dict[str, tuple[str, str]] = dict.fromkeys(_FILLERS[lang].split("|"), ("", ""))
    words |= {word: ("S", kind) for word, kind in _SOLIDS[lang].items()}
    words |= {word: ("Q", word) for _, _, names in _WORDS[lang] for word in names.split("|")}
    words |= {word: ("Z", letter) for letter, names in _RATIOS[lang].items() for word in names.split("|")}
    words |= {word: (sign, word) for sign, names in _SIGNS[lang].items() for word in names.split("|")}
    if lang == "zh":
        words["等底等高"] = ("sh", "")
    longest = sorted(words, key=len, reverse=True)
    bound = r"(?![a-zA-Z])" if lang == "en" else ""
    # 圆柱体积 is a solid and its volume, though 圆柱体 is a solid too.
    volume = {word: "(?!积)" for word in words if word.endswith("体") and word[:-1] in _SOLIDS["zh"]}
    pattern = "|".join(re.escape(w) + (bound if w[-1].isalpha() else "") + volume.get(w, "") for w in longest)
    return words, re.compile(pattern)


@cache
def letter_of(lang: Lang, word: str, kind: str) -> str | None:
    """The letter of a quantity of a solid; ``None`` where the solid has none of that name."""
    for letter, kinds, names in _WORDS[lang]:
        if word in names.split("|"):
            kind = kind.removeprefix("small")
            without = kinds[1:].split() if kinds.startswith("-") else None
            if kinds == "*" or (kind in kinds.split() if without is None else kind not in without):
                return letter
    return None
