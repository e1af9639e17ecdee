"""Questions about single squares say what the figures of the problem hold."""

from __future__ import annotations

import pytest

from srt.io.records import Lang, Problem
from srt.worlds.views.views_world import ViewsWorld
from srt.worlds.world import Reading

FRONT = {"type": "view", "name": "front", "rows": ["#.", "##"]}
TOP = {"type": "view", "name": "top", "rows": [".#", "##", "##"]}
PLAN = {"type": "plan", "name": "plan", "heights": [[0, 2], [3, 1]]}


def problem(*figures: dict[str, object], lang: Lang = "en", **more: object) -> Problem:
    return Problem(
        id="p", source="views", split="train", lang=lang, question="?", meta={"figures": list(figures)}, **more
    )


def test_squares_are_named_from_the_left_and_from_below() -> None:
    assert ViewsWorld.extras.figures.readings(problem(FRONT)) == [
        Reading("front a2?", 1),
        Reading("front b2?", 0),
        Reading("front a1?", 1),
        Reading("front b1?", 1),
    ]


def test_top_views_and_plans() -> None:
    read = dict(ViewsWorld.extras.figures.readings(problem(TOP, PLAN, lang="zh")))
    assert (read["top a3?"], read["top b3?"], read["plan a2?"], read["plan a1?"], read["plan b1?"]) == (0, 1, 0, 3, 1)
    assert len(read) == 10


@pytest.mark.parametrize(
    "figures",
    [
        [{**FRONT, "name": "A"}],  # an option
        [{**FRONT, "name": "view"}],  # a direction that is asked for
        [{**FRONT, "lines": [[0, 0, 2, 0]]}],  # one body, no squares
        [{"type": "solid", "name": "solid", "layers": [["##"]]}],
    ],
)
def test_what_shows_no_single_squares_is_not_asked_for(figures: list[dict[str, object]]) -> None:
    options = {"choices": {"A": "picture A", "B": "picture B"}} if figures[0]["name"] == "A" else {}
    assert ViewsWorld.extras.figures.readings(problem(*figures, **options)) == []
