"""Whether an option is the answer, by the second method."""

from __future__ import annotations

from math import prod

from srt.worlds.views.kernel.stacks import DIRECTIONS, Heights
from srt.worlds.views.reading.figures import CubeFigure, NetFigure, PlanFigure, SolidFigure, ViewFigure
from srt.worlds.views.sampling.net_folding import folds_to, opposite_face
from srt.worlds.views.sampling.problem_draft import Option, ProblemDraft
from srt.worlds.views.sampling.second_method import cube_counts, cubes_of, free_faces, is_turned, view_rows


def is_answer(draft: ProblemDraft, option: Option) -> bool:
    """Whether ``option`` answers the question of ``draft``, from its figures alone."""
    match draft.asked.form:
        case "fits":
            assert isinstance(option, SolidFigure)
            solid = _solid(option)
            return all(view_rows(solid, _direction(view.name)) == view.rows for view in _views(draft))
        case "turns":
            assert isinstance(option, SolidFigure)
            (shown,) = draft.shown
            assert isinstance(shown, SolidFigure)
            return is_turned(_points(shown), _points(option))
        case "sees":
            view = next(view for view in _views(draft) if view.name == "view")
            return view_rows(_shown_solid(draft), _direction(str(option))) == view.rows
        case "opposes":
            (net,) = draft.shown
            assert isinstance(net, NetFigure)
            return opposite_face(net.digits, draft.asked.k) == option
        case "folds" | "unfolds":
            (shown,) = draft.shown
            folding = (shown, option) if draft.asked.form == "folds" else (option, shown)
            assert isinstance(folding[0], NetFigure)
            assert isinstance(folding[1], CubeFigure)
            return folds_to(folding[0].digits, folding[1].top, folding[1].right, folding[1].front)
        case "completes":
            assert isinstance(option, ViewFigure)
            views = {view.name: view for view in _views(draft)}
            return _counts({**views, draft.asked.word: option})[0] > 0
    word = draft.asked.word
    if word == "plan":
        assert isinstance(option, PlanFigure)
        return option.heights == _shown_solid(draft)
    if isinstance(option, ViewFigure):
        return view_rows(_shown_solid(draft), _direction(word)) == option.rows
    return option == _number(draft, word)


def _number(draft: ProblemDraft, word: str) -> int | None:
    """The number that is asked for; ``None`` if the figures leave it open."""
    views = {view.name: view for view in _views(draft)}
    if not views:
        solid = _shown_solid(draft)
        whole, ground = free_faces(solid)
        cubes = cubes_of(solid)
        box = prod(max(along) + 1 - min(along) for along in zip(*cubes, strict=True))
        numbers: dict[str, int] = {"count": len(cubes), "surface": whole, "painted": whole - ground}
        return numbers[word] if word in numbers else box - len(cubes)
    solids, least, most = _counts(views)
    if word == "count":
        return least if solids and least == most else None
    return {"least": least, "most": most, "ways": solids}[word]


def _counts(views: dict[str, ViewFigure]) -> tuple[int, int, int]:
    heights = {name: tuple(map("".join, zip(*view.rows, strict=True))) for name, view in views.items()}
    tall = {name: tuple(column.count("#") for column in columns) for name, columns in heights.items()}
    columns = tall.get("front")
    rows = tall.get("left") or (tall["right"][::-1] if "right" in tall else None)
    top = views.get("top")
    squares = None if top is None else tuple(tuple(int(square == "#") for square in row) for row in top.rows)
    depth = len(squares) if squares is not None else len(rows or ())
    width = len(squares[0]) if squares is not None else len(columns or ())
    return cube_counts(depth, width, columns, rows, squares)


def _views(draft: ProblemDraft) -> list[ViewFigure]:
    return [figure for figure in draft.shown if isinstance(figure, ViewFigure)]


def _direction(name: str) -> str:
    assert name in DIRECTIONS
    return name


def _shown_solid(draft: ProblemDraft) -> Heights:
    for figure in draft.shown:
        if isinstance(figure, PlanFigure):
            return figure.heights
        if isinstance(figure, SolidFigure):
            return _solid(figure)
    raise AssertionError("no solid is shown")


def _points(figure: SolidFigure) -> frozenset[tuple[int, int, int]]:
    """The cubes as points: to the right, to the front, up."""
    return frozenset(
        (x, y, z)
        for z, layer in enumerate(figure.layers)
        for y, row in enumerate(layer)
        for x, square in enumerate(row)
        if square == "#"
    )


def _solid(figure: SolidFigure) -> Heights:
    depth, width = len(figure.layers[0]), len(figure.layers[0][0])
    return tuple(tuple(sum(layer[y][x] == "#" for layer in figure.layers) for x in range(width)) for y in range(depth))
