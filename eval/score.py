"""Score the predictions of a run: answers against gold, and, apart from that, what the checker says of the traces.

Writes ``scores.jsonl``, ``checked.jsonl`` and ``summary.json`` beside the predictions. Never generates, and gives the
same bytes each time.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from eval.backends.tokens import ReferenceTokenizer
from eval.benchmarks import find_benchmark
from eval.equality import Policy, equal
from eval.equality.verifier import shared_verifier
from eval.extract import extract, trace_text
from eval.runs import (
    CHECKED,
    PREDICTIONS,
    SCORES,
    SUMMARY,
    Checked,
    Run,
    RunStamp,
    read_rows_by_id,
    read_stamp,
    row_id,
    run_problems,
    run_questions,
    write_json,
)
from eval.sharding import merge_shards
from eval.summary import Summary, summarise
from srt.errors import UserError
from srt.jsonl import write_records
from srt.language.text import TraceSyntaxError, parse
from srt.language.trace import Trace, TraceCheck
from srt.prompts import THINK_OPENS
from srt.records import Answer, Prediction, Problem, Score

Checker = Callable[[Problem, Trace], TraceCheck]
Grade = Callable[[Problem, Answer], float]


def score(
    folder: str | Path,
    problems: str | Path | None = None,
    *,
    checker: Checker | None = None,
    policy: Policy = "strict",
    reference_tokenizer: str | Path | None = None,
) -> Summary:
    """Score the run in ``folder``.

    ``problems`` is the file that the run was made with, where it is no longer at its old place. ``checker`` is
    :func:`srt.verify.check_with_truth` if none is given. ``policy`` says when a number, an expression or a unit equals
    gold (:data:`eval.equality.POLICIES`). A problem without a gold answer is not scored, and counted; one with gold and
    without a prediction is scored 0 with the status ``error``, and counted; one whose gold is not understood, so that
    only the same text (or math-verify) can meet it, is scored and named in the summary. ``reference_tokenizer`` is a
    folder with a tokenizer by which the texts are counted too, so that models with others can be compared.

    Raises:
        UserError: no run in the folder, other problems than it was made with, no gold answer at all, no tokenizer.
    """
    folder = Path(folder)
    stamp = read_stamp(folder)
    if not merge_shards(folder):
        raise UserError(f"{folder}: processes that share this run are still writing to it; wait for them")
    by_id = run_problems(folder, stamp, None if problems is None else Path(problems))
    questions = run_questions(stamp, by_id)
    predictions = read_rows_by_id(folder / PREDICTIONS, Prediction, questions)
    reference = None if reference_tokenizer is None else ReferenceTokenizer(reference_tokenizer)
    if not any(problem.answer for problem in by_id.values()):
        raise UserError(f"{folder}: none of its problems has a gold answer, so there is nothing to score against")
    if checker is None:
        from srt.verify import check_with_truth

        checker = check_with_truth
    scores = _scores(stamp, questions, predictions, policy)
    if reference is not None:
        scores = {key: _counted(row, predictions.get(key), reference) for key, row in scores.items()}
    checked = {key: check_prediction(questions[key[:2]], row, checker) for key, row in predictions.items()}
    run = Run(folder, stamp, by_id, questions, predictions, scores, checked)
    summary = summarise(run)
    write_records(folder / SCORES, scores.values())
    write_records(folder / CHECKED, checked.values())
    write_json(folder / SUMMARY, summary)
    return summary


def score_prediction(
    problem: Problem, prediction: Prediction, policy: Policy = "strict", grade: Grade | None = None
) -> Score:
    """One prediction against the gold answer of its problem, which must have one, under ``policy``.

    ``grade``, where the benchmark has one, gives the credit in place of equality.
    """
    if problem.answer is None:
        raise ValueError(f"problem {problem.id} has no gold answer")
    # The prompt of some models opens the think block. One that the budget ended in holds drafts, and no answer.
    unfinished = prediction.thinking == "open" and prediction.finish_reason == "length"
    text = f"{THINK_OPENS}{prediction.text}" if unfinished else prediction.text
    found = extract(text, problem, prediction.finish_reason)
    compared, value = None, 0.0
    if found.answer is not None and grade is not None:
        value = grade(problem, found.answer)
    elif found.answer is not None and found.text is not None:
        compared = equal(
            problem.answer,
            found.text,
            question=problem.question,
            choices=problem.choices,
            policy=policy,
            same_formula=shared_verifier().same,
        )
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


def _counted(row: Score, prediction: Prediction | None, reference: ReferenceTokenizer) -> Score:
    if prediction is None:
        return row
    counted = {"reference_tokens": reference.count(prediction.text), "reference_tokenizer": reference.name}
    return row.model_copy(update=counted)


def check_prediction(problem: Problem, prediction: Prediction, checker: Checker) -> Checked:
    """Whether the text of ``prediction`` is a trace, and the checker's verdicts on its steps."""
    where = {"problem_id": problem.id, "variant": prediction.variant, "repeat": prediction.repeat}
    try:
        parsed = parse(trace_text(prediction.text))
    except TraceSyntaxError as error:
        return Checked(**where, fault=str(error))
    if parsed.kind == "cot":
        return Checked(**where, kind="cot")
    try:
        trace = Trace(
            id=prediction.key,
            problem_id=problem.id,
            kind=parsed.kind,
            lang=parsed.lang,
            steps=parsed.steps,
            answer=parsed.answer,
        )
        return Checked(**where, kind=parsed.kind, check=checker(problem, trace))
    except (UserError, ValidationError) as error:
        return Checked(**where, kind=parsed.kind, refusal=" ".join(str(error).split()))


def _scores(
    stamp: RunStamp,
    questions: dict[tuple[str, str], Problem],
    predictions: dict[tuple[str, str, int], Prediction],
    policy: Policy,
) -> dict[tuple[str, str, int], Score]:
    scores = {}
    grade = find_benchmark(stamp.benchmark).grade
    for (problem_id, variant), problem in questions.items():
        if problem.answer is None:
            continue
        for repeat in range(stamp.repeats):
            prediction = predictions.get((problem_id, variant, repeat))
            row = (
                score_prediction(problem, prediction, policy, grade)
                if prediction
                else Score(
                    problem_id=problem_id,
                    variant=variant,
                    repeat=repeat,
                    value=0.0,
                    extracted=None,
                    status="error",
                    policy=policy,
                )
            )
            scores[row_id(row)] = row
    return scores
