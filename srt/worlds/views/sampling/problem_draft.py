"""A problem as it is drawn, before it is put into words."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeVar

from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.kernel.stacks import Heights, Side, footprint
from srt.worlds.views.kernel.voxels import Voxels
from srt.worlds.views.reading.figures import CubeFigure, Figure, NetFigure, PlanFigure, SolidFigure, ViewFigure

Kind = Literal["C3M", "3VM", "IVI", "MVC", "VT", "PRA", "FPBI", "GPC", "SVT", "MRT"]
_Choice = TypeVar("_Choice")
Option = ViewFigure | SolidFigure | PlanFigure | NetFigure | CubeFigure | str | int
"""What an option shows or says; figures have the name of a letter in the end."""
Reason = Literal[
    "mirror image",
    "one cube off",
    "one square off",
    "another view",
    "turned",
    "nearest row only",
    "a view ignored",
    "hidden cubes forgotten",
    "cubes counted that are there",
    "least for most",
    "most for least",
    "sum for product",
    "bottom forgotten",
    "bottom counted",
    "dents or ends forgotten",
    "another direction",
    "contradicts the views",
    "a like solid",
    "drawn beside it",
    "meets it when folded",
    "opposite faces side by side",
]


class Choices:
    """What chance decides of a problem besides its solid; like problems share it, and so ask the same."""

    def __init__(self, rng: random.Random) -> None:
        self._numbers = [rng.random() for _ in range(4)]
        self._used = 0

    def again(self) -> Choices:
        """The same choices from the first on."""
        self._used = 0
        return self

    def random(self) -> float:
        """A number from 0 to 1, without 1."""
        self._used += 1
        return self._numbers[self._used - 1]

    def choice(self, options: Sequence[_Choice]) -> _Choice:
        """One of ``options``."""
        return options[int(self.random() * len(options))]


@dataclass(frozen=True)
class Wrong:
    """A wrong option and the mistake that leads to it."""

    option: Option
    reason: Reason


@dataclass(frozen=True)
class ProblemDraft:
    """``subject`` is the solid that the problem is about; of several that fit the views shown, the greatest. Of nets it
    is the squares, those of the faces that are asked for or seen marked.

    ``why`` names the mistake that leads to a wrong option; ``None`` where nothing shows that the option is wrong.
    """

    kind: Kind
    asked: ViewClaim
    shown: tuple[Figure, ...]
    subject: Heights
    right: Option
    why: Callable[[Option], Reason | None]


@lru_cache(maxsize=4096)
def side_figure(heights: tuple[int, ...], name: str) -> ViewFigure:
    """A side view with columns of these heights."""
    rows = tuple("".join(".#"[height > level] for height in heights) for level in reversed(range(max(heights))))
    return ViewFigure(name=name, rows=rows)


@lru_cache(maxsize=4096)
def top_figure(heights: Heights, name: str = "top") -> ViewFigure:
    """The top view of a solid."""
    return ViewFigure(name=name, rows=tuple("".join(".#"[square] for square in row) for row in footprint(heights)))


@lru_cache(maxsize=4096)
def solid_figure(heights: Heights, name: str = "solid") -> SolidFigure:
    """The picture of a solid."""
    layers = tuple(
        tuple("".join(".#"[height > level] for height in row) for row in heights)
        for level in range(max(map(max, heights)))
    )
    return SolidFigure(name=name, layers=layers)


def voxels_figure(solid: Voxels) -> SolidFigure:
    """The picture of a solid of any form that may have been turned, without an arrow at its front."""
    layers = tuple(tuple("".join(".#"[cube] for cube in row) for row in layer) for layer in solid.tolist())
    return SolidFigure(name="solid", layers=layers, arrow=False)


def plan_figure(heights: Heights) -> PlanFigure:
    """The plan of a solid with numbers."""
    return PlanFigure(name="plan", heights=heights)


def asked(word: str) -> ViewClaim:
    """The reading of a question for a quantity, a view or a plan."""
    return ViewClaim("asked", word=word)


SHOWN_SIDES: tuple[Side, ...] = ("front", "left", "right")
"""The side views that school texts draw."""
