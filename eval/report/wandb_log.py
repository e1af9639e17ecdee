"""Send scores, tables and examples with their verdicts to Weights & Biases, if a recipe or a flag asks for it.

A run folder that is scored again, or a report that is written again, updates its run in W&B.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from eval.benchmarks.definition.benchmark import Table
from eval.records.run_records import Run
from eval.report.comparison_records import Comparison
from eval.run.wandb_settings import WandbSettings
from eval.scoring.arm_summary import ArmSummary, Tokens
from eval.scoring.differences import Difference
from srt.answers.written_form import canonical_text
from srt.io.errors import UserError

EXAMPLES = 100
"""Problems in a table of examples."""


class _Example(NamedTuple):
    """A row of the table of examples; the fields name its columns."""

    problem: str
    variant: str
    sample: int
    arm: str
    question: str
    output: str
    answer: str | None
    gold: str | None
    score: float
    status: str
    proved: bool
    computed: bool
    verdicts: str
    tokens: int | None


_DIFFERENCE: dict[str, Callable[[Difference], str | float | None]] = {
    "arm": lambda row: row.arm,
    "reference": lambda row: row.reference,
    "problems": lambda row: row.count,
    "points": lambda row: 100 * row.difference,
    "low": lambda row: 100 * row.low,
    "high": lambda row: 100 * row.high,
    "p": lambda row: row.p,
    "p (Holm)": lambda row: row.p_holm,
}
"""The columns of the table of paired differences."""


def require_wandb() -> None:
    """Raise a :class:`UserError` if the package is not installed: before hours of generation, not after."""
    if importlib.util.find_spec("wandb") is None:
        raise UserError("report_to: wandb needs the package wandb, which is not installed: pip install wandb")


def log_scores(to: WandbSettings, run: Run, summary: ArmSummary) -> None:
    """Report a scored run: its figures, the benchmark's tables, and the first :data:`EXAMPLES` problems."""
    identity = f"{run.folder.absolute()} {run.manifest.fingerprint}"
    config = run.manifest.model_dump(mode="json")
    with _wandb_run(to, run.folder, "eval", identity, config) as wandb:
        examples = _examples({summary.arm: run}, islice(run.scores_by_problem(), EXAMPLES))
        wandb.log({**_figures(summary), **_tables(summary.tables), "examples": examples})


def log_comparison(
    to: WandbSettings, output: Path, comparison: Comparison, runs: Mapping[str, Run], chosen: Sequence[str]
) -> None:
    """Report a comparison written to ``output``: arms, paired differences, tables, and problems of ``chosen``."""
    import wandb as package

    arms = {each.arm: _figures(each) for each in comparison.arms}
    # The columns of all arms together: one without reasoning tokens has no such figure, and its row has a gap.
    names = list(dict.fromkeys(name for figures in arms.values() for name in figures))
    rows = [[arm, *(figures.get(name) for name in names)] for arm, figures in arms.items()]
    paired = [[cell(row) for cell in _DIFFERENCE.values()] for row in comparison.differences]
    config = {"title": comparison.title, "runs": comparison.model_dump(mode="json")["runs"]}
    with _wandb_run(to, output, "compare", str(output.absolute()), config) as wandb:
        wandb.log(
            {
                **{f"{arm}/{name}": value for arm, figures in arms.items() for name, value in figures.items()},
                "arms": package.Table(columns=["arm", *names], data=rows),
                "differences": package.Table(columns=list(_DIFFERENCE), data=paired),
                **_tables(comparison.tables),
                "examples": _examples(runs, chosen[:EXAMPLES]),
            }
        )


@contextmanager
def _wandb_run(to: WandbSettings, folder: Path, job: str, identity: str, config: dict[str, Any]) -> Iterator[Any]:
    import wandb

    try:
        run = wandb.init(
            # W&B reads the variable itself.
            project=None if "project" not in to.model_fields_set and os.environ.get("WANDB_PROJECT") else to.project,
            group=to.group,
            name=to.run_name or folder.resolve().name,
            job_type=job,
            # The same each time, so that W&B updates its run.
            id=hashlib.blake2b(f"{job} {identity}".encode(), digest_size=8).hexdigest(),
            resume="allow",
            dir=folder,
            mode=to.wandb_mode,
            config=config,
            # Its own lines would stand between ours, which scripts read.
            settings=wandb.Settings(silent=True),
        )
    except wandb.Error as error:
        reason = " ".join(str(error).split())
        raise UserError(
            f"report_to: wandb: {reason}; the results are complete in {folder}; log in (wandb login), or set "
            "wandb_mode: offline, and give the same command again"
        ) from None
    with run:
        yield run


def _figures(summary: ArmSummary) -> dict[str, float]:
    """Everything in ``summary`` that is a number, by a path of names; shares in [0, 1]."""
    figures: dict[str, float | None] = {
        "accuracy": summary.accuracy.share,
        "accuracy/low": summary.accuracy.low,
        "accuracy/high": summary.accuracy.high,
        "problems": summary.accuracy.count,
        "missing": summary.missing,
        "unread": summary.unread,
        "tokens_per_right": summary.tokens_per_right,
        "traces/with_steps": summary.traces.with_steps.share,
        "traces/proved": summary.traces.proved.share,
        "traces/proved_and_right": summary.traces.proved_and_right.share,
        "traces/computed": summary.traces.computed.share,
        "traces/computed_and_right": summary.traces.computed_and_right.share,
        **{f"steps/{verdict}": count for verdict, count in summary.traces.steps.items()},
        **{f"status/{status}": count for status, count in summary.statuses.items()},
        **{f"by/{name}/{label}": at.share for name, labels in summary.by.items() for label, at in labels.items()},
    }
    for name in ("output_tokens", "reasoning_tokens", "answer_tokens", "input_tokens"):
        counts: Tokens | None = getattr(summary, name)
        if counts is not None:
            figures |= {f"{name}/mean": counts.mean, f"{name}/p50": counts.p50, f"{name}/p90": counts.p90}
    # A figure that is not known has no name in W&B, and so no column of empty cells.
    return {name: value for name, value in figures.items() if value is not None}


def _tables(tables: Iterable[Table]) -> dict[str, Any]:
    """The benchmark's tables by their titles; shares in [0, 1]."""
    import wandb

    return {
        f"tables/{table.title}": wandb.Table(
            columns=table.header, data=[[row[0], *map(_number, row[1:])] for row in table.rows]
        )
        for table in tables
    }


def _number(cell: str | float | None) -> float | None:
    # A column of W&B has one type.
    return cell if isinstance(cell, int | float) else None


def _examples(runs: Mapping[str, Run], problem_ids: Iterable[str]) -> Any:
    """Each arm's predictions for the problems, with the checker's verdicts on their steps; no pictures."""
    import wandb

    rows = []
    keys = {arm: run.scores_by_problem() for arm, run in runs.items()}
    for problem_id in problem_ids:
        for arm, run in runs.items():
            for key in keys[arm].get(problem_id, ()):
                score, prediction, checked = run.scores[key], run.predictions.get(key), run.checked.get(key)
                question = run.questions[key[:2]]
                verdicts = checked.steps.items() if checked else ()
                row = _Example(
                    problem=problem_id,
                    variant=key[1],
                    sample=key[2],
                    arm=arm,
                    question=question.question,
                    output=prediction.read().text if prediction else "",
                    answer=score.extracted,
                    gold=canonical_text(question.answer) if question.answer else None,
                    score=score.value,
                    status=score.status,
                    proved=checked is not None and checked.proved,
                    computed=checked is not None and checked.computed,
                    verdicts=", ".join(f"{count} {verdict}" for verdict, count in verdicts),
                    tokens=prediction.output_tokens if prediction else None,
                )
                rows.append(list(row))
    return wandb.Table(columns=list(_Example._fields), data=rows)
