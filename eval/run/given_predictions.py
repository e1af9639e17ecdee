"""Predictions of another system, from a file, as a run: scored and compared like one that was generated here.

The file is a table (CSV with any usual separator, TSV), JSON, JSON Lines or Parquet with the columns ``id`` (or
``problem_id``) and ``prediction``: all that the system wrote, or its answer alone. ``output_tokens``, ``input_tokens``,
``reasoning_tokens`` (part of the output), ``finish_reason`` (a text that the token budget cut off is truncated, not
complete), ``variant`` (of a benchmark that asks a problem in several) and ``repeat`` (0, 1, ..., of several samples)
may be there. What is not given is not known: such a run has no tokens, no settings, and texts that count as complete.
"""

from __future__ import annotations

import hashlib
import platform
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import shorten
from typing import Any, NamedTuple

import orjson

import srt
from eval.benchmarks.benchmark_registry import chosen_options, find_benchmark
from eval.benchmarks.external.external_rows import Row, rows_of
from eval.records.run_records import MANIFEST, PREDICTIONS, RunManifest, describe_problems, write_json
from eval.records.run_rows import RowId
from eval.run.finish_reasons import KNOWN, finish_reason
from eval.run.predict import PredictSummary, check_folder
from eval.run.scored_run import run_questions
from srt.io.errors import UserError
from srt.io.folder_lock import hold_folder
from srt.io.problem_files import read_problems
from srt.io.progress import notice
from srt.io.record_writer import write_records
from srt.io.records import FinishReason, Prediction

BACKEND = "file"
_ID = ("id", "problem_id")
_TEXT = "prediction"
_COUNTS = ("output_tokens", "input_tokens", "reasoning_tokens")
_MOST_NAMED = 10
"""Missing predictions that a message names one by one."""


class _Given(NamedTuple):
    """One row, with the place that messages name."""

    place: str
    problem_id: str
    variant: str | None
    repeat: int
    text: str
    tokens: dict[str, int | None]
    finish_reason: FinishReason


def take_predictions(
    file: Path, problems: Path, output: Path, *, model: str, arm: str, benchmark: str, options: Mapping[str, str]
) -> PredictSummary:
    """Write the predictions in ``file`` on ``problems`` as a run to the folder ``output``.

    Predictions that are missing are named on standard error; scoring counts them as wrong.

    Raises:
        UserError: the file cannot be read or has no prediction; a column is missing or has a value that it cannot
            have; ids that are not in ``problems``; two predictions for one problem (and variant, and repeat).
    """
    by_id = read_problems(problems)
    given = list(_rows(file))
    if not given:
        raise UserError(f"{file}: no prediction in this file; at least one was expected")
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
        model={"model": model, "predictions": file.name},
        versions={"python": platform.python_version(), "srt": srt.__version__},
    )
    asked = run_questions(manifest, by_id)
    variants: dict[str, list[str]] = defaultdict(list)
    for problem_id, variant in asked:
        variants[problem_id].append(variant)
    _refuse_unknown(problems, given, variants)
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
            f"{file}: {len(missing)} of {len(every)} predictions are missing and count as wrong: "
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


def _rows(file: Path) -> Iterator[_Given]:
    for row in rows_of(file):
        named = [name for name in _ID if name in row.values]
        if not named or _TEXT not in row.values:
            missing = _TEXT if named else "id"
            raise UserError(
                f"{row.place}: no column {missing!r}; the columns id and prediction are needed, this file has "
                f"{', '.join(row.values)}"
            )
        problem_id = "" if row.values[named[0]] is None else str(row.values[named[0]]).strip()
        if not problem_id:
            raise UserError(f"{row.place}: {named[0]}: empty; the id of a problem was expected")
        variant = row.values.get("variant")
        yield _Given(
            row.place,
            problem_id,
            None if variant in (None, "") else str(variant),
            _whole(row, "repeat") or 0,
            _text(row),
            _tokens(row),
            _finish_reason(row),
        )


def _text(row: Row) -> str:
    value = row.values[_TEXT]
    if value is None or value != value:  # NaN, from pandas
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise UserError(f"{row.place}: {_TEXT}: a text was expected, not {type(value).__name__}")


def _tokens(row: Row) -> dict[str, int | None]:
    counts = {name: _whole(row, name) for name in _COUNTS}
    output, reasoning = counts["output_tokens"], counts["reasoning_tokens"]
    if output is not None and reasoning is not None and reasoning > output:
        raise UserError(
            f"{row.place}: reasoning_tokens: {reasoning}, and output_tokens {output}: reasoning is part of the output, "
            "so at most as many were expected"
        )
    return counts


def _finish_reason(row: Row) -> FinishReason:
    """How the text ended; where the file does not say, it counts as complete."""
    value = row.values.get("finish_reason")
    if value is None or value != value or (isinstance(value, str) and not value.strip()):  # NaN, from pandas
        return "stop"
    found = finish_reason(value) if isinstance(value, str) else None
    if found is None:
        raise UserError(
            f"{row.place}: finish_reason: {shorten(repr(value), 80)} is not known; the words for it are {KNOWN}"
        )
    return found


def _whole(row: Row, name: str) -> int | None:
    """A whole number of at least 0; ``None`` where the cell is empty or the column is missing."""
    value: Any = row.values.get(name)
    if value is None or (isinstance(value, str) and not value.strip()) or value != value:  # NaN, from pandas
        return None
    # As pandas writes them: a column of whole numbers with gaps has 12.0.
    if isinstance(value, bool) or not (digits := re.fullmatch(r"\s*([0-9]{1,15})(\.0*)?\s*", str(value))):
        raise UserError(
            f"{row.place}: {name}: a whole number, or nothing, was expected, not {shorten(repr(value), 80)}"
        )
    return int(digits[1])


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


def _refuse_unknown(problems: Path, given: list[_Given], known: Mapping[str, list[str]]) -> None:
    unknown = [one for one in given if one.problem_id not in known]
    if unknown:
        raise UserError(
            f"{unknown[0].place}: id: {unknown[0].problem_id!r} is not in {problems} (the first of {len(unknown)} such "
            f"of {len(given)} rows); the ids there are like {next(iter(known))!r}"
        )


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
