"""MathSpatial-Bench: accuracy by subtype and by category, in the form of the paper's table, beside its rows.

The paper's figures are means of two runs: two repeats of one run, or two run folders of one arm in a comparison. Its
overall figure is over all problems, not the mean of the columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from eval.benchmarks.definition.benchmark import STEPS, Benchmark, Table
from eval.benchmarks.tables.breakdown import breakdown, policy_note, under_both_policies
from eval.benchmarks.tables.published_rows import published_rows
from eval.records.run_records import Run
from srt.corpora import mathspatial

SUBTYPES = {
    "C3M": 49,
    "3VM": 123,
    "IVI": 290,
    "CR": 56,
    "MVC": 357,
    "VT": 134,
    "PRA": 145,
    "GPC": 482,
    "FPBI": 125,
    "SCP": 213,
    "PPCD": 26,
}
"""The columns of the paper's table, in its order, and how many problems of each Bench was published with."""

_CATEGORIES = tuple(dict.fromkeys(mathspatial.CATEGORIES[code] for code in SUBTYPES))
_RUNS = "The paper's figures are means of two runs."


def tables(runs: Mapping[str, Run]) -> list[Table]:
    """By subtype, with tokens and the published rows; by category."""
    return [
        breakdown(
            "MathSpatial-Bench by subtype",
            under_both_policies(runs),
            tuple(SUBTYPES),
            lambda problem: [problem.subcategory or ""],
            last=("overall", "tokens"),
            published=published_rows("mathspatial", "subtypes"),
            note=" ".join(filter(None, (_missing(runs), _RUNS, policy_note(runs)))),
        ),
        breakdown(
            "MathSpatial-Bench by category",
            runs,
            _CATEGORIES,
            lambda problem: [problem.category or ""],
            published=published_rows("mathspatial", "categories"),
            note=f"Printed gains over the base model, in points, overall last: {_printed_gains()}.",
        ),
    ]


def _printed_gains() -> str:
    gains = published_rows("mathspatial", "category gains")
    return "; ".join(
        f"{row.model} " + ", ".join(f"{100 * gain:+.1f}" for gain in row.figures.values()) for row in gains
    )


def _missing(runs: Mapping[str, Run]) -> str | None:
    """What is missing of Bench as published among the scored problems; problems without a subtype are in no column."""
    there = Counter(problem.subcategory for problem in next(iter(runs.values())).scored_problems)
    short = [f"{code} {there[code]} of {count}" for code, count in SUBTYPES.items() if there[code] != count]
    other = sum(count for code, count in there.items() if code not in SUBTYPES)
    parts = [f"not the whole of Bench: {', '.join(short)}" if short else "", f"{other} of no subtype" if other else ""]
    text = "; ".join(filter(None, parts))
    return f"{text[0].upper()}{text[1:]}." if text else None


MATHSPATIAL = Benchmark(
    name="mathspatial",
    about="MathSpatial-Bench: 2,000 school problems with pictures, eleven subtypes in three categories",
    read=mathspatial.read,
    options=STEPS,
    tables=tables,
)
