"""How problems are worded: the writer fills these words and sentences, and the reader matches them."""

from __future__ import annotations

from srt.io.records import Lang

SOLIDS: dict[Lang, dict[str, tuple[str, ...]]] = {
    "en": {
        "cuboid": ("cuboid", "box", "rectangular prism"),
        "cube": ("cube",),
        "cylinder": ("cylinder", "right circular cylinder"),
        "cone": ("cone", "right circular cone"),
        "sphere": ("sphere", "ball"),
        "hemisphere": ("hemisphere",),
        "frustum": ("frustum of a cone", "frustum", "truncated cone"),
        "pyramid": ("regular square pyramid", "right square pyramid"),
        "hexpyramid": ("regular hexagonal pyramid",),
        "triprism": ("regular triangular prism",),
        "hexprism": ("regular hexagonal prism",),
        "wedge": ("right prism with a right triangle as base",),
        "tetrahedron": ("regular tetrahedron",),
        "solid": ("solid", "remaining solid", "whole solid"),
    },
    "zh": {
        "cuboid": ("长方体",),
        "cube": ("正方体", "立方体"),
        "cylinder": ("圆柱", "圆柱体"),
        "cone": ("圆锥", "圆锥体"),
        "sphere": ("球", "球体"),
        "hemisphere": ("半球",),
        "frustum": ("圆台",),
        "pyramid": ("正四棱锥",),
        "hexpyramid": ("正六棱锥",),
        "triprism": ("正三棱柱",),
        "hexprism": ("正六棱柱",),
        "wedge": ("底面为直角三角形的直三棱柱",),
        "tetrahedron": ("正四面体",),
        "solid": ("几何体", "剩余几何体", "整个几何体"),
    },
}
"""The first name is the one of options and prose; the writer draws among all."""

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
            "p": ("distance of opposite corners over the unfolded front with top",),
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
        "cylinder": {**_ROUND["en"], "U": ("surface area without the lid",)},
        "cone": {
            **_ROUND["en"],
            "l": ("slant height",),
            "n": ("central angle of the unrolled lateral surface",),
        },
        "sphere": {"r": ("radius",), "d": ("diameter",), "G": ("area of a great circle",)},
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
        },
        "pyramid": {"a": _PRISM["en"]["a"], "s": ("slant height",), "e": ("lateral edge",)},
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
            "p": ("沿前面和上面连接相对顶点的最短路径长",),
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
        "cylinder": {**_ROUND["zh"], "U": ("无盖时的表面积",)},
        "cone": {**_ROUND["zh"], "l": ("母线长", "母线"), "n": ("侧面展开图的圆心角",)},
        "sphere": {"r": ("半径",), "d": ("直径",), "G": ("大圆面积",)},
        "hemisphere": {"r": ("半径",), "d": ("直径",), "B": ("平面部分的面积",), "L": ("曲面部分的面积",)},
        "frustum": {
            "R": ("下底面半径",),
            "r": ("上底面半径",),
            "B": ("下底面面积",),
            "T": ("上底面面积",),
            "l": ("母线长",),
        },
        "pyramid": {"a": _PRISM["zh"]["a"], "s": ("斜高",), "e": ("侧棱长",)},
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


def quantities(kind: str, lang: Lang) -> dict[str, tuple[str, ...]]:
    """The words of each letter of a solid of ``kind``."""
    words = {letter: names for letter, names in _ALL[lang].items() if letter not in _WITHOUT.get(kind, "")}
    return {**words, **_OWN[lang][kind]}


GIVEN: dict[Lang, tuple[str, ...]] = {
    "en": ("A {new} has {measures}.", "Consider a {new} with {measures}."),
    "zh": ("一个{new}的{measures}。", "已知{new}的{measures}。"),
}
ALSO_GIVEN: dict[Lang, tuple[str, ...]] = {
    "en": ("In a {new} {measures}.", "In a {new}, {measures}.", "A {new} with {measures}."),
    "zh": ("{new}的{measures}。", "{new}{measures}。", "一个{new}，{measures}。", "已知一个{new}的{measures}。"),
}
"""Wordings of published problems, which are read and not written."""
ALSO_IN_UNIT: dict[Lang, tuple[str, ...]] = {
    "en": ("Find its {quantity} in {unit}.", "What is its {quantity} in {unit}?"),
    "zh": ("它的{quantity}是多少{unit}？",),
}
ALSO_ABOUT_IT: dict[Lang, tuple[str, ...]] = {
    "en": ("Find the {quantity}.",),
    "zh": ("求{quantity}。", "求其{quantity}。"),
}
ITEMS: dict[Lang, tuple[str, ...]] = {
    "en": ("{quantity} {value}", "a {quantity} of {value}"),
    "zh": ("{quantity}{is}{value}",),
}
LATER: dict[Lang, tuple[str, ...]] = {
    "en": ("The {quantity} of the {known} is {value}.", "The {known} has {measures}."),
    "zh": ("{known}的{measures}。", "其中{known}的{measures}。"),
}
EQUAL: dict[Lang, tuple[str, ...]] = {
    "en": ("The {quantity} of the {known} is equal to the {other} of the {second}.",),
    "zh": ("{known}的{quantity}等于{second}的{other}。",),
}
TIMES: dict[Lang, tuple[str, ...]] = {
    "en": (
        "The {quantity} of the {known} is {times} times the {other} of the {second}.",
        "The {quantity} of the {known} is {times} times as large as the {other} of the {second}.",
    ),
    "zh": ("{known}的{quantity}是{second}的{other}的{times}倍。",),
}
RECAST: dict[Lang, tuple[str, ...]] = {
    "en": (
        "It is melted down and recast into a {new} with {measures}.",
        "It is melted down and cast, without any loss, into a {new} with {measures}.",
    ),
    "zh": ("把它熔铸成一个{new}，{known}的{measures}。", "将它熔化后铸成一个{new}，{known}的{measures}。"),
}
MANY: dict[Lang, tuple[str, ...]] = {
    "en": ("It is melted down and recast into {times} equal copies of a {new}.",),
    "zh": ("把它熔铸成{times}个相同的{new}。",),
}
STRUCTURES: dict[Lang, dict[str, tuple[str, ...]]] = {
    "en": {
        "cylinder + cone": (
            "A solid is made of a cylinder and a cone that stands on it; their bases coincide.",
            "A cone is put on a cylinder so that their bases coincide.",
        ),
        "cylinder + hemisphere": (
            "A solid is made of a cylinder and a hemisphere that stands on it; their bases coincide.",
            "A hemisphere is put on a cylinder so that their bases coincide.",
        ),
        "cone + hemisphere": (
            "A solid is made of a cone and a hemisphere; their bases coincide.",
            "A cone is put on a hemisphere so that their bases coincide.",
        ),
        "cylinder - cone": ("A cone with the same base and the same height is hollowed out of a cylinder.",),
        "cylinder - hemisphere": ("A hemisphere with the same base is hollowed out of a cylinder.",),
        "cuboid + pyramid": ("A regular square pyramid is put on a cuboid so that their square bases coincide.",),
        "cube + pyramid": ("A regular square pyramid is put on a cube so that its base is a face of the cube.",),
        "cube - sphere": ("A sphere that touches all faces is cut out of a cube.",),
        "cylinder - sphere": ("A sphere that touches both bases and the lateral surface is cut out of a cylinder.",),
    },
    "zh": {
        "cylinder + cone": (
            "一个几何体由圆柱和放在它上面的圆锥组成，两者的底面重合。",
            "在圆柱上放一个圆锥，两者的底面重合。",
        ),
        "cylinder + hemisphere": (
            "一个几何体由圆柱和放在它上面的半球组成，两者的底面重合。",
            "在圆柱上放一个半球，两者的底面重合。",
        ),
        "cone + hemisphere": ("一个几何体由圆锥和半球组成，两者的底面重合。", "在半球上放一个圆锥，两者的底面重合。"),
        "cylinder - cone": ("从一个圆柱中挖去一个等底等高的圆锥。",),
        "cylinder - hemisphere": ("从一个圆柱中挖去一个等底的半球。",),
        "cuboid + pyramid": ("在长方体上放一个正四棱锥，两者的正方形底面重合。",),
        "cube + pyramid": ("在正方体上放一个正四棱锥，它的底面是正方体的一个面。",),
        "cube - sphere": ("从一个正方体中挖去一个与各面都相切的球。",),
        "cylinder - sphere": ("从一个圆柱中挖去一个与两个底面和侧面都相切的球。",),
    },
}
QUESTIONS: dict[Lang, tuple[str, ...]] = {
    "en": ("Find the {quantity} of the {known}.", "What is the {quantity} of the {known}?"),
    "zh": ("求{known}的{quantity}。", "{known}的{quantity}是多少？"),
}
ABOUT_IT: dict[Lang, tuple[str, ...]] = {
    "en": ("Find its {quantity}.", "What is its {quantity}?"),
    "zh": ("求它的{quantity}。", "它的{quantity}是多少？"),
}
IN_UNIT: dict[Lang, tuple[str, ...]] = {
    "en": ("Find the {quantity} of the {known} in {unit}.", "What is the {quantity} of the {known} in {unit}?"),
    "zh": ("求{known}的{quantity}（单位：{unit}）。", "{known}的{quantity}是多少{unit}？"),
}
POWERS = {"": "", "square ": "^2", "cubic ": "^3"}
UNIT_WORDS: dict[Lang, dict[str, str]] = {
    "en": {"L": "litres", "mL": "millilitres"},
    "zh": {"L": "升", "mL": "毫升", "cm": "厘米", "m": "米", "dm": "分米", "mm": "毫米",
           "cm^2": "平方厘米", "m^2": "平方米", "dm^2": "平方分米", "mm^2": "平方毫米",
           "cm^3": "立方厘米", "m^3": "立方米", "dm^3": "立方分米", "mm^3": "立方毫米"},
}  # fmt: skip
