"""The curves of a run as one picture: is it learning, and what of a trace does it learn?"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from srt.jsonl import write_atomically
from train.loss import WATCHED

# Okabe and Ito (2008), for colour-blind readers; the order is that of train.loss.WATCHED.
_COLOURS = dict(
    zip((role.name.lower() for role in WATCHED), ("#777777", "#0072B2", "#009E73", "#D55E00", "#CC79A7"), strict=True)
)
_INK, _GRID = "#222222", "#e3e3e3"
# Beyond so many points a curve is drawn as means of neighbours: else it is a band.
_POINTS = 400


def draw_curves(history: Sequence[dict[str, float]], path: Path, title: str) -> None:
    """Write the curves of ``history`` (:attr:`~train.trl_trainer.TraceTrainer.history`) as a PNG to ``path``.

    The overall loss is the weighted one that is trained on; those of the operations are not weighted.
    """
    with matplotlib.rc_context({"font.family": "DejaVu Sans", "font.size": 9}):
        figure = Figure(figsize=(12, 6.6), dpi=130, facecolor="white", layout="constrained")
        figure.suptitle(title.replace("$", r"\$"), fontsize=11, color=_INK)
        panels = figure.subplots(2, 3, sharex=True).flat
        _draw(next(panels), history, {"loss": _INK}, "loss (nats a token)", logarithmic=True)
        losses = {f"loss/{name}": colour for name, colour in _COLOURS.items()}
        legend = _draw(next(panels), history, losses, "loss by operation", logarithmic=True)
        accuracies = {f"accuracy/{name}": colour for name, colour in _COLOURS.items()}
        _draw(next(panels), history, accuracies, "token accuracy by operation", share=True)
        _draw(next(panels), history, {"learning_rate": _INK}, "learning rate")
        _draw(next(panels), history, {"grad_norm": _INK}, "norm of the gradient", logarithmic=True)
        _draw(next(panels), history, {"tokens_per_second": _INK}, "tokens a second (padding left out)")
        for axes in figure.axes[3:]:
            axes.set_xlabel("optimizer step", color=_INK)
        if legend:
            names = [key.rpartition("/")[2] for key in legend]
            figure.legend(legend.values(), names, loc="outside lower center", ncols=len(names), frameon=False)
        buffer = io.BytesIO()
        # No version of matplotlib in the file: the same figures give the same bytes.
        figure.savefig(buffer, format="png", metadata={"Software": None})
    write_atomically(path, [buffer.getvalue()])


def _draw(
    axes: Any,
    history: Sequence[dict[str, float]],
    keys: dict[str, str],
    title: str,
    *,
    logarithmic: bool = False,
    share: bool = False,
) -> dict[str, Any]:
    """Draw those of ``keys`` (with their colours) that ``history`` has; gives the lines by key."""
    lines: dict[str, Any] = {}
    for key, colour in keys.items():
        points = [(row["step"], row[key]) for row in history if key in row]
        if points:
            steps, values = _thinned(points)
            marker = "o" if len(steps) < 30 else ""
            (lines[key],) = axes.plot(steps, values, color=colour, linewidth=1.4, marker=marker, markersize=3)
    axes.set_title(title, fontsize=9.5, color=_INK, loc="left")
    axes.grid(color=_GRID, linewidth=0.7)
    axes.tick_params(colors=_INK, labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_GRID)
    positive = [value for line in lines.values() for value in line.get_ydata() if value > 0]
    # A loss falls over orders of magnitude; one that does not is easier to read on a straight axis.
    if logarithmic and positive and max(positive) > 20 * min(positive):
        axes.set_yscale("log")
    elif share:
        axes.set_ylim(-0.02, 1.02)
    elif positive:
        axes.set_ylim(0, 1.06 * max(positive))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _number(value, share)))
    return lines


def _number(value: float, share: bool) -> str:
    if share:
        return f"{value:.0%}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def _thinned(points: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    size = -(-len(points) // _POINTS)
    groups = [points[at : at + size] for at in range(0, len(points), size)]
    return [group[-1][0] for group in groups], [sum(value for _, value in group) / len(group) for group in groups]
