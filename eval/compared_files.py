"""Files of other systems' predictions beside runs: each is scored like a run, and then compared like one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from eval.benchmarks.benchmark_registry import chosen_options, find_benchmark
from eval.evaluation import run_evaluation
from eval.predictions import tables
from eval.predictions.formats import SUFFIXES, read_given
from eval.records.run_records import SCORES, read_manifest
from eval.run.eval_recipe import make_eval_recipe
from eval.run.given_predictions import BACKEND
from srt.io.errors import UserError
from srt.io.locations import sha256_of
from srt.io.record_reader import read_records
from srt.io.records import Score

RUNS = "runs"
"""The folder of the scored files, in the folder of the report."""


class _System(NamedTuple):
    """One system: its name in the report, its name in the files, and the files with its answers."""

    arm: str
    model: str
    files: list[Path]


class _Asked(NamedTuple):
    """What all of them are scored by."""

    problems: Path
    benchmark: str
    options: Mapping[str, str]
    policy: str


def runs_of(
    given: Sequence[Path],
    output: Path,
    *,
    problems: Path | None,
    benchmark: str | None,
    options: Mapping[str, str],
    columns: Mapping[str, str],
    policy: str | None,
) -> list[Path]:
    """The folders of scored runs for ``given``: such folders themselves, and files of predictions.

    A file is scored into the folder ``output/runs``, or was already. Problems, benchmark and policy are those of the
    first folder unless they are given. Files of one system that another tool wrote, one for each task, are one run; a
    file with several systems is a run for each. The folder of a run has the name of its system and the first letters of
    a digest of all that its scores depend on: a file that changed is scored anew, in another folder.

    Raises:
        UserError: no problems are named, for files alone; or as :func:`eval.evaluation.run_evaluation` does.
    """
    files = [path for path in given if path.is_file() or (path.suffix.lower() in SUFFIXES and not path.is_dir())]
    folders = [path for path in given if path not in files]
    if not files:
        if problems is not None:
            raise UserError(f"--problems {problems}: goes with files of predictions; runs know their own problems")
        return list(given)
    asked = _asked(folders, files, problems, benchmark, options, policy)
    scored: dict[Path, list[Path]] = {}
    for system in _systems(files, columns, {read_manifest(folder).arm for folder in folders}):
        run = _folder(output / RUNS, system, asked, columns)
        recipe = {
            "backend": BACKEND,
            "predictions": system.files,
            "columns": dict(columns),
            "model": system.model,
            "arm": system.arm,
            "output": run,
            **asked._asdict(),
        }
        run_evaluation(make_eval_recipe(recipe))
        for file in system.files:
            scored.setdefault(file, []).append(run)
    # In the order in which they were named: the first arm is the reference.
    ordered = [run for path in given for run in scored.get(path, [path])]
    return list(dict.fromkeys(ordered))


def _asked(
    folders: Sequence[Path],
    files: Sequence[Path],
    problems: Path | None,
    benchmark: str | None,
    options: Mapping[str, str],
    policy: str | None,
) -> _Asked:
    first = read_manifest(folders[0]) if folders else None
    if problems is None and first is None:
        raise UserError(f"--problems: missing, the file of the problems that {files[0]} has answers to")
    if policy is None and folders:
        policy = next((row.policy for row in read_records(folders[0] / SCORES, Score)), None)
    if benchmark is None and first is not None:
        benchmark, options = first.benchmark, {**first.options, **options}
    benchmark = benchmark or "plain"
    if problems is None:
        assert first is not None
        problems = folders[0] / first.problems.path
    if not problems.is_file():
        raise UserError(f"{problems}: no such file; the problems that {files[0]} has answers to were expected")
    return _Asked(problems, benchmark, chosen_options(find_benchmark(benchmark), options), policy or "strict")


def _systems(files: Sequence[Path], columns: Mapping[str, str], taken: set[str]) -> list[_System]:
    """The systems with answers in ``files``; no two have a name, and none one of those ``taken``."""
    found: dict[str, _System] = {}
    for file in files:
        given = read_given(file, columns)
        if not given.rows:
            raise UserError(f"{file}: no prediction in this file; at least one was expected")
        for model in given.models:
            # Other tools write a file for each task. Of two tables of one name, each is a system of its own.
            if given.format != tables.NAME and (known := found.get(f"{given.format} {model}")):
                known.files.append(file)
                continue
            arm = model if model not in taken else f"{model} ({file.name})"
            if arm in taken:
                raise UserError(f"{file}: {arm!r} names another system already; give the file another name")
            taken.add(arm)
            found[f"{given.format} {model}" if given.format != tables.NAME else arm] = _System(arm, model, [file])
    return list(found.values())


def _folder(runs: Path, system: _System, asked: _Asked, columns: Mapping[str, str]) -> Path:
    made_from = [
        system.arm,
        system.model,
        [sha256_of(file) for file in system.files],
        sorted(columns.items()),
        sha256_of(asked.problems),
        asked.benchmark,
        sorted(asked.options.items()),
    ]
    digest = hashlib.sha256(orjson.dumps(made_from)).hexdigest()[:8]
    name = re.sub(r"[^\w.\-]+", "-", system.arm).strip("-.")[:80] or "run"
    return runs / f"{name}-{digest}"
