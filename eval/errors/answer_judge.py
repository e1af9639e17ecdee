"""A judge model's verdicts on answers: a second, labelled column beside accuracy, off by default.

Writes ``judgements.jsonl`` and ``judged.json`` into the run's folder. Scoring and comparisons of accuracy never read
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

from eval.errors.judge_model import JudgeConfig, Spent, ask_about, judge_schema, read_reason, read_word
from eval.records.run_records import (
    DerivedFromScores,
    mean_values,
    read_derived,
    scores_sha256,
    write_json,
)
from eval.run.scored_run import read_run
from eval.scoring.arm_summary import Share, share_of
from srt.io.record_writer import write_records
from srt.io.records import Record
from srt.statistics.kappa import Agreement, agreement

JUDGEMENTS = "judgements.jsonl"
JUDGED = "judged.json"

Verdict = Literal["right", "wrong", "no_answer"]
_VERDICTS = get_args(Verdict)
SCHEMA = judge_schema("judgement", {"verdict": _VERDICTS})


class AnswerJudgement(Record):
    """A judge's verdict on one prediction; its ``key`` identifies the text."""

    key: str
    problem_id: str
    variant: str = "plain"
    repeat: int = 0
    verdict: Verdict
    why: str


class JudgedSummary(DerivedFromScores):
    """A judge's column. ``accuracy`` and ``ours`` are over the same predictions: those judged, and those without a text
    (``without_text``), which count as wrong for both and are not sent to the judge.

    ``agreement`` compares *right* and *not right* over what was judged; ``only_judge`` counts what is right for the
    judge alone, ``only_ours`` for our equality alone. ``no_judgement`` counts why a reply was unusable.
    """

    arm: str
    judge: str
    asked: int
    judged: int
    without_text: int
    no_judgement: dict[str, int]
    accuracy: Share
    ours: Share
    agreement: Agreement
    only_judge: int
    only_ours: int
    spent: Spent


def judge_answers(folder: str | Path, config: JudgeConfig) -> JudgedSummary:
    """Ask the judge of ``config`` about every scored prediction of the run in ``folder`` that has a text.

    It is shown the problem, the gold answer and the output, but not our own score. What it was asked before is not
    asked again: the replies are in the folder's journal.

    Raises:
        UserError: no scored run, or a fault of the config or of the endpoint.
    """
    run = read_run(Path(folder))
    replies = ask_about(run, run.scores, config, "judge_answer", lambda _: {"solution": ""}, SCHEMA, _read)
    # Predictions without a text count as wrong for both, and were not sent to the judge.
    counted = {key: row for key, row in run.scores.items() if key in replies.values or key not in replies.asked}
    verdicts = {key: verdict for key, (verdict, _) in replies.values.items()}
    # Through the same means over variants and repeats as our own scores.
    theirs = [replace(row, value=float(verdicts.get(key) == "right")) for key, row in counted.items()]
    pairs = [(run.scores[key].value >= 1, verdict == "right") for key, verdict in verdicts.items()]
    summary = JudgedSummary(
        arm=run.manifest.arm,
        scores_sha256=scores_sha256(run.folder),
        judge=config.model.model,
        asked=len(replies.asked),
        judged=len(verdicts),
        without_text=len(run.scores) - len(replies.asked),
        no_judgement=replies.unusable,
        accuracy=share_of(mean_values(theirs), run.problems),
        ours=share_of(mean_values(counted.values()), run.problems),
        agreement=agreement([(str(ours), str(judge)) for ours, judge in pairs]),
        only_judge=pairs.count((False, True)),
        only_ours=pairs.count((True, False)),
        spent=replies.spent,
    )
    judgements = [
        AnswerJudgement(
            key=run.predictions[key].read().key,
            problem_id=key[0],
            variant=key[1],
            repeat=key[2],
            verdict=verdict,
            why=why,
        )
        for key, (verdict, why) in replies.values.items()
    ]
    write_records(run.folder / JUDGEMENTS, judgements)
    # The summary last: where it is, the file of judgements belongs to it.
    write_json(run.folder / JUDGED, summary)
    return summary


def read_judged(folder: Path) -> JudgedSummary | None:
    """The :class:`JudgedSummary` of the run in ``folder``; ``None`` where ``srt ask-judge`` has not written one.

    Raises:
        UserError: it was made from other scores than those there now.
    """
    return read_derived(folder / JUDGED, JudgedSummary, "srt ask-judge")


def _read(reply: Mapping[str, Any], output: str) -> tuple[Verdict, str]:
    return cast("Verdict", read_word(reply, "verdict", _VERDICTS)), read_reason(reply)
