"""The solver: against full enumeration, against published gold, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations

import pytest

from srt.io.records import Problem
from srt.worlds.seating.claim_language import format_claim, parse_claim
from srt.worlds.seating.derivation.masks import masks_of
from srt.worlds.seating.derivation.solver import right_options, solve
from srt.worlds.seating.reading.problem_reader import Clue, Puzzle, read_problem
from srt.worlds.seating.relations import asked_set, holds
from srt.worlds.seating.scenes import SCENES
from srt.worlds.world import Refused

NAMES = ("Ada", "Ben", "Cleo", "Dov")
OPTIONS: dict[str, str | None] = {"A": "Ada", "B": "Ben", "C": "Cleo", "D": None}


def puzzle(*clues: str, question: str = "? = across(Ada)", options: dict[str, str | None] = OPTIONS) -> Puzzle:
    read = tuple(Clue(number, text, parse_claim(text)) for number, text in enumerate(clues, 1))
    return Puzzle(SCENES[0], NAMES, read, parse_claim(question), options, "en")


def test_a_booth() -> None:
    solution = solve(puzzle("right(Ada) = Ben", "right(Cleo) = Dov"))
    assert solution.placement == {"Ada": "S1", "Ben": "S2", "Cleo": "N1", "Dov": "N2"}
    assert solution.filled == ("Dov",)
    assert solution.letters == ("D",)


def test_as_full_enumeration_finds_it(chance_puzzles: Callable[[int, int], Iterator[Puzzle]]) -> None:
    for made in chance_puzzles(2, 1):
        claims = [clue.claim for clue in made.clues]
        found = []
        for seats in permutations(made.scene.seats):
            placement = dict(zip(made.names, seats, strict=True))
            if all(holds(claim, made.scene, placement) for claim in claims):
                found.append(placement)
        solution = solve(made)
        allowed = [n for bit, n in enumerate(masks_of(made.scene).placements) if solution.mask >> bit & 1]
        seats = [tuple(made.scene.seats[number] for number in numbers) for numbers in allowed]
        assert sorted(seats) == sorted(tuple(placement.values()) for placement in found)
        assert solution.placement in found
        assert len(found) == len(made.scene.symmetries)
        filled = asked_set(made.question, made.scene, solution.placement)
        assert set(solution.filled) == filled, format_claim(made.question)
        assert solution.letters == right_options(made.options, solution.filled)


def test_right_options() -> None:
    assert right_options(OPTIONS, ["Ada", "Cleo"]) == ("A", "C")
    assert right_options(OPTIONS, ["Dov"]) == ("D",)
    assert right_options(OPTIONS, []) == ("D",)
    assert right_options({"A": "Ada"}, ["Dov"]) == ()


@pytest.mark.parametrize(
    ("made", "reason", "detail"),
    [
        (
            puzzle("right(Ada) = Ben", "left(Ada) = Cleo", "across(Ada) = Dov"),
            "contradictory_clues",
            "'left(Ada) = Cleo'",
        ),
        (puzzle("right(Ada) = Ben"), "not_unique", "2 placements"),
        (
            puzzle("right(Ada) = Ben", "right(Cleo) = Dov", options={"A": "Ada", "B": "Ben"}),
            "contradictory_clues",
            "Dov",
        ),
        (puzzle("cw(Ada) = Ben"), "unknown_wording", "clue (1): 'cw'"),
        (
            puzzle("right(Ada) = Ben", "right(Cleo) = Dov", question="? in north(Ada)"),
            "unknown_wording",
            "question: 'north'",
        ),
    ],
)
def test_refusals(made: Puzzle, reason: str, detail: str) -> None:
    with pytest.raises(Refused) as caught:
        solve(made)
    assert caught.value.reason == reason
    assert detail in caught.value.detail


@pytest.mark.parametrize(("lang", "least"), [("en", 0.99), ("zh", 0.995)])
def test_agreement_with_published_gold(published: Callable[..., list[Problem]], lang: str, least: float) -> None:
    gold = {problem.id: problem.answer for problem in published(lang, "train", gold=True)}
    agreed = 0
    for problem in published(lang, "train"):
        try:
            letters = solve(read_problem(problem)).letters
        except Refused:
            continue
        answer = gold[problem.id]
        agreed += answer is not None and answer.value == list(letters)
    assert agreed / len(gold) >= least
