"""The certificate of a question for the number of cubes: the heights that a text states, held against every view."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain

from srt.answers.equality import is_conclusion
from srt.io.records import Answer, Problem
from srt.prose.own_statements import Speaker
from srt.worlds.views.checker.one_step import says
from srt.worlds.views.checker.views_scene import Shape, UnreadableFigures, ViewsScene

LONGEST = 40_000
"""Characters that are read, from the end of a text."""
_SENTENCE_ENDS = re.compile(r"[。\n]|(?<=\S)\.(?=\s|\Z)")
_STATEMENT_ENDS = re.compile(r"[；;]")
_CELL = r"(?<![A-Za-z0-9.{¬−-])(?<!not )([a-h][1-8])"
_ENDS = r"(?: high| cubes?|层)?\s*(?:\Z|,(?!\d)|[，、&|]|and(?![a-z]))"
# ``the tallest of the stacks at a1 and b2 is 2 high`` gives the height of no stack.
_HEIGHT = re.compile(
    rf"(?:(?<!and ){_CELL} (?:is|has) (\d)|{_CELL}(?: ?[=:：|] ?|处?的?高度?[为是]?|处[为有])(\d))(?P<ends>{_ENDS})?"
)
_OPEN = -1
_GRID = re.compile(rf"(?<![\d/.])\d(?: \d){{0,7}}(?: / \d(?: \d){{0,7}}){{0,7}}(?={_ENDS})")
"""Heights in rows from the back to the front, as descriptions of pictures write them: ``1 2 / 0 1``."""


def certify_count(problem: Problem, text: str, answer: str | None) -> bool | None:
    """Whether ``text`` states heights that show every view of ``problem``, and ``answer`` is the number of their cubes.

    ``None`` for every other question. Where the solid is shown, there is nothing to find; and one solid does not show
    how many cubes it can have at least or at most, how many solids fit, or which option is wrong. That no other solid
    fits is not shown.
    """
    if problem.source != "views" or "figures" not in problem.meta:
        return None
    try:
        scene = ViewsScene(problem)
    except UnreadableFigures:
        return None
    if scene.asked != "? = count" or scene.source is not None or "" not in scene.shapes:
        return None
    heights = None if answer is None else _stated_heights(text[-LONGEST:], scene)
    if answer is None or heights is None or not _fits(heights, scene):
        return False
    count = sum(heights.values())
    if not scene.letters:
        return is_conclusion(answer, Answer(kind="number", value=count), problem)
    right = [letter for letter in scene.letters if says(scene, letter, count)]
    return len(right) == 1 and is_conclusion(answer, Answer(kind="choice_set", value=right), problem)


def _stated_heights(text: str, scene: ViewsScene) -> dict[str, int] | None:
    """The height of every cell, as ``text`` says it last; ``None`` if it leaves a cell open where cubes may stand.

    A statement that gives a stack two heights, or has anything but a separator after the height, leaves it open, and so
    does a sentence with other words than plain ones.
    """
    shape, at, speaker = scene.shapes[""], dict[str, int](), Speaker()
    for sentence in _SENTENCE_ENDS.split(text):
        heights = [_heights(statement, shape) for statement in _STATEMENT_ENDS.split(sentence)]
        if any(heights):
            own = speaker.is_own(_GRID.sub("", _HEIGHT.sub("", sentence)))
        elif speaker.takes_back(sentence, names_nobody=not re.search(_CELL, sentence)):
            at.clear()
        for said in heights:
            for cell, values in said.items():
                at.pop(cell, None)
                if len(values) == 1 and own:
                    at[cell] = values.pop()
    if scene.places - at.keys() or at.keys() - set(shape.cells):
        return None
    return {cell: at.get(cell, 0) for cell in shape.cells}


def _heights(statement: str, shape: Shape) -> dict[str, set[int]]:
    """The heights that ``statement`` gives to each cell; ``_OPEN`` where something follows that is no separator."""
    said = defaultdict[str, set[int]](set)
    if "=" in statement:  # Between claims, a bar is an "or".
        statement = statement.replace("|", " or ")
    for match in _HEIGHT.finditer(statement):
        said[match[1] or match[3]] |= {int(match[2] or match[4])} | (set() if match["ends"] is not None else {_OPEN})
    for match in _GRID.finditer(statement):
        rows = [row.split(" ") for row in reversed(match[0].split(" / "))]
        if [len(row) for row in rows] == [shape.wide] * shape.deep:
            for cell, height in zip(shape.cells, chain(*rows), strict=True):
                said[cell].add(int(height))
    return said


def _fits(heights: dict[str, int], scene: ViewsScene) -> bool:
    """Whether a solid with these stacks shows the views."""
    if "top" in scene.shown and {cell for cell, height in heights.items() if height} != scene.places:
        return False
    return all(max(heights[cell] for cell in cells) == height for cells, height in scene.shown_lines())
