"""The exact teacher: its answers, its refusals, its text in both languages."""

from __future__ import annotations

from collections import Counter

import pytest

from srt.checking import check
from srt.io.records import Answer, Problem
from srt.language.text import linearize, parse
from srt.pipeline.check import first_fault
from srt.pipeline.solve import solve_one
from srt.worlds.views.claim_language import ClaimSyntaxError, parse_claim
from srt.worlds.views.reading.figures import SolidFigure, ViewFigure, as_meta
from srt.worlds.views.views_world import ViewsWorld
from srt.worlds.world import Refused

WORLD = ViewsWorld()
FRONT = ViewFigure(name="front", rows=("#.", "##"))
TOP = ViewFigure(name="top", rows=("##", "#."))
LEFT = ViewFigure(name="left", rows=(".#", "##"))


def problem(
    *figures: ViewFigure | SolidFigure, asked: str = "? = count", question: str = "", **more: object
) -> Problem:
    fields = {
        "id": "p",
        "source": "views",
        "split": "train",
        "lang": "en",
        "question": "",
        "meta": {"figures": as_meta(figures), "asked": asked},
        **more,
    }
    return Problem.model_validate(fields)


def test_every_trace_is_proved_and_agrees_with_gold(problems: list[Problem]) -> None:
    for one in problems:
        trace = WORLD.solve(one)
        checked = check(one, trace)
        assert checked.proved, f"{one.question}\n{one.diagram_description}\n{linearize(trace)}\n{first_fault(checked)}"
        parsed = parse(linearize(trace))
        assert (parsed.steps, parsed.answer, parsed.lang) == (trace.steps, trace.answer, trace.lang)
        assert all(str(parse_claim(step.claim or "")) == step.claim for step in trace.steps)


def test_every_operation_is_used() -> None:
    trace = WORLD.solve(problem(FRONT, LEFT, TOP))
    assert Counter(step.op for step in trace.steps) == {"CORRELATE": 4, "CONSTRAIN": 6, "INFER": 4}
    assert trace.answer == "4"


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (problem(FRONT, LEFT, TOP, asked="? = colour"), "unknown_wording"),
        (problem(FRONT, LEFT, TOP, asked="count = 4"), "unknown_wording"),
        (problem(asked="? = count"), "unknown_scene"),
        (problem(FRONT, asked="? = count"), "unknown_scene"),
        (problem(ViewFigure(name="front", rows=("##", "#.", "##")), TOP), "unknown_scene"),
        (problem(FRONT, ViewFigure(name="left", rows=("###",)), TOP), "contradictory_clues"),
        (problem(FRONT, ViewFigure(name="left", rows=("##",)), TOP), "contradictory_clues"),
        (problem(FRONT, LEFT, ViewFigure(name="top", rows=("##", "##"))), None),
        (problem(ViewFigure(name="front", rows=("##", "##")), ViewFigure(name="left", rows=("##", "##")),
                 ViewFigure(name="top", rows=("##", "##"))), "not_unique"),
        (problem(SolidFigure(name="solid", layers=(("#.",), (".#",)))), "unknown_scene"),
        (problem(FRONT, LEFT, TOP, answer=Answer(kind="number", value=5)), "disagrees_with_gold"),
        (problem(FRONT, TOP, asked="? = least", choices={"A": "4", "B": "4"}), "not_unique"),
    ],
)  # fmt: skip
def test_what_cannot_be_solved_is_refused_by_name(one: Problem, reason: str | None) -> None:
    if reason is None:
        assert WORLD.solve(one).answer == "5"
        return
    with pytest.raises(Refused) as refused:
        WORLD.solve(one)
    assert refused.value.reason == reason


def test_the_world_knows_its_problems_only(problems: list[Problem]) -> None:
    assert all(WORLD.recognises(one) for one in problems)
    assert not WORLD.recognises(problem(FRONT, source="mathspatial"))
    assert getattr(solve_one(problem(FRONT, source="mathspatial")), "reason", None) == "no_world"


def test_claims_become_sentences_in_both_languages(problems: list[Problem]) -> None:
    for one in problems:
        trace = WORLD.solve(one)
        for step in trace.steps:
            for lang in ("en", "zh"):
                said = WORLD.assertion(step.claim or "", lang)  # type: ignore[arg-type]
                assert "{" not in said
                assert said.endswith("." if lang == "en" else "。")
        assert WORLD.explain(one, trace, terse=False).count("\n") >= 3
        assert len(WORLD.explain(one, trace, terse=True)) < len(WORLD.explain(one, trace, terse=False)) * 2


def test_prose_of_one_derivation() -> None:
    one = problem(FRONT, TOP, asked="? = least")
    assert WORLD.explain(one, WORLD.solve(one), terse=False) == (
        "Columns of the plan have letters from the left, rows have numbers from the front.\n"
        "We are asked for the least number of cubes.\n"
        "Column 1 of the front view shows the stacks at a1 and a2.\n"
        "The tallest of the stacks at a1 and a2 is 2 high.\n"
        "Together the stacks at a1 and a2 have at least 3 cubes.\n"
        "Column 2 of the front view shows the stack at b2.\n"
        "The stack at b2 is 1 high.\n"
        "The stack at b2 has at least 1 cube.\n"
        "So the least number of cubes is 4.\n"
        "The answer is 4."
    )


@pytest.mark.parametrize(
    "text", ["", "b1", "b1=3", "max{b1,b2} = 3", "max{b2, b1} = 3", "sum{a1} = 01", "i1 = 2", "? = "]
)
def test_what_is_no_claim(text: str) -> None:
    with pytest.raises(ClaimSyntaxError):
        parse_claim(text)
