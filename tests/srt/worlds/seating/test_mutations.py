"""Each class of mutation makes the fault that its name says."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from srt.io.records import Problem
from srt.language.faults import Fault, FaultClass
from srt.language.premises import parse_premise
from srt.language.text import linearize, parse
from srt.language.trace import Trace
from srt.worlds.kit.mutation import Mutant
from srt.worlds.seating.derivation.exact_teacher import make_trace
from srt.worlds.seating.derivation.solver import solve
from srt.worlds.seating.faults.fault_classes import SeatingFault
from srt.worlds.seating.faults.mutation_subject import MUTATIONS
from srt.worlds.seating.faults.oracle import Oracle
from srt.worlds.seating.faults.valid_trace import ValidTrace
from srt.worlds.seating.reading.problem_reader import read_problem

BOOTH = Problem(
    id="booth",
    source="test",
    split="train",
    lang="en",
    question="Booth: Ann, Ben, Cat, Dan.\n(1) Ben is right of Ann;\n(2) Dan is right of Cat.\n"
    "() faces the right neighbour of Ann.",
    choices={"A": "Dan", "B": "Ben", "C": "Cat", "D": "None of the above"},
)
HEXAGON = Problem(
    id="hexagon",
    source="test",
    split="train",
    lang="en",
    question="Ring of six facing out: Ann, Ben, Cat, Dan, Eve, Fay.\n(1) Ben is two right of Ann;\n"
    "(2) Cat is opposite Ben;\n(3) Dan is next to Ben;\n(4) Eve is opposite Dan.\n() is one right of Ann.",
    choices={"A": "Dan", "B": "Eve", "C": "Fay", "D": "Ben"},
)
SHELF = Problem(
    id="shelf",
    source="test",
    split="train",
    lang="en",
    question="Shelf of three tiers, east on the left: Fern, Moss, Rose, Lily, Iris, Sage.\n(1) Fern is on tier one;\n"
    "(2) Moss is two tiers straight above Fern;\n(3) Rose is one tier up and right of Fern;\n"
    "(4) Lily is higher than Rose;\n(5) Iris is on the tier of Rose.\n() is on the tier of Moss.",
    choices={"A": "Iris", "B": "Lily", "C": "Sage", "D": "Rose"},
)
TEXTS = {
    "booth": """\
CORRELATE (1): right(Ann) = Ben
CORRELATE (2): right(Cat) = Dan
CORRELATE question: ? = across(right(Ann))
CONSTRAIN wlog #1: Ann@S1 & Ben@S2
CONSTRAIN scene #2 #4: Cat@N1 & Dan@N2
INFER #1 #3: ? = across(Ben)
INFER scene #4 #6: ?@N1
INFER #5 #7: ? = Cat
INFER A B C D #8: options = {C}
ANSWER: C""",
    "hexagon": """\
CORRELATE (1): right(Ann, 2) = Ben
CORRELATE (3): Dan in beside(Ben)
CORRELATE (4): across(Dan) = Eve
CORRELATE question: ? = right(Ann)
CONSTRAIN wlog: Ann@P1
CONSTRAIN scene #1 #5: Ben@P3
CONSTRAIN scene #2 #6: Dan@P2 | Dan@P4
CONSTRAIN scene #3 #5 #7: Dan@P2 & Eve@P5
INFER scene #4 #5: ?@P2
INFER #8 #9: ? = Dan
INFER A B C D #10: options = {A}
ANSWER: A""",
    "shelf": """\
CORRELATE (1): tier(Fern) = 1
CORRELATE (2): up(Fern, 2) = Moss
CORRELATE (3): Rose in upper_right(Fern, 1)
CORRELATE (4): Lily in above(Rose)
CORRELATE question: ? in beside(Moss)
CONSTRAIN #1: Fern@1E | Fern@1W
CONSTRAIN scene #3 #6: Rose@2W & Fern@1E
CONSTRAIN scene #2 #7: Moss@3E
CONSTRAIN scene #4 #7 #8: Lily@3W
INFER scene #5 #8: ?@3W
INFER #9 #10: ? = Lily
INFER A B C D #11: options = {B}
ANSWER: B""",
}
PROBLEMS = {problem.id: problem for problem in (BOOTH, HEXAGON, SHELF)}


def trace_of(name: str, text: str | None = None) -> Trace:
    parsed = parse(text or TEXTS[name])
    return Trace(
        id=f"t-{name}", problem_id=name, kind="world", lang=parsed.lang, steps=parsed.steps, answer=parsed.answer
    )


def case_of(name: str) -> tuple[Oracle, ValidTrace]:
    oracle = Oracle(PROBLEMS[name])
    trace = trace_of(name)
    placement = oracle.placement(trace)
    assert placement is not None
    return oracle, ValidTrace(oracle.puzzle, trace, placement)


def draws(fault: FaultClass, count: int = 60) -> Iterator[tuple[Oracle, ValidTrace, Mutant]]:
    for name in PROBLEMS:
        oracle, valid = case_of(name)
        for seed in range(count):
            mutant = MUTATIONS[fault](valid, random.Random(seed))
            if mutant is not None:
                yield oracle, valid, mutant


def changed_lines(valid: ValidTrace, mutant: Mutant) -> list[tuple[str, str]]:
    before, after = linearize(valid.trace).split("\n"), linearize(mutant.trace).split("\n")
    return [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]


def test_every_class_has_a_mutation_and_is_explained() -> None:
    assert set(MUTATIONS) > set(SeatingFault)
    families = [fault.family for fault in MUTATIONS]
    assert families.count("truth-changing") >= 7
    assert families.count("support-breaking") >= 7
    assert all(fault.explanation for fault in MUTATIONS)
    assert all(fault.reviewed_as for fault in SeatingFault)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_traces_here_are_valid(name: str) -> None:
    oracle = Oracle(PROBLEMS[name])
    assert oracle.judge(trace_of(name)).faults == ()
    assert oracle.judge(trace_of(name)).false == ()


@pytest.mark.parametrize("fault", MUTATIONS, ids=lambda fault: fault.value)
def test_a_mutant_differs_and_can_be_written_down(fault: FaultClass) -> None:
    mutants = list(draws(fault))
    assert mutants, "no mutant in three traces"
    for _, valid, mutant in mutants:
        text = linearize(mutant.trace)
        assert text != linearize(valid.trace)
        assert parse(text).steps == mutant.trace.steps
        assert mutant.trace.id == valid.trace.id
        assert 0 <= mutant.step <= len(valid.trace.steps) + 1


@pytest.mark.parametrize(
    "fault",
    [
        Fault.ANOTHER_ENTITY,
        Fault.ANOTHER_RELATION,
        Fault.ANOTHER_NUMBER,
        SeatingFault.ANOTHER_SEAT,
        Fault.CONTRADICTED,
        Fault.WRONG_OPTIONS,
    ],
    ids=lambda fault: fault.value,
)
def test_a_changed_claim_is_one_line_with_the_same_premises(fault: FaultClass) -> None:
    for _, valid, mutant in draws(fault):
        ((before, after),) = changed_lines(valid, mutant)
        assert before.split(": ")[0] == after.split(": ")[0]
        assert len(mutant.trace.steps) == len(valid.trace.steps)


def test_wrong_answer_and_conclusion() -> None:
    for _, valid, mutant in draws(Fault.WRONG_ANSWER):
        assert mutant.step == 0
        assert mutant.trace.steps == valid.trace.steps
        assert mutant.trace.answer != valid.trace.answer
    for _, _, mutant in draws(Fault.WRONG_CONCLUSION):
        assert mutant.trace.steps[-1].claim == "options = {" + mutant.trace.answer + "}"


def test_entities_swapped_leaves_earlier_steps() -> None:
    for _, valid, mutant in draws(Fault.ENTITIES_SWAPPED):
        assert mutant.trace.steps[: mutant.step - 1] == valid.trace.steps[: mutant.step - 1]
        assert mutant.trace.steps[mutant.step - 1] != valid.trace.steps[mutant.step - 1]


def test_step_dropped_renumbers_and_numbers_kept_does_not() -> None:
    for _, valid, mutant in draws(Fault.STEP_DROPPED):
        assert len(mutant.trace.steps) == len(valid.trace.steps) - 1
        claims = [step.claim for i, step in enumerate(valid.trace.steps, 1) if i != mutant.step]
        assert [step.claim for step in mutant.trace.steps] == claims
        for number, step in enumerate(mutant.trace.steps, 1):
            assert all(premise.number < number for premise in map(parse_premise, step.args) if premise.kind == "step")
    for _, valid, mutant in draws(Fault.NUMBERS_KEPT):
        left = [step for i, step in enumerate(valid.trace.steps, 1) if i != mutant.step]
        assert list(mutant.trace.steps) == left


def test_order_broken_cites_what_comes_later() -> None:
    for _, valid, mutant in draws(Fault.ORDER_BROKEN):
        assert sorted(s.claim or "" for s in mutant.trace.steps) == sorted(s.claim or "" for s in valid.trace.steps)
        cited = [parse_premise(word).number for word in mutant.trace.steps[mutant.step - 1].args if word[0] == "#"]
        assert max(cited) > mutant.step


@pytest.mark.parametrize("fault", [Fault.PREMISE_REPLACED, Fault.PREMISE_LEFT_OUT, Fault.DANGLING_REFERENCE])
def test_premises_change_and_claims_do_not(fault: FaultClass) -> None:
    for _, valid, mutant in draws(fault):
        ((before, after),) = changed_lines(valid, mutant)
        assert before.split(": ")[1] == after.split(": ")[1]
        less = len(before.split(": ")[0].split()) - len(after.split(": ")[0].split())
        assert less == (fault is Fault.PREMISE_LEFT_OUT)


def test_dangling_reference_is_no_step_before_and_no_clue() -> None:
    for oracle, valid, mutant in draws(Fault.DANGLING_REFERENCE):
        old, new = valid.trace.steps[mutant.step - 1].args, mutant.trace.steps[mutant.step - 1].args
        (word,) = [word for word in new if word not in old]
        premise = parse_premise(word)
        limit = len(oracle.puzzle.clues) if premise.kind == "given" else mutant.step - 1
        assert premise.number > limit


def test_mislabelled_changes_the_operation_alone() -> None:
    for _, valid, mutant in draws(Fault.MISLABELLED):
        old, new = valid.trace.steps[mutant.step - 1], mutant.trace.steps[mutant.step - 1]
        assert (old.args, old.claim) == (new.args, new.claim)
        assert old.op != new.op


def test_unused_step_is_sound_but_for_its_use() -> None:
    for oracle, _, mutant in draws(Fault.UNUSED_STEP):
        verdict = oracle.judge(mutant.trace)
        assert verdict.faults[-1] == f"step {mutant.step} is not used"
        assert set(verdict.faults[:-1]) <= {f"step {mutant.step} says what an earlier step says"}
        assert verdict.false == ()


def test_where_every_reading_would_be_a_use_no_unused_step_is_made() -> None:
    """After ``wlog: Ann@P1``, clue 1 would be read again, and the others are about nobody who is seated."""
    problem = HEXAGON.model_copy(
        update={
            "question": "Ring of six facing out: Ann, Ben, Cat, Dan, Eve, Fay.\n(1) Ben is one left of Ann;\n"
            "(2) Cat is one left of Ben;\n(3) Dan is one left of Cat;\n(4) Eve is one left of Dan.\n"
            "() is one left of Cat."
        }
    )
    puzzle = read_problem(problem)
    trace = make_trace(problem, puzzle, solve(puzzle), "read-as-turns")
    placement = Oracle(problem).placement(trace)
    assert placement is not None
    valid = ValidTrace(puzzle, trace, placement)
    mutants = [MUTATIONS[Fault.UNUSED_STEP](valid, random.Random(seed)) for seed in range(100)]
    assert {0 if mutant is None else mutant.step for mutant in mutants} == {0, *range(3, len(trace.steps) + 2)}


def test_readings_are_misquoted() -> None:
    for _, valid, mutant in draws(Fault.MISQUOTED_CLUE):
        ((before, after),) = changed_lines(valid, mutant)
        assert before.startswith("CORRELATE (")
        assert before.split(": ")[1] == after.split(": ")[1]
    for _, valid, mutant in draws(SeatingFault.CLUES_SWAPPED):
        first, second = changed_lines(valid, mutant)
        assert (first[0].split(":")[0], first[1].split(":")[0]) == (second[1].split(":")[0], second[0].split(":")[0])
    swapped = {pair for _, valid, mutant in draws(SeatingFault.SWAPPED_ROLES) for pair in changed_lines(valid, mutant)}
    assert ("CORRELATE (1): right(Ann) = Ben", "CORRELATE (1): right(Ben) = Ann") in swapped
    assert ("CORRELATE question: ? in beside(Moss)", "CORRELATE question: Moss in beside(?)") in swapped


def test_unsaid_reading_and_overclaimed_say_what_is_true() -> None:
    for fault in (
        SeatingFault.UNSAID_READING,
        SeatingFault.OVERCLAIMED,
        Fault.PREMISE_LEFT_OUT,
        Fault.MISLABELLED,
        Fault.LEAP,
    ):
        for oracle, _, mutant in draws(fault):
            assert oracle.judge(mutant.trace).false == (), mutant.change


def test_false_wlog_comes_after_the_choice() -> None:
    for _, _, mutant in draws(SeatingFault.FALSE_WLOG):
        chosen = [n for n, step in enumerate(mutant.trace.steps, 1) if "wlog" in step.args]
        assert len(chosen) == 2
        assert chosen[1] == mutant.step
        assert "scene" not in mutant.trace.steps[mutant.step - 1].args


def test_case_left_out_and_leap() -> None:
    left = {pair for _, valid, mutant in draws(SeatingFault.CASE_LEFT_OUT) for pair in changed_lines(valid, mutant)}
    assert left == {
        ("CONSTRAIN scene #2 #6: Dan@P2 | Dan@P4", "CONSTRAIN scene #2 #6: Dan@P2"),
        ("CONSTRAIN scene #2 #6: Dan@P2 | Dan@P4", "CONSTRAIN scene #2 #6: Dan@P4"),
        ("CONSTRAIN #1: Fern@1E | Fern@1W", "CONSTRAIN #1: Fern@1E"),
        ("CONSTRAIN #1: Fern@1E | Fern@1W", "CONSTRAIN #1: Fern@1W"),
    }
    (text,) = {linearize(mutant.trace) for _, valid, mutant in draws(Fault.LEAP) if valid.trace.problem_id == "booth"}
    assert text == ("CORRELATE question: ? = across(right(Ann))\nINFER A B C D #1: options = {C}\nANSWER: C")
