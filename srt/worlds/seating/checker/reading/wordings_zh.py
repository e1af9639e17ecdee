"""The Chinese wordings: those of the published texts, and our own short ones."""

from __future__ import annotations

from srt.worlds.seating.checker.reading.grammar import Grammar, Word, rule

_SIDES: list[Word] = [{"side": "left", "左": "左"}, {"side": "right", "左": "右"}]
_TURNS: list[Word] = [{"f": "cw", "顺": "顺"}, {"f": "ccw", "顺": "逆"}]
_COUNTS: list[Word] = [
    {"k": "", "一": "一", "n": "[一|1]"},
    {"k": ", 2", "一": "二", "n": "[二|2]"},
    {"k": ", 3", "一": "三", "n": "[三|3]"},
    {"k": ", 4", "一": "四", "n": "[四|4]"},
    {"k": ", 5", "一": "五", "n": "[五|5]"},
]
_CARDINALS: list[Word] = [
    {"D": "N", "dir": "north", "北": "北"},
    {"D": "E", "dir": "east", "北": "东"},
    {"D": "S", "dir": "south", "北": "南"},
    {"D": "W", "dir": "west", "北": "西"},
]
_QUADRANTS: list[Word] = [
    {"D": "NE", "dir": "northeast", "北": "东北"},
    {"D": "SE", "dir": "southeast", "北": "东南"},
    {"D": "SW", "dir": "southwest", "北": "西南"},
    {"D": "NW", "dir": "northwest", "北": "西北"},
]
_BOOTH = (
    rule(
        "side",
        "{side}(Y) = X",
        "X在Y同侧{左}边",
        "X在Y{左}手边挨着坐",
        "坐在Y{左}手边的是X",
        "Y{左}手边坐着X",
        "X是Y的{左}邻",
        "X在Y{左}边[|坐]",
        "Y的{左}邻是X",
    ),
    rule("side dir", "{side}(Y) = X & faces(X) = {D}", "X面朝{北}且在Y{左}手边挨着坐"),
    rule("dir", "faces(X) = {D}", "X面向{北}"),
    rule("dir", "X in beside(Y) & faces(X) = {D}", "X面朝{北}且跟Y挨着坐"),
    rule("dir", "across(Y) = X & faces(X) = {D}", "X面朝{北}坐在Y正对面"),
    rule("dir", "diag(Y) = X & faces(X) = {D}", "X面朝{北}坐在Y斜对面"),
    rule("", "X in beside(Y)", "X和Y[挨着坐|同排]"),
    rule("", "X notin beside(Y)", "X和Y[不挨着坐|不是并排坐的|身体朝向不同方向|不在同一排坐|不同排]"),
    rule("", "across(Y) = X", "X和Y面对面坐", "X在Y[|的]正对面", "X正对Y"),
    rule("", "across(Y) != X", "X不和Y面对面坐", "X不正对Y"),
    rule("", "diag(Y) = X", "X在Y[|的]斜对面[|坐]", "X斜对Y"),
    rule("side", "front_{side}(Y) = X", "X在Y{左}前[|方]"),
    rule("side", "across({side}(Y)) = X", "X的正对面是Y的{左}邻", "X正对Y的{左}邻"),
    rule("side", "diag({side}(Y)) = X", "X的斜对面是Y的{左}邻", "X斜对Y的{左}邻"),
    rule("side", "across({side}(X)) = Y", "X的{左}邻在Y的正对面", "X的{左}邻正对Y"),
    rule("side", "diag({side}(X)) = Y", "X的{左}邻在Y的斜对面", "X的{左}邻斜对Y"),
)
_HEXAGON = (
    rule(
        "side k",
        "{side}(Y{k}) = X",
        "从Y的{左}边数起第{n}个位置是X",
        "Y的{左}边起第{n}个[就是|是]X",
        "X在Y{左}边数起第{n}个位置",
        "X在Y{左}数第{一}位",
    ),
    rule(
        "side",
        "{side}(Y) = X",
        "Y的{左}边[紧接着|接着]就是X",
        "X在Y{左}侧紧邻位置",
        "X在紧挨着Y的{左}边",
        "X在Y的{左}边[紧挨着|，二者相邻]",
    ),
    rule("side", "{side}(Y, 2) = X", "X在Y[的{左}边|{左}边|{左}侧]隔着一个位置", "X在Y{左}斜对面"),
    rule("turn k", "{f}(Y{k}) = X", "X在Y{顺}时针方向[|的|数]第{n}个位置", "X在Y{顺}时针第{一}位"),
    rule("", "across(Y) = X", "X在Y的正背面", "X与Y[正背对|正对面|之间隔着两个位置]", "X在Y[|的]正对面", "X在Y对面"),
    rule("side k", "across({side}(Y{k})) = X", "X背对的位置是Y{左}边第{n}个位置", "X在Y{左}数第{一}位的对面"),
    rule("dir", "faces(X) = {D}", "X[朝着|朝|面朝]正{北}方向", "X朝向正{北}", "X面向{北}"),
    rule("quadrant", "faces(X) = {D}", "X[朝着|朝|面朝]{北}方向", "X[朝向|面向]{北}"),
    rule("dir", "X in {dir}(Y)", "X在Y[{北}边|以{北}]"),
    rule("quadrant", "X in {dir}(Y)", "X在Y[{北}边|以{北}]"),
    rule("dir", "X in due_{dir}(Y)", "X在Y正{北}[|边]"),
    rule("", "X in beside(Y)", "X与Y相邻", "X[紧邻|挨着|紧挨着]Y", "X在Y[|的]旁边", "X在Y同侧范围内"),
    rule("", "X notin beside(Y)", "X不在Y旁边", "X与Y不相邻", "X与Y之间隔着其他实体", "X不紧邻Y"),
    rule("", "X in one_between(Y)", "X与Y之间隔着一个位置", "X在Y[|的]斜对面", "X与Y隔一位"),
    rule(
        "side",
        "X in {side}_side(Y)",
        "X在Y{左}边[|的某个位置|某个位置]",
        "X在Y{左}侧[|范围内]",
        "X相对于Y在{左}边",
        "X在Y{左}手一侧",
    ),
)
_TIERS: list[Word] = [
    {"t": "1", "一": "一", "层": "[一|第一|底]层"},
    {"t": "2", "一": "二", "层": "[二|第二|中间]层"},
    {"t": "3", "一": "三", "层": "[三|第三|顶]层"},
]
_COLUMNS: list[Word] = [{"c": "E", "东": "东", "侧": "[东|左]侧"}, {"c": "W", "东": "西", "侧": "[西|右]侧"}]
_RISES: list[Word] = [
    {"r": "upper", "over": "over", "up": "up", "above": "above", "上": "上"},
    {"r": "lower", "over": "under", "up": "down", "above": "below", "上": "下"},
]
_CORNERS: list[Word] = [
    {"corner": f"{rise}_{side}", "左上": left + up}
    for rise, up in (("upper", "上"), ("lower", "下"))
    for side, left in (("left", "左"), ("right", "右"))
]
_OTHERS: list[Word] = [{"other": word["corner"], "左下": word["左上"]} for word in _CORNERS]
_AROUND: list[tuple[str, str]] = [
    ("over", "正上"),
    ("under", "正下"),
    ("upper_left", "左上"),
    ("upper_right", "右上"),
    ("lower_left", "左下"),
    ("lower_right", "右下"),
    ("left", "左邻"),
    ("right", "右邻"),
]
_SHELF = (
    rule("side", "{side}(Y) = X", "X是Y的{左}邻", "X在Y{左}边[|且二者同层]", "X在Y同层{左}边"),
    rule("", "X in beside(Y)", "X和Y左右相邻", "X和Y在[同一层|一层上]", "X与Y同层"),
    rule("", "X in tier_next(Y)", "X所在层和Y所在层相邻", "X与Y差一层"),
    rule("", "X in tier_apart(Y)", "X和Y隔[着|了]一层", "X与Y中间隔一层"),
    rule("rise", "X in tier_{above}(Y)", "X在Y[|的]{上}一层", "X在Y的{上}面一层"),
    rule("", "X in stacked(Y)", "X和Y上下[相邻|紧邻]"),
    rule("rise", "{up}(Y) = X", "X在Y正{上}方且二者不隔层", "X在Y正{上}方一层"),
    rule("rise", "{up}(Y, 2) = X", "X在Y正{上}方且二者隔了一层", "X在Y正{上}方两层"),
    rule("rise", "X in {over}(Y)", "X在Y正{上}方[|某层]"),
    rule("rise side", "X in {r}_{side}(Y)", "X在Y{左}{上}[|方]"),
    rule("rise side", "X in {r}_{side}(Y, 1)", "X在Y{左}{上}方且二者不隔层", "X在Y{左}{上}一层"),
    rule("rise side", "X in {r}_{side}(Y, 2)", "X在Y{左}{上}方且二者隔了一层", "X在Y{左}{上}两层"),
    rule("rise", "X in diag_{above}(Y)", "X在Y斜{上}[|方]"),
    rule("rise", "X in {above}(Y)", "X在Y{上}方"),
    rule("", "X in above(Y)", "X比Y高"),
    rule("", "X in below(Y)", "X比Y低"),
    rule("tier", "tier(X) = {t}", "X在{层}", "X在第{一}层上"),
    rule("column", "column(X) = {c}", "X在{侧}", "{侧}有X", "X在{东}列"),
    rule("tier column", "X@{t}{c}", "X在{层}{侧}", "{层}{侧}是X", "X在第{一}层{东}格"),
    rule("", "X in same_side(Y)", "X[与Y同侧|和Y同列]"),
    rule("", "X notin same_side(Y)", "X[与Y不同侧|和Y不同列]"),
    rule("side corner", "meet({side}(X), {corner}(Y))", "X的{左}邻在Y的{左上}方"),
    rule("side rise", "meet({side}(X), {over}(Y))", "X的{左}邻在Y的正{上}方"),
    rule("", "meet(over(X), under(Y))", "X的正上方是Y的正下方"),
    rule("", "meet(under(X), over(Y))", "X的正下方是Y的正上方"),
    rule("corner other", "meet({corner}(X), {other}(Y))", "X的{左上}方是Y的{左下}方"),
    rule("rise corner", "meet({over}(X), {corner}(Y))", "X的正{上}方是Y的{左上}方"),
    *(
        rule("", f"meet({r}(X), {s}(Y))", f"X的{first}有一格也是Y的{second}")
        for r, first in _AROUND
        for s, second in _AROUND
    ),
)

GRAMMAR = Grammar(
    words={
        "side": _SIDES,
        "turn": _TURNS,
        "k": _COUNTS,
        "dir": _CARDINALS,
        "quadrant": _QUADRANTS,
        "tier": _TIERS,
        "column": _COLUMNS,
        "rise": _RISES,
        "corner": _CORNERS,
        "other": _OTHERS,
    },
    rules={"booth": _BOOTH, "hexagon": _HEXAGON, "shelf": _SHELF},
)
