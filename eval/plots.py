"""The plots of a comparison, as PNG bytes: the same figures give the same bytes.

Each is drawn for a light or a dark page; colours of arms follow their order and are told apart by colour-blind readers.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from eval.sampling import AtK
from eval.significance import Estimate
from eval.summary import Share, Summary

# Okabe and Ito's palette (2008), without its yellow and black, which vanish on one of the two backgrounds.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# Seven to six colours, and a hatch for bars from the seventh on: no two of the first eighteen arms look alike.
_MARKERS = ("o", "s", "D", "^", "v", "P", "X")
_HATCHES = ("", "///", "...")
_DPI = 160

# After Paul Tol's muted scheme, its dark colours lightened for the dark page: classes are not mistaken for arms.
CLASS_COLOURS = ("#88CCEE", "#CC6677", "#DDCC77", "#44AA99", "#C77CC0", "#7F84DC")
UNCLASSED_COLOUR = "#9AA3AE"

_CURVES: tuple[tuple[str, str, Callable[[AtK], Estimate | None]], ...] = (
    ("majority", "-", lambda at: at.majority),
    ("pass@k", "--", lambda at: at.at_least_one),
    ("checked", ":", lambda at: at.checked),
    ("oracle", "-.", lambda at: at.oracle),
)
_CURVE_MARKERS = {"majority": "o", "pass@k": "^", "checked": "s", "oracle": "D"}


def colour(index: int) -> str:
    """The colour of the arm at ``index``, the same in plots and page."""
    return COLOURS[index % len(COLOURS)]


def accuracy_against_tokens(arms: Sequence[Summary], *, dark: bool) -> bytes:
    """Accuracy with its Wilson interval against mean output tokens; the thin line spans the 10th to 90th percentile."""
    with _figure(6.4, 4.2, dark) as (figure, axes, ink):
        for index, arm in enumerate(arms):
            if arm.output_tokens is None:
                continue
            low, high = _bars(arm.accuracy)
            tokens = arm.output_tokens
            axes.hlines(
                100 * arm.accuracy.share, tokens.p10, tokens.p90, color=colour(index), linewidth=1.2, alpha=0.55
            )
            axes.errorbar(
                tokens.mean,
                100 * arm.accuracy.share,
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
        axes.set_ylabel("accuracy, % (95% Wilson interval)", color=ink)
        axes.set_xlim(left=0)
        axes.set_ylim(-3, 103)  # room for a marker at 0 or 100
        _legend(axes, ink)
        return _png(figure)


def accuracy_by_scene(arms: Sequence[Summary], *, dark: bool) -> bytes:
    """Accuracy of each arm in each scene, with Wilson intervals."""
    scenes = sorted({scene for arm in arms for scene in arm.by["scene"]})
    with _figure(max(6.4, 1.6 + 1.3 * len(scenes)), 4.2, dark) as (figure, axes, ink):
        width = 0.8 / max(1, len(arms))
        for index, arm in enumerate(arms):
            found = [(at, arm.by["scene"][scene]) for at, scene in enumerate(scenes) if scene in arm.by["scene"]]
            places = [at + (index - (len(arms) - 1) / 2) * width for at, _ in found]
            bars = [_bars(group) for _, group in found]
            axes.bar(
                places,
                [100 * group.share for _, group in found],
                width * 0.92,
                facecolor=colour(index),
                edgecolor=ink,
                linewidth=0,
                hatch=_HATCHES[index // len(COLOURS) % len(_HATCHES)],
                yerr=[[low for low, _ in bars], [high for _, high in bars]],
                error_kw={"ecolor": ink, "elinewidth": 1, "capsize": 2.5, "alpha": 0.75},
                label=arm.arm,
            )
        axes.set_xticks(range(len(scenes)), [_plain(scene) for scene in scenes])
        axes.set_xlim(-0.6, len(scenes) - 0.4)
        axes.set_ylabel("accuracy, % (95% Wilson interval)", color=ink)
        axes.set_ylim(0, 100)
        _legend(axes, ink)
        return _png(figure)


def sampling_curves(arms: Sequence[Summary], *, dark: bool) -> bytes:
    """A panel an arm that was sampled: what k samples are worth against the tokens that all of them take."""
    sampled = [(index, arm.arm, arm.sampling.curve) for index, arm in enumerate(arms) if arm.sampling]
    columns = 2 if len(sampled) in (2, 4) else min(3, len(sampled))
    rows = -(-len(sampled) // max(1, columns))
    with _panels(max(6.4, 3.6 * columns), 3.3 * rows + 0.4, rows, columns, dark) as (figure, panels, ink):
        for (index, name, curve), axes in zip(sampled, panels, strict=False):
            for kind, style, take in _CURVES:
                points = [(at.tokens, found) for at in curve if (found := take(at)) is not None]
                if not points:
                    continue
                spent = [tokens for tokens, _ in points]
                axes.plot(
                    spent,
                    [100 * found.value for _, found in points],
                    linestyle=style,
                    marker=_CURVE_MARKERS[kind],
                    markersize=4.5,
                    linewidth=1.6,
                    color=colour(index),
                    label=kind,
                )
                if kind == "majority":
                    bounds = [_finite_bounds(found) for _, found in points]
                    axes.fill_between(
                        spent, [low for low, _ in bounds], [high for _, high in bounds], color=colour(index), alpha=0.16
                    )
            axes.set_xscale("log")
            axes.set_xticks(
                [at.tokens for at in curve if at.tokens > 0], [f"{at.tokens:,.0f}" for at in curve if at.tokens > 0]
            )
            axes.minorticks_off()
            axes.set_ylim(-3, 103)
            axes.set_title(_plain(name), color=ink, loc="left", fontsize=10, fontweight="bold")
            axes.set_xlabel("output tokens a question, all samples", color=ink)
            axes.set_ylabel("accuracy, %", color=ink)
            axes.legend(loc="best", frameon=False, labelcolor=ink, fontsize=8.5)
        for axes in panels[len(sampled) :]:
            axes.set_visible(False)
        return _png(figure)


def error_bars(
    arms: Sequence[str], classes: Sequence[str], counts: Sequence[Sequence[tuple[int, int]]], *, dark: bool
) -> bytes:
    """A stacked bar an arm: the share of its wrong predictions in each class, the judge's part hatched.

    ``counts[arm]`` has for each of ``classes`` how many the machine and how many a judge put there; one more pair than
    classes says how many nobody classed.
    """
    with _figure(8.4, 1.5 + 0.5 * len(arms), dark) as (figure, axes, ink):
        names = [*classes, "no class"]
        for row, of_arm in enumerate(counts):
            total, left = sum(map(sum, of_arm)), 0.0
            for place, pair in enumerate(of_arm):
                shade = UNCLASSED_COLOUR if place == len(classes) else CLASS_COLOURS[place % len(CLASS_COLOURS)]
                for count, hatch in zip(pair, ("", "////"), strict=True):
                    width = 100 * count / total if total else 0.0
                    axes.barh(row, width, 0.62, left=left, facecolor=shade, edgecolor=ink, linewidth=0, hatch=hatch)
                    if width >= 6:
                        middle = left + width / 2
                        axes.text(middle, row, str(count), ha="center", va="center", color="#15191e", fontsize=8.5)
                    left += width
        for place, name in enumerate(names):
            shade = UNCLASSED_COLOUR if place == len(classes) else CLASS_COLOURS[place % len(CLASS_COLOURS)]
            axes.bar(0, 0, color=shade, label=name)
        if any(judge for of_arm in counts for _, judge in of_arm):
            axes.bar(0, 0, facecolor="none", edgecolor=ink, linewidth=0, hatch="////", label="by a judge")
        axes.set_yticks(range(len(arms)), [_plain(arm) for arm in arms])
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.set_xlim(0, 100)
        axes.set_xlabel("wrong predictions, % (numbers: how many)", color=ink)
        axes.legend(
            loc="lower left", bbox_to_anchor=(0, 1.0), ncols=4, frameon=False, labelcolor=ink, borderaxespad=0.3
        )
        return _png(figure)


def _finite_bounds(estimate: Estimate) -> tuple[float, float]:
    low = estimate.value if estimate.low is None else estimate.low
    high = estimate.value if estimate.high is None else estimate.high
    return 100 * low, 100 * high


def _bars(share: Share) -> tuple[float, float]:
    return 100 * max(0.0, share.share - share.low), 100 * max(0.0, share.high - share.share)


@contextmanager
def _figure(width: float, height: float, dark: bool) -> Iterator[tuple[Figure, Any, str]]:
    with _panels(width, height, 1, 1, dark) as (figure, panels, ink):
        yield figure, panels[0], ink


@contextmanager
def _panels(width: float, height: float, rows: int, columns: int, dark: bool) -> Iterator[tuple[Figure, Any, str]]:
    ink, faint = ("#d7dde5", "#3a424d") if dark else ("#2b3138", "#dfe3e8")
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
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=6, frameon=False, labelcolor=ink, borderaxespad=0.3)


def _plain(text: str) -> str:
    """``text`` without the dollar signs that would make matplotlib read it as a formula, and not too long."""
    return text.replace("$", r"\$")[:24]


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
