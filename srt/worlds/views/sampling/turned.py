"""Problems of solids that are turned in space: how each is drawn from a solid."""

from __future__ import annotations

import random
from functools import lru_cache

from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.kernel.corner_picture import positions_seen
from srt.worlds.views.kernel.stacks import Heights, count, is_connected, mirrored, places
from srt.worlds.views.kernel.voxels import canonical_in_space, canonical_voxels
from srt.worlds.views.reading.figures import SolidFigure
from srt.worlds.views.reading.problem_reader import voxels_of
from srt.worlds.views.sampling.problem_draft import Choices, Option, ProblemDraft, Reason, voxels_figure

_MOST_CUBES_TURNED = 8
"""More cubes hide each other."""


def turned_solid(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """MRT: which solid is the one in the picture, turned in space."""
    if count(heights) > _MOST_CUBES_TURNED or not is_connected(heights) or len(heights) * len(heights[0]) == 1:
        return None
    form, mirror_image = canonical_in_space(heights), canonical_in_space(mirrored(heights))
    if mirror_image == form or len(positions_seen(form)) < 2:
        return None
    rng = random.Random(f"{choices.random()} {heights}")  # Like solids are turned otherwise, each in its own way.
    shown, right = (voxels_figure(position) for position in rng.sample(positions_seen(form), 2))

    def why(option: Option) -> Reason | None:
        other = canonical_voxels(voxels_of(option)) if isinstance(option, SolidFigure) else b""
        if other == mirror_image:
            return "mirror image"
        return "one cube off" if other in _one_cube_off(heights) else "a like solid"

    return ProblemDraft("MRT", ViewClaim("turns"), (shown,), heights, right, why)


@lru_cache(maxsize=1024)
def _one_cube_off(heights: Heights) -> set[bytes]:
    """The canonical forms of the solids in which one cube stands on another stack."""
    spots = [(y, x) for y, row in enumerate(heights) for x in range(len(row))]
    changed = [
        [[height + ((y, x) == to) - ((y, x) == taken) for x, height in enumerate(row)] for y, row in enumerate(heights)]
        for taken in places(heights)
        for to in spots
        if to != taken
    ]
    return {canonical_in_space(tuple(map(tuple, one))) for one in changed}
