"""A problem as the solver sees it: what is shown, what is asked, and what the options are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from srt.io.records import Problem
from srt.worlds.views.claim_language import ASKED_FORMS, ClaimSyntaxError, ViewClaim, parse_claim
from srt.worlds.views.kernel.consistent import GivenViews
from srt.worlds.views.kernel.nets import Net, folded
from srt.worlds.views.kernel.stacks import SIDES, Heights, Place, Side, cell_name, places
from srt.worlds.views.kernel.voxels import Voxels, to_heights
from srt.worlds.views.reading.figures import (
    CubeFigure,
    Figure,
    NetFigure,
    PlanFigure,
    SolidFigure,
    ViewFigure,
    figures_of,
)
from srt.worlds.world import Refused


@dataclass(frozen=True)
class ViewsProblem:
    """``shown`` are the figures of the question by name, ``options`` the figure or the text of each option."""

    shown: Mapping[str, Figure]
    options: Mapping[str, Figure | str]
    asked: ViewClaim

    @cached_property
    def source(self) -> str | None:
        """The figure that shows the solid itself: ``plan`` or ``solid``."""
        return next((name for name in ("plan", "solid") if name in self.shown), None)

    @cached_property
    def profiles(self) -> dict[Side, tuple[int, ...]]:
        """The heights of the columns of each side view that is shown."""
        return {side: column_heights(self.shown[side]) for side in SIDES if side in self.shown}

    @cached_property
    def given(self) -> GivenViews:
        """The views that are shown."""
        top = self.shown.get("top")
        footprint = None if top is None else squares(top)
        columns = self.profiles.get("front") or self.profiles.get("back")
        rows = self.profiles.get("left") or self.profiles.get("right")
        depth = len(footprint) if footprint else len(rows or ())
        width = len(footprint[0]) if footprint else len(columns or ())
        if not depth or not width:
            raise Refused("unknown_scene", "meta.figures: the views do not give the size of the solid")
        for heights, expected in ((columns, width), (rows, depth)):
            if heights is not None and len(heights) != expected:
                raise Refused("contradictory_clues", "meta.figures: the views differ in size")
        return GivenViews.of(depth, width, self.profiles, footprint)

    @cached_property
    def heights(self) -> Heights:
        """The solid that is shown; of several that fit the views, the greatest."""
        if self.source is not None:
            return heights_of(self.shown[self.source])
        return self.given.greatest(max((max(heights) for heights in self.profiles.values()), default=1))

    @cached_property
    def size(self) -> tuple[int, int]:
        """Depth and width of the plan."""
        return len(self.heights), len(self.heights[0])

    @cached_property
    def places(self) -> list[Place]:
        """Where stacks are; without a plan, a solid or a top view, where they may be."""
        return places(self.heights)

    def cell(self, place: Place) -> str:
        """The name of a place."""
        return cell_name(place, self.size[0])


def read_problem(problem: Problem) -> ViewsProblem:
    """``problem``, read; raises :class:`~srt.worlds.world.Refused` where its figures or what it asks are not known."""
    try:
        figures = {figure.name: figure for figure in figures_of(problem)}
        asked = parse_claim(str(problem.meta.get("asked", "")))
    except ClaimSyntaxError as error:
        raise Refused("unknown_wording", f"meta.asked: {error}") from None
    except ValueError as error:
        raise Refused("unknown_scene", str(error)) from None
    if asked.form not in ASKED_FORMS:
        raise Refused("unknown_wording", f"meta.asked: {asked} asks nothing")
    shown = {name: figure for name, figure in figures.items() if name not in problem.choices}
    if not figures:
        raise Refused("unknown_scene", "meta.figures: no figure")
    options = {letter: figures.get(letter, text) for letter, text in sorted(problem.choices.items())}
    return ViewsProblem(shown, options, asked)


def column_heights(figure: Figure) -> tuple[int, ...]:
    """The heights of the columns of a side view; refused if a column has a gap or is empty."""
    if not isinstance(figure, ViewFigure):
        raise Refused("unknown_scene", f"meta.figures: {figure.name}: a view was expected")
    columns = ["".join(column) for column in zip(*figure.rows, strict=True)]
    if any(column.lstrip(".") != "#" * column.count("#") or "#" not in column for column in columns):
        raise Refused("unknown_scene", f"meta.figures: {figure.name}: columns without gaps were expected")
    return tuple(column.count("#") for column in columns)


def squares(figure: Figure) -> Heights:
    """The squares of a top view: 1 where there is a stack."""
    if not isinstance(figure, ViewFigure):
        raise Refused("unknown_scene", f"meta.figures: {figure.name}: a view was expected")
    return tuple(tuple(int(square == "#") for square in row) for row in figure.rows)


def heights_of(figure: Figure) -> Heights:
    """The height map of a plan or a solid of stacks."""
    if isinstance(figure, PlanFigure):
        return figure.heights
    if isinstance(figure, SolidFigure) and (heights := to_heights(voxels_of(figure))) is not None:
        return heights
    raise Refused("unknown_scene", f"meta.figures: {figure.name}: a solid of stacks was expected")


def voxels_of(figure: Figure | str | None) -> Voxels:
    """The array of a solid of any form."""
    if not isinstance(figure, SolidFigure):
        raise Refused("unknown_scene", "meta.figures: one solid, and solids as options, were expected")
    solid = np.array([[[square == "#" for square in row] for row in layer] for layer in figure.layers], np.int8)
    if not solid.any():
        raise Refused("unknown_scene", f"meta.figures: {figure.name}: cubes were expected")
    return solid


def net_of(figure: Figure | str | None) -> Net:
    """The rows of a net; refused if it does not fold to a cube."""
    if not isinstance(figure, NetFigure) or folded(figure.digits) is None:
        raise Refused("unknown_scene", "meta.figures: nets of a cube were expected")
    return figure.digits


def seen_faces(figure: Figure | str | None) -> tuple[int, int, int]:
    """The faces of the picture of a cube, clockwise around their corner."""
    if not isinstance(figure, CubeFigure):
        raise Refused("unknown_scene", "meta.figures: pictures of a cube were expected")
    return figure.top, figure.right, figure.front
