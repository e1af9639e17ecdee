"""The pictures of a problem as data: what is drawn, described in words, and read by the solver.

A problem keeps them in ``meta["figures"]``, in order: first those that the question shows, then the options, if they
are pictures. ``name`` says what a figure is: ``front``, ``left``, ``right``, ``back`` or ``top`` (a view from there),
``view`` (a view whose direction is not said), ``solid``, ``plan``, ``net``, ``cube``, or the letter of an option. Rows
are as they are drawn: from top to bottom, in plans and layers from back to front; columns from left to right.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError, model_validator

from srt.io.records import Problem, Record

Squares = Annotated[str, StringConstraints(pattern=r"^[#.]{1,8}$")]
Digit = Annotated[int, Field(ge=1, le=6)]
Height = Annotated[int, Field(ge=0, le=8)]
FigureName = Annotated[
    str, StringConstraints(pattern=r"^(?:front|left|right|back|top|view|solid|plan|net|cube|[A-H])$")
]
Line = tuple[int, int, int, int]
"""x and y of the start, x and y of the end, in units of a cube, from the lower left corner of the view."""


class SolidFigure(Record):
    """A solid, shown from the front right and above. ``layers`` from the bottom up; ``#`` is a cube.

    ``arrow``: an arrow shows where its front is; a solid that may have been turned has none.
    """

    type: Literal["solid"] = "solid"
    name: FigureName
    layers: Annotated[tuple[tuple[Squares, ...], ...], Field(min_length=1, max_length=8)]
    arrow: bool = True

    @model_validator(mode="after")
    def _even(self) -> SolidFigure:
        if len({(len(layer), len(row)) for layer in self.layers for row in layer}) != 1:
            raise ValueError(f"{self.name}: layers and rows of equal size were expected")
        return self


class ViewFigure(Record):
    """A view. Without ``lines`` its squares are drawn one by one, as school texts do for solids of cubes.

    With ``lines`` it is drawn as one body: these lines in full, those in ``hidden`` dashed.
    """

    type: Literal["view"] = "view"
    name: FigureName
    rows: Annotated[tuple[Squares, ...], Field(min_length=1, max_length=8)]
    lines: tuple[Line, ...] | None = None
    hidden: tuple[Line, ...] = ()

    @model_validator(mode="after")
    def _even(self) -> ViewFigure:
        if len({len(row) for row in self.rows}) != 1:
            raise ValueError(f"{self.name}: rows of equal length were expected")
        return self


class PlanFigure(Record):
    """The plan of a solid of stacks: a square for each stack, with the number of its cubes; 0 is no square."""

    type: Literal["plan"] = "plan"
    name: FigureName
    heights: Annotated[tuple[tuple[Height, ...], ...], Field(min_length=1, max_length=8)]

    @model_validator(mode="after")
    def _even(self) -> PlanFigure:
        if len({len(row) for row in self.heights}) != 1 or not self.heights[0]:
            raise ValueError(f"{self.name}: rows of equal length were expected")
        return self


class NetFigure(Record):
    """A net of a cube with a digit in each square; 0 is no square. The digits are on the outside of the cube."""

    type: Literal["net"] = "net"
    name: FigureName
    digits: Annotated[tuple[tuple[Annotated[int, Field(ge=0, le=6)], ...], ...], Field(min_length=1, max_length=6)]

    @model_validator(mode="after")
    def _six_squares(self) -> NetFigure:
        if len({len(row) for row in self.digits}) != 1:
            raise ValueError(f"{self.name}: rows of equal length were expected")
        if sorted(digit for row in self.digits for digit in row if digit) != list(range(1, 7)):
            raise ValueError(f"{self.name}: the digits 1 to 6, each in one square, were expected")
        return self


class CubeFigure(Record):
    """A cube, shown from the front right and above: the digits on the three faces that are seen."""

    type: Literal["cube"] = "cube"
    name: FigureName
    top: Digit
    right: Digit
    front: Digit


Figure = Annotated[SolidFigure | ViewFigure | PlanFigure | NetFigure | CubeFigure, Field(discriminator="type")]
_FIGURES: TypeAdapter[tuple[Figure, ...]] = TypeAdapter(tuple[Figure, ...])


def figures_of(problem: Problem) -> tuple[Figure, ...]:
    """The figures of ``problem``, in order; none for a problem of another source.

    Raises:
        ValueError: ``meta["figures"]`` holds what is no figure, or two of one name; the message says where.
    """
    try:
        figures = _FIGURES.validate_python(problem.meta.get("figures", ()))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise ValueError(f"meta.figures.{place}: {fault['msg'].removeprefix('Value error, ')}") from None
    names = [figure.name for figure in figures]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"meta.figures: two figures are called {twice!r}")
    return figures


def as_meta(figures: tuple[Figure, ...]) -> list[dict[str, Any]]:
    """The figures as a problem keeps them."""
    return [figure.model_dump(mode="json", exclude_defaults=True) | {"type": figure.type} for figure in figures]
