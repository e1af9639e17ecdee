"""What the Markdown report and the HTML page say in the same words: scope, notes, and what is shown at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from eval.benchmarks.benchmark_registry import find_benchmark
from eval.benchmarks.definition.benchmark import PLAIN, Table
from eval.decoding.ways import WAYS
from eval.records.run_records import Run, generation_unknown
from eval.report.comparison_records import Comparison
from eval.run.given_predictions import BACKEND
from eval.scoring.arm_summary import ArmSummary
from eval.scoring.differences import Difference
from eval.scoring.dimensions import dimensions
from srt.statistics.paired_difference import Test
from srt.statistics.seed_power import WIDE

SIZE_NOTE = (
    "Problems for so many points: how many would show such a difference with power 0.8 at the level 0.05, where arms "
    "disagree as often, and problems hang together as much, as here; shows: the smallest difference that these do. "
    "Where an arm has several runs, both are for as many runs, simulated with the spread that they show; "
    "none: no number of problems is enough. With one run of each arm, both leave the variance between runs out."
)
SAMPLING_NOTE = (
    "Tokens: output tokens a question, all k samples. Majority: the most frequent answer. pass@k: one is right. "
    "Checked and oracle pick samples by the checker's, or the solver's, word before they vote: knowledge that a model "
    "does not have. Intervals: over groups of problems, and runs if there are several."
)
PROVED_ALONE_NOTE = (
    "If only those outputs are given whose trace the checker proved: how many these are (coverage), and how many of "
    "them are right (1 minus the risk). The checker chose them, so neither is an accuracy."
)
DECODE_NOTE = (
    "Arms of the same models that differ in decode alone. Tokens: all that were generated for a problem, refused ones "
    "and other samples included; x: as a multiple of the arm without decode. Proved and right: by the checker and by "
    "gold. Intervals: over groups of problems, and training runs if there are several."
)
LEARNING_NOTE = (
    "Of arms that go on from the trained srt: what they took beyond it, a run. The texts of GRPO are sampled while it "
    "trains: they count as sampled and as trained on, and their seconds are in those of training."
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


def from_files(comparison: Comparison) -> list[str]:
    """The arms whose predictions another system made."""
    return [arm.arm for arm in comparison.arms if arm.backend == BACKEND]


def groups_of(problems: int, groups: int) -> str:
    """`` in 15 groups``, where there are fewer of them than problems."""
    return "" if groups == problems else f" in {groups:,} groups"


def difference_groups(comparison: Comparison) -> list[tuple[str, list[Difference]]]:
    """The differences, by the heading of their table: between arms, and of each variant of ``srt`` from ``srt``."""
    variants = [
        row for row in comparison.differences if row.reference == "srt" and row.arm.startswith(("srt-", "srt+"))
    ]
    others = [row for row in comparison.differences if row not in variants]
    groups = [
        ("Paired differences", others),
        ("What each part of a trace is worth", variants),
    ]
    return [(heading, rows) for heading, rows in groups if rows]


def shown_dimensions(arms: Sequence[ArmSummary]) -> list[str]:
    """The breakdowns with more than one label."""
    return [name for name in dimensions() if len(labels(arms, name)) > 1]


def has_traces(arms: Sequence[ArmSummary]) -> bool:
    """Whether any output of ``arms`` is a trace, or was judged as one."""
    return any(arm.traces.with_steps.right or arm.traces.refused or any(arm.traces.steps.values()) for arm in arms)


def shown_tables(comparison: Comparison) -> list[Table]:
    """The benchmark's tables in which our arms have a figure."""
    return [table for table in comparison.tables if any(cell is not None for row in table.rows for cell in row[1:])]


def labels(arms: Sequence[ArmSummary], dimension: str) -> list[str]:
    """What the problems of ``arms`` are labelled with in ``dimension``, sorted."""
    return sorted({label for arm in arms for label in arm.by.get(dimension, ())})


def training(comparison: Comparison) -> str:
    """A sentence on what the intervals know of the variance between runs; the first one of a report.

    Of predictions in a file nobody knows whether another run would be trained anew.
    """
    runs = {arm.arm: arm.runs for arm in comparison.arms}
    once = [arm for arm, count in runs.items() if count == 1]
    foreign = bool(from_files(comparison))
    variance = "the variance between runs" if foreign else "the variance of training"
    if len(once) == len(runs):
        each = "one run" if foreign else "one training run"
        return f"Each arm has {each}: {variance} is not in any interval or p-value here."
    several = ", ".join(f"{arm} {count}" for arm, count in runs.items() if count > 1)
    covered = "runs" if foreign else "training runs"
    known = f"Intervals and p-values cover {covered} as well as problems where an arm has several runs ({several})"
    known += f"; of {', '.join(once)} {variance} is in none of them." if once else "."
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
    text = f"{comparison.common:,} problems{groups_of(comparison.common, comparison.clusters)}"
    if comparison.clusters != comparison.common:
        text += " (every interval allows for problems of one group being alike)"
    arms = len(comparison.arms)
    text += "." if arms == 1 else f" that {'both' if arms == 2 else f'all {arms}'} arms have in common."
    left = ", ".join(f"{name} {count}" for name, count in comparison.left_out.items() if count)
    return text + (f" Left out, because another arm lacks them: {left}." if left else "")


def unlike_settings(comparison: Comparison) -> list[str]:
    """In what arms differ besides the arm: a sentence for all differences of which the same is true, one on the arms of
    which nobody knows how they were generated, and those on their back ends."""
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
        sentences.append(f"How {listed(arms)} {were} generated is not known: settings may differ besides the arms.")
    return [*sentences, *comparison.back_ends]


def arms_with_checker(comparison: Comparison) -> list[str]:
    """The arms whose outputs the checker chose."""
    return [arm.arm for arm in comparison.arms if arm.decode is not None and WAYS[arm.decode].worlds]


def chosen_by_checker(comparison: Comparison) -> list[str]:
    """A sentence on the arms whose outputs the checker chose, if there are any."""
    arms = arms_with_checker(comparison)
    if not arms:
        return []
    return [
        f"The checker had a say in what {listed(arms)} answered (decode): what stands as accuracy is how many of these "
        "answers are right, not how good the model alone is."
    ]


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def tokens_not_given(comparison: Comparison) -> list[str]:
    """A sentence on the arms whose tokens nobody gave, if there are any."""
    without = [arm.arm for arm in comparison.arms if arm.output_tokens is None]
    if not without:
        return []
    if len(without) == len(comparison.arms):
        return ["Tokens are not given, so they are not compared."]
    return [f"Tokens are not given for {listed(without)}, which no comparison of tokens includes."]


def missing(comparison: Comparison) -> list[str]:
    """A sentence on predictions that were never made, if there are any."""
    counts = ", ".join(f"{arm.arm} {arm.missing}" for arm in comparison.arms if arm.missing)
    return [f"Predictions that are missing, which count as wrong: {counts}."] if counts else []


def token_sources(comparison: Comparison) -> str:
    """A sentence on who counted the output tokens of each arm; empty where there are none."""
    sources: dict[str, list[str]] = {}
    for arm in comparison.arms:
        if arm.output_tokens is not None:
            sources.setdefault(_COUNTED_BY.get(arm.backend, _COUNTED_BY["ids"]), []).append(arm.arm)
    if len(sources) == 1:
        return f"Tokens are {next(iter(sources))}."
    said = "; ".join(f"those of {listed(arms)} are {how}" for how, arms in sources.items())
    return f"Tokens: {said}." if said else ""


_COUNTED_BY = {
    BACKEND: "as the file of predictions gives them, by a tokenizer that is not known",
    "server": "as the server counted them",
    "ids": "counted by the ids that the model wrote",
}


_TESTS: dict[Test, str] = {
    "mcnemar": "the exact McNemar test",
    "sign_flip": "the exact sign-flip test on the totals of groups of problems",
    "t": "Student's t over groups of problems and runs, averaged over the spreads that the runs leave possible",
}


def footnote(comparison: Comparison) -> str:
    """How the paired differences were tested, and how intervals and p-values go together."""
    tests = " or ".join(_TESTS[test] for test in dict.fromkeys(row.test for row in comparison.differences))
    few = (
        " With fewer than 6 groups of problems no p-value can be below 0.05."
        if comparison.clusters < _FEWEST and any(row.test != "t" for row in comparison.differences)
        else ""
    )
    inside = (
        ""
        if comparison.clusters == comparison.common
        else f" Intervals allow for dependence inside the {comparison.clusters:,} groups of problems."
    )
    return (
        f"p: {tests}, two-sided; p (Holm): adjusted over all rows above. The interval excludes 0 exactly if p "
        f"(before Holm) is below 0.05; >0 and <0 are bounds that exclude 0 by the test alone.{few}{inside}"
    )


_FEWEST = 6
"""2 of 2^6 signs are 0.03 of all; of 2^5 they are 0.06."""
