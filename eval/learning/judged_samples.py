"""The samples of runs as traces, each judged anew: what the files of a run say of its texts is not believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from eval.benchmarks.definition.benchmark import Question
from eval.records.run_records import PREDICTIONS, RunManifest, read_manifest, run_problems
from eval.records.run_rows import read_rows
from eval.run.scored_run import asked_questions
from eval.run.sharding import merge_shards
from srt.io.errors import UserError
from srt.io.output_paths import keep_apart, keep_outside
from srt.io.progress import progress
from srt.io.record_reader import count_lines
from srt.io.records import Prediction, Problem
from srt.io.worker_processes import Workers
from srt.judging.judge import trace_of
from srt.judging.judge_many import judge_within_limit
from srt.judging.judgement import Judgement
from srt.judging.output_text import read_output
from srt.language.trace import Trace

_CHUNK: Final = 16
_FEW: Final = 256
"""So many texts take about as long as processes take to start."""


class JudgedSample(NamedTuple):
    """A sample of the model ``arm`` for ``question``. ``trace`` is ``None`` unless it is a whole trace of a world."""

    question: Question
    arm: str
    judged: Judgement
    trace: Trace | None

    @property
    def is_proved(self) -> bool:
        """Whether it may be learned from: proved, and right where there is a gold answer."""
        return self.trace is not None and self.judged.code == "proved" and self.judged.right is not False


@dataclass(frozen=True)
class SampledRuns:
    """Runs on one file of ``problems``."""

    folders: Sequence[Path]
    manifests: Sequence[RunManifest]
    problems: dict[str, Problem]
    file: Path | None = None
    """That of the problems, where it is no longer where the manifests say."""

    @classmethod
    def of(cls, folders: Sequence[Path], problems: Path | None = None) -> SampledRuns:
        """The runs in ``folders``; ``problems`` is their file, where it is no longer at its old place.

        Raises:
            UserError: no run in a folder, one that is named twice or still written to, or other problems.
        """
        resolved = [folder.resolve() for folder in folders]
        if twice := [folder for folder, at in zip(folders, resolved, strict=True) if resolved.count(at) > 1]:
            raise UserError(f"{twice[-1]}: the same run is named twice")
        manifests = [read_manifest(folder) for folder in folders]
        for folder, manifest in zip(folders, manifests, strict=True):
            if manifest.problems.sha256 != manifests[0].problems.sha256:
                raise UserError(f"{folder}: its problems are not those of {folders[0]}: name the runs of one file")
            if not merge_shards(folder):
                raise UserError(f"{folder}: processes that share this run are still writing to it; wait until they end")
        return cls(folders, manifests, run_problems(folders[0], manifests[0], problems), problems)

    def keep_apart(self, out: Path) -> None:
        """Raise a :class:`~srt.io.errors.UserError` if ``out`` is in a run's folder, or the file of its problems."""
        for folder, manifest in zip(self.folders, self.manifests, strict=True):
            keep_outside(out, folder)
            keep_apart(out, self.file, folder / manifest.problems.path)

    def samples(self, workers: int = 1) -> Iterator[JudgedSample]:
        """Every sample that asks a problem as it is in the file, in the order of runs and repeats.

        Variants of problems, with options in another order, are passed over: a trace of theirs is of no problem of the
        file. So are samples that did not end by themselves.

        Raises:
            UserError: all of them are passed over, or a file of predictions is damaged.
        """
        total, judged = sum(count_lines(folder / PREDICTIONS) for folder in self.folders), 0
        with Workers(workers, here=_FEW) as pool:
            for sample in progress(pool.map(_judge, self._rows(), _CHUNK), total, "judged"):
                judged += 1
                yield sample
        if not judged:
            raise UserError(
                f"{self.folders[0]}: none of {total} samples ended by itself on a problem as it is in the file, so "
                "there is nothing to learn from; where texts were cut, raise --max-new-tokens"
            )

    def _rows(self) -> Iterator[_Row]:
        for folder, manifest in zip(self.folders, self.manifests, strict=True):
            questions = {(one.problem.id, one.variant): one for one in asked_questions(manifest, self.problems)}
            for key, row, _ in read_rows(folder / PREDICTIONS, Prediction, questions):
                question = questions[key[:2]]
                if row.finish_reason == "stop" and question.problem == self.problems[key[0]]:
                    yield _Row(question, manifest.arm, row.text)


class _Row(NamedTuple):
    question: Question
    arm: str
    text: str


def _judge(row: _Row) -> JudgedSample:
    problem = row.question.problem
    judged = judge_within_limit(problem, row.text)
    trace = None
    if judged.kind == "world" and judged.code not in ("too_large", "another_form"):
        output = read_output(problem, row.text)
        # Refuted steps outweigh what else is wrong: such a text may break off, or state no answer.
        if output.fault is None and output.answer is not None:
            trace = trace_of(output, problem)
    return JudgedSample(row.question, row.arm, judged, trace)
