"""The text of a problem: its numbered sentences, the question, the options."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import cast

from srt.io.records import Lang
from srt.worlds.routes.reading.wordings import OBJECTS, WORDINGS, number_with_unit
from srt.worlds.routes.walk import Asked, Direction, Leg, Move, Path, Position, Value, Walk, axes

_SPELT = 0.2
"""How often a number is a word."""


def question_text(asked: Asked, walk: Walk, lang: Lang, rng: random.Random) -> str:
    """The numbered sentences and the question, in wordings drawn with ``rng``."""
    words = WORDINGS[lang]
    name = rng.choice(list(words.names))
    who = words.names[name]
    lines = [rng.choice(words.start).format(name=name, direction=words.directions[walk.start])]
    lines += [_sentence(move, who, lang, rng) for move in walk.moves]
    question = rng.choice(words.questions[asked]).format(who=who, them=OBJECTS[who])
    return "\n".join([*(f"({number}) {line}" for number, line in enumerate(lines, 1)), question])


def option_texts(asked: Asked, values: Sequence[Value], lang: Lang, rng: random.Random) -> list[str]:
    """``values`` as options, all in one wording."""
    words = WORDINGS[lang]
    match asked:
        case "facing":
            wording = rng.choice(words.facing)
            return [wording.format(direction=words.directions[cast("Direction", value)]) for value in values]
        case "end":
            wording = rng.choice(words.place)
            return [_place(cast("Position", value), wording, lang) for value in values]
        case "back":
            leg, joint = rng.choice(words.leg_back)
            return [joint.join(_leg(one, leg, lang) for one in cast("Path", value)) for value in values]
        case _:
            wording = rng.choice(words.number)
            numbers = [cast("int", value) for value in values]
            return [wording.format(number=number, steps=number_with_unit(number, lang)) for number in numbers]


def _sentence(move: Move, who: str, lang: Lang, rng: random.Random) -> str:
    words = WORDINGS[lang]
    templates = words.spot if not move.steps else words.straight if move.turn == "none" else words.leg
    text = rng.choice(templates).format(
        who=who,
        turns="" if move.turn == "none" else rng.choice(words.turns[move.turn]),
        steps=number_with_unit(move.steps, lang, spelt=rng.random() < _SPELT),
    )
    return text[0].upper() + text[1:]


def _place(place: Position, wording: str, lang: Lang) -> str:
    words = WORDINGS[lang]
    parts = [_leg(leg, words.away, lang) for leg in axes(place)]
    return wording.format(places=words.both.join(parts)) if parts else words.at_start


def _leg(leg: Leg, wording: str, lang: Lang) -> str:
    return wording.format(steps=number_with_unit(leg.steps, lang), direction=WORDINGS[lang].directions[leg.direction])
