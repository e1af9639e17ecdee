"""What the shell offers at the TAB key beside commands and options; names of files are the shell's own business.

Each function is asked when its value is completed, and imports what it needs then.
"""

from __future__ import annotations

from collections.abc import Callable
from glob import glob

from srt.io.bundled_files import bundled_names


def worlds() -> list[str]:
    """The worlds."""
    from srt.worlds.world_registry import WORLDS

    return list(WORLDS)


def plans() -> list[str]:
    """The plans of all worlds."""
    from srt.worlds.world_registry import worlds

    return list(dict.fromkeys(plan for world in worlds() for plan in world.plans))


def styles() -> list[str]:
    """The text styles of all worlds."""
    from srt.worlds.world_registry import worlds

    return list(dict.fromkeys(style for world in worlds() for style in world.styles))


def arms() -> list[str]:
    """The arms."""
    from srt.language.arms import ARMS

    return list(ARMS)


def kept() -> list[str]:
    """What ``srt build --keep`` takes."""
    from srt.pipeline.kept_traces import KEEP

    return list(KEEP)


def formats() -> list[str]:
    """The data formats of trainers."""
    from srt.trainers.format_registry import FORMATS

    return list(FORMATS)


def benchmarks() -> list[str]:
    """The benchmarks."""
    from eval.benchmarks.benchmark_registry import BENCHMARKS

    return sorted(BENCHMARKS)


def backends() -> list[str]:
    """The back ends of an evaluation."""
    from eval.backends.backend_registry import BACKENDS

    return list(BACKENDS)


def corpora() -> list[str]:
    """What ``srt import`` reads."""
    from srt.corpora import CORPORA

    return sorted({*CORPORA, *benchmarks()})


def recipes(folder: str) -> Callable[[str], list[str]]:
    """The recipes that come with the toolkit in ``folder``, and the files here."""

    def found(incomplete: str) -> list[str]:
        return [*bundled_names(folder), *sorted(glob(f"{incomplete}*.yaml"))]

    return found
