"""Every step of every trace follows from what it cites and from nothing less, as :mod:`.step_prover` shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from srt.checking import check as judge
from srt.io.records import Problem
from srt.language.text import linearize
from srt.language.trace import Step, Trace
from srt.worlds.seating.derivation.exact_teacher import derive, make_trace
from srt.worlds.seating.derivation.solver import solve
from srt.worlds.seating.faults.oracle import Oracle
from srt.worlds.seating.reading.problem_reader import Puzzle, read_problem
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample
from srt.worlds.seating.scenes import SCENES, scene_name
from srt.worlds.world import Refused
from tests.srt.worlds.seating.step_prover import check

PLANS = pytest.mark.parametrize("plan", ["needed", "running", "read-as-turns"])
BOOTH = Problem(
    id="booth",
    source="test",
    split="test",
    lang="en",
    question="Booth: Robert, James, Jason, Mary.\n(1) Mary is right of Robert;\n(2) Jason is right of James.\n"
    "() faces the right neighbour of Robert.",
    choices={"A": "Jason", "B": "Mary", "C": "James", "D": "None of the above"},
)


def test_the_printed_example() -> None:
    puzzle = read_problem(BOOTH)
    trace = make_trace(BOOTH, puzzle, solve(puzzle))
    assert (trace.id, trace.kind, trace.teacher) == ("t-booth", "world", "seating")
    assert linearize(trace).split("\n") == [
        "CORRELATE (1): right(Robert) = Mary",
        "CORRELATE (2): right(James) = Jason",
        "CORRELATE question: ? = across(right(Robert))",
        "CONSTRAIN wlog #1: Robert@S1 & Mary@S2",
        "CONSTRAIN scene #2 #4: James@N1 & Jason@N2",
        "INFER #1 #3: ? = across(Mary)",
        "INFER scene #4 #6: ?@N1",
        "INFER #5 #7: ? = James",
        "INFER A B C D #8: options = {C}",
        "ANSWER: C",
    ]


@pytest.mark.parametrize(
    ("number", "args", "claim"),
    [
        (5, ("scene", "#2", "#4"), "James@N2 & Jason@N1"),
        (5, ("#2", "#4"), "James@N1 & Jason@N2"),
        (5, ("scene", "#1", "#2", "#4"), "James@N1 & Jason@N2"),
        (4, ("wlog",), "Robert@S1 & Mary@S2"),
        (4, ("scene", "#1"), "Robert@S1 & Mary@S2"),
        (6, ("#1", "#3"), "? = across(Robert)"),
        (7, ("#4", "#6"), "?@N1"),
        (8, ("#5", "#7"), "? = Jason"),
        (9, ("A", "B", "C", "D", "#8"), "options = {B}"),
        (1, ("(2)",), "right(Robert) = Mary"),
    ],
)
def test_a_step_that_does_not_follow_is_caught(number: int, args: tuple[str, ...], claim: str) -> None:
    puzzle = read_problem(BOOTH)
    steps = list(make_trace(BOOTH, puzzle, solve(puzzle)).steps)
    check(puzzle, steps)
    steps[number - 1] = Step(op=steps[number - 1].op, args=args, claim=claim)
    with pytest.raises(AssertionError):
        check(puzzle, steps)


SHELF = "Shelf of three tiers, east on the left: Aster, Broom, Clover, Dahlia, Elder, Fern."
SHELF_CLUES = [
    "Aster is in the west of tier one",
    "Broom is somewhere straight above Aster",
    "a tier lies between Aster and Broom",
    "Clover is left of Broom on the same tier",
    "Dahlia and Broom are stacked",
    "Elder is on tier two",
]


def shelf(question: str, choices: Sequence[str]) -> tuple[str, Trace]:
    clues = [f"({number}) {clue};" for number, clue in enumerate(SHELF_CLUES, 1)]
    problem = Problem(
        id="shelf",
        source="test",
        split="test",
        lang="en",
        question="\n".join([SHELF, *clues, question]),
        choices=dict(zip("ABCD", choices, strict=True)),
    )
    puzzle = read_problem(problem)
    trace = make_trace(problem, puzzle, solve(puzzle))
    check(puzzle, trace.steps)
    return linearize(trace), trace


def test_a_clue_that_names_a_cell_needs_no_step_to_repeat_it() -> None:
    text, _ = shelf("() is diagonally above Aster.", ["Broom", "Clover", "Elder", "Fern"])
    assert "CORRELATE (1): Aster@1W" in text
    assert "CONSTRAIN #1: Aster@1W" not in text


def test_the_last_one_sits_where_nobody_else_does() -> None:
    text, trace = shelf("() is on tier one.", ["Aster", "Fern", "Elder", "Clover"])
    assert "?@1E | ?@1W" in text
    assert any(step.op == "CONSTRAIN" and step.claim == "Fern@1E" and "scene" not in step.args for step in trace.steps)
    assert trace.answer == "A, B"


def test_nobody() -> None:
    text, trace = shelf("() is left of Clover on the same tier.", ["Aster", "Fern", "Elder", "None of the above"])
    assert "? = none" in text
    assert trace.answer == "D"


def test_three_lists_of_alternatives_are_joined_before_one_step_goes_on_from_them() -> None:
    problem = Problem(
        id="lists",
        source="test",
        split="test",
        lang="en",
        question="Shelf of three tiers, east on the left: Azalea, Sorrel, Thyme, Sage, Orchid, Ivy.\n"
        "(1) Ivy is diagonally above Thyme;\n(2) Ivy is in the east of tier three;\n"
        "(3) Orchid is diagonally below Azalea;\n(4) a tier lies between Orchid and Sage;\n"
        "(5) Sorrel is a tier away from Ivy;\n(6) Azalea is on the tier just below Ivy.\n"
        "Sorrel is one tier up and left of ().",
        choices={"A": "Azalea", "B": "Sage", "C": "Orchid", "D": "Thyme"},
    )
    puzzle = read_problem(problem)
    trace = make_trace(problem, puzzle, solve(puzzle))
    lists = [step.claim for step in trace.steps if step.op == "CONSTRAIN" and " | " in (step.claim or "")]
    assert len(lists) == 4
    found = judge(problem, trace)
    assert found is not None
    assert found.proved


@PLANS
def test_whom_a_lookup_finds_is_seated_by_what_it_cites(plan: str) -> None:
    """Nobody fills the blank no matter who is across from Cal: so it follows without Eve's seat, and was not proved."""
    problem = Problem(
        id="p",
        source="test",
        split="test",
        lang="en",
        question="Booth: Eve, Dee, Cal, Ann.\n(1) Ann shares a bench with Cal;\n(2) Dee is front-left of Cal.\n"
        "the right neighbour of () faces Cal.",
        choices={"A": "Ann", "B": "Dee", "C": "Eve", "D": "None of the above"},
    )
    puzzle = read_problem(problem)
    solution = solve(puzzle)
    trace = make_trace(problem, puzzle, solution, plan)
    check(puzzle, trace.steps, plan == "read-as-turns")
    assert "right(?) = Eve" in {step.claim for step in trace.steps}
    assert trace.answer == "D"
    assert judge(problem, trace).proved
    assert Oracle(problem).judge(trace).faults == ()


@pytest.mark.long
@PLANS
def test_by_chance_in_every_scene(chance_puzzles: Callable[[int, int], Iterator[Puzzle]], plan: str) -> None:
    seen = set()
    for puzzle in chance_puzzles(2, 7):
        check(puzzle, derive(puzzle, solve(puzzle), plan), plan == "read-as-turns")
        seen.add(puzzle.scene)
    assert seen == set(SCENES)


@PLANS
@pytest.mark.slow
def test_by_chance_in_every_scene_at_length(chance_puzzles: Callable[[int, int], Iterator[Puzzle]], plan: str) -> None:
    for puzzle in chance_puzzles(100, 11):
        check(puzzle, derive(puzzle, solve(puzzle), plan), plan == "read-as-turns")


@PLANS
def test_the_checker_proves_what_is_sampled(plan: str) -> None:
    """With every relation and every question of each scene, and with no step that nothing uses."""
    for scene in SCENES:
        for index in range(20):
            problem = sample(SampleSpec(scenes=(scene_name(scene),)), index)
            puzzle = read_problem(problem)
            verdict = judge(problem, make_trace(problem, puzzle, solve(puzzle), plan))
            assert verdict.proved, problem.question
            assert not verdict.unused, problem.question


@PLANS
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_published(published: Callable[..., list[Problem]], lang: str, plan: str) -> None:
    check_published(published(lang, "train")[::111], plan)


@PLANS
@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_published_at_length(published: Callable[..., list[Problem]], lang: str, plan: str) -> None:
    check_published(published(lang, "train")[::4], plan)


def check_published(problems: Sequence[Problem], plan: str) -> None:
    seen, checked = set(), 0
    for problem in problems:
        puzzle = read_problem(problem)
        try:
            solution = solve(puzzle)
        except Refused:
            continue
        trace = make_trace(problem, puzzle, solution, plan)
        check(puzzle, trace.steps, plan == "read-as-turns")
        checked += 1
        for step in trace.steps:
            if step.op == "CONSTRAIN" and plan == "needed":
                assert (step.claim or "").count(" | ") < 4, f"{problem.id}: too many alternatives"
        seen.add(puzzle.scene)
    assert len(seen) >= 9
    assert checked > 0.97 * len(problems)
