"""Fields of a specification that make lessons easier: fewer wordings, direct questions, the same puzzles."""

from __future__ import annotations

from srt.worlds.seating.canonical_key import meaning_key
from srt.worlds.seating.derivation.solver import solve
from srt.worlds.seating.reading.problem_reader import read_problem
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample

FIELDS = {
    "split": "train",
    "scenes": ["booth"],
    "names": 6,
    "relations": ["left", "right"],
    "questions": ["diag", "across(left)"],
}


def test_direct_questions_have_the_blank_alone() -> None:
    spec = SampleSpec.parse({**FIELDS, "direct_questions": True})
    sides = [read_problem(sample(spec, index)).question[0][0] for index in range(40)]
    assert all("?" in (side.left, side.right) for side in sides)  # type: ignore[union-attr]
    free = SampleSpec.parse(FIELDS)
    asked = [read_problem(sample(free, index)).question[0][0] for index in range(40)]
    assert not all("?" in (side.left, side.right) for side in asked)  # type: ignore[union-attr]


def test_variety_one_says_each_relation_in_one_way() -> None:
    one = SampleSpec.parse({**FIELDS, "variety": 1})
    assert not any("neighbour is" in sample(one, index).question for index in range(40))
    assert any("neighbour is" in sample(SampleSpec.parse(FIELDS), index).question for index in range(40))


def test_split_by_people_keeps_a_puzzle_with_its_people_in_one_split() -> None:
    fields = {**FIELDS, "split_by": "people"}
    seen: dict[str, set[tuple[object, ...]]] = {}
    for split in ("train", "test"):
        spec = SampleSpec.parse({**fields, "split": split})
        problems = [sample(spec, index) for index in range(150)]
        solved = [(problem, solve(read_problem(problem)).placement) for problem in problems]
        # Half a turn of the booth changes nothing: the two ways of seating the same people are one.
        seen[split] = {
            (problem.group_id, *ordered)
            for problem, placement in solved
            for ordered in (tuple(sorted(placement, key=placement.__getitem__)),)
        }
    half_turned = {(key, *names[2:], *names[:2]) for key, *names in seen["train"]}
    assert not seen["test"] & (seen["train"] | half_turned)
    assert {key for key, *_ in seen["test"]} & {key for key, *_ in seen["train"]}


def test_split_by_meaning_keeps_what_means_the_same_in_one_split() -> None:
    fields = {"scenes": ["booth"], "names": 6, "variety": 1, "split_by": "meaning"}
    meanings = {}
    for split in ("train", "test"):
        spec = SampleSpec.parse({**fields, "split": split})
        problems = [sample(spec, index) for index in range(200)]
        for problem in problems:
            puzzle = read_problem(problem)
            clues = [clue.claim for clue in puzzle.clues]
            assert problem.group_id == meaning_key(puzzle.scene, clues, puzzle.question, solve(puzzle).placement)
        meanings[split] = {problem.group_id for problem in problems}
        assert len({problem.meta["key"] for problem in problems}) > len(meanings[split])
    assert not meanings["train"] & meanings["test"]
