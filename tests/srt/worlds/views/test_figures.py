"""The figures that a problem keeps."""

from __future__ import annotations

from typing import Any

import pytest

from srt.io.records import Problem
from srt.worlds.views.reading.figures import PlanFigure, SolidFigure, ViewFigure, as_meta, figures_of


def problem(figures: Any) -> Problem:
    return Problem(id="p", source="views", split="train", lang="en", question="?", meta={"figures": figures})


def test_figures_are_kept_and_read_back() -> None:
    figures = (
        ViewFigure(name="front", rows=("#.", "##")),
        ViewFigure(name="view", rows=("##",), lines=((0, 0, 2, 0),), hidden=((1, 0, 1, 1),)),
        PlanFigure(name="plan", heights=((2, 0), (1, 3))),
        SolidFigure(name="A", layers=(("##", "#."), ("#.", ".."))),
    )
    assert figures_of(problem(as_meta(figures))) == figures
    assert figures_of(problem([])) == ()


@pytest.mark.parametrize(
    ("figures", "says"),
    [
        ("no list", "meta.figures"),
        ([{"type": "view", "name": "front"}], "rows"),
        ([{"type": "view", "name": "front", "rows": ["#x"]}], "rows.0"),
        ([{"type": "view", "name": "front", "rows": ["#", "##"]}], "rows of equal length"),
        ([{"type": "plan", "name": "plan", "heights": [[9]]}], "heights"),
        ([{"type": "plan", "name": "plan", "heights": [[]]}], "equal length"),
        ([{"type": "solid", "name": "Z", "layers": [["#"]]}], "name"),
        ([{"type": "view", "name": "front", "rows": ["#"]}] * 2, "two figures are called 'front'"),
    ],
)
def test_what_is_no_figure_is_named(figures: Any, says: str) -> None:
    with pytest.raises(ValueError, match=r"meta\.figures") as raised:
        figures_of(problem(figures))
    assert says in str(raised.value)
