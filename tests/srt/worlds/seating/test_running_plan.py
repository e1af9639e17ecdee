"""Plans that are carried along: which clue comes next, and when and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from srt.checking import check as judge
from srt.io.records import Problem
from srt.worlds.seating.claim_language import Place, names_of, parse_claim
from srt.worlds.seating.derivation.exact_teacher import derive, make_trace
from srt.worlds.seating.derivation.solver import solve
from srt.worlds.seating.faults.oracle import Oracle
from srt.worlds.seating.reading.problem_reader import Puzzle, read_problem
from srt.worlds.world import Refused

RING = Problem(
    id="ring",
    source="test",
    split="test",
    lang="en",
    question="Ring of six facing in, seats N NE SE S SW NW: Quin, Ida, Ann, Una, Gus, Ola.\n"
    "(1) Ann is one clockwise of Quin;\n(2) Ida looks northwest;\n(3) Gus is opposite the place two left of Ola;\n"
    "(4) Ida is opposite the place five left of Ola;\n(5) Ann is two left of Ida;\n(6) Una is one right of Ida.\n"
    "() is south of Una.",
    choices={"A": "Ann", "B": "Ida", "C": "Gus", "D": "None of the above"},
)


def test_of_clues_that_leave_one_way_one_of_somebody_seated_comes_first() -> None:
    """Clue 1 leaves one way too, among the seats that are left; the plan goes on beside those who have a seat."""
    puzzle = read_problem(RING)
    steps = derive(puzzle, solve(puzzle), "running")
    used = [n for step in steps if step.op == "CONSTRAIN" for n in step.args if n.startswith("#")]
    readings = {f"#{number}": step.args[0] for number, step in enumerate(steps, 1) if step.op == "CORRELATE"}
    assert [readings[number] for number in used if number in readings] == ["(2)", "(4)", "(3)", "(5)", "(1)"]


def test_clues_around_a_ring_are_read_in_steps_down_to_turns_from_whom_is_seated() -> None:
    """As the clue says it, then clockwise or not, then from the seated person; what says nothing new is left out."""
    puzzle = read_problem(RING)
    steps = derive(puzzle, solve(puzzle), "read-as-turns")
    assert [(step.args[0], step.claim) for step in steps if step.op == "CORRELATE"] == [
        ("(2)", "faces(Ida) = NW"),
        ("(3)", "across(left(Ola, 2)) = Gus"),  # nobody of these is seated yet
        ("(4)", "across(left(Ola, 5)) = Ida"),
        ("(4)", "across(cw(Ola, 5)) = Ida"),
        ("(5)", "Ann = left(Ida, 2)"),
        ("(5)", "Ann = cw(Ida, 2)"),
        ("(5)", "cw(Ida, 2) = Ann"),
        ("(6)", "Una = right(Ida)"),
        ("(6)", "Una = ccw(Ida)"),
        ("(6)", "ccw(Ida) = Una"),
        ("(1)", "Ann = cw(Quin)"),
        ("(1)", "ccw(Ann) = Quin"),
        ("question", "? in south(Una)"),
    ]


def test_with_turns_clues_are_taken_in_order_and_read_before_they_are_passed_by() -> None:
    question = (
        "Ring of six facing out: Ida, Una, Gus, Ola, Ann, Quin.\n(1) Una is two clockwise of Ida;\n"
        "(2) Ann is one clockwise of Quin;\n(3) Gus is one clockwise of Una;\n(4) Ann is two clockwise of Gus.\n"
        "() is one right of Ola."
    )
    puzzle = read_problem(RING.model_copy(update={"question": question}))

    steps = derive(puzzle, solve(puzzle), "read-as-turns")
    assert [(step.args[0], step.claim) for step in steps if step.op == "CORRELATE"][:-1] == [
        ("(1)", "Una = cw(Ida, 2)"),
        ("(1)", "cw(Ida, 2) = Una"),
        ("(2)", "Ann = cw(Quin)"),
        ("(3)", "Gus = cw(Una)"),
        ("(3)", "cw(Una) = Gus"),
        ("(4)", "Ann = cw(Gus, 2)"),
        ("(4)", "cw(Gus, 2) = Ann"),
        ("(2)", "Ann = cw(Quin)"),
        ("(2)", "ccw(Ann) = Quin"),
        ("question", "? = right(Ola)"),
    ]


def test_with_turns_nobody_seated_is_in_a_clue_that_is_passed_by(
    chance_puzzles: Callable[[int, int], Iterator[Puzzle]],
) -> None:
    """And it stands in the order of the clues, from the one used last on, from the first again after the last."""
    passed = 0
    for puzzle in chance_puzzles(7, 5):
        if not puzzle.scene.kind.startswith("hexagon"):
            continue
        try:
            steps = derive(puzzle, solve(puzzle), "read-as-turns")
        except Refused:
            continue
        seated: set[str] = set()
        used = 0
        for step, after in pairwise(steps):
            claim = parse_claim(step.claim or "")
            if step.op == "CONSTRAIN":
                seated.update(atom.name for atoms in claim for atom in atoms if isinstance(atom, Place))
            elif after.op == "CORRELATE" and step.args != after.args and after.args != ("question",):
                assert not seated.intersection(names_of(claim))
                here, there = (int(read.args[0].strip("()")) for read in (step, after))
                assert (here - used - 1) % len(puzzle.clues) < (there - used - 1) % len(puzzle.clues)
                passed += 1
            if step.op == "CORRELATE" and after.op == "CONSTRAIN":
                used = int(step.args[0].strip("()"))
    assert passed > 20


def test_with_turns_a_seat_is_found_beside_the_one_that_it_is_counted_from() -> None:
    """Then the plan takes it up at its end."""
    question = (
        "Ring of six facing out: Ida, Una, Gus, Ola, Ann, Quin.\n(1) Una is two left of Ida;\n"
        "(2) Quin is one clockwise of Una;\n(3) Gus is one left of Una;\n(4) Ola is one left of Gus.\n"
        "() is one right of Ola."
    )
    puzzle = read_problem(RING.model_copy(update={"question": question}))
    steps = derive(puzzle, solve(puzzle), "read-as-turns")
    assert [(step.args, step.claim) for step in steps if step.op == "CONSTRAIN"][:5] == [
        (("wlog",), "Ida@P1"),
        (("scene", "#1", "#4"), "Ida@P1 & Una@P5"),
        (("scene", "#5", "#7"), "Una@P5 & Quin@P6"),
        (("#5", "#8"), "Ida@P1 & Una@P5 & Quin@P6"),
        (("scene", "#9", "#12"), "Una@P5 & Gus@P4"),
    ]


def test_with_turns_a_plan_goes_on_where_it_ends(chance_puzzles: Callable[[int, int], Iterator[Puzzle]]) -> None:
    """A model that copies it reads the names in the order of the plan before."""
    longer = 0
    for puzzle in chance_puzzles(7, 5):
        try:
            steps = derive(puzzle, solve(puzzle), "read-as-turns")
        except Refused:
            continue
        plan: list[str] = []
        for step in [step for step in steps if step.op == "CONSTRAIN"]:
            names = [atom.name for atom in parse_claim(step.claim or "")[0] if isinstance(atom, Place)]
            if not set(plan).issubset(names):
                continue  # a seat beside another, or a part of what comes next
            assert names[: len(plan)] == plan
            longer += len(names) > len(plan) > 0
            plan = names
    assert longer > 100


@pytest.mark.parametrize(
    ("asked", "claims"),
    [
        ("() is one right of Ola.", ["? = right(Ola)", "? = ccw(Ola)", "?@P3", "? = Gus"]),
        ("Ola is one left of ().", ["left(?) = Ola", "cw(?) = Ola", "? = ccw(Ola)", "?@P3", "? = Gus"]),
        (
            "() is opposite the place one right of Ola.",
            ["? = across(right(Ola))", "? = across(ccw(Ola))", "? = cw(Ola, 2)", "?@P6", "? = Quin"],
        ),
        (
            "Ann is opposite the place two left of ().",
            ["across(left(?, 2)) = Ann", "across(cw(?, 2)) = Ann", "ccw(?) = Ann", "? = cw(Ann)", "?@P6", "? = Quin"],
        ),
        (
            "() is opposite the place three left of Ola.",  # back at Ola, which no turn leads to
            ["? = across(left(Ola, 3))", "? = across(cw(Ola, 3))", "? = across(Ida)", "?@P4", "? = Ola"],
        ),
        (
            "() is on the right side of Una.",
            ["? in right_side(Una)", "? = ccw(Una) | ? = ccw(Una, 2)", "?@P1 | ?@P6", "? = Ida | ? = Quin"],
        ),
        (
            "Ida is on the left side of ().",
            [
                "Ida in left_side(?)",
                "cw(?) = Ida | cw(?, 2) = Ida",
                "? = ccw(Ida) | ? = ccw(Ida, 2)",
                *("?@P6 | ?@P5", "? = Quin | ? = Ann"),
            ],
        ),
    ],
)
def test_with_turns_a_question_comes_down_to_turns_from_somebody(asked: str, claims: list[str]) -> None:
    """Turns inside one another are added up; a side is two places, of which the nearer one comes first."""
    clues = "Ring of six facing in: Ida, Una, Gus, Ola, Ann, Quin.\n(1) Una is one left of Ida;\n" + "".join(
        f"({n}) {one} is one clockwise of {other};\n"
        for n, one, other in [(2, "Gus", "Una"), (3, "Ola", "Gus"), (4, "Ann", "Ola")]
    )
    problem = RING.model_copy(update={"question": clues + asked})
    puzzle = read_problem(problem)
    trace = make_trace(problem, puzzle, solve(puzzle), "read-as-turns")
    assert [step.claim for step in trace.steps if "?" in (step.claim or "")] == claims
    assert judge(problem, trace).proved
    assert not Oracle(problem).judge(trace).faults


def test_a_running_plan_needs_no_look_ahead(chance_puzzles: Callable[[int, int], Iterator[Puzzle]]) -> None:
    """Whatever is asked, the seats are found by the same steps, each from the one before and one clue."""
    compared = 0
    for puzzle in chance_puzzles(3, 5):
        function = {"booth": "right", "shelf": "up"}.get(puzzle.scene.kind, "cw")
        plans = set()
        for name in puzzle.names:
            asked = replace(puzzle, question=parse_claim(f"? = {function}({name})"))
            try:
                steps = derive(asked, solve(asked), "running")
            except Refused:
                continue
            seats = [step for step in steps if step.op == "CONSTRAIN"]
            compared += 1
            plans.add(tuple((step.args[0], step.claim) for step in seats))
            everybody = parse_claim(seats[-1].claim or "")
            assert len(everybody) == 1
            assert {atom.name for atom in everybody[0] if isinstance(atom, Place)} == set(puzzle.names)
            before = steps.index(seats[0])
            for at, step in enumerate(seats[1:], before + 1):
                assert f"#{at}" in step.args
                assert sum(word.startswith("#") for word in step.args) <= 2
        assert len(plans) <= 1
    assert compared > 100
