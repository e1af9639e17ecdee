"""What ``srt ask-judge`` shows on a console: one line for each figure. Its files have all of them."""

from __future__ import annotations

from eval.errors.answer_judge import JudgedSummary
from eval.errors.judge_model import Spent
from eval.errors.unread_answers import ReadSummary
from eval.report.number_format import credit, interval, percent
from eval.scoring.arm_summary import Share


def judge_rows(summary: JudgedSummary | ReadSummary) -> dict[str, str]:
    """The rows of ``summary``, by their name."""
    rows = _verdicts(summary) if isinstance(summary, JudgedSummary) else _readings(summary)
    return {"arm": summary.arm, **rows, "spent": _spent(summary.spent)}


def _verdicts(summary: JudgedSummary) -> dict[str, str]:
    same = summary.agreement
    kappa = "" if same.kappa is None else f", Cohen's kappa {same.kappa:.2f}"
    return {
        "judge": summary.judge,
        "judged": f"{summary.judged} of {summary.asked} asked"
        + (f"; {summary.without_text} without a text, which are wrong" if summary.without_text else ""),
        **_unusable(summary.no_judgement),
        "right by the judge": f"{_percent(summary.accuracy)}, never part of accuracy",
        "right by the scores": f"{_percent(summary.ours)}, on the same predictions",
        "agreement": f"{same.same} of {same.count}{kappa}",
        "only one says right": f"the judge {summary.only_judge}, the scores {summary.only_ours}",
    }


def _readings(summary: ReadSummary) -> dict[str, str]:
    share = percent(summary.unread / summary.outputs) if summary.outputs else "0.0"
    return {
        "reader": summary.reader,
        "unread": f"{summary.unread} of {summary.outputs} outputs ({share}%)",
        "asked": f"{summary.asked}, without the gold answer",
        **_unusable(summary.no_reading),
        "an answer is stated in": f"{summary.stated}, of which right {credit(summary.right)}",
        "accuracy as printed": f"{_percent(summary.printed)}, unread outputs are wrong",
        "accuracy as read": f"{_percent(summary.accuracy)}, a figure beside it",
    }


def _percent(share: Share) -> str:
    return interval(share).replace(" ", "% ", 1)


def _unusable(reasons: dict[str, int]) -> dict[str, str]:
    if not reasons:
        return {}
    return {"no usable reply": ", ".join(f"{reason.replace('_', ' ')} {count}" for reason, count in reasons.items())}


def _spent(spent: Spent) -> str:
    tokens = f"{spent.input_tokens:,} tokens in, {spent.output_tokens:,} out"
    return f"{spent.cost:.4f} {spent.currency} in this folder so far: {spent.requests} requests, {tokens}"
