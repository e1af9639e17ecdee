"""The kinds of problems: how each is drawn from a solid.

A function takes a solid (or a net) and returns a draft, or ``None`` where it makes no good problem of the kind. Options
come from drafts of like solids (:mod:`srt.worlds.views.sampling.wrong_options`); the sampler proves them.
"""

from __future__ import annotations

from collections.abc import Callable

from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.kernel.consistent import GivenViews
from srt.worlds.views.kernel.corner_picture import every_top_is_seen
from srt.worlds.views.kernel.stacks import (
    DIRECTIONS,
    SIDES,
    Direction,
    Heights,
    Side,
    count,
    faces_seen,
    footprint,
    places,
    profile,
    size,
    surface,
    view_width,
)
from srt.worlds.views.reading.figures import Figure, PlanFigure, SolidFigure, ViewFigure
from srt.worlds.views.reading.problem_reader import column_heights, heights_of
from srt.worlds.views.sampling.mistakes import (
    wrong_number,
    wrong_side_view,
    wrong_solid,
    wrong_top_view,
)
from srt.worlds.views.sampling.net_problems import cube_of_net, net_of_cube, opposite_face
from srt.worlds.views.sampling.problem_draft import (
    SHOWN_SIDES,
    Choices,
    Kind,
    Option,
    ProblemDraft,
    Reason,
    asked,
    plan_figure,
    side_figure,
    solid_figure,
    top_figure,
)
from srt.worlds.views.sampling.turned import turned_solid

Drawer = Callable[[Heights, Choices], ProblemDraft | None]


def cubes_of_three_views(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """C3M: how many cubes, where three views leave one solid."""
    side: Side = choices.choice(("left", "left", "right"))
    if not _views_leave_one(heights):
        return None
    number, front = count(heights), profile(heights, "front")
    ignored = sum(front[x] for _, x in places(heights))
    rows = profile(heights, "left")
    mistakes: list[tuple[int, Reason]] = [
        (ignored, "a view ignored"),
        (sum(rows[y] for y, _ in places(heights)), "a view ignored"),
        (number - 1, "one cube off"),
        (sum(front) + len(places(heights)) - len(front), "a view ignored"),
    ]
    shown = (_side(heights, "front"), _side(heights, side), top_figure(heights))
    return ProblemDraft("C3M", asked("count"), shown, heights, number, wrong_number(number, mistakes))


def bound_of_two_views(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """MVC: the least or the greatest number of cubes, given two views."""
    word = choices.choice(("least", "most"))
    columns, rows = profile(heights, "front"), profile(heights, "left")
    if choices.random() < 0.25:
        side: Side = choices.choice(("left", "right"))
        shown: tuple[Figure, ...] = (_side(heights, "front"), _side(heights, side))
        greatest = tuple(tuple(min(column, row) for column in columns) for row in rows)
        most = count(greatest)
        least = sum(v * max(columns.count(v), rows.count(v)) for v in {*columns, *rows})
    else:
        side = choices.choice(SHOWN_SIDES)
        shown = (_side(heights, side), top_figure(heights))
        greatest = _greatest(heights, side)
        most = count(greatest)
        tallest = columns if side == "front" else rows
        least = sum(tallest) + len(places(heights)) - len(tallest)
    if least == most:
        return None
    number, other = (least, most) if word == "least" else (most, least)
    why: Reason = "most for least" if word == "least" else "least for most"
    mistakes: list[tuple[int, Reason]] = [(other, why), (number + 1, "one cube off"), (number - 1, "one cube off")]
    return ProblemDraft("MVC", asked(word), shown, greatest, number, wrong_number(number, mistakes))


def missing_view(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """MVC: which picture can be the third view, given the top view and one from a side."""
    pairs: tuple[tuple[Side, Side], ...] = (("front", "left"), ("front", "right"), ("left", "front"))
    side, missing = choices.choice(pairs)
    shown = (_side(heights, side), top_figure(heights))
    asks = ViewClaim("completes", word=missing)
    right = side_figure(profile(heights, missing), "view")
    lines, top = profile(heights, side), footprint(heights)

    def why(option: Option) -> Reason | None:
        columns = column_heights(option) if isinstance(option, ViewFigure) else ()
        given = GivenViews.of(*size(heights), {side: lines, missing: columns}, top)
        fits = len(columns) == view_width(missing, *size(heights)) and given.fit_a_solid(max(lines))
        return None if fits else "contradicts the views"

    return ProblemDraft("MVC", asks, shown, _greatest(heights, side), right, why)


def view_of_solid(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """3VM: which view of the solid in the picture."""
    if not every_top_is_seen(heights):
        return None
    direction: Direction = choices.choice(("front", "left", "top", "front", "left", "top", "right", "back"))
    return _view("3VM", heights, direction, solid_figure(heights))


def view_of_plan(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """VT: which view of the solid with this numbered plan."""
    return _view("VT", heights, choices.choice(("front", "left", "right")), plan_figure(heights))


def view_of_coded_plan(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """SVT: which view from a marked side, the back and the right among them."""
    return _view("SVT", heights, choices.choice(SIDES), plan_figure(heights))


def _view(kind: Kind, heights: Heights, direction: Direction, shown: Figure) -> ProblemDraft:
    if direction == "top":
        why = wrong_top_view(heights)
        return ProblemDraft(kind, asked("top"), (shown,), heights, top_figure(heights, "view"), why)
    right = side_figure(profile(heights, direction), "view")
    return ProblemDraft(kind, asked(direction), (shown,), heights, right, wrong_side_view(heights, direction))


def solid_of_views(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """3VM: which solid has these three views."""
    side: Side = choices.choice(("left", "right"))
    return _solid_with("3VM", heights, ("front", side, "top"))


def solid_with_view(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """IVI: which of the solids has this one view."""
    return _solid_with("IVI", heights, (choices.choice(("front", "left", "top", "right")),))


def _solid_with(kind: Kind, heights: Heights, directions: tuple[Direction, ...]) -> ProblemDraft | None:
    if not every_top_is_seen(heights):
        return None

    def why(option: Option) -> Reason | None:
        return wrong_solid(heights, heights_of(option)) if isinstance(option, SolidFigure) else None

    shown = tuple(top_figure(heights) if d == "top" else _side(heights, d) for d in directions)
    asks = ViewClaim("fits", word=" ".join(directions))
    return ProblemDraft(kind, asks, shown, heights, solid_figure(heights), why)


def direction_of_view(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """PRA: under which direction the solid looks like this."""
    if not every_top_is_seen(heights):
        return None
    direction: Direction = choices.choice(DIRECTIONS)
    if direction == "top":
        drawn = footprint(heights)
        figure = top_figure(heights, "view")
    else:
        figure = side_figure(profile(heights, direction), "view")
        drawn = tuple(tuple(int(square == "#") for square in row) for row in figure.rows)
    shown_columns = tuple(map(sum, zip(*drawn, strict=True)))

    def why(option: Option) -> Reason | None:
        """A square or a column differs; it is not enough that the view that is shown is wider."""
        if option == "top":
            differs = any(
                square != (y < len(drawn) and x < len(drawn[0]) and drawn[y][x])
                for y, row in enumerate(footprint(heights))
                for x, square in enumerate(row)
            )
        else:
            other = next(side for side in SIDES if side == option)
            differs = profile(heights, other) != shown_columns[: view_width(other, *size(heights))]
        return "another direction" if differs else None

    return ProblemDraft("PRA", ViewClaim("sees"), (solid_figure(heights), figure), heights, direction, why)


def solids_of_two_views(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """FPBI: how many solids have these two views."""
    side: Side = choices.choice(SHOWN_SIDES)
    profiles = profile(heights, side)
    depth = len(heights)
    cells = [0] * len(profiles)
    for y, x in places(heights):
        cells[x if side == "front" else y if side == "left" else depth - 1 - y] += 1
    ways = [tall**n - (tall - 1) ** n for tall, n in zip(profiles, cells, strict=True)]
    number = 1
    for one in ways:
        number *= one
    if not 1 < number <= 60:
        return None
    mistakes: list[tuple[int, Reason]] = [(sum(ways), "sum for product"), (number + 1, "one cube off")]
    shown = (_side(heights, side), top_figure(heights))
    return ProblemDraft("FPBI", asked("ways"), shown, _greatest(heights, side), number, wrong_number(number, mistakes))


def faces_of_solid(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """GPC: the surface, or the painted faces, of the solid in a picture or a numbered plan."""
    figure = plan_figure(heights) if choices.random() < 0.4 else solid_figure(heights)
    if figure.name == "solid" and not every_top_is_seen(heights):
        return None
    word = choices.choice(("surface", "painted"))
    whole, ground = surface(heights), len(places(heights))
    number, other = (whole, whole - ground) if word == "surface" else (whole - ground, whole)
    views = sum(profile(heights, "front")) + sum(profile(heights, "left"))
    seen = 2 * views + (2 if word == "surface" else 1) * ground
    ends = sum(faces_seen(heights, "front", k) for k in range(1, size(heights)[1] + 1))
    mistakes: list[tuple[int, Reason]] = [
        (other, "bottom forgotten" if word == "surface" else "bottom counted"),
        (seen, "dents or ends forgotten"),
        (number - ends, "dents or ends forgotten"),
    ]
    return ProblemDraft("GPC", asked(word), (figure,), heights, number, wrong_number(number, mistakes))


def volume_of_solid(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """GPC: the number of cubes of the solid in the picture, the hidden ones among them."""
    if not every_top_is_seen(heights):
        return None
    return _cubes("GPC", heights, solid_figure(heights))


def cubes_of_plan(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """SVT: the number of cubes of the building with this numbered plan."""
    return _cubes("SVT", heights, plan_figure(heights))


def _cubes(kind: Kind, heights: Heights, shown: Figure) -> ProblemDraft:
    number, top = count(heights), len(places(heights))
    # The cubes whose upper, front or right face is free: those of which the picture can show something.
    open_cubes = sum(
        max(1, height - min(heights[y + 1][x] if y + 1 < len(heights) else 0, row[x + 1] if x + 1 < len(row) else 0))
        for y, row in enumerate(heights)
        for x, height in enumerate(row)
        if height
    )
    mistakes: list[tuple[int, Reason]] = [
        (open_cubes, "hidden cubes forgotten"),
        (number + 1, "one cube off"),
        (number - 1, "one cube off"),
        (top, "hidden cubes forgotten"),
    ]
    return ProblemDraft(kind, asked("count"), (shown,), heights, number, wrong_number(number, mistakes))


def cubes_to_add(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """SVT: how many cubes the building lacks to be a cuboid."""
    depth, width = size(heights)
    number, there = depth * width * max(map(max, heights)) - count(heights), count(heights)
    drawn = choices.random() < 0.6
    if not number or (drawn and not every_top_is_seen(heights)):
        return None
    mistakes: list[tuple[int, Reason]] = [
        (there, "cubes counted that are there"),
        (number + 1, "one cube off"),
        (number - 1, "one cube off"),
    ]
    shown = solid_figure(heights) if drawn else plan_figure(heights)
    return ProblemDraft("SVT", asked("missing"), (shown,), heights, number, wrong_number(number, mistakes))


def plan_of_solid(heights: Heights, choices: Choices) -> ProblemDraft | None:
    """SVT: which numbered plan is that of the building in the picture."""
    if not every_top_is_seen(heights):
        return None

    def why(option: Option) -> Reason | None:
        return wrong_solid(heights, option.heights) if isinstance(option, PlanFigure) else None

    return ProblemDraft("SVT", asked("plan"), (solid_figure(heights),), heights, plan_figure(heights), why)


OF_NETS: tuple[Drawer, ...] = (opposite_face, net_of_cube, cube_of_net)
"""Those that are drawn from a net instead of a solid."""
KINDS: dict[Kind, tuple[Drawer, ...]] = {
    "C3M": (cubes_of_three_views,),
    "3VM": (view_of_solid, solid_of_views),
    "IVI": (solid_with_view,),
    "MVC": (bound_of_two_views, bound_of_two_views, bound_of_two_views, missing_view),
    "VT": (view_of_plan,),
    "PRA": (direction_of_view,),
    "FPBI": (solids_of_two_views, solids_of_two_views, solids_of_two_views, *OF_NETS),
    "GPC": (faces_of_solid, faces_of_solid, volume_of_solid),
    "SVT": (cubes_of_plan, cubes_to_add, view_of_coded_plan, plan_of_solid),
    "MRT": (turned_solid,),
}
OF_ONE_SOLID: tuple[Drawer, ...] = (direction_of_view,)
"""Those whose options are made by asking otherwise of the same solid, not by asking the same of like solids."""


def _side(heights: Heights, side: Side) -> Figure:
    return side_figure(profile(heights, side), side)


def _greatest(heights: Heights, side: Side) -> Heights:
    """The greatest solid with the same view from ``side`` and the same top view."""
    along_columns = side in ("front", "back")
    line = profile(heights, "front" if along_columns else "left")
    return tuple(
        tuple((line[x] if along_columns else line[y]) * (height > 0) for x, height in enumerate(row))
        for y, row in enumerate(heights)
    )


def _views_leave_one(heights: Heights) -> bool:
    """Whether front, left and top view leave one solid: every stack is of one cube, or alone reaches some line."""
    columns, rows = profile(heights, "front"), profile(heights, "left")
    top = {(y, x): min(columns[x], rows[y]) for y, x in places(heights)}
    for (y, x), bound in top.items():
        if bound == 1:
            continue
        alone_in_column = columns[x] == bound and all(
            other < bound for (j, i), other in top.items() if i == x and j != y
        )
        alone_in_row = rows[y] == bound and all(other < bound for (j, i), other in top.items() if j == y and i != x)
        if not alone_in_column and not alone_in_row:
            return False
    return True
