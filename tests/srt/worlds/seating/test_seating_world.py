"""The seating world as the toolkit sees it, and the registry of worlds."""

from __future__ import annotations

import time

import pytest

from srt.io.errors import UserError
from srt.io.records import Answer, Problem, Refusal
from srt.language.trace import Step
from srt.pipeline.solve import solve_one
from srt.worlds.seating.derivation.solved_problem import placement_for
from srt.worlds.seating.derivation.solver import solve
from srt.worlds.seating.reading.problem_reader import read_problem
from srt.worlds.world import Refused
from srt.worlds.world_registry import world_named, world_of, worlds

CLUES = "(1) Ben is right of Ada;\n(2) Dov is right of Cleo.\n"
TEXT = f"Booth: Ada, Ben, Cleo, Dov.\n{CLUES}() faces the right neighbour of Ada."
LONG = (
    "Ada, Ben, Cleo, Dov share a booth: two benches face each other across a table, with two seats on each.\n"
    f"{CLUES}() faces the right neighbour of Ada."
)
PROBLEM = Problem(
    id="p",
    source="test",
    split="test",
    lang="en",
    question=TEXT,
    choices={"A": "Dov", "B": "Ben", "C": "Cleo", "D": "None of the above"},
)
SEATING = world_named("seating")


def test_the_registry() -> None:
    assert world_of(PROBLEM) is SEATING
    assert SEATING in worlds()
    with pytest.raises(UserError, match=r"'atlantis'.*seating"):
        world_named("atlantis")


@pytest.mark.parametrize(
    ("question", "known"),
    [
        (TEXT, True),
        (TEXT.replace("Booth", "Sofa"), False),
        (TEXT.replace("Dov.", "Dov. Two lamps hang above.", 1), True),
        (LONG, True),
        (LONG.replace("table", "stage"), False),
        (LONG.replace("\n", " It rains.\n", 1), True),
        (TEXT.replace("\n", "\n\n"), True),
        (TEXT.partition("\n")[2], False),
        ("Booth.\n() is here.", False),
        ("Booth.\n(1) () is here.", False),
        ("How many edges has a cube?", False),
        ("(1) Ben is right of Ada;\n(2) what does he see?", False),
        ("", False),
    ],
)
def test_recognised_by_its_scene(question: str, known: bool) -> None:
    assert SEATING.recognises(PROBLEM.model_copy(update={"question": question})) == known


@pytest.mark.parametrize("filler", ["\n", "\n \t", "\n(1)", "( ", "(1)"])
def test_a_long_text_is_recognised_in_linear_time(filler: str) -> None:
    started = time.process_time()
    SEATING.recognises(PROBLEM.model_copy(update={"question": f"Booth.{filler * 200_000}x"}))
    SEATING.recognises(PROBLEM.model_copy(update={"question": f"Booth.\n(1){filler * 200_000}x"}))
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("fields", "known"),
    [
        ({"source": "seating"}, True),
        ({"source": "space2025", "category": "SPR"}, True),
        ({"source": "space2025", "category": "DSA"}, False),
        ({"source": "own", "category": "SPR"}, False),
    ],
)
def test_an_unknown_scene_is_refused_by_name_where_the_problem_is_ours(fields: dict[str, str], known: bool) -> None:
    problem = PROBLEM.model_copy(update={"question": TEXT.replace("Booth", "Sofa"), **fields})
    refusal = solve_one(problem)
    assert isinstance(refusal, Refusal)
    assert refusal.reason == ("unknown_scene" if known else "no_world")


def test_without_options_it_is_no_problem_of_this_world() -> None:
    assert world_of(PROBLEM.model_copy(update={"choices": {}})) is None


def test_gold_is_agreed_with_or_the_problem_is_refused() -> None:
    right = PROBLEM.model_copy(update={"answer": Answer(kind="choice_set", value=["C"])})
    assert SEATING.solve(right).answer == "C"
    wrong = PROBLEM.model_copy(update={"answer": Answer(kind="choice_set", value=["A", "C"])})
    with pytest.raises(Refused) as caught:
        SEATING.solve(wrong)
    assert caught.value.reason == "disagrees_with_gold"
    assert caught.value.detail == "solved: C; gold: ['A', 'C']"


def test_truth() -> None:
    truth = SEATING.truth(PROBLEM, SEATING.solve(PROBLEM))
    for claim, said in [
        ("right(Ada) = Ben", "true"),
        ("Ada@S1", "true"),
        ("Ada@N1", "false"),
        ("across(Ada) = Cleo", "false"),
        ("? = across(Ben)", "true"),
        ("?@N1", "true"),
        ("? = Dov", "false"),
        ("options = {C}", "true"),
        ("options = {A, C}", "false"),
        ("Zoe@N1", "unknown"),
        ("cw(Ada) = Ben", "unknown"),
        ("nonsense", "unknown"),
        ("options = {C} & Ada@S1", "unknown"),
    ]:
        assert truth(claim) == said, claim


def test_truth_of_what_a_claim_about_the_blank_says_of_others() -> None:
    nobody = PROBLEM.model_copy(update={"question": TEXT.replace("faces the right neighbour", "is left")})
    truth = SEATING.truth(nobody)
    for claim, said in [
        ("? = left(Ada)", "true"),
        ("right(Ada) = Ben & ? = left(Ada)", "true"),
        ("right(Ada) = Dov & ? = left(Ada)", "false"),
        ("Ben@S2 & ? = none", "true"),
        ("Ben@N2 & ? = none", "false"),
        ("Ben@N2 & ? = left(Ada) | Ben@S2 & ? = left(Ada)", "true"),
        ("Ben@N2 & ? = left(Ada) | Ben@N1 & ? = left(Ada)", "false"),
    ]:
        assert truth(claim) == said, claim


def test_the_reading_of_a_question_that_says_something_wrong_of_others_is_true() -> None:
    text = f"{TEXT.partition('()')[0].replace('Booth', 'Booth, benches on the north and south sides')}"
    clues = text.replace("\n(2)", "\n(2) Ada looks north;\n(3)")
    question = clues + "Ada is sitting facing south, next to () on the left-hand side."
    asked = PROBLEM.model_copy(update={"question": question})
    truth = SEATING.truth(asked)
    assert truth("left(?) = Ada & faces(Ada) = S") == "true"
    assert truth("left(?) = Dov & faces(Ada) = S") == "false"
    assert SEATING.solve(asked).answer == "D"


def test_truth_of_a_problem_that_is_not_solved_is_unknown() -> None:
    truth = SEATING.truth(PROBLEM.model_copy(update={"question": TEXT.replace("Booth", "Sofa")}))
    assert truth("right(Ada) = Ben") == "unknown"


def test_seats_are_those_that_the_trace_chose() -> None:
    trace = SEATING.solve(PROBLEM)
    turned = trace.model_copy(update={"steps": (Step(op="CONSTRAIN", args=("wlog",), claim="Ada@N1"), *trace.steps)})
    puzzle = read_problem(PROBLEM)
    assert placement_for(puzzle, solve(puzzle), turned) == {"Ada": "N1", "Ben": "N2", "Cleo": "S1", "Dov": "S2"}
    assert SEATING.truth(PROBLEM, turned)("Cleo@S1") == "true"
    for impossible in ("Ada@S2", "Zoe@S1", "nonsense"):
        odd = Step(op="CONSTRAIN", args=("wlog",), claim=impossible)
        found = placement_for(puzzle, solve(puzzle), trace.model_copy(update={"steps": (odd,)}))
        assert found == solve(puzzle).placement


def test_prose_scans_where_the_trace_does() -> None:
    trace = SEATING.solve(PROBLEM, "running")
    finest = next(iter(SEATING.respell(PROBLEM, trace, "lettered")))
    (found,) = [step.claim for step in finest.steps if str(step.claim).startswith("?@")][-1:]
    *passed, named = str(found).split(" & ")[1:]
    said = " and ".join(place.replace("@", " is at ") for place in passed)
    scan = f"Who is at {str(found)[2:4]}? {said}. So {named.removeprefix('? = ')} fills the blank."
    prose, plain = (SEATING.explain(PROBLEM, trace, style=style) for style in ("lettered", "anchored"))
    assert scan in prose
    assert "Who is at" not in plain


def test_it_speaks_and_draws() -> None:
    trace = SEATING.solve(PROBLEM)
    prose, terse = (SEATING.explain(PROBLEM, trace, terse=terse) for terse in (False, True))
    assert "Ben" in terse
    assert len(terse) < len(prose)
    assert "Ben" in SEATING.assertion("right(Ada) = Ben", "en")
    draw = SEATING.extras.figures.solved
    assert draw is not None
    assert draw(PROBLEM).startswith("<svg")
