"""The tables that pages in docs/ have of filed results.

    python -m research.tables          # that of docs/does-structure-pay.md; draws its picture
    python -m research.tables demo     # those of docs/figures.md of one experiment, such as a demo

A test compares the pages with what this prints.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from research.drawing import draw_curves
from research.families import RESULTS, Family, read_families, read_family
from srt.statistics.intervals import Interval, share_interval
from srt.statistics.items_to_level import items_needed, items_ratio
from srt.statistics.paired_difference import PairedDifference, paired_difference
from srt.statistics.significance import holm

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "learning-curves.png"
SEEDS = 3
"""As many seeds have the families of the first table: one training run of each arm says little about arms."""
SHOWN = 32_000
"""Beside the last point, this one of each curve is shown; p-values are adjusted for all points."""
TRACES_AND_PROSE = ("srt", "cot")
_LEVEL = 0.5

STRUCTURE = ["family", "arms", "items", "first, %", "second, %", "difference [95%]", "p", "proved, %", "items to 50%"]
ARMS = ["arm", "seeds", "right, % [95%]", "by seed", "output tokens", "proved, %"]
DIFFERENCES = ["difference", "points [95%]", "by seed", "p (Holm)"]


def structure_table(families: Sequence[Family]) -> str:
    """Differences of arms with three seeds, in Markdown: traces and prose first, then what either is compared with.

    ``p`` is adjusted (Holm) for all points at which traces and prose were compared, also those that are not shown;
    apart from these, for the number of the other comparisons. ``proved`` is the share of all answers of the first arm
    whose trace is proved. ``items to 50%`` is how many items ``srt`` needs to be right on half of the test, divided by
    how many ``cot`` needs, with the range over seeds.
    """
    prose, others = [], []
    for family in families:
        for one, other in _compared_arms(family):
            common = family.common_items(one, other)
            measured = [(family, one, other, items) for items in common if len(family.seeds(one, items)) == SEEDS]
            if (one, other) == TRACES_AND_PROSE:
                prose += measured
            else:
                others += measured[-1:]
    rows = []
    for asked in (prose, sorted(others, key=lambda each: each[2])):
        found = [_difference(*each) for each in asked]
        for each, difference, p in zip(asked, found, holm([one.p for one in found]), strict=True):
            last = each == max((one for one in asked if one[:3] == each[:3]), key=lambda one: one[3])
            if last or each[3] == SHOWN:
                rows.append(_structure_row(*each, difference, p, last))
    return _table(STRUCTURE, rows)


def _structure_row(
    family: Family, one: str, other: str, items: int, difference: PairedDifference, p: float, last: bool
) -> list[str]:
    proved = np.mean([point.proved for point in family.of(one, items)])
    return [
        family.name,
        f"{one} − {other}",
        f"{items:,}",
        _percent(family.right(one, items)),
        _percent(family.right(other, items)),
        _points(difference.interval),
        _p(p),
        _percent(proved) if proved else "",
        _ratio(family) if last and (one, other) == TRACES_AND_PROSE else "",
    ]


def arms_table(family: Family) -> str:
    """Each arm of one experiment at the end of its training, over all seeds and seed by seed."""
    rows = []
    for arm in family.arms:
        items = max(point.items for point in family.of(arm))
        points = family.of(arm, items)
        share, _ = share_interval(family.right(arm, items), family.test.puzzles)
        rows.append(
            [
                arm,
                str(len(points)),
                f"{100 * share.value:.1f} [{100 * share.low:.1f}, {100 * share.high:.1f}]",
                ", ".join(f"{100 * point.accuracy:.1f}" for point in points),
                f"{np.mean([point.output_tokens for point in points]):.1f}",
                _percent(np.mean([point.proved for point in points])),
            ]
        )
    return _table(ARMS, rows)


def differences_table(family: Family) -> str:
    """The differences of the trained arms of one experiment, p-values adjusted for their number (Holm)."""
    trained = [arm for arm in family.arms if max(point.items for point in family.of(arm))]
    asked = [
        (family, one, other, items[-1])
        for at, other in enumerate(trained)
        for one in trained[at + 1 :]
        if (items := family.common_items(one, other))
    ]
    found = [_difference(*each) for each in asked]
    rows = []
    for (_, one, other, items), difference, p in zip(asked, found, holm([one.p for one in found]), strict=True):
        by_seed = (family.right(one, items) - family.right(other, items)).mean(axis=1)
        each = ", ".join(f"{100 * value:+.1f}".replace("-", "−") for value in by_seed)
        rows.append([f"{one} − {other}", _points(difference.interval), each, _p(p)])
    return _table(DIFFERENCES, rows)


def _compared_arms(family: Family) -> list[tuple[str, str]]:
    pairs = [TRACES_AND_PROSE, ("srt", "answer"), ("cot", "answer"), ("cot-terse", "cot")]
    pairs += [(arm, "srt") for arm in family.arms if arm.startswith("srt-")]
    return [pair for pair in pairs if set(pair) <= set(family.arms)]


def _difference(family: Family, one: str, other: str, items: int) -> PairedDifference:
    return paired_difference(family.right(one, items), family.right(other, items), family.test.puzzles)


def _ratio(family: Family) -> str:
    """Nothing where an arm does not get there in most seeds."""
    curves, cot = family.curves("srt"), family.curves("cot")
    if any(math.isinf(items_needed(list(c.values()), family.test.puzzles, _LEVEL).items) for c in (curves, cot)):
        return ""
    seeds = sorted(curves)
    found = items_ratio([curves[s] for s in seeds], [cot[s] for s in seeds], family.test.puzzles, _LEVEL)
    high = "∞" if math.isinf(found.high) else f"{found.high:.2f}"
    return f"{'at most ' if found.at_most else ''}{found.ratio:.2f} [{found.low:.2f}, {high}]"


def _percent(values: object) -> str:
    return f"{100 * float(np.mean(values)):.1f}"  # type: ignore[arg-type]


def _points(interval: Interval) -> str:
    shares = (f"{100 * share:+.1f}".replace("-", "−") for share in (interval.value, interval.low, interval.high))
    return "{} [{}, {}]".format(*shares)


def _p(value: float) -> str:
    """Smaller ones say little: they rest on the shape of a distribution far from its middle."""
    return "<0.001" if value < 0.001 else f"{value:.2g}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main(names: Sequence[str]) -> None:
    """Print the tables of ``names``, or that of all families with three seeds."""
    if names:
        for name in names:
            if not (RESULTS / name).is_dir():
                sys.exit(f"{name}: no results of that name; python -m research.file_results RUN files them")
            family = read_family(RESULTS / name)
            print(f"{arms_table(family)}\n\n{differences_table(family)}")
        return
    families = read_families()
    print(structure_table(families))
    draw_curves([family for family in families if {"cot", "srt"} <= _with_all_seeds(family)], PICTURE)


def _with_all_seeds(family: Family) -> set[str]:
    return {arm for arm in family.arms if len(family.curves(arm)) == SEEDS}


if __name__ == "__main__":
    main(sys.argv[1:])
