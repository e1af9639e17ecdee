"""Texts in pieces: nothing is lost, and claims lie where they are."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from taught_folder import BOOTH, RIGHT_BOOTH, RIGHT_BOX, box

from srt.io.records import Problem
from srt.language.text import parse
from srt.language.trace import ClaimCheck, Support
from srt.review.formulas import Drawing
from srt.review.machine_verdict import machine_verdict
from srt.review.page_view import pieces, verdict_view


def claim(start: int, end: int, support: Support = "computed") -> ClaimCheck:
    return ClaimCheck(claim="c", start=start, end=end, support=support, reason=f"it is {support}")


def test_latex_and_claims_are_cut_out() -> None:
    found = pieces("so $a = 4$ and 𝑥 = 5", [claim(4, 9), claim(15, 20, "refuted")], Drawing())
    assert [(p["text"], p["math"] is not None, p["support"]) for p in found] == [
        ("so ", False, None),
        ("$a = 4$", True, "computed"),
        (" and ", False, None),
        ("𝑥 = 5", False, "refuted"),
    ]
    assert found[-1]["why"] == "it is refuted"


def test_the_gravest_of_overlapping_claims_is_shown() -> None:
    found = pieces("a = b = c", [claim(0, 5), claim(4, 9, "refuted")], Drawing())
    assert [(p["text"], p["support"]) for p in found] == [("a = ", "computed"), ("b", "refuted"), (" = c", "refuted")]


def test_prose_is_computed_and_a_world_is_proved() -> None:
    def told(problem: Problem, text: str) -> tuple[bool, bool, set[str]]:
        view = verdict_view(machine_verdict(problem, parse(text).trace("t", problem.id)), Drawing())
        supports = {step["support"] for step in (*view["steps"], view["answer"])}
        return view["proved"], view["computed"], supports

    assert told(BOOTH, RIGHT_BOOTH) == (True, False, {"proved"})
    assert told(box(), RIGHT_BOX) == (False, True, {"computed", "unchecked"})


@pytest.mark.parametrize("support", get_args(Support))
def test_every_verdict_has_its_place_among_overlapping_claims(support: Support) -> None:
    found = pieces("a = b = c", [claim(0, 9, support), claim(0, 9, "refuted")], Drawing())
    assert [piece["support"] for piece in found] == ["refuted"]


@given(
    text=st.text(alphabet="a$\\()[]= 1𝑥面\n", max_size=40),
    spans=st.lists(st.tuples(st.integers(-2, 45), st.integers(-2, 45)), max_size=5),
)
def test_the_pieces_make_up_the_text(text: str, spans: list[tuple[int, int]]) -> None:
    assert "".join(p["text"] for p in pieces(text, [claim(*span) for span in spans], Drawing())) == text
