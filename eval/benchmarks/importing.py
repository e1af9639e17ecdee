"""A benchmark's data as published, read into a file of problems; what is not taken is named and counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eval.benchmarks import find_benchmark
from srt.corpora import import_file
from srt.errors import UserError


def import_benchmark(name: str, path: Path, out: Path, *, lang: str | None = None) -> dict[str, Any]:
    """Read the user's copy of the benchmark ``name`` at ``path`` into ``out`` and give a summary of counts.

    Items that are not taken stand in ``out`` with ``.refusals`` before its suffix, each with its reason. ``lang`` is
    for a benchmark that has both languages of an item.

    Raises:
        UserError: no such benchmark, one that has no reader, or what :func:`srt.corpora.import_file` raises.
    """
    benchmark = find_benchmark(name)
    if benchmark.read is None:
        raise UserError(f"benchmark {name}: it has no reader; give a file of problems")
    return import_file(name, path, out, lang=lang, reader=benchmark.read)
