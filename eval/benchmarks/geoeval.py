"""GeoEval: geometry problems, some with a picture, read from the user's file through a mapping.

The data are given out on application, so the names of their fields are the user's to map: ``question``, ``choices``,
``answer``, ``picture``, and, where the file has them, ``subset``, ``shape`` and ``origin``, by which the tables divide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from eval.benchmarks.benchmark import Benchmark, Table
from eval.benchmarks.duplicates import refuse_repeated
from eval.benchmarks.mapping import Column, Form, read_mapped
from eval.benchmarks.published_rows import published_rows
from eval.benchmarks.tables import breakdown, policy_note
from srt.corpora.item import NotImported, Request
from srt.language.trace import Trace
from srt.records import Problem

if TYPE_CHECKING:
    from eval.runs import Run

COLUMNS = {
    "subset": "subset",  # as GeoEval names its parts: 2000, backward, augmented, hard
    "shape": "shape",  # flat or solid
    "origin": "data set of origin",
}
"""The benchmark's own columns, and what a table calls them."""

_FORM = Form(source="geoeval", columns={name: Column() for name in COLUMNS})


def read(path: Path, request: Request) -> Iterator[Problem | Trace | NotImported]:
    """The problems that the mapping at ``path`` tells of; ``subset`` is their category.

    Raises:
        UserError: as :func:`eval.benchmarks.mapping.read_mapped` does.
    """
    for item in refuse_repeated(read_mapped(path, request, _FORM)):
        if isinstance(item, Problem):
            yield item.model_copy(update={"category": item.meta.get("subset")})
        else:
            yield item


def tables(runs: Mapping[str, Run]) -> list[Table]:
    """All problems, beside the published rows; then by each of the columns that divides them."""
    problems = next(iter(runs.values())).problems.values()
    rows = published_rows("geoeval", "overall")
    made = [
        breakdown("GeoEval", runs, (), lambda _: (), last=("overall", "tokens"), published=rows, note=policy_note(runs))
    ]
    for name, title in COLUMNS.items():
        labels = sorted({str(problem.meta[name]) for problem in problems if name in problem.meta})
        if len(labels) > 1:
            made.append(_by_column(f"GeoEval by {title}", runs, labels, name))
    return made


def _by_column(title: str, runs: Mapping[str, Run], labels: list[str], name: str) -> Table:
    return breakdown(title, runs, labels, lambda problem: [str(problem.meta.get(name, ""))])


GEOEVAL = Benchmark(
    name="geoeval",
    about="GeoEval: geometry problems with and without a picture, through a mapping of your file",
    read=read,
    tables=tables,
    published=published_rows("geoeval", "overall"),
)
