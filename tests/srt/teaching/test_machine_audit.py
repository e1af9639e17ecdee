"""What the machine holds against a trace, how it compares answers with gold, and where it overrules a Reviewer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from srt.io.record_reader import read_records
from srt.io.records import Answer, Problem
from srt.language.faults import Fault
from srt.language.trace import ClaimCheck, Step, Trace
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from srt.teaching.case_store.case_records import Issue
from srt.teaching.case_store.teaching_summary import coverage
from srt.teaching.loop.leftover_words import has_unclaimed_text
from srt.teaching.loop.machine_audit import MachineAudit, audit, gold_verdict

BOX = "A box is 3 wide, 4 deep and 5 high. What is its volume?"


def problem(question: str = BOX, **fields: object) -> Problem:
    plain = {"id": "p", "source": "made", "split": "test", "lang": "en", "question": question}
    return Problem.model_validate({**plain, "answer": Answer(kind="number", value=60), **fields})


def free(*steps: tuple[str, str, str], answer: str = "60") -> Trace:
    """``free(("INFER", "#1 (2)", "prose"), ...)``."""
    made = [Step.model_validate({"op": op, "args": args.split(), "assertion": prose}) for op, args, prose in steps]
    return Trace(id="t", problem_id="p", kind="free", lang="en", steps=tuple(made), answer=answer)


READING = ("CORRELATE", "(1)", "the base is 3 by 4")
BASE = ("CONSTRAIN", "#1 scene", "the base has the area 3 * 4 = 12")
VOLUME = ("INFER", "#2 (1)", "so 12 * 5 = 60")


def said(audited: MachineAudit) -> list[tuple[int | None, Fault]]:
    return [(issue.step, issue.fault) for issue in audited.issues]


def reviewer(fault: Fault, step: int | None, explanation: str = "it seems so") -> Issue:
    return Issue(by="reviewer", step=step, fault=fault, explanation=explanation)


def test_a_sound_trace_is_accepted() -> None:
    found = audit(problem(), free(READING, BASE, VOLUME))
    assert not found.issues
    assert found.issues == ()
    assert (found.gold, found.doubt) == ("equal", None)
    assert [step.support for step in found.checks.steps] == ["unchecked", "computed", "computed"]
    assert found.checks.answer.support == "computed"
    assert coverage(found.checks) == {
        "steps": 3,
        "steps unchecked": 1,
        "steps computed": 2,
        "claims": 2,
        "claims computed": 2,
    }


def test_it_has_nothing_against_traces_that_people_wrote(hand_written: list[tuple[Problem, Trace]]) -> None:
    for problem, trace in hand_written:
        found = audit(problem, trace, normal_form=True)
        assert not found.issues, (problem.id, found.issues)
        # Whether the last value that is calculated is the answer is not known of all of them, and is no objection.
        assert (found.gold, found.checks.refuted) == ("equal", False)


def test_another_answer_than_gold_is_never_accepted() -> None:
    found = audit(problem(), free(READING, BASE, ("INFER", "#2", "so 12 * 4 = 48"), answer="48"))
    assert said(found) == [(None, Fault.WRONG_ANSWER)]
    assert found.gold == "differs"
    gold = Answer(kind="expression", value="\\frac{4}{3}")
    (issue,) = audit(problem(answer=gold), free(READING, BASE, VOLUME)).issues
    assert issue.explanation == "the answer is '60', but the gold answer is '\\frac{4}{3}'"
    assert "'60'" in found.issues[0].explanation


def test_a_refuted_claim_comes_with_its_counterexample() -> None:
    found = audit(problem(), free(READING, ("CONSTRAIN", "#1 scene", "the base is 3 * 4 = 15"), VOLUME))
    assert said(found) == [(2, Fault.FALSE_CLAIM)]
    assert "12" in found.issues[0].explanation
    assert found.checks.steps[1].support == "refuted"
    assert found.checks.steps[1].counterexample


def test_references_unused_steps_and_strangers() -> None:
    solid = problem("In the pyramid P-ABC, AB = 3 and PA = 20.", answer=Answer(kind="number", value=60))
    found = audit(
        solid,
        free(
            ("CORRELATE", "(1)", "AB is an edge of the base"),
            ("CONSTRAIN", "#4", "PA is the height"),
            ("CONSTRAIN", "#9 #2", "PQ is the other height"),
            ("INFER", "#3", "3 * 20 = 60"),
        ),
    )
    assert said(found) == [
        (1, Fault.UNUSED_STEP),
        (2, Fault.ORDER_BROKEN),
        (3, Fault.DANGLING_REFERENCE),
        (3, Fault.HALLUCINATED_ENTITY),
    ]


def test_a_plainly_wrong_operation() -> None:
    found = audit(problem(), free(READING, ("CORRELATE", "#1", "the base has the area 3 * 4 = 12"), VOLUME))
    assert said(found) == [(2, Fault.MISLABELLED)]


def test_the_order_of_operations_where_it_is_asked_for() -> None:
    mixed = free(
        ("INFER", "question", "the volume of a box is asked"),
        ("CORRELATE", "(1) #1", "the base is 3 by 4, the height 5"),
        ("CONSTRAIN", "#2 scene", "so 3 * 4 * 5 = 60"),
    )
    assert not audit(problem(), mixed).issues
    found = audit(problem(), mixed, normal_form=True)
    assert said(found) == [(2, Fault.OUT_OF_ORDER), (3, Fault.OUT_OF_ORDER)]
    assert found.issues[0].explanation == (
        "this CORRELATE stands after step 1, which is INFER; "
        "the order is all CORRELATE, then all CONSTRAIN, then all INFER"
    )
    assert found.issues[0].suggested_fix == "move it to before step 1, and renumber the references"
    assert not audit(problem(), free(READING, BASE, VOLUME), normal_form=True).issues
    late = audit(
        problem(), free(READING, ("INFER", "#1", "the base has the area 3 * 4 = 12"), BASE, VOLUME), normal_form=True
    )
    assert (3, Fault.OUT_OF_ORDER) in said(late)
    assert (4, Fault.OUT_OF_ORDER) not in said(late)


def test_a_trace_that_cites_nothing_is_sent_back() -> None:
    found = audit(problem(), free(*((op, "", prose) for op, _, prose in (READING, BASE, VOLUME))))
    left_out = [(number, Fault.PREMISE_LEFT_OUT) for number in (1, 2, 3)]
    assert sorted(said(found), key=str) == sorted([*left_out, (1, Fault.UNUSED_STEP), (2, Fault.UNUSED_STEP)], key=str)


def test_the_answer_as_a_premise_and_another_language_are_sent_back() -> None:
    leaked = free(READING, BASE, ("INFER", "#2 (1)", "according to the answer, 12 * 5 = 60"))
    assert said(audit(problem(), leaked)) == [(3, Fault.ANSWER_CITED)]
    chinese = free(READING, BASE, ("INFER", "#2 (1)", "所以体积等于 12 * 5 = 60"))
    assert said(audit(problem(), chinese)) == [(3, Fault.ANOTHER_LANGUAGE)]


def test_a_number_without_a_source_is_no_issue() -> None:
    last = ("INFER", "#2", "so 12 * 7 = 84")
    found = audit(problem(answer=Answer(kind="number", value=84)), free(READING, BASE, last, answer="84"))
    assert not found.issues
    assert found.checks.steps[2].fault is Fault.UNSUPPORTED_NUMBER


def test_what_is_too_large_to_check_is_the_only_issue() -> None:
    found = audit(problem(), free(*[READING] * 101))
    assert said(found) == [(None, Fault.TOO_LARGE)]
    assert found.issues[0].explanation == "the trace has 101 steps; at most 100 are checked"


def test_prose_is_judged_claim_by_claim() -> None:
    def cot(text: str, answer: str = "60") -> MachineAudit:
        return audit(problem(), Trace(id="t", problem_id="p", kind="cot", lang="en", text=text, answer=answer))

    assert not cot("The base is 3 * 4 = 12.\nSo the volume is 12 * 5 = 60.").issues
    wrong = cot("The base is 3 * 4 = 15.\nSo the volume is 12 * 5 = 60.")
    assert said(wrong) == [(None, Fault.FALSE_CLAIM)]
    assert coverage(wrong.checks)["claims refuted"] == 1
    assert said(cot("It is 3 * 4 = 12.", answer="12")) == [(None, Fault.WRONG_ANSWER)]
    leaked = cot("The base is 3 * 4 = 12.\nAs the official solution says, the volume is 12 * 5 = 60.")
    assert said(leaked) == [(None, Fault.ANSWER_CITED)]


def test_gold_that_is_missing_and_an_answer_of_another_kind() -> None:
    letters = problem(answer=Answer(kind="choice_set", value=["C"]), choices={"B": "two", "C": "three"})
    assert [gold_verdict(letters, text) for text in ("C", "B", "B or C")] == ["equal", "differs", "unreadable"]
    assert gold_verdict(problem(answer=None), "12") == "no_gold"


def test_what_no_machine_can_compare_is_put_to_the_reviewer() -> None:
    found = audit(
        problem("Which one?", answer=Answer(kind="text", value="the red one")),
        free(("INFER", "question", "it is red"), answer="red"),
    )
    assert not found.issues
    assert found.gold == "undecided"
    assert found.doubt is not None
    assert "'red'" in found.doubt
    assert "'the red one'" in found.doubt


def test_where_it_overrules_a_reviewer_of_prose() -> None:
    bare = ("INFER", "#2 (1)", "so 12 * 5 = 60")
    worded = ("CONSTRAIN", "#1 scene", "the base is a rectangle, so its area is 3 * 4 = 12")
    found = audit(problem(), free(READING, worded, bare))
    assert [step.support for step in found.checks.steps] == ["unchecked", "computed", "computed"]
    assert set(found.settled) == {3}
    assert found.overrules(reviewer(Fault.FALSE_CLAIM, 3, "12 * 5 is 50, not 60"))
    assert found.overrules(reviewer(Fault.FALSE_CLAIM, 3, "the product is wrong: 12×5 = 50"))
    # The step says in words what no machine has shown, or is not computed at all.
    assert not found.overrules(reviewer(Fault.FALSE_CLAIM, 2, "3 * 4 is not 12"))
    assert not found.overrules(reviewer(Fault.FALSE_CLAIM, 1, "it is wrong"))
    # What an equation that holds does not decide.
    for fault in Fault:
        if fault is not Fault.FALSE_CLAIM:
            assert not found.overrules(reviewer(fault, 3, "12 * 5 is 50, not 60"))
    assert not found.overrules(reviewer(Fault.FALSE_CLAIM, None, "it is wrong"))
    assert not found.overrules(reviewer(Fault.FALSE_CLAIM, 4, "it is wrong"))


@pytest.mark.parametrize(
    "explanation",
    [
        "the wrong formula is used",
        "a pyramid takes 1/3: 1/3 * 12 * 5 = 20",
        "it should be 12 + 5 = 17",
        "the unit is missing",
        "12 * 5 = 60 square centimetres is an area",
        "5 is the slant height",
        "a step is missing before it",
        "why the base times the height?",
        "公式用错了，应乘以三分之一",
        "单位不对",
    ],
)
def test_it_never_overrules_for_the_sake_of_arithmetic_alone(explanation: str) -> None:
    found = audit(problem(), free(READING, BASE, ("INFER", "#2 (1)", "so 12 * 5 = 60")))
    assert 3 in found.settled
    assert not found.overrules(reviewer(Fault.FALSE_CLAIM, 3, explanation))
    assert not found.overrules(reviewer(Fault.DOES_NOT_FOLLOW, 3, explanation))
    fix = Issue(by="reviewer", step=3, fault=Fault.FALSE_CLAIM, explanation="it is wrong", suggested_fix=explanation)
    assert not found.overrules(fix)


@pytest.mark.parametrize(
    ("assertion", "claim", "bare"),
    [
        ("so 3 * 4 = 12", "3 * 4 = 12", True),
        ("Therefore, we get 3 * 4 = 12.", "3 * 4 = 12", True),
        ("所以可得 3 * 4 = 12", "3 * 4 = 12", True),
        ("from step 2, 3 * 4 = 12", "3 * 4 = 12", True),
        ("V = 3 * 4 = 12", "3 * 4 = 12", False),
        ("the base is 3 * 4 = 12", "3 * 4 = 12", False),
        ("底面积 3 * 4 = 12", "3 * 4 = 12", False),
    ],
)
def test_unclaimed_text(assertion: str, claim: str, bare: bool) -> None:
    at = assertion.index(claim)
    found = ClaimCheck(claim=claim, start=at, end=at + len(claim), support="computed")
    assert has_unclaimed_text(assertion, [found]) is not bare


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Problem, Trace]:
    folder: Path = tmp_path_factory.mktemp("world")
    generate_file("seating", 20, "train", folder / "p.jsonl", {"scenes": ["booth"]})
    solve_file(folder / "p.jsonl", folder / "t.jsonl")
    pairs = zip(read_records(folder / "p.jsonl", Problem), read_records(folder / "t.jsonl", Trace), strict=True)
    return next(pair for pair in pairs if seated(pair[1]))


def seated(trace: Trace) -> list[tuple[int, str]]:
    """The steps that put somebody on a seat because of others, with their claims."""
    steps = enumerate(trace.steps, 1)
    return [(n, s.claim or "") for n, s in steps if "@" in (s.claim or "") and "wlog" not in s.args]


def changed(trace: Trace, number: int, **change: Any) -> Trace:
    steps = list(trace.steps)
    steps[number - 1] = steps[number - 1].model_copy(update=change)
    return trace.model_copy(update={"steps": tuple(steps)})


def test_a_world_trace_is_held_to_everything(world: tuple[Problem, Trace]) -> None:
    puzzle, trace = world
    found = audit(puzzle, trace)
    assert not found.issues
    assert found.world
    assert set(found.settled) == set(range(1, len(trace.steps) + 1))
    last = len(trace.steps)

    dangling = audit(puzzle, changed(trace, last, args=(*trace.steps[-1].args, "#99")))
    assert said(dangling) == [(last, Fault.DANGLING_REFERENCE)]

    no_clue = audit(puzzle, changed(trace, last, args=(*trace.steps[-1].args, "(9)")))
    assert said(no_clue) == [(last, Fault.DANGLING_REFERENCE)]

    mislabelled = audit(puzzle, changed(trace, last, op="CONSTRAIN"))
    assert said(mislabelled) == [(last, Fault.MISLABELLED)]
    assert mislabelled.issues[0].suggested_fix == "the operation is INFER"

    unread = audit(puzzle, changed(trace, last, claim="who knows"))
    assert (last, Fault.MALFORMED) in said(unread)

    loose = changed(trace, last, args=tuple(word for word in trace.steps[-1].args if not word.startswith("#")))
    assert (last, Fault.DOES_NOT_FOLLOW) in said(audit(puzzle, loose))

    number, claim = seated(trace)[0]
    name = claim.partition("@")[0]
    seats = sorted(
        {word.partition("@")[2] for step in trace.steps for word in (step.claim or "").split() if "@" in word}
    )
    false = audit(puzzle, changed(trace, number, claim=" & ".join(f"{name}@{seat}" for seat in seats)))
    assert len(seats) > 1
    assert (number, Fault.FALSE_CLAIM) in said(false)

    wrong = audit(puzzle, trace.model_copy(update={"answer": "A" if trace.answer != "A" else "B"}))
    assert (None, Fault.WRONG_ANSWER) in said(wrong)


def test_a_wrong_calculation_in_prose_is_found_on_a_problem_of_a_world(world: tuple[Problem, Trace]) -> None:
    problem, exact = world
    prose = exact.model_copy(update={"kind": "cot", "steps": (), "text": "There are 2 + 2 = 5 seats.\nSo it is that."})
    found = audit(problem, prose)
    assert (Fault.FALSE_CLAIM, found.world, found.checks.proved) == (found.issues[0].fault, False, False)
    right = prose.model_copy(update={"text": "There are 2 + 2 = 4 seats.\nSo it is that."})
    assert audit(problem, right).issues == ()


def test_a_proved_world_step_overrules_what_proof_excludes(world: tuple[Problem, Trace]) -> None:
    puzzle, trace = world
    found = audit(puzzle, trace)
    for fault in (
        Fault.MISREAD,
        Fault.HALLUCINATED_ENTITY,
        Fault.FALSE_CLAIM,
        Fault.DOES_NOT_FOLLOW,
        Fault.MISLABELLED,
    ):
        assert found.overrules(reviewer(fault, 1))
    assert found.overrules(reviewer(Fault.WRONG_ANSWER, None))
    for fault in (Fault.UNUSED_STEP, Fault.WRONG_ANSWER):
        assert not found.overrules(reviewer(fault, 1))
    assert not found.overrules(reviewer(Fault.DOES_NOT_FOLLOW, None))
    broken = audit(puzzle, changed(trace, 1, op="INFER"))
    assert not broken.overrules(reviewer(Fault.FALSE_CLAIM, 1))
    assert not broken.overrules(reviewer(Fault.WRONG_ANSWER, None))
    assert broken.overrules(reviewer(Fault.FALSE_CLAIM, 2))
    resting = next(n for n, step in enumerate(trace.steps, 1) if "#1" in step.args)
    assert broken.checks.steps[resting - 1].support == "proved"
    assert not broken.overrules(reviewer(Fault.FALSE_CLAIM, resting))
