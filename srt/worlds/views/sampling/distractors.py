"""Wrong options, each with the mistake that leads to it. Which of them are wrong indeed, the sampler proves."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator

from srt.worlds.views.kernel.corner_picture import every_top_is_seen
from srt.worlds.views.kernel.stacks import (
    SIDES,
    Heights,
    Side,
    footprint,
    is_trimmed,
    line,
    mirrored,
    profile,
    quarter_turn,
    size,
)
from srt.worlds.views.sampling.problem_draft import Reason, Wrong, side_figure, top_figure


def wrong_side_views(heights: Heights, side: Side, rng: random.Random) -> tuple[Wrong, ...]:
    """Wrong views from ``side``."""
    right = profile(heights, side)
    drawn: list[tuple[tuple[int, ...], Reason]] = [(right[::-1], "mirror image")]
    drawn += [(profile(heights, other), "another view") for other in rng.sample(SIDES, len(SIDES)) if other != side]
    places = (line(side, k, *size(heights))[0] for k in range(1, len(right) + 1))
    drawn.append((tuple(heights[y][x] for y, x in places), "nearest row only"))
    off: list[tuple[tuple[int, ...], Reason]] = []
    for k in rng.sample(range(len(right)), len(right)):
        for step in (1, -1):
            off.append(((*right[:k], right[k] + step, *right[k + 1 :]), "one square off"))
    drawn[1:1] = off[:1]
    drawn += off[1:]
    fitting = [(heights_, why) for heights_, why in drawn if all(heights_) and heights_ != right]
    return tuple(Wrong(side_figure(heights_, "view"), why) for heights_, why in dict(reversed(fitting)).items())[::-1]


def wrong_top_views(heights: Heights, rng: random.Random) -> tuple[Wrong, ...]:
    """Wrong top views."""
    right = footprint(heights)
    drawn: list[tuple[Heights, Reason]] = [(mirrored(right), "mirror image"), (right[::-1], "mirror image")]
    drawn.append((quarter_turn(right), "turned"))
    depth, width = size(heights)
    spots = [(y, x) for y in range(depth) for x in range(width)]
    drawn += [(_changed(right, y, x, 1 - right[y][x]), "one square off") for y, x in rng.sample(spots, len(spots))]
    first: dict[Heights, Reason] = {}
    for one, why in drawn:
        if one != right and is_trimmed(one):
            first.setdefault(one, why)
    return tuple(Wrong(top_figure(one, "top"), why) for one, why in first.items())


def near_solids(heights: Heights, rng: random.Random, highest: int) -> Iterator[tuple[Heights, Reason]]:
    """Other solids of the same size in plan: mirror images, turned ones, those with a cube more or less or moved."""
    depth, width = size(heights)
    changed: list[tuple[Heights, Reason]] = [
        (mirrored(heights), "mirror image"),
        (heights[::-1], "mirror image"),
        (tuple(row[::-1] for row in heights[::-1]), "turned"),
    ]
    if depth == width:
        changed.append((quarter_turn(heights), "turned"))
    rng.shuffle(changed)
    spots = [(y, x) for y in range(depth) for x in range(width)]
    off = [(y, x, step) for y, x in spots for step in (1, -1) if 0 <= heights[y][x] + step <= highest]
    near = [(_changed(heights, y, x, heights[y][x] + step), "one cube off") for y, x, step in rng.sample(off, len(off))]
    twice: list[tuple[Heights, Reason]] = []
    for one, _ in near[:4]:
        y, x = rng.choice(spots)
        step = rng.choice((1, -1))
        if 0 <= one[y][x] + step <= highest:
            twice.append((_changed(one, y, x, one[y][x] + step), "one cube off"))
    seen = {heights}
    for one, why in (*near[:1], *changed[:2], *near[1:], *twice, *changed[2:]):
        if one not in seen and is_trimmed(one) and every_top_is_seen(one):
            seen.add(one)
            yield one, why  # type: ignore[misc]


def wrong_solids(
    heights: Heights, rng: random.Random, highest: int, is_wrong: Callable[[Heights], bool]
) -> tuple[tuple[Heights, Reason], ...]:
    """Near solids that are wrong answers."""
    return tuple((one, why) for one, why in near_solids(heights, rng, highest) if is_wrong(one))


def mistaken_numbers(right: int, mistakes: Iterable[tuple[int, Reason]]) -> tuple[Wrong, ...]:
    """The numbers that typical mistakes give, each with its first mistake; the right number is none of them."""
    first: dict[int, Reason] = {}
    for number, why in mistakes:
        if number != right:
            first.setdefault(number, why)
    return tuple(Wrong(number, why) for number, why in first.items())


def _changed(heights: Heights, y: int, x: int, value: int) -> Heights:
    row = (*heights[y][:x], value, *heights[y][x + 1 :])
    return (*heights[:y], row, *heights[y + 1 :])
