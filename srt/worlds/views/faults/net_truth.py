"""Claims about a net of a cube, for the oracle: whether they hold, and from what they follow."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.kernel.nets import EDGES, drawn_beside, folded, next_edge
from srt.worlds.views.reading.problem_reader import ViewsProblem, net_of, seen_faces

FORMS = ("beside", "beyond", "opposite", "seen", "corner", "same", "found")


def holds(read: ViewsProblem, claim: ViewClaim) -> bool:
    """Whether ``claim``, of one of :data:`FORMS`, is true."""
    if claim.option and claim.option not in read.options:
        return False
    if claim.form == "found":
        return ViewClaim("opposite", k=read.asked.k, numbers=claim.numbers) in _true_of(read, "")
    if claim.form == "same":
        return any(True for _ in _same_corner(read, claim.option))
    return claim in _true_of(read, claim.option)


def premises(read: ViewsProblem, claim: ViewClaim) -> Iterator[frozenset[str]]:
    """Every set of premises that gives a true ``claim`` in one inference."""
    asked, number = str(read.asked), claim.numbers[0] if claim.numbers else 0
    there = _true_of(read, claim.option)

    def at(face: int, edge: str, beyond: int | None = None) -> list[ViewClaim]:
        """The claims that say what is at an edge of a face."""
        claims = [one for one in there if (one.k, one.word) == (face, edge) and one.form in ("beside", "beyond")]
        return [one for one in claims if beyond in (None, one.numbers[0])]

    def both(one: list[ViewClaim], other: list[ViewClaim]) -> Iterator[frozenset[str]]:
        yield from (frozenset(map(str, pair)) for pair in product(one, other))

    match claim.form:
        case "beside" | "seen":
            yield frozenset({claim.option or ("net" if claim.form == "beside" else "cube")})
        case "beyond":
            for along in (next_edge(claim.word), next_edge(claim.word, 3)):
                for joint in (one for one in at(claim.k, along) if one.form == "beside"):
                    near = joint.numbers[0]
                    back = [one for one in at(near, next_edge(along, 2)) if one.form == "beside"]
                    yield from both([joint, *back], at(near, claim.word))
            for before in at(claim.k, next_edge(claim.word, 2)):
                yield frozenset({str(before), str(_opposite(claim.option, before.numbers[0], number))})
        case "opposite":
            for face, edge in product(range(1, 7), EDGES):
                yield from both(at(face, edge, claim.k), at(face, next_edge(edge, 2)))
        case "corner":
            for edge in EDGES:
                yield from both(at(claim.k, edge, int(claim.word)), at(claim.k, next_edge(edge)))
        case "same":
            yield from (frozenset({asked, str(seen), str(corner)}) for seen, corner in _same_corner(read, claim.option))
        case "found":
            yield frozenset({asked, str(_opposite("", read.asked.k, number))})


def _true_of(read: ViewsProblem, letter: str) -> set[ViewClaim]:
    """All that is true of the net or the cube of an option, or of the one that is shown."""
    figure = read.options[letter] if letter else next(iter(read.shown.values()))
    if isinstance(figure, str):
        return set()
    if figure.type == "cube":
        top, right, front = seen_faces(figure)
        around = ((top, right, front), (right, front, top), (front, top, right))
        return {ViewClaim("seen", letter, str(b), a, numbers=(c,)) for a, b, c in around}
    net = net_of(figure)
    beyond = folded(net) or {}
    true = set()
    for face, edges in beyond.items():
        for edge, other in edges.items():
            true.add(ViewClaim("beyond", letter, edge, face, numbers=(other,)))
            true.add(ViewClaim("corner", letter, str(other), face, numbers=(edges[next_edge(edge)],)))
            true.add(_opposite(letter, other, edges[next_edge(edge, 2)]))
        for edge, other in drawn_beside(net)[face].items():
            true.add(ViewClaim("beside", letter, edge, face, numbers=(other,)))
    return true


def _opposite(letter: str, face: int, other: int) -> ViewClaim:
    return ViewClaim("opposite", letter, k=face, numbers=(other,))


def _same_corner(read: ViewsProblem, letter: str) -> Iterator[tuple[ViewClaim, ViewClaim]]:
    """What is seen of the cube and the same corner of the net, one of them shown and the other an option."""
    of_net, of_cube = ("", letter) if read.asked.form == "folds" else (letter, "")
    corners = _true_of(read, of_net)
    for seen in _true_of(read, of_cube):
        corner = ViewClaim("corner", of_net, seen.word, seen.k, numbers=seen.numbers)
        if corner in corners:
            yield seen, corner
