"""The prose of a derivation: the same facts as its trace, in order, and nothing of its form."""

from __future__ import annotations

import re

import pytest

from srt.io.errors import UserError
from srt.io.records import Lang
from srt.language.text import linearize, parse
from srt.language.trace import OPERATIONS, Step, Trace
from srt.worlds.seating.claim_language import Claim, Place, names_of, parse_claim
from srt.worlds.seating.derivation.exact_teacher import make_trace
from srt.worlds.seating.derivation.solver import solve
from srt.worlds.seating.reading.problem_reader import Puzzle, read_problem
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample
from srt.worlds.seating.scenes import SCENES, Scene, scene_name
from srt.worlds.seating.writing.derivation_prose import explain

PRINTED = """\
CORRELATE (1): right(Ann) = Bob
CORRELATE (2): right(Cal) = Dee
CORRELATE question: ? = across(right(Ann))
CONSTRAIN wlog #1: Ann@S1 & Bob@S2
CONSTRAIN scene #2 #4: Cal@N1 & Dee@N2
INFER #1 #3: ? = across(Bob)
INFER scene #4 #6: ?@N1
INFER #5 #7: ? = Cal
INFER A B C D #8: options = {C}
ANSWER: C"""


def traced(text: str, lang: Lang = "en") -> Trace:
    parsed = parse(text)
    return Trace(id="t", problem_id="p", kind="world", lang=lang, steps=parsed.steps, answer=parsed.answer)


def booth(lang: Lang = "en") -> Puzzle:
    options = {"A": "Dee", "B": "Bob", "C": "Cal", "D": None}
    return Puzzle(Scene("booth", "none"), ("Ann", "Bob", "Cal", "Dee"), (), (), options, lang)


def taught(scene: str, lang: Lang, index: int) -> tuple[Puzzle, Trace]:
    problem = sample(SampleSpec.parse({"scenes": [scene], "lang": lang}), index)
    puzzle = read_problem(problem)
    return puzzle, make_trace(problem, puzzle, solve(puzzle))


def test_as_a_teacher_writes_it() -> None:
    assert explain(booth(), traced(PRINTED), terse=False) == (
        "Clue 1 says that the right neighbour of Ann is Bob. Clue 2 says that the right neighbour of Cal is Dee. "
        "The question asks for the one opposite the right neighbour of Ann.\n"
        "Turning the whole scene changes nothing, and the right neighbour of Ann is Bob, so we may say that Ann is at "
        "S1 and Bob is at S2. Since the right neighbour of Cal is Dee and S1 and S2 are taken, Cal is at N1 and Dee is "
        "at N2.\n"
        "Since the right neighbour of Ann is Bob, we look for the one opposite Bob. Since Bob is at S2, we look for "
        "whoever is at N1. Since Cal is at N1, Cal fills the blank. Cal is option C, so the answer is C."
    )


def test_a_lookup_rests_on_the_seats_of_those_whom_it_names() -> None:
    text = """CORRELATE (1): right(Ann) = Bob
CORRELATE question: ? = across(left(Dee))
CONSTRAIN wlog #1: Ann@S1 & Bob@S2
CONSTRAIN scene #3: Ann@S1 & Bob@S2 & Cal@N1 & Dee@N2
INFER scene #2 #4: ? = across(Cal)
ANSWER: A"""
    assert "Since Dee is at N2 and Cal is at N1, we look for the one opposite Cal." in explain(
        booth(), traced(text), terse=False
    )


def test_in_the_fewest_words() -> None:
    assert explain(booth(), traced(PRINTED), terse=True) == (
        "right of Ann: Bob. right of Cal: Dee. ?: opposite right of Ann. Ann S1, Bob S2. Cal N1, Dee N2. "
        "?: opposite Bob. ? N1. ?: Cal. C."
    )


def test_all_seats_that_are_taken_are_named() -> None:
    text = PRINTED.replace(
        "CONSTRAIN scene #2 #4: Cal@N1 & Dee@N2", "CONSTRAIN #4: Eve@P3\nCONSTRAIN scene #2 #4 #5: Cal@N1"
    )
    assert "Cal is Dee and S1, S2 and P3 are taken, Cal is at N1." in explain(booth(), traced(text), terse=False)
    text = PRINTED.replace("CONSTRAIN scene #2 #4: Cal@N1", "CONSTRAIN #4: Eve@P3\nCONSTRAIN scene #2 #5: Cal@N1")
    assert "Cal is Dee and P3 is taken, Cal is at N1" in explain(booth(), traced(text), terse=False)


def test_narrowed_places_are_not_said_twice() -> None:
    text = PRINTED.replace(
        "CONSTRAIN scene #2 #4: Cal@N1 & Dee@N2", "CONSTRAIN #4: Cal@N1 | Cal@N2\nCONSTRAIN scene #2 #5: Cal@N1"
    )
    told = explain(booth(), traced(text), terse=False)
    assert "either Cal is at N1, or Cal is at N2. Given where Cal can be, and since the right neighbour" in told
    assert told.count("Cal is at N2") == 1


@pytest.mark.parametrize("before", ["Ann@S1 & Bob@S2", "Ann@S1 & Bob@S2 | Ann@S2 & Bob@N2"])
def test_what_is_put_together_is_no_elimination(before: str) -> None:
    """Only of the person left over is it said that every other seat is taken."""
    text = f"""CORRELATE (1): right(Ann) = Bob
CONSTRAIN wlog #1: {before}
CONSTRAIN scene #1 #2: Ann@S1 & Cal@N1
CONSTRAIN #2 #3: Ann@S1 & Bob@S2 & Cal@N1
CONSTRAIN #4: Ann@S1 & Bob@S2 & Cal@N1 & Dee@N2
ANSWER: A"""
    assert (
        explain(booth(), traced(text), terse=False)
        .splitlines()[1]
        .endswith(
            "Together, Ann is at S1 and Bob is at S2 and Cal is at N1. "
            "Every other seat is taken, so Ann is at S1 and Bob is at S2 and Cal is at N1 and Dee is at N2."
        )
    )


def test_nobody_and_several() -> None:
    nobody = explain(booth(), traced("INFER #1: ? = none\nINFER A B C D #1: options = {D}\nANSWER: D"), terse=False)
    assert nobody.endswith("No other option fits, so the answer is D.")
    text = "INFER #1: ? = Bob | ? = Dee\nINFER A B C D #1: options = {A, B}\nANSWER: A, B"
    several = explain(booth(), traced(text), terse=False)
    assert several == "So Bob and Dee fill the blank. Dee is option A and Bob is option B, so the answers are A and B."


@pytest.mark.parametrize("terse", [False, True])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("scene", [scene_name(scene) for scene in SCENES])
def test_every_fact_of_the_trace_and_nothing_of_its_form(scene: str, lang: Lang, terse: bool) -> None:
    for index in range(8):
        puzzle, trace = taught(scene, lang, index)
        told = explain(puzzle, trace, terse=terse)
        for step in trace.steps:
            claim: Claim = parse_claim(step.claim or "")
            for name in names_of(claim):
                assert name == "?" or name in told
            for atom in (atom for atoms in claim for atom in atoms):
                assert not isinstance(atom, Place) or atom.seat in told
        assert not re.search("CORRELATE|CONSTRAIN|INFER|关联|约束|推断|#|wlog", told)
        last = re.split(r"[.。]\s*", told.rstrip(".。"))[-1]
        assert set(re.findall(r"\b[A-D]\b", re.sub(r"[一-鿿]", " ", last))) == set(trace.answer.split(", "))
        # It can be written down as a cot trace and read back.
        cot = Trace(id="c", problem_id="p", kind="cot", lang=lang, text=told, answer=trace.answer)
        assert parse(linearize(cot)).text == told
        assert not linearize(cot).startswith((*OPERATIONS, "\\"))
        assert explain(puzzle, trace, terse=terse) == told


def test_terse_is_much_shorter() -> None:
    puzzle, trace = taught("hexagon-out", "en", 1)
    assert len(explain(puzzle, trace, terse=True).split()) * 1.5 < len(explain(puzzle, trace, terse=False).split())


def test_a_claim_that_cannot_be_read_is_named() -> None:
    step = Step(op="INFER", args=("#1",), claim="well, well")
    trace = Trace(id="t-9", problem_id="p", kind="world", lang="en", steps=(step,), answer="A")
    with pytest.raises(UserError, match=r"trace t-9: steps.1: claim: column 1"):
        explain(booth(), trace, terse=False)
