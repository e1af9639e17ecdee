"""How the sentences of a problem are worded. The writer fills these templates, and the reader matches them.

Slots: ``{name}``, ``{who}`` and ``{them}`` (the pronoun as subject and object), ``{direction}``, ``{turns}``,
``{steps}`` (a number with its unit). A sentence that begins with a pronoun has it capitalised.
"""

from __future__ import annotations

from typing import NamedTuple

from srt.io.records import Lang
from srt.worlds.routes.walk import Asked, Direction, Turn


class Wordings(NamedTuple):
    """The wordings of one language, several for each thing to say."""

    names: dict[str, str]
    """The pronoun of each name."""
    directions: dict[Direction, str]
    turns: dict[Turn, tuple[str, ...]]
    numbers: tuple[str, ...]
    """Number words from 1 on; larger numbers are written in digits only."""
    start: tuple[str, ...]
    leg: tuple[str, ...]
    straight: tuple[str, ...]
    spot: tuple[str, ...]
    questions: dict[Asked, tuple[str, ...]]
    facing: tuple[str, ...]
    """Options that are directions; ``place`` and ``away`` are options that are places, ``leg_back`` a leg of a way."""
    place: tuple[str, ...]
    away: str
    both: str
    at_start: str
    leg_back: tuple[tuple[str, str], ...]
    """How a leg of a way back is written, and what joins two of them."""
    number: tuple[str, ...]


OBJECTS = {"she": "her", "he": "him", "她": "她", "他": "他"}

WORDINGS: dict[Lang, Wordings] = {
    "en": Wordings(
        names={"Ann": "she", "Mia": "she", "Eva": "she", "Ruth": "she", "Ben": "he", "Tom": "he", "Leo": "he"},
        directions={"north": "north", "east": "east", "south": "south", "west": "west"},
        turns={
            "left": ("turns left", "turns to the left", "makes a left turn"),
            "right": ("turns right", "turns to the right", "makes a right turn"),
            "around": ("turns around", "makes an about-turn"),
        },
        numbers=("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
        start=(
            "{name} faces {direction}.",
            "{name} starts out facing {direction}.",
            "At the start, {name} is looking {direction}.",
        ),
        leg=(
            "{who} {turns} and walks {steps}.",
            "Then {who} {turns} and goes {steps}.",
            "{who} {turns}, then takes {steps}.",
        ),
        straight=(
            "{who} walks {steps} straight ahead.",
            "{who} goes straight on for {steps}.",
            "Without turning, {who} walks {steps}.",
        ),
        spot=("{who} {turns}.", "{who} {turns} on the spot.", "Then {who} {turns}."),
        questions={
            "facing": ("Which way does {who} face now?", "Which direction is {who} facing at the end?"),
            "end": ("Where is {who} now, seen from the start?", "Where does {who} end up, seen from the start?"),
            "steps": (
                "Moving only north, east, south or west, how many steps does {who} need at least to get back to the "
                "start?",
                "Counted along the grid, how many steps is {who} away from the start?",
            ),
            "line": (
                "How many steps long is the straight line from the start to where {who} is now?",
                "In a straight line, how many steps is {who} away from the start?",
            ),
            "back": (
                "Which of these takes {them} back to the start the way {who} came?",
                "Which of these leads {them} back to the start along the same path?",
            ),
        },
        facing=("{direction}", "to the {direction}"),
        place=("{places} of the start",),
        away="{steps} {direction}",
        both=" and ",
        at_start="at the start",
        leg_back=(("{steps} {direction}", ", then "), ("{direction} for {steps}", ", then ")),
        number=("{number}", "{steps}"),
    ),
    "zh": Wordings(
        names={"小红": "她", "小丽": "她", "小芳": "她", "小明": "他", "小刚": "他", "小华": "他"},
        directions={"north": "北", "east": "东", "south": "南", "west": "西"},
        turns={
            "left": ("向左转", "左转", "转向左边"),
            "right": ("向右转", "右转", "转向右边"),
            "around": ("向后转", "掉头"),
        },
        numbers=("一", "两", "三", "四", "五", "六", "七", "八", "九", "十"),
        start=("{name}面向{direction}。", "{name}一开始面朝{direction}方。", "出发时{name}面对{direction}方。"),
        leg=("{who}{turns}，走{steps}。", "接着{who}{turns}，再走{steps}。", "{who}{turns}，然后前进{steps}。"),
        straight=("{who}向前走{steps}。", "{who}一直往前走{steps}。", "{who}不转弯，继续走{steps}。"),
        spot=("{who}{turns}。", "{who}在原地{turns}。", "然后{who}{turns}。"),
        questions={
            "facing": ("现在{who}面向哪个方向？", "最后{who}面朝哪一方？"),
            "end": ("从起点看，{who}现在在哪里？", "{who}最后在起点的什么位置？"),
            "steps": (
                "只能向东、南、西、北走，{who}至少要走多少步才能回到起点？",
                "沿网格计算，{who}离起点多少步？",
            ),
            "line": ("从起点到{who}现在的位置，直线距离是多少步？", "沿直线计算，{who}离起点多少步？"),
            "back": ("下列哪一条路线让{who}原路返回起点？", "下面哪种走法使{who}沿原路回到起点？"),
        },
        facing=("{direction}", "{direction}方"),
        place=("起点{places}", "在起点{places}"),
        away="以{direction}{steps}",
        both="、",
        at_start="就在起点",
        leg_back=(("向{direction}走{steps}", "，再"), ("往{direction}{steps}", "，然后")),
        number=("{number}", "{steps}"),
    ),
}


def number_with_unit(number: int, lang: Lang, *, spelt: bool = False) -> str:
    """``3 steps``, ``three steps``, ``3步``."""
    numbers = WORDINGS[lang].numbers
    word = numbers[number - 1] if spelt and 0 < number <= len(numbers) else str(number)
    if lang == "zh":
        return f"{word}步"
    return f"{word} {'step' if number == 1 else 'steps'}"
