"""The one answer that a run gives to each item of SpaCE2025: that of its only sample, or a vote of its samples.

Most teams sampled several outputs for an item and let them vote. A vote here is deterministic: the most frequent answer
wins, and of answers that tie, the one that came first (the sample with the lowest number). Samples without an answer do
not vote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from eval.records.run_records import PREDICTIONS, read_manifest, run_problems
from eval.records.run_rows import read_rows
from eval.run.scored_run import run_questions
from eval.scoring.score import check_prediction
from srt.answers.extraction import extract
from srt.checking import check
from srt.io.errors import UserError
from srt.io.records import Answer, Prediction, Problem

Vote = Literal["majority", "checked"]
"""Which samples vote: all that have an answer, or, where there are any, those whose trace the checker proves."""


@dataclass(frozen=True)
class OfficialAnswers:
    """The problems of a run and its answers. ``ties`` counts the items whose vote was tied; ``by_proof`` are those
    that proved samples decided, ``None`` if the checker was not asked."""

    problems: dict[str, Problem]
    answers: dict[str, Answer]
    ties: int = 0
    by_proof: frozenset[str] | None = None


class _Ballot(NamedTuple):
    """The answer of one sample, and whether its trace is proved."""

    repeat: int
    answer: Answer
    proved: bool


def official_answers(folder: Path, problems: Path | None = None, vote: Vote | None = None) -> OfficialAnswers:
    """The answers of the run in ``folder``, whose problems are at ``problems`` if their file has moved.

    Raises:
        UserError: no run, several samples of a problem and no ``vote``, or problems that were asked in variants.
    """
    manifest = read_manifest(folder)
    if manifest.repeats > 1 and vote is None:
        raise UserError(
            f"{folder}: repeats: the file has one answer for a problem, this run has {manifest.repeats}: let them vote "
            "(--vote majority, or --vote checked)"
        )
    by_id = run_problems(folder, manifest, problems)
    questions = run_questions(manifest, by_id)
    if len(questions) > len(by_id):
        raise UserError(
            f"{folder}: variants: the file has one answer for a problem, this run asks some in several ways"
        )
    ballots: dict[str, list[_Ballot]] = {}
    for (item, variant, repeat), row, _ in read_rows(folder / PREDICTIONS, Prediction, questions):
        problem = questions[item, variant]
        answer = extract(row.text, problem, row.finish_reason).answer
        if answer is not None:
            proved = vote == "checked" and check_prediction(problem, row, check).proved
            ballots.setdefault(item, []).append(_Ballot(repeat, answer, proved))
    counted = {item: [cast for cast in given if cast.proved] or given for item, given in ballots.items()}
    elected = {item: _elected(given) for item, given in counted.items()}
    return OfficialAnswers(
        problems=by_id,
        answers={item: answer for item, (answer, _) in elected.items()},
        ties=sum(tied for _, tied in elected.values()),
        by_proof=frozenset(item for item, given in counted.items() if given[0].proved) if vote == "checked" else None,
    )


def _elected(ballots: Sequence[_Ballot]) -> tuple[Answer, bool]:
    """The most frequent answer, of several the one of the lowest sample; and whether there were several."""
    alike: dict[str, list[_Ballot]] = {}
    for cast in sorted(ballots, key=lambda cast: cast.repeat):
        # Answers are records in normal form: equal ones have equal JSON.
        alike.setdefault(cast.answer.model_dump_json(), []).append(cast)
    most = max(map(len, alike.values()))
    leading = [casts[0].answer for casts in alike.values() if len(casts) == most]
    return leading[0], len(leading) > 1
