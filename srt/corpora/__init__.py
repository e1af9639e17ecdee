"""Readers of published corpora, one file each: from the files as published to :class:`~srt.records.Problem` records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from srt.corpora import space2025
from srt.errors import UserError
from srt.jsonl import keep_apart, keep_outside, write_records
from srt.records import Problem
from srt.worlds import world_of

CORPORA: dict[str, Callable[[Path], Iterator[Problem]]] = {"space2025": space2025.read}


def read_corpus(name: str, path: Path) -> Iterator[Problem]:
    """The problems of the corpus ``name`` at ``path``; :class:`UserError` where there is no such corpus or file."""
    if name not in CORPORA:
        raise UserError(f"unknown corpus {name!r}: the corpora are {', '.join(sorted(CORPORA))}")
    return CORPORA[name](path)


def import_file(name: str, path: Path, out: Path) -> dict[str, Any]:
    """Read a corpus into ``out`` and say how many problems of each category it holds.

    Problems of an exact world get the traits that the world reads off them (scene, compass) into ``meta``.

    Raises:
        UserError: no such corpus or file, nothing in it, or an ``out`` that is ``path`` or lies in that folder.
        RecordError: an item that is none.
    """
    if not path.exists():
        raise UserError(f"{path}: no such file or folder")
    keep_apart(out, path)
    keep_outside(out, path)
    counts: Counter[str] = Counter()
    read = read_corpus(name, path)

    def problems() -> Iterator[Problem]:
        for problem in read:
            counts[problem.subcategory or problem.category or "none"] += 1
            yield _with_traits(problem)
        # Raised here, in mid-write, so that what lies at `out` already stays as it is.
        if not counts:
            raise UserError(f"{path}: no problems in this file")

    write_records(out, problems())
    return {"problems": counts.total(), "category": dict(sorted(counts.items()))}


def _with_traits(problem: Problem) -> Problem:
    world = world_of(problem)
    if world is None:
        return problem
    return problem.model_copy(update={"meta": {**problem.meta, "world": world.name, **world.traits(problem)}})
