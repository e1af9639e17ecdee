"""The checker's own reading of a problem: words one after the other, then what their order says.

A sentence is cut into phrases that this list knows, the longest first. A sentence with anything else in it is not
read. What is left without the fillers must be in one of a few orders: walker, turn, side, steps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from srt.io.records import Lang, Problem

SIDES = {"L": "left", "R": "right", "B": "around"}
WAYS = {"n": "north", "e": "east", "s": "south", "w": "west"}

_FILLERS = {
    "en": "then|and|to the|the|out|on the spot|at the start,|for|steps|step|of the start",
    "zh": "，|、|再|接着|然后|继续|在原地|一开始|出发时|步|方|在|起点以|以",
}
_PHRASES: dict[Lang, dict[str, str]] = {
    "en": {
        **dict.fromkeys(("faces", "starts out facing", "is looking"), "F"),
        **dict.fromkeys(("turns", "makes a", "makes an"), "T"),
        **dict.fromkeys(("walks", "goes", "takes"), "G"),
        **dict.fromkeys(("straight ahead", "straight on", "without turning,"), "S"),
        **{"left": "L", "right": "R", "around": "B", "about-turn": "B", "turn": ""},
        **{"north": "n", "east": "e", "south": "s", "west": "w", "at the start": "O"},
        **dict.fromkeys((".", ","), ""),
        **dict.fromkeys(_FILLERS["en"].split("|"), ""),
    },
    "zh": {
        **dict.fromkeys(("面向", "面朝", "面对"), "F"),
        **{"向左转": "TL", "左转": "TL", "转向左边": "TL", "向右转": "TR", "右转": "TR", "转向右边": "TR"},
        **{"向后转": "TB", "掉头": "TB"},
        **dict.fromkeys(("走", "前进"), "G"),
        **{"向前走": "GS", "一直往前走": "GS", "不转弯": "S"},
        **{"北": "n", "东": "e", "南": "s", "西": "w", "就在起点": "O"},
        **{"向": "", "往": "", "。": "", "起点": ""},
        **dict.fromkeys(_FILLERS["zh"].split("|"), ""),
    },
}
_NUMBERS: dict[Lang, list[str]] = {
    "en": ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
    "zh": list("一两三四五六七八九十"),
}
_ORDERS = re.compile(r"(?P<facing>WF[nesw])|(?P<leg>WT[LRB]G#)|(?P<straight>WG#S|WGS#|SWG#|WSG#)|(?P<spot>WT[LRB])")
_LEGS = r"(?:#[nesw])+|(?:[nesw]#)+"
# "3 steps west of the start" is a place, "3 steps west" is a way; 起点在东3步 says where the start is.
_TELLS_A_PLACE = re.compile(r" of the start$|^在?起点以")
_QUESTIONS: dict[Lang, dict[str, str]] = {
    "en": {
        "which way does ~ face now?": "facing",
        "which direction is ~ facing at the end?": "facing",
        "where is ~ now, seen from the start?": "at",
        "where does ~ end up, seen from the start?": "at",
        "moving only north, east, south or west, how many steps does ~ need at least to get back to the start?": (
            "steps"
        ),
        "counted along the grid, how many steps is ~ away from the start?": "steps",
        "how many steps long is the straight line from the start to where ~ is now?": "line",
        "in a straight line, how many steps is ~ away from the start?": "line",
        "which of these takes ~ back to the start the way ~ came?": "back",
        "which of these leads ~ back to the start along the same path?": "back",
    },
    "zh": {
        "现在~面向哪个方向？": "facing",
        "最后~面朝哪一方？": "facing",
        "从起点看，~现在在哪里？": "at",
        "~最后在起点的什么位置？": "at",
        "只能向东、南、西、北走，~至少要走多少步才能回到起点？": "steps",
        "沿网格计算，~离起点多少步？": "steps",
        "从起点到~现在的位置，直线距离是多少步？": "line",
        "沿直线计算，~离起点多少步？": "line",
        "下列哪一条路线让~原路返回起点？": "back",
        "下面哪种走法使~沿原路回到起点？": "back",
    },
}
# What stands before "faces" is taken for the name, unless it says that nobody does, or not for certain, or several do.
_NO_NAME = {
    "en": re.compile(
        r"^(?:no|nobody|none|never|not|if|unless|when|while|after|before|until|each|every|either|neither|both|opposite"
        r"|(?:every|some|any)(?:one|body)|who|does|perhaps|maybe|probably|apparently)$"
    ),
    "zh": re.compile("[不没非未无勿莫若如果当除并否或和与跟都前后左右背手人谁最出开始]"),
}
_PRONOUNS = {"she": "f", "her": "f", "he": "m", "him": "m", "她": "f", "他": "m"}


@dataclass
class Heard:
    """What a problem says. ``said`` has the claims of each sentence, by its number; one that is not read is missing.

    ``asked`` is the name of the claim that answers; ``options`` have the value that it would have, as text, or ``None``
    where an option is not read.
    """

    asked: str
    last: int
    said: dict[int, dict[tuple[str, int], str]] = field(default_factory=dict)
    options: dict[str, str | None] = field(default_factory=dict)


def hear(problem: Problem) -> Heard | None:
    """The problem as the checker reads it; ``None`` if it is none of this world."""
    *clues, question = problem.question.split("\n")
    if not clues or not clues[0].startswith("(1) "):
        return None
    scanner = _Scanner(problem.lang)
    first = scanner.order(clues[0][4:], naming=True)
    if first is None or not re.fullmatch(r"WF[nesw]", first) or not scanner.name:
        return None
    asked = _QUESTIONS[problem.lang].get(scanner.without_walker(question))
    if asked is None:
        return None
    heard = Heard(asked, len(clues), {1: {("facing", 1): WAYS[first[-1]]}})
    for n, clue in enumerate(clues[1:], 2):
        number, space, sentence = clue.partition(" ")
        order = scanner.order(sentence) if (number, space) == (f"({n})", " ") else None
        if order is not None and (match := _ORDERS.fullmatch(order)) and match.lastgroup != "facing":
            side = next((SIDES[sign] for sign in order if sign in SIDES), "none")
            heard.said[n] = {("turn", n): side, ("walk", n): str((scanner.numbers or [0])[0])}
    if not scanner.one_walker:
        heard.said = {1: heard.said[1]}
    heard.options = {letter: _option(asked, text, problem.lang) for letter, text in problem.choices.items()}
    return heard


def _option(asked: str, text: str, lang: Lang) -> str | None:
    """The value of the claim that an option states."""
    scanner = _Scanner(lang)
    order = scanner.order(text)
    if order is None or 0 in scanner.numbers:
        return None
    order = order.replace("G", "")  # "to go west" and "west" are one
    ways = [WAYS[sign] for sign in order if sign in WAYS]
    legs = list(zip(scanner.numbers, ways, strict=False))
    match asked:
        case "facing":
            return ways[0] if re.fullmatch(r"[nesw]", order) else None
        case "steps" | "line":
            return str(scanner.numbers[0]) if order == "#" else None
        case "back":
            if not re.fullmatch(_LEGS, order) or _TELLS_A_PLACE.search(text):
                return None
            return ", ".join(f"{n} {way}" for n, way in _joined(legs))
        case _:
            if order == "O":
                return "start"
            if not re.fullmatch(_LEGS, order) or not _TELLS_A_PLACE.search(text):
                return None
            along = [f"{n} {way}" for n, way in legs if way in ("east", "west")]
            up = [f"{n} {way}" for n, way in legs if way in ("north", "south")]
            return ", ".join([*along, *up]) if len(along) < 2 and len(up) < 2 else None


def _joined(legs: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Legs that go on in one direction as one leg."""
    joined: list[tuple[int, str]] = []
    for n, way in legs:
        if joined and joined[-1][1] == way:
            joined[-1] = (joined[-1][0] + n, way)
        else:
            joined.append((n, way))
    return joined


class _Scanner:
    """Cuts sentences of one problem into known phrases, and notes who walks."""

    def __init__(self, lang: Lang) -> None:
        self._lang = lang
        self.name = ""
        self._pronouns: set[str] = set()
        self.numbers: list[int] = []

    @property
    def one_walker(self) -> bool:
        """Whether all pronouns mean the same person."""
        return len(self._pronouns) < 2

    def order(self, sentence: str, *, naming: bool = False) -> str | None:
        """The signs of the phrases of ``sentence``, without the fillers; ``None`` if anything in it is unknown.

        With ``naming``, one unknown word is the name of the walker. :attr:`numbers` holds the numbers.
        """
        signs, at, text = "", 0, sentence.lower()
        self.numbers = []
        while at < len(text):
            if text[at] == " ":
                at += 1
            elif match := _KNOWN[self._lang].match(text, at):
                signs, at = signs + self._sign(match), match.end()
            elif self.name and text.startswith(self.name, at):
                signs, at = signs + "W", at + len(self.name)
            elif naming and not self.name and (name := self._new_name(text, at)):
                self.name, signs, at = name, signs + "W", at + len(name)
            else:
                return None
        return signs

    def without_walker(self, question: str) -> str:
        """The question with ``~`` for the walker."""

        def masked(match: re.Match[str]) -> str:
            self._pronouns.update(_PRONOUNS.get(match[0], ""))
            return "~"

        bound = r"\b" if self._lang == "en" else ""
        words = "|".join(map(re.escape, (self.name, *_PRONOUNS)))
        return re.sub(f"{bound}(?:{words}){bound}", masked, question.lower())

    def _sign(self, match: re.Match[str]) -> str:
        phrase = match[0]
        if phrase in _PRONOUNS:
            self._pronouns.add(_PRONOUNS[phrase])
            return "W"
        if phrase.isdigit() or phrase in _NUMBERS[self._lang]:
            self.numbers.append(int(phrase) if phrase.isdigit() else _NUMBERS[self._lang].index(phrase) + 1)
            return "#"
        return _PHRASES[self._lang][phrase]

    def _new_name(self, text: str, at: int) -> str:
        """An unknown word; in Chinese it ends where the next known phrase begins."""
        end = at
        while end < len(text) and text[end].isalpha() and (self._lang == "en" or not _KNOWN["zh"].match(text, end)):
            end += 1
        name = text[at:end]
        return "" if _NO_NAME[self._lang].search(name) else name


def _known(lang: Lang) -> re.Pattern[str]:
    """Any known phrase, the longest first; in English no part of a longer word or number."""
    words = sorted((*_PHRASES[lang], *_NUMBERS[lang], *_PRONOUNS), key=len, reverse=True)
    phrases = "|".join(re.escape(word) + (r"\b" if lang == "en" and word[-1].isalpha() else "") for word in words)
    return re.compile(rf"[0-9]{{1,4}}(?![0-9])|{phrases}")


_KNOWN = {lang: _known(lang) for lang in _PHRASES}
