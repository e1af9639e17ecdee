"""What reports say of the outputs from which no answer was read: how many, and what hangs on how they count."""

from __future__ import annotations

from eval.report.comparison_records import Comparison
from eval.report.number_format import difference_bounds, percent, signed
from eval.report.report_wording import listed
from eval.scoring.arm_summary import ArmSummary
from eval.scoring.unread import UNREAD
from eval.scoring.unread_differences import CountedDifference, UnreadDifference
from srt.statistics.significance import LEVEL

UNREAD_NOTE = (
    "Unread: outputs in which no answer was found, or several and no decision, or that the token budget cut off before "
    "one. All of them count as wrong in every other figure. A right answer that nobody reads makes an arm look worse "
    "than it is; so where arms differ by more than two points, their difference is also shown with the unread outputs "
    "of both counted as right. Neither count is the truth: what lies between may come from how an arm writes its "
    "answers, not from what they are."
)
READ_NOTE = (
    "Read by a language model: it saw question, options and output, never the gold answer; what it read was compared "
    "with gold as all answers are. It enters no other figure."
)


def unread_says(comparison: Comparison) -> str:
    """The share of unread outputs of each arm; if arms differ in it, their difference with those counted as right
    beside the printed one, and what this means."""
    if not any(arm.unread for arm in comparison.arms):
        return "An answer was read from every output."
    shares = ", ".join(map(_share, comparison.arms))
    said = [f"Outputs from which no answer was read, which count as wrong: {shares}."]
    if comparison.unread:
        rows = [_other_count(row) for row in comparison.unread[:_MOST]]
        more = len(comparison.unread) - len(rows)
        rows += [f"{more} more differences are in the report"] if more else []
        said += [f"Counted as right in both arms: {'; '.join(rows)}.", _meaning(comparison)]
    return " ".join(said)


_MOST = 3
"""Differences that the sentence names; a table has all of them."""


def _share(arm: ArmSummary) -> str:
    """The share of ``arm``, and how many of these outputs the token budget ended: a longer one would show them."""
    unread, cut = sum(arm.statuses.get(status, 0) for status in UNREAD), arm.statuses.get("truncated", 0)
    ended = "" if not cut else " (all cut off)" if cut == unread else f" ({cut} of {unread} cut off)"
    return f"{arm.arm} {percent(arm.unread)}%{ended}"


def _other_count(row: UnreadDifference) -> str:
    read = "" if row.as_read is None else f"; as {row.reader} reads them, without gold, {counted(row.as_read)}"
    return f"{row.arm} − {row.reference}: {counted(row.as_right)} (printed {counted(row.printed)}{read})"


def _meaning(comparison: Comparison) -> str:
    rows = comparison.unread
    cut = any(arm.statuses.get("truncated") for arm in comparison.arms)
    budget = " or from the token budget" if cut else ""
    why = f"What lies between may come from how the arms write their answers{budget}, not from what they answer"
    depend = [f"{row.arm} − {row.reference}" for row in rows if len(set(map(_verdict, _counts(row)))) > 1]
    if not depend:
        return f"{why}; whether a difference is significant does not depend on it."
    return f"{why}; whether a difference is significant depends on it for {listed(depend)}."


def _counts(row: UnreadDifference) -> list[CountedDifference]:
    return [row.printed, row.as_right, *([row.as_read] if row.as_read else [])]


def counted(difference: CountedDifference) -> str:
    """A difference with its interval: ``+7.8 points [−7.6, +22.8]``."""
    low, high = difference_bounds(difference)
    return f"{signed(difference.difference)} points [{low}, {high}]"


def _verdict(difference: CountedDifference) -> int:
    """1 or -1: the arm is significantly better, or worse; else 0."""
    return 0 if difference.p >= LEVEL else 1 if difference.difference > 0 else -1
