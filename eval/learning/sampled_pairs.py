"""``srt pairs`` of runs: for one problem, a sample of the model that is proved, and one that is refuted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from eval.learning.judged_samples import JudgedSample, SampledRuns
from srt.io.errors import UserError
from srt.io.output_paths import check_place
from srt.io.record_writer import write_records
from srt.io.records import Message, Pair
from srt.language.text import linearize
from srt.pipeline.check import first_fault


def sampled_pairs(
    runs: Sequence[Path], out: Path, *, most: int = 1, problems: Path | None = None, workers: int = 1
) -> dict[str, Any]:
    """Write pairs of the samples of ``runs``, at most ``most`` a problem; returns counts.

    Both are whole traces, written in their normal form, so that neither differs from the other by what stands around a
    trace. A refuted sample is in one pair, a proved one in several if there are fewer. The prompt is the one that the
    run asked with.

    Raises:
        UserError: as :meth:`~eval.learning.judged_samples.SampledRuns.of`, a problem with a picture, or no pair.
    """
    check_place(out)
    sampled = SampledRuns.of(runs, problems)
    sampled.keep_apart(out)
    counts: Counter[str] = Counter()
    proved: dict[str, dict[str, JudgedSample]] = defaultdict(dict)
    refuted: dict[str, dict[str, JudgedSample]] = defaultdict(dict)
    for sample in sampled.samples(workers):
        counts["samples"] += 1
        if sample.question.images:
            raise UserError(
                f"problem {sample.question.problem.id!r}: the model was shown its picture; pairs are of text"
            )
        side = proved if sample.is_proved else refuted if sample.judged.code == "refuted" else None
        if side is not None and sample.trace is not None:
            side[sample.trace.problem_id].setdefault(linearize(sample.trace), sample)
    pairs = [
        _pair(chosen, rejected)
        for problem_id in sampled.problems
        for chosen, rejected in islice(
            zip(cycle(proved[problem_id].values()), refuted[problem_id].values(), strict=False), most
        )
    ]
    if not pairs:
        raise UserError(
            f"{runs[0]}: no problem has both a proved and a refuted sample, so there is no pair; take more samples "
            "(--repeats, with a temperature)"
        )
    write_records(out, pairs)
    return {
        "file": str(out),
        "pairs": len(pairs),
        "whole samples": counts["samples"],
        "problems": len(sampled.problems),
        "problems with a proved sample": sum(1 for samples in proved.values() if samples),
        "problems with a pair": len({pair.problem_id for pair in pairs}),
    }


def _pair(chosen: JudgedSample, rejected: JudgedSample) -> Pair:
    assert chosen.trace is not None
    assert rejected.trace is not None
    assert rejected.judged.check is not None
    question = chosen.question
    return Pair(
        problem_id=question.problem.id,
        arm=chosen.arm,
        lang=chosen.trace.lang,
        prompt=question.messages,
        chosen=[Message(role="assistant", content=linearize(chosen.trace))],
        rejected=[Message(role="assistant", content=linearize(rejected.trace))],
        fault=first_fault(rejected.trace, rejected.judged.check) or rejected.judged.code,
    )
