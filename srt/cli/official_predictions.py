"""SpaCE2025's official predictions file: ``predictions`` writes it, ``totals`` scores it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple, cast, get_args

import typer

from srt.cli.output import JsonFlag, print_summary
from srt.io.errors import UserError
from srt.io.progress import notice
from srt.io.records import Answer, Problem


class _Answered(NamedTuple):
    """The problems of sources and the answers to some of them; ``votes`` says how votes went, by source."""

    problems: Mapping[str, Problem]
    answers: Mapping[str, Answer]
    votes: Mapping[str, Mapping[str, int]]


def predictions(
    sources: Annotated[list[Path], typer.Argument(help="Run folders of srt eval, or files of traces (JSONL).")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The predictions file to write (JSONL).")],
    problems: Annotated[
        Path | None,
        typer.Option("--problems", help="All problems of the test; needed for a run only if their file has moved."),
    ] = None,
    vote: Annotated[
        str | None,
        typer.Option(
            "--vote",
            help="For runs with several samples of a problem: majority, or checked (only samples whose trace is proved "
            "vote, if there are any).",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write the official predictions file of SpaCE2025.

    The file has one line per problem, with an empty answer where the model gave none. The organisers take one file
    for all five subtasks; each subtask may come from a different run or model. In a vote, the most frequent answer
    wins; of tied answers, the one that was sampled first.

    Example: srt predictions runs/language runs/spr-zh runs/spr-en -o team-test-1.jsonl
    """
    from eval.records.run_records import read_manifest
    from srt.corpora.space2025 import SUBTASKS, write_predictions
    from srt.io.output_paths import keep_apart, keep_outside

    keep_apart(out, *sources, problems)
    for source in sources:
        keep_outside(out, source)
        if source.is_dir():
            keep_apart(out, source / read_manifest(source).problems.path)
    by_id, answers, votes = _merged(sources, problems, vote)
    rows = [(problem.id, problem.category or "", answers.get(problem.id)) for problem in by_id.values()]
    if lacking := sorted(SUBTASKS - {problem.category for problem in by_id.values()}):
        notice(f"no item of {', '.join(lacking)}: the official total needs all subtasks in one file")
    summary: dict[str, Any] = {"file": str(out), "problems": write_predictions(out, rows), "answered": len(answers)}
    summary |= {"votes": votes} if votes else {}
    print_summary(summary, as_json)


def totals(
    file: Annotated[Path, typer.Argument(help="An official predictions file of SpaCE2025 (JSONL).")],
    problems: Annotated[Path, typer.Option("--problems", help="The problems, with their gold answers.")],
    as_json: JsonFlag = False,
) -> None:
    """Score an official predictions file of SpaCE2025.

    Five subtasks, two scores and the total, as the organisers compute them. There is one difference, for files
    with gaps: a missing item counts as wrong here, while the official scorer compares it with the prediction for the
    item before.

    Example: srt totals team-test-1.jsonl --problems gold.jsonl
    """
    from eval.benchmarks.space2025 import score_file
    from srt.io.problem_files import read_problems

    print_summary(score_file(file, read_problems(problems)).model_dump(mode="json"), as_json)


def _merged(sources: list[Path], problems: Path | None, vote: str | None = None) -> _Answered:
    """All problems and answers of ``sources``. A problem in two sources is an error."""
    from eval.scoring.official_answers import Vote, official_answers

    if vote is not None and vote not in get_args(Vote):
        raise UserError(f"--vote {vote!r}: one of {', '.join(get_args(Vote))} was expected")
    by_id: dict[str, Problem] = {}
    answers: dict[str, Answer] = {}
    votes: dict[str, Mapping[str, int]] = {}
    for source in sources:
        if source.is_dir():
            found = official_answers(source, problems, cast("Vote | None", vote))
            here, given = found.problems, found.answers
            if vote is not None:
                proofs = {} if found.by_proof is None else {"decided by proved samples": len(found.by_proof)}
                votes[str(source)] = {"ties": found.ties, **proofs}
        else:
            here, given = _of_traces(source, problems)
        for problem in here.values():
            if problem.source != "space2025":
                raise UserError(f"problem {problem.id}: source: space2025 was expected, not {problem.source!r}")
            if problem.id in by_id:
                raise UserError(
                    f"{source}: problem {problem.id}: an earlier source has it too; the file has one line each"
                )
            by_id[problem.id] = problem
        answers |= given
    return _Answered(by_id, answers, votes)


def _of_traces(traces: Path, problems: Path | None) -> tuple[dict[str, Problem], dict[str, Answer]]:
    """The problems of ``problems`` and the answers of their traces."""
    from srt.answers.written_form import expected_kind, read_answer
    from srt.io.parquet_files import record_place
    from srt.io.problem_files import read_problems
    from srt.io.record_reader import read_unique
    from srt.language.trace import Trace

    if problems is None:
        raise UserError(
            f"{traces}: a file of traces needs --problems too: the file has a line for problems without a trace as well"
        )
    by_id = read_problems(problems)
    answers: dict[str, Answer] = {}
    for number, trace in read_unique(traces, Trace, "problem_id"):
        problem = by_id.get(trace.problem_id)
        if problem is None:
            raise UserError(f"trace {trace.id}: its problem {trace.problem_id!r} is not in the problems file")
        answer = read_answer(trace.answer, expected_kind(problem), problem.choices).answer
        if answer is None:
            raise UserError(
                f"{record_place(traces, number)}: answer: {trace.answer!r} is no answer to problem {problem.id!r}"
            )
        answers[problem.id] = answer
    return by_id, answers
