"""The registry of benchmarks: found by name, their options checked, their published data imported.

A new benchmark is one file in this folder and one line in :data:`BENCHMARKS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from eval.benchmarks.definition.benchmark import Benchmark
from eval.benchmarks.geoeval import GEOEVAL
from eval.benchmarks.hst import HST
from eval.benchmarks.mathspatial import MATHSPATIAL
from eval.benchmarks.plain import PROBLEMS
from eval.benchmarks.solidgeo import SOLIDGEO
from eval.benchmarks.space2025 import SPACE2025
from eval.benchmarks.spatial_abilities import SPATIAL_ABILITIES
from eval.benchmarks.threedsrbench import THREEDSRBENCH
from srt.corpora import import_file
from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError

BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark
    for benchmark in (
        PROBLEMS,
        MATHSPATIAL,
        SPACE2025,
        SOLIDGEO,
        GEOEVAL,
        HST,
        SPATIAL_ABILITIES,
        THREEDSRBENCH,
    )
}


def find_benchmark(name: str) -> Benchmark:
    """The benchmark ``name``; a :class:`~srt.io.errors.UserError` that lists all if there is none of that name."""
    if name not in BENCHMARKS:
        raise UserError(
            f"unknown benchmark {name!r}{did_you_mean(name, BENCHMARKS)}: the benchmarks are "
            f"{', '.join(sorted(BENCHMARKS))}"
        )
    return BENCHMARKS[name]


def chosen_options(benchmark: Benchmark, given: Mapping[str, str]) -> dict[str, str]:
    """All options of ``benchmark``: those ``given``, checked, and the defaults of the others."""
    for name, value in given.items():
        if name not in benchmark.options:
            known = ", ".join(benchmark.options) or "none"
            raise UserError(
                f"benchmark {benchmark.name}: no option {name!r}{did_you_mean(name, benchmark.options)}; it has {known}"
            )
        if value not in benchmark.options[name]:
            raise UserError(
                f"benchmark {benchmark.name}: option {name}: {' or '.join(benchmark.options[name])}, not {value!r}"
            )
    return {name: given.get(name, values[0]) for name, values in benchmark.options.items()}


def import_benchmark(
    name: str,
    path: Path,
    out: Path,
    *,
    lang: str | None = None,
    columns: Mapping[str, str | list[str]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Read the user's copy of the benchmark ``name`` at ``path`` into ``out`` and give a summary of counts.

    Refused items are written beside ``out``, with ``.refusals`` before its suffix, each with its reason. ``lang``
    selects the language of a benchmark whose items have both; ``columns`` names the columns of the user's file for our
    fields.

    Raises:
        UserError: an unknown benchmark, one that takes no ``columns``, or what :func:`srt.corpora.import_file` raises.
    """
    benchmark = find_benchmark(name)
    if columns and not benchmark.mapped:
        takers = ", ".join(one.name for one in BENCHMARKS.values() if one.mapped)
        raise UserError(f"--columns: {name} is read as it was published; {takers} take it")
    return import_file(name, path, out, lang=lang, reader=benchmark.read, columns=columns)
