"""The files of a run folder: one arm's predictions on one file of problems, and how they were made.

``run.json`` (:class:`RunManifest`) is written first, ``predictions.jsonl`` grows while generating; ``scores.jsonl``,
``checked.jsonl`` and ``summary.json`` are written by scoring and can be made again from the first two.
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import orjson
from pydantic import BaseModel

from eval.backends.protocol import GenerationSettings
from srt.io.errors import UserError
from srt.io.jsonl import parse_record, read_records, write_atomically
from srt.io.problem_files import read_problems
from srt.io.records import Prediction, Problem, Record, Score
from srt.language.prompts import PromptStyle
from srt.language.trace import TraceCheck, TraceKind

MANIFEST = "run.json"
PREDICTIONS = "predictions.jsonl"
SCORES = "scores.jsonl"
CHECKED = "checked.jsonl"
SUMMARY = "summary.json"

R = TypeVar("R", Prediction, Score, "Checked")
D = TypeVar("D", bound="DerivedFromScores")
RowId = tuple[str, str, int]
"""Problem, variant and repeat: what identifies a row within a run."""


class ProblemsFile(Record):
    """The problems of a run. ``path`` is relative to the run folder, so that a tree of runs can be moved."""

    path: str
    sha256: str
    count: int


class RunManifest(Record):
    """What made the predictions of a run. ``model`` and ``versions`` are for readers, the rest identifies the run.

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


ARM_FIELDS = ("backend", "settings", "style", "pictures", "benchmark", "options", "repeats")
"""The fields of a manifest that all runs (training seeds) of one arm share, besides the problems."""


def differences_between(first: RunManifest, second: RunManifest, fields: Iterable[str]) -> list[str]:
    """Those of ``fields`` in which two manifests differ, and ``problems`` where the files have other contents."""
    different = [field for field in fields if getattr(first, field) != getattr(second, field)]
    return different if first.problems.sha256 == second.problems.sha256 else [*different, "problems"]


class RunRow(Record):
    """A row of a run's file that belongs to one prediction."""

    problem_id: str
    variant: str = "plain"
    repeat: int = 0

    @property
    def id(self) -> RowId:
        """What identifies the prediction within the run."""
        return self.problem_id, self.variant, self.repeat


class Checked(RunRow):
    """The trace language's and the checker's results on one prediction; they never count towards accuracy.

    ``kind`` is what the text parses as, ``fault`` why it does not parse. ``check`` holds the verdicts on its steps;
    ``refusal`` says why a text that has steps was not checked.
    """

    kind: TraceKind | None = None
    fault: str | None = None
    check: TraceCheck | None = None
    refusal: str | None = None

    @property
    def has_steps(self) -> bool:
        """Whether the text is a trace with steps (prose with an answer line is not)."""
        return self.kind in ("world", "free")

    @property
    def proved(self) -> bool:
        """Whether the checker proved the whole trace."""
        return self.check is not None and self.check.proved


@dataclass(frozen=True)
class Run:
    """A scored run folder, whole, in memory; rows are keyed by problem, variant and repeat.

    ``questions`` are the problems as they were asked, by problem and variant.
    """

    folder: Path
    manifest: RunManifest
    problems: dict[str, Problem]
    questions: dict[tuple[str, str], Problem]
    predictions: dict[RowId, Prediction]
    scores: dict[RowId, Score]
    checked: dict[RowId, Checked]

    @property
    def scored_problems(self) -> list[Problem]:
        """The problems that have scores, in the order of their file."""
        scored = {row.problem_id for row in self.scores.values()}
        return [problem for ident, problem in self.problems.items() if ident in scored]

    def restricted(self, only: Collection[str]) -> Run:
        """The run on the problems ``only``."""
        return replace(
            self,
            problems={key: value for key, value in self.problems.items() if key in only},
            questions={key: value for key, value in self.questions.items() if key[0] in only},
            predictions={key: row for key, row in self.predictions.items() if key[0] in only},
            scores={key: row for key, row in self.scores.items() if key[0] in only},
            checked={key: row for key, row in self.checked.items() if key[0] in only},
        )


def read_manifest(folder: Path) -> RunManifest:
    """The manifest of the run in ``folder``; a :class:`~srt.io.errors.UserError` where it is missing or malformed."""
    try:
        return parse_record((folder / MANIFEST).read_bytes(), RunManifest, str(folder / MANIFEST))
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{folder}: no run here: {MANIFEST} is missing (srt eval writes it)") from None


def write_json(path: Path, record: BaseModel) -> None:
    """Write ``record`` to ``path`` atomically, indented, its keys sorted."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    write_atomically(path, [orjson.dumps(record.model_dump(mode="json"), option=options)])


def describe_problems(path: Path, folder: Path, count: int) -> ProblemsFile:
    """The manifest's entry for the problems file at ``path``."""
    return ProblemsFile(path=os.path.relpath(path, folder), sha256=_sha256(path), count=count)


def run_problems(folder: Path, manifest: RunManifest, path: Path | None = None) -> dict[str, Problem]:
    """The problems of a run, from ``path`` or from where the manifest says; a UserError if the file has changed."""
    if path is None:
        path = Path(os.path.normpath(folder / manifest.problems.path))
        if not path.is_file():
            raise UserError(f"{path}: the problems of the run {folder} are no longer there; pass their file")
    problems = read_problems(path)
    if _sha256(path) != manifest.problems.sha256:
        raise UserError(f"{path}: not the problems that the run {folder} was made with: the file's SHA-256 differs")
    return problems


def problems_path(run: Run) -> Path:
    """The file of problems that the manifest of ``run`` names; pictures are relative to its folder."""
    return Path(os.path.normpath(run.folder / run.manifest.problems.path))


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


def scores_sha256(folder: Path) -> str:
    """SHA-256 (hex) of the scores in ``folder``; what is made from them keeps it, so that it is known to be stale."""
    return _sha256(folder / SCORES)


def mean_values(scores: Iterable[Score]) -> dict[str, float]:
    """The score of each problem: the mean over its variants and repeats."""
    values: dict[str, list[float]] = defaultdict(list)
    for row in scores:
        values[row.problem_id].append(row.value)
    return {problem_id: sum(rows) / len(rows) for problem_id, rows in values.items()}


class DerivedFromScores(Record):
    """A file that was made from a run's scores, which ``scores_sha256`` identifies."""

    scores_sha256: str


def read_derived(path: Path, model: type[D], command: str) -> D | None:
    """The record that ``command`` wrote to ``path`` in a run's folder; ``None`` where there is none.

    Raises:
        UserError: the scores have changed since.
    """
    if not path.is_file():
        return None
    record = parse_record(path.read_bytes(), model, str(path))
    if record.scores_sha256 != scores_sha256(path.parent):
        raise UserError(f"{path}: made from other scores than those there now: run {command} {path.parent} again")
    return record


def row_id(row: Prediction | Score | Checked) -> RowId:
    """What identifies a row within a run."""
    return row.problem_id, row.variant, row.repeat


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
