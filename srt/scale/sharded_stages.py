"""``srt solve``, ``check`` and ``build`` over shards: the functions of one machine, their summaries, sharded output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from srt import __version__
from srt.io.errors import UserError
from srt.io.locations import Location
from srt.io.record_writer import open_records
from srt.io.records import Problem, Record, Refusal
from srt.io.records import Sequence as TrainingSequence
from srt.language.trace import Trace
from srt.pipeline.build import BuildLine, TraceRefusal, require_built
from srt.pipeline.check import CheckSummary, check_line, require_checked
from srt.pipeline.record_stage import LineCounts, Work, run_batch
from srt.pipeline.solve import SolveSummary, line_solver, summary_of
from srt.scale.problem_index import ProblemIndex
from srt.scale.ray_engine import RunShards
from srt.scale.shard_folder import ShardFolder
from srt.scale.shards import SHARD_BYTES, InputShard, cut, identity


@dataclass(frozen=True)
class ShardWork:
    """What is done to a shard, on any machine: ``work`` on each of its lines, into the files of ``folder``.

    It ``makes`` records of one kind, and ``refuses`` with those of another.
    With an ``index`` the lines are those of traces, beside their problems. ``pictures``: sequences have pictures.
    """

    folder: ShardFolder
    shards: tuple[InputShard, ...]
    work: Work[Any]
    makes: type[Record]
    refuses: type[Record] | None = None
    index: ProblemIndex | None = None
    pictures: bool = False

    def __call__(self, number: int) -> None:
        """Work on shard ``number``, unless it is done. Raises a :class:`UserError` of its first line with a fault."""
        if self.folder.done(number):
            return
        shard = self.shards[number]
        try:
            self.folder.begin(number)
        except UserError as error:
            raise UserError(f"{shard}: {error}") from None
        lines: Sequence[Any]
        lines = [line for _, line in shard.lines(Problem)] if self.index is None else self.index.beside(shard)
        made = run_batch(self.work, lines)
        files = {self.folder.part(number): self.makes}
        if self.refuses is not None:
            files[self.folder.refused(number)] = self.refuses
        with open_records(files, pictures=self.pictures) as sinks:
            for sink, made_lines in zip(sinks, (made.lines, made.refused), strict=False):
                sink(made_lines)
        self.folder.finish(number, made, list(files))


def solve_shards(
    problems: Location, out: Location, run: RunShards, shard_bytes: int = SHARD_BYTES, *, plan: str = "needed"
) -> SolveSummary:
    """As :func:`~srt.pipeline.solve.solve_file`, from a file or a folder of shards into the folder ``out``.

    Raises:
        UserError: what that function raises, or ``out`` was made by something else.
    """
    work = line_solver(plan)
    made_of = _plan("solve", {"plan": plan}, [problems], shard_bytes)
    folder = ShardFolder(out.resolve())
    with folder.hold(made_of) as counted:
        if counted is None:
            shards = tuple(cut(problems, shard_bytes))
            # Nothing is looked up in it here: it finds ids that come twice.
            ProblemIndex(shards, folder.work).make(run)
            counted = _run(run, "solve", ShardWork(folder, shards, work, Trace, Refusal))
            if not counted.read:
                raise UserError(f"{problems}: no problem in this file; at least one was expected")
            folder.conclude(made_of, len(shards), counted)
    return summary_of(counted)


def check_shards(
    traces: Location, problems: Location, out: Location, run: RunShards, shard_bytes: int = SHARD_BYTES
) -> CheckSummary:
    """As :func:`~srt.pipeline.check.check_file`, from files or folders of shards into the folder ``out``.

    Raises:
        UserError: what that function raises, or ``out`` was made by something else.
    """
    plan = _plan("check", {}, [traces, problems], shard_bytes)
    folder = ShardFolder(out.resolve())
    with folder.hold(plan) as counted:
        if counted is None:
            shards, index = _with_problems(traces, problems, folder, run, shard_bytes)
            counted = _run(run, "check", ShardWork(folder, shards, check_line, Trace, index=index))
            require_checked(counted, traces, problems)
            folder.conclude(plan, len(shards), counted)
    return CheckSummary.of(counted)


def build_shards(
    traces: Location,
    problems: Location,
    arm: str,
    out: Location,
    run: RunShards,
    *,
    prompt: str = "full",
    text: str = "claims",
    pictures: bool = False,
    keep: str = "auto",
    shard_bytes: int = SHARD_BYTES,
) -> dict[str, Any]:
    """As :func:`~srt.pipeline.build.build_file`, from files or folders of shards into the folder ``out``.

    Raises:
        UserError: what that function raises, or ``out`` was made by something else.
    """
    folder = ShardFolder(out.resolve())
    work = BuildLine.of(arm, prompt, text, keep, *_picture_folders(problems, out, pictures))
    settings = {"arm": arm, "prompt": prompt, "text": text, "pictures": pictures, "keep": keep}
    plan = _plan("build", settings, [traces, problems], shard_bytes)
    with folder.hold(plan) as counted:
        if counted is None:
            shards, index = _with_problems(traces, problems, folder, run, shard_bytes)
            job = ShardWork(folder, shards, work, TrainingSequence, TraceRefusal, index, pictures)
            counted = _run(run, f"build {arm}", job)
            require_built(counted, traces)
            folder.conclude(plan, len(shards), counted)
    summary: dict[str, Any] = {"folder": str(out), "arm": arm, "sequences": counted.counts["sequences"]}
    if pictures:
        summary["pictures"] = counted.counts["pictures"]
    if of_reason := counted.group("refused"):
        summary["refused"] = of_reason
    return summary


def _picture_folders(problems: Location, out: Location, pictures: bool) -> tuple[Path, Path | None]:
    """Where the pictures of the problems lie, and the file beside which those of the sequences go, if there are any."""
    if not pictures:
        return Path(), None
    if not (isinstance(problems, Path) and isinstance(out, Path)):
        at = out if isinstance(problems, Path) else problems
        raise UserError(f"{at}: --pictures: pictures are read and written in folders, not at URLs")
    root = problems if problems.is_dir() else problems.parent
    return root.resolve(), out.resolve() / "sequences.jsonl"


def _with_problems(
    traces: Location, problems: Location, folder: ShardFolder, run: RunShards, shard_bytes: int
) -> tuple[tuple[InputShard, ...], ProblemIndex]:
    index = ProblemIndex(tuple(cut(problems, shard_bytes)), folder.work)
    index.make(run)
    return tuple(cut(traces, shard_bytes)), index


def _run(run: RunShards, what: str, work: ShardWork) -> LineCounts:
    """All shards of ``work`` that are not done; the counts of all of them, in the order of the input."""
    numbers = range(len(work.shards))
    run(what, work, [number for number in numbers if not work.folder.done(number)])
    summed = LineCounts()
    for number in numbers:
        summed.count_in(work.folder.counts(number))
    return summed


def _plan(stage: str, settings: dict[str, Any], inputs: Sequence[Location], shard_bytes: int) -> dict[str, Any]:
    return {
        "stage": stage,
        "srt": __version__,
        "settings": settings,
        "inputs": [identity(source) for source in inputs],
        "shard_bytes": shard_bytes,
    }
