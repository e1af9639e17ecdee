"""Why an option is wrong: one column, one stack or one square in which it differs from what is shown."""

from __future__ import annotations

from typing import get_args

from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.derivation.from_solid import column
from srt.worlds.views.derivation.steps import Derivation
from srt.worlds.views.kernel.stacks import SIDES, Side, cell_name, footprint, line, profile, size
from srt.worlds.views.reading.figures import Figure
from srt.worlds.views.reading.problem_reader import column_heights, heights_of, squares
from srt.worlds.views.writing.question_text import SEEN_FROM
from srt.worlds.world import Refused

DIRECTION_NAMES = {text: direction for texts in SEEN_FROM.values() for direction, text in texts.items()}
"""The texts of options that name a direction."""


def reject(derivation: Derivation, asked: int, letter: str) -> int | None:
    """The step that rejects option ``letter``; ``None`` if nothing speaks against it. ``asked`` reads the question."""
    form = derivation.problem.asked.form
    if form == "fits":
        grounds = _views_differ(derivation, letter)
    elif form == "sees":
        grounds = _direction_differs(derivation, letter)
    elif form == "completes":
        grounds = _views_contradict(derivation, letter)
    else:
        grounds = _plans_differ(derivation, letter)
    if grounds is None:
        return None
    words, steps = grounds
    return derivation.say(ViewClaim("rejected", letter), words, [asked, *steps])


def _figure(derivation: Derivation, letter: str) -> Figure:
    figure = derivation.problem.options[letter]
    if isinstance(figure, str):
        raise Refused("unknown_scene", f"choices.{letter}: a figure was expected")
    return figure


def _views_differ(derivation: Derivation, letter: str) -> tuple[list[str], list[int]] | None:
    """A view of the option's solid is another than the one that is shown."""
    problem = derivation.problem
    heights = heights_of(_figure(derivation, letter))
    depth = len(heights)
    for side, expected in problem.profiles.items():
        found = profile(heights, side)
        if len(found) != len(expected):
            raise Refused("unknown_scene", f"choices.{letter}: a solid of the size that the views show was expected")
        for k, (here, there) in enumerate(zip(found, expected, strict=True), 1):
            if here != there:
                return [side], [derivation.option_column(letter, side, k)]
    if "top" in problem.shown:
        expected_squares = squares(problem.shown["top"])
        if (len(expected_squares), len(expected_squares[0])) != size(heights):
            raise Refused("unknown_scene", f"choices.{letter}: a solid of the size that the views show was expected")
        for y, row in enumerate(expected_squares):
            for x, square in enumerate(row):
                if square != (heights[y][x] > 0):
                    cell = cell_name((y, x), depth)
                    return ["top"], [derivation.option_stack(letter, cell, heights[y][x])]
    return None


def _direction_differs(derivation: Derivation, letter: str) -> tuple[list[str], list[int]] | None:
    """From the option's direction the solid looks otherwise than the view that is shown."""
    problem = derivation.problem
    text = problem.options[letter]
    direction = DIRECTION_NAMES.get(text) if isinstance(text, str) else None
    if direction is None or "view" not in problem.shown:
        raise Refused("unknown_wording", f"choices.{letter}: a direction was expected")
    drawn = squares(problem.shown["view"])
    if direction == "top":
        for y, row in enumerate(footprint(problem.heights)):
            for x, square in enumerate(row):
                if square != (y < len(drawn) and x < len(drawn[0]) and drawn[y][x]):
                    return [letter, "view"], [derivation.read_stack(problem.cell((y, x)))]
        return None
    shown = [sum(rows) for rows in zip(*drawn, strict=True)]
    for k, height in enumerate(profile(problem.heights, direction), 1):
        if height != (shown[k - 1] if k <= len(shown) else 0):
            return [letter, "view"], [column(derivation, direction, k)]
    return None


def _plans_differ(derivation: Derivation, letter: str) -> tuple[list[str], list[int]] | None:
    """The option's plan has another number at a stack."""
    problem = derivation.problem
    heights = heights_of(_figure(derivation, letter))
    if size(heights) != problem.size:
        raise Refused("unknown_scene", f"choices.{letter}: a plan of the size of the solid was expected")
    for y, row in enumerate(problem.heights):
        for x, height in enumerate(row):
            if height != heights[y][x]:
                return [letter], [derivation.read_stack(problem.cell((y, x)))]
    return None


def _views_contradict(derivation: Derivation, letter: str) -> tuple[list[str], list[int]] | None:
    """No solid has the option as its missing view.

    Either no stack of a line can be as high as the option says, or the option leaves no stack as high as the view that
    is shown says.
    """
    problem = derivation.problem
    asked = problem.asked.word
    option = column_heights(_figure(derivation, letter))
    if asked not in get_args(Side) or "top" not in problem.shown or len(problem.profiles) != 1:
        raise Refused("unknown_wording", f"meta.asked: {problem.asked}: one side view and the top view were expected")
    missing = next(side for side in SIDES if side == asked)
    (side, heights), *_ = problem.profiles.items()
    bound_of = {cell: (k, tall) for k, tall in enumerate(heights, 1) for cell in derivation.cells(side, k)}
    row_of = {cell: j for j in range(1, len(option) + 1) for cell in derivation.cells(missing, j)}
    if len(option) != len({*row_of.values()}) or line(side, 1, *problem.size) == line(missing, 1, *problem.size):
        raise Refused("unknown_scene", f"choices.{letter}: a view as wide as the solid was expected")
    for j, height in enumerate(option, 1):
        cells = derivation.cells(missing, j)
        if all(bound_of[cell][1] < height for cell in cells):
            bounds = [
                derivation.say(
                    ViewClaim("bound", cells=(cell,), numbers=(bound_of[cell][1],)),
                    steps=[derivation.reach(side, bound_of[cell][0])],
                )
                for cell in cells
            ]
            return [letter], [derivation.bind(missing, j), *bounds]
    for k, tallest in enumerate(heights, 1):
        cells = derivation.cells(side, k)
        if all(option[row_of[cell] - 1] < tallest for cell in cells):
            rows = [derivation.bind(missing, row_of[cell]) for cell in cells]
            return [letter], [derivation.reach(side, k), *rows]
    return None
