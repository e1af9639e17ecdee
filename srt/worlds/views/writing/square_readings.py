"""Questions about single squares of the views and the plan that a problem shows: is it there, which number is in it.

They are short, and the same in every language: ``front b2?`` asks for the square
in the second column and the second row of the front view, from the left and from below, as on a chess board. In top
views and plans these are the names that claims give to stacks.
"""

from __future__ import annotations

from srt.io.records import Problem
from srt.worlds.views.kernel.stacks import DIRECTIONS, cell_name
from srt.worlds.views.reading.figures import PlanFigure, ViewFigure, figures_of
from srt.worlds.world import Reading


def readings(problem: Problem) -> list[Reading]:
    """One for each square of the question's views and plan: 1 or 0, or the number in it (0 where there is no square).

    Not of a view whose direction is not said, or that is drawn as one body.

    Raises:
        ValueError: the figures are not known.
    """
    read = []
    for figure in figures_of(problem):
        match figure:
            case PlanFigure(name="plan"):
                rows = figure.heights
            case ViewFigure(lines=None) if figure.name in DIRECTIONS:
                rows = tuple(tuple(int(square == "#") for square in row) for row in figure.rows)
            case _:
                continue
        for y, row in enumerate(rows):
            read += [Reading(f"{figure.name} {cell_name((y, x), len(rows))}?", number) for x, number in enumerate(row)]
    return read
