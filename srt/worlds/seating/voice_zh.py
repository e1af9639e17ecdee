"""The seating world in Chinese, in words of our own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from srt.worlds.seating.scenes import Scene
from srt.worlds.seating.voice import Wording

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

DIRECTIONS = {"N": "北", "NE": "东北", "E": "东", "SE": "东南", "S": "南", "SW": "西南", "W": "西", "NW": "西北"}
REGIONS = {
    "north": "北",
    "northeast": "东北",
    "east": "东",
    "southeast": "东南",
    "south": "南",
    "southwest": "西南",
    "west": "西",
    "northwest": "西北",
}
NUMBERS = ("零", "一", "二", "三", "四", "五")
SIDES = {"left": "左", "right": "右"}
MEETING = {
    "over": "正上",
    "under": "正下",
    "upper_left": "左上",
    "upper_right": "右上",
    "lower_left": "左下",
    "lower_right": "右下",
    "left": "左邻",
    "right": "右邻",
}


def opening(scene: Scene, style: Literal["short", "long"]) -> str:
    """The words before the clues, with ``{names}`` in them."""
    return _short(scene) if style == "short" else _long(scene)


def wordings(scene: Scene) -> Iterator[Wording]:
    """Every relation that ``scene`` has, with its sentences."""
    if scene.kind == "booth":
        yield from _booth(scene)
    elif scene.kind == "shelf":
        yield from _shelf()
    else:
        yield from _hexagon(scene)


def _booth(scene: Scene) -> Iterator[Wording]:
    for side, word in SIDES.items():
        yield Wording(f"{side}({{Y}}) = {{X}}", (f"{{X}}在{{Y}}{word}边", f"{{Y}}的{word}邻是{{X}}"))
        yield Wording(f"front_{side}({{Y}}) = {{X}}", (f"{{X}}在{{Y}}{word}前",))
        for function, verb in (("across", "正对"), ("diag", "斜对")):
            yield Wording(
                f"{function}({side}({{Y}})) = {{X}}", (f"{{X}}{verb}{{Y}}的{word}邻", f"{{Y}}的{word}邻{verb}{{X}}")
            )
    yield Wording("across({Y}) = {X}", ("{X}正对{Y}",))
    yield Wording("across({Y}) != {X}", ("{X}不正对{Y}",))
    yield Wording("diag({Y}) = {X}", ("{X}斜对{Y}",))
    yield Wording("{X} in beside({Y})", ("{X}和{Y}同排",))
    yield Wording("{X} notin beside({Y})", ("{X}和{Y}不同排",))
    if scene.compass != "none":
        for letter in scene.compass:
            yield Wording(f"faces({{X}}) = {letter}", (f"{{X}}面向{DIRECTIONS[letter]}",))


def _hexagon(scene: Scene) -> Iterator[Wording]:
    for k in range(1, 6):
        for side, word in SIDES.items():
            place = f"{{Y}}{word}数第{NUMBERS[k]}位"
            yield Wording(f"{_apply(side, k)} = {{X}}", (f"{{X}}在{place}",))
            if k != 3:  # the place opposite the third one is Y's own
                yield Wording(f"across({_apply(side, k)}) = {{X}}", (f"{{X}}在{place}的对面",))
        for function, word in (("cw", "顺时针"), ("ccw", "逆时针")):
            yield Wording(f"{_apply(function, k)} = {{X}}", (f"{{X}}在{{Y}}{word}第{NUMBERS[k]}位",))
    yield Wording("across({Y}) = {X}", ("{X}在{Y}对面",))
    yield Wording("{X} in beside({Y})", ("{X}紧邻{Y}",))
    yield Wording("{X} notin beside({Y})", ("{X}不紧邻{Y}",))
    yield Wording("{X} in one_between({Y})", ("{X}与{Y}隔一位",))
    for side, word in SIDES.items():
        yield Wording(f"{{X}} in {side}_side({{Y}})", (f"{{X}}在{{Y}}{word}手一侧",))
    if scene.compass == "none":
        return
    for region, word in REGIONS.items():
        yield Wording(f"{{X}} in {region}({{Y}})", (f"{{X}}在{{Y}}以{word}",))
        if len(word) == 1:
            yield Wording(f"{{X}} in due_{region}({{Y}})", (f"{{X}}在{{Y}}正{word}",))
    for letters in scene.seats:  # the seats' names are the directions that are looked in
        yield Wording(f"faces({{X}}) = {letters}", (f"{{X}}面向{DIRECTIONS[letters]}",))


def _shelf() -> Iterator[Wording]:
    tiers = ((1, "一层"), (2, "两层"))
    for side, word in SIDES.items():
        yield Wording(f"{side}({{Y}}) = {{X}}", (f"{{X}}在{{Y}}同层{word}边",))
        for height, way in (("upper", "上"), ("lower", "下")):
            yield Wording(f"{{X}} in {height}_{side}({{Y}})", (f"{{X}}在{{Y}}{word}{way}",))
            for k, count in tiers:
                yield Wording(f"{{X}} in {height}_{side}({{Y}}, {k})", (f"{{X}}在{{Y}}{word}{way}{count}",))
    for function, region, way in (("up", "over", "上"), ("down", "under", "下")):
        for k, count in tiers:
            yield Wording(f"{_apply(function, k)} = {{X}}", (f"{{X}}在{{Y}}正{way}方{count}",))
        yield Wording(f"{{X}} in {region}({{Y}})", (f"{{X}}在{{Y}}正{way}方某层",))
    for region, text in (
        ("beside", "{X}和{Y}在一层上"),
        ("tier_next", "{X}与{Y}差一层"),
        ("tier_apart", "{X}与{Y}中间隔一层"),
        ("tier_above", "{X}在{Y}的上面一层"),
        ("tier_below", "{X}在{Y}的下面一层"),
        ("stacked", "{X}和{Y}上下紧邻"),
        ("diag_above", "{X}在{Y}斜上"),
        ("diag_below", "{X}在{Y}斜下"),
        ("above", "{X}比{Y}高"),
        ("below", "{X}比{Y}低"),
        ("same_side", "{X}和{Y}同列"),
    ):
        yield Wording(f"{{X}} in {region}({{Y}})", (text,))
    yield Wording("{X} notin same_side({Y})", ("{X}和{Y}不同列",))
    for tier in (1, 2, 3):
        yield Wording(f"tier({{X}}) = {tier}", (f"{{X}}在第{NUMBERS[tier]}层上",))
        for column in ("E", "W"):
            yield Wording(f"{{X}}@{tier}{column}", (f"{{X}}在第{NUMBERS[tier]}层{DIRECTIONS[column]}格",))
    for column in ("E", "W"):
        yield Wording(f"column({{X}}) = {column}", (f"{{X}}在{DIRECTIONS[column]}列",))
    for first, r in MEETING.items():
        for second, s in MEETING.items():
            if first != second:
                yield Wording(f"meet({first}({{X}}), {second}({{Y}}))", (f"{{X}}的{r}有一格也是{{Y}}的{s}",))


def _apply(function: str, k: int) -> str:
    return f"{function}({{Y}})" if k == 1 else f"{function}({{Y}}, {k})"


def _short(scene: Scene) -> str:
    if scene.kind == "booth":
        return f"卡座{ {'none': '', 'NS': '，南北两排', 'EW': '，东西两排'}[scene.compass] }：{{names}}。"
    if scene.kind == "shelf":
        return "三层花架，左东右西：{names}。"
    facing = "外" if scene.kind == "hexagon-out" else "内"
    seats = "" if scene.compass == "none" else f"，座位为{_seat_words(scene)}"
    return f"六人环坐，面朝{facing}{seats}：{{names}}。"


def _long(scene: Scene) -> str:
    if scene.kind == "booth":
        sides = {"none": "", "NS": "一排在桌子北侧，另一排在南侧。", "EW": "一排在桌子东侧，另一排在西侧。"}
        return "{names}同坐一个卡座：两排座位隔桌相对，每排两座。" + sides[scene.compass]
    if scene.kind == "shelf":
        return "{names}摆在一个三层的架子上，从下往上数，每层两格。从观者看，东在左，西在右。"
    facing = "都背对中心" if scene.kind == "hexagon-out" else "都面向中心"
    text = f"{{names}}站在正六边形的六个顶点上，{facing}。"
    return text if scene.compass == "none" else f"{text}六个顶点分别在中心的{_seat_words(scene)}方。"


def _seat_words(scene: Scene) -> str:
    return "、".join(DIRECTIONS[seat] for seat in scene.seats)
