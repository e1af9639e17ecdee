"""The split key: the same for problems that differ in names, order and a turn of the scene, and for no others."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations

import pytest

from srt.io.records import Problem
from srt.worlds.kit.splits import split_of
from srt.worlds.seating.canonical_key import canonical_key, meaning_key
from srt.worlds.seating.claim_language import Claim, parse_claim
from srt.worlds.seating.derivation.solver import solve
from srt.worlds.seating.reading.problem_reader import read_problem
from srt.worlds.seating.relations import asked_set, holds
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample
from srt.worlds.seating.scenes import Scene

BOOTH = Scene("booth", "none")
PLACES = {"Ann": "S1", "Bob": "S2", "Cal": "N1", "Dee": "N2"}
CLUES = ["right(Ann) = Bob", "left(Dee) = Cal"]
QUESTION = "? = across(right(Ann))"


def claims(texts: list[str]) -> list[Claim]:
    return [parse_claim(text) for text in texts]


def key(clues: list[str] = CLUES, question: str = QUESTION, places: dict[str, str] = PLACES) -> str:
    return canonical_key(BOOTH, claims(clues), parse_claim(question), places)


def test_names_do_not_count() -> None:
    renamed = {"Ann": "Dee", "Bob": "Ann", "Cal": "Bob", "Dee": "Cal"}

    def rename(text: str) -> str:
        return (
            " ".join(renamed.get(word, word) for word in text.replace("(", " ( ").replace(")", " ) ").split())
            .replace("( ", "(")
            .replace(" (", "(")
            .replace(" )", ")")
        )

    places = {renamed[name]: seat for name, seat in PLACES.items()}
    assert key([rename(clue) for clue in CLUES], rename(QUESTION), places) == key()


def test_order_repetition_and_turns_do_not_count() -> None:
    turned = {"Ann": "N1", "Bob": "N2", "Cal": "S1", "Dee": "S2"}
    assert key(CLUES[::-1], QUESTION, turned) == key()
    assert key([*CLUES, CLUES[0]]) == key()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("across(Ann) = Dee", "Dee = across(Ann)"),
        ("across(Ann) = Dee", "across(Dee) = Ann"),
        ("across(Ann) != Cal", "across(Cal) != Ann"),
        ("diag(Ann) = right(Dee)", "Ann = diag(right(Dee))"),
        ("Ann in beside(Bob)", "Bob in beside(Ann)"),
        ("Ann notin beside(Cal)", "Cal notin beside(Ann)"),
    ],
)
def test_what_is_said_from_either_side_is_the_same(one: str, other: str) -> None:
    assert key([*CLUES, one]) == key([*CLUES, other])


@pytest.mark.parametrize(
    ("clues", "question"),
    [
        (["left(Bob) = Ann", "left(Dee) = Cal"], QUESTION),
        (CLUES, "? = across(Ann)"),
        (CLUES, "? = across(right(Cal))"),
        (CLUES, "across(right(?)) = Ann"),
        ([*CLUES, "across(Ann) = Dee"], QUESTION),
    ],
)
def test_another_clue_or_question_is_another_key(clues: list[str], question: str) -> None:
    assert key(clues, question) != key()


def test_another_geometry_is_another_key() -> None:
    compass = canonical_key(Scene("booth", "NS"), claims(CLUES), parse_claim(QUESTION), PLACES)
    assert compass != key()


def test_a_compass_leaves_no_turn() -> None:
    scene = Scene("booth", "NS")
    turned = {"Ann": "N1", "Bob": "N2", "Cal": "S1", "Dee": "S2"}
    assert canonical_key(scene, claims(CLUES), parse_claim(QUESTION), turned) != canonical_key(
        scene, claims(CLUES), parse_claim(QUESTION), PLACES
    )


def meaning(clues: list[str] = CLUES, question: str = QUESTION, places: dict[str, str] = PLACES) -> str:
    return meaning_key(BOOTH, claims(clues), parse_claim(question), places)


def test_other_relations_that_say_the_same_are_one_meaning() -> None:
    assert meaning(["left(Bob) = Ann", "right(Cal) = Dee"], "right(Ann) = across(?)") == meaning()
    assert meaning([*CLUES, "diag(Ann) = Cal"]) != meaning()
    assert meaning(CLUES, "? = across(Ann)") != meaning()
    assert meaning(["Ann in beside(Bob)", "left(Dee) = Cal"]) != meaning()


@pytest.mark.long
def test_meanings_are_those_of_looking_at_every_seating() -> None:
    """By the relations themselves, over all seatings and all ways to call the people."""
    spec = SampleSpec(scenes=("booth",), direct_questions=True, names=6, variety=1)
    by_key: dict[str, set[object]] = {}
    by_meaning: dict[object, set[str]] = {}
    for index in range(150):
        problem = sample(spec, index)
        puzzle = read_problem(problem)
        clues = [clue.claim for clue in puzzle.clues]
        key = meaning_key(puzzle.scene, clues, puzzle.question, solve(puzzle).placement)
        found = _meaning_by_every_seating(problem)
        by_key.setdefault(key, set()).add(found)
        by_meaning.setdefault(found, set()).add(key)
    assert len(by_key) < 120  # Some come again in other words.
    assert all(len(meanings) == 1 for meanings in by_key.values())
    assert all(len(keys) == 1 for keys in by_meaning.values())


def _meaning_by_every_seating(problem: Problem) -> object:
    puzzle = read_problem(problem)
    forms = []
    for people in permutations(puzzle.names):
        seatings = [dict(zip(people, seats, strict=True)) for seats in permutations(puzzle.scene.seats)]
        clues = {tuple(holds(clue.claim, puzzle.scene, at) for at in seatings) for clue in puzzle.clues}
        asked = [asked_set(puzzle.question, puzzle.scene, at) for at in seatings]
        fills = tuple(tuple(name in names for names in asked) for name in people)
        forms.append((tuple(sorted(clues)), fills))
    return min(forms)


def test_splits_have_their_shares() -> None:
    rng = random.Random(0)
    counts = Counter(split_of("seating", f"{rng.getrandbits(64):016x}") for _ in range(5000))
    assert abs(counts["train"] / 5000 - 0.8) < 0.03
    assert abs(counts["dev"] / 5000 - 0.1) < 0.02
    assert split_of("seating", "0000") == split_of("seating", "0000")
