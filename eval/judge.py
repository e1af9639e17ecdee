"""A judge model's opinion of answers: a second, labelled column beside accuracy, off by default.

Writes ``judgements.jsonl`` and ``judged.json`` into the run's folder. Scores, the summary and comparisons of accuracy
never read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from eval.judging import JudgeConfig, Spent, ask_each, shown_output
from eval.kappa import Agreement, agreement
from eval.runs import RowId, Run, problems_path, read_run, scores_sha256, write_json
from eval.summary import Share, mean_values, share
from srt.endpoint.messages import JsonSchema, Role
from srt.errors import UserError
from srt.jsonl import parse_record, write_records
from srt.language.trace import one_line
from srt.records import Prediction, Record
from srt.teaching.candidate import Unusable, closed
from srt.teaching.exchange import Answered, Desk, ask_usable, problem_fields
from srt.teaching.records import Outcome

JUDGEMENTS = "judgements.jsonl"
JUDGED = "judged.json"

Verdict = Literal["right", "wrong", "no_answer"]


class Judgement(Record):
    """What a judge said of one prediction, whose ``key`` tells which text it was."""

    key: str
    problem_id: str
    variant: str = "plain"
    repeat: int = 0
    verdict: Verdict
    why: str


class JudgedSummary(Record):
    """A judge's column. ``accuracy`` and ``ours`` are of the same predictions: those judged, and those without a text,
    which are wrong for both and are not asked about (``without_text``).

    ``agreement`` compares, over what was asked, *right* and *not right*; ``only_judge`` are right for the judge alone,
    ``only_ours`` for our equality alone. ``no_judgement`` counts why there was no usable answer.
    """

    arm: str
    scores_sha256: str
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


@dataclass(frozen=True)
class _Said:
    verdict: Verdict
    why: str


def judge_answers(folder: str | Path, config: JudgeConfig) -> JudgedSummary:
    """Have the judge of ``config`` look at every scored prediction of the run in ``folder`` that has a text.

    It is shown the problem, the gold answer and the output, and not what our equality says. The judge that was asked
    before is not asked again: its answers lie in the folder's journal.

    Raises:
        UserError: no scored run, or a fault of the config or of the endpoint.
    """
    run = read_run(Path(folder))
    made = {key: run.predictions.get(key) for key in run.scores}
    shown = {key: row for key, row in made.items() if row is not None and row.text.strip()}

    async def ask(desk: Desk, row: Prediction) -> Answered[_Said]:
        problem = run.questions[row.problem_id, row.variant]
        fields = {**problem_fields(problem), "solution": "", "output": shown_output(row.text)}
        return await ask_usable(desk, Role.REVIEWER, problem, "judge_answer", fields, SCHEMA, _read)

    heard = ask_each(list(shown.values()), ask, config, run.folder, problems_path(run).parent)
    said = {key: one for key, one in zip(shown, heard.values, strict=True) if one is not None}
    judgements = [
        Judgement(
            key=shown[key].key,
            problem_id=key[0],
            variant=key[1],
            repeat=key[2],
            verdict=one.verdict,
            why=one.why,
        )
        for key, one in said.items()
    ]
    summary = JudgedSummary(
        arm=run.stamp.arm,
        scores_sha256=scores_sha256(run.folder),
        judge=config.model.model,
        asked=len(shown),
        judged=len(said),
        without_text=len(made) - len(shown),
        no_judgement=dict(sorted(heard.unusable.items())),
        spent=heard.spent,
        **_figures(run, {key: one.verdict for key, one in said.items()}, set(made) - set(shown)),
    )
    write_records(run.folder / JUDGEMENTS, judgements)
    write_json(run.folder / JUDGED, summary)
    return summary


def read_judged(folder: Path) -> JudgedSummary | None:
    """The :class:`JudgedSummary` of the run in ``folder``; ``None`` where ``srt judge`` has not written one.

    Raises:
        UserError: it was made beside other scores than those there now.
    """
    path = folder / JUDGED
    if not path.is_file():
        return None
    summary = parse_record(path.read_bytes(), JudgedSummary, str(path))
    if summary.scores_sha256 != scores_sha256(folder):
        raise UserError(f"{path}: made beside other scores than those there now: run srt judge {folder} again")
    return summary


def _figures(run: Run, verdicts: Mapping[RowId, Verdict], without_text: set[RowId]) -> dict[str, Any]:
    counted = [run.scores[key] for key in run.scores if key in verdicts or key in without_text]
    theirs = [
        row.model_copy(update={"value": float(verdicts.get((row.problem_id, row.variant, row.repeat)) == "right")})
        for row in counted
    ]
    pairs = [(run.scores[key].value >= 1, verdict == "right") for key, verdict in verdicts.items()]
    return {
        "accuracy": share(mean_values(theirs).values()),
        "ours": share(mean_values(counted).values()),
        "agreement": agreement([(str(ours), str(judge)) for ours, judge in pairs]),
        "only_judge": pairs.count((False, True)),
        "only_ours": pairs.count((True, False)),
    }


def _read(payload: Mapping[str, Any]) -> _Said:
    verdict = payload.get("verdict")
    word = verdict.strip().casefold().replace(" ", "_") if isinstance(verdict, str) else None
    for known in get_args(Verdict):
        if word == known:
            why = payload.get("why")
            return _Said(known, one_line(why) if isinstance(why, str) else "")
    raise Unusable(Outcome.MALFORMED, f'"verdict" is none of {", ".join(get_args(Verdict))}')


SCHEMA = JsonSchema(
    name="judgement",
    definition=closed(
        {
            "token": {"type": "string"},
            "why": {"type": "string"},
            "verdict": {"type": "string", "enum": list(get_args(Verdict))},
        }
    ),
)
"""What the judge's structured output is asked for; the reason stands before the verdict."""
