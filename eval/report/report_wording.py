"""What the Markdown report and the HTML page say in the same words: scope, notes, and which breakdowns are shown."""

from __future__ import annotations

from collections.abc import Sequence

from eval.report.comparison_records import Comparison
from eval.scoring.arm_summary import ArmSummary
from eval.scoring.breakdowns import dimensions
from eval.scoring.differences import Difference
from srt.statistics.significance import Estimate

SIZE_NOTE = (
    "Problems for so many points: how many would show such a difference with power 0.8 at the level 0.05, where arms "
    "disagree as often, and problems hang together as much, as here; shows: the smallest difference that these do."
)
SAMPLING_NOTE = (
    "Tokens: output tokens a question, all k samples. Majority: the most frequent answer. pass@k: one is right. "
    "Checked and oracle pick samples by the checker's, or the solver's, word before they vote: knowledge that a model "
    "does not have. Intervals: bootstrap over clusters of problems."
)
ERROR_NOTE = (
    "Over all predictions of an arm without full credit, also of problems that other arms lack. Machine's word first; "
    "+ n: a judge's, only where the machine has none. No class: nobody said, among them what was never an error of "
    "reasoning (truncated, no answer)."
)


def shown_dimensions(arms: Sequence[ArmSummary]) -> list[str]:
    """The breakdowns with more than one label."""
    return [name for name in dimensions() if len(labels(arms, name)) > 1]


def labels(arms: Sequence[ArmSummary], dimension: str) -> list[str]:
    """What the problems of ``arms`` are labelled with in ``dimension``, sorted."""
    return sorted({label for arm in arms for label in arm.by.get(dimension, ())})


def scope(comparison: Comparison) -> str:
    """A sentence on the problems that are compared and left out."""
    text = f"{comparison.common} problems"
    if comparison.clusters != comparison.common:
        text += f", {comparison.clusters} puzzles up to names and symmetry,"
    text += f" that all {len(comparison.arms)} arms have in common."
    left = ", ".join(f"{name} {count}" for name, count in comparison.left_out.items() if count)
    return text + (f" Left out, because another arm lacks them: {left}." if left else "")


def footnote(comparison: Comparison) -> str:
    """How the paired differences were tested, and what the test does not cover."""
    clustered = comparison.clusters < comparison.common
    return (
        f"Intervals of differences: paired cluster bootstrap, {comparison.resamples} resamples of "
        f"{comparison.clusters} clusters, seed {comparison.seed}. p: exact McNemar, two-sided; p (Holm): adjusted over "
        "the rows of this table. McNemar's test, like the Wilson intervals of the accuracies, treats problems as "
        "independent"
        + (f", which {comparison.common} problems of {comparison.clusters} puzzles are not. " if clustered else ". ")
        + "None covers the chance of training: another seed of an arm can differ by more."
    )


def token_ratio(row: Difference) -> Estimate | None:
    """The ratio of output tokens with its interval."""
    if row.token_ratio is None:
        return None
    return Estimate(value=row.token_ratio, low=row.token_low, high=row.token_high)
