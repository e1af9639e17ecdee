"""A scored run, read: its files, and the questions that its benchmark asks of its problems."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eval.benchmarks.benchmark_registry import find_benchmark
from eval.benchmarks.definition.benchmark import Asking, Question
from eval.records.run_records import CHECKED, PREDICTIONS, SCORES, Run, RunManifest, read_manifest, run_problems
from eval.records.run_rows import stored_checks, stored_predictions, stored_scores
from srt.io.errors import UserError
from srt.io.records import Problem


def read_run(folder: Path, problems: dict[str, Problem] | None = None) -> Run:
    """A scored run; a :class:`~srt.io.errors.UserError` where it was not scored, or generated further since.

    ``problems`` are those that the run was made with, if they were read already.
    """
    manifest = read_manifest(folder)
    problems = problems or run_problems(folder, manifest)
    if not (folder / SCORES).is_file():
        if not any(problem.answer for problem in problems.values()):
            raise UserError(
                f"{folder}: none of its problems has a gold answer, so it has no scores; run srt eval on problems with "
                "answers, or write the predictions out for those who have the answers (srt predictions)"
            )
        raise UserError(f"{folder}: not scored yet: {SCORES} is missing; run srt score {folder}")
    questions = run_questions(manifest, problems)
    predictions = stored_predictions(folder / PREDICTIONS, questions)
    scores = stored_scores(folder / SCORES, questions)
    checked = stored_checks(folder / CHECKED, questions)
    if set(predictions) != set(checked) or not {key for key in predictions if problems[key[0]].answer} <= set(scores):
        raise UserError(f"{folder}: its scores are not of its predictions: score it again")
    return Run(folder, manifest, problems, questions, predictions, scores, checked)


def run_questions(manifest: RunManifest, problems: dict[str, Problem]) -> dict[tuple[str, str], Problem]:
    """What the run asks of ``problems``: each problem as asked, by its id and variant."""
    asked = asked_questions(manifest, problems)
    return {(question.problem.id, question.variant): question.problem for question in asked}


def asked_questions(manifest: RunManifest, problems: dict[str, Problem]) -> Iterator[Question]:
    """The questions of the run in the order in which they were asked, with their messages and pictures."""
    before = tuple(message for shot in manifest.shots for message in shot.messages)
    asking = Asking(manifest.style, manifest.pictures, manifest.options, manifest.prompts, before)
    return find_benchmark(manifest.benchmark).questions(list(problems.values()), asking)
