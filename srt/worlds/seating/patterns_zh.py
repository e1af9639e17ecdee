"""Chinese: the words of the seating world and how they combine. The notation is explained in :mod:`.patterns`."""

from __future__ import annotations

from srt.worlds.seating.patterns import Language, SceneSentence

_SIDES = {"左": "left", "右": "right"}
_ROTATIONS = {"顺时针": "cw", "逆时针": "ccw"}
_NUMBERS = {"[一1]": "", "[二2]": ", 2", "[三3]": ", 3", "[四4]": ", 4", "[五5]": ", 5"}
_BETWEEN = {"一": ", 2", "两": ", 3", "三": ", 4"}
_DIRECTIONS = {
    "东北": "NE",
    "西北": "NW",
    "东南": "SE",
    "西南": "SW",
    "北": "N",
    "南": "S",
    "东": "E",
    "西": "W",
}
_CARDINALS = {"北": "north", "南": "south", "东": "east", "西": "west"}
_BEARINGS = {"东北": "northeast", "西北": "northwest", "东南": "southeast", "西南": "southwest"} | _CARDINALS
_OPPOSITE = {"正对面": "across", "斜对面": "diag"}
_OPPOSITE_VERBS = {"正对": "across", "斜对": "diag"}
_CORNERS = {"左上": "upper_left", "右上": "upper_right", "左下": "lower_left", "右下": "lower_right"}
_SPOTS = {
    "正上方": "over",
    "正下方": "under",
    "左上方": "upper_left",
    "右上方": "upper_right",
    "左下方": "lower_left",
    "右下方": "lower_right",
    "左邻": "left",
    "右邻": "right",
}
_SHORT_SPOTS = {word.removesuffix("方"): region for word, region in _SPOTS.items()}
# "No tier between" is one tier away, "one tier between" is two; in claims of vertical neighbours the 1 is left out.
_TOGETHER = "，?且?(?:二者)?不隔层"
_APART = "，?且?(?:二者)?隔[了着]一层"

_BOOTH = (
    ("{X}在{Y}(?:同侧)?{side}边坐?", "{side}({Y}) = {X}"),
    ("{X}在{Y}{side}手边挨着坐", "{side}({Y}) = {X}"),
    ("坐在{Y}{side}手边的是{X}", "{side}({Y}) = {X}"),
    ("{Y}{side}手边坐着{X}", "{side}({Y}) = {X}"),
    ("{X}是{Y}的{side}邻", "{side}({Y}) = {X}"),
    ("{Y}的{side}邻是{X}", "{side}({Y}) = {X}"),
    ("{X}面朝{direction}，?且?在{Y}{side}手边挨着坐", "{side}({Y}) = {X} & faces({X}) = {direction}"),
    ("{X}面朝{direction}，?且?[跟和与]{Y}挨着坐", "{X} in beside({Y}) & faces({X}) = {direction}"),
    ("{X}面朝{direction}，?且?坐?在{Y}的?{opposite}", "{opposite}({Y}) = {X} & faces({X}) = {direction}"),
    ("{X}面[朝向]{direction}", "faces({X}) = {direction}"),
    ("{X}[和与跟]{Y}(?:挨着坐|(?:是)?并排坐(?:的)?|同排|在同一排坐)", "{X} in beside({Y})"),
    ("{X}[和与跟]{Y}(?:不挨着坐|不是并排坐的|不同排|不在同一排坐|身体朝向不同方向)", "{X} notin beside({Y})"),
    ("{X}[和与跟]{Y}面对面坐", "across({Y}) = {X}"),
    ("{X}不[和与跟]{Y}面对面坐", "across({Y}) != {X}"),
    ("{X}不正对{Y}", "across({Y}) != {X}"),
    ("{X}在{Y}的?{opposite}坐?", "{opposite}({Y}) = {X}"),
    ("{X}{opposite_verb}{Y}", "{opposite_verb}({Y}) = {X}"),
    ("{X}在{Y}{side}前方?", "front_{side}({Y}) = {X}"),
    ("{X}的{opposite}是{Y}的{side}邻", "{opposite}({side}({Y})) = {X}"),
    ("{X}在{Y}的{side}邻的{opposite}", "{opposite}({side}({Y})) = {X}"),
    ("{X}{opposite_verb}{Y}的{side}邻", "{opposite_verb}({side}({Y})) = {X}"),
    ("{X}的{side}邻在{Y}的?{opposite}", "{opposite}({side}({X})) = {Y}"),
    ("{X}的{side}邻{opposite_verb}{Y}", "{opposite_verb}({side}({X})) = {Y}"),
)

_HEXAGON = (
    ("{Y}的{side}边紧?接着就是{X}", "{side}({Y}) = {X}"),
    ("{X}在紧挨着{Y}的{side}边", "{side}({Y}) = {X}"),
    ("{X}在{Y}的?{side}边(?:紧挨着|，二者相邻)", "{side}({Y}) = {X}"),
    ("{X}在{Y}的?{side}侧紧邻位置", "{side}({Y}) = {X}"),
    ("{X}在{Y}的?{side}边数?起?第{number}个位置", "{side}({Y}{number}) = {X}"),
    ("{Y}的{side}边数?起第{number}个就?是{X}", "{side}({Y}{number}) = {X}"),
    ("从{Y}的{side}边数起第{number}个位置是{X}", "{side}({Y}{number}) = {X}"),
    ("{X}在{Y}{side}数第{number}位", "{side}({Y}{number}) = {X}"),
    ("{X}在{Y}的?{side}[边侧]隔着{between}个位置", "{side}({Y}{between}) = {X}"),
    ("{X}在{Y}的?{side}斜对面", "{side}({Y}, 2) = {X}"),
    ("{X}在{Y}的?{rotation}方向[数的]?第{number}个位置", "{rotation}({Y}{number}) = {X}"),
    ("{X}在{Y}{rotation}第{number}位", "{rotation}({Y}{number}) = {X}"),
    ("{X}背对的位置是{Y}的?{side}边第{number}个位置", "across({side}({Y}{number})) = {X}"),
    ("{X}在{Y}{side}数第{number}位的对面", "across({side}({Y}{number})) = {X}"),
    ("{X}[与和]{Y}(?:之间隔着两个位置|正背对|正对面)", "across({Y}) = {X}"),
    ("{X}在{Y}的?(?:正背面|正对面|对面)", "across({Y}) = {X}"),
    ("{X}[与和]{Y}(?:之间隔着一个位置|隔一位)", "{X} in one_between({Y})"),
    ("{X}在{Y}的?斜对面", "{X} in one_between({Y})"),
    ("{X}(?:面朝|朝着|朝向|面向|朝)正?{direction}(?:方向)?", "faces({X}) = {direction}"),
    ("{X}[与和]{Y}相邻", "{X} in beside({Y})"),
    ("{X}(?:紧邻|紧?挨着){Y}", "{X} in beside({Y})"),
    ("{X}在{Y}(?:的?旁边|同侧范围内)", "{X} in beside({Y})"),
    ("{X}[与和]{Y}(?:不相邻|之间隔着其他实体)", "{X} notin beside({Y})"),
    ("{X}不在{Y}的?旁边", "{X} notin beside({Y})"),
    ("{X}不(?:紧邻|紧?挨着){Y}", "{X} notin beside({Y})"),
    ("{X}在{Y}的?{side}(?:侧范围内|侧|边的?某个位置|边|手一侧)", "{X} in {side}_side({Y})"),
    ("{X}相对于{Y}在{side}边", "{X} in {side}_side({Y})"),
    ("{X}在{Y}的?{bearing}边", "{X} in {bearing}({Y})"),
    ("{X}在{Y}以{bearing}", "{X} in {bearing}({Y})"),
    ("{X}在{Y}的?正{cardinal}边?", "{X} in due_{cardinal}({Y})"),
)

_SHELF = (
    ("{X}所在层[和与]{Y}所在层相邻", "{X} in tier_next({Y})"),
    ("{X}[和与]{Y}差一层", "{X} in tier_next({Y})"),
    ("{X}[和与]{Y}(?:中间)?隔[着了]?一层", "{X} in tier_apart({Y})"),
    ("{X}在{Y}的?{up}(?:面)?一层", "{X} in tier_{up}({Y})"),
    ("{X}[和与]{Y}上下(?:相邻|紧邻)", "{X} in stacked({Y})"),
    ("{X}[和与]{Y}(?:左右相邻|在同一层|同层|在一层上)", "{X} in beside({Y})"),
    ("{X}是{Y}的{side}邻", "{side}({Y}) = {X}"),
    # Bare left and right on a shelf mean the same tier: so the published answers have it.
    ("{X}在{Y}的?(?:同层)?{side}边(?:且二者同层)?", "{side}({Y}) = {X}"),
    ("{X}在{Y}的?{corner}方?", "{X} in {corner}({Y})"),
    ("{X}在{Y}的?{corner}方?{tiers}", "{X} in {corner}({Y}{tiers})"),
    ("{X}在{Y}的?{corner}{rise}", "{X} in {corner}({Y}{rise})"),
    ("{X}在{Y}的?正{vertical}方{gap}", "{vertical}({Y}{gap}) = {X}"),
    ("{X}在{Y}的?正{vertical}方{floors}", "{vertical}({Y}{floors}) = {X}"),
    ("{X}在{Y}的?正{straight}方(?:某层)?", "{X} in {straight}({Y})"),
    ("{X}在{Y}的?斜{up}方?", "{X} in diag_{up}({Y})"),
    ("{X}在{Y}的?{up}方", "{X} in {up}({Y})"),
    ("{X}比{Y}{higher}", "{X} in {higher}({Y})"),
    ("{X}在{tier}上?", "tier({X}) = {tier}"),
    ("{X}在{tier}{column}[侧格]", "{X}@{tier}{column}"),
    ("{tier}{column}侧是{X}", "{X}@{tier}{column}"),
    ("{X}在{column}[侧列]", "column({X}) = {column}"),
    ("{column}侧有{X}", "column({X}) = {column}"),
    ("{X}[和与]{Y}(?:同侧|同列)", "{X} in same_side({Y})"),
    ("{X}[和与]{Y}(?:不同侧|不同列)", "{X} notin same_side({Y})"),
    ("{X}的{spot}(?:在|是){Y}的{spot2}", "meet({spot}({X}), {spot2}({Y}))"),
    ("{X}的{short_spot}有一格也是{Y}的{short_spot2}", "meet({short_spot}({X}), {short_spot2}({Y}))"),
)

_SCENE_SENTENCES = (
    SceneSentence("已知[：:]"),
    # Booths.
    SceneSentence("四人来到.+，选了四人卡座坐下。", kind="booth"),
    SceneSentence("卡座分列一张长方形桌子长边两侧，每排卡座上坐两人。"),
    SceneSentence("面对面而坐。"),
    SceneSentence("坐东边的两人面朝西，坐在西边的两人面朝东。", compass="EW"),
    SceneSentence("坐南边的两人面朝北，坐在北边的两人面朝南。", compass="NS"),
    SceneSentence("卡座：", kind="booth"),
    SceneSentence("卡座，(?:南北|北南)两排：", kind="booth", compass="NS"),
    SceneSentence("卡座，(?:东西|西东)两排：", kind="booth", compass="EW"),
    SceneSentence("同坐一个卡座：两排座位隔桌相对，每排两座。", kind="booth"),
    SceneSentence("一排在桌子(?:北侧，另一排在南|南侧，另一排在北)侧。", compass="NS"),
    SceneSentence("一排在桌子(?:东侧，另一排在西|西侧，另一排在东)侧。", compass="EW"),
    # Hexagons.
    SceneSentence("六座神像在神坛中围成一个圆圈，每座神像都背对神坛中心。", "hexagon-out"),
    SceneSentence("六座神像在神坛中围成一个圆圈，每座神像都正对神坛中心。", "hexagon-in"),
    SceneSentence("六个神像的位置恰好落在正六边形的六个顶点上。"),
    SceneSentence("六位道士在.+围成一个圆圈.+形成一个正六边形。"),
    SceneSentence("六人都面朝外背对圆心而坐。", "hexagon-out"),
    SceneSentence("六人都面朝内正对圆心而坐。", "hexagon-in"),
    SceneSentence("任意相邻两.+之间的(?:间距|距离)相等，大约为一米。"),
    SceneSentence("六.+朝向分别是(?:正南、正北|正北、正南)、西北、东北、西南、东南。", compass="NS"),
    SceneSentence("六.+朝向分别是(?:正东、正西|正西、正东)、西北、东北、西南、东南。", compass="EW"),
    SceneSentence("六人环坐，面朝外：", "hexagon-out"),
    SceneSentence("六人环坐，面朝内：", "hexagon-in"),
    SceneSentence("六人环坐，面朝外，座位为北、东北、东南、南、西南、西北：", "hexagon-out", "NS"),
    SceneSentence("六人环坐，面朝内，座位为北、东北、东南、南、西南、西北：", "hexagon-in", "NS"),
    SceneSentence("六人环坐，面朝外，座位为东北、东、东南、西南、西、西北：", "hexagon-out", "EW"),
    SceneSentence("六人环坐，面朝内，座位为东北、东、东南、西南、西、西北：", "hexagon-in", "EW"),
    SceneSentence("站在正六边形的六个顶点上，都背对中心。", "hexagon-out"),
    SceneSentence("站在正六边形的六个顶点上，都面向中心。", "hexagon-in"),
    SceneSentence("六个顶点分别在中心的北、东北、东南、南、西南、西北方。", compass="NS"),
    SceneSentence("六个顶点分别在中心的东北、东、东南、西南、西、西北方。", compass="EW"),
    # Shelves.
    SceneSentence("六盆花放置在三层花架上.+从下至上依次为第一、二、三层。", "shelf"),
    SceneSentence("花架紧靠大厅南墙放置，每层两格，各放一盆花，一在东，一在西。"),
    SceneSentence("画师站在花架前，面对花架支起画架，为花架中六盆花画素描。"),
    SceneSentence("在描述各花的方位关系时.+即东侧花盆为左，西侧花盆为右。"),
    SceneSentence("东侧花[盘盆]在西侧花[盘盆]左边，西侧花[盘盆]在东侧花[盘盆]右边。"),
    SceneSentence("三层花架，左东右西：", "shelf"),
    SceneSentence("摆在一个三层的架子上，从下往上数，每层两格。", "shelf"),
    SceneSentence("从观者看，东在左，西在右。"),
)

CHINESE = Language(
    vocabulary={
        "side": _SIDES,
        "rotation": _ROTATIONS,
        "number": _NUMBERS,
        "between": _BETWEEN,
        "direction": _DIRECTIONS,
        "bearing": _BEARINGS,
        "cardinal": _CARDINALS,
        "opposite": _OPPOSITE,
        "opposite_verb": _OPPOSITE_VERBS,
        "corner": _CORNERS,
        "spot": _SPOTS,
        "short_spot": _SHORT_SPOTS,
        "tiers": {_TOGETHER: ", 1", _APART: ", 2"},
        "gap": {_TOGETHER: "", _APART: ", 2"},
        "rise": {"一层": ", 1", "两层": ", 2"},
        "floors": {"一层": "", "两层": ", 2"},
        "up": {"上": "above", "下": "below"},
        "higher": {"高": "above", "低": "below"},
        "vertical": {"上": "up", "下": "down"},
        "straight": {"上": "over", "下": "under"},
        "tier": {"第?一层|底层": "1", "第?二层|中间层": "2", "第?三层|顶层": "3"},
        "column": {"[东左]": "E", "[西右]": "W"},
    },
    wordings={"booth": _BOOTH, "hexagon": _HEXAGON, "shelf": _SHELF},
    scene_sentences=_SCENE_SENTENCES,
    headers=(
        r"(?P<scene>(?:卡座|六人环坐|三层花架)[^：]*：)(?P<names>[^：。]+)。",
        r"(?P<names>[^。：]+?)(?P<scene>(?:四人来到|六座神像在|六位道士在|六盆花放置|同坐一个卡座|站在正六边形|摆在一个三层).+)",
    ),
    name_separator="、",
    word_edges=False,
)
