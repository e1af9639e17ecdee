"""The words of each measure of each kind of solid, in English and Chinese; the first is the one of prose."""

from __future__ import annotations

from functools import cache

from srt.io.records import Lang
from srt.worlds.solids.table import base_kind

_ALL: dict[Lang, dict[str, tuple[str, ...]]] = {
    "en": {
        "V": ("volume",),
        "S": ("surface area", "total surface area"),
        "L": ("lateral area", "lateral surface area"),
        "B": ("base area", "area of the base"),
        "h": ("height",),
    },
    "zh": {
        "V": ("体积",),
        "S": ("表面积", "全面积"),
        "L": ("侧面积",),
        "B": ("底面积", "底面面积"),
        "h": ("高",),
    },
}
_ROUND: dict[Lang, dict[str, tuple[str, ...]]] = {
    "en": {
        "r": ("base radius", "radius", "radius of the base"),
        "d": ("base diameter", "diameter", "diameter of the base"),
        "C": ("base circumference", "circumference of the base"),
        "X": ("area of the axial section",),
    },
    "zh": {
        "r": ("底面半径", "半径"),
        "d": ("底面直径", "直径"),
        "C": ("底面周长",),
        "X": ("轴截面面积",),
    },
}
_PRISM: dict[Lang, dict[str, tuple[str, ...]]] = {
    "en": {"a": ("base edge", "edge of the base"), "P": ("base perimeter", "perimeter of the base")},
    "zh": {"a": ("底面边长",), "P": ("底面周长",)},
}
_OWN: dict[Lang, dict[str, dict[str, tuple[str, ...]]]] = {
    "en": {
        "cuboid": {
            "a": ("length",),
            "b": ("width",),
            "D": ("space diagonal", "diagonal"),
            "E": ("total length of the edges",),
            "U": ("surface area without the lid",),
            "g": ("diagonal of the base",),
            "X": ("area of the diagonal section",),
            "q": ("path between opposite corners over front with side",),
            "u": ("path between opposite corners over front with top",),
            "w": ("path between opposite corners over side with top",),
            "p": ("shortest path over the surface between opposite corners",),
        },
        "cube": {
            "a": ("edge", "edge length", "side length"),
            "D": ("space diagonal",),
            "f": ("face diagonal", "diagonal of a face"),
            "F": ("area of a face",),
            "E": ("total length of the edges",),
            "U": ("surface area without the lid",),
            "p": ("shortest path over the surface between opposite corners",),
        },
        "cylinder": {
            **_ROUND["en"],
            "U": ("surface area without the lid",),
            "p": ("diagonal of the unrolled lateral surface",),
        },
        "cone": {
            **_ROUND["en"],
            "l": ("slant height",),
            "n": ("central angle of the unrolled lateral surface",),
        },
        "sphere": {
            "r": ("radius",),
            "d": ("diameter",),
            "G": ("area of a great circle",),
            "x": ("distance from the centre to the section",),
            "t": ("radius of the section",),
            "Z": ("area of the section",),
        },
        "hemisphere": {
            "r": ("radius",),
            "d": ("diameter",),
            "B": ("area of the flat face",),
            "L": ("area of the curved surface",),
        },
        "frustum": {
            "R": ("lower base radius", "radius of the lower base"),
            "r": ("upper base radius", "radius of the upper base"),
            "B": ("area of the lower base",),
            "T": ("area of the upper base",),
            "l": ("slant height",),
            "X": ("area of the axial section",),
        },
        "pyramid": {
            "a": _PRISM["en"]["a"],
            "s": ("slant height",),
            "e": ("lateral edge",),
            "g": ("diagonal of the base",),
            "X": ("area of the diagonal section",),
        },
        "hexpyramid": {"a": _PRISM["en"]["a"], "s": ("slant height",), "e": ("lateral edge",)},
        "triprism": _PRISM["en"],
        "hexprism": _PRISM["en"],
        "wedge": {
            "a": ("first leg of the base",),
            "b": ("second leg of the base",),
            "c": ("hypotenuse of the base",),
            "P": _PRISM["en"]["P"],
        },
        "tetrahedron": {"a": ("edge", "edge length"), "F": ("area of a face",), "E": ("total length of the edges",)},
        "solid": {},
    },
    "zh": {
        "cuboid": {
            "a": ("长",),
            "b": ("宽",),
            "D": ("体对角线长", "对角线长"),
            "E": ("棱长总和",),
            "U": ("无盖时的表面积",),
            "g": ("底面对角线长",),
            "X": ("对角面面积",),
            "q": ("沿前面和侧面连接相对顶点的路径长",),
            "u": ("沿前面和上面连接相对顶点的路径长",),
            "w": ("沿侧面和上面连接相对顶点的路径长",),
            "p": ("沿表面连接相对顶点的最短路径长",),
        },
        "cube": {
            "a": ("棱长",),
            "D": ("体对角线长",),
            "f": ("面对角线长",),
            "F": ("一个面的面积",),
            "E": ("棱长总和",),
            "U": ("无盖时的表面积",),
            "p": ("沿表面连接相对顶点的最短路径长",),
        },
        "cylinder": {**_ROUND["zh"], "U": ("无盖时的表面积",), "p": ("侧面展开图的对角线长",)},
        "cone": {**_ROUND["zh"], "l": ("母线长", "母线"), "n": ("侧面展开图的圆心角",)},
        "sphere": {
            "r": ("半径",),
            "d": ("直径",),
            "G": ("大圆面积",),
            "x": ("球心到截面的距离",),
            "t": ("截面半径",),
            "Z": ("截面面积",),
        },
        "hemisphere": {"r": ("半径",), "d": ("直径",), "B": ("平面部分的面积",), "L": ("曲面部分的面积",)},
        "frustum": {
            "R": ("下底面半径",),
            "r": ("上底面半径",),
            "B": ("下底面面积",),
            "T": ("上底面面积",),
            "l": ("母线长",),
            "X": ("轴截面面积",),
        },
        "pyramid": {
            "a": _PRISM["zh"]["a"],
            "s": ("斜高",),
            "e": ("侧棱长",),
            "g": ("底面对角线长",),
            "X": ("对角面面积",),
        },
        "hexpyramid": {"a": _PRISM["zh"]["a"], "s": ("斜高",), "e": ("侧棱长",)},
        "triprism": _PRISM["zh"],
        "hexprism": _PRISM["zh"],
        "wedge": {
            "a": ("底面一条直角边长",),
            "b": ("底面另一条直角边长",),
            "c": ("底面斜边长",),
            "P": _PRISM["zh"]["P"],
        },
        "tetrahedron": {"a": ("棱长",), "F": ("一个面的面积",), "E": ("棱长总和",)},
        "solid": {},
    },
}
_WITHOUT = {"cube": "h", "sphere": "LBh", "hemisphere": "h", "tetrahedron": "LB", "solid": "LBh"}
"""Letters of all solids that a kind does not have."""


RATIOS: dict[str, dict[Lang, tuple[str, ...]]] = {
    "k": {"en": ("ratio of similarity",), "zh": ("相似比",)},
    "A": {"en": ("ratio of the surface areas",), "zh": ("表面积之比",)},
    "Q": {"en": ("ratio of the volumes",), "zh": ("体积之比",)},
}
"""Of a solid to a small similar one, whose letters they are."""


@cache
def quantities(kind: str, lang: Lang) -> dict[str, tuple[str, ...]]:
    """The words of each letter of a solid of ``kind``."""
    base = base_kind(kind)
    words = {letter: names for letter, names in _ALL[lang].items() if letter not in _WITHOUT.get(base, "")}
    small = {letter: names[lang] for letter, names in RATIOS.items()} if kind != base else {}
    return {**words, **_OWN[lang][base], **small}
