"""New problems: one solution and one set of right options, both proven here by going through all placements."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from srt.io.errors import UserError
from srt.io.records import Problem
from srt.worlds.seating.claim_language import Claim, Equal, format_claim, names_of, parse_claim
from srt.worlds.seating.reading.problem_reader import Puzzle, read_problem
from srt.worlds.seating.relations import asked_set, holds
from srt.worlds.seating.sampling import sampler
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import SampleDefect, sample
from srt.worlds.seating.scenes import SCENES, scene_name
from srt.worlds.seating.writing.own_templates import own_templates
from srt.worlds.seating.writing.sentence_templates import relation_name

SMALL: dict[str, Any] = {
    "style": "short",
    "scenes": ["booth"],
    "names": 6,
    "relations": ["left", "right"],
    "questions": ["left", "right", "across", "diag", "across(left)", "across(right)", "diag(left)", "diag(right)"],
}
names_of_scenes = [scene_name(scene) for scene in SCENES]
every_scene = pytest.mark.parametrize("scene", names_of_scenes)


def drawn(count: int, start: int = 0, **fields: Any) -> list[Problem]:
    spec = SampleSpec.parse(fields)
    return [sample(spec, index) for index in range(start, start + count)]


def solutions(puzzle: Puzzle) -> list[dict[str, str]]:
    """All placements that satisfy the clues, found with nothing but patience."""
    found = []
    for seats in itertools.permutations(puzzle.scene.seats):
        placement = dict(zip(puzzle.names, seats, strict=True))
        if all(holds(clue.claim, puzzle.scene, placement) for clue in puzzle.clues):
            found.append(placement)
    return found


def right_letters(puzzle: Puzzle, placement: dict[str, str]) -> list[str]:
    fills = asked_set(puzzle.question, puzzle.scene, placement)
    named = [letter for letter, name in puzzle.options.items() if name in fills]
    return named or [letter for letter, name in puzzle.options.items() if name is None]


@every_scene
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_one_solution_and_the_right_options_are_proven(scene: str, lang: str) -> None:
    for problem in drawn(3, scenes=[scene], lang=lang):
        puzzle = read_problem(problem)
        found = solutions(puzzle)
        symmetries = puzzle.scene.symmetries
        seats = puzzle.scene.seats
        turns = [{n: seats[turn[seats.index(s)]] for n, s in found[0].items()} for turn in symmetries]
        assert sorted(map(str, found)) == sorted(map(str, turns))
        assert problem.answer is not None
        for placement in found:
            assert right_letters(puzzle, placement) == problem.answer.value
        for clue in puzzle.clues[:2]:
            fewer = Puzzle(
                puzzle.scene,
                puzzle.names,
                tuple(other for other in puzzle.clues if other is not clue),
                puzzle.question,
                puzzle.options,
                puzzle.lang,
            )
            assert len(solutions(fewer)) > len(symmetries), "a clue that can be left out"


@every_scene
@pytest.mark.parametrize("links", ["tree", "ring"])
def test_linked_clues_join_everybody_and_leave_one_solution(scene: str, links: str) -> None:
    for problem in drawn(3, scenes=[scene], links=links):
        puzzle = read_problem(problem)
        placement, count = solutions(puzzle)[0], len(puzzle.names)
        assert len(solutions(puzzle)) == len(puzzle.scene.symmetries)
        assert problem.answer is not None
        assert right_letters(puzzle, placement) == problem.answer.value
        pairs = [names for clue in puzzle.clues if len(names := names_of(clue.claim)) == 2]
        assert len(pairs) >= (count - 1 if links == "tree" else count)
        joined = {puzzle.names[0]}
        for _ in puzzle.names:
            joined |= {name for pair in pairs if joined & set(pair) for name in pair}
        assert joined == set(puzzle.names)
        if links == "ring":
            shelf = ("1E", "2E", "3E", "3W", "2W", "1W")
            seats = shelf if scene == "shelf" else puzzle.scene.seats
            for one, other in zip(seats, [*seats[1:], seats[0]], strict=True):
                assert any({placement[name] for name in pair} == {one, other} for pair in pairs)


@pytest.mark.parametrize("scene", ["shelf", "hexagon-in-NS", "booth-EW"])
def test_anchored_clues_say_where_somebody_is_and_link_the_others(scene: str) -> None:
    alone = []
    for problem in drawn(60, scenes=[scene], links="anchored"):
        puzzle = read_problem(problem)
        assert len(solutions(puzzle)) == len(puzzle.scene.symmetries)
        names = [set(names_of(clue.claim)) for clue in puzzle.clues]
        joined = {name for here in names if len(here) == 1 for name in here}
        assert joined
        alone.append(len(joined))
        for _ in puzzle.names:
            joined |= {name for here in names if joined & here for name in here}
        assert joined == set(puzzle.names)
    assert len(set(alone)) > 1


def test_a_linked_hexagon_has_a_clue_that_could_be_left_out() -> None:
    """As those of SpaCE2025 have; five clues seat six people, and the last one has only one seat left."""
    problem = drawn(1, scenes=["hexagon-out"], relations=["left", "right", "cw", "ccw"], links="tree")[0]
    puzzle = read_problem(problem)
    assert len(puzzle.clues) == 5
    fewer = [replace(puzzle, clues=tuple(o for o in puzzle.clues if o is not clue)) for clue in puzzle.clues]
    assert any(len(solutions(one)) == 6 for one in fewer)


def test_problems_of_earlier_specifications_stay_as_they_were() -> None:
    """A field that is added to specifications changes no problem of those that do not use it."""
    problem = drawn(1, scenes=["hexagon-out"], relations=["left", "right", "across"], min_clues=4, names=8)[0]
    assert problem.id == "seating-81ad8e23-train-0"
    assert problem.question.split("\n")[1] == "(1) Hal is two left of Eve;"


def test_one_to_four_options_are_right() -> None:
    counts: Counter[int] = Counter()
    for problem in drawn(600):
        assert problem.answer is not None
        counts[len(problem.answer.value)] += 1
    assert set(counts) == {1, 2, 3, 4}


@every_scene
def test_what_a_problem_looks_like(scene: str) -> None:
    for problem in drawn(40, scenes=[scene]):
        assert list(problem.choices) == ["A", "B", "C", "D"]
        assert len(set(problem.choices.values())) == 4
        assert "None of the above" not in list(problem.choices.values())[:3]
        assert problem.category == scene
        assert problem.group_id == problem.meta["key"]
        assert {"scene", "compass", "style", "wordings", "clues", "key"} == set(problem.meta)
        question = problem.question.split("\n")[-1]
        for name in problem.choices.values():
            assert name not in question.replace("()", "").rstrip(".").split(), "an option that the question names"


@every_scene
def test_all_relations_and_numbers_of_right_options_occur(scene: str) -> None:
    spec = SampleSpec.parse({"scenes": [scene]})
    relations, questions, right = Counter[str](), Counter[str](), Counter[int]()
    for index in range(250):
        problem = sample(spec, index)
        puzzle = read_problem(problem)
        relations.update(relation_name(clue.claim) for clue in puzzle.clues)
        questions[str(problem.subcategory)] += 1
        assert problem.answer is not None
        right[len(problem.answer.value)] += 1
    known = {w.relation for w in own_templates("en", "short").clues[next(s for s in SCENES if scene_name(s) == scene)]}
    assert set(relations) == known
    assert set(questions) == known
    most = 2 if scene.startswith("booth") else 3
    assert set(range(1, most + 1)) <= set(right)


def test_four_right_options_occur() -> None:
    problems = drawn(300, scenes=["shelf"], questions=["above", "below"])
    counts = {len(problem.answer.value) for problem in problems if problem.answer}
    assert counts == {1, 2, 3, 4}


def test_none_of_the_above_is_offered_as_often_as_asked() -> None:
    for share in (0.0, 0.5, 1.0):
        problems = drawn(120, scenes=["hexagon-out"], none_share=share)
        offered = [problem for problem in problems if problem.choices["D"] == "None of the above"]
        # Draws whose options do not come out are drawn again, which moves the share by a few points.
        assert abs(len(offered) / len(problems) - share) < 0.15
        right = [problem for problem in offered if problem.answer and problem.answer.value == ["D"]]
        assert not offered or 0.05 < len(right) / len(offered) < 0.5


def test_a_problem_is_a_function_of_specification_and_index() -> None:
    spec = SampleSpec.parse(SMALL)
    again = SampleSpec.parse(dict(reversed(SMALL.items())))
    assert [sample(spec, index) for index in (7, 3)] == [sample(again, index) for index in (7, 3)]
    assert sample(spec, 3).question != sample(spec, 4).question
    assert sample(spec, 3).question != sample(SampleSpec.parse({**SMALL, "names": 7}), 3).question
    # Pinned: a change of this text is a change of the world's version.
    assert sample(SampleSpec(), 0).id == "seating-7626eec4-train-0"


def test_no_key_stands_in_two_splits() -> None:
    keys = {split: {p.group_id for p in drawn(150, split=split, **SMALL)} for split in ("train", "dev", "test")}
    assert all(keys.values())
    assert not keys["train"] & keys["dev"]
    assert not keys["train"] & keys["test"]
    assert not keys["dev"] & keys["test"]


def test_no_clue_gives_the_answer_away() -> None:
    """Told word for word by a clue, the answer would be a matter of finding the line."""
    for problem in drawn(150, **SMALL):
        puzzle = read_problem(problem)
        assert problem.answer is not None
        for letter in problem.answer.value:
            told = parse_claim(format_claim(puzzle.question).replace("?", problem.choices[letter]))
            assert not any(same_but_for_sides(told, clue.claim) for clue in puzzle.clues)


def same_but_for_sides(one: Claim, other: Claim) -> bool:
    def sides(claim: Claim) -> list[object]:
        return [{repr(a.left), repr(a.right)} if isinstance(a, Equal) else a for atoms in claim for a in atoms]

    return sides(one) == sides(other)


def test_the_small_family_is_small() -> None:
    words = []
    for problem in drawn(100, **SMALL):
        puzzle = read_problem(problem)
        assert len(puzzle.clues) == 2
        options = " ".join(f"{letter}. {text}" for letter, text in problem.choices.items())
        words.append(len(f"{problem.question} {options}".split()))
    assert 30 <= sum(words) / len(words) <= 40


def test_what_is_drawn_and_not_read_back_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler, "split_of", lambda world, key: "train")
    true_draw = sampler._draw

    def wrong_draw(*args: Any) -> Any:
        draft = true_draw(*args)
        if draft is None:
            return None
        return replace(draft, right=("A", "B", "C"))

    monkeypatch.setattr(sampler, "_draw", wrong_draw)
    with pytest.raises(SampleDefect):
        sample(SampleSpec.parse(SMALL), 0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"colour": "red"}, "colour: .*split, split_by, lang"),
        ({"scenes": ["bench"]}, "scenes: .*'bench'.* booth,"),
        ({"scenes": []}, "scenes: "),
        ({"scenes": ["booth"], "relations": ["lft"]}, "relations: .*'lft'"),
        ({"scenes": ["booth", "shelf"], "relations": ["diag"]}, "relations: .* shelf"),
        ({"scenes": ["booth"], "questions": ["lft"]}, "questions: .*'lft'"),
        ({"names": 3}, "names: "),
        ({"names": 5, "scenes": ["shelf"]}, "names: 5 .*shelf.* 6 "),
        ({"style": "loud"}, "style: "),
        ({"scenes": ["booth"], "relations": ["beside"]}, "split.* 'train'"),
        ({"min_clues": 5, "max_clues": 4}, "max_clues"),
        ({"links": "star"}, "links"),
        ({"scenes": ["shelf", "hexagon-in"], "links": "anchored"}, "links.* one person alone.*hexagon-in"),
        ({"scenes": ["shelf"], "relations": ["seat", "tier"], "links": "anchored"}, "links.* two people.*shelf"),
        ({"scenes": ["booth"], "links": "ring", "max_clues": 2}, "split.* 'train'.*links"),
    ],
)
def test_faults_of_a_specification_are_named(fields: dict[str, Any], message: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(sampler, "_ATTEMPTS", 50)
    with pytest.raises(UserError, match=message):
        sample(SampleSpec.parse(fields), 0)
