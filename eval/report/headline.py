"""The answer of a comparison in a sentence: accuracy and tokens, and on what they were measured."""

from __future__ import annotations

from eval.report.comparison_records import Comparison
from eval.report.number_format import difference_bounds, interval, percent, signed
from eval.report.report_wording import arms_with_checker, from_files, groups_of, listed
from eval.report.unread_wording import unread_says
from eval.scoring.arm_summary import ArmSummary
from eval.scoring.differences import Difference
from srt.statistics.significance import LEVEL


def headline_difference(comparison: Comparison) -> Difference | None:
    """The difference that answers the question: ``srt`` against ``cot``, else against ``answer``, else the first."""
    rows = {(row.arm, row.reference): row for row in comparison.differences}
    for pair in (("srt", "cot"), ("srt", "answer")):
        if pair in rows:
            return rows[pair]
    return comparison.differences[0] if comparison.differences else None


def proved_arm(comparison: Comparison) -> ArmSummary | None:
    """The arm whose every step was proved as it was written, if there is one such arm."""
    found = [arm for arm in comparison.arms if arm.decode == "proved"]
    return found[0] if len(found) == 1 else None


def answer(comparison: Comparison) -> str:
    """What a console shows: the warning if there is one, the headline, what hangs on unread answers, and back ends."""
    return "\n".join(
        filter(None, (comparison.warning, headline(comparison), unread_says(comparison), *comparison.back_ends))
    )


def headline(comparison: Comparison) -> str:
    """What was found, in accuracy and in tokens, in one sentence; in a second one, on how many problems and runs."""
    if (proved := proved_arm(comparison)) is not None:
        return _proved_headline(proved, comparison)
    row = headline_difference(comparison)
    if row is None:
        arm = comparison.arms[0]
        mean = arm.output_tokens and arm.output_tokens.mean
        tokens = "tokens not given" if mean is None else f"{mean:,.0f} tokens an output"
        return f"{arm.arm}: {interval(arm.accuracy)}% of {comparison.common} problems right; {tokens}."
    low, high = difference_bounds(row)
    points = f"{signed(row.difference)} points [{low}, {high}]"
    accuracy = f"{'higher' if row.difference > 0 else 'lower'} accuracy, {points}"
    if row.p >= LEVEL:
        accuracy = f"no significant difference in accuracy ({points})"
    if {row.arm, row.reference} & set(arms_with_checker(comparison)):  # what a checker chose is no accuracy
        accuracy = f"{'more' if row.difference > 0 else 'fewer'} right answers, {points}"
        if row.p >= LEVEL:
            accuracy = f"no significant difference in right answers ({points})"
    size = f"{row.count:,} problems{groups_of(row.count, row.clusters)}"
    return (
        f"{row.arm} against {row.reference}: {accuracy}; {_tokens(row, comparison)}. {size}, {_runs(row, comparison)}."
    )


def _proved_headline(arm: ArmSummary, comparison: Comparison) -> str:
    """What is proved and right, and at how many tokens; then what is right in the arms that no checker helped."""
    helped = arms_with_checker(comparison)
    others = [
        f"{one.arm} {percent(one.accuracy.share)}%{_in_tokens(one)}" for one in comparison.arms if one.arm not in helped
    ]
    said = (
        f"{arm.arm}: {interval(arm.traces.proved_and_right)}% of {comparison.common:,} problems"
        f"{groups_of(comparison.common, comparison.clusters)} proved and right{_in_tokens(arm)}"
    )
    runs = "one training run" if arm.runs == 1 else f"{arm.runs} training runs"
    return f"{said}, {runs}." + (f" Right without a checker: {', '.join(others)}." if others else "")


def _in_tokens(arm: ArmSummary) -> str:
    """`` (61 tokens)``; empty where nobody gave them."""
    mean = arm.output_tokens and arm.output_tokens.mean
    return "" if mean is None else f" ({mean:,.0f} tokens)"


def _runs(row: Difference, comparison: Comparison) -> str:
    """The runs of both arms, and what they leave open: nobody has trained the predictions in a file here."""
    foreign = {row.arm, row.reference} & set(from_files(comparison))
    word = "run" if foreign else "training run"
    counts = f"{row.runs_arm} and {row.runs_reference} {word}s"
    if row.runs_arm == row.runs_reference:
        counts = f"one {word} each" if row.runs_arm == 1 else f"{row.runs_arm} {word}s each"
    # An arm that was run once may have been lucky, however often the other was.
    if row.p >= LEVEL or min(row.runs_arm, row.runs_reference) > 1:
        return counts
    if foreign:
        return f"{counts}: with another run the result may differ"
    return f"{counts}: a difference of these runs, and no verdict on the arms"


def _tokens(row: Difference, comparison: Comparison) -> str:
    """The half on tokens: ``15% fewer tokens [8, 21]``."""
    ratio = row.token_ratio
    if ratio is None:
        without = [
            each.arm for each in comparison.arms if each.arm in (row.arm, row.reference) and each.output_tokens is None
        ]
        return "tokens not given" if len(without) != 1 else f"tokens not given for {listed(without)}"
    low, high = ratio.low or 0.0, float("inf") if ratio.high is None else ratio.high
    if low <= 1 <= high:
        return f"no significant difference in tokens ({_percent(ratio.value, low, high, '+')})"
    if ratio.value >= _TIMES:
        return f"{ratio.value:.1f} times the tokens [{_bound(low, '.1f')}, {_bound(high, '.1f')}]"
    if ratio.value > 1:
        return _percent(ratio.value, low, high, "", " more tokens")
    return _percent(2 - ratio.value, 2 - high, 2 - low, "", " fewer tokens")


_TIMES = 2
"""From so many times on, "3.1 times the tokens" is easier to read than "210% more"."""


def _percent(value: float, low: float, high: float, sign: str, what: str = "") -> str:
    """How far from 1 a ratio is, in percent, with its bounds; one decimal where whole numbers would say 0 or 100."""
    shares = [100 * (each - 1) for each in (value, low, high)]
    digits = ".1f" if any(abs(each) < 1 or 99 < abs(each) < 100 for each in shares) else ".0f"
    middle, least, most = (_bound(each, f"{sign}{digits}") for each in shares)
    return f"{middle}%{what} [{least}, {most}]"


def _bound(value: float, form: str) -> str:
    # The sign U+2212 is as wide as the plus.
    return format(value, form).replace("inf", "∞").replace("-", "−")
