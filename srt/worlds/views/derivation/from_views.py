"""Derivations for solids of which only views are shown: how many cubes, the least and the most, how many solids."""

from __future__ import annotations

from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.derivation.steps import Derivation
from srt.worlds.views.kernel.stacks import Side, view_width
from srt.worlds.world import Refused


def derive_quantity(derivation: Derivation) -> int:
    """The step that says the quantity which is asked for."""
    problem = derivation.problem
    word = problem.asked.word
    if word == "count":
        return _count(derivation)
    two = len(problem.shown) == 2
    if two and "top" in problem.shown and word in ("least", "most", "ways") and problem.profiles:
        return _line_by_line(derivation, word)
    if two and len(problem.profiles) == 2 and word == "most":
        return _most_without_top(derivation)
    if two and len(problem.profiles) == 2 and word == "least":
        return _least_without_top(derivation)
    raise Refused("unknown_wording", f"meta.asked: {problem.asked}: not derived from {', '.join(problem.shown)}")


def _columns(derivation: Derivation, side: Side) -> range:
    return range(1, view_width(side, *derivation.problem.size) + 1)


def _count(derivation: Derivation) -> int:
    """The views leave one solid: each stack is 1, or the only one of a line that can be as high as the line."""
    problem = derivation.problem
    heights = problem.given.greatest(0)
    cells = {problem.cell(place): heights[place[0]][place[1]] for place in problem.places}
    lines = [(side, k) for side in problem.profiles for k in _columns(derivation, side)]
    for side, k in lines:
        derivation.bind(side, k)
    for side, k in lines:
        derivation.reach(side, k)
    known: dict[str, int] = {}
    for cell, height in cells.items():
        if height == 1:
            side, k = next(
                (s, k) for s, k in lines if cell in derivation.cells(s, k) and problem.profiles[s][k - 1] == 1
            )
            claim = ViewClaim("stack", cells=(cell,), numbers=(1,))
            known[cell] = derivation.say(claim, ["top"], [derivation.reach(side, k)])
    for cell, height in cells.items():
        if height > 1:
            known[cell] = _only_one_so_high(derivation, cell, height, cells, known)
    side = next(iter(problem.profiles))
    return _add_up(derivation, side, cells, known)


def _only_one_so_high(
    derivation: Derivation, cell: str, height: int, cells: dict[str, int], known: dict[str, int]
) -> int:
    """A line reaches ``height``, and ``cell`` is the only one in it that can."""
    problem = derivation.problem
    for side, heights in problem.profiles.items():
        for k, tallest in enumerate(heights, 1):
            others = [other for other in derivation.cells(side, k) if other != cell]
            if cell not in derivation.cells(side, k) or tallest != height or any(cells[o] >= height for o in others):
                continue
            low = [known[other] if other in known else _bound(derivation, other, cells[other]) for other in others]
            claim = ViewClaim("stack", cells=(cell,), numbers=(height,))
            return derivation.say(claim, steps=[derivation.reach(side, k), *low])
    raise Refused("not_unique", f"the views leave it open how high the stack at {cell} is")


def _bound(derivation: Derivation, cell: str, height: int) -> int:
    """A stack is no higher than the line across it."""
    for side, heights in derivation.problem.profiles.items():
        for k, tallest in enumerate(heights, 1):
            if tallest == height and cell in derivation.cells(side, k):
                claim = ViewClaim("bound", cells=(cell,), numbers=(height,))
                return derivation.say(claim, steps=[derivation.reach(side, k)])
    raise AssertionError(f"no line of height {height} through {cell}")


def _add_up(derivation: Derivation, side: Side, cells: dict[str, int], known: dict[str, int]) -> int:
    """Column by column, then all of them."""
    sums = []
    for k in _columns(derivation, side):
        line = derivation.cells(side, k)
        total = sum(cells[cell] for cell in line)
        sums.append(derivation.say(ViewClaim("sum", cells=line, numbers=(total,)), steps=[known[c] for c in line]))
    claim = ViewClaim("quantity", word="count", numbers=(sum(cells.values()),))
    return derivation.say(claim, derivation.covering(), sums)


def count_shown(derivation: Derivation) -> int:
    """The cubes of a solid that is shown, column by column of its front view."""
    problem = derivation.problem
    cells = {problem.cell(place): problem.heights[place[0]][place[1]] for place in problem.places}
    known: dict[str, int] = {}
    for k in _columns(derivation, "front"):
        known |= {cell: derivation.read_stack(cell) for cell in derivation.cells("front", k)}
    return _add_up(derivation, "front", cells, known)


def _line_by_line(derivation: Derivation, word: str) -> int:
    """One side view and the top view: the columns do not depend on each other."""
    problem = derivation.problem
    side, heights = next(iter(problem.profiles.items()))
    parts, total = [], 1 if word == "ways" else 0
    for k, tallest in enumerate(heights, 1):
        cells = derivation.cells(side, k)
        reach = derivation.reach(side, k)
        count = len(cells)
        if word == "least":
            value = tallest + count - 1
            parts.append(derivation.say(ViewClaim("line_least", cells=cells, numbers=(value,)), ["top"], [reach]))
        elif word == "most":
            value = tallest * count
            parts.append(derivation.say(ViewClaim("line_most", cells=cells, numbers=(value,)), steps=[reach]))
        else:
            value = tallest**count - (tallest - 1) ** count
            parts.append(derivation.say(ViewClaim("line_ways", cells=cells, numbers=(value,)), ["top"], [reach]))
        total = total * value if word == "ways" else total + value
    return derivation.say(ViewClaim("quantity", word=word, numbers=(total,)), ["top"], parts)


def _most_without_top(derivation: Derivation) -> int:
    """Two side views: each stack is as high as the lower of the two lines that cross in it."""
    problem = derivation.problem
    (one, _), (other, _) = problem.profiles.items()
    parts, total = [], 0
    for k in _columns(derivation, one):
        derivation.reach(one, k)
    for k in _columns(derivation, other):
        derivation.reach(other, k)
    heights = {problem.cell(place): problem.heights[place[0]][place[1]] for place in problem.places}
    for k in _columns(derivation, one):
        cells = derivation.cells(one, k)
        bounds = [_bound(derivation, cell, heights[cell]) for cell in cells]
        value = sum(heights[cell] for cell in cells)
        claim = ViewClaim("line_most", cells=cells, numbers=(value,))
        parts.append(derivation.say(claim, [one, other], bounds))
        total += value
    return derivation.say(ViewClaim("quantity", word="most", numbers=(total,)), [one, other], parts)


def _least_without_top(derivation: Derivation) -> int:
    """Two side views: a stack of height v can serve one line of height v in each view, and no line of another height.

    So the stacks of height v are as many as the view with more lines of that height needs, and no others are needed.
    """
    (one, here), (other, there) = derivation.problem.profiles.items()
    parts, total = [], 0
    for height in sorted({*here, *there}, reverse=True):
        stacks = max(here.count(height), there.count(height))
        parts.append(derivation.say(ViewClaim("needed", k=height, numbers=(stacks,)), [one, other]))
        total += height * stacks
    return derivation.say(ViewClaim("quantity", word="least", numbers=(total,)), [one, other], parts)
