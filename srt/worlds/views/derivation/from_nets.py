"""Derivations for nets of a cube: from squares drawn side by side to what lies where after folding."""

from __future__ import annotations

from collections.abc import Iterator

from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.derivation.steps import Derivation
from srt.worlds.views.kernel.nets import Net, corners, drawn_beside, folded, next_edge
from srt.worlds.views.reading.problem_reader import net_of, seen_faces
from srt.worlds.world import Refused


def opposite_face(derivation: Derivation) -> ViewClaim:
    """Says which face is opposite to the one that is asked for."""
    problem = derivation.problem
    net = NetSteps(derivation, net_of(problem.shown.get("net")), "")
    claim = next((claim for claim in net.known if (claim.form, claim.k) == ("opposite", problem.asked.k)), None)
    if claim is None:
        raise Refused("unknown_wording", f"meta.asked: {problem.asked}: the net has no such face")
    net.say(claim)
    return claim


def folded_cube(derivation: Derivation, asked: int) -> str:
    """Says which of the nets folds to the cube that is shown, or to which of the cubes the net; returns its letter."""
    problem = derivation.problem
    right = []
    for letter, option in problem.options.items():
        if problem.asked.form == "folds":
            net, cube = net_of(problem.shown.get("net")), seen_faces(option)
        else:
            net, cube = net_of(option), seen_faces(problem.shown.get("cube"))
        if _turned_to_least(cube) in corners(folded(net) or {}):
            right.append((letter, net, cube))
    if len(right) != 1:
        raise Refused("not_unique", f"choices: {len(right)} of them fit what is shown")
    letter, net, (top, at_right, front) = right[0]
    of_net, of_cube = ("", letter) if problem.asked.form == "folds" else (letter, "")
    steps = NetSteps(derivation, net, of_net)
    # The corner that is shown may be named from each of its faces; one that needs few steps is taken.
    named = [(top, at_right, front), (at_right, front, top), (front, top, at_right)]
    corner = next(claim for claim in steps.known if claim.form == "corner" and _faces_of(claim) in named)
    seen = ViewClaim("seen", of_cube, word=corner.word, k=corner.k, numbers=corner.numbers)
    same = derivation.say(
        ViewClaim("same", letter), steps=[asked, derivation.say(seen, [of_cube or "cube"]), steps.say(corner)]
    )
    derivation.say(ViewClaim("options", letter), problem.options, [same])
    return letter


class NetSteps:
    """What follows from a net. ``known`` has the premises of each claim; those that need fewer steps come first."""

    def __init__(self, derivation: Derivation, net: Net, letter: str) -> None:
        self._derivation, self._letter = derivation, letter
        self.known: dict[ViewClaim, tuple[ViewClaim, ...]] = {}
        self._beside = drawn_beside(net)
        self._at: dict[tuple[int, str], ViewClaim] = {}
        """The claim that says what is beyond an edge of a face."""
        for face, edges in sorted(self._beside.items()):
            for edge, other in edges.items():
                self._at[face, edge] = ViewClaim("beside", letter, edge, face, numbers=(other,))
        self.known |= dict.fromkeys(self._at.values(), ())
        while new := {claim: premises for claim, premises in self._follows() if claim not in self.known}:
            self.known |= new
            for claim in new:
                if claim.form == "beyond":
                    self._at.setdefault((claim.k, claim.word), claim)

    def say(self, claim: ViewClaim) -> int:
        """Says ``claim`` and all that it rests on; the number of its step."""
        premises = self.known[claim]
        words = [] if premises else [self._letter or "net"]
        return self._derivation.say(claim, words, [self.say(premise) for premise in premises])

    def _follows(self) -> Iterator[tuple[ViewClaim, tuple[ViewClaim, ...]]]:
        """What follows in one inference from two claims that are known."""
        letter, at = self._letter, self._at
        for (face, edge), claim in at.items():
            other = claim.numbers[0]
            if (behind := at.get((face, next_edge(edge, 2)))) is not None:
                yield ViewClaim("opposite", letter, k=other, numbers=behind.numbers), (claim, behind)
            if (following := at.get((face, next_edge(edge)))) is not None:
                corner = ViewClaim("corner", letter, str(other), face, numbers=following.numbers)
                yield corner, (claim, following)
            for along in (next_edge(edge), next_edge(edge, 3)):
                near = self._beside[face].get(along)
                if near is not None and (near, edge) not in at:
                    beyond = ViewClaim("beyond", letter, edge, near, numbers=claim.numbers)
                    yield beyond, (at[face, along], claim)
            for opposite in self.known:
                if opposite.form == "opposite" and opposite.k == other and (face, next_edge(edge, 2)) not in at:
                    beyond = ViewClaim("beyond", letter, next_edge(edge, 2), face, numbers=opposite.numbers)
                    yield beyond, (claim, opposite)


def _faces_of(corner: ViewClaim) -> tuple[int, int, int]:
    return corner.k, int(corner.word), corner.numbers[0]


def _turned_to_least(faces: tuple[int, int, int]) -> tuple[int, int, int]:
    """The three faces in the same order around the corner, the least first."""
    at = faces.index(min(faces))
    first, second, third = (*faces[at:], *faces[:at])
    return first, second, third
