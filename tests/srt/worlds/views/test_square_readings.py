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


def test_squares_are_counted_from_the_left_and_from_below() -> None:
    read = dict(ViewsWorld().readings(problem(FRONT)))
    assert read == {
        "Square in column 1, row 2 of the front view?": "yes",
        "Square in column 2, row 2 of the front view?": "no",
        "Square in column 1, row 1 of the front view?": "yes",
        "Square in column 2, row 1 of the front view?": "yes",
    }


def test_places_have_the_names_of_claims() -> None:
    read = dict(ViewsWorld().readings(problem(TOP, PLAN)))
    assert read["Square at a3 of the top view?"] == "no"
    assert read["Square at b3 of the top view?"] == "yes"
    assert read["Number at a2 of the plan?"] == 0
    assert read["Number at a1 of the plan?"] == 3
    assert read["Number at b1 of the plan?"] == 1
    assert len(read) == 10


def test_chinese() -> None:
    read = ViewsWorld().readings(problem(FRONT, TOP, PLAN, lang="zh"))
    assert read[0] == Reading("主视图的第1列第2层有方格吗？", "有")
    assert read[4] == Reading("俯视图的a3处有方格吗？", "没有")
    assert read[-1] == Reading("平面图的b1处的数字是几？", 1)


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
    assert ViewsWorld().readings(problem(*figures, **options)) == []
