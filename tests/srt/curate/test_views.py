"""Three views: contradictions that are certain are told, and nothing else."""

from __future__ import annotations

import itertools
import time

import pytest

from srt.curate.three_views import contradiction, view_sizes


@pytest.mark.parametrize(
    "text",
    [
        "The front view is a 4 by 3 rectangle, the top view a 4 by 2 rectangle and the left view a 2 by 5 rectangle.",
        "主视图是长为4，高为3的长方形，俯视图是长为4、宽为2的长方形，左视图是宽为2、高为5的长方形。",
        "主视图和左视图都是底边长为6、高为4的等腰三角形，俯视图是直径为5的圆。",
        "The front view is a square of side 3 cm; the top view is a circle with diameter 4 cm.",
        "正视图是边长为2的正方形，俯视图是半径为2的圆",
        "front view: length $4$, height $3$. top view: length $5$, width $2$. ",
    ],
)
def test_contradictions(text: str) -> None:
    said = contradiction(text)
    assert said is not None
    assert said.startswith("no length, width and height fit the views: front")


@pytest.mark.parametrize(
    "text",
    [
        "The front view is a 4 by 3 rectangle, the top view a 4 by 2 rectangle and the left view a 2 by 3 rectangle.",
        "The front view is a 3 by 4 rectangle, the top view is a 2 by 4 rectangle.",
        "主视图和左视图都是底边长为6、高为4的等腰三角形，俯视图是直径为6的圆。",
        "主视图是边长为2的正方形，俯视图是半径为1的圆",
        "若主视图是边长为2的正方形，则俯视图可能是边长为3的正方形。",
        "主视图由5个边长为1的正方形组成，俯视图是边长为3的正方形",
        "主视图是边长为2的正三角形，俯视图是边长为3的正方形",
        "主视图的周长为12，俯视图的面积为20",
        "The front view is a square of side 20 mm; the top view is a square of side 2 cm.",
        "The front view is a semicircle with diameter 4; the top view is a circle with diameter 3.",
        "The front view is a square of side 3. The front view is a square of side 4. The top view: square, side 5.",
        "主视图是边长为2√3的正方形，俯视图是边长为3的正方形",
        "The front view is not a square of side 3; the top view is a square of side 4.",
        "",
    ],
)
def test_no_contradiction(text: str) -> None:
    assert contradiction(text) is None


def test_every_box_agrees_with_itself_and_not_with_a_changed_one() -> None:
    for length, width, height in itertools.product((2, 3, 5), repeat=3):
        template = "主视图是长为{}、高为{}的矩形，俯视图是长为{}、宽为{}的矩形，左视图是宽为{}、高为{}的矩形"
        assert contradiction(template.format(length, height, length, width, width, height)) is None
        assert contradiction(template.format(length, height, length, width, 7, height)) is not None


def test_sizes() -> None:
    text = (
        "The front view and the left view are rectangles of length 4 and width 3; the top view is a square of side 2.5."
    )
    assert view_sizes(text) == {"front": (4.0, 3.0), "side": (4.0, 3.0), "top": (2.5, 2.5)}


def test_hostile_texts_take_no_time() -> None:
    start = time.process_time()
    for unit in ("主视图", "主视图 长 ", "front view length " + " " * 50, "top view 1 x 1 ", "长" + " " * 99):
        contradiction(unit * 3000)
    contradiction("主视图长" + " " * 100_000 + "主视图")
    assert time.process_time() - start < 5
