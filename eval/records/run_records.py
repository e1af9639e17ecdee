"""The files of a run folder: one arm's predictions on one file of problems, and how they were made.

``run.json`` (:class:`RunManifest`) is written first, ``predictions.jsonl`` grows while generating; ``scores.jsonl``,
``checked.jsonl`` and ``summary.json`` are written by scoring and can be made again from the first two.
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import orjson
from pydantic import BaseModel, Field

from eval.backends.protocol import GenerationSettings
from eval.records.run_rows import RowId, StoredCheck, StoredPrediction, StoredScore
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.locations import sha256_of
from srt.io.problem_files import read_problems
from srt.io.record_lines import parse_record
from srt.io.records import Message, Problem, Record
from srt.language.prompts import PromptStyle

MANIFEST = "run.json"
PREDICTIONS = "predictions.jsonl"
SCORES = "scores.jsonl"
CHECKED = "checked.jsonl"
SUMMARY = "summary.json"

T = TypeVar("T")
D = TypeVar("D", bound="DerivedFromScores")


class ProblemsFile(Record):
    """The problems of a run. ``path`` is relative to the run folder, so that a tree of runs can be moved."""

    path: str
    sha256: str
    count: int


class Shot(Record):
    """A worked example before every question of a run: the turns of a training problem and of its completion."""

    problem_id: str
    messages: list[Message]


class RunManifest(Record):
    """What made the predictions of a run. ``model`` and ``versions`` are for readers, the rest identifies the run.

    ``pictures`` says whether the model was shown them; ``options`` are those of the benchmark; ``prompts`` are the
    texts that replaced ours, by ``lang/name``; ``shots`` stand before every question. Without
    ``settings`` the predictions came from a file, and how they were asked for is not known.
    """

    arm: str
    backend: str
    fingerprint: str
    settings: GenerationSettings | None
    style: PromptStyle
    pictures: bool
    benchmark: str
    options: dict[str, str]
    prompts: dict[str, str] = Field(default_factory=dict)
    shots: list[Shot] = Field(default_factory=list)
    repeats: int
    problems: ProblemsFile
    model: dict[str, str]
    versions: dict[str, str]


ARM_FIELDS = ("backend", "settings", "style", "pictures", "benchmark", "options", "prompts", "shots", "repeats")
"""The fields of a manifest that all runs (training seeds) of one arm share, besides the problems."""


def differences_between(first: RunManifest, second: RunManifest, fields: Iterable[str]) -> list[str]:
    """Those of ``fields`` in which two manifests differ."""
    return [field for field in fields if getattr(first, field) != getattr(second, field)]


def generation_unknown(arm: str) -> str:
    """What :func:`settings_apart` says of an arm whose predictions another system made."""
    return f"how {arm} was generated is not known"


def settings_apart(first: RunManifest, second: RunManifest) -> list[str]:
    """What differs between the runs of two arms besides the weights and the problems, one phrase each: ``max_new_tokens
    512 against 2048``. Facts about the model count where both name them, apart from its path and its adapter."""
    unknown = [generation_unknown(each.arm) for each in (first, second) if each.settings is None]
    if unknown:
        sides = [{name: getattr(each, name) for name in ("benchmark", "options")} for each in (first, second)]
        return [*_apart(*sides), *unknown]
    sides = [_settings(manifest) for manifest in (first, second)]
    facts = [{key: value for key, value in each.model.items() if key not in _WEIGHTS} for each in (first, second)]
    shared = facts[0].keys() & facts[1].keys()
    if all(each.settings and each.settings.max_pixels for each in (first, second)):
        shared -= {"picture_limits"}  # those of the processors, which the settings replace
    for side, fact in zip(sides, facts, strict=True):
        side.update({key: value for key, value in sorted(fact.items()) if key in shared})
    return _apart(*sides)


def _apart(one: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    return [
        f"{name.replace('_', ' ')} {_said(one.get(name))} against {_said(other.get(name))}"
        for name in dict.fromkeys([*one, *other])
        if one.get(name) != other.get(name)
    ]


def _said(value: object) -> object:
    return "none" if value is None else value


_WEIGHTS = ("model", "adapter", "adapter_fits", "served", "warning")


def _settings(manifest: RunManifest) -> dict[str, object]:
    """Everything in a manifest that should be the same for two arms, by name."""
    decode = manifest.settings and manifest.settings.decode
    return {
        "backend": manifest.backend,
        **(manifest.settings.model_dump(mode="json") if manifest.settings else {}),
        "decode": None if decode is None else str(decode),
        "prompt style": manifest.style,
        "pictures": manifest.pictures,
        "benchmark": manifest.benchmark,
        **{f"option {name}": value for name, value in manifest.options.items()},
        **{f"prompt {name}": _short_hash(text) for name, text in manifest.prompts.items()},
        "shots": ", ".join(shot.problem_id for shot in manifest.shots) or "none",
        "samples a question": manifest.repeats,
        **{f"version of {name}": value for name, value in manifest.versions.items()},
    }


@dataclass(frozen=True)
class Run:
    """A scored run folder; rows are keyed by problem, variant and repeat, and texts stay on disk.

    ``questions`` are the problems as they were asked, by problem and variant.
    """

    folder: Path
    manifest: RunManifest
    problems: dict[str, Problem]
    questions: dict[tuple[str, str], Problem]
    predictions: dict[RowId, StoredPrediction]
    scores: dict[RowId, StoredScore]
    checked: dict[RowId, StoredCheck]

    @property
    def scored_problems(self) -> list[Problem]:
        """The problems that have scores, in the order of their file."""
        scored = {row.problem_id for row in self.scores.values()}
        return [problem for ident, problem in self.problems.items() if ident in scored]

    def scores_by_problem(self) -> dict[str, list[RowId]]:
        """The keys of the scores of each problem, in the order of the questions."""
        rows: dict[str, list[RowId]] = {}
        order = {question: place for place, question in enumerate(self.questions)}
        for key in sorted(self.scores, key=lambda key: (order[key[:2]], key[2])):
            rows.setdefault(key[0], []).append(key)
        return rows

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


def same_problem(one: Problem, other: Problem) -> bool:
    """Whether two records are of one problem: their pictures may lie at other paths, with the same bytes."""
    return one.model_copy(update={"images": []}) == other.model_copy(update={"images": []}) and [
        image.sha256 for image in one.images
    ] == [image.sha256 for image in other.images]


def same_problems(first: Run, second: Run) -> bool:
    """Whether two runs were made with the same problems, in one file or in two."""
    if first.manifest.problems.sha256 == second.manifest.problems.sha256:
        return True
    return first.problems.keys() == second.problems.keys() and all(
        same_problem(problem, second.problems[ident]) for ident, problem in first.problems.items()
    )


def pooled(runs: Sequence[Run]) -> Run:
    """The training runs of one arm as one run: the repeats of each follow those of the runs before it."""
    first = runs[0]
    if len(runs) == 1:
        return first
    per_run = first.manifest.repeats

    def moved(rows: Iterable[dict[RowId, T]]) -> dict[RowId, T]:
        return {
            (problem, variant, repeat + number * per_run): row
            for number, of_run in enumerate(rows)
            for (problem, variant, repeat), row in of_run.items()
        }

    return replace(
        first,
        manifest=first.manifest.model_copy(update={"repeats": per_run * len(runs)}),
        predictions=moved(run.predictions for run in runs),
        scores=moved(run.scores for run in runs),
        checked=moved(run.checked for run in runs),
    )


def read_manifest(folder: Path) -> RunManifest:
    """The manifest of the run in ``folder``; a :class:`~srt.io.errors.UserError` where it is missing or malformed."""
    try:
        return parse_record((folder / MANIFEST).read_bytes(), RunManifest, str(folder / MANIFEST))
    except (FileNotFoundError, NotADirectoryError):
        trained = (folder / "train.json").is_file()
        what = "a training run; evaluate it first with srt eval" if trained else "srt eval writes it"
        raise UserError(f"{folder}: no run here: {MANIFEST} is missing ({what})") from None


def write_json(path: Path, record: BaseModel) -> None:
    """Write ``record`` to ``path`` atomically, indented, its keys sorted."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    write_atomically(path, [orjson.dumps(record.model_dump(mode="json"), option=options)])


def describe_problems(path: Path, folder: Path, count: int) -> ProblemsFile:
    """The manifest's entry for the problems file at ``path``."""
    return ProblemsFile(path=os.path.relpath(path, folder), sha256=sha256_of(path), count=count)


def run_problems(folder: Path, manifest: RunManifest, path: Path | None = None) -> dict[str, Problem]:
    """The problems of a run, from ``path`` or from where the manifest says; a UserError if the file has changed."""
    if path is None:
        path = Path(os.path.normpath(folder / manifest.problems.path))
        if not path.is_file():
            raise UserError(
                f"{path}: the problems of the run {folder} are no longer there; say where they are now: "
                f"srt score {folder} --problems FILE"
            )
    problems = read_problems(path)
    if sha256_of(path) != manifest.problems.sha256:
        raise UserError(f"{path}: not the problems that the run {folder} was made with: the file's SHA-256 differs")
    return problems


def problems_path(run: Run) -> Path:
    """The file of problems that the manifest of ``run`` names; pictures are relative to its folder."""
    return Path(os.path.normpath(run.folder / run.manifest.problems.path))


def scores_sha256(folder: Path) -> str:
    """SHA-256 (hex) of the scores in ``folder``; what is made from them keeps it, so that it is known to be stale."""
    return sha256_of(folder / SCORES)


def mean_values(scores: Iterable[StoredScore]) -> dict[str, float]:
    """The score of each problem: the mean over its variants and repeats."""
    values: dict[str, list[float]] = defaultdict(list)
    for row in scores:
        values[row.problem_id].append(row.value)
    return {problem_id: sum(rows) / len(rows) for problem_id, rows in values.items()}


def given_counts(counts: Iterable[int | None]) -> list[int]:
    """Token counts; an empty list where one is not given: figures of the others would be of other problems."""
    every = list(counts)
    known = [count for count in every if count is not None]
    return known if len(known) == len(every) else []


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


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
