"""Score the predictions of a run: answers against gold, and, separately, the checker's verdicts on the traces.

Writes ``scores.jsonl``, ``checked.jsonl`` and ``summary.json`` beside the predictions. It never generates, and writes
the same bytes each time.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from eval.backends.token_counts import ReferenceTokenizer
from eval.benchmarks.registry import find_benchmark
from eval.run.run_records import (
    CHECKED,
    PREDICTIONS,
    SCORES,
    SUMMARY,
    Checked,
    RowId,
    Run,
    RunManifest,
    read_manifest,
    read_rows_by_id,
    run_problems,
    write_json,
)
from eval.run.scored_run import run_questions
from eval.run.sharding import merge_shards
from eval.scoring.arm_summary import ArmSummary, summarise
from srt.answers.equality import POLICIES, PolicyName, equal_to_gold
from srt.answers.equality.math_verify_client import shared_math_verify
from srt.answers.extraction import extract, without_think_tags
from srt.io.errors import UserError
from srt.io.jsonl import write_records
from srt.io.records import Answer, Prediction, Problem, Score
from srt.language.prompts import THINK_OPENS
from srt.language.text import TraceSyntaxError, parse
from srt.language.trace import Trace, TraceCheck

Checker = Callable[[Problem, Trace], TraceCheck]
Grade = Callable[[Problem, Answer], float]


def score(
    folder: str | Path,
    problems: str | Path | None = None,
    *,
    checker: Checker | None = None,
    policy: PolicyName = "strict",
    reference_tokenizer: str | Path | None = None,
) -> ArmSummary:
    """Score the run in ``folder``.

    ``problems`` is the file that the run was made with, where it is no longer at its old place. ``checker`` is
    :func:`srt.pipeline.check.check_with_truth` if none is given. ``policy`` says when a number, an expression or a unit
    equals gold (:data:`srt.answers.equality.POLICIES`). A problem without a gold answer is not scored, and counted; one
    with gold and without a prediction is scored 0 with the status ``error``, and counted; one whose gold is not
    understood, so that only the same text (or math-verify) can meet it, is scored and named in the summary.
    ``reference_tokenizer`` is a folder with a tokenizer by which the texts are counted too, so that models with others
    can be compared.

    Raises:
        UserError: no run in the folder, other problems than it was made with, no gold answer at all, no tokenizer.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    if not merge_shards(folder):
        raise UserError(f"{folder}: processes that share this run are still writing to it; wait until they end")
    by_id = run_problems(folder, manifest, None if problems is None else Path(problems))
    questions = run_questions(manifest, by_id)
    predictions = read_rows_by_id(folder / PREDICTIONS, Prediction, questions)
    reference = None if reference_tokenizer is None else ReferenceTokenizer(reference_tokenizer)
    if not any(problem.answer for problem in by_id.values()):
        raise UserError(f"{folder}: none of its problems has a gold answer to score against")
    if checker is None:
        from srt.pipeline.check import check_with_truth

        checker = check_with_truth
    scores = _scores(manifest, questions, predictions, policy)
    if reference is not None:
        for key in scores.keys() & predictions.keys():
            counted = {
                "reference_tokens": reference.count(predictions[key].text),
                "reference_tokenizer": reference.name,
            }
            scores[key] = scores[key].model_copy(update=counted)
    checked = {key: check_prediction(questions[key[:2]], row, checker) for key, row in predictions.items()}
    run = Run(folder, manifest, by_id, questions, predictions, scores, checked)
    summary = summarise(run)
    write_records(folder / SCORES, scores.values())
    write_records(folder / CHECKED, checked.values())
    write_json(folder / SUMMARY, summary)
    return summary


def score_prediction(
    problem: Problem, prediction: Prediction, policy: PolicyName = "strict", grade: Grade | None = None
) -> Score:
    """Compare one prediction with the gold answer of its problem, which must have one, under ``policy``.

    ``grade``, if the benchmark has one, gives the credit in place of equality.
    """
    if problem.answer is None:
        raise ValueError(f"problem {problem.id} has no gold answer")
    # The prompt of some models opens the think block. If the token budget ended inside it, there are drafts, no answer.
    unfinished = prediction.thinking == "open" and prediction.finish_reason == "length"
    text = f"{THINK_OPENS}{prediction.text}" if unfinished else prediction.text
    found = extract(text, problem, prediction.finish_reason)
    compared, value = None, 0.0
    if found.answer is not None and grade is not None:
        value = grade(problem, found.answer)
    elif found.answer is not None and found.text is not None:
        compared = equal_to_gold(problem, found.text, POLICIES[policy], shared_math_verify().same)
        value = float(compared.equal)
    return Score(
        problem_id=problem.id,
        variant=prediction.variant,
        repeat=prediction.repeat,
        value=value,
        extracted=found.text,
        status=found.status,
        how=compared.how if compared else "credit" if found.answer is not None else None,
        policy=policy,
    )


def check_prediction(problem: Problem, prediction: Prediction, checker: Checker) -> Checked:
    """Parse the text of ``prediction`` as a trace, and check its steps."""
    where = {"problem_id": problem.id, "variant": prediction.variant, "repeat": prediction.repeat}
    try:
        parsed = parse(without_think_tags(prediction.text))
    except TraceSyntaxError as error:
        return Checked(**where, fault=str(error))
    if parsed.kind == "cot":
        return Checked(**where, kind="cot")
    try:
        trace = parsed.trace(prediction.key, problem.id)
        return Checked(**where, kind=parsed.kind, check=checker(problem, trace))
    except (UserError, ValidationError) as error:
        return Checked(**where, kind=parsed.kind, refusal=" ".join(str(error).split()))


def _scores(
    manifest: RunManifest,
    questions: dict[tuple[str, str], Problem],
    predictions: dict[RowId, Prediction],
    policy: PolicyName,
) -> dict[RowId, Score]:
    scores = {}
    grade = find_benchmark(manifest.benchmark).grade
    asked = {question: problem for question, problem in questions.items() if problem.answer is not None}
    for key in ((*question, repeat) for question in asked for repeat in range(manifest.repeats)):
        problem_id, variant, repeat = key
        if prediction := predictions.get(key):
            scores[key] = score_prediction(asked[problem_id, variant], prediction, policy, grade)
        else:
            missing = {"value": 0.0, "extracted": None, "status": "error", "policy": policy}
            scores[key] = Score(problem_id=problem_id, variant=variant, repeat=repeat, **missing)
    return scores
