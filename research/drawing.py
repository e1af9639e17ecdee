"""The picture of docs/does-structure-pay.md: learning curves of the arms, a panel for each family."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from research.families import Family

# Okabe and Ito (2008), for colour-blind readers.
COLOURS = {
    "answer": "#777777",
    "cot": "#0072B2",
    "srt": "#D55E00",
    "cot-free": "#56B4E9",
    "srt-free": "#E69F00",
}


def draw_curves(families: Sequence[Family], path: Path) -> None:
    """Write a PNG: thin lines are seeds, thick ones their mean where all seeds were measured."""
    with matplotlib.rc_context({"font.family": "DejaVu Sans", "font.size": 9}):
        figure = Figure(figsize=(2.6 * len(families), 2.8), facecolor="white", layout="constrained")
        panels = figure.subplots(1, len(families), sharey=True, squeeze=False)[0]
        for axes, family in zip(panels, families, strict=True):
            _draw_family(axes, family)
        panels[0].set(ylabel="right on unseen puzzles, %")
        shown = {label: line for axes in panels for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
        arms = [arm for arm in COLOURS if arm in shown]
        panels[0].legend([shown[arm] for arm in arms], arms, frameon=False, loc="upper left")
        drawn = BytesIO()
        figure.savefig(drawn, format="png", dpi=110)
    Image.open(drawn).quantize(64).save(path, optimize=True)  # a third of the size


def _draw_family(axes: Axes, family: Family) -> None:
    arms = [arm for arm in COLOURS if arm in family.arms]
    for arm in arms:
        curves = family.curves(arm)
        for curve in curves.values():
            axes.plot(
                [*curve], [100 * scores.mean() for scores in curve.values()], color=COLOURS[arm], lw=0.7, alpha=0.5
            )
        common = sorted(set.intersection(*map(set, curves.values())))
        means = [100 * float(np.mean([curve[items] for curve in curves.values()])) for items in common]
        axes.plot(common, means, color=COLOURS[arm], lw=2, marker="o", ms=3, label=arm)
    ticks = sorted({point.items for arm in arms for point in family.of(arm)})
    axes.set(title=family.name, xlabel="training items", xscale="log", ylim=(0, 100))
    axes.set_xticks(ticks, [f"{items // 1000}k" for items in ticks])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
