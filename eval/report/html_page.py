"""The report of a comparison as one self-contained HTML page.

Everything on the page that comes from data is escaped by the template engine, or is text in a JSON element that the
page's only script reads; pictures are data URIs. The page's content security policy allows that script, by its hash,
and no requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from jinja2 import Environment
from markupsafe import Markup

from eval.benchmarks.tables.breakdown import table_rows
from eval.errors.error_taxonomies import TAXONOMIES, TAXONOMY_NAMES, Taxonomy, TaxonomyName
from eval.records.run_records import Run
from eval.report import number_format as figures
from eval.report import report_wording as wording
from eval.report.comparison_records import Comparison
from eval.report.headline import headline, headline_difference, proved_arm
from eval.report.leaderboard import leaderboard
from eval.report.plots import (
    CLASS_COLOURS,
    accuracy_against_tokens,
    accuracy_by,
    colour,
    error_bars,
    main_dimension,
    proved_against_tokens,
    sampling_curves,
)
from eval.report.report_errors import ArmErrors, arm_errors, judged_arms
from eval.report.report_examples import PICTURE_BUDGET, Drawing, collect_examples
from eval.report.unread_wording import READ_NOTE, UNREAD_NOTE, counted, unread_says
from eval.scoring.arm_summary import ArmSummary
from eval.scoring.decode_curves import DecodeCurves
from eval.scoring.dimensions import title
from srt.answers.equality import POLICIES
from srt.pages.page_template import data_uri, page_environment, page_script, page_style

_FOLDER = Path(__file__).parent
T = TypeVar("T")


@dataclass(frozen=True)
class Plot:
    """A plot drawn for a light and for a dark page, as data URIs; ``says`` is its alternative text."""

    title: str
    says: str
    light: str
    dark: str


def page(
    comparison: Comparison,
    by_arm: Mapping[str, Sequence[Run]],
    pooled: Mapping[str, Run],
    chosen: Sequence[str],
    drawing: Drawing,
) -> Iterator[str]:
    """The page as text, piece by piece.

    ``by_arm`` has the training runs of each arm, ``pooled`` these as one; ``chosen`` are the ids of the problems to
    show; ``drawing`` gives the scene of one that has no pictures, as SVG.
    """
    errors = arm_errors(by_arm)
    proved, shows = proved_arm(comparison), _shown(comparison)
    return (
        _environment()
        .get_template("report.html.jinja")
        .generate(
            comparison=comparison,
            headline=headline(comparison),
            proved=proved,
            answer=None if proved else headline_difference(comparison),
            unread_says=unread_says(comparison),
            unread_notes=(UNREAD_NOTE, READ_NOTE),
            shows=shows,
            parts_title=_parts_title(shows),
            runs_word="runs" if wording.from_files(comparison) else "training runs",
            scope=wording.scope(comparison),
            footnote=wording.footnote(comparison),
            wording=wording,
            colours={arm.arm: colour(index) for index, arm in enumerate(comparison.arms)},
            leaderboard=leaderboard(comparison),
            plots=_plots(comparison.arms),
            sampling=_sampling_plot(comparison.arms) if any(arm.sampling for arm in comparison.arms) else None,
            decode_plots=[_decode_plot(study) for study in comparison.decode_curves],
            dimensions=[
                (name, title(name), wording.labels(comparison.arms, name))
                for name in wording.shown_dimensions(comparison.arms)
            ],
            tables=[
                (table, table_rows(table), list(dict.fromkeys(row.source for row in table.published)))
                for table in wording.shown_tables(comparison)
            ],
            errors=errors,
            taxonomies=[(name, TAXONOMIES[name], _error_plot(errors, name)) for name in TAXONOMY_NAMES if errors],
            class_colours=CLASS_COLOURS,
            published_share=_published_share,
            judged=judged_arms(by_arm),
            examples=collect_examples(pooled, chosen, drawing),
            picture_budget=f"{PICTURE_BUDGET >> 20} MiB",
            runs=pooled,
            by_arm=by_arm,
            policies={
                name: policy.description
                for name, policy in POLICIES.items()
                if any(name in arm.policy for arm in comparison.arms)
            },
            style=page_style(_FOLDER / "report.css"),
            script=page_script(_FOLDER / "report.js"),
        )
    )


def _shown(comparison: Comparison) -> dict[str, bool]:
    """Which columns have a figure in any row: those that have none are left out."""
    arms, rows = comparison.arms, comparison.differences
    return {
        "tokens": any(arm.output_tokens for arm in arms),
        "redrawn": any(arm.redrawn for arm in arms),
        "reasoning": any(arm.reasoning_tokens for arm in arms),
        "reference": any(arm.reference_tokens for arm in arms),
        "pictures": any(arm.image_tokens for arm in arms),
        "traces": wording.has_traces(arms),
        "certified": any(arm.traces.certified for arm in arms),
        "token_ratio": any(row.token_ratio for row in rows),
        "per_right": any(row.per_right_ratio for row in rows),
        "only": any(row.only_arm is not None for row in rows),
        "checked": any(at.checked or at.oracle for arm in arms if arm.sampling for at in arm.sampling.curve),
        "spent": any(at.tokens is not None for arm in arms if arm.sampling for at in arm.sampling.curve),
    }


def _parts_title(shows: Mapping[str, bool]) -> str:
    parts = ["tokens"] * shows["tokens"] + ["answers"] + ["traces"] * shows["traces"]
    return wording.listed(parts).capitalize()


def _environment() -> Environment:
    environment = page_environment(_FOLDER)
    environment.filters.update(
        percent=figures.percent,
        interval=figures.interval,
        signed=figures.signed,
        credit=figures.credit,
        p=figures.p_value,
        estimate=_dashed(figures.estimate_percent),
        ratio=_dashed(figures.ratio),
        token_estimate=_dashed(figures.tokens),
        bare=_dashed(figures.bare),
        difference_bounds=figures.difference_bounds,
        counted=counted,
        # Text that report_examples has made safe inside a script element; all else is escaped.
        json=Markup,
    )
    return environment


def _dashed(shown: Callable[[T], str]) -> Callable[[T], str]:
    """``shown`` with the page's dash for missing values."""
    return lambda value: "–" if (text := shown(value)) == "-" else text


def _plots(arms: Sequence[ArmSummary]) -> list[Plot]:
    says = "; ".join(
        f"{arm.arm}: {figures.interval(arm.accuracy)}% at {arm.output_tokens.mean:.0f} tokens"
        for arm in arms
        if arm.output_tokens
    )
    plots = []
    # An empty plot would read as "no tokens".
    if says:
        title_of = "Accuracy against output tokens"
        plots.append(_plot(title_of, says, lambda dark: accuracy_against_tokens(arms, dark=dark)))
    if (dimension := main_dimension(arms)) in wording.shown_dimensions(arms):
        name = title(dimension)
        says = f"the breakdown by {name} has the figures"
        plots.append(_plot(f"Accuracy by {name}", says, lambda dark: accuracy_by(dimension, arms, dark=dark)))
    return plots


def _sampling_plot(arms: Sequence[ArmSummary]) -> Plot:
    says = "majority, pass@k, checked and oracle against tokens; the table below has the figures"
    return _plot("Accuracy against all tokens spent", says, lambda dark: sampling_curves(arms, dark=dark))


def _decode_plot(study: DecodeCurves) -> Plot:
    says = "the table below has the figures"
    return _plot("Proved and right against tokens", says, lambda dark: proved_against_tokens(study, dark=dark))


def error_plot(errors: Sequence[ArmErrors], name: TaxonomyName, *, dark: bool) -> bytes:
    """The classes of ``errors`` in the taxonomy ``name``, one stacked bar for each arm."""
    words = list(TAXONOMIES[name].classes)
    counts = []
    for arm in errors:
        raters = [arm.classes[name].get(word, {}) for word in words]
        counts.append([*((by.get("machine", 0), by.get("judge", 0)) for by in raters), (arm.unclassed[name], 0)])
    return error_bars([arm.arm for arm in errors], [word.replace("_", " ") for word in words], counts, dark=dark)


def _error_plot(errors: Sequence[ArmErrors], name: TaxonomyName) -> Plot:
    title = f"Errors in {TAXONOMIES[name].title}'s classes"
    return _plot(title, "the table below has the figures", lambda dark: error_plot(errors, name, dark=dark))


def _plot(title: str, says: str, draw: Callable[[bool], bytes]) -> Plot:
    # Both are embedded: a page that is opened from a file cannot ask anybody to draw another one.
    light, dark = (data_uri("image/png", draw(dark)) for dark in (False, True))
    return Plot(title, says, light, dark)


def _published_share(taxonomy: Taxonomy, word: str) -> tuple[float, int] | None:
    """The published share of a class and how many classes share it; ``None`` for all but the first of those."""
    for words, share in taxonomy.published.items():
        together = words.split("+")
        # A share of two classes together is shown once, over both rows.
        if together[0] == word:
            return share, len(together)
    return None
