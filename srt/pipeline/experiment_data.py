"""The data of an experiment: the problems of its two parts, with their traces, checked.

OUTPUT/data/test.jsonl         the problems that are evaluated
OUTPUT/data/train.jsonl        the problems that are trained on
OUTPUT/data/PART.N.jsonl       the problems of source N, before the test was kept out
OUTPUT/data/PART.traces.jsonl  their traces, all proved
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import orjson

from srt.corpora import import_file
from srt.io.errors import UserError
from srt.io.jsonl import read_records, write_atomically, write_records
from srt.io.problem_files import read_problems
from srt.io.records import Problem, Record
from srt.pipeline.check import check_file
from srt.pipeline.experiment_recipe import SampledSource, Source
from srt.pipeline.generate import generate_file, identities, split_key
from srt.pipeline.solve import solve_file


def gather_problems(part: str, sources: list[Source], folder: Path, say: Callable[[str], None]) -> None:
    """Write the problems of one part (``test``, ``train``), from all its sources, to one file in ``folder``.

    ``test`` comes first: problems of ``train`` that are in it are dropped. Does nothing if the file is there.

    Raises:
        UserError: a source cannot be read, no source has a problem, two sources have the same one, or none of the
            test's has a gold answer.
    """
    folder.mkdir(exist_ok=True)
    problems = folder / f"{part}.jsonl"
    if problems.exists():
        return
    test = folder / "test.jsonl"
    gathered: list[Problem] = []
    keys: set[str] = set()
    dropped = 0
    for number, source in enumerate(sources, 1):
        if source.needs and not os.environ.get(source.needs):
            say(f"{part}: source {number} is left out: {source.needs} is not set")
            continue
        say(f"{part}: source {number}")
        kept_out = test if part == "train" and source.exclude_test else None
        found = _problems_of(source, part, folder / f"{part}.{number}.jsonl", kept_out)
        if found.dropped:
            say(f"{part}: source {number}: {found.dropped} problems are in the test and were dropped")
        gathered += found.problems
        keys |= found.keys
        dropped += found.dropped
    if not gathered:
        raise UserError(f"{part}_problems: no source has a problem")
    if twice := [name for name, count in Counter(problem.id for problem in gathered).items() if count > 1]:
        raise UserError(f"{part}_problems: {len(twice)} problems come from two sources, first {twice[0]!r}")
    if part == "test" and all(problem.answer is None for problem in gathered):
        raise UserError("test_problems: no problem has a gold answer, so there is nothing to score")
    write_records(folder / _GATHERED.format(part), [_Gathered(keys=len(keys), dropped=dropped)])
    write_records(problems, gathered)


def solve_and_check(part: str, folder: Path, say: Callable[[str], None]) -> None:
    """Write the traces of one part. A problem that the exact teacher refuses is in no training sequence.

    Raises:
        UserError: a trace is not proved.
    """
    problems, traces, done = (folder / f"{part}{suffix}" for suffix in (".jsonl", ".traces.jsonl", ".done.json"))
    if done.exists():
        return
    say(f"{part}: solve and check")
    solved = solve_file(problems, traces)
    checked = check_file(traces, problems)
    if checked.proved < checked.traces:
        raise UserError(f"{part}: {checked.traces - checked.proved} traces are not proved, first {checked.faults[0]}")
    gathered = next(read_records(folder / _GATHERED.format(part), _Gathered))
    counts = {
        "problems": solved.problems,
        "keys": gathered.keys,
        "dropped": gathered.dropped,
        "traces": checked.traces,
        "proved": checked.proved,
        "refused": solved.refused,
    }
    write_atomically(done, [orjson.dumps(counts)])


_GATHERED = "{}.gathered.json"


class _Gathered(Record):
    """Counts of one part: its different split keys, and the problems that were dropped because the test has them."""

    keys: int
    dropped: int


@dataclass(frozen=True)
class _Found:
    """What a source gave: its problems, their split keys, and how many were dropped because they are in the test."""

    problems: list[Problem]
    keys: set[str]
    dropped: int


def _problems_of(source: Source, part: str, path: Path, kept_out: Path | None) -> _Found:
    """The problems of ``source`` without those with the text or the split key of one in the file ``kept_out``."""
    if isinstance(source, SampledSource):
        summary = generate_file(source.world, source.n, part, path, source.spec, exclude=kept_out)
        problems = list(read_problems(path).values())
        return _Found(problems, {p.group_id for p in problems if p.group_id}, summary.collisions)
    import_file(source.corpus, Path(os.path.expandvars(source.path)), path)
    test = set() if kept_out is None else identities(read_problems(kept_out).values())
    chosen = [p for p in read_problems(path).values() if all(p.meta.get(key) == v for key, v in source.where.items())]
    kept = [(p, split_key(p)) for p in chosen if not test & identities([p])]
    return _Found([p for p, _ in kept], {key for _, key in kept if key}, len(chosen) - len(kept))
