"""The factorial {trace, sentences} x {canonical, free}: main effects of notation and of order.

    python -m research.factorial [NAME ...]

prints, of each family with these four arms (``booths-direct-free``, ``booths-free``), the cells and the effects after
as many items as all arms and seeds have. A free trace has the order, skips and dead ends of the free text.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from research.families import RESULTS, Family, digits, read_families, read_family
from srt.statistics.intervals import CONFIDENCE, Interval
from srt.statistics.paired_difference import paired_difference

Floats = npt.NDArray[np.float64]

CELLS = {"srt": ("trace", "canonical"), "srt-free": ("trace", "free"), "cot": ("sentences", "canonical"),
         "cot-free": ("sentences", "free")}  # fmt: skip
EFFECTS: dict[str, dict[str, float]] = {
    "notation: trace − sentences": {"srt": 0.5, "srt-free": 0.5, "cot": -0.5, "cot-free": -0.5},
    "order: canonical − free": {"srt": 0.5, "cot": 0.5, "srt-free": -0.5, "cot-free": -0.5},
    "interaction": {"srt": 1, "cot-free": 1, "cot": -1, "srt-free": -1},
}
"""The weight of each arm's share of right answers. Interaction: how much more a trace gains by canonical order."""


def seed_interval(values: Sequence[float]) -> Interval:
    """The mean over seeds with Student's t interval, in the unit of ``values``.

    Assumes that seeds differ by chance and about normally, and speaks of these test problems alone. Infinite with one
    seed.
    """
    mean, count = float(np.mean(values)), len(values)
    if count < 2:
        return Interval(mean, -np.inf, np.inf)
    half = float(stdtrit(count - 1, 0.5 + CONFIDENCE / 2) * np.std(values, ddof=1) / np.sqrt(count))
    return Interval(mean, mean - half, mean + half)


def measured_items(family: Family) -> int:
    """The last point at which all four arms have the same seeds; 0 if there is none."""
    points = [{(point.seed, point.items) for point in family.of(arm)} for arm in CELLS]
    items = sorted({items for _, items in set.intersection(*points)}, reverse=True)
    return next((one for one in items if len({frozenset(family.seeds(arm, one)) for arm in CELLS}) == 1), 0)


def effect(family: Family, items: int, name: str) -> tuple[Interval, list[float], Interval]:
    """The effect ``name`` as shares: with its interval over seeds, seed by seed, and over puzzles and seeds."""
    scale = sum(weight for weight in EFFECTS[name].values() if weight > 0)
    first, second = halves(family, items, name)
    by_seed = [float(value) for value in scale * (first - second).mean(axis=1)]
    found = paired_difference(first, second, family.test.puzzles).interval
    both = Interval(*(scale * bound for bound in (found.value, found.low, found.high)))
    return seed_interval(by_seed), by_seed, both


def halves(family: Family, items: int, name: str) -> tuple[Floats, Floats]:
    """What the effect ``name`` compares, each ``[seed, problem]``: the mean of the arms that count for it, and of the
    others."""
    weights = EFFECTS[name]
    right = {arm: family.right(arm, items) for arm in CELLS}
    first, second = (_weighted(right, {a: s * w for a, w in weights.items() if s * w > 0}) for s in (1, -1))
    return first, second


def _weighted(right: dict[str, Floats], weights: dict[str, float]) -> Floats:
    """A weighted mean of arms, so that each value stays in [0, 1]."""
    total = sum(weights.values())
    return np.sum([weight / total * right[arm] for arm, weight in weights.items()], axis=0)  # type: ignore[no-any-return]


def tables(family: Family) -> str:
    """Cells and effects of ``family`` in Markdown."""
    items = measured_items(family)
    seeds = len(family.seeds("srt", items))
    lines = [
        f"{family.name}, {items:,} items, seeds: {seeds}",
        "",
        "| arm | notation | order | right, % | by seed | proved, % | certified, % |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for arm, (notation, order) in CELLS.items():
        points = family.of(arm, items)
        by_seed = ", ".join(f"{100 * point.accuracy:.1f}" for point in points)
        proved = f"{100 * np.mean([point.proved for point in points]):.1f}" if notation == "trace" else ""
        masks = [digits(point.certified_each).mean() for point in points if point.certified_each]
        certified = f"{100 * np.mean(masks):.1f}" if masks else ""
        mean = 100 * np.mean([point.accuracy for point in points])
        lines.append(f"| {arm} | {notation} | {order} | {mean:.1f} | {by_seed} | {proved} | {certified} |")
    lines += ["", "| effect | points [95% over seeds] | by seed | [95% over puzzles and seeds] |"]
    lines += ["| --- | --- | --- | --- |"]
    for name in EFFECTS:
        over_seeds, each, both = effect(family, items, name)
        shown = ", ".join(_points(value) for value in each)
        found = f"{_points(over_seeds.value)} {_bounds(over_seeds)}"
        lines.append(f"| {name} | {found} | {shown} | {_bounds(both)} |")
    return "\n".join(lines)


def _bounds(interval: Interval) -> str:
    return f"[{_points(interval.low)}, {_points(interval.high)}]"


def _points(share: float) -> str:
    return "∞" if np.isinf(share) and share > 0 else f"{100 * share:+.1f}".replace("-", "−").replace("inf", "∞")


def main(names: Sequence[str]) -> None:
    """Print the tables of ``names``, or of every filed family that has the four arms."""
    families = [read_family(RESULTS / name) for name in names] or read_families()
    found = [family for family in families if set(CELLS) <= set(family.arms) and measured_items(family)]
    if not found:
        sys.exit(f"no filed family has {', '.join(CELLS)}: run research/recipes/booths-free.yaml and file it")
    print("\n\n".join(tables(family) for family in found))


if __name__ == "__main__":
    main(sys.argv[1:])
