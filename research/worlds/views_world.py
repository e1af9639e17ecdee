"""The views world measured: agreement of its methods, one right answer, splits, speed.

    python -m research.worlds.views_world agreement   # the methods agree: all small solids, then sampled views
    python -m research.worlds.views_world answers     # each problem has one right answer, every trace is proved
    python -m research.worlds.views_world faults      # planted faults of each class are found
    python -m research.worlds.views_world splits      # no key in two splits; how many problems small families have
    python -m research.worlds.views_world speed       # problems, traces and checks a second, on one core

Problems are drawn from the index ``--first`` on.

Three methods count the solids that fit views: the kernel (dynamic programming over rows), the second method (inclusion
and exclusion with generating functions) and, for small plans, writing all solids out.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product

import numpy as np

from srt.checking import check
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.worlds.views.derivation.exact_teacher import make_trace
from srt.worlds.views.faults.oracle import ViewsOracle
from srt.worlds.views.faults.planted_faults import PLANTS, SoundTrace
from srt.worlds.views.kernel.consistent import GivenViews, consistent
from srt.worlds.views.kernel.stacks import Heights, canonical, footprint, is_connected, is_trimmed, profile
from srt.worlds.views.problem_reader import read_problem
from srt.worlds.views.sampling.sampler import ViewsSampler, ViewsSpec
from srt.worlds.views.sampling.second_method import cube_counts

COARSE = (Fault.GUESSED, Fault.LEAP, Fault.STEP_SKIPPED, Fault.IDLE_PREMISE)
VIEW_SETS = ("front", "left", "front+left", "front+top", "left+top", "front+left+top")


def agreement(n: int, first: int) -> None:
    """All solids of at most 3 x 3 stacks of at most 3 cubes; then ``n`` sets of views of larger solids."""
    compared, differ, written = 0, 0, 0
    for depth, width in ((1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)):
        solids = np.stack(np.meshgrid(*[np.arange(4, dtype=np.int8)] * (depth * width), indexing="ij"), axis=-1)
        solids = solids.reshape(-1, depth, width)
        columns, rows, tops = solids.max(axis=1), solids.max(axis=2), (solids > 0).reshape(len(solids), -1)
        cubes = solids.sum(axis=(1, 2))
        for views in VIEW_SETS:
            parts = [part for name, part in (("front", columns), ("left", rows), ("top", tops)) if name in views]
            groups, of = np.unique(np.concatenate(parts, axis=1), axis=0, return_inverse=True)
            least, most = np.full(len(groups), 99), np.zeros(len(groups), dtype=int)
            np.minimum.at(least, of.ravel(), cubes)
            np.maximum.at(most, of.ravel(), cubes)
            counts = np.bincount(of.ravel(), minlength=len(groups))
            for group, *expected in zip(groups.tolist(), counts.tolist(), least.tolist(), most.tolist(), strict=True):
                fronts = tuple(group[:width]) if "front" in views else None
                rest = group[width:] if "front" in views else group
                lefts = tuple(rest[:depth]) if "left" in views else None
                flat = rest[depth:] if "left" in views else rest
                top = tuple(tuple(flat[y * width : (y + 1) * width]) for y in range(depth)) if "top" in views else None
                by_rows = tuple(consistent(GivenViews(depth, width, fronts, lefts, top), 3))
                second = cube_counts(depth, width, fronts, lefts, top)
                compared += 1
                differ += not by_rows == second == tuple(expected)
        written += len(solids)
    print(f"all solids of at most 3 x 3 stacks of at most 3 cubes: {written:,} solids, {compared:,} sets of views, "
          f"{differ} on which kernel, second method and all solids written out differ")  # fmt: skip
    rng = random.Random(first)
    differ = impossible = 0
    for _ in range(n):
        depth, width, highest = rng.randint(2, 5), rng.randint(2, 5), rng.randint(2, 5)
        empty = rng.choice((0.1, 0.3, 0.6))
        flat_heights = [0 if rng.random() < empty else rng.randint(1, highest) for _ in range(depth * width)]
        heights = tuple(tuple(flat_heights[y * width : (y + 1) * width]) for y in range(depth))
        columns_, rows_, top_ = profile(heights, "front"), profile(heights, "left"), footprint(heights)
        if rng.random() < 0.2:  # Views that need not fit each other.
            columns_ = tuple(rng.randint(0, highest) for _ in columns_)
        views = rng.choice(VIEW_SETS[2:])
        known = (
            columns_ if "front" in views else None,
            rows_ if "left" in views else None,
            top_ if "top" in views else None,
        )
        second = cube_counts(depth, width, *known)
        differ += tuple(consistent(GivenViews(depth, width, *known), highest)) != second
        impossible += second[0] == 0
    print(f"{n:,} sampled sets of views of at most 5 x 5 stacks of at most 5 cubes: {differ} differ "
          f"({impossible:,} fit no solid)")  # fmt: skip


def sampled(n: int, first: int, **fields: object) -> Iterator[Problem]:
    """``n`` problems of a specification from the index ``first`` on."""
    sample = ViewsSampler(ViewsSpec.parse(fields))
    return (sample(index) for index in range(first, first + n))


def answers(n: int, first: int) -> None:
    """``n`` problems over all kinds: the sampler proves each, or raises; teacher and checker agree."""
    counts: Counter[str] = Counter()
    for lang, largest in (("en", 3), ("zh", 4)):
        for problem in sampled(n // 2, first, lang=lang, largest=largest):
            trace = make_trace(problem)
            checked = check(problem, trace)
            gold = problem.answer.value if problem.answer else None
            counts["problems"] += 1
            counts["teacher agrees"] += gold in ([trace.answer], int(trace.answer) if trace.answer.isdigit() else None)
            counts["proved"] += checked.proved
            counts["steps"] += len(trace.steps)
            counts[f"kind {problem.meta['kind']}"] += 1
    print(dict(counts))


def faults(n: int, first: int) -> None:
    """``n`` guesses, leaps and so on, ``n // 10`` mutants of each other class.

    The oracle is asked where the checker does not find what was planted.
    """
    rng = random.Random(first)
    # Two side views without a top view fit more solids than the oracle writes out; those problems have two figures.
    problems = [p for p in sampled(4_000, first) if p.meta["shown"] not in ("front+left", "front+right")]
    traces = [make_trace(problem) for problem in problems]
    sound = [SoundTrace(read_problem(p), t) for p, t in zip(problems, traces, strict=True)]
    for fault, plant in PLANTS.items():
        made = caught = accidents = 0
        while made < (n if fault in COARSE else n // 10):
            at = rng.randrange(len(sound))
            mutant = plant(sound[at], rng)
            if mutant is None:
                continue
            made += 1
            checked = check(problems[at], mutant.trace)
            if checked.refuted if fault.family == "truth-changing" else not checked.proved:
                caught += 1
                continue
            verdict = ViewsOracle(problems[at]).judge(mutant.trace)
            accidents += not verdict.false if fault.family == "truth-changing" else verdict.proved
        print(f"{fault.value}: {made:,} made, {accidents:,} accidents, {caught:,} caught, "
              f"{made - accidents - caught} missed")  # fmt: skip


def splits(n: int, first: int) -> None:
    """``n`` problems over the splits; then the solids that there are to ask of."""
    where = defaultdict(set)
    for split, share in (("train", 0.8), ("dev", 0.1), ("test", 0.1)):
        for problem in sampled(int(n * share), first, split=split):
            where[problem.group_id].add(split)
    print(f"{n:,} problems, {len(where):,} keys, {sum(len(found) > 1 for found in where.values())} in two splits")
    for size, highest, least, most in ((2, 3, 4, 20), (3, 2, 4, 20), (3, 3, 4, 20), (3, 3, 1, 10)):
        forms, unmoved = set(), 0
        for depth, width in product(range(1, size + 1), repeat=2):
            for flat in product(range(highest + 1), repeat=depth * width):
                heights = tuple(tuple(flat[y * width : (y + 1) * width]) for y in range(depth))
                if least <= sum(flat) <= most and is_trimmed(heights) and is_connected(heights):
                    forms.add(canonical(heights))
                    unmoved += _unmoved(heights)
        print(f"connected solids within {size} x {size} x {highest}, {least} to {most} cubes: {len(forms):,} canonical "
              f"forms, {unmoved / 8:,g} by Burnside's lemma")  # fmt: skip


def _unmoved(heights: Heights) -> int:
    """How many of the eight turns and reflections leave the solid as it is, from its cubes as points."""
    cubes = np.array([(x, y) for y, row in enumerate(heights) for x, height in enumerate(row) for _ in range(height)])
    here = sorted(map(tuple, cubes.tolist()))
    found = 0
    for matrix in product((-1, 0, 1), repeat=4):
        turn = np.array(matrix).reshape(2, 2)
        if abs(turn[0, 0] * turn[1, 1] - turn[0, 1] * turn[1, 0]) == 1 and np.abs(turn).sum() == 2:
            moved = cubes @ turn
            found += sorted(map(tuple, (moved - moved.min(axis=0)).tolist())) == here
    return found


def speed(n: int, first: int) -> None:
    """Seconds of one core (CPU time) for ``n`` problems of all kinds."""
    for name, fields in (("plans of 2 to 3", {}), ("plans of 2 to 4", {"largest": 4})):
        start = time.process_time()
        problems = list(sampled(n, first, **fields))
        made = time.process_time()
        traces = [make_trace(problem) for problem in problems]
        solved = time.process_time()
        proved = sum(check(p, t).proved for p, t in zip(problems, traces, strict=True))
        end = time.process_time()
        print(f"{name}: {n / (made - start):,.0f} problems, {n / (solved - made):,.0f} traces, "
              f"{n / (end - solved):,.0f} checks a second; {proved} of {n} proved")  # fmt: skip


RUNS = {
    "agreement": (agreement, 100_000),
    "answers": (answers, 50_000),
    "faults": (faults, 10_000),
    "splits": (splits, 100_000),
    "speed": (speed, 3_000),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", choices=RUNS)
    parser.add_argument("-n", type=int, help="How many problems, or sets of views.")
    parser.add_argument("--first", type=int, default=0, help="Index of the first problem; a seed.")
    args = parser.parse_args()
    run, default = RUNS[args.run]
    run(args.n or default, args.first)


if __name__ == "__main__":
    main()
