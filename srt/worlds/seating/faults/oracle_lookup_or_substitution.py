"""Lookups, which put somebody in the place of a function, and substitutions, of equals, as the oracle knows them.

A step may say a relation that is one of the two: one function is taken off, and nothing is guessed. Claims are parsed
here, as in all of the oracle; the names in them are "0", "1", ...
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from srt.worlds.seating.claim_language import (
    BLANK,
    Apply,
    Atom,
    Attribute,
    Claim,
    Equal,
    Meet,
    Nobody,
    Place,
    RightOptions,
    Term,
    atom_names,
    innermost_call,
    names_of,
    rename,
)
from srt.worlds.seating.faults.oracle_placements import Known, implies, names_the_same
from srt.worlds.seating.scenes import Scene

_ENTITIES = tuple("012345")


def holds_for_nobody(claim: Claim, asked: Sequence[Claim], known: Known) -> bool:
    """Whether some alternative of a claim about the blank fits nobody; ``asked`` are the cited claims about it."""
    # One relation alone may: that nobody is right of Ann, as `? = right(Ann)` turns out, is a finding of its own.
    if isinstance(claim[0][-1], Nobody) or (len(claim) == 1 and _relations(claim)):
        return False
    for atoms in claim:
        together = tuple(tuple(itertools.chain(atoms, *chosen)) for chosen in itertools.product(*asked))
        if not _fits_somebody(together, known):
            return True
    return False


def relates_people(claim: Claim) -> bool:
    """Whether some atom of a claim relates people to each other; tiers, columns and directions do not."""
    return any(_relations(claim))


def most_relations(claim: Claim) -> int:
    """The number of such atoms in the alternative that has most of them."""
    return max(map(len, _relations(claim)))


def is_put_together(claim: Claim, cited: Sequence[Claim], scene: Scene) -> bool:
    """Whether ``claim`` is a cited relation with one term put in the place of its equal, or with somebody for ``?``.

    That they are equal must be cited, in whatever words. A single cited relation may be said in other words, of the
    same people.
    """
    related = [one for one in cited if relates_people(one)]
    # `left(Bob) = Ann` for `right(Ann) = Bob`: other words, but nobody new.
    if len(related) == 1:
        return set(names_of(claim)) - {BLANK} <= set(names_of(related[0]))
    facts = [one for one in related if BLANK not in names_of(one)]
    bare = [_without(one, ()) for one in facts]
    said = _without(claim, [one[0][0] for one in bare if [len(atoms) for atoms in one] == [1]])

    def is_fact(found: Claim) -> bool:
        # The people must be the same: else `left(Bob) = Ann` would also give whatever it implies about the others.
        return any(set(names_of(fact)) == set(names_of(found)) and implies(scene, fact, found) for fact in facts)

    for one in (_without(one, ()) for one in related):
        if _unordered(one) == _unordered(said):
            return True
        # In both directions: a term gives way to a name, or a name to a term.
        for whole, part in ((one, said), (said, one)):
            if any(is_fact(found) for found, _, rest in _lookups(whole) if _unordered(rest) == _unordered(part)):
                return True
        if len(said) == len(said[0]) == 1 and is_filler(said[0][0]) and BLANK in names_of(one):
            (name,) = set(names_of(said)) - {BLANK}
            if not looks_up_several(one) and is_fact(rename(one, {BLANK: name})):
                return True
    return False


def _without(claim: Claim, repeated: Sequence[Atom]) -> Claim:
    """A claim without seats of named entities and ``repeated`` atoms; as it is where an alternative has no others."""

    def stays(atom: Atom) -> bool:
        return atom not in repeated and not (isinstance(atom, Place) and atom.name != BLANK)

    left = tuple(tuple(filter(stays, atoms)) for atoms in claim)
    return tuple(dict.fromkeys(left)) if all(left) else claim


def _unordered(claim: Claim) -> list[list[object]]:
    """A claim in which it does not matter which side of an equation stands first."""
    return [
        [(frozenset({a.left, a.right}), a.negated) if isinstance(a, Equal) else a for a in atoms] for atoms in claim
    ]


def is_new_relation(
    claim: Claim,
    cited: Sequence[Claim],
    known: Known,
) -> bool:
    """Whether a claim about the blank relates it as no cited claim does, with at most one function looked up."""
    asked = [one for one in cited if BLANK in names_of(one) and any(relates(atom) for atoms in one for atom in atoms)]
    if not any(_relations(claim)):
        return False
    if not asked:
        return True
    if not all(_relations(claim)) or BLANK not in names_of(said := _relations(claim)):
        return True
    seated = {atom.name for one in cited for atoms in one for atom in atoms if isinstance(atom, Place)}
    filled = _fits_somebody(claim, known)
    for question in filter(all, map(_relations, asked)):
        if names_the_same(known.scene, question, said):
            return False
        for found, of, rest in _lookups(question):
            # Where somebody sits is cited, or else it is guessed. Where nobody fills the blank no seat gives that away.
            if not (of in seated or not filled) or not known.allow(found) or not all(_relations(rest)):
                continue
            if names_the_same(known.scene, rest, said):
                return False
    return True


def looks_up_several(claim: Claim) -> bool:
    """Whether a function stands inside another or equals another, or two regions meet."""
    atoms = [atom for atoms in claim for atom in atoms]
    pairs = [(atom.left, atom.right) for atom in atoms if isinstance(atom, Equal)]
    if any(isinstance(atom, Meet) for atom in atoms) or any(
        isinstance(a, Apply) and isinstance(b, Apply) for a, b in pairs
    ):
        return True
    return any(isinstance(term, Apply) and isinstance(term.argument, Apply) for pair in pairs for term in pair)


def depth(claim: Claim) -> int:
    """How many functions the equation with most of them has, and 1 where none has one."""

    def calls(term: Term) -> int:
        return 1 + calls(term.argument) if isinstance(term, Apply) else 0

    equations = (atom for atoms in claim for atom in atoms if isinstance(atom, Equal))
    return max([1, *(calls(equation.left) + calls(equation.right) for equation in equations)])


def may_not_fill(claim: Claim, known: Known) -> bool:
    """Whether an alternative names somebody who may not fill the blank."""
    for atoms in claim:
        names = {name for atom in atoms if is_filler(atom) for name in atom_names(atom)} - {BLANK}
        if not all(known.ensure(rename((atoms,), {BLANK: name})) for name in names):
            return True
    return False


def is_filler(atom: Atom) -> bool:
    """Whether an atom says by name who fills the blank."""
    if not isinstance(atom, Equal) or atom.negated:
        return False
    return {type(atom.left), type(atom.right)} == {str} and (atom.left == BLANK) != (atom.right == BLANK)


def relates(atom: Atom) -> bool:
    """Whether an atom counts as a relation."""
    return not isinstance(atom, (Place, Nobody, RightOptions)) and not is_filler(atom)


def _fits_somebody(claim: Claim, known: Known) -> bool:
    return any(known.allow(rename(claim, {BLANK: entity})) for entity in _ENTITIES)


def _relations(claim: Claim) -> Claim:
    """The relations of each alternative."""
    return tuple(tuple(atom for atom in atoms if relates(atom) and not isinstance(atom, Attribute)) for atoms in claim)


def _lookups(claim: Claim) -> Iterator[tuple[Claim, str, Claim]]:
    """What can be looked up first, from whose seat, and what then remains of the claim."""
    for equation in {atom: None for atoms in claim for atom in atoms if isinstance(atom, Equal)}:
        for term, other in ((equation.left, equation.right), (equation.right, equation.left)):
            for entity in _ENTITIES:
                taken = _taken_off(term, other, entity)
                if taken is not None:
                    found, of, left, right = taken
                    rest = Equal(left, right, equation.negated)
                    yield ((found,),), of, tuple(tuple(rest if a == equation else a for a in atoms) for atoms in claim)


def _taken_off(term: Term, other: Term, entity: str) -> tuple[Equal, str, Term, Term] | None:
    """The lookup that leads to ``entity`` or comes from it, from whose seat, and the two sides that remain."""
    if isinstance(term, str):
        return None
    if BLANK not in names_of(((Equal(term, term),),)):
        call = innermost_call(term)
        assert isinstance(call.argument, str)
        return Equal(call, entity), call.argument, _with_entity(term, entity), other
    # The functions of the blank go from the outside: across(left(?)) = Ann leaves left(?) = Bob. The last one stays.
    if isinstance(term.argument, Apply) and isinstance(other, str) and other != BLANK:
        return Equal(Apply(term.function, entity, term.k), other), other, term.argument, entity
    return None


def _with_entity(term: Apply, entity: str) -> Term:
    """``term`` with its innermost call replaced."""
    if isinstance(term.argument, str):
        return entity
    return Apply(term.function, _with_entity(term.argument, entity), term.k)
