"""Arms must be told apart, and a legend must leave room for what is drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from eval.report.compare import compare
from eval.report.plots import _HATCHES, _MARKERS, COLOURS, _figure, _legend, _plain

ARMS = ["base", "answer", "cot", "srt", "srt-drop-CORRELATE", "srt-drop-CONSTRAIN", "srt-drop-INFER"]


def test_no_two_of_eighteen_arms_look_alike() -> None:
    assert len({(COLOURS[n % len(COLOURS)], _MARKERS[n % len(_MARKERS)]) for n in range(18)}) == 18
    assert len({(COLOURS[n % len(COLOURS)], _HATCHES[n // len(COLOURS) % len(_HATCHES)]) for n in range(18)}) == 18
    assert len(ARMS) <= len(COLOURS), "on the page an arm has its colour alone"


def test_a_long_legend_leaves_the_axes_their_width() -> None:
    with _figure(6.4, 4.2, dark=False) as (figure, axes, ink):
        for arm in ARMS:
            axes.plot([0, 1], [0, 100], label=arm)
        _legend(axes, ink)
        figure.draw_without_rendering()
        legend = axes.get_legend().get_window_extent()
        assert axes.get_position().width > 0.75
        assert legend.x1 <= figure.bbox.x1


def test_labels_are_shortened_at_a_word_if_they_have_two_lines() -> None:
    assert _plain("Measurement of Solid Geometric Forms", lines=2) == "Measurement of Solid\nGeometric Forms"
    assert len(_plain("x" * 60)) == 24
    assert _plain("$5") == r"\$5"


@pytest.mark.long
def test_same_runs_same_bytes(make_run: Callable[..., Path], tmp_path: Path) -> None:
    folders = [make_run("base", lambda number: "ANSWER: A"), make_run("srt", lambda number: "ANSWER: B")]
    for name in ("one", "two"):
        compare(folders, tmp_path / name)
    written = list((tmp_path / "one").iterdir())
    assert {path.suffix for path in written} == {".png", ".json", ".html", ".md"}
    for path in written:
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name
