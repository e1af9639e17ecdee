"""``srt gallery``: samples of a world as one self-contained HTML page."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from srt.gallery.gallery_samples import GallerySample, samples
from srt.io.atomic_files import write_atomically
from srt.io.output_paths import keep_apart
from srt.pages.page_template import page_environment, page_script, page_style
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
    write_atomically(out, [page(of_world, seed, shown).encode()])
    proved = sum(sample.checked.proved for sample in shown)
    return {"page": str(out), "problems": len(shown), "proved traces": proved, "kind": _kinds(shown)}


def page(world: World, seed: int, shown: list[GallerySample]) -> str:
    """The page as text; everything that comes from data is escaped."""
    verdicts = Counter(step.verdict.support for sample in shown for step in sample.steps)
    return (
        page_environment(_FOLDER)
        .get_template("gallery.html.jinja")
        .render(
            world=world.name,
            about=(world.__doc__ or "").partition("\n")[0].replace("`", ""),
            seed=seed,
            samples=shown,
            kinds=_kinds(shown),
            verdicts=verdicts.most_common(),
            style=page_style(_FOLDER / "gallery.css"),
            script=page_script(_FOLDER / "gallery.js"),
        )
    )


def _kinds(shown: list[GallerySample]) -> dict[str, int]:
    return dict(sorted(Counter(sample.kind for sample in shown).items()))
