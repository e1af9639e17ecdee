"""The seating world in Chinese, in words of our own.

The tables are in the notation of :mod:`.own_templates`.
"""

from __future__ import annotations

from srt.worlds.seating.writing.phrases import DIRECTIONS_ZH

PEOPLE = (
    *("小芳", "小刚", "小兰", "小梅", "小军", "小玲", "阿宝", "阿珍"),
    *("阿强", "阿福", "大伟", "大力", "晓燕", "晓峰", "丽丽", "文静"),
    *("志明", "春花", "秋月", "建国", "海涛", "玉珠", "思雨", "浩然"),
)
POTS = (
    *("玉簪", "芍药", "海棠", "杜鹃", "桂花", "梅花", "兰草", "文竹"),
    *("虎尾兰", "石榴", "茶梅", "腊梅", "紫藤", "芦荟", "丁香", "绿萝"),
    *("风信子", "仙人掌", "吊兰", "铜钱草", "蔷薇", "薄荷", "迷迭香", "栀子"),
)
NAMES = {"booth": PEOPLE, "hexagon-out": PEOPLE, "hexagon-in": PEOPLE, "shelf": POTS}
JOINER = "、"
CLUE_LINE = "({number}) {clue}；"
LAST_CLUE_LINE = "({number}) {clue}。"
QUESTION_LINE = "{question}。"
NONE_OF_THE_ABOVE = "以上选项都不是"


_CARDINALS = {"north": "北", "east": "东", "south": "南", "west": "西"}
_COUNTS = {"": "一", ", 2": "二", ", 3": "三", ", 4": "四", ", 5": "五"}
FIELDS = {
    "side": {"left": "左", "right": "右"},
    "opposite": {"across": "正对", "diag": "斜对"},
    "direction": DIRECTIONS_ZH,
    "bearing": _CARDINALS | {"northeast": "东北", "southeast": "东南", "southwest": "西南", "northwest": "西北"},
    "cardinal": _CARDINALS,
    "count": _COUNTS,
    "count_but_3": {count: word for count, word in _COUNTS.items() if word != "三"},
    "rotation": {"cw": "顺时针", "ccw": "逆时针"},
    "corner": {"upper_left": "左上", "upper_right": "右上", "lower_left": "左下", "lower_right": "右下"},
    "rise": {", 1": "一层", ", 2": "两层"},
    "vertical": {"up": "上", "down": "下"},
    "floors": {"": "一层", ", 2": "两层"},
    "tier": {"1": "一", "2": "二", "3": "三"},
    "column": {"E": "东", "W": "西"},
    "spot": {
        "over": "正上",
        "under": "正下",
        "upper_left": "左上",
        "upper_right": "右上",
        "lower_left": "左下",
        "lower_right": "右下",
        "left": "左邻",
        "right": "右邻",
    },
}

_BOOTH = (
    ("{side}({Y}) = {X}", "{X}在{Y}{side}边", "{Y}的{side}邻是{X}"),
    ("front_{side}({Y}) = {X}", "{X}在{Y}{side}前"),
    ("{opposite}({side}({Y})) = {X}", "{X}{opposite}{Y}的{side}邻", "{Y}的{side}邻{opposite}{X}"),
    ("{opposite}({Y}) = {X}", "{X}{opposite}{Y}"),
    ("across({Y}) != {X}", "{X}不正对{Y}"),
    ("{X} in beside({Y})", "{X}和{Y}同排"),
    ("{X} notin beside({Y})", "{X}和{Y}不同排"),
    ("faces({X}) = {direction}", "{X}面向{direction}"),
)
_HEXAGON = (
    ("{side}({Y}{count}) = {X}", "{X}在{Y}{side}数第{count}位"),
    # The place opposite the third one is Y's own.
    ("across({side}({Y}{count_but_3})) = {X}", "{X}在{Y}{side}数第{count_but_3}位的对面"),
    ("{rotation}({Y}{count}) = {X}", "{X}在{Y}{rotation}第{count}位"),
    ("across({Y}) = {X}", "{X}在{Y}对面"),
    ("{X} in beside({Y})", "{X}紧邻{Y}"),
    ("{X} notin beside({Y})", "{X}不紧邻{Y}"),
    ("{X} in one_between({Y})", "{X}与{Y}隔一位"),
    ("{X} in {side}_side({Y})", "{X}在{Y}{side}手一侧"),
    ("{X} in {bearing}({Y})", "{X}在{Y}以{bearing}"),
    ("{X} in due_{cardinal}({Y})", "{X}在{Y}正{cardinal}"),
    ("faces({X}) = {direction}", "{X}面向{direction}"),
)
_SHELF = (
    ("{side}({Y}) = {X}", "{X}在{Y}同层{side}边"),
    ("{X} in {corner}({Y})", "{X}在{Y}{corner}"),
    ("{X} in {corner}({Y}{rise})", "{X}在{Y}{corner}{rise}"),
    ("{vertical}({Y}{floors}) = {X}", "{X}在{Y}正{vertical}方{floors}"),
    ("{X} in over({Y})", "{X}在{Y}正上方某层"),
    ("{X} in under({Y})", "{X}在{Y}正下方某层"),
    ("{X} in beside({Y})", "{X}和{Y}在一层上"),
    ("{X} in tier_next({Y})", "{X}与{Y}差一层"),
    ("{X} in tier_above({Y})", "{X}在{Y}的上面一层"),
    ("{X} in tier_below({Y})", "{X}在{Y}的下面一层"),
    ("{X} in tier_apart({Y})", "{X}与{Y}中间隔一层"),
    ("{X} in stacked({Y})", "{X}和{Y}上下紧邻"),
    ("{X} in diag_above({Y})", "{X}在{Y}斜上"),
    ("{X} in diag_below({Y})", "{X}在{Y}斜下"),
    ("{X} in above({Y})", "{X}比{Y}高"),
    ("{X} in below({Y})", "{X}比{Y}低"),
    ("{X} in same_side({Y})", "{X}和{Y}同列"),
    ("{X} notin same_side({Y})", "{X}和{Y}不同列"),
    ("tier({X}) = {tier}", "{X}在第{tier}层上"),
    ("{X}@{tier}{column}", "{X}在第{tier}层{column}格"),
    ("column({X}) = {column}", "{X}在{column}列"),
    ("meet({spot}({X}), {spot2}({Y}))", "{X}的{spot}有一格也是{Y}的{spot2}"),
)
WORDINGS = {"booth": _BOOTH, "hexagon": _HEXAGON, "shelf": _SHELF}
OPENINGS = {
    "short": {
        "booth": "卡座{compass}：{names}。",
        "hexagon-out": "六人环坐，面朝外{compass}：{names}。",
        "hexagon-in": "六人环坐，面朝内{compass}：{names}。",
        "shelf": "三层花架，左东右西：{names}。",
    },
    "long": {
        "booth": "{names}同坐一个卡座：两排座位隔桌相对，每排两座。{compass}",
        "hexagon-out": "{names}站在正六边形的六个顶点上，都背对中心。{compass}",
        "hexagon-in": "{names}站在正六边形的六个顶点上，都面向中心。{compass}",
        "shelf": "{names}摆在一个三层的架子上，从下往上数，每层两格。从观者看，东在左，西在右。",
    },
}
COMPASS = {
    ("short", "booth", "NS"): "，南北两排",
    ("short", "booth", "EW"): "，东西两排",
    ("short", "hexagon", "NS"): "，座位为北、东北、东南、南、西南、西北",
    ("short", "hexagon", "EW"): "，座位为东北、东、东南、西南、西、西北",
    ("long", "booth", "NS"): "一排在桌子北侧，另一排在南侧。",
    ("long", "booth", "EW"): "一排在桌子东侧，另一排在西侧。",
    ("long", "hexagon", "NS"): "六个顶点分别在中心的北、东北、东南、南、西南、西北方。",
    ("long", "hexagon", "EW"): "六个顶点分别在中心的东北、东、东南、西南、西、西北方。",
}
