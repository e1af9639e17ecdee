"""The training curves of a run as one picture: loss, accuracy and speed, overall and by operation."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter

from srt.io.atomic_files import write_atomically
from train.data.examples import TRAINED_ROLES
from train.run.run_manifest import HELD_OUT_LOSS, HELD_OUT_PROVED, TOKENS_PER_SECOND

# Okabe and Ito (2008), for colour-blind readers; one for each of TRAINED_ROLES, in that order.
_OKABE_ITO = ("#777777", "#0072B2", "#009E73", "#D55E00", "#CC79A7")
_COLOURS = {role.name.lower(): colour for role, colour in zip(TRAINED_ROLES, _OKABE_ITO, strict=True)}
Scale = Literal["linear", "log", "share"]
_INK, _GRID, _HELD_OUT = "#222222", "#e3e3e3", "#56B4E9"
_MOST_POINTS = 400  # a curve with more is drawn as means of neighbours, or it would be a band


REWARD = "reward"
_OF_A_POLICY: list[tuple[str, dict[str, str], Scale]] = [
    ("reward", {REWARD: _INK}, "linear"),
    ("proved and right", {"proved_and_right": _INK, HELD_OUT_PROVED: _HELD_OUT}, "share"),
    ("tokens a text", {"output_tokens": _INK, "eval_output_tokens": _HELD_OUT}, "linear"),
]
"""Instead of the losses, where texts are rewarded; held out in the colour of held-out losses."""


def draw_curves(
    history: Sequence[dict[str, float]],
    path: Path,
    title: str,
    evaluations: Sequence[dict[str, float]] = (),
    result_step: int | None = None,
) -> None:
    """Write the curves of ``history`` (:attr:`~train.loop.run_trainer.RunTrainer.history`) as a PNG to ``path``.

    The overall loss is the weighted loss that is minimised; the losses by operation are not weighted. The held-out loss
    of ``evaluations`` is beside that of training, and a line marks ``result_step``, whose weights were saved.
    """
    with matplotlib.rc_context({"font.family": "DejaVu Sans", "font.size": 9}):
        figure = Figure(figsize=(12, 6.6), dpi=130, facecolor="white", layout="constrained")
        figure.suptitle(title.replace("$", r"\$"), fontsize=11, color=_INK)
        panels: list[tuple[str, dict[str, str], Scale]] = [
            ("loss (nats a token)", {"loss": _INK, HELD_OUT_LOSS: _HELD_OUT}, "log"),
            ("loss by operation", {f"loss/{name}": colour for name, colour in _COLOURS.items()}, "log"),
            ("token accuracy by operation", {f"accuracy/{name}": c for name, c in _COLOURS.items()}, "share"),
            ("learning rate", {"learning_rate": _INK}, "linear"),
            ("gradient norm", {"grad_norm": _INK}, "log"),
            ("tokens a second (without padding)", {TOKENS_PER_SECOND: _INK}, "linear"),
        ]
        if any(REWARD in row for row in history):
            panels[:3] = _OF_A_POLICY
        places = figure.subplots(2, 3, sharex=True).flat
        rows = [*history, *evaluations]
        drawn = [_draw(axes, rows, *panel) for axes, panel in zip(places, panels, strict=True)]
        if HELD_OUT_LOSS in drawn[0]:
            figure.axes[0].legend([*drawn[0].values()], ["training", "held-out"], frameon=False)
        if result_step is not None:
            figure.axes[0].axvline(result_step, color=_HELD_OUT, linewidth=0.8, linestyle=":")
        for axes in figure.axes[3:]:
            axes.set_xlabel("optimizer step", color=_INK)
        if legend := drawn[1]:  # the operations, which are the same in both panels
            names = [key.rpartition("/")[2] for key in legend]
            figure.legend(legend.values(), names, loc="outside lower center", ncols=len(names), frameon=False)
        buffer = io.BytesIO()
        # Without the version of matplotlib in the file, the same figures give the same bytes.
        figure.savefig(buffer, format="png", metadata={"Software": None})
    write_atomically(path, [buffer.getvalue()])


def _draw(
    axes: Any, history: Sequence[dict[str, float]], title: str, keys: dict[str, str], scale: Scale
) -> dict[str, Any]:
    """Draw the ``keys`` (with their colours) that ``history`` contains; returns the lines by key."""
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
    # A loss that falls by less than an order of magnitude is easier to read on a linear axis.
    if scale == "log" and positive and max(positive) > 20 * min(positive):
        axes.set_yscale("log")
    elif scale == "share":
        axes.set_ylim(-0.02, 1.02)
    elif positive:
        axes.set_ylim(0, 1.06 * max(positive))
    plain = FuncFormatter(lambda value, _: f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}")
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0) if scale == "share" else plain)
    return lines


def _thinned(points: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    size = -(-len(points) // _MOST_POINTS)
    groups = [points[at : at + size] for at in range(0, len(points), size)]
    return [group[-1][0] for group in groups], [sum(value for _, value in group) / len(group) for group in groups]
