"""A scored run as all export formats use it: its questions in order, with their samples."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from eval.benchmarks.definition.benchmark import PLAIN, Question
from eval.records.run_records import PREDICTIONS, Run, RunManifest, mean_values, problems_path
from eval.records.run_rows import Checked, StoredCheck, StoredPrediction, StoredScore
from eval.run.scored_run import asked_questions, read_run
from srt.answers.written_form import canonical_text
from srt.io.records import Prediction


@dataclass(frozen=True)
class Sample:
    """One generation: its prediction is ``None`` if it is missing, ``score`` if there is no gold answer."""

    repeat: int
    score: StoredScore | None
    stored: StoredPrediction | None
    stored_check: StoredCheck | None

    @property
    def prediction(self) -> Prediction | None:
        """The prediction, read from disk."""
        return self.stored.read() if self.stored else None

    @property
    def checked(self) -> Checked | None:
        """What the checker found, read from disk."""
        return self.stored_check.read() if self.stored_check else None


@dataclass(frozen=True)
class ExportedQuestion:
    """One question, its gold answer in canonical form (empty if there is none), and all of its samples."""

    question: Question
    gold: str
    samples: list[Sample]

    @property
    def name(self) -> str:
        """The problem's id, and the variant unless it is the plain one."""
        variant = self.question.variant
        return self.question.problem.id if variant == PLAIN else f"{self.question.problem.id}/{variant}"

    @property
    def value(self) -> float | None:
        """The mean score over the samples; ``None`` without a gold answer."""
        values = [sample.score.value for sample in self.samples if sample.score is not None]
        return sum(values) / len(values) if values else None


@dataclass(frozen=True)
class RunExport:
    """A run: its questions in the order in which they were asked, its file of problems, when it was made (UTC)."""

    run: Run
    asked: list[ExportedQuestion]
    problems: Path
    made: datetime

    @property
    def manifest(self) -> RunManifest:
        """The run's manifest."""
        return self.run.manifest

    @property
    def accuracy(self) -> float:
        """The mean score of the problems that have gold, as ``srt score`` takes it."""
        values = mean_values(self.run.scores.values()).values()
        return sum(values) / len(values)

    @property
    def standard_error(self) -> float:
        """The standard error of :attr:`accuracy`, problems taken as independent, as those tools do."""
        values = mean_values(self.run.scores.values()).values()
        return statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0

    def pictures(self, question: Question) -> list[str]:
        """The absolute paths of the pictures that were shown."""
        return [str((self.problems.parent / image.path).absolute()) for image in question.images]


def read_run_export(folder: Path) -> RunExport:
    """The scored run in ``folder``; raises as :func:`eval.run.scored_run.read_run` does."""
    run = read_run(folder)
    asked = []
    for question in asked_questions(run.manifest, run.problems):
        keys = [(question.problem.id, question.variant, repeat) for repeat in range(run.manifest.repeats)]
        samples = [Sample(key[2], run.scores.get(key), run.predictions.get(key), run.checked.get(key)) for key in keys]
        gold = question.problem.answer
        asked.append(ExportedQuestion(question, canonical_text(gold) if gold else "", samples))
    # Whole seconds: not every file system keeps more, and a copy must give the same file.
    made = datetime.fromtimestamp(int((folder / PREDICTIONS).stat().st_mtime), UTC)
    return RunExport(run, asked, problems_path(run), made)


def file_name(text: str) -> str:
    """``text`` as part of a file's name: anything but letters, digits, dots and dashes becomes a dash."""
    return re.sub(r"[^\w.\-]+", "-", text).strip("-.") or "run"
