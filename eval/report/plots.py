"""The plots of a comparison, as PNG bytes: the same figures give the same bytes.

Each is drawn for a light or a dark page; arms have colours by their order, which colour-blind readers can distinguish.
"""

from __future__ import annotations

import gc
import io
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from eval.scoring.arm_summary import ArmSummary, Share
from eval.scoring.decode_curves import DecodeCurves
from eval.scoring.sampling import AtK
from srt.statistics.intervals import Estimate

# Okabe and Ito's palette (2008), with a grey for its yellow and black, which vanish on one of the two backgrounds.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#858C96")
# Eight to seven colours, and a hatch for bars from the eighth on: no two of the first eighteen arms look alike.
_MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")
_HATCHES = ("", "///", "...")
_DPI = 160
_MOST_UPRIGHT = 5
"""Labels whose names fit side by side below upright bars."""

# After Paul Tol's muted scheme, its dark colours lightened for the dark page: classes are not mistaken for arms.
CLASS_COLOURS = ("#88CCEE", "#CC6677", "#DDCC77", "#44AA99", "#C77CC0", "#7F84DC")
UNCLASSED_COLOUR = "#9AA3AE"

_CURVES: tuple[tuple[str, str, str, Callable[[AtK], Estimate | None]], ...] = (
    ("majority", "-", "o", lambda at: at.majority),
    ("pass@k", "--", "^", lambda at: at.at_least_one),
    ("checked", ":", "s", lambda at: at.checked),
    ("oracle", "-.", "D", lambda at: at.oracle),
)


def colour(index: int) -> str:
    """The colour of the arm at ``index``, the same in plots and page."""
    return COLOURS[index % len(COLOURS)]


def accuracy_against_tokens(arms: Sequence[ArmSummary], *, dark: bool) -> bytes:
    """Accuracy with its interval against mean output tokens; the thin line spans the 10th to 90th percentile."""
    with _figure(6.4, 4.2, dark) as (figure, axes, ink):
        for index, arm in enumerate(arms):
            if arm.output_tokens is None:
                continue
            low, high = _bars(arm.accuracy)
            tokens, percent = arm.output_tokens, 100 * arm.accuracy.share
            axes.hlines(percent, tokens.p10, tokens.p90, color=colour(index), linewidth=1.2, alpha=0.55)
            axes.errorbar(
                tokens.mean,
                percent,
                yerr=[[low], [high]],
                color=colour(index),
                marker=_MARKERS[index % len(_MARKERS)],
                markersize=7,
                capsize=4,
                linewidth=1.6,
                linestyle="none",
                label=arm.arm,
            )
        axes.set_xlabel("output tokens a problem (mean; thin line: 10th to 90th percentile)", color=ink)
        axes.set_ylabel("accuracy, % (95% interval)", color=ink)
        # From 0: an axis that is cut off would make a small difference of tokens look like a large one.
        axes.set_xlim(left=0)
        axes.set_ylim(-3, 103)  # room for a marker at 0 or 100
        _legend(axes, ink)
        return _png(figure)


def main_dimension(arms: Sequence[ArmSummary]) -> str:
    """The first dimension by which the problems of ``arms`` are broken down: their world's, or their category."""
    return next((name for arm in arms for name in arm.by), "category")


def accuracy_by(dimension: str, arms: Sequence[ArmSummary], *, dark: bool) -> bytes:
    """Accuracy of each arm for each label of ``dimension``, with intervals; many labels stand below one another."""
    groups = [arm.by.get(dimension, {}) for arm in arms]
    labels = sorted({label for group in groups for label in group})
    # Many labels below one another can be read; side by side they would overlap.
    lying = len(labels) > _MOST_UPRIGHT
    height = 1.0 + len(labels) * (0.25 + 0.13 * len(arms)) if lying else 4.2
    with _figure(6.4, height, dark) as (figure, axes, ink):
        width = 0.8 / max(1, len(arms))
        for index, arm in enumerate(arms):
            found = [(at, groups[index][label]) for at, label in enumerate(labels) if label in groups[index]]
            places = [at + (index - (len(arms) - 1) / 2) * width for at, _ in found]
            bars = [_bars(group) for _, group in found]
            spread = [[low for low, _ in bars], [high for _, high in bars]]
            (axes.barh if lying else axes.bar)(
                places,
                [100 * group.share for _, group in found],
                width * 0.92,
                facecolor=colour(index),
                edgecolor=ink,
                linewidth=0,
                # Colours repeat after some arms, and some readers see none: the hatch tells them apart.
                hatch=_HATCHES[index // len(COLOURS) % len(_HATCHES)],
                **{"xerr" if lying else "yerr": spread},
                error_kw={"ecolor": ink, "elinewidth": 1, "capsize": 2.5, "alpha": 0.75},
                label=arm.arm,
            )
        names, ends = [_plain(label, lines=2 if lying else 1) for label in labels], (-0.6, len(labels) - 0.4)
        if lying:
            axes.set(xlim=(0, 100), ylim=ends[::-1])
            axes.set_yticks(range(len(labels)), names)
            axes.grid(axis="y", visible=False)
        else:
            axes.set(xlim=ends, ylim=(0, 100))
            axes.set_xticks(range(len(labels)), names)
        (axes.set_xlabel if lying else axes.set_ylabel)("accuracy, % (95% interval)", color=ink)
        _legend(axes, ink)
        return _png(figure)


def _cost(at: AtK) -> float:
    """The tokens of ``k`` samples; where they are not given, ``k``."""
    return at.k if at.tokens is None else at.tokens


def sampling_curves(arms: Sequence[ArmSummary], *, dark: bool) -> bytes:
    """One panel for each arm that was sampled: the accuracy of k samples against the tokens of all of them."""
    sampled = [(index, arm.arm, arm.sampling.curve) for index, arm in enumerate(arms) if arm.sampling]
    # Four panels as two by two, not three and one.
    columns = 2 if len(sampled) in (2, 4) else min(3, len(sampled))
    rows = -(-len(sampled) // max(1, columns))
    with _panels(max(6.4, 3.6 * columns), 3.3 * rows + 0.4, rows, columns, dark) as (figure, panels, ink):
        for (index, name, curve), axes in zip(sampled, panels, strict=False):
            for kind, style, marker, take in _CURVES:
                points = [(_cost(at), found) for at in curve if (found := take(at)) is not None]
                if not points:
                    continue
                spent = [tokens for tokens, _ in points]
                axes.plot(
                    spent,
                    [100 * found.value for _, found in points],
                    linestyle=style,
                    marker=marker,
                    markersize=4.5,
                    linewidth=1.6,
                    color=colour(index),
                    label=kind,
                )
                if kind == "majority":
                    lows = [100 * (at.value if at.low is None else at.low) for _, at in points]
                    highs = [100 * (at.value if at.high is None else at.high) for _, at in points]
                    axes.fill_between(spent, lows, highs, color=colour(index), alpha=0.16)
            axes.set_xscale("log")
            ticks = [cost for at in curve if (cost := _cost(at)) > 0]
            axes.set_xticks(ticks, [f"{tokens:,.0f}" for tokens in ticks])
            axes.minorticks_off()
            axes.set_ylim(-3, 103)
            axes.set_title(_plain(name), color=ink, loc="left", fontsize=10, fontweight="bold")
            axes.set_xlabel("output tokens a question, all samples", color=ink)
            axes.set_ylabel("accuracy, %", color=ink)
            axes.legend(loc="best", frameon=False, labelcolor=ink, fontsize=8.5)
        for axes in panels[len(sampled) :]:
            axes.set_visible(False)
        return _png(figure)


def proved_against_tokens(study: DecodeCurves, *, dark: bool) -> bytes:
    """The share that is proved and right against mean output tokens, one line for each way to decode."""
    with _figure(6.4, 4.2, dark) as (figure, axes, ink):
        for index, (way, points) in enumerate(study.by_way()):
            bars = [_bars(point.proved_and_right) for point in points]
            axes.errorbar(
                [point.tokens for point in points],
                [100 * point.proved_and_right.share for point in points],
                yerr=[[low for low, _ in bars], [high for _, high in bars]],
                color=colour(index),
                marker=_MARKERS[index % len(_MARKERS)],
                markersize=6,
                capsize=3.5,
                linewidth=1.6,
                label="without decode" if way == "none" else way,
            )
        axes.set_xlabel("output tokens a problem (mean), refused ones included", color=ink)
        axes.set_ylabel("proved and right, % (95% interval)", color=ink)
        axes.set_xlim(left=0)
        axes.set_ylim(-3, 103)
        _legend(axes, ink)
        return _png(figure)


def error_bars(
    arms: Sequence[str], classes: Sequence[str], counts: Sequence[Sequence[tuple[int, int]]], *, dark: bool
) -> bytes:
    """One stacked bar for each arm: the share of its wrong predictions in each class, the judge's part hatched.

    ``counts[arm]`` has for each of ``classes`` how many the machine and how many a judge put there; one more pair
    counts those without a class.
    """
    shades = [*(CLASS_COLOURS[place % len(CLASS_COLOURS)] for place in range(len(classes))), UNCLASSED_COLOUR]
    with _figure(8.4, 1.5 + 0.5 * len(arms), dark) as (figure, axes, ink):
        for row, of_arm in enumerate(counts):
            total, left = sum(map(sum, of_arm)), 0.0
            for shade, pair in zip(shades, of_arm, strict=True):
                for count, hatch in zip(pair, ("", "////"), strict=True):
                    width = 100 * count / total if total else 0.0
                    axes.barh(row, width, 0.62, left=left, facecolor=shade, edgecolor=ink, linewidth=0, hatch=hatch)
                    # A number does not fit into a narrower part.
                    if width >= 6:
                        middle = left + width / 2
                        axes.text(middle, row, str(count), ha="center", va="center", color="#15191e", fontsize=8.5)
                    left += width
        for shade, name in zip(shades, [*classes, "no class"], strict=True):
            # Bars of no size, for the legend.
            axes.bar(0, 0, color=shade, label=name)
        if any(judge for of_arm in counts for _, judge in of_arm):
            axes.bar(0, 0, facecolor="none", edgecolor=ink, linewidth=0, hatch="////", label="by a judge")
        axes.set_yticks(range(len(arms)), [_plain(arm) for arm in arms])
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.set_xlim(0, 100)
        axes.set_xlabel("wrong predictions, % (numbers: how many)", color=ink)
        _legend(axes, ink)
        return _png(figure)


def _bars(share: Share) -> tuple[float, float]:
    return 100 * max(0.0, share.share - share.low), 100 * max(0.0, share.high - share.share)


@contextmanager
def _figure(width: float, height: float, dark: bool) -> Iterator[tuple[Figure, Any, str]]:
    with _panels(width, height, 1, 1, dark) as (figure, panels, ink):
        yield figure, panels[0], ink


@contextmanager
def _panels(width: float, height: float, rows: int, columns: int, dark: bool) -> Iterator[tuple[Figure, Any, str]]:
    ink, faint = ("#d7dde5", "#3a424d") if dark else ("#2b3138", "#dfe3e8")
    # DejaVu Sans comes with matplotlib: the same letters on every machine.
    with matplotlib.rc_context({"font.family": "DejaVu Sans", "font.size": 9.5, "svg.hashsalt": "srt"}):
        figure = Figure(figsize=(width, height), dpi=_DPI, facecolor="none" if dark else "white", layout="constrained")
        panels = [figure.add_subplot(rows, columns, place + 1, facecolor="none") for place in range(rows * columns)]
        for axes in panels:
            axes.spines[["top", "right"]].set_visible(False)
            axes.spines[["left", "bottom"]].set_color(faint)
            axes.tick_params(colors=ink, length=0)
            axes.grid(axis="y", color=faint, linewidth=0.8)
            axes.set_axisbelow(True)
        yield figure, panels, ink


def _legend(axes: Any, ink: str) -> None:
    """A legend above the axes, in as many columns as fit: one that is too wide would squeeze the axes to nothing."""
    names = axes.get_legend_handles_labels()[1]
    if not names:  # no arm has the figures that are drawn
        return
    figure = axes.figure
    columns = max(1, min(6, int(figure.get_figwidth() / (0.6 + 0.085 * max(map(len, names))))))
    figure.set_figheight(figure.get_figheight() + 0.2 * (-(-len(names) // columns) - 1))
    place = {"loc": "lower left", "bbox_to_anchor": (0, 1.0), "borderaxespad": 0.3}
    axes.legend(ncols=columns, frameon=False, labelcolor=ink, **place)


def _plain(text: str, lines: int = 1) -> str:
    """``text`` in at most ``lines`` lines of 24 characters; dollar signs are escaped, which would begin a formula."""
    return "\n".join(textwrap.wrap(text, 24)[:lines]).replace("$", r"\$")


def _png(figure: Figure) -> bytes:
    gc.collect()  # earlier figures: circles of references that each hold megabytes of pixels
    buffer = io.BytesIO()
    # Without the version of matplotlib in the file: the same figures give the same bytes.
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
