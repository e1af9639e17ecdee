"""The benchmarks that evaluation knows, by name."""

from __future__ import annotations

from collections.abc import Mapping

from eval.benchmarks.benchmark import Benchmark
from eval.benchmarks.geoeval import GEOEVAL
from eval.benchmarks.hst import HST
from eval.benchmarks.mathspatial import MATHSPATIAL
from eval.benchmarks.plain import PROBLEMS
from eval.benchmarks.solidgeo import SOLIDGEO
from eval.benchmarks.space2025 import SPACE2025
from eval.benchmarks.spatial_abilities import SPATIAL_ABILITIES
from eval.benchmarks.threedsrbench import THREEDSRBENCH
from srt.errors import UserError

BENCHMARKS: dict[str, Benchmark] = {
    one.name: one
    for one in (
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
    """The benchmark ``name``; a :class:`~srt.errors.UserError` that lists those there are."""
    if name not in BENCHMARKS:
        raise UserError(f"unknown benchmark {name!r}: {', '.join(sorted(BENCHMARKS))} are known")
    return BENCHMARKS[name]


def chosen_options(one: Benchmark, given: Mapping[str, str]) -> dict[str, str]:
    """All options of ``one``: those ``given``, checked, and the default of each other."""
    for name, value in given.items():
        if name not in one.options:
            known = ", ".join(one.options) or "none"
            raise UserError(f"benchmark {one.name}: no option {name!r}; it has {known}")
        if value not in one.options[name]:
            raise UserError(f"benchmark {one.name}: option {name}: {' or '.join(one.options[name])}, not {value!r}")
    return {name: given.get(name, values[0]) for name, values in one.options.items()}
