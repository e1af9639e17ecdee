"""A scored run read whole: its files, and the questions that its benchmark asks of its problems."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eval.benchmarks.benchmark import Asking, Question
from eval.benchmarks.registry import find_benchmark
from eval.run.run_records import (
    CHECKED,
    PREDICTIONS,
    SCORES,
    Checked,
    Run,
    RunManifest,
    read_manifest,
    read_rows_by_id,
    run_problems,
)
from srt.io.errors import UserError
from srt.io.records import Prediction, Problem, Score


def read_run(folder: Path) -> Run:
    """A scored run; a :class:`~srt.io.errors.UserError` where it was not scored, or generated further since."""
    manifest = read_manifest(folder)
    problems = run_problems(folder, manifest)
    if not (folder / SCORES).is_file():
        raise UserError(f"{folder}: not scored yet: {SCORES} is missing (srt score writes it)")
    questions = run_questions(manifest, problems)
    predictions = read_rows_by_id(folder / PREDICTIONS, Prediction, questions)
    scores = read_rows_by_id(folder / SCORES, Score, questions)
    checked = read_rows_by_id(folder / CHECKED, Checked, questions)
    if set(predictions) != set(checked) or not {key for key in predictions if problems[key[0]].answer} <= set(scores):
        raise UserError(f"{folder}: its scores are not of its predictions: score it again")
    return Run(folder, manifest, problems, questions, predictions, scores, checked)


def run_questions(manifest: RunManifest, problems: dict[str, Problem]) -> dict[tuple[str, str], Problem]:
    """What the run asks of ``problems``: each problem as asked, by its id and variant."""
    asked = asked_questions(manifest, problems)
    return {(question.problem.id, question.variant): question.problem for question in asked}


def asked_questions(manifest: RunManifest, problems: dict[str, Problem]) -> Iterator[Question]:
    """The questions of the run in the order in which they were asked, with their messages and pictures."""
    asking = Asking(manifest.style, manifest.pictures, manifest.options)
    return find_benchmark(manifest.benchmark).ask(list(problems.values()), asking)
