"""A run folder: one arm's predictions on one file of problems, and what is known about how they were made.

``run.json`` (:class:`RunStamp`) is written first, ``predictions.jsonl`` grows while generating; ``scores.jsonl``,
``checked.jsonl`` and ``summary.json`` are written by scoring and can be made again from the first two.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import orjson
from pydantic import BaseModel

from eval.backends.protocol import GenerationSettings
from eval.benchmarks import find_benchmark
from eval.benchmarks.benchmark import Asking
from srt.errors import UserError
from srt.jsonl import parse_record, read_records, write_atomically
from srt.language.trace import TraceCheck, TraceKind
from srt.problems import read_problems
from srt.prompts import PromptStyle
from srt.records import Prediction, Problem, Record, Score

STAMP = "run.json"
PREDICTIONS = "predictions.jsonl"
SCORES = "scores.jsonl"
CHECKED = "checked.jsonl"
SUMMARY = "summary.json"

R = TypeVar("R", Prediction, Score, "Checked")
RowId = tuple[str, str, int]


class ProblemsFile(Record):
    """The problems of a run. ``path`` is relative to the run folder, so that a tree of runs can be moved."""

    path: str
    sha256: str
    count: int


class RunStamp(Record):
    """What made the predictions of a run. ``model`` and ``versions`` are for people, the rest identifies the run.

    ``pictures`` says whether the model was shown them; ``options`` are those of the benchmark.
    """

    arm: str
    backend: str
    fingerprint: str
    settings: GenerationSettings
    style: PromptStyle
    pictures: bool
    benchmark: str
    options: dict[str, str]
    repeats: int
    problems: ProblemsFile
    model: dict[str, str]
    versions: dict[str, str]


class Checked(Record):
    """What the trace language and the checker say of one prediction; it never enters accuracy.

    ``kind`` is what the text parses as, ``fault`` why it does not. ``check`` holds the verdicts on its steps;
    ``refusal`` says why there are none for a text that has steps.
    """

    problem_id: str
    variant: str = "plain"
    repeat: int = 0
    kind: TraceKind | None = None
    fault: str | None = None
    check: TraceCheck | None = None
    refusal: str | None = None

    @property
    def has_steps(self) -> bool:
        """Whether the text is a trace with steps (prose with an answer line is not)."""
        return self.kind in ("world", "free")


@dataclass(frozen=True)
class Run:
    """A scored run folder, whole, in memory; rows are keyed by problem, variant and repeat.

    ``questions`` are the problems as they were asked, by problem and variant.
    """

    folder: Path
    stamp: RunStamp
    problems: dict[str, Problem]
    questions: dict[tuple[str, str], Problem]
    predictions: dict[RowId, Prediction]
    scores: dict[RowId, Score]
    checked: dict[RowId, Checked]


def read_stamp(folder: Path) -> RunStamp:
    """The stamp of the run in ``folder``; a :class:`~srt.errors.UserError` where there is none or it is spoilt."""
    try:
        return parse_record((folder / STAMP).read_bytes(), RunStamp, str(folder / STAMP))
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{folder}: no run here: {STAMP} is missing (srt eval writes it)") from None


def write_json(path: Path, record: BaseModel) -> None:
    """Write ``record`` to ``path`` atomically, indented, its keys sorted."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    write_atomically(path, [orjson.dumps(record.model_dump(mode="json"), option=options)])


def describe_problems(path: Path, folder: Path, count: int) -> ProblemsFile:
    """The stamp's entry for the problems file at ``path``."""
    return ProblemsFile(path=os.path.relpath(path, folder), sha256=_sha256(path), count=count)


def run_problems(folder: Path, stamp: RunStamp, path: Path | None = None) -> dict[str, Problem]:
    """The problems of a run, from ``path`` or from where the stamp says; another file's bytes are a UserError."""
    if path is None:
        path = Path(os.path.normpath(folder / stamp.problems.path))
        if not path.is_file():
            raise UserError(f"{path}: the problems of the run {folder} are not there any more; name their file")
    problems = read_problems(path)
    if _sha256(path) != stamp.problems.sha256:
        raise UserError(f"{path}: not the problems that the run {folder} was made with: the file's SHA-256 differs")
    return problems


def problems_path(run: Run) -> Path:
    """The file of the problems of ``run``, where its stamp says that it lies; pictures are relative to its folder."""
    return Path(os.path.normpath(run.folder / run.stamp.problems.path))


def run_questions(stamp: RunStamp, problems: dict[str, Problem]) -> dict[tuple[str, str], Problem]:
    """What the run asks of ``problems``: each problem as asked, by its id and variant."""
    asking = Asking(stamp.style, stamp.pictures, stamp.options)
    asked = find_benchmark(stamp.benchmark).ask(list(problems.values()), asking)
    return {(question.problem.id, question.variant): question.problem for question in asked}


def read_rows_by_id(path: Path, model: type[R], questions: Collection[tuple[str, str]]) -> dict[RowId, R]:
    """Rows of a run's file by problem, variant and repeat; one that comes twice or was not asked is a UserError."""
    rows: dict[RowId, R] = {}
    for row in read_records(path, model):
        key = row_id(row)
        if key[:2] not in questions:
            raise UserError(f"{path}: problem {key[0]!r}, variant {key[1]!r}: not among the questions of the run")
        if key in rows:
            raise UserError(f"{path}: two rows for problem {key[0]!r}, variant {key[1]!r}, repeat {key[2]}")
        rows[key] = row
    return rows


def read_run(folder: Path) -> Run:
    """A scored run; a :class:`~srt.errors.UserError` where it was not scored, or generated further since."""
    stamp = read_stamp(folder)
    problems = run_problems(folder, stamp)
    if not (folder / SCORES).is_file():
        raise UserError(f"{folder}: not scored yet: {SCORES} is missing (srt score writes it)")
    questions = run_questions(stamp, problems)
    predictions = read_rows_by_id(folder / PREDICTIONS, Prediction, questions)
    scores = read_rows_by_id(folder / SCORES, Score, questions)
    checked = read_rows_by_id(folder / CHECKED, Checked, questions)
    if set(predictions) != set(checked) or not {key for key in predictions if problems[key[0]].answer} <= set(scores):
        raise UserError(f"{folder}: its scores are not of its predictions: score it again")
    return Run(folder, stamp, problems, questions, predictions, scores, checked)


def scores_sha256(folder: Path) -> str:
    """SHA-256 (hex) of the scores in ``folder``: what is made from them keeps it, and is known as stale by it."""
    return _sha256(folder / SCORES)


def row_id(row: Prediction | Score | Checked) -> RowId:
    """What identifies a row within a run."""
    return row.problem_id, row.variant, row.repeat


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
