"""A finished evaluation that is started again: its summary, without a look at the model or the texts.

``finished.json`` is written last. It has the recipe, and size and time of change of every file that the scores depend
on. While none of them has changed, and SRT is of the same version, there is nothing to do; else (a file that was
touched is enough) everything is looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import srt
from eval.backends.backend_registry import BACKENDS
from eval.records.run_records import CHECKED, MANIFEST, PREDICTIONS, SCORES, SUMMARY
from eval.run.eval_recipe import EvalRecipe
from srt.io.atomic_files import write_atomically
from srt.io.errors import RecordError
from srt.io.file_versions import FileVersions, file_versions
from srt.io.record_lines import dump, parse_record
from srt.io.records import Record

_FINISHED = "finished.json"


class _Finished(Record):
    recipe: dict[str, Any]
    version: str
    made_from: FileVersions
    summary: dict[str, Any]


def finished_summary(recipe: EvalRecipe) -> dict[str, Any] | None:
    """What the evaluation ``recipe`` has printed when it ended; ``None`` where something may be left to do."""
    file = recipe.output / _FINISHED
    if not file.is_file():
        return None
    try:
        kept = parse_record(file.read_bytes(), _Finished, str(file))
    except RecordError:  # of another version
        return None
    now = (recipe.model_dump(mode="json"), srt.__version__, file_versions(_files(recipe)))
    return kept.summary if (kept.recipe, kept.version, kept.made_from) == now else None


def mark_finished(recipe: EvalRecipe, summary: dict[str, Any]) -> None:
    """Keep what the evaluation ``recipe`` prints at its end, for :func:`finished_summary`."""
    kept = _Finished(
        recipe=recipe.model_dump(mode="json"),
        version=srt.__version__,
        made_from=file_versions(_files(recipe)),
        summary=summary,
    )
    write_atomically(recipe.output / _FINISHED, [dump(kept)])


def _files(recipe: EvalRecipe) -> Iterator[Path]:
    """Every file that the scores depend on."""
    yield from (recipe.output / name for name in (MANIFEST, PREDICTIONS, SCORES, CHECKED, SUMMARY))
    yield from (file for file in (recipe.problems, recipe.shots_from, *recipe.files) if file is not None)
    if recipe.data is not None:  # it was imported, which is not done twice
        yield from recipe.output.glob("*problems.jsonl")
    folders = [recipe.adapter, recipe.reference_tokenizer]
    if BACKENDS[recipe.backend].local:
        folders.append(Path(recipe.model))
    for folder in folders:
        if folder is not None and folder.is_dir():
            yield from folder.iterdir()
    if recipe.prompts is not None:
        yield from recipe.prompts.rglob("*")
