"""What a trace says again, by the rules of ``docs/seating.md``: the naive half of the checker's rule.

Names are the numbers "0", "1", ... of the entities. Where an atom holds is looked up placement by placement.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np

from srt.language.trace import Step
from srt.worlds.seating.claim_language import (
    BLANK,
    Apply,
    Atom,
    Attribute,
    Claim,
    Equal,
    Meet,
    Member,
    Nobody,
    Place,
    Region,
    RightOptions,
    Term,
    innermost,
    names_of,
    rename_atom,
)
from srt.worlds.seating.faults.oracle_lookup_or_substitution import is_filler
from srt.worlds.seating.faults.oracle_placements import Bools, ground, speaks_of_options, speaks_of_the_blank
from srt.worlds.seating.scenes import Scene

Effort = tuple[int, ...]
Where = list[Bools]
"""Where an atom holds: seats and relations apart, for each entity that may fill the blank."""


def says_a_thing_twice(scene: Scene, claim: Claim) -> bool:
    """Whether some atom always holds or follows from another of its alternative, or an alternative from another."""
    if speaks_of_options(claim):
        return False
    fillers = [str(n) for n in range(len(scene.seats))] if speaks_of_the_blank(claim) else [BLANK]
    said = [[_where(scene, atom, fillers) for atom in atoms if atom != Nobody()] for atoms in claim]
    if any(all(bool(part.all()) for part in where) for where in itertools.chain(*said)):
        return True
    whole = [[reduce(np.logical_and, parts) for parts in zip(*atoms, strict=True)] for atoms in said if atoms]
    return any(map(_has_a_consequence, [*said, whole]))


class AlreadySaid:
    """What the faultless steps of a trace have said so far."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._said: list[tuple[object, Effort]] = []

    def has(self, claim: Claim) -> bool:
        """Whether a step says what ``claim`` does, and not in more complicated words."""
        content, effort = self._of(claim)
        return any(said == content and not easier(effort, other) for said, other in self._said)

    def add(self, claim: Claim) -> None:
        """A step says ``claim``."""
        self._said.append(self._of(claim))

    def _of(self, claim: Claim) -> tuple[object, Effort]:
        if speaks_of_options(claim):
            return claim, ()
        about_blank = speaks_of_the_blank(claim)
        stripped = tuple(tuple(atom for atom in atoms if not _seats_another(atom)) for atoms in claim)
        kept = tuple(dict.fromkeys(stripped)) if about_blank and all(stripped) else claim
        fillers = [str(n) for n in range(len(self._scene.seats))] if about_blank else [BLANK]
        held = [reduce(np.logical_or, (_models(self._scene, atoms, filler) for atoms in kept)) for filler in fillers]
        content = (about_blank, tuple(where.tobytes() for where in held), frozenset(names_of(kept)) - {BLANK})
        return content, _effort(kept)


def leading_up(steps: Sequence[Step], claims: Sequence[Claim | None], readings: Sequence[bool]) -> Iterator[int]:
    """The readings in a row before one that the next step cites, which read its clue or pass by others on the way."""
    seated = [frozenset[str]()]
    for step, claim in zip(steps, claims, strict=True):
        here = itertools.chain(*claim) if claim is not None and step.op == "CONSTRAIN" else ()
        seated.append(seated[-1] | {atom.name for atom in here if isinstance(atom, Place) and atom.name != BLANK})
    last: dict[tuple[str, ...], int] = {}
    """How many were seated when a clue was passed by."""
    for at, step in enumerate(steps):
        first = at
        while first and readings[first - 1]:
            first -= 1
        if readings[at] or first == at or f"#{at}" not in step.args:
            continue
        begin = at - 1
        while begin > first and steps[begin - 1].args == steps[at - 1].args:
            if not easier(*(_unlike_a_turn(claims[n], seated[at]) for n in (begin, begin - 1))):
                break
            begin -= 1
        yield from range(begin + 1, at)
        for n in range(first, begin):
            names = frozenset(names_of(claims[n] or ()))
            another = steps[n].args != ("question",) and not names & seated[at] and names <= seated[-1]
            if another and len(seated[at]) > last.get(steps[n].args, 0):
                yield n + 1
                last[steps[n].args] = len(seated[at])


def easier(one: Effort, other: Effort) -> bool:
    """Whether ``one`` is less than ``other`` in some respect, and more in none."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def _effort(claim: Claim) -> Effort:
    atoms = list(itertools.chain(*claim))
    relations = max(sum(not (isinstance(atom, (Place, Nobody)) or is_filler(atom)) for atom in part) for part in claim)
    return relations, max(map(_calls, atoms)), int(any(BLANK in _counted_from(atom) for atom in atoms))


def _unlike_a_turn(claim: Claim | None, seated: frozenset[str]) -> Effort:
    atoms = list(itertools.chain(*(claim or ())))
    sided = any("left" in word or "right" in word for atom in atoms for word in _words(atom))
    from_seated = all(name in seated for atom in atoms for name in _counted_from(atom))
    return int(sided), int(not from_seated or any(_begins_with(atom) not in (None, BLANK) for atom in atoms))


def _models(scene: Scene, atoms: Sequence[Atom], filler: str) -> Bools:
    """Where all of ``atoms`` hold if ``filler`` fills the blank."""
    return reduce(np.logical_and, (_ground(scene, rename_atom(atom, {BLANK: filler})) for atom in atoms))


def _ground(scene: Scene, atom: Atom) -> Bools:
    return np.zeros(1, dtype=np.bool_) if isinstance(atom, (Nobody, RightOptions)) else ground(scene, atom)


def _where(scene: Scene, atom: Atom, fillers: Sequence[str]) -> Where:
    everywhere = np.ones(1, dtype=np.bool_)
    parts: Where = []
    for filler in fillers:
        models = _models(scene, [atom], filler)
        named = isinstance(atom, Equal) and isinstance(atom.left, str) and isinstance(atom.right, str)
        seats = named or isinstance(atom, (Place, Attribute))
        relations = named or not seats
        parts += [models if seats else everywhere, models if relations else everywhere]
    return parts


def _has_a_consequence(said: Sequence[Where]) -> bool:
    """Whether one of ``said`` holds wherever another does."""
    return any(
        all(bool((one | ~other).all()) for one, other in zip(weaker, stronger, strict=True))
        for weaker, stronger in itertools.permutations(said, 2)
    )


def _seats_another(atom: Atom) -> bool:
    return isinstance(atom, Place) and atom.name != BLANK


def _calls(atom: Atom) -> int:
    def depth(term: Term) -> int:
        return 1 + depth(term.argument) if isinstance(term, Apply) else 0

    if isinstance(atom, Attribute):
        return 1
    return depth(atom.left) + depth(atom.right) if isinstance(atom, Equal) else 0


def _counted_from(atom: Atom) -> set[str]:
    """Whom the functions and regions of an atom are of."""
    match atom:
        case Equal(left, right):
            return {innermost(term) for term in (left, right) if isinstance(term, Apply)}
        case Member(_, region):
            return {region.of}
        case Meet(first, second):
            return {first.of, second.of}
        case Attribute(_, name):
            return {name}
    return set()


def _words(atom: Atom) -> Iterator[str]:
    """The names of its functions and regions."""
    terms: list[Term] = [atom.left, atom.right] if isinstance(atom, Equal) else []
    for term in terms:
        while isinstance(term, Apply):
            yield term.function
            term = term.argument
    regions: list[Region] = [atom.region] if isinstance(atom, Member) else []
    yield from (region.name for region in [*regions, *([atom.first, atom.second] if isinstance(atom, Meet) else [])])


def _begins_with(atom: Atom) -> str | None:
    """The name that an atom begins with, if it does with one."""
    match atom:
        case Place(name) | Member(name):
            return name
        case Equal(str() as name):
            return name
    return None
