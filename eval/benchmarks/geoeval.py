"""GeoEval: geometry problems, some with a picture, read from the user's file through a mapping.

The data are available on request, and the user maps the names of their fields: ``question``, ``choices``, ``answer``,
``picture``, and, where the file has them, ``subset``, ``shape`` and ``origin``, by which the tables are broken down.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path

from eval.benchmarks.definition.benchmark import STEPS, Benchmark, Table
from eval.benchmarks.external.mapped_reader import Column, Form, read_mapped
from eval.benchmarks.external.repeated_problems import refuse_repeated
from eval.benchmarks.tables.breakdown import breakdown, policy_note, under_both_policies
from eval.benchmarks.tables.published_rows import published_rows
from eval.records.run_records import Run
from srt.corpora.corpus_reader import ImportRefusal, ImportRequest
from srt.io.records import Problem

COLUMNS = {
    "subset": "subset",  # as GeoEval names its parts: 2000, backward, augmented, hard
    "shape": "shape",  # flat or solid
    "origin": "data set of origin",
}
"""The benchmark's own columns, and their names in tables."""

_FORM = Form(
    source="geoeval",
    columns={name: Column() for name in COLUMNS},
    categories=lambda own: (own["subset"] or None, None),
    single_choice=lambda _: True,  # its items with options are from GeoQA, Geometry3K and the like: one is right
)


def read(path: Path, request: ImportRequest) -> Iterator[Problem | ImportRefusal]:
    """The problems that the mapping at ``path`` tells of; ``subset`` is their category.

    Raises:
        UserError: as :func:`eval.benchmarks.external.mapped_reader.read_mapped` does.
    """
    return refuse_repeated(read_mapped(path, request, _FORM))


def tables(runs: Mapping[str, Run]) -> list[Table]:
    """All problems, beside the published rows; then by each of the columns that divides them."""
    problems = next(iter(runs.values())).problems.values()
    rows = published_rows("geoeval", "overall")
    note = policy_note(runs)
    both = under_both_policies(runs)
    made = [breakdown("GeoEval", both, (), lambda _: (), last=("overall", "tokens"), published=rows, note=note)]
    for name, title in COLUMNS.items():
        labels = sorted({str(problem.meta[name]) for problem in problems if name in problem.meta})
        if len(labels) > 1:
            made.append(breakdown(f"GeoEval by {title}", runs, labels, functools.partial(_label, name)))
    return made


def _label(name: str, problem: Problem) -> list[str]:
    return [str(problem.meta.get(name, ""))]


GEOEVAL = Benchmark(
    name="geoeval",
    mapped=True,
    about="GeoEval: geometry problems with and without a picture, through a mapping of your file",
    read=read,
    options=STEPS,
    tables=tables,
)
