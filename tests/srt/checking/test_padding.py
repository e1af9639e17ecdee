"""What is said already is not proved again, a proof with a step that adds nothing is padded, and no exact trace is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from srt.checking import check
from srt.checking.padding import padded
from srt.io.records import Lang, Problem
from srt.language.faults import Fault
from srt.language.text import parse
from srt.language.trace import Step, StepCheck, Trace, TraceCheck
from srt.worlds.seating.checker.check_seating import CheckedSteps
from srt.worlds.world import ASSERTIONS, CLAIMS, Refused
from srt.worlds.world_registry import WORLDS, world_named

BOOTH = Problem(
    id="booth",
    source="made",
    split="test",
    lang="en",
    question="Booth: Robert, James, Jason, Mary.\n(1) Mary is right of Robert;\n(2) Jason is right of James.\n"
    "() faces the right neighbour of Robert.",
    choices={"A": "Jason", "B": "Mary", "C": "James", "D": "None of the above"},
)
PROOF = """\
CORRELATE (1): right(Robert) = Mary
CORRELATE (2): right(James) = Jason
CORRELATE question: ? = across(right(Robert))
CONSTRAIN wlog #1: Robert@S1 & Mary@S2
CONSTRAIN scene #2 #4: James@N1 & Jason@N2
INFER #1 #3: ? = across(Mary)
INFER scene #4 #6: ?@N1
INFER #5 #7: ? = James
INFER A B C D #8: options = {C}
ANSWER: C"""


def judged(text: str) -> tuple[TraceCheck, int | None]:
    trace = parse(text).trace("t", "booth")
    checked = check(BOOTH, trace)
    return checked, padded(BOOTH, trace, checked)


def changed(*changes: tuple[str, str]) -> str:
    text = PROOF
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_a_proof_is_not_padded() -> None:
    checked, number = judged(PROOF)
    assert checked.proved
    assert number is None


@pytest.mark.parametrize(
    ("changes", "number"),
    [
        # A clue is read twice, and the question.
        (
            [
                ("INFER #1 #3: ? = across(Mary)", "CORRELATE (1): left(Mary) = Robert\nINFER #3 #6: ? = across(Mary)"),
                ("INFER scene #4 #6: ?@N1", "INFER scene #4 #7: ?@N1"),
                ("INFER #5 #7: ? = James", "INFER #5 #8: ? = James"),
                ("D #8", "D #9"),
            ],
            6,
        ),
        # A part of what a step says, which can be cited itself.
        (
            [
                ("INFER scene #4 #6: ?@N1", "CONSTRAIN #4: Mary@S2\nINFER scene #6 #7: ?@N1"),
                ("INFER #5 #7: ? = James", "INFER #5 #8: ? = James"),
                ("D #8", "D #9"),
            ],
            7,
        ),
        # Two seats are found, put together, and one is needed.
        (
            [
                ("INFER scene #4 #6: ?@N1", "CONSTRAIN #4 #5: Mary@S2 & James@N1\nINFER scene #6 #7: ?@N1"),
                ("INFER #5 #7: ? = James", "INFER #7 #8: ? = James"),
                ("D #8", "D #9"),
            ],
            None,  # it cites two, and each of them is needed later
        ),
        # A relation that the seats give, and a seat that it gives.
        (
            [
                (
                    "INFER #5 #7: ? = James",
                    "CONSTRAIN scene #4 #5: across(Mary) = James\nCONSTRAIN scene #4 #8: James@N1\n"
                    "INFER #7 #9: ? = James",
                ),
                ("D #8", "D #10"),
            ],
            9,
        ),
    ],
)
def test_a_step_that_adds_nothing_is_found(changes: list[tuple[str, str]], number: int | None) -> None:
    checked, found = judged(changed(*changes))
    assert checked.proved, checked
    assert found == number


@pytest.mark.parametrize(
    "again",
    [
        "CONSTRAIN #5: James@N1 & Jason@N2",
        "CONSTRAIN #5: Jason@N2 & James@N1",
        "CONSTRAIN scene #2 #4: James@N1 & Jason@N2",
        "CONSTRAIN scene #5: right(James) = Jason",
        "CONSTRAIN #2: left(Jason) = James",
        "INFER #3: ? = across(right(Robert))",
        "INFER #3: across(?) = right(Robert)",
        "INFER #1 #3: across(Mary) = ?",
    ],
)
def test_what_an_earlier_step_says_is_repeated(again: str) -> None:
    """Also in other words that are no simpler, and whatever it is derived from."""
    before = "INFER scene #4 #6" if "across(Mary)" in again else "INFER #1 #3"
    text = PROOF.replace(before, f"{again}\n{before}", 1)
    checked, _ = judged(text)
    (verdict,) = (step for step in checked.steps if step.fault is Fault.REPEATED)
    assert verdict.support == "consistent"
    assert "says it already" in (verdict.reason or "")


@pytest.mark.parametrize(
    "claim",
    [
        "Robert@S1 & Mary@S2 & Robert@S1",
        " & ".join(["Robert@S1 & Mary@S2", *["Robert@S1"] * 80]),
        "Robert@S1 & Mary@S2 | Mary@S2 & Robert@S1",
    ],
)
def test_one_thing_is_said_once_in_a_claim(claim: str) -> None:
    checked, _ = judged(changed(("Robert@S1 & Mary@S2", claim)))
    assert (checked.steps[3].support, checked.steps[3].fault) == ("consistent", Fault.REPEATED)


@pytest.mark.parametrize("idle", ["Mary = Mary", "left(Mary) = Robert", "Mary in beside(Robert)", "Mary != Robert"])
def test_a_reading_says_one_thing_once(idle: str) -> None:
    checked, _ = judged(changed(("(1): right(Robert) = Mary", f"(1): right(Robert) = Mary & {idle}")))
    assert (checked.steps[0].support, checked.steps[0].fault) == ("consistent", Fault.REPEATED)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("count", [1, 40, 85])
def test_copies_of_a_step_are_no_proof(world: str, count: int) -> None:
    """Each says what the one before says, and is cited by the next."""
    for problem, trace in islice(exact_traces(world, "en", 1), 3):
        *steps, last = trace.steps
        claim, op, n = steps[-1].claim, steps[-1].op, len(steps)
        more = [Step(op=op, args=(f"#{n + k}",), claim=claim) for k in range(count)]
        args = [word.replace(f"#{n}", f"#{n + count}") if word == f"#{n}" else word for word in last.args]
        longer = [*steps, *more, last.model_copy(update={"args": tuple(args)})]
        assert not check(problem, trace.model_copy(update={"steps": tuple(longer)})).proved


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("count", [12, pytest.param(10_000, marks=pytest.mark.slow)])
def test_exact_traces_are_proved_and_not_padded(world: str, lang: Lang, count: int) -> None:
    """In every plan, and in every style of the world's own."""
    made = 0
    for problem, trace in exact_traces(world, lang, count):
        checked = check(problem, trace)
        assert checked.proved, (problem, trace)
        assert padded(problem, trace, checked) is None, (problem, trace)
        made += 1
    assert made >= count


def exact_traces(world: str, lang: Lang, count: int) -> Iterator[tuple[Problem, Trace]]:
    here = world_named(world)
    sample = here.sampler({"lang": lang, **({"style": "none"} if world == "views" else {})})
    for problem in map(sample, range(count)):
        for plan in here.plans:
            try:
                trace = here.solve(problem, plan)
            except Refused:
                continue
            yield problem, trace
            for style in {*here.styles} - {CLAIMS, ASSERTIONS}:
                yield problem, next(one for one in here.respell(problem, trace, style) if check(problem, one).proved)


def test_what_is_not_proved_is_not_padded() -> None:
    checked, number = judged(changed(("ANSWER: C", "ANSWER: A")))
    assert not checked.proved
    assert number is None


def test_it_costs_no_more_than_the_check_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in verdicts on steps, on exact traces: of other traces, shorter ones are checked as well."""
    asked = 0
    verdict = CheckedSteps._verdict

    def counted(self: CheckedSteps, *args: object) -> StepCheck:
        nonlocal asked
        asked += 1
        return verdict(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(CheckedSteps, "_verdict", counted)
    for problem, trace in exact_traces("seating", "en", 12):
        asked = 0
        checked = check(problem, trace)
        once, asked = asked, 0
        padded(problem, trace, checked)
        assert once <= asked <= 2 * once
