"""Pages of cards, each self-contained: ``srt gallery`` shows samples of a world, ``srt show`` the traces of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from srt.gallery.card import Card, whole_card
from srt.gallery.gallery_samples import samples
from srt.gallery.tried_card import tried_card
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.output_paths import keep_apart
from srt.io.problem_files import ProblemLines
from srt.io.record_lines import parse_record
from srt.io.records import Prediction, Problem
from srt.language.trace import Trace
from srt.pages.page_template import page_environment, page_script, page_style
from srt.pipeline.check import check_with_truth
from srt.worlds.world import World
from srt.worlds.world_registry import read_spec, world_named

_FOLDER = Path(__file__).parent


def gallery_command(
    world: str, out: Path, n: int, seed: int, lang: str | None = None, spec: Path | None = None
) -> dict[str, Any]:
    """Write the page ``out`` with ``n`` samples of ``world``; ``spec`` is a YAML file of the world's settings.

    Returns the counts that the command prints.

    Raises:
        UserError: there is no such world, the settings are not its own, or the page cannot be written.
    """
    # Before the sampling, which takes a while: the page must not be written over the settings.
    keep_apart(out, spec)
    of_world = world_named(world)
    fields = {} if spec is None else read_spec(of_world, spec)
    shown = samples(of_world, n, seed, fields if lang is None else {**fields, "lang": lang})
    write_atomically(out, [world_page(of_world, seed, shown).encode()])
    return _counts(out, shown)


def show_command(traces: Path, problems: Path, out: Path, n: int, *, tries: bool = False) -> dict[str, Any]:
    """Write the page ``out`` with the first ``n`` of ``traces``, each checked anew, beside its problem.

    With ``tries`` they are the predictions of a guided evaluation, with the lines that were refused. What has its
    problem not in the file, and a prediction for a changed problem, is counted as skipped. Returns the counts that the
    command prints.

    Raises:
        UserError: a file cannot be read, no trace has its problem in ``problems``, or the page cannot be written.
    """
    keep_apart(out, traces, problems)
    shown: list[Card] = []
    skipped: list[str] = []
    kind: type[Prediction] | type[Trace]
    kind, what = (Prediction, "prediction") if tries else (Trace, "trace")
    for line in islice(ProblemLines(problems).beside(traces, kind), n):
        record = parse_record(line.trace, kind, line.place)
        if line.problem is None or (isinstance(record, Prediction) and record.variant != "plain"):
            skipped.append(record.problem_id)
            continue
        problem = parse_record(line.problem.data, Problem, line.problem.place)
        if isinstance(record, Prediction):
            _check_places(record, line.place)
            shown.append(tried_card(problem, record, problems.parent))
        else:
            shown.append(traced(problem, record, problems.parent))
    if not shown:
        why = f"no {what} in this file has its problem in {problems}; {skipped[0]!r} is not there" if skipped else ""
        raise UserError(f"{traces}: {why or f'no {what}s in this file'}")
    foot = "Struck out: lines that were drawn in the place of the one above them and refused." if tries else ""
    write_atomically(out, [page(traces.name, (), f"{what}s, each with its problem", foot, shown).encode()])
    return _counts(out, shown) | ({"skipped": len(skipped)} if skipped else {})


def _check_places(prediction: Prediction, place: str) -> None:
    length = len(prediction.text)
    for number, one in enumerate(prediction.refused):
        if not 0 <= one.at <= length:
            raise UserError(
                f"{place}: refused.{number}.at: {one.at} is outside the text, which has {length} characters"
            )


def traced(problem: Problem, trace: Trace, folder: Path | None = None) -> Card:
    """The card of ``problem``, whose pictures are in ``folder``, and ``trace``, which is checked for it."""
    return whole_card(problem, trace, check_with_truth(problem, trace), folder=folder)


def world_page(world: World, seed: int, shown: Sequence[Card]) -> str:
    """The page of the samples of ``world``."""
    about = (world.__doc__ or "").partition("\n")[0].replace("`", "")
    return page(
        f"The world {world.name}", (about,), "sampled problems, each with its exact trace", f"Seed {seed}.", shown
    )


def page(title: str, about: Sequence[str], what: str, foot: str, shown: Sequence[Card]) -> str:
    """A page as text; everything that comes from data is escaped."""
    verdicts = Counter(step.verdict.support for card in shown for step in card.steps if step.verdict is not None)
    return (
        page_environment(_FOLDER)
        .get_template("gallery.html.jinja")
        .render(
            title=title,
            about=about,
            what=what,
            foot=foot,
            cards=shown,
            kinds=_kinds(shown),
            verdicts=verdicts.most_common(),
            style=page_style(_FOLDER / "gallery.css"),
            script=page_script(_FOLDER / "gallery.js"),
        )
    )


def _counts(out: Path, shown: Sequence[Card]) -> dict[str, Any]:
    proved = sum(card.checked is not None and card.checked.proved for card in shown)
    return {"page": str(out), "problems": len(shown), "proved traces": proved, "kind": _kinds(shown)}


def _kinds(shown: Sequence[Card]) -> dict[str, int]:
    return dict(sorted(Counter(card.kind for card in shown).items()))
