"""By what the results of a run are broken down.

Problems of an exact world are broken down by the dimensions that their world names
(:attr:`srt.worlds.world.Extras.dimensions`), other problems by category; all by language and number of right options.
"""

from __future__ import annotations

from srt.io.records import Problem
from srt.worlds.world_registry import worlds

COMMON = ("lang", "right_options")
"""The dimensions that every problem has."""


def dimensions() -> tuple[str, ...]:
    """All dimensions, in the order in which they are shown."""
    return (*dict.fromkeys(name for world in worlds() for name in world.extras.dimensions), "category", *COMMON)


def labels_of(problem: Problem) -> dict[str, str]:
    """The dimensions that ``problem`` has, with its label in each; ``-`` where the record gives none."""
    answer = problem.answer
    found = {name: problem.meta[name] for name in dimensions() if name in problem.meta and name not in COMMON}
    labels = {name: "none" if value is None else str(value) for name, value in found.items()}
    return {
        **(labels or {"category": problem.category or "-"}),
        "lang": problem.lang,
        "right_options": "-"
        if answer is None
        else str(len(answer.value))
        if answer.kind == "choice_set"
        else "free answer",
    }


def title(dimension: str) -> str:
    """A dimension's name for people."""
    return "language" if dimension == "lang" else dimension.replace("_", " ")
