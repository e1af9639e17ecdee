"""The ten scenes of the seating world: their seats, and the symmetries that leave a scene as it is.

``docs/seating.md`` draws them. What a relation means in a scene is :mod:`.relations`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Kind = Literal["booth", "hexagon-out", "hexagon-in", "shelf"]
Compass = Literal["none", "NS", "EW"]
Family = str
"""``booth``, ``hexagon`` or ``shelf``."""

_HEXAGON: dict[Compass, tuple[str, ...]] = {
    "none": ("P1", "P2", "P3", "P4", "P5", "P6"),
    "NS": ("N", "NE", "SE", "S", "SW", "NW"),
    "EW": ("NE", "E", "SE", "SW", "W", "NW"),
}
_SHELF = ("1E", "1W", "2E", "2W", "3E", "3W")


@dataclass(frozen=True)
class Scene:
    """A geometry: the kind of scene, and whether the text gives directions of the compass."""

    kind: Kind
    compass: Compass

    @property
    def family(self) -> Family:
        """The family of wordings, which does not depend on compass or facing."""
        return self.kind.split("-")[0]

    @cached_property
    def seats(self) -> tuple[str, ...]:
        """The seats, in the order of ``docs/seating.md``: benches, clockwise round the ring, tiers from the bottom."""
        if self.kind == "shelf":
            return _SHELF
        if self.kind == "booth":
            return ("E1", "E2", "W1", "W2") if self.compass == "EW" else ("S1", "S2", "N1", "N2")
        return _HEXAGON[self.compass]

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Seat permutations, the identity first: who sits at ``seats[i]`` moves to ``seats[symmetry[i]]``."""
        count = len(self.seats)
        if self.compass != "none" or self.kind == "shelf":
            return (tuple(range(count)),)
        step = 2 if self.kind == "booth" else 1
        return tuple(tuple((i + turn) % count for i in range(count)) for turn in range(0, count, step))


SCENES: tuple[Scene, ...] = (
    Scene("booth", "none"),
    Scene("booth", "NS"),
    Scene("booth", "EW"),
    Scene("hexagon-out", "none"),
    Scene("hexagon-out", "NS"),
    Scene("hexagon-out", "EW"),
    Scene("hexagon-in", "none"),
    Scene("hexagon-in", "NS"),
    Scene("hexagon-in", "EW"),
    Scene("shelf", "none"),
)


def scene_name(scene: Scene) -> str:
    """``booth``, ``booth-NS``, ``hexagon-out-EW``, ``shelf``: how specifications call a scene."""
    return scene.kind if scene.compass == "none" else f"{scene.kind}-{scene.compass}"
