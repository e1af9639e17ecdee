"""The sampler: a walk of the wanted split, worded, with options that each come from a mistake."""

from __future__ import annotations

import hashlib
import random
from typing import Literal

from pydantic import Field, field_validator, model_validator

from srt.io.errors import UserError
from srt.io.records import Answer, Lang, Problem
from srt.io.yaml_config import Config
from srt.worlds.kit.splits import Split, split_of
from srt.worlds.routes.sampling.mistakes import wrong_values
from srt.worlds.routes.walk import CLOCKWISE, Asked, Move, Turn, Value, Walk, canonical_key, result
from srt.worlds.routes.writing.problem_text import option_texts, question_text

VERSION = 1
"""Counts up when the same settings and index give another problem."""
_DRAWS = 20_000
_OPTIONS = 4
_WITHOUT_OPTIONS = ("steps", "line")


class RoutesSettings(Config):
    """Which problems to draw, as a recipe or the file of ``srt generate --spec`` says it."""

    split: Split = "train"
    lang: Lang | Literal["both"] = "both"
    kinds: tuple[Asked, ...] = Field(default=("facing", "end", "steps", "line", "back"), min_length=1)
    legs: tuple[int, int] = (2, 5)
    """The fewest and the most sentences after the first: each is a turn, a leg, or both."""
    longest: int = Field(default=9, ge=0, le=99)
    """The most steps of a leg; 0: she only turns."""
    grid: int = Field(default=12, ge=1, le=999)
    """How far from the start a walk may lead, in each of the four directions."""
    form: Literal["options", "number", "any"] = "any"
    """How ``steps`` and ``line`` are asked; the others have options."""

    @field_validator("legs")
    @classmethod
    def _in_order(cls, legs: tuple[int, int]) -> tuple[int, int]:
        if not 1 <= legs[0] <= legs[1] <= 15:
            raise ValueError(f"the fewest and the most, from 1 to 15, were expected, not {list(legs)}")
        return legs

    @model_validator(mode="after")
    def _walks_or_turns(self) -> RoutesSettings:
        if self.longest == 0 and self.kinds != ("facing",):
            raise ValueError("longest: 0 goes with kinds: [facing] only: who does not walk is at the start")
        return self


def sample_route(settings: RoutesSettings, index: int) -> Problem:
    """Problem number ``index``; raises a :class:`UserError` where the settings allow none of their split."""
    name = f"routes/{VERSION}/{settings.model_dump_json()}/{index}"
    rng = random.Random(name)
    lang: Lang = rng.choice(("en", "zh")) if settings.lang == "both" else settings.lang
    asked = rng.choice(settings.kinds)
    options = asked not in _WITHOUT_OPTIONS or settings.form == "options"
    if not options and settings.form == "any":
        options = rng.random() < 0.5
    for _ in range(_DRAWS):
        walk = _walk(asked, settings, rng)
        key = canonical_key(asked, walk)
        if split_of("routes", key) != settings.split:
            continue
        right = result(asked, walk)
        if right is None or not _worth_asking(asked, walk, right, settings.grid):
            continue
        wrong = wrong_values(asked, walk, _OPTIONS - 1, rng) if options else {}
        if options and len(wrong) < _OPTIONS - 1:
            continue
        break
    else:
        raise UserError(f"routes: no problem {asked!r} of the split {settings.split!r} in {_DRAWS} draws; allow more")
    values = [right, *wrong] if options else []
    rng.shuffle(values)
    letters = dict(zip("ABCD", values, strict=False))
    gold = [letter for letter, value in letters.items() if value == right]
    mistakes = {letter: wrong[value] for letter, value in letters.items() if value != right}
    return Problem(
        id=f"routes-{settings.split}-{index}-{hashlib.sha256(name.encode()).hexdigest()[:8]}",
        source="routes",
        split=settings.split,
        lang=lang,
        question=question_text(asked, walk, lang, rng),
        choices=dict(zip(letters, option_texts(asked, values, lang, rng), strict=True)),
        answer=Answer(kind="choice_set", value=gold) if options else Answer(kind="number", value=right),
        category=asked,
        group_id=key,
        meta={"asked": asked, "legs": len(walk.moves)} | ({"mistakes": mistakes} if options else {}),
    )


def _walk(asked: Asked, settings: RoutesSettings, rng: random.Random) -> Walk:
    moves: list[Move] = []
    for _ in range(rng.randint(*settings.legs)):
        moves.append(_move(asked, settings.longest, moves, rng))
    return Walk(rng.choice(CLOCKWISE), tuple(moves))


def _move(asked: Asked, longest: int, before: list[Move], rng: random.Random) -> Move:
    """A leg after a turn, mostly; else a leg straight on or a turn on the spot."""
    turn: Turn = rng.choices(("left", "right", "around"), (9, 9, 2))[0]
    draw = rng.random()
    if longest == 0 or (asked == "facing" and draw < 0.3) or (asked != "back" and draw < 0.1):
        return Move(turn, 0)
    # Of a way back every piece is a leg of its own, so no leg goes on in the direction of the one before.
    if draw > 0.85 and (not before or (asked != "back" and before[-1].turn != "none")):
        turn = "none"
    return Move(turn, rng.randint(1, longest))


def _worth_asking(asked: Asked, walk: Walk, right: Value, grid: int) -> bool:
    """Whether the walk stays on the grid, and its answer is not there at first sight."""
    places = [place for _, _, place in walk.stages()]
    if any(abs(place.east) > grid or abs(place.north) > grid for place in places):
        return False
    match asked:
        case "facing":
            return any(move.turn != "none" for move in walk.moves)
        case "steps":
            return right != 0
        case "line":
            return all(places[-1])
        case _:
            return any(move.steps for move in walk.moves)
