"""The reader of the solver: the text of a problem as a walk, what is asked, and what each option says.

It matches whole sentences against the templates of :mod:`.wordings`. The checker has a reader of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from srt.io.records import Lang, Problem
from srt.worlds.routes.reading.wordings import OBJECTS, WORDINGS
from srt.worlds.routes.walk import STRIDE, Asked, Direction, Leg, Move, Path, Position, Turn, Value, Walk, way_back
from srt.worlds.world import Refused

_LINE = re.compile(r"\((\d{1,3})\) (.+)")
# A name is told by its place alone; what denies, doubts or means several people stands there too.
_NAME = {
    "en": r"(?!(?:No|Nobody|None|Never|Not|If|Unless|When|Either|Neither|(?:Every|Some)(?:body|one)|Opposite)\b)"
    r"[A-Z][a-z]{1,19}",
    "zh": r"[^\W\d_a-zA-Z不没非未无勿莫若如当除并否或和与跟都前后左右背手人谁起最开]{1,4}?",
}


class Route(NamedTuple):
    """A problem as it is understood. ``who`` is the pronoun of its walker, or the name where it uses none."""

    asked: Asked
    walk: Walk
    options: dict[str, Value]
    name: str
    who: str


def read_route(problem: Problem) -> Route:
    """Read the problem; raises :class:`~srt.worlds.world.Refused` for a wording that is not known."""
    *clues, question = problem.question.split("\n")
    numbered = [_LINE.fullmatch(clue) for clue in clues]
    sentences = [match[2] for number, match in enumerate(numbered, 1) if match and match[1] == str(number)]
    if len(sentences) < len(clues) or len(clues) < 2:
        raise Refused("unknown_wording", "question: numbered sentences and a question on a line each were expected")
    name, start = _start(sentences[0], problem.lang)
    walkers = {name}
    moves = tuple(_move(text, number, problem.lang, walkers) for number, text in enumerate(sentences[1:], 2))
    asked = _asked(question, problem.lang, walkers)
    options = {letter: _option(asked, letter, text, problem.lang) for letter, text in problem.choices.items()}
    who = next((word for word in OBJECTS if word in walkers), name)
    return Route(asked, Walk(start, moves), options, name, who)


def looks_like_a_route(problem: Problem) -> bool:
    """Whether somebody faces a direction in the first sentence, and the last asks what this world can answer."""
    try:
        first, *_, question = problem.question.split("\n")
        name, _ = _start(first.removeprefix("(1) "), problem.lang)
        _asked(question, problem.lang, {name})
    except (Refused, ValueError):
        return False
    return first.startswith("(1) ")


def _start(text: str, lang: Lang) -> tuple[str, Direction]:
    words = WORDINGS[lang]
    found = _match(words.start, text, lang)
    if found is None or found["name"].lower() in OBJECTS:
        raise Refused("unknown_wording", f"clue (1): {text!r}")
    return found["name"], _key(words.directions, found["direction"])


def _move(text: str, number: int, lang: Lang, walkers: set[str]) -> Move:
    words = WORDINGS[lang]
    matches = _matches((*words.leg, *words.straight, *words.spot), text, lang)
    found = next((match for match in matches if _is_walker(match["who"], walkers)), None)
    if found is None:
        raise Refused("unknown_wording", f"clue ({number}): {text!r}")
    turn: Turn = next((turn for turn, phrases in words.turns.items() if found.get("turns") in phrases), "none")
    return Move(turn, _number(found["steps"], lang) if "steps" in found else 0)


def _asked(text: str, lang: Lang, walkers: set[str]) -> Asked:
    for asked, templates in WORDINGS[lang].questions.items():
        for found in _matches(templates, text, lang):
            if all(_is_walker(word, walkers) for word in found.values()):
                return asked
    raise Refused("unknown_wording", f"question: {text!r}")


def _is_walker(word: str, walkers: set[str]) -> bool:
    """Whether ``word`` is the one who walks: the name, or one and the same pronoun all over the problem."""
    pronoun = next((subject for subject, form in OBJECTS.items() if word.lower() in (subject, form)), None)
    if pronoun is None:
        return word in walkers
    known = walkers & OBJECTS.keys()
    walkers.add(pronoun)
    return known <= {pronoun}


def _option(asked: Asked, letter: str, text: str, lang: Lang) -> Value:
    words = WORDINGS[lang]
    unknown = Refused("unknown_wording", f"option {letter}: {text!r}")
    match asked:
        case "facing":
            if found := _match(words.facing, text, lang):
                return _key(words.directions, found["direction"])
        case "steps" | "line":
            if found := _match(words.number, text, lang):
                return _number(found.get("number") or found["steps"], lang)
        case "back":
            for leg, joint in words.leg_back:
                if (legs := _legs(text.split(joint), leg, lang)) is not None:
                    return way_back(tuple(Leg(steps, _opposite(to)) for steps, to in reversed(legs)))
        case "end":
            if text == words.at_start:
                return Position(0, 0)
            for wording in words.place:
                before, after = wording.split("{places}")
                middle = text.removeprefix(before).removesuffix(after)
                if text == f"{before}{middle}{after}" and (legs := _legs(middle.split(words.both), words.away, lang)):
                    east, north = (sum(s * STRIDE[to][axis] for s, to in legs) for axis in (0, 1))
                    if len({STRIDE[to][0] == 0 for _, to in legs}) == len(legs):
                        return Position(east, north)
    raise unknown


def _legs(parts: Iterable[str], wording: str, lang: Lang) -> Path | None:
    found = [_match((wording,), part, lang) for part in parts]
    directions = WORDINGS[lang].directions
    legs = [Leg(_number(one["steps"], lang), _key(directions, one["direction"])) for one in found if one]
    return tuple(legs) if len(legs) == len(found) and all(leg.steps for leg in legs) else None


def _opposite(direction: Direction) -> Direction:
    east, north = STRIDE[direction]
    return next(one for one, stride in STRIDE.items() if stride == (-east, -north))


def _match(templates: Iterable[str], text: str, lang: Lang) -> dict[str, str] | None:
    return next(_matches(templates, text, lang), None)


def _matches(templates: Iterable[str], text: str, lang: Lang) -> Iterator[dict[str, str]]:
    """What fills the slots of each template that ``text`` matches."""
    for template in templates:
        if match := _pattern(template, lang).fullmatch(text):
            yield match.groupdict()


@cache
def _pattern(template: str, lang: Lang) -> re.Pattern[str]:
    """The regex of a template: a group for each slot, and the text between them as it is."""
    words = WORDINGS[lang]
    numbers = "|".join(words.numbers)
    name = _NAME[lang]
    slots = {
        "name": name,
        "who": rf"[Ss]he|[Hh]e|{name}" if lang == "en" else rf"她|他|{name}",
        "them": rf"her|him|{name}" if lang == "en" else rf"她|他|{name}",
        "direction": "|".join(words.directions.values()),
        "turns": "|".join(phrase for phrases in words.turns.values() for phrase in phrases),
        "number": r"[0-9]{1,4}",
        "steps": rf"(?:[0-9]{{1,4}}|{numbers}) steps?" if lang == "en" else rf"(?:[0-9]{{1,4}}|{numbers})步",
    }
    pattern, named = "", set()
    for at, piece in enumerate(re.split(r"\{(\w+)\}", template)):
        if at % 2 == 0:
            pattern += re.escape(piece)
        else:
            pattern += rf"(?P={piece})" if piece in named else rf"(?P<{piece}>{slots[piece]})"
            named.add(piece)
    return re.compile(pattern)


def _key(words: dict[Direction, str], word: str) -> Direction:
    return next(key for key, one in words.items() if one == word)


def _number(text: str, lang: Lang) -> int:
    word = text.removesuffix("步") if lang == "zh" else text.split(" ")[0]
    numbers = WORDINGS[lang].numbers
    return numbers.index(word) + 1 if word in numbers else int(word)
