"""The two plots of a comparison, as PNG bytes: the same figures give the same bytes.

Each is drawn for a light or a dark page; colours of arms follow their order and are told apart by colour-blind readers.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from eval.summary import Share, Summary

# Okabe and Ito's palette (2008), without its yellow and black, which vanish on one of the two backgrounds.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# Seven to six colours, and a hatch for bars from the seventh on: no two of the first eighteen arms look alike.
_MARKERS = ("o", "s", "D", "^", "v", "P", "X")
_HATCHES = ("", "///", "...")
_DPI = 160


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


def _bars(share: Share) -> tuple[float, float]:
    return 100 * max(0.0, share.share - share.low), 100 * max(0.0, share.high - share.share)


@contextmanager
def _figure(width: float, height: float, dark: bool) -> Iterator[tuple[Figure, Any, str]]:
    ink, faint = ("#d7dde5", "#3a424d") if dark else ("#2b3138", "#dfe3e8")
    with matplotlib.rc_context({"font.family": "DejaVu Sans", "font.size": 9.5, "svg.hashsalt": "srt"}):
        figure = Figure(figsize=(width, height), dpi=_DPI, facecolor="none" if dark else "white", layout="constrained")
        axes = figure.add_subplot(facecolor="none")
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(faint)
        axes.tick_params(colors=ink, length=0)
        axes.grid(axis="y", color=faint, linewidth=0.8)
        axes.set_axisbelow(True)
        yield figure, axes, ink


def _legend(axes: Any, ink: str) -> None:
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=6, frameon=False, labelcolor=ink, borderaxespad=0.3)


def _plain(text: str) -> str:
    """``text`` without the dollar signs that would make matplotlib read it as a formula, and not too long."""
    return text.replace("$", r"\$")[:24]


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
