"""``srt harvest``: the proved samples of runs as traces to train on, no category of problems crowding out another.

Training on one's own samples that a check accepts is rejection-sampling fine-tuning (Yuan et al., arXiv 2308.01825,
2023), or, in rounds, expert iteration (Anthony et al., arXiv 1705.08439, 2017).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from eval.learning.judged_samples import SampledRuns
from srt.io.errors import UserError
from srt.io.output_paths import check_place
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.language.text import linearize
from srt.language.trace import Trace


def harvest(
    runs: Sequence[Path],
    out: Path,
    *,
    most: int = 2,
    balance: bool = True,
    seed: int = 0,
    problems: Path | None = None,
    workers: int = 1,
) -> dict[str, Any]:
    """Write the traces of ``runs`` that are proved, right where there is a gold answer, and distinct; returns counts.

    Of one problem there are at most ``most``, the first that were sampled; two are the same if they have one normal
    form. With ``balance``, no category keeps more traces for each of its problems than all categories do on average
    (:func:`balanced`). ``problems`` is the file of the runs' problems, where it has moved.

    Raises:
        UserError: as :meth:`~eval.learning.judged_samples.SampledRuns.of`, or no sample is proved.
    """
    check_place(out)
    sampled = SampledRuns.of(runs, problems)
    sampled.keep_apart(out)
    counts: Counter[str] = Counter()
    found: dict[str, dict[str, Trace]] = defaultdict(dict)
    for sample in sampled.samples(workers):
        counts["samples"] += 1
        if not sample.is_proved or sample.trace is None:
            continue
        counts["proved"] += 1
        problem_id = sample.trace.problem_id
        of_problem = found[problem_id]
        update = {"id": f"h-{problem_id}-{len(of_problem) + 1}", "teacher": sample.arm}
        of_problem.setdefault(linearize(sample.trace), sample.trace.model_copy(update=update))
    if not found:
        raise UserError(
            f"{runs[0]}: none of {counts['samples']} whole samples is proved, so there is nothing to train on; take "
            "more samples (--repeats), or let the checker guide them (--decode proved)"
        )
    kept = {problem_id: list(traces.values())[:most] for problem_id, traces in found.items()}
    before = {name: len(traces) for name, traces in _by_category(kept, sampled.problems).items()}
    if balance:
        kept = balanced(kept, sampled.problems, seed)
    written = [trace for problem_id in sampled.problems for trace in kept.get(problem_id, ())]
    write_records(out, written)
    asked = Counter(category_of(problem) for problem in sampled.problems.values())
    after = {name: len(traces) for name, traces in _by_category(kept, sampled.problems).items()}
    return {
        "file": str(out),
        "traces": len(written),
        "whole samples": counts["samples"],
        "proved": counts["proved"],
        "distinct": sum(map(len, found.values())),
        "problems": len(sampled.problems),
        "problems with a trace": sum(1 for traces in kept.values() if traces),
        "category": {
            name: {
                "traces": after.get(name, 0),
                "share": round(after.get(name, 0) / len(written), 4),
                "before balancing": before.get(name, 0),
                "of problems": asked[name],
            }
            for name in sorted(asked)
        },
    }


def category_of(problem: Problem) -> str:
    """What ``problem`` is balanced by: its category, and its subcategory where it has one."""
    return " / ".join(filter(None, (problem.category, problem.subcategory))) or "none"


def balanced(
    found: Mapping[str, Sequence[Trace]], problems: Mapping[str, Problem], seed: int
) -> dict[str, list[Trace]]:
    """``found``, the traces by problem, without those by which an easy category would crowd out others.

    A category of ``n`` problems keeps at most ``n`` times the mean number of traces a problem, over all ``problems``,
    rounded up. Second traces of a problem go before first ones, and else ``seed`` decides.
    """
    mean = sum(map(len, found.values())) / len(problems)
    asked = Counter(category_of(problem) for problem in problems.values())
    kept: dict[str, list[Trace]] = {}
    for category, traces in _by_category(found, problems).items():

        def place(ranked: tuple[int, Trace]) -> tuple[int, bytes]:
            return ranked[0], blake2b(f"{seed}/{ranked[1].id}".encode()).digest()

        for _, trace in sorted(traces, key=place)[: math.ceil(mean * asked[category])]:
            kept.setdefault(trace.problem_id, []).append(trace)
    return kept


def _by_category(
    found: Mapping[str, Sequence[Trace]], problems: Mapping[str, Problem]
) -> dict[str, list[tuple[int, Trace]]]:
    """The traces of each category, each with its number among those of its problem."""
    by: dict[str, list[tuple[int, Trace]]] = defaultdict(list)
    for problem_id, traces in found.items():
        by[category_of(problems[problem_id])] += enumerate(traces)
    return by
