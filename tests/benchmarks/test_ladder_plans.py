"""Plans, names and letters in texts of the seating world, each judged by what the text says before it."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import pytest

from benchmarks.ladder import plans
from benchmarks.ladder.plans import Asked, Links, last_plan, links
from eval.run.run_records import PREDICTIONS
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import TEST
from srt.io.jsonl import write_records
from srt.io.records import Prediction, Problem
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
            whole = Links(
                True, True, True, True, options=tuple(k for k, name in problem.choices.items() if name in asked.filled)
            )
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
    changed = old.sub(lambda match: changes[match[0]], text)
    letter = "A" if re.search(r"\? = Cal|So Cal", changed) else "C"
    assert links(asked, changed) == replace(found, options=() if found.named is None else (letter,))


def test_letters_are_counted_by_how_many_and_which_fit(tmp_path: Path) -> None:
    folder = ExperimentFolder(tmp_path)
    folder.test(TEST).parent.mkdir(parents=True)
    inside = BOOTH.model_copy(update={"meta": {"scene": "booth", "compass": "none"}})
    choices = {"A": "Cal", "B": "Dee", "C": "None of the above"}
    write_records(folder.test(TEST), [inside, inside.model_copy(update={"id": "outside", "choices": choices})])
    texts = {"booth": TRACE, "outside": TRACE}
    outputs = (
        Prediction(key=name, problem_id=name, text=text, finish_reason="stop", seconds=1)
        for name, text in texts.items()
    )
    run = folder.curve / TEST / "srt-3" / "800"
    run.mkdir(parents=True)
    write_records(run / PREDICTIONS, outputs)
    (row,) = plans.count(tmp_path)
    assert (row.arm, row.seed, row.items, row.scene) == ("srt", 3, 800, "booth")
    assert (row.texts, row.plans, row.asked, row.naming, row.named) == (2, 2, 2, 2, 2)
    # Bob is option C of the one; of the other he is no option, so that C is right again.
    assert (row.letters, row.by_options, row.by_letter) == (2, ((1, 1), (1, 1), (0, 0)), {"C": (1, 1)})


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
