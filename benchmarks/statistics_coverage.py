"""How often 95% intervals contain the truth, on made-up data whose truth is known.

python benchmarks/statistics_coverage.py              # about ten minutes on one core
python benchmarks/statistics_coverage.py --times 200
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

import numpy as np

from srt.statistics.bootstrap import Floats, bootstrap
from srt.statistics.significance import clustered_wilson, wilson

CLUSTERED = ((60, 4, 0.5), (20, 4, 0.5), (150, 2, 0.5), (150, 2, 0.1))
SHARES = (0.5, 0.8, 0.95)
RUNS = ((1, 0.0), (2, 0.0), (3, 0.0), (5, 0.0), (2, 0.1), (3, 0.1), (5, 0.1), (2, 0.3), (3, 0.3), (5, 0.3), (8, 0.3))
PROBLEMS = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1000, help="made-up data sets for each row")
    times = parser.parse_args().times
    print("accuracy of one run: clusters, problems in each, correlation inside, share right")
    for clusters, size, correlation in CLUSTERED:
        for share in SHARES:
            found = accuracy(clusters, size, correlation, share, times)
            print(f"  {clusters:4} {size} {correlation} {share:5}: {listed(found)}", flush=True)
    print(f"difference of two arms, {PROBLEMS} problems in pairs: training runs an arm, their deviation (logits)")
    for runs, deviation in RUNS:
        print(f"  {runs:4} {deviation}: {listed(difference(runs, deviation, times))}", flush=True)


def listed(shares: dict[str, float]) -> str:
    return ", ".join(f"{name} {share:.3f}" for name, share in shares.items())


def accuracy(clusters: int, size: int, correlation: float, share: float, times: int) -> dict[str, float]:
    """Beta-binomial clusters: the clustered interval, and the one that takes problems as independent."""
    generator = np.random.default_rng(11)
    of_problem = np.repeat(np.arange(clusters), size).tolist()
    both = (1 - correlation) / correlation
    held = {"clustered Wilson": 0, "Wilson": 0}
    for _ in range(times):
        chance = np.repeat(generator.beta(share * both, (1 - share) * both, clusters), size)
        values = (generator.random(clusters * size) < chance).astype(float)
        for name, found in (
            ("clustered Wilson", clustered_wilson(values.tolist(), of_problem)[0]),
            ("Wilson", wilson(values.sum(), clusters * size)),
        ):
            held[name] += found.low <= share <= found.high
    return {name: count / times for name, count in held.items()}


def difference(runs: int, deviation: float, times: int) -> dict[str, float]:
    """Logistic problems in pairs that err together; the same with the runs averaged first, as if they were one."""
    generator = np.random.default_rng(12)
    of_problem = np.arange(PROBLEMS) // 2
    spread = math.sqrt(1.2**2 + 0.6**2 + deviation**2 + 0.5**2)
    anywhere = generator.normal(0, spread, 2_000_000)
    truth = float(chance(0.6 + anywhere).mean() - chance(anywhere).mean())
    held = {"runs drawn": 0, "runs averaged first": 0}
    for _ in range(times):
        problems = generator.normal(0, 1.2, PROBLEMS // 2)[of_problem] + generator.normal(0, 0.6, PROBLEMS)
        arms = []
        for level in (0.6, 0.0):
            of_run = generator.normal(0, deviation, runs)[:, None]
            logits = level + problems + of_run + generator.normal(0, 0.5, (runs, PROBLEMS))
            arms.append((generator.random((runs, PROBLEMS)) < chance(logits)).astype(float)[:, :, None])
        for name, given in (
            ("runs drawn", arms),
            ("runs averaged first", [arm.mean(axis=0, keepdims=True) for arm in arms]),
        ):
            (found,) = bootstrap(given, of_problem.tolist(), subtract, resamples=1000)
            held[name] += found.low <= truth <= found.high
    return {name: count / times for name, count in held.items()}


def chance(logits: Floats) -> Floats:
    return 1 / (1 + np.exp(-logits))


def subtract(totals: Sequence[Floats], count: Floats) -> Floats:
    return (totals[0] - totals[1]) / count[:, None]


if __name__ == "__main__":
    main()
