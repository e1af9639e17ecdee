"""Score the predictions of a run: answers against gold, and, apart from that, what the checker says of the traces.

Writes ``scores.jsonl``, ``checked.jsonl`` and ``summary.json`` beside the predictions. Never generates, and gives the
same bytes each time.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

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
from eval.summary import Summary, summarise
from srt.answers import same
from srt.errors import UserError
from srt.jsonl import write_records
from srt.language.text import TraceSyntaxError, parse
from srt.language.trace import Trace, TraceCheck
from srt.records import Prediction, Problem, Score

Checker = Callable[[Problem, Trace], TraceCheck]


def score(folder: str | Path, problems: str | Path | None = None, *, checker: Checker | None = None) -> Summary:
    """Score the run in ``folder``.

    ``problems`` is the file that the run was made with, where it is no longer at its old place. ``checker`` is
    :func:`srt.verify.check_with_truth` if none is given. A problem without a gold answer is not scored, and counted;
    one with gold and without a prediction is scored 0 with the status ``error``, and counted.

    Raises:
        UserError: no run in the folder, other problems than it was made with, no gold answer at all.
    """
    folder = Path(folder)
    stamp = read_stamp(folder)
    by_id = run_problems(folder, stamp, None if problems is None else Path(problems))
    questions = run_questions(stamp, by_id)
    predictions = read_rows_by_id(folder / PREDICTIONS, Prediction, questions)
    if not any(problem.answer for problem in by_id.values()):
        raise UserError(f"{folder}: none of its problems has a gold answer, so there is nothing to score against")
    if checker is None:
        from srt.verify import check_with_truth

        checker = check_with_truth
    scores = _scores(stamp, questions, predictions)
    checked = {key: check_prediction(questions[key[:2]], row, checker) for key, row in predictions.items()}
    summary = summarise(Run(folder, stamp, by_id, questions, predictions, scores, checked))
    write_records(folder / SCORES, scores.values())
    write_records(folder / CHECKED, checked.values())
    write_json(folder / SUMMARY, summary)
    return summary


def score_prediction(problem: Problem, prediction: Prediction) -> Score:
    """One prediction against the gold answer of its problem, which must have one."""
    if problem.answer is None:
        raise ValueError(f"problem {problem.id} has no gold answer")
    found = extract(prediction.text, problem, prediction.finish_reason)
    right = found.answer is not None and same(problem.answer, found.answer)
    return Score(
        problem_id=problem.id,
        variant=prediction.variant,
        repeat=prediction.repeat,
        value=float(right),
        extracted=found.text,
        status=found.status,
    )


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
) -> dict[tuple[str, str, int], Score]:
    scores = {}
    for (problem_id, variant), problem in questions.items():
        if problem.answer is None:
            continue
        for repeat in range(stamp.repeats):
            prediction = predictions.get((problem_id, variant, repeat))
            row = (
                score_prediction(problem, prediction)
                if prediction
                else Score(
                    problem_id=problem_id, variant=variant, repeat=repeat, value=0.0, extracted=None, status="error"
                )
            )
            scores[row_id(row)] = row
    return scores
