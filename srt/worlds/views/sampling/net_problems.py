"""Problems of nets of a cube: how each is drawn from a net, and which nets are like it."""

from __future__ import annotations

import random

from srt.worlds.views.canonical_key import squares_marked
from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.kernel.nets import Beyond, Net, corners, cube_nets, drawn_beside, folded, next_edge, numbered
from srt.worlds.views.kernel.stacks import mirrored, quarter_turn
from srt.worlds.views.reading.figures import CubeFigure, NetFigure
from srt.worlds.views.sampling.problem_draft import Choices, Option, ProblemDraft, Reason


def draw_net(rng: random.Random, shape: Net | None = None) -> Net:
    """A net in any position with its digits in any order; of the shape of another net, if one is given."""
    squares = rng.choice(cube_nets()) if shape is None else shape
    for _ in range(rng.randrange(4)):
        squares = quarter_turn(squares)
    return numbered(mirrored(squares) if rng.random() < 0.5 else squares, rng.sample(range(1, 7), 6))


def like_net(net: Net, rng: random.Random) -> Net:
    """The mirror image, or one of the same or of another shape with other digits."""
    if rng.random() < 0.3:
        return mirrored(net)
    return draw_net(rng, squares_marked(net, ()) if rng.random() < 0.5 else None)


def opposite_face(net: Net, choices: Choices) -> ProblemDraft:
    """FPBI: which face is opposite to a face of the net."""
    face, beyond = choices.choice(range(1, 7)), _folded(net)
    edges = next(edges for edges in beyond.values() if face in edges.values())
    right = next(edges[next_edge(edge, 2)] for edge, other in edges.items() if other == face)
    beside = drawn_beside(net)[face].values()

    def why(option: Option) -> Reason | None:
        if option == right:
            return None
        return "drawn beside it" if option in beside else "meets it when folded"

    subject = squares_marked(net, (face,))
    return ProblemDraft("FPBI", ViewClaim("opposes", k=face), (NetFigure(name="net", digits=net),), subject, right, why)


def net_of_cube(net: Net, choices: Choices) -> ProblemDraft:
    """FPBI: which net folds to the cube in the picture."""
    cube = _cube(net, choices)
    return ProblemDraft(
        "FPBI",
        ViewClaim("unfolds"),
        (cube,),
        squares_marked(net, (cube.top, cube.right, cube.front)),
        NetFigure(name="net", digits=net),
        lambda option: _wrong_corner(option.digits, cube) if isinstance(option, NetFigure) else None,
    )


def cube_of_net(net: Net, choices: Choices) -> ProblemDraft:
    """FPBI: which of the cubes the net folds to."""
    cube = _cube(net, choices)
    return ProblemDraft(
        "FPBI",
        ViewClaim("folds"),
        (NetFigure(name="net", digits=net),),
        squares_marked(net, (cube.top, cube.right, cube.front)),
        cube,
        lambda option: _wrong_corner(net, option) if isinstance(option, CubeFigure) else None,
    )


def _cube(net: Net, choices: Choices) -> CubeFigure:
    """A corner of the folded net; mirror images, and nets with the same digits, have corners with the same faces."""
    faces = choices.choice(sorted(corners(_folded(net)), key=sorted))
    # Like nets have the cube in various positions: which face is at the top tells nothing.
    at = random.Random(f"{choices.random()} {net}").randrange(3)
    top, right, front = (*faces[at:], *faces[:at])
    return CubeFigure(name="cube", top=top, right=right, front=front)


def _wrong_corner(net: Net, cube: CubeFigure) -> Reason | None:
    found = corners(_folded(net))
    seen = [(cube.top, cube.right, cube.front), (cube.right, cube.front, cube.top), (cube.front, cube.top, cube.right)]
    if any(corner in seen for corner in found):
        return None
    return "mirror image" if any(corner[::-1] in seen for corner in found) else "opposite faces side by side"


def _folded(net: Net) -> Beyond:
    beyond = folded(net)
    assert beyond is not None
    return beyond
