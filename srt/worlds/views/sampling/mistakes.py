"""The mistake that leads to a wrong option; that the option is wrong indeed, the sampler proves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from srt.worlds.views.kernel.stacks import (
    SIDES,
    Heights,
    Side,
    footprint,
    line,
    mirrored,
    profile,
    quarter_turn,
    size,
    turns,
)
from srt.worlds.views.reading.figures import ViewFigure
from srt.worlds.views.reading.problem_reader import column_heights, squares
from srt.worlds.views.sampling.problem_draft import Option, Reason

Mistake = Callable[[Option], Reason | None]


def wrong_number(right: int, mistakes: Iterable[tuple[int, Reason]]) -> Mistake:
    """A number that a typical mistake gives is named as that, by the first such mistake."""
    named = dict(reversed(list(mistakes)))
    return lambda option: None if option == right or not isinstance(option, int) else named.get(option, "a like solid")


def wrong_side_view(heights: Heights, side: Side) -> Mistake:
    """Views from ``side``."""
    right = profile(heights, side)

    def why(option: Option) -> Reason | None:
        if not isinstance(option, ViewFigure) or (columns := column_heights(option)) == right:
            return None
        if columns == right[::-1]:
            return "mirror image"
        if any(columns == profile(heights, other) for other in SIDES):
            return "another view"
        nearest = [line(side, k, *size(heights))[0] for k in range(1, len(right) + 1)]
        if columns == tuple(heights[y][x] for y, x in nearest):
            return "nearest row only"
        return _squares_off(columns, right)

    return why


def wrong_top_view(heights: Heights) -> Mistake:
    """Top views."""
    right = footprint(heights)

    def why(option: Option) -> Reason | None:
        if not isinstance(option, ViewFigure) or (drawn := squares(option)) == right:
            return None
        if drawn in (mirrored(right), right[::-1]):
            return "mirror image"
        if drawn in turns(right):
            return "turned"
        return _squares_off([n for row in drawn for n in row], [n for row in right for n in row])

    return why


def wrong_solid(right: Heights, other: Heights) -> Reason:
    """Another solid than ``right``."""
    if other in (mirrored(right), right[::-1]):
        return "mirror image"
    if other in (quarter_turn(right), *turns(right)):
        return "turned"
    off = [abs(a - b) for here, there in zip(right, other, strict=True) for a, b in zip(here, there, strict=True)]
    return "one cube off" if sum(off) == 1 else "a like solid"


def _squares_off(one: Sequence[int], other: Sequence[int]) -> Reason:
    close = len(one) == len(other) and sum(abs(a - b) for a, b in zip(one, other, strict=True)) == 1
    return "one square off" if close else "a like solid"
