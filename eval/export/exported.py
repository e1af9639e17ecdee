"""A scored run as every form of export sees it: what was asked, in order, and what came of it."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from eval.benchmarks import find_benchmark
from eval.benchmarks.benchmark import PLAIN, Asking, Question
from eval.runs import PREDICTIONS, Checked, Run, RunStamp, problems_path, read_run
from eval.summary import mean_values
from srt.answers import canonical_text
from srt.records import Prediction, Score


@dataclass(frozen=True)
class Sample:
    """One generation: ``prediction`` is ``None`` where it is missing, ``score`` where there is no gold answer."""

    repeat: int
    prediction: Prediction | None
    score: Score | None
    checked: Checked | None


@dataclass(frozen=True)
class Asked:
    """One question, the gold answer in canonical form (empty where there is none), and all of its samples."""

    question: Question
    gold: str
    samples: list[Sample]

    @property
    def name(self) -> str:
        """The problem's id, with the variant where it is not the plain one."""
        variant = self.question.variant
        return self.question.problem.id if variant == PLAIN else f"{self.question.problem.id}/{variant}"

    @property
    def value(self) -> float | None:
        """The mean score over the samples; ``None`` without a gold answer."""
        values = [sample.score.value for sample in self.samples if sample.score is not None]
        return sum(values) / len(values) if values else None


@dataclass(frozen=True)
class Exported:
    """A run: its questions in the order in which they were asked, where its pictures lie, when it was made (UTC)."""

    run: Run
    asked: list[Asked]
    problems: Path
    made: datetime

    @property
    def stamp(self) -> RunStamp:
        """What made the run."""
        return self.run.stamp

    @property
    def accuracy(self) -> list[float]:
        """The mean score of each problem that has gold, over its variants and repeats, as ``srt score`` takes it."""
        return list(mean_values(self.run.scores.values()).values())

    @property
    def standard_error(self) -> float:
        """That of the mean of :attr:`accuracy`, problems taken as independent: what those tools show themselves."""
        values = self.accuracy
        return statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0

    def pictures(self, question: Question) -> list[str]:
        """The absolute paths of the pictures that were shown."""
        return [str((self.problems.parent / image.path).absolute()) for image in question.images]


def read_exported(folder: Path) -> Exported:
    """The scored run in ``folder``; raises as :func:`eval.runs.read_run` does."""
    run = read_run(folder)
    stamp = run.stamp
    asking = Asking(stamp.style, stamp.pictures, stamp.options)
    asked = []
    for question in find_benchmark(stamp.benchmark).ask(list(run.problems.values()), asking):
        place = (question.problem.id, question.variant)
        samples = [
            Sample(
                repeat,
                run.predictions.get((*place, repeat)),
                run.scores.get((*place, repeat)),
                run.checked.get((*place, repeat)),
            )
            for repeat in range(stamp.repeats)
        ]
        gold = question.problem.answer
        asked.append(Asked(question, canonical_text(gold) if gold else "", samples))
    made = datetime.fromtimestamp(int((folder / PREDICTIONS).stat().st_mtime), UTC)
    return Exported(run, asked, problems_path(run), made)


def file_name(text: str) -> str:
    """``text`` as part of a file's name: anything but letters, digits, dots and dashes becomes a dash."""
    return re.sub(r"[^\w.\-]+", "-", text).strip("-.") or "run"
