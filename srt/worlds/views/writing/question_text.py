"""The questions, in the manner of school texts and in wordings of ours: the rules, what is shown, the question."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from srt.io.records import Lang
from srt.worlds.views.claim_language import NET_FORMS, ViewClaim
from srt.worlds.views.kernel.stacks import Direction

VIEW_NAMES: dict[Lang, dict[str, str]] = {
    "en": {
        "front": "front view",
        "left": "left view",
        "right": "right view",
        "back": "back view",
        "top": "top view",
    },
    "zh": {"front": "主视图", "left": "左视图", "right": "右视图", "back": "后视图", "top": "俯视图"},
}
SEEN_FROM: dict[Lang, dict[Direction, str]] = {
    "en": {
        "front": "from the front",
        "left": "from the left",
        "right": "from the right",
        "back": "from the back",
        "top": "from above",
    },
    "zh": {
        "front": "从前面看",
        "left": "从左面看",
        "right": "从右面看",
        "back": "从后面看",
        "top": "从上面看",
    },
}
TURN_SEEN: dict[Lang, dict[str, str]] = {
    "en": {**SEEN_FROM["en"], "bottom": "from below"},  # type: ignore[dict-item]
    "zh": {**SEEN_FROM["zh"], "bottom": "从下面看"},  # type: ignore[dict-item]
}
_RULES: dict[Lang, tuple[str, ...]] = {
    "en": (
        "A solid is built of equal cubes. Every cube stands on the table or exactly on another cube.",
        "Equal cubes are stacked on a table, each on the table itself or exactly on another cube, to form a solid.",
    ),
    "zh": (
        "用大小相同的小立方块搭成一个几何体，每个小立方块都放在桌面上或正好叠在另一个小立方块上。",
        "一个几何体由若干个相同的小立方块搭成，每个小立方块或放在桌面上，或正好叠在另一个小立方块上。",
    ),
}
_NEED_NOT_TOUCH: dict[Lang, str] = {"en": " Stacks need not touch each other.", "zh": "各摞之间可以不相邻。"}
_EVERY_TOP: dict[Lang, str] = {
    "en": " The top of every stack can be seen, at least in part.",
    "zh": "每一摞最上面的面都至少能看到一部分。",
}
_SHOWN: dict[Lang, dict[str, tuple[str, ...]]] = {
    "en": {
        "views": ("Its {views} are shown.", "The pictures show its {views}."),
        "view": ("Its {views} is shown.",),
        "solid": ("The picture shows it from the front right and above.",),
        "plan": (
            "Its plan is shown, the front at the bottom; the number in a square says how many cubes are stacked there.",
        ),
        "unnamed": ("The pictures show the solid, from the front right and above, and one of its views.",),
        "options": (
            "The options show such solids from the front right and above, and the question shows the {views}.",
        ),
    },
    "zh": {
        "views": ("它的{views}如图所示。", "如图是它的{views}。"),
        "view": ("它的{views}如图所示。",),
        "solid": ("如图是从右前上方看到的这个几何体。",),
        "plan": ("它的平面图如图所示，方格中的数字表示该位置上小立方块的个数，图的下方是正面。",),
        "unnamed": ("如图是从右前上方看到的这个几何体和它的一个视图。",),
        "options": ("各选项是从右前上方看到的这样的几何体，题中给出了{views}。",),
    },
}
_QUESTIONS: dict[Lang, dict[str, tuple[str, ...]]] = {
    "en": {
        "count": ("How many cubes is it built of?", "How many cubes does the solid have?"),
        "least": (
            "What is the least number of cubes that it can have?",
            "At least how many cubes does such a solid need?",
        ),
        "most": (
            "What is the greatest number of cubes that it can have?",
            "At most how many cubes can such a solid have?",
        ),
        "ways": ("How many different solids have these two views? Solids are different if a stack differs anywhere.",),
        "surface": (
            "The edge of a cube is 1. What is the surface area of the solid, its bottom included?",
            "Each cube has an edge of 1. How large is the whole surface of the solid, its bottom included?",
        ),
        "painted": (
            "All of its outside is painted, except for the bottom. How many faces of cubes are painted?",
            "The solid is painted all over, only its bottom is left out. How many faces of cubes are painted?",
        ),
        "missing": (
            "How many more cubes are needed at least to make it a cuboid without gaps? The cubes of the solid stay "
            "where they are.",
            "Cubes are added until it is a cuboid; no cube is moved. What is the least number of cubes added?",
        ),
        "view": ("Which picture is its {view}?", "Which of the pictures shows the {view} of the solid?"),
        "plan": ("Which of the numbered plans is that of the solid?",),
        "fits": ("Which of the solids has the {views} shown?",),
        "sees": ("From which direction is the solid seen in this view?",),
        "completes": ("Which picture can be its {view}?", "Which of the pictures is a possible {view} of the solid?"),
    },
    "zh": {
        "count": ("这个几何体由多少个小立方块搭成？", "搭成这个几何体共用了多少个小立方块？"),
        "least": ("搭成这样的几何体至少需要多少个小立方块？", "组成这个几何体的小立方块最少有多少个？"),
        "most": ("搭成这样的几何体最多需要多少个小立方块？", "组成这个几何体的小立方块最多有多少个？"),
        "ways": ("符合这两个视图的几何体共有多少种？只要有一处的小立方块个数不同，就算不同的几何体。",),
        "surface": (
            "小立方块的棱长为1，这个几何体的表面积（包括底面）是多少？",
            "设小立方块的棱长为1，求这个几何体的表面积（包括底面）。",
        ),
        "missing": (
            "至少再添加多少个同样的小立方块，才能把它补成一个长方体？原有的小立方块不移动。",
            "不移动原有的小立方块，要把它补成一个长方体，至少还需要多少个同样的小立方块？",
        ),
        "painted": (
            "除底面外，把它露在外面的面都涂上颜色，共有多少个小正方形面被涂色？",
            "把这个几何体的表面（底面除外）全部涂色，被涂色的小正方形面共有多少个？",
        ),
        "view": ("它的{view}是下列哪一个图形？", "下列图形中，哪一个是这个几何体的{view}？"),
        "plan": ("下列标有数字的平面图中，哪一个是这个几何体的？",),
        "fits": ("下列几何体中，哪一个的{views}与所给的相同？",),
        "sees": ("所给的视图是从哪个方向看到的？",),
        "completes": ("它的{view}可能是下列哪一个图形？", "下列图形中，哪一个可能是这个几何体的{view}？"),
    },
}
_TURNED: dict[Lang, tuple[str, str, tuple[str, ...]]] = {
    "en": (
        "Solids are built of equal cubes, joined face to face. Of every cube in the pictures at least a part can be "
        "seen.",
        "The picture shows one of them.",
        (
            "Which of the solids is the same one, turned in space? A mirror image is another solid.",
            "Which solid is the one shown, only turned in space? A mirror image is another solid.",
        ),
    ),
    "zh": (
        "用大小相同的小立方块面对面粘合成几何体。图中每个小立方块都至少能看到一部分。",
        "如图是其中一个几何体。",
        (
            "下列几何体中，哪一个是由它在空间中旋转得到的？镜像不算同一个几何体。",
            "把它在空间中旋转，可以得到下列哪一个几何体？镜像不算同一个几何体。",
        ),
    ),
}
_NET_RULES: dict[Lang, tuple[str, ...]] = {
    "en": (
        "The net of a cube has the digits 1 to 6 on its squares. They are on the outside when it is folded.",
        "A net with the digits 1 to 6 is folded to a cube, with the digits on the outside.",
    ),
    "zh": (
        "正方体的展开图上标有数字1到6，折叠后数字都在外面。",
        "把标有数字1到6的展开图折成正方体，数字都在外面。",
    ),
}
_OF_NETS: dict[Lang, dict[str, tuple[str, tuple[str, ...]]]] = {
    "en": {
        "opposes": (
            "The net is shown.",
            (
                "Which digit is opposite to {k} on the cube?",
                "Which digit is on the face opposite to the face with {k}?",
            ),
        ),
        "folds": (
            "The net is shown, and the options show cubes from the front right and above.",
            (
                "Which of the cubes can it be folded to? How the digits are turned does not matter.",
                "Which cube can be the net, folded? How the digits are turned does not matter.",
            ),
        ),
        "unfolds": (
            "The picture shows a cube from the front right and above, and the options show nets.",
            (
                "Which of the nets can be folded to this cube? How the digits are turned does not matter.",
                "Which net can be that of the cube? How the digits are turned does not matter.",
            ),
        ),
    },
    "zh": {
        "opposes": (
            "展开图如图所示。",
            ("折成正方体后，与数字{k}相对的面上是哪个数字？", "在折成的正方体上，数字{k}的对面是数字几？"),
        ),
        "folds": (
            "展开图如图所示，各选项是从右前上方看到的正方体。",
            (
                "把它折起来，可以得到下列哪一个正方体？不考虑数字的方向。",
                "下列正方体中，哪一个可以由它折成？不考虑数字的方向。",
            ),
        ),
        "unfolds": (
            "如图是从右前上方看到的一个正方体，各选项是展开图。",
            (
                "下列展开图中，哪一个可以折成这个正方体？不考虑数字的方向。",
                "哪一个可能是这个正方体的展开图？不考虑数字的方向。",
            ),
        ),
    },
}
_PICTURE: dict[Lang, str] = {"en": "picture {letter}", "zh": "图{letter}"}


def question_text(
    asked: ViewClaim, shown: Sequence[str], lang: Lang, rng: random.Random, options_are_solids: bool
) -> str:
    """The question on figures with the names ``shown``."""
    if asked.form == "turns":
        joined, one, questions = _TURNED[lang]
        return "\n".join((joined, one, rng.choice(questions)))
    if asked.form in NET_FORMS:
        shows, questions = _OF_NETS[lang][asked.form]
        return "\n".join((rng.choice(_NET_RULES[lang]), shows, rng.choice(questions).format(k=asked.k)))
    rules = rng.choice(_RULES[lang])
    views = [VIEW_NAMES[lang][name] for name in shown if name in VIEW_NAMES[lang]]
    if len(views) > 1 and "top" not in shown and asked.form == "asked":
        rules += _NEED_NOT_TOUCH[lang]
    if "solid" in shown or options_are_solids:
        rules += _EVERY_TOP[lang]
    if asked.form == "fits":
        key = "options"
    elif "view" in shown:
        key = "unnamed"
    else:
        key = "views" if len(views) > 1 else "view" if views else shown[0]
    picture = rng.choice(_SHOWN[lang][key]).format(views=listed(views, lang))
    key = asked.word if asked.form == "asked" else asked.form
    key = "view" if key in VIEW_NAMES[lang] else key
    question = rng.choice(_QUESTIONS[lang][key])
    named: Mapping[str, str] = VIEW_NAMES[lang]
    question = question.format(view=named.get(asked.word, ""), views=listed(views, lang))
    return "\n".join((rules, picture, question))


def picture_text(letter: str, lang: Lang) -> str:
    """What stands for an option that is a picture."""
    return _PICTURE[lang].format(letter=letter)


def listed(names: Sequence[str], lang: Lang) -> str:
    """``front view, left view and top view``."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}" if lang == "en" else f"{'、'.join(names[:-1])}和{names[-1]}"
