"""Score the predictions of a run: answers against gold, and, separately, the checker's verdicts on the traces.

Writes ``scores.jsonl``, ``checked.jsonl`` and ``summary.json`` beside the predictions. It never generates, and writes
the same bytes each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from eval.backends.token_counts import ReferenceTokenizer
from eval.benchmarks.benchmark_registry import find_benchmark
from eval.records.run_records import (
    CHECKED,
    MANIFEST,
    PREDICTIONS,
    SCORES,
    SUMMARY,
    RunManifest,
    describe_problems,
    read_manifest,
    run_problems,
    write_json,
)
from eval.records.run_rows import Checked, RowId, read_rows
from eval.run.scored_run import read_run, run_questions
from eval.run.sharding import merge_shards
from eval.scoring.arm_summary import ArmSummary, summarise
from srt.answers.equality import PolicyName
from srt.answers.equality.math_verify_client import shared_math_verify
from srt.answers.score_text import Grade, score_text
from srt.io.errors import UserError
from srt.io.record_writer import write_records
from srt.io.records import Prediction, Problem, Score
from srt.io.worker_processes import Workers
from srt.judging.judge import Checker
from srt.judging.judge_many import judge_within_limit
from srt.language.prompts import THINK_OPENS

_CHUNK: Final = 16
_FEW: Final = 256
"""So many predictions take about as long as processes take to start."""


def score(
    folder: str | Path,
    problems: str | Path | None = None,
    *,
    checker: Checker | None = None,
    policy: PolicyName = "strict",
    reference_tokenizer: str | Path | None = None,
    workers: int = 1,
) -> ArmSummary:
    """Score the run in ``folder``.

    ``problems`` is the file that the run was made with, where it is no longer at its old place; the run then remembers
    the new one, for all commands that read it. ``checker`` is
    :func:`srt.pipeline.check.check_with_truth` if none is given. ``policy`` says when a number, an expression or a unit
    equals gold (:data:`srt.answers.equality.POLICIES`). A problem without a gold answer is not scored, and counted; one
    with gold and without a prediction is scored 0 with the status ``error``, and counted; one whose gold is not
    understood, so that only the same text (or math-verify) can meet it, is scored and named in the summary.
    ``reference_tokenizer`` is a folder with a tokenizer by which the texts are counted too, so that models with others
    can be compared. ``workers`` processes share the work; the files do not depend on them.

    Raises:
        UserError: no run in the folder, other problems than it was made with, no gold answer at all, no tokenizer,
            predictions that are all errors.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    # First of all: a process that still writes would make this a score of half a run.
    if not merge_shards(folder):
        raise UserError(f"{folder}: processes that share this run are still writing to it; wait until they end")
    by_id = run_problems(folder, manifest, None if problems is None else Path(problems))
    questions = run_questions(manifest, by_id)
    reference = None if reference_tokenizer is None else ReferenceTokenizer(reference_tokenizer)
    if not any(problem.answer for problem in by_id.values()):
        raise UserError(
            f"{folder}: none of its problems has a gold answer to score against; run srt eval on problems with "
            "answers, or write the predictions out for those who have the answers (srt predictions)"
        )
    if checker is None:
        from srt.pipeline.check import check_with_truth

        checker = check_with_truth
    # Other back ends know what they prompted with.
    opened = manifest.backend == "server" and _template_opens_thought(
        row for _, row, _ in read_rows(folder / PREDICTIONS, Prediction, questions)
    )
    scores: dict[RowId, Score] = {}

    def rows() -> Iterator[_Row]:
        for key, row, _ in read_rows(folder / PREDICTIONS, Prediction, questions):
            if opened and row.thinking is None:
                row = row.model_copy(update={"thinking": "open"})
            yield _Row(key, questions[key[:2]], row)

    def checked(pool: Workers) -> Iterator[Checked]:
        """Scores and checks some predictions at a time, so that no more than their texts are in memory."""
        for key, text, found, verdicts in pool.map(_ScoreRow(policy, manifest.benchmark, checker), rows(), _CHUNK):
            if found is not None and reference is not None:
                counted = {"reference_tokens": reference.count(text), "reference_tokenizer": reference.name}
                found = found.model_copy(update=counted)
            if found is not None:
                scores[key] = found
            yield verdicts

    with Workers(workers, here=_FEW) as pool:
        write_records(folder / CHECKED, checked(pool))
    if scores and all(found.status == "error" for found in scores.values()):
        first = next(row for _, row, _ in read_rows(folder / PREDICTIONS, Prediction, questions))
        raise UserError(
            f"{folder}: none of its {len(scores)} predictions is an answer, so there is no score; the first: "
            f"{first.error}"
        )
    write_records(folder / SCORES, _in_order(manifest, questions, scores, policy))
    summary = summarise([read_run(folder, by_id)])
    # The summary after both files: where it is, they are whole.
    write_json(folder / SUMMARY, summary)
    # The new place last: if scoring fails, the run still knows the old one.
    if problems is not None:
        moved = describe_problems(Path(problems), folder, len(by_id))
        write_json(folder / MANIFEST, manifest.model_copy(update={"problems": moved}))
    return summary


class _Row(NamedTuple):
    """A prediction and its question."""

    key: RowId
    problem: Problem
    prediction: Prediction


@dataclass(frozen=True)
class _ScoreRow:
    """Scores and checks one prediction, in any process; no score where there is no gold answer."""

    policy: PolicyName
    benchmark: str
    checker: Checker

    def __call__(self, row: _Row) -> tuple[RowId, str, Score | None, Checked]:
        found = None
        if row.problem.answer is not None:
            # By name, in the process that needs it: a benchmark holds functions that may not be picklable.
            grade = find_benchmark(self.benchmark).grade
            found = score_prediction(row.problem, row.prediction, self.policy, grade)
        return row.key, row.prediction.text, found, check_prediction(row.problem, row.prediction, self.checker)


def score_prediction(
    problem: Problem, prediction: Prediction, policy: PolicyName = "strict", grade: Grade | None = None
) -> Score:
    """Compare one prediction with the gold answer of its problem, which must have one, under ``policy``.

    ``grade``, if the benchmark has one, gives the credit instead of equality.
    """
    text = f"{THINK_OPENS}{prediction.text}" if _is_unfinished_thought(prediction) else prediction.text
    same = shared_math_verify().same
    score = score_text(problem, text, prediction.finish_reason, policy=policy, grade=grade, same_formula=same)
    return score.model_copy(update={"variant": prediction.variant, "repeat": prediction.repeat})


def score_answer(problem: Problem, answer: str, policy: PolicyName, grade: Grade | None) -> Score:
    """Score ``answer`` alone, as if a model had ended its text with it; the rest as :func:`score_prediction`.

    The status is ``ok`` where ``answer`` could be read as one to ``problem``.
    """
    # Behind the marker that models are asked for: the same reader takes the answer out of every text.
    text = f"ANSWER: {answer}"
    prediction = Prediction(key="", problem_id=problem.id, text=text, finish_reason="stop", seconds=0.0)
    return score_prediction(problem, prediction, policy, grade)


def _template_opens_thought(predictions: Iterable[Prediction]) -> bool:
    """Whether most whole texts close a think block that they did not open.

    If so, the server's chat template opens the block without reporting it, and a text that closes none is an open
    thought.
    """
    whole = closed = 0
    for row in predictions:
        # A text that was cut off may have been about to close its block.
        if row.finish_reason == "stop":
            whole += 1
            closed += row.thinking == "closed" and not row.text.lstrip().startswith(THINK_OPENS)
    return 2 * closed > whole


def check_prediction(problem: Problem, prediction: Prediction, checker: Checker) -> Checked:
    """What ``srt.judge`` says of the text of ``prediction``, with the verdicts of ``checker``."""
    judged = judge_within_limit(
        problem,
        prediction.text,
        prediction.finish_reason,
        thinking_open=_is_unfinished_thought(prediction),
        checker=checker,
    )
    return Checked.of(judged, prediction)


def _is_unfinished_thought(prediction: Prediction) -> bool:
    """Whether the token budget ended inside a think block that the prompt opened: there are drafts, no answer."""
    return prediction.thinking == "open" and prediction.finish_reason == "length"


def _in_order(
    manifest: RunManifest, questions: dict[tuple[str, str], Problem], scores: dict[RowId, Score], policy: PolicyName
) -> Iterator[Score]:
    """The scores by question and repeat; a prediction that is missing scores 0."""
    asked = [question for question, problem in questions.items() if problem.answer is not None]
    for key in ((*question, repeat) for question in asked for repeat in range(manifest.repeats)):
        problem_id, variant, repeat = key
        # Scored 0 and not left out: a run must not gain by failing on the hard problems.
        missing = {"value": 0.0, "extracted": None, "status": "error", "policy": policy}
        yield scores.get(key) or Score(problem_id=problem_id, variant=variant, repeat=repeat, **missing)
