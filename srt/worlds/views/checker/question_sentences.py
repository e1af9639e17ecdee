"""What the text of a question says: every sentence must be known, or nothing is read."""

from __future__ import annotations

import re
from typing import NamedTuple

_VIEW = {
    "front view": "front", "left view": "left", "right view": "right", "back view": "back", "top view": "top",
    "主视图": "front", "左视图": "left", "右视图": "right", "后视图": "back", "俯视图": "top",
}  # fmt: skip
_ONE = rf"(?:{'|'.join(_VIEW)})"
_LIST = rf"{_ONE}(?:(?:, | and |、|和){_ONE})*"
DIRECTIONS = {
    "from the front": "front", "from the left": "left", "from the right": "right", "from the back": "back",
    "from above": "top",
    "从前面看": "front", "从左面看": "left", "从右面看": "right", "从后面看": "back", "从上面看": "top",
}  # fmt: skip
_RULES = re.compile(
    r"(?:A solid is built of equal cubes\. Every cube stands on the table or exactly on another cube\.|"
    r"Equal cubes are stacked on a table, each on the table itself or exactly on another cube, to form a solid\.|"
    r"用大小相同的小立方块搭成一个几何体，每个小立方块都放在桌面上或正好叠在另一个小立方块上。|"
    r"一个几何体由若干个相同的小立方块搭成，每个小立方块或放在桌面上，或正好叠在另一个小立方块上。)"
    r"(?: Stacks need not touch each other\.|各摞之间可以不相邻。)?"
    r"(?P<tops> The top of every stack can be seen, at least in part\.|每一摞最上面的面都至少能看到一部分。)?"
)
_SHOWN = re.compile(
    rf"(?:Its (?P<a>{_LIST}) (?:is|are) shown\.|The pictures show its (?P<b>{_LIST})\.|它的(?P<c>{_LIST})如图所示。|"
    rf"如图是它的(?P<d>{_LIST})。|The options show such solids from the front right and above, and the question shows "
    rf"the (?P<e>{_LIST})\.|各选项是从右前上方看到的这样的几何体，题中给出了(?P<f>{_LIST})。|"
    r"(?P<solid>The picture shows it from the front right and above\.|如图是从右前上方看到的这个几何体。)|"
    r"(?P<plan>Its plan is shown, the front at the bottom; "
    r"the number in a square says how many cubes are stacked there\.|"
    r"它的平面图如图所示，方格中的数字表示该位置上小立方块的个数，图的下方是正面。)|"
    r"(?P<unnamed>The pictures show the solid, from the front right and above, and one of its views\.|"
    r"如图是从右前上方看到的这个几何体和它的一个视图。))"
)
_JOINED = re.compile(
    r"(?:Solids are built of equal cubes, joined face to face\.|用大小相同的小立方块面对面粘合成几何体。)"
    r"(?: Of every cube in the pictures at least a part can be seen\.|图中每个小立方块都至少能看到一部分。)"
)
_ONE_SOLID = re.compile(r"The picture shows one of them\.|如图是其中一个几何体。")
_TURNED = re.compile(
    r"(?:Which of the solids is the same one, turned in space\?|Which solid is the one shown, only turned in space\?)"
    r" A mirror image is another solid\.|"
    r"(?:下列几何体中，哪一个是由它在空间中旋转得到的？|把它在空间中旋转，可以得到下列哪一个几何体？)镜像不算同一个几何体。"
)
_NETS = [
    ("? = opposite({})", "net",
     r"The net is shown\.|展开图如图所示。",
     r"(?:Which digit is opposite to (?P<a>[1-6]) on the cube\?|"
     r"Which digit is on the face opposite to the face with (?P<b>[1-6])\?|"
     r"折成正方体后，与数字(?P<c>[1-6])相对的面上是哪个数字？|在折成的正方体上，数字(?P<d>[1-6])的对面是数字几？)"),
    ("? folds net", "net",
     r"The net is shown, and the options show cubes from the front right and above\.|"
     r"展开图如图所示，各选项是从右前上方看到的正方体。",
     r"(?:Which of the cubes can it be folded to\?|Which cube can be the net, folded\?) "
     r"How the digits are turned does not matter\.|"
     r"(?:把它折起来，可以得到下列哪一个正方体？|下列正方体中，哪一个可以由它折成？)不考虑数字的方向。"),
    ("? unfolds cube", "cube",
     r"The picture shows a cube from the front right and above, and the options show nets\.|"
     r"如图是从右前上方看到的一个正方体，各选项是展开图。",
     r"(?:Which of the nets can be folded to this cube\?|Which net can be that of the cube\?) "
     r"How the digits are turned does not matter\.|"
     r"(?:下列展开图中，哪一个可以折成这个正方体？|哪一个可能是这个正方体的展开图？)不考虑数字的方向。"),
]  # fmt: skip
_OF_NETS = [(asked, name, re.compile(shown), re.compile(question)) for asked, name, shown, question in _NETS]
_NET_RULES = re.compile(
    r"The net of a cube has the digits 1 to 6 on its squares\. They are on the outside when it is folded\.|"
    r"A net with the digits 1 to 6 is folded to a cube, with the digits on the outside\.|"
    r"正方体的展开图上标有数字1到6，折叠后数字都在外面。|把标有数字1到6的展开图折成正方体，数字都在外面。"
)
_QUESTIONS = [
    ("? = count", r"How many cubes is it built of\?|How many cubes does the solid have\?"),
    ("? = count", r"这个几何体由多少个小立方块搭成？|搭成这个几何体共用了多少个小立方块？"),
    ("? = least", r"What is the least number of cubes that it can have\?"),
    ("? = least", r"At least how many cubes does such a solid need\?"),
    ("? = least", r"搭成这样的几何体至少需要多少个小立方块？|组成这个几何体的小立方块最少有多少个？"),
    ("? = most", r"What is the greatest number of cubes that it can have\?"),
    ("? = most", r"At most how many cubes can such a solid have\?"),
    ("? = most", r"搭成这样的几何体最多需要多少个小立方块？|组成这个几何体的小立方块最多有多少个？"),
    ("? = ways", r"How many different solids have these two views\? "
     r"Solids are different if a stack differs anywhere\."),
    ("? = ways", r"符合这两个视图的几何体共有多少种？只要有一处的小立方块个数不同，就算不同的几何体。"),
    ("? = surface", r"The edge of a cube is 1\. What is the surface area of the solid, its bottom included\?"),
    ("? = surface", r"Each cube has an edge of 1\. How large is the whole surface of the solid, its bottom included\?"),
    ("? = surface", r"小立方块的棱长为1，这个几何体的表面积（包括底面）是多少？"),
    ("? = surface", r"设小立方块的棱长为1，求这个几何体的表面积（包括底面）。"),
    ("? = painted", r"All of its outside is painted, except for the bottom\. How many faces of cubes are painted\?"),
    ("? = painted", r"The solid is painted all over, only its bottom is left out\. "
     r"How many faces of cubes are painted\?"),
    ("? = painted", r"除底面外，把它露在外面的面都涂上颜色，共有多少个小正方形面被涂色？"),
    ("? = painted", r"把这个几何体的表面（底面除外）全部涂色，被涂色的小正方形面共有多少个？"),
    ("? = missing", r"How many more cubes are needed at least to make it a cuboid without gaps\? "
     r"The cubes of the solid stay where they are\."),
    ("? = missing", r"Cubes are added until it is a cuboid; no cube is moved\. "
     r"What is the least number of cubes added\?"),
    ("? = missing", r"至少再添加多少个同样的小立方块，才能把它补成一个长方体？原有的小立方块不移动。"),
    ("? = missing", r"不移动原有的小立方块，要把它补成一个长方体，至少还需要多少个同样的小立方块？"),
    ("? = plan", r"Which of the numbered plans is that of the solid\?|下列标有数字的平面图中，哪一个是这个几何体的？"),
    ("? sees view", r"From which direction is the solid seen in this view\?|所给的视图是从哪个方向看到的？"),
    ("? fits {}", rf"Which of the solids has the (?P<a>{_LIST}) shown\?"),
    ("? fits {}", rf"下列几何体中，哪一个的(?P<a>{_LIST})与所给的相同？"),
    ("? = {}", rf"Which picture is its (?P<a>{_ONE})\?|Which of the pictures shows the (?P<b>{_ONE}) of the solid\?"),
    ("? = {}", rf"它的(?P<a>{_ONE})是下列哪一个图形？|下列图形中，哪一个是这个几何体的(?P<b>{_ONE})？"),
    ("? completes {}", rf"Which picture can be its (?P<a>{_ONE})\?"),
    ("? completes {}", rf"Which of the pictures is a possible (?P<a>{_ONE}) of the solid\?"),
    ("? completes {}", rf"它的(?P<a>{_ONE})可能是下列哪一个图形？|下列图形中，哪一个可能是这个几何体的(?P<b>{_ONE})？"),
]  # fmt: skip
_PATTERNS = [(asked, re.compile(pattern)) for asked, pattern in _QUESTIONS]


class QuestionText(NamedTuple):
    """``asked``: the claim that reads the question. ``shown``: the names of the figures that the text speaks of."""

    asked: str
    shown: tuple[str, ...]


def read_question(text: str) -> QuestionText | None:
    """What the three lines of a question say; ``None`` if a sentence is not known."""
    lines = text.split("\n")
    patterns = (_JOINED, _ONE_SOLID, _TURNED)
    if len(lines) == 3 and all(pattern.fullmatch(line) for pattern, line in zip(patterns, lines, strict=True)):
        return QuestionText("? turns solid", ("solid",))
    if len(lines) == 3 and _NET_RULES.fullmatch(lines[0]):
        return _question_on_net(lines[1], lines[2])
    if len(lines) != 3 or not _RULES.fullmatch(lines[0]):
        return None
    shown = _SHOWN.fullmatch(lines[1])
    if shown is None:
        return None
    parts = shown.groupdict()
    if parts["solid"]:
        names: tuple[str, ...] = ("solid",)
    elif parts["plan"]:
        names = ("plan",)
    elif parts["unnamed"]:
        names = ("solid", "view")
    else:
        names = _views(next(part for part in parts.values() if part))
    for asked, pattern in _PATTERNS:
        if match := pattern.fullmatch(lines[2]):
            said = next((part for part in match.groupdict().values() if part), "")
            return QuestionText(asked.format(" ".join(_views(said))), names)
    return None


def _question_on_net(shown: str, question: str) -> QuestionText | None:
    for asked, name, of_shown, of_question in _OF_NETS:
        if of_shown.fullmatch(shown) and (match := of_question.fullmatch(question)):
            digit = next((part for part in match.groups() if part), "")
            return QuestionText(asked.format(digit), (name,))
    return None


def _views(text: str) -> tuple[str, ...]:
    return tuple(_VIEW[name] for name in re.findall(_ONE, text))
