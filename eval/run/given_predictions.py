"""Predictions of another system, from files, as a run: scored and compared like one that was generated here.

:mod:`eval.predictions` reads the files and finds the problems. What is not given is not known: such a run may have no
tokens, has no settings, and texts count as complete unless the file says otherwise.
"""

from __future__ import annotations

import hashlib
import platform
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

import srt
from eval.benchmarks.benchmark_registry import chosen_options, find_benchmark
from eval.predictions.formats import read_given
from eval.predictions.joined_rows import PLACE, joined
from eval.predictions.tables import NAME as TABLE
from eval.records.run_records import MANIFEST, PREDICTIONS, RunManifest, describe_problems, write_json
from eval.records.run_rows import RowId
from eval.run.predict import PredictSummary, check_folder
from eval.run.scored_run import run_questions
from srt.io.errors import UserError
from srt.io.folder_lock import hold_folder
from srt.io.problem_files import read_problems
from srt.io.progress import notice
from srt.io.record_writer import write_records
from srt.io.records import FinishReason, Prediction, Problem

BACKEND = "file"
_MOST_NAMED = 10
"""Missing predictions that a message names one by one."""


class _Given(NamedTuple):
    """One row, with the place that messages name."""

    place: str
    problem_id: str
    variant: str | None
    repeat: int
    text: str
    tokens: Mapping[str, int | None]
    finish_reason: FinishReason


def take_predictions(
    files: Sequence[Path],
    problems: Path,
    output: Path,
    *,
    model: str,
    arm: str,
    benchmark: str,
    options: Mapping[str, str],
    columns: Mapping[str, str],
) -> PredictSummary:
    """Write the predictions in ``files`` on ``problems`` as a run to the folder ``output``.

    Several files are of one system, on parts of the problems. Where a file has the answers of several systems, those of
    ``model`` are taken. ``columns`` says what a table calls our columns. Predictions that are missing are named on
    standard error; scoring counts them as wrong.

    Raises:
        UserError: a file cannot be read or has no prediction; a column is missing or has a value that it cannot have;
            ids that are not in ``problems``; two predictions for one problem (and variant, and repeat); several
            systems, and none is ``model``.
    """
    by_id = read_problems(problems)
    given = [one for file in files for one in _taken(file, by_id, problems, model, columns)]
    repeats = _number_of_samples(given)
    chosen = find_benchmark(benchmark)
    fingerprint = hashlib.sha256(orjson.dumps([list(one[1:]) for one in given])).hexdigest()
    manifest = RunManifest(
        arm=arm,
        backend=BACKEND,
        fingerprint=fingerprint,
        settings=None,
        style="full",
        pictures=True,
        benchmark=benchmark,
        options=chosen_options(chosen, options),
        repeats=repeats,
        problems=describe_problems(problems, output, len(by_id)),
        model={"model": model, "predictions": ", ".join(file.name for file in files)},
        versions={"python": platform.python_version(), "srt": srt.__version__},
    )
    asked = run_questions(manifest, by_id)
    variants: dict[str, list[str]] = defaultdict(list)
    for problem_id, variant in asked:
        variants[problem_id].append(variant)
    taken: dict[RowId, _Given] = {}
    for one in given:
        key = (one.problem_id, _variant(one, variants[one.problem_id]), one.repeat)
        if key in taken:
            raise UserError(
                f"{one.place}: id: {one.problem_id!r} has a prediction already ({taken[key].place}); remove one, or "
                "number several samples of a problem in a column repeat (0, 1, ...)"
            )
        taken[key] = one
    every = [(*question, repeat) for question in asked for repeat in range(manifest.repeats)]
    if missing := [key for key in every if key not in taken]:
        notice(
            f"{', '.join(map(str, files))}: {len(missing)} of {len(every)} predictions are missing and count as wrong: "
            f"{_named(missing, every)}"
        )
    with hold_folder(output):
        check_folder(output, manifest)
        write_json(output / MANIFEST, manifest)
        write_records(output / PREDICTIONS, (_record(fingerprint, key, taken[key]) for key in every if key in taken))
    return PredictSummary(total=len(taken), generated=0)


def _named(missing: list[RowId], every: list[RowId]) -> str:
    """Which of ``every`` prediction are ``missing``: whole variants or repeats first, then single ones.

    ``roll-2 of all 30 problems; 'q4' (roll-1), 'q7' (plain, repeat 1)``.
    """
    several = [len({key[place] for key in every}) > 1 for place in (1, 2)]
    asked, gone = Counter(key[1:] for key in every), Counter(key[1:] for key in missing)
    # A roll that a file lacks altogether is one fault, not one for each problem.
    whole = [way for way, count in gone.items() if any(several) and count == asked[way] > 1]

    def said(way: tuple[str, int]) -> str:
        words = (way[0], f"repeat {way[1]}")
        return ", ".join(word for word, shown in zip(words, several, strict=True) if shown)

    single = [
        f"{key[0]!r} ({said(key[1:])})" if any(several) else repr(key[0]) for key in missing if key[1:] not in whole
    ]
    rows = [*single[:_MOST_NAMED], *([f"{len(single) - _MOST_NAMED} more"] if len(single) > _MOST_NAMED else [])]
    return "; ".join(
        [*(f"{said(way)} of all {asked[way]} problems" for way in whole), *filter(None, [", ".join(rows)])]
    )


def _taken(
    file: Path, by_id: Mapping[str, Problem], problems: Path, model: str, columns: Mapping[str, str]
) -> Iterator[_Given]:
    """The answers of ``model`` in ``file``, each with the id of its problem."""
    given = read_given(file, columns)
    if not given.rows:
        raise UserError(f"{file}: no prediction in this file; at least one was expected")
    models = given.models
    if len(models) > 1 and model not in models:
        raise UserError(
            f"{file}: model: the answers of {', '.join(models)}; choose one with --model, or compare all of them: "
            f"srt compare {file} --problems {problems} -o FOLDER"
        )
    found = joined(file, given, by_id, problems)
    if given.format != TABLE:
        how = "their place in the data set" if found.by == PLACE else found.by
        others = f"; {found.others} are about none of {problems} and left out" if found.others else ""
        notice(f"{file}: {given.format}, {len(given.rows)} answers; their problems by {how}{others}")
    for problem_id, row in found.rows:
        if len(models) == 1 or row.model == model:
            yield _Given(row.place, problem_id, row.variant, row.repeat, row.text, row.tokens, row.finish_reason)


def _number_of_samples(given: list[_Given]) -> int:
    """How many samples of a problem there are: some problems may lack some, but no number may be left out by all."""
    numbers = {one.repeat for one in given}
    gap = next(number for number in range(len(numbers) + 1) if number not in numbers)
    if gap < len(numbers):
        high = next(one for one in given if one.repeat > gap)
        raise UserError(
            f"{high.place}: repeat: {high.repeat}, and no row has {gap}: the samples of a problem are numbered 0, 1, "
            "..."
        )
    return len(numbers)


def _variant(one: _Given, variants: list[str]) -> str:
    if one.variant is None and len(variants) == 1:
        return variants[0]
    if one.variant not in variants:
        what = "missing" if one.variant is None else repr(one.variant)
        raise UserError(f"{one.place}: variant: {what}; problem {one.problem_id!r} is asked as {', '.join(variants)}")
    return one.variant


def _record(fingerprint: str, key: RowId, one: _Given) -> Prediction:
    problem_id, variant, repeat = key
    return Prediction(
        key=hashlib.sha256(f"{fingerprint} {problem_id} {variant} {repeat}".encode()).hexdigest(),
        problem_id=problem_id,
        variant=variant,
        repeat=repeat,
        text=one.text,
        **one.tokens,
        finish_reason=one.finish_reason,
        seconds=0.0,
    )
