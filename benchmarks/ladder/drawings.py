"""The figures of the ladder's pages: the learning curves of one family, and those of several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.ladder.results import Family, scores

LEVELS = (0.5, 0.9)
"""The shares of right answers for which the pages say how many items are needed; a thin line each."""
# Okabe and Ito (2008), for colour-blind readers.
COLOURS = {
    "answer": "#777777", "cot": "#0072B2", "cot-terse": "#56B4E9", "srt": "#D55E00", "srt-unlabelled": "#009E73",
    "srt-shuffled": "#CC79A7", "CORRELATE": "#E69F00", "CONSTRAIN": "#0072B2", "INFER": "#000000",
}  # fmt: skip
"""Of arms, and of the operation that an arm lacks: dropped from its traces (solid) or banned (dashed)."""


def draw_family(family: Family, path: Path) -> None:
    """The learning curves of all arms of a family, as SVG."""
    with _style(family.name):
        crowded = len(family.arms) > 4
        figure = Figure(figsize=(8.0 if crowded else 6.4, 3.6), facecolor="white", layout="constrained")
        axes = figure.add_subplot()
        _draw_curves(axes, family, family.arms)
        axes.set(xlabel="training items", ylabel="right on unseen puzzles, %")
        if crowded:
            figure.legend(frameon=False, loc="outside right upper")
        else:
            axes.legend(frameon=False, loc="upper left")
        _save(figure, path)


def draw_side_by_side(families: Sequence[Family], arms: Sequence[str], path: Path) -> None:
    """The learning curves of ``arms`` in each of ``families``, a panel each, as SVG."""
    with _style(path.stem):
        figure = Figure(figsize=(3.1 * len(families), 3.0), facecolor="white", layout="constrained")
        panels = figure.subplots(1, len(families), sharey=True, squeeze=False)[0]
        for axes, family in zip(panels, families, strict=True):
            _draw_curves(axes, family, [arm for arm in arms if arm in family.arms])
            axes.set(title=family.name, xlabel="training items")
        panels[0].set(ylabel="right on unseen puzzles, %")
        panels[0].legend(frameon=False, loc="upper left")
        _save(figure, path)


def _draw_curves(axes: Axes, family: Family, arms: Sequence[str]) -> None:
    """Thin lines are seeds, thick ones their mean where all seeds were measured."""
    for arm in arms:
        colour = COLOURS[arm if arm in COLOURS else arm.rpartition("-")[2]]
        style = "--" if arm.startswith("srt-ban-") else "-"
        curves = family.curves(arm)
        for curve in curves.values():
            items = sorted(curve)
            axes.plot(items, [100 * curve[n].mean() for n in items], color=colour, lw=0.7, ls=style, alpha=0.45)
        common = [n for n in family.items(arm) if len(family.of(arm, n)) == len(curves)]
        means = [100 * float(np.mean([scores(point).mean() for point in family.of(arm, n)])) for n in common]
        axes.plot(common, means, color=colour, lw=2, ls=style, marker="o", ms=4, label=arm)
    for level in LEVELS:
        axes.axhline(100 * level, color="#e3e3e3", lw=0.8, zorder=0)
    axes.set(xscale="log", ylim=(0, 100))
    ticks = sorted({point.items for arm in arms for point in family.of(arm)})
    axes.set_xticks(ticks, [f"{n // 1000}k" for n in ticks])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)


def _style(salt: str) -> AbstractContextManager[None]:
    """The same file for the same data: identifiers inside an SVG depend on ``salt`` alone."""
    return matplotlib.rc_context({"font.family": "DejaVu Sans", "font.size": 9, "svg.hashsalt": salt})


def _save(figure: Figure, path: Path) -> None:
    figure.savefig(path, format="svg", metadata={"Date": None})
