"""The dimensions of a breakdown come from the worlds; other problems have a category."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from eval.scoring.dimensions import dimensions, labels_of
from srt.io.records import Problem
from srt.worlds.world import Extras


class Mazes:
    """What a world says of its breakdowns."""

    extras = Extras(dimensions=("walls", "scene"))


def test_dimensions_are_those_of_the_worlds(
    make_problem: Callable[..., Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eval.scoring.dimensions.worlds", lambda: [Mazes()])
    assert dimensions() == ("walls", "scene", "category", "lang", "right_options")
    maze = make_problem(1, meta={"walls": 7, "width": 3}, category="mazes")
    assert labels_of(maze) == {"walls": "7", "lang": "en", "right_options": "1"}
    other = make_problem(3, meta={"width": 3}, category="nets")
    assert labels_of(other) == {"category": "nets", "lang": "en", "right_options": "2"}
    assert labels_of(make_problem(1, meta={}, answer=None)) == {"category": "-", "lang": "en", "right_options": "-"}
