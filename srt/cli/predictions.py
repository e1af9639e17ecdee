"""The command ``predictions``: the file that a benchmark's organisers score."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from srt.cli.output import JsonFlag, print_summary
from srt.errors import UserError
from srt.records import Answer, Problem


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""

    @app.command()
    def predictions(
        source: Annotated[Path, typer.Argument(help="Folder of a run of srt eval, or a file of traces (JSONL).")],
        out: Annotated[Path, typer.Option("-o", "--out", help="Where the predictions file goes (JSONL).")],
        problems: Annotated[
            Path | None,
            typer.Option("--problems", help="All problems of the test; of a run, only if their file has moved."),
        ] = None,
        as_json: JsonFlag = False,
    ) -> None:
        """The official predictions file of SpaCE2025: a line for every problem, empty where there is no answer.

        Example: srt predictions runs/srt -o predictions.jsonl
        """
        from srt.corpora.space2025 import write_predictions
        from srt.jsonl import keep_apart, keep_outside

        keep_apart(out, source, problems)
        keep_outside(out, source)
        by_id, answers = _of_run(source, problems) if source.is_dir() else _of_traces(source, problems)
        for problem in by_id.values():
            if problem.source != "space2025":
                raise UserError(f"problem {problem.id}: source: space2025 was expected, not {problem.source!r}")
        rows = [(problem.id, problem.category or "", answers.get(problem.id)) for problem in by_id.values()]
        summary = {"file": str(out), "problems": write_predictions(out, rows), "answered": len(answers)}
        print_summary(summary, as_json)


def _of_run(folder: Path, problems: Path | None) -> tuple[Mapping[str, Problem], Mapping[str, Answer]]:
    """The problems of a run, and the answers that are read from its generations."""
    from eval.extract import extract
    from eval.runs import PREDICTIONS, read_rows_by_id, read_stamp, run_problems
    from srt.records import Prediction

    stamp = read_stamp(folder)
    if stamp.repeats > 1:
        raise UserError(f"{folder}: repeats: the file has one answer for a problem, this run has {stamp.repeats}")
    by_id = run_problems(folder, stamp, problems)
    answers = {}
    for row in read_rows_by_id(folder / PREDICTIONS, Prediction, by_id).values():
        answer = extract(row.text, by_id[row.problem_id], row.finish_reason).answer
        if answer is not None:
            answers[row.problem_id] = answer
    return by_id, answers


def _of_traces(traces: Path, problems: Path | None) -> tuple[Mapping[str, Problem], Mapping[str, Answer]]:
    """The problems of ``problems``, and the answers of their traces."""
    from srt.answers import expected_kind, read_answer
    from srt.jsonl import read_numbered
    from srt.language.trace import Trace
    from srt.problems import read_problems

    if problems is None:
        raise UserError(f"{traces}: a file of traces needs --problems too: a problem without a trace is in the file")
    by_id = read_problems(problems)
    answers: dict[str, Answer] = {}
    for number, trace in read_numbered(traces, Trace):
        problem = by_id.get(trace.problem_id)
        if problem is None:
            raise UserError(f"trace {trace.id}: its problem {trace.problem_id!r} is not in the problems file")
        if problem.id in answers:
            raise UserError(f"{traces}:{number}: problem_id: a second trace of problem {problem.id!r}")
        answer = read_answer(trace.answer, expected_kind(problem), problem.choices).answer
        if answer is None:
            raise UserError(f"{traces}:{number}: answer: {trace.answer!r} is no answer to problem {problem.id!r}")
        answers[problem.id] = answer
    return by_id, answers
