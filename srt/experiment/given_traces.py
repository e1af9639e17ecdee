"""Traces that an experiment's recipe names: their files, and which of them are kept."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from srt.experiment.experiment_blocks import SOLVED, TaughtTraces
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.model_stages import Say
from srt.io.record_reader import count_lines, read_records
from srt.io.records import Problem
from srt.io.worker_processes import cores_at_hand
from srt.language.trace import Trace
from srt.pipeline.kept_traces import Keep, NotKept, left_out_of


class GivenTraces:
    """The traces of ``problems`` in files of users and teachers. A file is checked once, for all arms."""

    def __init__(self, problems: Mapping[str, Problem], keep: Keep, say: Say) -> None:
        self.problems = problems
        self._keep, self._say = keep, say
        self._why: dict[Path, list[NotKept | None]] = {}

    def of(self, file: Path, checked: bool) -> Iterator[tuple[Trace, NotKept | None]]:
        """Each trace in ``file``, and why it is left out; no reason is sought where it has been ``checked``."""
        if not checked and self._keep != "all" and file not in self._why:
            self._say(f"build: check {file}")
            pairs = ((self.problems[trace.problem_id], trace) for trace in self._read(file))
            count = count_lines(file)
            self._why[file] = list(left_out_of(pairs, count, self._keep, "check", min(cores_at_hand(), count)))
        yield from zip(self._read(file), self._why.get(file) or itertools.repeat(None), strict=False)

    def _read(self, file: Path) -> Iterator[Trace]:
        return (trace for trace in read_records(file, Trace) if trace.problem_id in self.problems)


def trace_file(source: Any, name: str, folder: ExperimentFolder) -> Path:
    """The file of the traces that ``source`` (of the arm ``name``) stands for."""
    if source == SOLVED:
        return folder.solved
    if isinstance(source, TaughtTraces):
        return folder.taught(name) / "traces.jsonl"
    path = Path(source)
    return path / "traces.jsonl" if path.is_dir() else path
