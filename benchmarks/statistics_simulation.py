"""False positives of every p-value and coverage of every interval in a report, on made-up data whose truth is known.

python -m benchmarks.statistics_simulation               # all tables
python -m benchmarks.statistics_simulation --times 400
python -m benchmarks.statistics_simulation --only runs   # several runs of each arm

A problem's score is drawn with a chance on the logit scale: the arm's level, plus what the cluster, the problem, the
cluster for this arm, the training run, and the run on this problem add, each normal. Arms are alike for false positives
and two levels apart for coverage; the worst coverage is shown.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest

from srt.statistics.crossed_variance import Floats
from srt.statistics.intervals import share_interval, wilson
from srt.statistics.paired_difference import paired_difference
from srt.statistics.ratio_of_totals import Quotient, ratio_interval
from srt.statistics.significance import holm

CLUSTER, PROBLEM, ARM, NOISE = 1.0, 0.5, 1.5, 0.5
"""Standard deviations, in logits: of clusters, of problems in them, of clusters for one arm, of a run on a problem."""

ALIKE, APART = ((0.0, 0.0), (3.5, 3.5)), ((1.0, 0.0), (4.0, 2.0))
UNEQUAL = {"1 to 12": (1, 1, 2, 4, 12), "1 to 40": (1, 2, 5, 12, 40)}
DESIGNS = ((3, 4), (6, 1), (6, 4), (10, 1), (10, 4), (20, 4), (60, 4), (60, "1 to 12"), (30, 1), (300, 1))
SEVERAL = ((60, 4), (300, 1), (30, "1 to 40"), (1000, 1))
RUNS = ((1, 1), (2, 2), (2, 6), (3, 3), (1, 3))
SPREADS = ((0.0, 0.0), (0.3, 0.3), (1.0, 1.0), (1.0, 0.05), (0.05, 1.0))
"""Standard deviations between the runs of each arm, in logits: 0.3 makes accuracies vary by about 4 points, 1.0 by
14."""
GAPS = (0.5, 1.0, 1.5, 2.0)
"""Logits between the arms, for power."""


class Design(NamedTuple):
    """Clusters of problems, and samples of each question that are averaged."""

    clusters: int
    size: int | str
    samples: int = 1

    @property
    def of_problem(self) -> list[int]:
        """The cluster of each problem."""
        sizes = UNEQUAL[self.size] if isinstance(self.size, str) else (self.size,)
        return np.repeat(np.arange(self.clusters), np.resize(sizes, self.clusters).astype(int)).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1000, help="made-up data sets for each figure")
    parser.add_argument("--only", choices=["runs"], help="the tables of several runs alone")
    given = parser.parse_args()
    print_several_runs(given.times)
    if given.only is None:
        print_the_others(given.times)


def print_several_runs(times: int) -> None:
    print("several runs, by their spread in both arms (logits): false positives of p; coverage of the difference")
    print(f"  {'':22}{'  '.join(f'{one:4} {other:4}  ' for one, other in SPREADS)}  power at {GAPS}, no spread")
    for clusters, size in SEVERAL:
        for runs in RUNS:
            design = Design(clusters, size)
            # An arm with one run is not trained: its run adds nothing.
            alone = [
                tuple(spread if count > 1 else 0.0 for spread, count in zip(each, runs, strict=True))
                for each in SPREADS
            ]
            measured = {each: several_runs(design, runs, each, times) for each in dict.fromkeys(alone)}
            cells = "  ".join(measured[each] for each in alone)
            found = " ".join(f"{power(design, runs, gap, times):.3f}" for gap in GAPS)
            print(f"  {clusters:4} of {size:7} {runs}: {cells}  {found}", flush=True)


def print_the_others(times: int) -> None:
    print("one run of each arm: false positives of p (all arms alike), of McNemar's test; coverage of the difference")
    for samples in (1, 4):
        for clusters, size in DESIGNS:
            print(
                f"  {clusters:4} of {size:7} {samples} samples: {one_run(Design(clusters, size, samples), times)}",
                flush=True,
            )
    print(f"any false positive among four arms, after Holm: {family(Design(60, 4), times):.3f}")
    print(
        f"unlike arms of equal accuracy (one gains much in a tenth of the clusters): {unlike(Design(60, 4), times):.3f}"
    )
    print("accuracy of one arm, coverage (of Wilson's interval for independent problems), at 0.5, 0.8, 0.95")
    for clusters, size, correlation in (
        (3, 4, 0.5),
        (6, 4, 0.5),
        (10, 4, 0.5),
        (20, 4, 0.5),
        (60, 4, 0.5),
        (150, 2, 0.1),
    ):
        cells = [accuracy(clusters, size, correlation, share, times) for share in (0.5, 0.8, 0.95)]
        print(f"  {clusters:4} of {size}, correlation {correlation}: {', '.join(cells)}", flush=True)
    print("accuracy of one arm with three runs, deviation 0.3")
    print(f"    60 of 4: {accuracy_of_runs(Design(60, 4), 3, 0.3, times):.3f}")
    print("ratio of tokens, tokens a right answer, their ratio: coverage")
    for clusters, size, runs, spread in (
        (6, 4, 1, 0.0),
        (10, 4, 1, 0.0),
        (60, 4, 1, 0.0),
        (300, 1, 1, 0.0),
        (60, 4, 3, 0.3),
    ):
        print(
            f"  {clusters:4} of {size}, runs {runs}: {ratios(Design(clusters, size), runs, spread, times)}", flush=True
        )


def chance(logits: Floats) -> Floats:
    return 1 / (1 + np.exp(-logits))


def draw(
    design: Design,
    levels: Sequence[float],
    times: int,
    runs: Sequence[int] | None = None,
    spreads: Sequence[float] = (0.0, 0.0),
    seed: int = 11,
    gains: Sequence[float] = (0.0, 0.0),
) -> list[Floats]:
    """The scores of each arm, ``[data set, run, problem]``. An arm with one run among several is not trained: its run
    adds nothing. ``gains``: what an arm gains in a tenth of the clusters, and in the others."""
    generator = np.random.default_rng(seed)
    of_problem = np.array(design.of_problem)
    clusters, problems = design.clusters, len(of_problem)
    shared = generator.normal(0, CLUSTER, (times, clusters))[:, of_problem]
    shared += generator.normal(0, PROBLEM, (times, problems))
    arms = []
    for index, level in enumerate(levels):
        count = 1 if runs is None else runs[index]
        own = generator.normal(0, ARM, (times, clusters))
        if index == 0 and any(gains):
            own += np.where(generator.random((times, clusters)) < 0.1, *gains)
        of_run = generator.normal(0, spreads[index] if count > 1 else 0.0, (times, count, 1))
        noise = generator.normal(0, NOISE, (times, count, problems))
        logits = level + (shared + own[:, of_problem])[:, None] + of_run + noise
        arms.append(generator.binomial(design.samples, chance(logits)) / design.samples)
    return arms


def expected(level: float, spread: float = 0.0) -> float:
    """The accuracy of an arm over all problems and runs, by Gauss and Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    deviation = math.sqrt(CLUSTER**2 + PROBLEM**2 + ARM**2 + NOISE**2 + spread**2)
    return float((weights * chance(level + deviation * nodes)).sum() / weights.sum())


def rejected(arms: Sequence[Floats], clusters: Sequence[int]) -> float:
    return float(np.mean([paired_difference(a, b, clusters).p < 0.05 for a, b in zip(*arms, strict=True)]))


def covered(arms: Sequence[Floats], clusters: Sequence[int], truth: float) -> float:
    found = [paired_difference(a, b, clusters).interval for a, b in zip(*arms, strict=True)]
    return float(np.mean([each.low <= truth <= each.high for each in found]))


def one_run(design: Design, times: int) -> str:
    clusters = design.of_problem
    alike = [draw(design, levels, times) for levels in ALIKE]
    false = " ".join(f"{rejected(arms, clusters):.3f}" for arms in alike)
    if design.samples == 1:
        naive = " ".join(f"{np.mean([mcnemar(a, b) < 0.05 for a, b in zip(*arms, strict=True)]):.3f}" for arms in alike)
        false += f" (McNemar {naive})"
    held = [
        covered(draw(design, levels, times), clusters, expected(levels[0]) - expected(levels[1])) for levels in APART
    ]
    held += [covered(arms, clusters, 0.0) for arms in alike]
    return f"{false}; {min(held):.3f}"


def mcnemar(first: Floats, second: Floats) -> float:
    one, other = int((first > second).sum()), int((first < second).sum())
    return float(binomtest(one, one + other).pvalue) if one + other else 1.0


def several_runs(design: Design, runs: tuple[int, int], spreads: Sequence[float], times: int) -> str:
    clusters = design.of_problem
    false = rejected(draw(design, ALIKE[0], times, runs, spreads), clusters)
    truth = expected(APART[0][0], spreads[0]) - expected(APART[0][1], spreads[1])
    return f"{false:.3f};{covered(draw(design, APART[0], times, runs, spreads), clusters, truth):.3f}"


def power(design: Design, runs: tuple[int, int], gap: float, times: int) -> float:
    return rejected(draw(design, (gap, 0.0), times, runs), design.of_problem)


def family(design: Design, times: int) -> float:
    clusters = design.of_problem
    sets = zip(*draw(design, [0.0] * 5, times), strict=True)
    return float(
        np.mean([min(holm([paired_difference(arm, base, clusters).p for arm in arms])) < 0.05 for base, *arms in sets])
    )


def unlike(design: Design, times: int) -> float:
    """The level at which the one arm's gain in few clusters is made up for, found by halving."""
    low, high = -3.0, 0.0
    deviation = expected(0.0)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if 0.1 * expected(3.0) + 0.9 * expected(middle) < deviation else (low, middle)
    return rejected(draw(design, (0.0, 0.0), times, gains=(3.0, low)), design.of_problem)


def accuracy(clusters: int, size: int, correlation: float, share: float, times: int) -> str:
    """Beta-binomial clusters: the interval of a share, and the one that takes problems as independent."""
    generator = np.random.default_rng(12)
    of_problem = np.repeat(np.arange(clusters), size)
    both = (1 - correlation) / correlation
    chances = generator.beta(share * both, (1 - share) * both, (times, clusters))[:, of_problem]
    values = (generator.random(chances.shape) < chances).astype(float)
    found = [share_interval(row[None], of_problem.tolist())[0] for row in values]
    naive = [wilson(row.sum(), len(row)) for row in values]
    ours, theirs = (np.mean([each.low <= share <= each.high for each in some]) for some in (found, naive))
    return f"{ours:.3f} ({theirs:.3f})"


def accuracy_of_runs(design: Design, runs: int, spread: float, times: int) -> float:
    (values,) = draw(design, (1.0,), times, (runs,), (spread,))
    found = [share_interval(each, design.of_problem)[0] for each in values]
    truth = expected(1.0, spread)
    return float(np.mean([each.low <= truth <= each.high for each in found]))


def ratios(design: Design, runs: int, spread: float, times: int) -> str:
    """Tokens: log-normal, longer in some clusters, for wrong answers, and in some runs; the first arm writes twice."""
    clusters = design.of_problem
    generator = np.random.default_rng(13)
    arms = draw(design, (1.0, 0.0), times, (runs, runs), (spread, spread))
    of_cluster = generator.normal(0, 0.4, (times, design.clusters))[:, clusters]
    totals = []
    for index, scores in enumerate(arms):
        of_run = generator.normal(0, spread if runs > 1 else 0.0, (times, runs, 1))
        noise = generator.normal(0, 0.3, scores.shape)
        tokens = (2 - index) * np.exp(4 + of_cluster[:, None] + of_run + noise + 0.3 * (1 - scores))
        totals.append(
            [
                (Quotient(spent, np.ones_like(right)), Quotient(spent, right))
                for spent, right in zip(tokens, scores, strict=True)
            ]
        )
    shares = [expected(level, spread if runs > 1 else 0.0) for level in (1.0, 0.0)]
    length = math.exp(4 + (0.4**2 + 0.3**2 + (spread**2 if runs > 1 else 0.0)) / 2)
    means = [(2 - at) * length * (share + (1 - share) * math.exp(0.3)) for at, share in enumerate(shares)]
    truths = (means[0] / means[1], means[0] / shares[0], means[0] / shares[0] / (means[1] / shares[1]))
    held: list[list[bool]] = [[], [], []]
    for (tokens, per_right), (other_tokens, other_per_right) in zip(*totals, strict=True):
        found = (
            ratio_interval(tokens, clusters, other_tokens),
            ratio_interval(per_right, clusters),
            ratio_interval(per_right, clusters, other_per_right),
        )
        for kept, each, truth in zip(held, found, truths, strict=True):
            if each is not None:
                kept.append(each.low <= truth <= each.high)
    return ", ".join(f"{np.mean(each):.3f}" for each in held)


if __name__ == "__main__":
    main()
