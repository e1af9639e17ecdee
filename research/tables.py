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
from typing import NamedTuple

import numpy as np

from research.drawing import draw_curves
from research.factorial import CELLS, EFFECTS, halves, measured_items
from research.families import RESULTS, Family, read_families, read_family
from research.teaching.noisy_results import NAME as NOISE
from srt.statistics.crossed_variance import Floats
from srt.statistics.intervals import Interval, share_interval
from srt.statistics.items_to_level import items_needed, items_ratio
from srt.statistics.paired_difference import PairedDifference, paired_difference
from srt.statistics.significance import holm

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "learning-curves.png"
SEEDS = 3
"""As many seeds, or more, have the families of the first table: one training run of each arm says little about arms."""
TRACES_AND_PROSE = ("srt", "cot")
_LEVEL = 0.5

STRUCTURE = ["family", "compared", "seeds", "items", "first, %", "second, %", "difference [95%]", "p", "proved, %",
             "items to 50%"]  # fmt: skip
ARMS = ["arm", "seeds", "right, % [95%]", "by seed", "output tokens", "proved, %"]
DIFFERENCES = ["difference", "points [95%]", "by seed", "p (Holm)"]


class Compared(NamedTuple):
    """Two arms, or two means of arms, of a family after ``items``; each ``[seed, problem]`` with shares of right."""

    family: Family
    name: str
    items: int
    first: Floats
    second: Floats

    @property
    def difference(self) -> PairedDifference:
        """Over puzzles and seeds."""
        return paired_difference(self.first, self.second, self.family.test.puzzles)


def structure_table(families: Sequence[Family]) -> str:
    """Differences of arms with three seeds or more, in Markdown.

    First traces and prose, then the factorial of notation and order (:mod:`research.factorial`), what a teacher's
    errors cost and a filter wins back (:mod:`research.teaching.noisy_results`), and what else was compared; each where
    its curve ends. In each of these four parts ``p`` is adjusted (Holm) for the number of its comparisons; in the
    first, for all points of the curves, also those that are not shown. ``proved`` is the share of all answers of the
    first arm whose trace is proved. ``items to 50%`` is how many items ``srt`` needs to be right on half of the test,
    divided by how many ``cot`` needs, with the range over seeds.
    """
    prose, factors, errors, others = [], [], [], []
    for family in families:
        if set(CELLS) <= set(family.arms):
            factors += _main_effects(family)
        elif family.name == NOISE:
            errors += _errors(family)
        else:
            for one, other in _compared_arms(family):
                common = [n for n in family.common_items(one, other) if len(family.seeds(one, n)) >= SEEDS]
                measured = [_compared(family, one, other, items) for items in common]
                if (one, other) == TRACES_AND_PROSE:
                    prose += measured
                else:
                    others += measured[-1:]
    rows = []
    for asked in (prose, factors, errors, sorted(others, key=lambda each: each.name.partition(" − ")[2])):
        found = [each.difference for each in asked]
        last = {(each.family.name, each.name): each.items for each in asked}  # points are in order
        for each, difference, p in zip(asked, found, holm([one.p for one in found]), strict=True):
            if each.items == last[each.family.name, each.name]:
                rows.append(_structure_row(each, difference, p))
    return _table(STRUCTURE, rows)


def read_noise() -> list[Family]:
    """The study of noisy teachers, if it is filed."""
    return [read_family(RESULTS / NOISE)] if (RESULTS / NOISE).exists() else []


def _compared(family: Family, one: str, other: str, items: int) -> Compared:
    return Compared(family, f"{one} − {other}", items, family.right(one, items), family.right(other, items))


def _main_effects(family: Family) -> list[Compared]:
    items = measured_items(family)
    if len(family.seeds("srt", items)) < SEEDS:
        return []
    return [
        Compared(family, name.partition(": ")[2], items, *halves(family, items, name))
        for name in EFFECTS
        if ": " in name
    ]


def _errors(family: Family) -> list[Compared]:
    """The largest share of slips and the wrong rule: against texts without an error, and with a filter against all."""
    items = max(point.items for point in family.points)
    noises = (f"slips-{max(family.settings['slips']):g}", f"rule-{family.settings['rule']:g}")
    found = []
    for arm, kept in (("srt", "proved"), ("cot", "certified")):
        for noise in noises:
            clean, every, verified = f"{arm}-clean-all", f"{arm}-{noise}-all", f"{arm}-{noise}-verified"
            named = f"{arm}, {noise.replace('-', ' ')}"
            for name, one, other in (
                (f"{named} − clean", every, clean),
                (f"{named}: {kept} − all", verified, every),
            ):
                if len(family.seeds(one, items)) >= SEEDS and family.seeds(one, items) == family.seeds(other, items):
                    found.append(_compared(family, one, other, items)._replace(name=name))
    return found


def _structure_row(each: Compared, difference: PairedDifference, p: float) -> list[str]:
    arm = each.name.partition(" − ")[0]
    points = each.family.of(arm, each.items)
    proved = np.mean([point.proved for point in points]) if points else 0.0
    return [
        each.family.name,
        each.name,
        str(len(each.first)),
        f"{each.items:,}",
        _percent(each.first),
        _percent(each.second),
        _points(difference.interval),
        _p(p),
        _percent(proved) if proved else "",
        _ratio(each.family) if each.name == " − ".join(TRACES_AND_PROSE) else "",
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
    found = [_compared(*each).difference for each in asked]
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
    print(structure_table([*families, *read_noise()]))
    draw_curves([family for family in families if {"cot", "srt"} <= _with_all_seeds(family)], PICTURE)


def _with_all_seeds(family: Family) -> set[str]:
    return {arm for arm in family.arms if len(family.curves(arm)) >= SEEDS}


if __name__ == "__main__":
    main(sys.argv[1:])
