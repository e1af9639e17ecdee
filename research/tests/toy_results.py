"""Made-up results: three arms and their parts, each with a share of right answers that we chose."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from srt.experiment.learning_curve import CurvePoint

PUZZLES = [problem // 2 for problem in range(200)]
ARMS = {
    "answer": {1000: 0.2, 4000: 0.25},
    "cot": {1000: 0.2, 4000: 0.4},
    "srt": {1000: 0.2, 4000: 0.8},
    "srt-drop-INFER": {1000: 0.2, 4000: 0.5},
}
"""The share of right answers of each arm, by items."""


def points(seeds: tuple[int, ...] = (0, 1, 2)) -> Iterator[CurvePoint]:
    """With every seed an arm has the same share right, but of other problems."""
    for seed in seeds:
        ease = np.random.default_rng(seed).permutation(len(PUZZLES)) / len(PUZZLES)
        for arm, curve in ARMS.items():
            for items, share in curve.items():
                yield CurvePoint(
                    test="test",
                    arm=arm,
                    seed=seed,
                    items=items,
                    tokens=items * 40,
                    labelled_tokens=items * 20,
                    right="".join("1" if easy < share else "0" for easy in ease),
                    output_tokens=20.0,
                    proved=0.5 if arm == "srt" else 0.0,
                    first_wrong={},
                )
