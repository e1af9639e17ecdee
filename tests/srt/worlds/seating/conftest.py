"""What the tests of the worlds share: the published files where they are, our own wordings, and puzzles by chance."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from srt.io.records import Answer, Problem
from srt.worlds.seating.claim_language import BLANK, parse_claim
from srt.worlds.seating.derivation.solver import right_options
from srt.worlds.seating.reading.problem_reader import Clue, Puzzle
from srt.worlds.seating.relations import asked_set, holds
from srt.worlds.seating.scenes import SCENES, Scene
from tests.published_copies import copy_in

HERE = Path(__file__).resolve().parent
NAMES = ["Ada", "Ben Ray", "Cleo", "Dov", "Eli", "Fay"]

Wording = tuple[str, str, str, str]


@pytest.fixture(scope="session")
def published() -> Callable[..., list[Problem]]:
    """``published(lang, split, gold)``: the problems of SpaCE2025's spatial position reasoning."""

    def read(lang: str, split: str, gold: bool = False) -> list[Problem]:
        path = copy_in("SRT_SPACE2025") / f"spr_{lang}_{split}.jsonl"
        with open(path, encoding="utf-8") as file:
            return [_problem(json.loads(line), lang, split, gold) for line in file]

    return read


@pytest.fixture(scope="session")
def own_wordings() -> list[Wording]:
    """``(language, family, wording, claim)``; ``{X}`` and ``{Y}`` are names or the blank."""
    lines = (HERE / "own_wordings.txt").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split(" | ")) for line in lines if not line.startswith("#")]  # type: ignore[misc]


@pytest.fixture(scope="session")
def chance_puzzles(own_wordings: list[Wording]) -> Callable[[int, int], Iterator[Puzzle]]:
    """``chance_puzzles(number, seed)``: that many puzzles of each scene, with relations of every kind, solvable."""
    claims = {family: sorted({c for _, f, _, c in own_wordings if f == family}) for _, family, _, _ in own_wordings}

    def make(number: int, seed: int) -> Iterator[Puzzle]:
        chance = random.Random(seed)
        for scene in SCENES:
            for _ in range(number):
                yield _chance_puzzle(scene, claims[scene.kind.partition("-")[0]], chance)

    return make


def _problem(row: dict[str, Any], lang: str, split: str, gold: bool) -> Problem:
    answer = Answer(kind="choice_set", value=row["answer"]) if gold else None
    return Problem(
        id=row["id"],
        source="space2025",
        split=split,
        lang=lang,  # type: ignore[arg-type]
        question=f"{row['text']}\n{row['question']}",
        instruction=row["instruction"],
        choices=row["options"],
        answer=answer,
        category="spr",
    )


def _chance_puzzle(scene: Scene, claims: list[str], chance: random.Random) -> Puzzle:
    names = chance.sample(NAMES, len(scene.seats))
    if scene.compass == "none":
        claims = [c for c in claims if not any(word in c for word in ("faces", "north", "east", "south", "west"))]
    placement = dict(zip(names, chance.sample(scene.seats, len(names)), strict=True))
    clues: list[Clue] = []
    left = [dict(zip(names, seats, strict=True)) for seats in permutations(scene.seats)]
    while len(left) > len(scene.symmetries):
        x, y = chance.sample(names, 2)
        text = chance.choice(claims).format(X=x, Y=y)
        claim = parse_claim(text)
        kept = [other for other in left if holds(claim, scene, other)]
        if holds(claim, scene, placement) and len(kept) < len(left):
            left = kept
            clues.append(Clue(len(clues) + 1, text, claim))
    chance.shuffle(clues)
    clues = [Clue(number, clue.text, clue.claim) for number, clue in enumerate(clues, 1)]
    while True:
        pair = [chance.choice(names), BLANK]
        chance.shuffle(pair)
        text = chance.choice(claims).format(X=pair[0], Y=pair[1])
        if BLANK not in text:
            continue
        question = parse_claim(f"? = {text[:-4]}" if text.endswith(" = ?") else text)
        filled = asked_set(question, scene, placement)
        options: dict[str, str | None] = dict(zip("ABCD", chance.sample(names, 4), strict=True))
        if chance.random() < 0.5:
            options["D"] = None
        if right_options(options, sorted(filled)):
            return Puzzle(scene, tuple(names), tuple(clues), question, options, "en")
