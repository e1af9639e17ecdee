"""Problems of nets of a cube: what they show, and what one inference gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from srt.worlds.views.checker.net_corners import EDGES, CornerNet
from srt.worlds.views.checker.statements import Left, Value, ViewStatement
from srt.worlds.views.checker.views_scene import UnreadableFigures

ASKED = ("? = opposite(", "? folds net", "? unfolds cube")
"""How what is asked begins."""
_AT_EDGES = ("beside", "beyond")
_OPPOSITE_EDGE = dict(zip(EDGES, (*EDGES[2:], *EDGES[:2]), strict=True))


class FoldedNets:
    """The net or the cube that is shown, and those that are options."""

    exist = True
    only: Mapping[str, int] | None = None
    """The heights of stacks, which there are none of."""

    def __init__(self, figures: Mapping[str, Mapping[str, Any]], choices: Mapping[str, str], asked: str) -> None:
        self.asked = asked
        self.letters = sorted(choices)
        self.shown = [name for name in figures if name not in choices]
        kind, other = ("cube", "net") if asked == "? unfolds cube" else ("net", "cube")
        optional = [] if asked.startswith("? =") else self.letters
        if self.shown != [kind] or set(figures) != {kind, *optional}:
            raise UnreadableFigures(f"one {kind}, and what it may be folded to as options, were expected")
        self._texts = choices
        self._nets: dict[str, CornerNet] = {}
        self._cubes: dict[str, tuple[int, int, int]] = {}
        for name, figure in figures.items():
            if figure.get("type") != (kind if name == kind else other):
                raise UnreadableFigures(f"{name!r} is not the figure that was expected")
            owner = "" if name == kind else name
            if figure["type"] == "net":
                self._nets[owner] = CornerNet(name, figure)
            else:
                self._cubes[owner] = _seen_faces(name, figure)

    def can_hold(self, claim: ViewStatement) -> bool:
        """Whether ``claim`` is true; so too if it does not speak of nets and cubes."""
        left, value = claim
        net = self._nets.get(left.owner)
        match left.what:
            case "asked":
                return value == self.asked
            case "same":
                return self._is_right(left.owner)
            case "options":
                return [letter for letter in self.letters if self._is_right(letter)] == [value]
            case "found":
                return self._found_value() == value
            case "seen":
                return self._third(left) == value
            case "beside":
                return net is not None and net.beside(left.at, left.name) == value
            case "beyond":
                return net is not None and net.beyond(left.at, left.name) == value
            case "opposite":
                return net is not None and net.opposite(left.at) == value
            case "corner":
                return net is not None and net.after(left.at, int(left.name)) == value
        return True

    def _is_right(self, letter: str) -> bool:
        net, cube = self._nets.get(letter, self._nets.get("")), self._cubes.get(letter, self._cubes.get(""))
        if net is None or cube is None:
            return self._texts.get(letter) == str(self._found_value())
        return net.after(cube[0], cube[1]) == cube[2]

    def _found_value(self) -> int | None:
        face = self.asked.removeprefix(ASKED[0]).rstrip(")")
        return self._nets[""].opposite(int(face)) if face.isdigit() else None

    def _third(self, left: Left) -> int | None:
        """The third of the faces that are seen, clockwise after two of them."""
        top, right, front = self._cubes.get(left.owner, (0, 0, 0))
        return {(top, right): front, (right, front): top, (front, top): right}.get((left.at, int(left.name)))

    def one_step(self, left: Left, words: frozenset[str], claims: Sequence[ViewStatement]) -> Value | None:
        """The value of ``left`` by one inference from all of ``words`` and ``claims``; ``None`` if there is none."""
        if words:
            if left.what == "options" and words == set(self.letters) and len(claims) == 1:
                return self._option(claims[0])
            return None if claims else self._read(left, words)
        if left.what == "found":
            return self._found(claims)
        if left.what == "same":
            return "same" if self._fits(left.owner, claims) else None
        if len(claims) != 2 or any(claim.left.owner != left.owner for claim in claims):
            return None
        values = (_from_two(left, *claims), _from_two(left, *claims[::-1]))
        return next((value for value in values if value is not None), None)

    def _read(self, left: Left, words: frozenset[str]) -> Value | None:
        """What is read from the question, a net or the picture of a cube."""
        if left.what == "asked":
            return self.asked if words == {"question"} else None
        if words != {left.owner or self.shown[0]}:
            return None
        if left.what == "beside" and left.owner in self._nets:
            return self._nets[left.owner].beside(left.at, left.name)
        return self._third(left) if left.what == "seen" else None

    def _option(self, claim: ViewStatement) -> str | None:
        """The option that fits, or that says what was found."""
        if claim.left.what == "same":
            return claim.left.owner
        said = [letter for letter, text in self._texts.items() if text == str(claim.value)]
        return said[0] if claim.left.what == "found" and len(said) == 1 else None

    def _found(self, claims: Sequence[ViewStatement]) -> Value | None:
        """The question, and the face that it asks for."""
        asked = [claim for claim in claims if claim.left.what == "asked"]
        values = [claim.value for claim in claims if f"? = opposite({claim.left.at})" == self.asked
                  and claim.left.what == "opposite"]  # fmt: skip
        return values[0] if len(claims) == 2 and len(asked) == len(values) == 1 else None

    def _fits(self, letter: str, claims: Sequence[ViewStatement]) -> bool:
        """Whether the claims are the question, a corner of the net, and the same corner in the picture of the cube."""
        found = {claim.left.what: claim for claim in claims}
        if len(claims) != 3 or set(found) != {"asked", "seen", "corner"} or self.asked.startswith("? ="):
            return False
        seen, corner = found["seen"], found["corner"]
        return {seen.left.owner, corner.left.owner} == {"", letter} and (
            (seen.left.at, seen.left.name, seen.value) == (corner.left.at, corner.left.name, corner.value)
        )


def _from_two(left: Left, first: ViewStatement, second: ViewStatement) -> Value | None:
    """The value of ``left``, from two claims in this order:

    - two squares side by side, and what is beyond an edge of one of them that runs on into the other: it is beyond that
      edge of the other, too;
    - what is beyond two edges of a face that lie opposite: it is opposite;
    - what is beyond an edge, and what is opposite to that: this is beyond the opposite edge;
    - what is beyond two edges of a face, clockwise one after the other: the three meet at a corner.
    """
    one, other = first.left, second.left
    if one.what not in _AT_EDGES:
        return None
    if other.what == "opposite":
        beyond = left.what == "beyond" and left.at == one.at and left.name == _OPPOSITE_EDGE[one.name]
        return second.value if beyond and first.value == other.at else None
    if other.what not in _AT_EDGES:
        return None
    quarters = (EDGES.index(other.name) - EDGES.index(one.name)) % 4
    same_face = one.at == other.at
    if left.what == "beyond":
        side_by_side = one.what == "beside" and (other.at, left.at) in ((one.at, first.value), (first.value, one.at))
        return second.value if side_by_side and quarters % 2 and other.name == left.name else None
    if left.what == "opposite":
        return second.value if same_face and quarters == 2 and first.value == left.at else None
    at_corner = left.what == "corner" and same_face and one.at == left.at and str(first.value) == left.name
    return second.value if at_corner and quarters == 1 else None


def _seen_faces(name: str, figure: Mapping[str, Any]) -> tuple[int, int, int]:
    """The digits at the top, the right and the front, which follow each other clockwise around the corner."""
    faces = [figure.get(face) for face in ("top", "right", "front")]
    digits = [face for face in faces if type(face) is int and 1 <= face <= 6]  # True is an int, too
    if len(set(digits)) != 3:
        raise UnreadableFigures(f"the cube {name!r} does not show three of the digits 1 to 6")
    top, right, front = digits
    return top, right, front
