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
        "smallcone": ("small cone",),
        "smallcylinder": ("small cylinder",),
        "smallpyramid": ("small regular square pyramid",),
        "smallcuboid": ("small cuboid",),
        "solid": ("solid", "remaining solid"),
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
        "smallcone": ("小圆锥",),
        "smallcylinder": ("小圆柱",),
        "smallpyramid": ("小正四棱锥",),
        "smallcuboid": ("小长方体",),
        "solid": ("几何体", "剩余几何体"),
    },
}
"""The first name is the one of options and prose; the writer draws among all."""

GIVEN: dict[Lang, tuple[str, ...]] = {
    "en": ("A {new} has {measures}.", "Consider a {new} with {measures}."),
    "zh": ("一个{new}的{measures}。", "已知{new}的{measures}。"),
}
PICTURED: dict[Lang, tuple[str, ...]] = {"en": ("The figure shows a {new}.",), "zh": ("如图是一个{new}。",)}
"""Where the picture gives the measures; ``diagram_description`` lists its labels."""
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
POURED: dict[Lang, tuple[str, ...]] = {
    "en": (
        "It is full of water, which exactly fills a {new} with {measures}.",
        "When it is sunk in a vessel of water, the water that rises is a {new} with {measures}.",
    ),
    "zh": (
        "把它装满水，再全部倒入一个{new}，恰好装满，{known}的{measures}。",
        "把它浸没在盛水的容器中，上升的水是一个{new}，{known}的{measures}。",
    ),
}
"""Like :data:`RECAST`: the volume stays."""
RATIO: dict[Lang, tuple[str, ...]] = {
    "en": ("The {quantity} of the {second} to the {known} is {value}.",),
    "zh": ("{second}与{known}的{quantity}是{value}。",),
}
ASKED_RATIO: dict[Lang, tuple[str, ...]] = {
    "en": (
        "Find the {quantity} of the {second} to the {known}.",
        "What is the {quantity} of the {second} to the {known}?",
    ),
    "zh": ("求{second}与{known}的{quantity}。", "{second}与{known}的{quantity}是多少？"),
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
        "cone - smallcone": ("A plane parallel to the base cuts a small cone off a cone.",),
        "pyramid - smallpyramid": (
            "A plane parallel to the base cuts a small regular square pyramid off a regular square pyramid.",
        ),
        "cone - sphere": ("A sphere that touches the base and the lateral surface is cut out of a cone.",),
        "sphere - cube": ("A cube with all its corners on the surface is cut out of a sphere.",),
        "sphere - cuboid": ("A cuboid with all its corners on the surface is cut out of a sphere.",),
        "sphere - cylinder": ("A cylinder with the circles of both bases on the surface is cut out of a sphere.",),
        "sphere - cone": ("A cone with its apex and the circle of its base on the surface is cut out of a sphere.",),
        "cube - cylinder": ("The largest cylinder that stands on a face is cut out of a cube.",),
        "cube - cone": ("The largest cone that stands on a face is cut out of a cube.",),
        "cone ~ smallcone": ("A cone and a small cone are similar.",),
        "cylinder ~ smallcylinder": ("A cylinder and a small cylinder are similar.",),
        "pyramid ~ smallpyramid": ("A regular square pyramid and a small regular square pyramid are similar.",),
        "cuboid ~ smallcuboid": ("A cuboid and a small cuboid are similar.",),
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
        "cone - smallcone": ("用平行于底面的平面从一个圆锥上截去一个小圆锥。",),
        "pyramid - smallpyramid": ("用平行于底面的平面从一个正四棱锥上截去一个小正四棱锥。",),
        "cone - sphere": ("从一个圆锥中挖去一个与底面和侧面都相切的球。",),
        "sphere - cube": ("从一个球中挖去一个各顶点都在球面上的正方体。",),
        "sphere - cuboid": ("从一个球中挖去一个各顶点都在球面上的长方体。",),
        "sphere - cylinder": ("从一个球中挖去一个两个底面的圆周都在球面上的圆柱。",),
        "sphere - cone": ("从一个球中挖去一个顶点和底面的圆周都在球面上的圆锥。",),
        "cube - cylinder": ("从一个正方体中挖去一个底面在它的一个面上的最大的圆柱。",),
        "cube - cone": ("从一个正方体中挖去一个底面在它的一个面上的最大的圆锥。",),
        "cone ~ smallcone": ("一个圆锥和一个小圆锥相似。",),
        "cylinder ~ smallcylinder": ("一个圆柱和一个小圆柱相似。",),
        "pyramid ~ smallpyramid": ("一个正四棱锥和一个小正四棱锥相似。",),
        "cuboid ~ smallcuboid": ("一个长方体和一个小长方体相似。",),
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
