"""Make the pages of the ladder and their figures from the filed results.

    python -m benchmarks.ladder.page

The words are in the templates beside this file, with the figures that stand in sentences; tables and plots are computed
here. ``docs/does-structure-pay.md`` has the families of ``recipes/ladder``, ``docs/ladder-space2025.md`` those in the
words of that benchmark, and ``docs/ladder-levers.md`` those that differ from one of the first page in something.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks.ladder.drawings import LEVELS, draw_family, draw_side_by_side
from benchmarks.ladder.results import Family, PlanCount, digits, read_filed, scores
from benchmarks.ladder.sampled import SampledPoint
from srt.experiment.learning_curve import CurvePoint
from srt.io.jsonl import write_atomically
from srt.statistics.intervals import Interval, share_interval
from srt.statistics.items_to_level import Crossing, items_needed, items_ratio
from srt.statistics.paired_difference import PairedDifference, paired_difference
from srt.statistics.significance import holm

DOCS = Path(__file__).resolve().parents[2] / "docs"
RECIPES = Path(__file__).resolve().parents[2] / "recipes" / "ladder"
OVERVIEW = "overview.svg"
BENCHMARK = "space2025"
IN_SHORT = ["family", "seeds", "items", "cot, %", "srt, %", "srt − cot", "proved, %", "items to 50%"]
DIFFERENCES = ["family", "difference", "items", "seeds", "points [95%]", "seed by seed", "p", "p (Holm)"]
OPERATIONS = ["family", "arm", "items", "seeds", "right, %", "srt, %", "arm − srt, points [95%]", "p"]
LINKS = ["family", "items", "arm-seed", "hexagons", "compass", "booths", "asked", "named", "A", "B", "C", "D"]
STANDING = ["family", "items", "cot", "srt", "srt − cot", "cot, other", "srt, other", "srt − cot, other"]
PLANS = ["scene", "items", "arm-seed", "plan", "asked", "named", "letters", "no option", "one", "more"]
SAMPLED = [
    "family", "arm", "items", "seeds", "samples", "greedy", "voted", "checked", "− voted [95%]", "oracle", "proof",
    "tokens",
]  # fmt: skip
TRUSTED = ["family", "arm", "items", "seeds", "believed because", "share", "right", "output tokens"]
SAMPLED_ARMS = ["family", "items", "seeds", "samples", "srt checked − cot voted, points [95%]", "p"]


def main() -> None:
    """Write the pages, a figure for each family, and one of those that compare ``srt`` and ``cot`` over seeds."""
    families = read_filed()
    figures = DOCS / "ladder"
    figures.mkdir(exist_ok=True)
    for family in families:
        draw_family(family, figures / f"{family.name}.svg")
    recipes = {path.stem for path in RECIPES.iterdir()}
    of_benchmark = [family for family in families if family.name.startswith(BENCHMARK)]
    others = [family for family in families if family not in of_benchmark]
    ladder = [family for family in others if family.name in recipes]
    if compared := [family for family in ladder if len(family.curves("srt").keys() & family.curves("cot").keys()) > 1]:
        draw_side_by_side(compared, ["answer", "cot", "srt"], figures / OVERVIEW)
    in_short = [family for family in families if family.name in recipes]
    _write("does-structure-pay.md", ladder, in_short, families)
    _write("ladder-space2025.md", of_benchmark, in_short, families)
    _write("ladder-levers.md", [family for family in others if family not in ladder], in_short, families)


def _write(page: str, families: list[Family], in_short: list[Family], every: list[Family]) -> None:
    """The page of ``families``; the table of all that have a recipe, and operations, are of other pages', too."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    text = environment.get_template(f"{page}.jinja").render(
        families=families,
        in_short=_table(IN_SHORT, _in_short(in_short)),
        sizes=_table(["family", "kinds", "trained on", "tested: problems, kinds"], map(_size, families)),
        accuracy={family.name: accuracy_table(family) for family in families},
        needed={family.name: needed_table(family) for family in families},
        by_scene={family.name: scene_table(family) for family in families if family.scenes},
        plans={family.name: plans_table(family) for family in families if family.plans},
        links=_table(LINKS, _links(families)),
        standing=_table(STANDING, _standing(families)),
        tokens=_table(["family", "arm", "trained tokens per item", "output tokens"], _tokens(families)),
        differences=_table(DIFFERENCES, _differences(families)),
        same_tokens=_table(["family", "training tokens", "cot", "srt"], _same_tokens(families)),
        first_wrong=_table(["family", "items", "wrong traces", "what failed first, % of them"], _first_wrong(families)),
        operations=_table(OPERATIONS, _operations(every)),
        sampled=_table(SAMPLED, _sampled(families)),
        trusted=_table(TRUSTED, _trusted(families)),
        sampled_arms=_table(SAMPLED_ARMS, _sampled_arms(families)),
    )
    write_atomically(DOCS / page, [text.rstrip().encode() + b"\n"])


def accuracy_table(family: Family) -> str:
    """Accuracy by items and arm, each with its interval over puzzles and seeds; a row for each, as lines stay short."""
    rows = []
    for items in sorted({point.items for point in family.points}):
        for arm in family.arms:
            if points := family.of(arm, items):
                found, _ = share_interval(np.stack([scores(p) for p in points]), family.test.puzzles)
                share = f"{100 * found.value:.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}]"
                rows.append([f"{items:,}", arm, share, str(len(points))])
    return _table(["items", "arm", "right, % [95%]", "seeds"], rows)


def scene_table(family: Family) -> str:
    """Accuracy by items and arm in each scene of the test, over all seeds."""
    of_scene = {scene: np.array([one == scene for one in family.scenes]) for scene in sorted(set(family.scenes))}
    rows = []
    for items in sorted({point.items for point in family.points}):
        for arm in family.arms:
            if points := family.of(arm, items):
                right = np.stack([scores(point) for point in points])
                rows.append([f"{items:,}", arm, *(_mean(right[:, which]) for which in of_scene.values())])
    header = [f"{scene} ({which.sum():,})" for scene, which in of_scene.items()]
    return _table(["items", "arm", *header], rows)


def plans_table(family: Family) -> str:
    """Right plans, of all texts; right seats, of these; right names and letters, of all that come so far.

    The letters also by how many of those who are named are options.
    """
    rows = []
    for row in sorted(family.plans, key=lambda row: (row.scene, row.items, row.arm, row.seed)):
        shares = (
            f"{row.plans}/{row.texts}",
            f"{row.asked}/{row.plans}",
            f"{row.named}/{row.naming}",
            f"{row.letters}/{row.naming}",
            *(f"{right}/{texts}" for texts, right in row.by_options),
        )
        rows.append([row.scene, f"{row.items:,}", f"{row.arm}-{row.seed}", *shares])
    return _table(PLANS, rows)


def _standing(families: list[Family]) -> list[list[str]]:
    """Both arms at the last point of each family of all scenes, of all items and of those other than booths; the best
    first.
    """
    rows = []
    for family in families:
        common = family.items("srt", "cot")
        arms = ["cot", "srt"] if common else [arm for arm in ("cot", "srt") if family.of(arm)]
        other = np.array([not scene.startswith("booth") for scene in family.scenes])
        if not arms or other.all() or not other.any():
            continue
        items = common[-1] if common else max(point.items for point in family.of(arms[0]))
        right = {arm: np.stack([scores(point) for point in family.of(arm, items)]) for arm in arms}
        cells: list[str] = []
        for which in (np.ones_like(other), other):
            cells += [_mean(right[arm][:, which]) if arm in right else "" for arm in ("cot", "srt")]
            puzzles = [puzzle for puzzle, one in zip(family.test.puzzles, which, strict=True) if one]
            both = len(arms) > 1 and paired_difference(right["srt"][:, which], right["cot"][:, which], puzzles)
            cells.append(_points(both.interval) if both else "")
        best = max(float(np.mean(of_arm)) for of_arm in right.values())
        rows.append((best, [family.name.removeprefix(f"{BENCHMARK}-"), f"{items:,}", *cells]))
    return [row for _, row in sorted(rows, key=lambda one: -one[0])]


def _links(families: list[Family]) -> list[list[str]]:
    """Right plans in each kind of scene, and what follows in hexagons without a compass, down to the letter."""
    rows = []
    for family in sorted(families, key=lambda family: family.name):
        scenes: dict[tuple[int, str, int], dict[str, PlanCount]] = {}
        for row in family.plans:
            scenes.setdefault((row.items, row.arm, row.seed), {})[row.scene] = row
        for (items, arm, seed), of_scene in sorted(scenes.items()):
            if not (hexagon := of_scene.get("hexagon")) or len(of_scene) == 1:
                continue
            booths = [row for scene, row in of_scene.items() if scene.startswith("booth")]
            plans = [
                f"{sum(row.plans for row in rows)}" for rows in ([hexagon], [of_scene["hexagon, compass"]], booths)
            ]
            letters = [hexagon.by_letter.get(letter, (0, 0)) for letter in "ABCD"]
            rows.append(
                [family.name.removeprefix(f"{BENCHMARK}-"), f"{items:,}", f"{arm}-{seed}", *plans]
                + [f"{hexagon.asked}/{hexagon.plans}", f"{hexagon.named}/{hexagon.naming}"]
                + [f"{right}/{texts}" for texts, right in letters]
            )
    return rows


def needed_table(family: Family) -> str:
    """Items to each level by arm, and the ratio to ``cot``."""
    rows = []
    for arm in family.arms:
        curves = family.curves(arm)
        for level in LEVELS:
            found = items_needed(list(curves.values()), family.test.puzzles, level)
            ratio = _ratio(family, arm, level) if arm.startswith("srt") else ""
            bound = "" if found.above else "at most "
            value = f"{bound}{_items(found.items)} [{_items(found.low)}, {_items(found.high)}]"
            if math.isinf(found.items):
                value = f"more than {_items(found.above)}"
            rows.append([arm, f"{level:.0%}", value, "; ".join(map(_bracket, found.by_seed)), ratio])
    return _table(["arm", "level", "items [range]", "by seed: more than, at most", "items of cot × [range]"], rows)


def _in_short(families: list[Family]) -> list[list[str]]:
    """A row for each family with both arms: the last point that they share, and the items needed."""
    rows = []
    for family in families:
        if not (common := family.items("srt", "cot")):
            continue
        points = {arm: family.of(arm, common[-1]) for arm in ("cot", "srt")}
        _, _, items, seeds, difference, *_ = _difference(family, "srt", "cot", common[-1])
        ratio = _ratio(family, "srt", LEVELS[0]) if len(points["srt"]) > 1 else ""
        proved = float(np.mean([point.proved for point in points["srt"]]))
        right = [_mean([scores(point) for point in points[arm]]) for arm in ("cot", "srt")]
        rows.append([family.name, seeds, items, *right, difference, f"{100 * proved:.1f}", ratio])
    return rows


def _ratio(family: Family, arm: str, level: float) -> str:
    """The items that ``arm`` needs for ``level``, divided by those of ``cot``; nothing where that says nothing."""
    curves, cot = family.curves(arm), family.curves("cot")
    if curves.keys() != cot.keys() or math.isinf(items_needed(list(curves.values()), family.test.puzzles, level).items):
        return ""
    seeds = sorted(curves)
    found = items_ratio([curves[s] for s in seeds], [cot[s] for s in seeds], family.test.puzzles, level)
    bound = "at most " if found.at_most else ""
    return f"{bound}{found.ratio:.2f} [{_number(found.low, 2)}, {_number(found.high, 2)}]"


def _size(family: Family) -> list[str]:
    test = family.test
    exact = test.trained_puzzles == test.puzzles_at_least
    return [
        family.name,
        f"{test.puzzles_at_least:,}" if exact else f"at least {test.puzzles_at_least:,}",
        f"{test.trained_puzzles:,}",
        f"{len(test.puzzles):,}, {len(set(test.puzzles)):,}",
    ]


def _tokens(families: list[Family]) -> list[list[str]]:
    rows = []
    for family in families:
        for arm in family.arms:
            last = [max(run, key=lambda point: point.items) for run in _runs(family.of(arm))]
            trained = float(np.mean([point.tokens / point.items for point in last]))
            written = float(np.mean([point.output_tokens for point in last]))
            rows.append([family.name, arm, f"{trained:.1f}", f"{written:.1f}"])
    return rows


def _differences(families: list[Family]) -> list[list[str]]:
    """``srt`` against ``cot`` at every point that both have with the same seeds, the others at the last one.

    Holm's adjustment is over all rows of ``srt`` against ``cot`` with several seeds.
    """
    asked = [(family, "srt", "cot", items) for family in families for items in family.items("srt", "cot")]
    several = [number for number, (family, *_, items) in enumerate(asked) if len(family.of("srt", items)) > 1]
    found = [_compared(*each) for each in asked]
    adjusted = dict(zip(several, holm([found[number].p for number in several]), strict=True))
    rows: dict[str, list[list[str]]] = {family.name: [] for family in families}
    for number, each in enumerate(asked):
        last = _p(adjusted[number]) if number in adjusted else ""
        rows[each[0].name].append([*_difference(*each), last])
    for family in families:
        for one in ("srt", "cot"):
            rows[family.name] += [
                [*_difference(family, one, "answer", items), ""] for items in family.items(one, "answer")[-1:]
            ]
    return [row for of_family in rows.values() for row in of_family]


def _operations(families: list[Family]) -> list[list[str]]:
    rows = []
    for family in families:
        for arm in family.arms:
            if not arm.startswith("srt-"):
                continue
            both = family.of_seeds(family.curves(arm).keys() & family.curves("srt").keys())
            if common := both.items(arm, "srt"):
                name, _, items, seeds, found, _, p = _difference(both, arm, "srt", common[-1])
                right = (_mean([scores(point) for point in both.of(one, common[-1])]) for one in (arm, "srt"))
                rows.append([name, arm, items, seeds, *right, found, p])
    return rows


def _sampled(families: list[Family]) -> list[list[str]]:
    """Each arm at the end of its curves; seeds whose curves ended elsewhere are rows of their own."""
    rows = []
    for family in families:
        groups: dict[tuple[str, int, int, float], list[SampledPoint]] = {}
        for point in family.sampled:
            groups.setdefault((point.arm, point.items, point.samples, point.temperature), []).append(point)
        for (arm, items, samples, temperature), points in groups.items():
            greedy, voted, checked, oracle = (
                np.stack([digits(getattr(point, name)) for point in points])
                for name in ("greedy", "voted", "checked", "oracle")
            )
            gain = paired_difference(checked, voted, family.test.puzzles).interval
            proved, tokens = (
                float(np.mean([getattr(point, name) for point in points])) for name in ("proved", "sampled_tokens")
            )
            row = [family.name, arm, f"{items:,}", str(len(points)), f"{samples} at {temperature:g}"]
            row += [_mean(greedy), _mean(voted)]
            # Prose has no steps to prove: nothing can be chosen.
            row += [_mean(checked), _points(gain)] if proved else ["", ""]
            rows.append([*row, _mean(oracle), f"{100 * proved:.1f}", f"{tokens:.1f}"])
    return rows


def _trusted(families: list[Family]) -> list[list[str]]:
    """What share of answers one would believe for its proof or for its votes, and how many of these are right."""
    rows = []
    for family in families:
        groups: dict[tuple[str, int, int], list[SampledPoint]] = {}
        for point in family.sampled:
            if point.unanimous:
                groups.setdefault((point.arm, point.items, point.samples), []).append(point)
        for (arm, items, samples), points in groups.items():
            ways = {f"all {samples} samples agree": ("unanimous", "voted", "sampled_tokens")}
            if any("1" in point.greedy_proved for point in points):
                ways = {"the greedy trace is proved": ("greedy_proved", "greedy", "greedy_tokens"), **ways}
            for name, (trusted, answered, spent) in ways.items():
                believed, right = (
                    np.stack([digits(getattr(point, field)) for point in points]) for field in (trusted, answered)
                )
                tokens = float(np.mean([getattr(point, spent) for point in points]))
                shares = [_mean(believed), f"{int((believed * right).sum()):,} of {int(believed.sum()):,}"]
                rows.append([family.name, arm, f"{items:,}", str(len(points)), name, *shares, f"{tokens:.1f}"])
    return rows


def _sampled_arms(families: list[Family]) -> list[list[str]]:
    """What the checker chooses of the traces against the most frequent answer of as many samples of prose."""
    rows = []
    for family in families:
        for items, samples, temperature in sorted({(p.items, p.samples, p.temperature) for p in family.sampled}):
            alike = [p for p in family.sampled if (p.items, p.samples, p.temperature) == (items, samples, temperature)]
            of_arm = {arm: {p.seed: p for p in alike if p.arm == arm} for arm in ("srt", "cot")}
            seeds = sorted(of_arm["srt"].keys() & of_arm["cot"].keys())
            if not seeds:
                continue
            found = paired_difference(
                np.stack([digits(of_arm["srt"][seed].checked) for seed in seeds]),
                np.stack([digits(of_arm["cot"][seed].voted) for seed in seeds]),
                family.test.puzzles,
            )
            row = [family.name, f"{items:,}", str(len(seeds)), f"{samples} at {temperature:g}"]
            rows.append([*row, _points(found.interval), _p(found.p)])
    return rows


def _runs(points: list[CurvePoint]) -> list[list[CurvePoint]]:
    """The points of each seed."""
    return [[point for point in points if point.seed == seed] for seed in sorted({point.seed for point in points})]


def _mean(values: object) -> str:
    return f"{100 * float(np.mean(values)):.1f}"  # type: ignore[arg-type]


def _p(value: float) -> str:
    """Smaller ones say little: they rest on the shape of a distribution far from its middle."""
    return "<0.001" if value < 0.001 else f"{value:.2g}"


def _points(interval: Interval) -> str:
    shares = (f"{100 * share:+.1f}".replace("-", "−") for share in (interval.value, interval.low, interval.high))
    return "{} [{}, {}]".format(*shares)


def _difference(family: Family, one: str, other: str, items: int) -> list[str]:
    """After so many items, where both were measured with the same seeds; also seed by seed."""
    found = _compared(family, one, other, items)
    means = [np.array([point.accuracy for point in family.of(arm, items)]) for arm in (one, other)]
    by_seed = [f"{100 * difference:+.1f}".replace("-", "−") for difference in means[0] - means[1]]
    name, seeds = f"{one} − {other}", str(len(by_seed))
    each = ", ".join(by_seed) if len(by_seed) > 1 else ""
    return [family.name, name, f"{items:,}", seeds, _points(found.interval), each, _p(found.p)]


def _compared(family: Family, one: str, other: str, items: int) -> PairedDifference:
    points = [family.of(arm, items) for arm in (one, other)]
    return paired_difference(*(np.stack([scores(p) for p in of_arm]) for of_arm in points), family.test.puzzles)


def _same_tokens(families: list[Family]) -> list[list[str]]:
    """The accuracy of both arms after as many training tokens as the cheaper one had at the last common point."""
    rows = []
    for family in families:
        if not family.items("cot", "srt"):
            continue
        items = family.items("cot", "srt")[-1]
        tokens = min(np.mean([point.tokens for point in family.of(arm, items)]) for arm in ("cot", "srt"))
        cells = []
        for arm in ("cot", "srt"):
            seeds = {point.seed for point in family.of(arm, items)}
            at = [
                np.interp(math.log(tokens), [math.log(p.tokens) for p in run], [p.accuracy for p in run])
                for run in _runs(family.of_seeds(seeds).of(arm))
            ]
            cells.append(f"{100 * float(np.mean(at)):.1f}")
        rows.append([family.name, f"{tokens:,.0f}", *cells])
    return rows


def _first_wrong(families: list[Family]) -> list[list[str]]:
    rows = []
    for family in families:
        points = family.of("srt")
        for items in sorted({point.items for point in points}):
            counts: Counter[str] = Counter()
            for point in family.of("srt", items):
                counts.update(point.first_wrong)
            whole = counts.total()
            named = ", ".join(f"{name} {100 * n / whole:.0f}" for name, n in counts.most_common(3))
            rows.append([family.name, f"{items:,}", str(whole), named])
    return rows


def _bracket(found: Crossing) -> str:
    return f"{_items(found.above)}, {_items(found.until)}"


def _items(value: float) -> str:
    return "∞" if math.isinf(value) else f"{round(value, -2):,.0f}"


def _number(value: float, digits: int) -> str:
    return "∞" if math.isinf(value) else f"{value:.{digits}f}" if value else "0"


def _table(header: list[str], rows: object) -> str:
    lines = [header, ["---"] * len(header), *rows]  # type: ignore[misc]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    main()
