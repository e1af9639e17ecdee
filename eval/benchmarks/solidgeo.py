"""SolidGeo: solid geometry with pictures, by problem type, level, form of the answer and language.

An item of several problem types counts in the column of each, as in the published table.
"""

from __future__ import annotations

from collections.abc import Mapping

from eval.benchmarks.definition.benchmark import STEPS, Benchmark, Table
from eval.benchmarks.tables.breakdown import breakdown, policy_note, under_both_policies
from eval.benchmarks.tables.published_rows import published_rows
from eval.records.run_records import Run
from srt.corpora import solidgeo
from srt.io.records import Problem

TYPES = {
    "Composite Solid Structures": "CSS",
    "Spatial Metric Relations": "SMR",
    "Solid Shape Identification": "SSI",
    "Planar Unfolding and Configuration": "PUC",
    "Measurement of Solid Geometric Forms": "MSGF",
    "Solid Geometry Modeling": "SGM",
    "Multi-view Projection": "MVP",
    "3D Coordinate and Vector Reasoning": "3DCV",
}
"""The problem types and the published abbreviations, in the order of the published table."""

ITEMS = 3113
"""Items as published."""

_LEVELS = ("Level 1", "Level 2", "Level 3")
_FORMS = ("choice", "single-step", "multi-step")
_LANGUAGES = {"en": "English", "zh": "Chinese"}


def tables(runs: Mapping[str, Run]) -> list[Table]:
    """By problem type, with tokens and the published rows; by level; by the answer's form; by language."""
    scored = len(next(iter(runs.values())).scored_problems)
    part = "" if scored == ITEMS else f"{scored:,} of the {ITEMS:,} published items. "
    return [
        breakdown(
            "SolidGeo by problem type",
            under_both_policies(runs),
            tuple(TYPES.values()),
            lambda problem: [TYPES[name] for name in problem.meta.get("problem_type", ()) if name in TYPES],
            first=("overall",),
            last=("tokens",),
            published=(*published_rows("solidgeo", "types"), *published_rows("solidgeo", "mathspatial")),
            note=f"{part}An item of several types counts in each of its columns. {policy_note(runs)}",
        ),
        breakdown("SolidGeo by level", runs, _LEVELS, lambda problem: [_meta(problem, "complexity_level")]),
        # The data write single-step, their description single_step.
        breakdown(
            "SolidGeo by form of the answer", runs, _FORMS, lambda it: [_meta(it, "answer_type").replace("_", "-")]
        ),
        breakdown("SolidGeo by language", runs, tuple(_LANGUAGES.values()), lambda it: [_LANGUAGES[it.lang]]),
    ]


def _meta(problem: Problem, field: str) -> str:
    return str(problem.meta.get(field, ""))


SOLIDGEO = Benchmark(
    name="solidgeo",
    about="SolidGeo: 3,113 problems of solid geometry with pictures, English and Chinese, some with several parts",
    read=solidgeo.read,
    options=STEPS,
    tables=tables,
)
