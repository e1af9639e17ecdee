"""Plans, names and letters in texts of the seating world, each judged by what the text says before it."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count, islice

import pytest

from benchmarks.ladder.plans import Asked, Links, last_plan, links
from srt.io.records import Problem
from srt.language.text import linearize
from srt.language.trace import Trace
from srt.pipeline.solve import solve_one
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample
from srt.worlds.seating.seating_world import SeatingWorld

SCENES = ["booth", "booth-EW", "hexagon-out", "hexagon-in", "hexagon-in-NS", "shelf"]
BOOTH = Problem(
    id="booth",
    source="test",
    split="test",
    lang="en",
    question="Booth: Ann, Bob, Cal, Dee.\n(1) Dee is right of Ann;\n(2) Cal is right of Bob.\n"
    "() faces the right neighbour of Ann.",
    choices={"A": "Cal", "B": "Dee", "C": "Bob", "D": "None of the above"},
)
TRACE = """\
CONSTRAIN scene #2 #4: Ann@S1 & Dee@S2 & Bob@N1 & Cal@N2
INFER scene #5 #6: Dee@S2 & ?@N1
INFER #5 #7: ?@N1 & Cal@N2 & Bob@N1 & ? = Bob
INFER A B C D #5 #8 Bob: options = {C}
ANSWER: C"""
PROSE = """\
Together, Ann is at S1 and Dee is at S2 and Bob is at N1 and Cal is at N2.
Since Dee is at S2, we look for whoever is at N1. Who is at N1? Cal is at N2 and Bob is at N1. So Bob fills the blank. \
Bob is option C, so the answer is C.
ANSWER: C"""


@pytest.mark.parametrize("scene", SCENES)
def test_texts_that_are_trained_on_are_right(scene: str) -> None:
    world = SeatingWorld()
    naming = 0
    for problem in islice((sample(SampleSpec(scenes=[scene]), index) for index in count()), 12):
        trace = solve_one(problem, "read-as-turns")
        asked = Asked.read(problem)
        assert isinstance(trace, Trace)
        assert asked is not None
        for text in (
            *(
                linearize(world.spell_out_lookups(problem, trace, style))
                for style in ("restated", "scanned", "lettered")
            ),
            *(
                f"{world.explain_lookups(problem, trace, style)}\nANSWER: {trace.answer}"
                for style in ("scanned", "lettered")
            ),
            f"{world.explain(problem, trace, terse=False)}\nANSWER: {trace.answer}",
        ):
            found = links(asked, text)
            whole = Links(True, True, True, True, options=len({*asked.filled} & {*problem.choices.values()}))
            assert found in (Links(True), Links(True, asked=not asked.filled), whole), text
            naming += found.named is not None
    assert naming > 36


@pytest.mark.parametrize("text", [TRACE, PROSE])
@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, Links(True, True, True, True)),
        # The booth turned by half a circle is the same booth.
        ({"S1": "N1", "S2": "N2", "N1": "S1", "N2": "S2"}, Links(True, True, True, True)),
        ({"S1": "S2", "S2": "S1"}, Links(False, False, True, True)),
        ({"Bob": "Cal", "Cal": "Bob"}, Links(False, False, True, False)),
        ({"option C": "option A", "{C}": "{A}", "answer is C": "answer is A", "ANSWER: C": "ANSWER: A"},
         Links(True, True, True, False)),
        ({"= Bob": "= Cal", "So Bob": "So Cal"}, Links(True, True, False, False)),
        ({"& ?@N1": "& ?@S1", "at N1. Who": "at S1. Who"}, Links(True, False, False, True)),
        ({"= Bob": "= none", "So Bob fills": "So nobody fills"}, Links(True, True)),
        ({" & Cal@N2\n": "\n", " and Cal is at N2.\nS": ".\nS"}, Links(False)),
    ],
)  # fmt: skip
def test_each_link_is_judged_by_those_before_it(changes: dict[str, str], found: Links, text: str) -> None:
    asked = Asked.read(BOOTH)
    assert asked is not None
    old = re.compile("|".join(map(re.escape, changes)) or r"(?!)")
    named = replace(found, options=0 if found.named is None else 1)
    assert links(asked, old.sub(lambda match: changes[match[0]], text)) == named


def test_the_last_whole_plan_counts() -> None:
    text = (
        "CONSTRAIN #1: Ann@S1 & Bob@S2\nCONSTRAIN #2: Ann@N1 & Bob@N2\nCONSTRAIN #3: Ann@S1\nINFER #2: Ann@S2 & Bob@S1"
    )
    assert last_plan(["Ann", "Bob"], text) == {"Ann": "N1", "Bob": "N2"}
    assert last_plan(["Rose", "Monthly Rose"], "Monthly Rose is at 1W and Rose is at 2E.") == {
        "Rose": "2E",
        "Monthly Rose": "1W",
    }
    assert last_plan(["Ann", "Bob"], "CONSTRAIN #1: Ann@S1") is None
