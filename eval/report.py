"""The report of a comparison as one page of HTML that needs nothing but itself.

Everything on the page that comes from data is escaped by the template engine, or is text in an island of JSON that the
page's one script reads; pictures are data URIs. The page's own policy allows that script, by its hash, and no request.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from eval import report_figures as figures
from eval import report_markdown as notes
from eval.benchmarks.benchmark import Table
from eval.benchmarks.tables import cell_text
from eval.equality import POLICIES
from eval.error_taxonomies import TAXONOMIES, TAXONOMY_NAMES, Taxonomy, TaxonomyName
from eval.leaderboard import leaderboard
from eval.plots import (
    CLASS_COLOURS,
    accuracy_against_tokens,
    accuracy_by_scene,
    colour,
    error_bars,
    sampling_curves,
)
from eval.report_errors import ArmErrors, arm_errors, judged_arms
from eval.report_examples import PICTURE_BUDGET, Drawing, collect_examples, data_uri
from eval.runs import Run
from eval.summary import Summary

if TYPE_CHECKING:
    from eval.compare import Comparison

_FOLDER = Path(__file__).parent
T = TypeVar("T")


@dataclass(frozen=True)
class Plot:
    """A plot drawn for a light and for a dark page, as data URIs; ``says`` is what a reader without it is told."""

    title: str
    says: str
    light: str
    dark: str


@dataclass(frozen=True)
class TableRow:
    """A row of a benchmark's table, its cells as text; ``kind`` as in :class:`eval.leaderboard.Place`."""

    name: str
    kind: str
    cells: list[str]


def page(
    comparison: Comparison,
    by_arm: Mapping[str, Sequence[Run]],
    pooled: Mapping[str, Run],
    chosen: Sequence[str],
    drawing: Drawing,
) -> str:
    """The page as text.

    ``by_arm`` has the training runs of each arm, ``pooled`` these as one; ``chosen`` are the ids of the problems to
    show; ``drawing`` gives the scene of one that has no pictures, as SVG.
    """
    script = (_FOLDER / "report.js").read_text("utf-8")
    errors = arm_errors(by_arm)
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            comparison=comparison,
            scope=notes.scope(comparison),
            footnote=notes.footnote(comparison),
            notes=notes,
            colours={arm.arm: colour(index) for index, arm in enumerate(comparison.arms)},
            leaderboard=leaderboard(comparison),
            plots=_plots(comparison.arms),
            sampling=_sampling_plot(comparison.arms),
            dimensions=[
                (name, notes.TITLES[name], notes.labels(comparison.arms, name))
                for name in notes.shown_dimensions(comparison.arms)
            ],
            tables=[(table, table_rows(table), _sources(table)) for table in comparison.tables],
            errors=errors,
            taxonomies=[(name, TAXONOMIES[name], _error_plot(errors, name)) for name in TAXONOMY_NAMES if errors],
            class_colours=CLASS_COLOURS,
            published_share=_published_share,
            judged=judged_arms(by_arm),
            examples=collect_examples(pooled, chosen, drawing),
            picture_budget=f"{PICTURE_BUDGET >> 20} MiB",
            runs=pooled,
            by_arm=by_arm,
            policies={name: POLICIES[name] for name in POLICIES if any(name in arm.policy for arm in comparison.arms)},
            style=Markup((_FOLDER / "report.css").read_text("utf-8")),
            script=Markup(script),
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        )
    )


def table_rows(table: Table) -> list[TableRow]:
    """The rows of ``table``: what was measured, then rows of others."""
    units = [table.units.get(name, table.unit) for name in table.header]
    measured = [
        TableRow(
            str(row[0]), "measured", [cell_text(cell, unit) for cell, unit in zip(row[1:], units[1:], strict=True)]
        )
        for row in table.rows
    ]
    others = [
        TableRow(
            row.model,
            "people" if row.people else "published",
            [cell_text(row.figures.get(name), unit) for name, unit in zip(table.header[1:], units[1:], strict=True)],
        )
        for row in table.published
    ]
    return measured + others


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        percent=figures.percent,
        interval=figures.interval,
        signed=figures.signed,
        p=_dashed(figures.p_value),
        estimate=_dashed(figures.estimate_percent),
        ratio=_dashed(figures.ratio),
        token_estimate=_dashed(figures.tokens),
        bare=_dashed(figures.bare),
        token_ratio=notes.token_ratio,
        json=Markup,
    )
    return environment


def _dashed(shown: Callable[[T], str]) -> Callable[[T], str]:
    """``shown`` with the page's dash for what there is not."""
    return lambda value: "–" if (text := shown(value)) == "-" else text


def _plots(arms: Sequence[Summary]) -> list[Plot]:
    plots = [
        _plot(
            "Accuracy against output tokens",
            "; ".join(
                f"{arm.arm}: {figures.interval(arm.accuracy)}% at {arm.output_tokens.mean:.0f} tokens"
                for arm in arms
                if arm.output_tokens
            ),
            lambda dark: accuracy_against_tokens(arms, dark=dark),
        )
    ]
    if "scene" in notes.shown_dimensions(arms):
        plots.append(
            _plot(
                "Accuracy by scene",
                "the figures stand in the breakdown by scene",
                lambda dark: accuracy_by_scene(arms, dark=dark),
            )
        )
    return plots


def _sampling_plot(arms: Sequence[Summary]) -> Plot | None:
    if not any(arm.sampling for arm in arms):
        return None
    says = "majority, pass@k, checked and oracle against tokens; the figures stand in the table below"
    return _plot("Accuracy against all tokens spent", says, lambda dark: sampling_curves(arms, dark=dark))


def error_plot(errors: Sequence[ArmErrors], name: TaxonomyName, *, dark: bool) -> bytes:
    """The classes of ``errors`` in the taxonomy ``name``, a stacked bar an arm."""
    words = list(TAXONOMIES[name].classes)
    counts = []
    for arm in errors:
        said = [arm.classes[name].get(word, {}) for word in words]
        pairs = [(each.get("machine", 0), each.get("judge", 0)) for each in said]
        counts.append([*pairs, (arm.unclassed[name], 0)])
    return error_bars([arm.arm for arm in errors], [word.replace("_", " ") for word in words], counts, dark=dark)


def _error_plot(errors: Sequence[ArmErrors], name: TaxonomyName) -> Plot:
    title = f"Errors in {TAXONOMIES[name].title}'s classes"
    return _plot(title, "the figures stand in the table below", lambda dark: error_plot(errors, name, dark=dark))


def _plot(title: str, says: str, draw: Callable[[bool], bytes]) -> Plot:
    light, dark = (data_uri("image/png", draw(dark)) for dark in (False, True))
    return Plot(title, says, light, dark)


def _published_share(taxonomy: Taxonomy, word: str) -> tuple[float, int] | None:
    """The published share of a class and how many classes it is of; ``None`` but for the first of those."""
    for words, share in taxonomy.published.items():
        together = words.split("+")
        if together[0] == word:
            return share, len(together)
    return None


def _sources(table: Table) -> list[str]:
    return list(dict.fromkeys(row.source for row in table.published))
