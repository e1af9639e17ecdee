"""What the Markdown report and the HTML page say in the same words: scope, notes, and which breakdowns are shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from eval.benchmarks.benchmark_registry import find_benchmark
from eval.benchmarks.definition.benchmark import PLAIN
from eval.records.run_records import Run, generation_unknown
from eval.report.comparison_records import Comparison
from eval.report.number_format import difference_bounds, interval, signed
from eval.scoring.arm_summary import ArmSummary
from eval.scoring.differences import Difference
from eval.scoring.dimensions import dimensions
from srt.statistics.paired_difference import Test
from srt.statistics.seed_power import WIDE
from srt.statistics.significance import LEVEL

SIZE_NOTE = (
    "Problems for so many points: how many would show such a difference with power 0.8 at the level 0.05, where arms "
    "disagree as often, and problems hang together as much, as here; shows: the smallest difference that these do. "
    "Where an arm has several training runs, both are for as many runs, simulated with the spread that they show; "
    "none: no number of problems is enough. With one run of each arm, both leave training out."
)
SAMPLING_NOTE = (
    "Tokens: output tokens a question, all k samples. Majority: the most frequent answer. pass@k: one is right. "
    "Checked and oracle pick samples by the checker's, or the solver's, word before they vote: knowledge that a model "
    "does not have. Intervals: over clusters of problems, and training runs if there are several."
)
ERROR_NOTE = (
    "Over all predictions of an arm without full credit, also of problems that other arms lack. Machine's word first; "
    "+ n: a judge's, only where the machine has none. No class: nobody said, among them what was never an error of "
    "reasoning (truncated, no answer)."
)


def comparison_title(runs: Sequence[Run], named: str | None) -> str:
    """``named`` (an experiment and its model), else the models of ``runs``, and the benchmark."""
    if named is None:
        models = dict.fromkeys(PurePath(run.manifest.model.get("model", run.manifest.backend)).name for run in runs)
        families = dict.fromkeys(run.manifest.model.get("family", "") for run in runs)
        # Arms that were trained here are each in a folder "model": their family says more.
        named = (
            " and ".join(models if len(models) <= 2 and "model" not in models else filter(None, families)) or "models"
        )
    names = dict.fromkeys(run.manifest.benchmark for run in runs)
    if set(names) == {PLAIN}:
        names = dict.fromkeys(problem.source for run in runs for problem in run.problems.values())
    else:
        names = dict.fromkeys(find_benchmark(name).about.partition(":")[0] for name in names)
    return f"{named} on {', '.join(names)}"


def headline_difference(comparison: Comparison) -> Difference | None:
    """The difference that answers the question: ``srt`` against ``cot``, else against ``answer``, else the first."""
    rows = {(row.arm, row.reference): row for row in comparison.differences}
    for pair in (("srt", "cot"), ("srt", "answer")):
        if pair in rows:
            return rows[pair]
    return comparison.differences[0] if comparison.differences else None


def answer(comparison: Comparison) -> str:
    """What a console shows: the sentence that answers the question, after the warning if there is one."""
    return "\n".join(filter(None, (comparison.warning, headline(comparison))))


def headline(comparison: Comparison) -> str:
    """One sentence: what was found, on how many problems and runs, and whether the difference is significant."""
    row = headline_difference(comparison)
    if row is None:
        arm = comparison.arms[0]
        return f"{arm.arm}: {interval(arm.accuracy)}% of {comparison.common} problems right."
    trained = f"{row.runs_arm} and {row.runs_reference} training runs"
    if row.runs_arm == row.runs_reference:
        trained = "one training run each" if row.runs_arm == 1 else f"{row.runs_arm} training runs each"
    size = f"{row.count} problems" if row.clusters == row.count else f"{row.count} problems of {row.clusters} puzzles"
    low, high = difference_bounds(row)
    found = f"{row.arm} − {row.reference}: {signed(row.difference)} points [{low}, {high}] on {size}, {trained}"
    if row.p >= LEVEL:
        return f"{found}: no significant difference (p ≥ {LEVEL})."
    verdict = f"{row.arm} is {'better' if row.difference > 0 else 'worse'}"
    # Of an arm with one run, whatever the other has, training is in no interval.
    once = min(row.runs_arm, row.runs_reference) == 1
    these = "these two runs" if row.runs_arm == row.runs_reference else "these runs"
    return f"{found}: {verdict}{f' in {these}, and may not be with other seeds' if once else ''}."


def difference_groups(comparison: Comparison) -> list[tuple[str, list[Difference]]]:
    """The differences, by the heading of their table: between arms, and of each variant of ``srt`` from ``srt``."""
    variants = [row for row in comparison.differences if row.reference == "srt" and row.arm.startswith("srt-")]
    others = [row for row in comparison.differences if row not in variants]
    groups = [
        ("Paired differences", others),
        ("What each part of a trace is worth", variants),
    ]
    return [(heading, rows) for heading, rows in groups if rows]


def shown_dimensions(arms: Sequence[ArmSummary]) -> list[str]:
    """The breakdowns with more than one label."""
    return [name for name in dimensions() if len(labels(arms, name)) > 1]


def labels(arms: Sequence[ArmSummary], dimension: str) -> list[str]:
    """What the problems of ``arms`` are labelled with in ``dimension``, sorted."""
    return sorted({label for arm in arms for label in arm.by.get(dimension, ())})


def training(comparison: Comparison) -> str:
    """A sentence on what the intervals know of the variance of training; the first one of a report."""
    runs = {arm.arm: arm.runs for arm in comparison.arms}
    once = [arm for arm, count in runs.items() if count == 1]
    if len(once) == len(runs):
        return "Each arm has one training run: the variance of training is not in any interval or p-value here."
    several = ", ".join(f"{arm} {count}" for arm, count in runs.items() if count > 1)
    known = f"Intervals and p-values cover training runs as well as problems where an arm has several runs ({several})"
    known += f"; of {', '.join(once)} the variance of training is in none of them." if once else "."
    return " ".join([known, *_few_runs(comparison)])


def _few_runs(comparison: Comparison) -> list[str]:
    """A sentence on the differences whose runs are too few to bound how far runs lie apart, if there are any."""
    wide = [row for row in comparison.differences if row.widened is not None and row.widened > WIDE]
    if not wide:
        return []
    needed = [row.runs_to_bound for row in wide]
    enough = "more than 20" if None in needed else f"about {max(each for each in needed if each is not None)}"
    pairs = ", ".join(f"{row.arm} − {row.reference} {row.widened:.1f} times" for row in wide)
    return [
        f"So few runs hardly bound how far runs lie apart. This makes intervals wider: {pairs}. With {enough} runs of "
        "each arm that has several, they would be wider by a quarter at most."
    ]


def scope(comparison: Comparison) -> str:
    """A sentence on the problems that are compared and left out."""
    text = f"{comparison.common} problems"
    if comparison.clusters != comparison.common:
        text += f" in {comparison.clusters} clusters (problems that are alike: renamed, rearranged or translated),"
    text += f" that all {len(comparison.arms)} arms have in common." if len(comparison.arms) > 1 else "."
    left = ", ".join(f"{name} {count}" for name, count in comparison.left_out.items() if count)
    return text + (f" Left out, because another arm lacks them: {left}." if left else "")


def unlike_settings(comparison: Comparison) -> list[str]:
    """In what arms differ besides the arm: a sentence for all differences of which the same is true, and one on the
    arms of which nobody knows how they were generated."""
    unknown = {generation_unknown(arm.arm): arm.arm for arm in comparison.arms}
    found: dict[tuple[str, ...], list[str]] = {}
    for row in comparison.differences:
        if reasons := tuple(reason for reason in row.different if reason not in unknown):
            found.setdefault(reasons, []).append(f"{row.arm} − {row.reference}")
    sentences = [
        f"{', '.join(pairs)}: not a difference of arms alone: {'; '.join(reasons)}." for reasons, pairs in found.items()
    ]
    said = {reason for row in comparison.differences for reason in row.different}
    if arms := [arm for reason, arm in unknown.items() if reason in said]:
        were = "was" if len(arms) == 1 else "were"
        sentences.append(f"How {_listed(arms)} {were} generated is not known: settings may differ besides the arms.")
    return sentences


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def tokens_not_given(comparison: Comparison) -> list[str]:
    """A sentence on the arms whose tokens nobody gave, if there are any."""
    without = [arm.arm for arm in comparison.arms if arm.output_tokens is None]
    if not without:
        return []
    return [f"Tokens are not given for {', '.join(without)}, which no comparison of tokens includes."]


_TESTS: dict[Test, str] = {
    "mcnemar": "the exact McNemar test",
    "sign_flip": "the exact sign-flip test on the totals of clusters",
    "t": "Student's t over clusters and training runs, averaged over the spreads that the runs leave possible",
}


def footnote(comparison: Comparison) -> str:
    """How the paired differences were tested, and how intervals and p-values go together."""
    tests = " or ".join(_TESTS[test] for test in dict.fromkeys(row.test for row in comparison.differences))
    few = (
        " With fewer than 6 clusters no p-value can be below 0.05."
        if comparison.clusters < _FEWEST and any(row.test != "t" for row in comparison.differences)
        else ""
    )
    return (
        f"p: {tests}, two-sided; p (Holm): adjusted over all rows above. The interval excludes 0 exactly if p "
        f"(before Holm) is below 0.05; >0 and <0 are bounds that exclude 0 by the test alone.{few} Intervals allow for "
        f"dependence inside the {comparison.clusters} clusters of problems."
    )


_FEWEST = 6
"""2 of 2^6 signs are 0.03 of all; of 2^5 they are 0.06."""
