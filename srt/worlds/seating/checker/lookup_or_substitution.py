"""A lookup replaces a function by the person who sits there, a substitution by the person a cited relation names.

A relation that a step says has to be one of the two, with at most one function taken off. A solver that has guessed the
seat of the blank can say where it is from anybody: ``? = left(Jan)`` instead of ``? = across(right(Ann))``. So a
relation that a step finds in the plan of the seats must be the cited one, or the cited one with one function replaced
by the person it leads to. Without the plan, two relations make a third only where one is put into the other: the rest
of geometry is for the plan to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from srt.worlds.seating.checker.claim_sets import (
    BLANK,
    TOKENS,
    Meaning,
    filler_of,
    parts_of_term,
    relates,
    seats_somebody,
)
from srt.worlds.seating.checker.reading.problem_text import SeatingProblem

_SIGN = re.compile(r"( !?= )")
_TRAIT = re.compile(r"(?:faces|tier|column)\(")


@dataclass(frozen=True, slots=True)
class Lookup:
    """One function taken off a masked claim: ``right(Ann) = Bob`` makes ``? = across(Bob)`` of ``? =
    across(right(Ann))``.

    ``found`` is what is looked up, ``of`` the entity from whose seat, and ``rest`` what is left of the claim.
    ``nested``: the function stands inside another, has another inside, or is said to lead where another does.
    """

    found: str
    of: str
    rest: str
    nested: bool


def has_nested_functions(masked: str) -> bool:
    """Whether functions stand inside one another, or on both sides, in a masked claim, or two regions meet in it."""
    return "meet(" in masked or any(lookup.nested for lookup in _lookups(masked, 1))


def functions_at_once(masked: str) -> int:
    """The most functions in one equation of a masked claim, on both sides together."""

    def count(atom: str) -> int:
        return sum(len((parts_of_term(side) or ([],))[0]) for side in _SIGN.split(atom, 1)[::2])

    return max(count(atom) for alternative in masked.split(" | ") for atom in alternative.split(" & "))


def leaves_open_who(masked: str, known: int, problem: SeatingProblem) -> bool:
    """Whether somebody that a masked claim names as filling the blank may not fill it, by the placements ``known``."""
    for alternative in masked.split(" | "):
        meaning = problem.language.meaning(alternative)
        fillers = filter(None, map(filler_of, alternative.split(" & ")))
        if meaning is None or any(known & ~meaning.tied[TOKENS.index(filler)] for filler in fillers):
            return True
    return False


def leads_to_somebody(question: Meaning, known: int, problem: SeatingProblem) -> bool:
    """Whether functions are nested in ``question`` and the first one to look up may lead to somebody.

    ``known`` are the placements that the cited premises leave open.
    """
    nested = [lookup for lookup in _lookups(question.masked, len(question.tied)) if lookup.nested]
    return any(_holds(lookup.found, known, problem) for lookup in nested)


def relates_people(masked: str) -> bool:
    """Whether a masked claim relates people to each other; tiers, columns and directions are places here."""
    return _relation(masked) != ""


def relations_at_once(masked: str) -> int:
    """The most relations in one alternative of a masked claim, counted as in :func:`relates_people`."""
    return max(sum(map(_relates, alternative.split(" & "))) for alternative in masked.split(" | "))


def is_substitution(claim: Meaning, cited: list[Meaning], problem: SeatingProblem) -> bool:
    """Whether ``claim`` says what a cited relation says, with one function replaced by the person another one names.

    ``? = across(Mary)`` is made of ``? = across(right(Ann))`` by ``right(Ann) = Mary``, and ``? = James`` of ``? =
    across(Mary)`` by ``across(Mary) = James``; also the other way round. Who it is may be cited in other words
    (``left(Mary) = Ann``), or more exactly (``front_left`` for ``diag``), and a single relation may be said in others,
    of the same people.
    """
    related = [premise for premise in cited if relates_people(premise.masked)]
    # ``left(Bob) = Ann`` for ``right(Ann) = Bob``: that it follows is known already, and nobody new may come in.
    if len(related) == 1:
        return claim.form.tokens <= related[0].form.tokens
    others = [rest_of(premise.masked, []) for premise in related]
    said = rest_of(claim.masked, [other for other in others if BLANK not in other])

    def is_cited(masked: str) -> bool:
        found = problem.language.meaning(masked)
        # By what it says, not by its words, but of the same people: a fact about Bob and Cal may imply one about Dan
        # (of four, he is left over), and that would be a second inference.
        return found is not None and any(
            other.form.tokens == found.form.tokens and not other.tied[0] & ~found.tied[0]
            for other in related
            if not other.blank
        )

    def makes(whole: str, result: str) -> bool:
        lookups = _lookups(whole, len(problem.names))
        return any(_worded(lookup.rest) == _worded(result) and is_cited(lookup.found) for lookup in lookups)

    # In both directions: a function becomes a name, or a name becomes a function.
    if any(_worded(said) == _worded(other) or makes(other, said) or makes(said, other) for other in others):
        return True
    names = claim.form.tokens if filler_of(said) else ()
    asked = (other for other in others if BLANK in other and not has_nested_functions(other))
    return any(is_cited(other.replace(BLANK, name)) for other in asked for name in names)


def is_another_relation(claim: Meaning, cited: list[Meaning], known: int, problem: SeatingProblem) -> bool:
    """Whether ``claim`` says of the blank another relation than those ``cited``, even with one function looked up.

    What says the same by the scene alone is no other. Whose function is looked up must be seated by a cited premise,
    unless nobody fills the blank. Tiers, columns and directions are places here. ``known`` as above.
    """
    asked = [premise for premise in cited if premise.blank and premise.form.relations]
    relation = _relation(claim.masked)
    if relation == "" or not asked:
        return relation != ""
    said = problem.language.meaning(relation) if relation else None
    # ``None``: some alternative says only where the blank sits, and the question cannot be found again in that.
    if said is None:
        return True
    seated = frozenset[str]().union(*(premise.form.seated for premise in cited))
    filled = any(part & known for part in claim.tied)

    def says_it(masked: str | None) -> bool:
        meaning = problem.language.meaning(masked) if masked else None
        return meaning is not None and meaning.tied == said.tied

    for masked in (_relation(premise.masked) for premise in asked):
        if says_it(masked):
            return False
        for lookup in _lookups(masked or "", len(claim.tied)):
            # Whose seat is not cited has not been looked up but guessed. Nobody's seat is given away by ``? = none``.
            reachable = (lookup.of in seated or not filled) and _holds(lookup.found, known, problem)
            if reachable and says_it(_relation(lookup.rest)):
                return False
    return True


def _worded(masked: str) -> str:
    """A masked claim with the sides of its equations in one order."""
    parts = re.split(r"( [&|] )", masked)
    return "".join(min(part, "".join(_SIGN.split(part, 1)[::-1])) for part in parts)


def rest_of(masked: str, repeated: list[str]) -> str:
    """A masked claim without seats of named entities and without ``repeated``; as it is where nothing is left."""
    alternatives = (alternative.split(" & ") for alternative in masked.split(" | "))
    left = [
        " & ".join(atom for atom in atoms if not seats_somebody(atom) and atom not in repeated)
        for atoms in alternatives
    ]
    return " | ".join(dict.fromkeys(left)) if all(left) else masked


def _relation(masked: str) -> str | None:
    """The relations of a masked claim, without seats; empty if it has none, ``None`` if some alternatives have none."""
    left = [[atom for atom in alternative.split(" & ") if _relates(atom)] for alternative in masked.split(" | ")]
    if not any(left):
        return ""
    return " | ".join(map(" & ".join, left)) if all(left) else None


def _relates(atom: str) -> bool:
    return relates(atom) and not _TRAIT.match(atom)


def _holds(masked: str, known: int, problem: SeatingProblem) -> bool:
    meaning = problem.language.meaning(masked)
    return meaning is not None and bool(meaning.tied[0] & known)


def _lookups(masked: str, size: int) -> Iterator[Lookup]:
    """The functions that can be taken off a masked claim, one at a time, for each of ``size`` entities.

    A function of somebody leads to an entity: ``right(Ann) = Bob``. One around the blank comes from an entity:
    ``across(left(?)) = Ann`` is left as ``left(?) = Bob`` by ``across(Bob) = Ann``.
    """
    alternatives = [alternative.split(" & ") for alternative in masked.split(" | ")]

    def put(new: str) -> str:
        return " | ".join(" & ".join(new if each == atom else each for each in atoms) for atoms in alternatives)

    for atom in dict.fromkeys(atom for atoms in alternatives for atom in atoms):
        left, sign, right = [*_SIGN.split(atom, 1), "", ""][:3]
        for side, other in ((left, right), (right, left)):
            functions, argument, numbers = parts_of_term(side) or ([], "", [])
            inside = len(functions) > 1
            # ``left(?) = Ann`` is what is asked, not a step towards it: one function must stay around the blank.
            if not functions or (argument == BLANK and not (inside and other in TOKENS)):
                continue
            nested = inside or bool((parts_of_term(other) or ([],))[0])
            for token in TOKENS[:size]:
                # Functions of the blank are taken off from the outside, as nobody knows yet who is inside.
                if argument == BLANK:
                    found = f"{functions[0]}({token}{numbers[-1]}) = {other}"
                    rest = put(f"{_term(functions[1:], BLANK, numbers[:-1])}{sign}{token}")
                    yield Lookup(found, other, rest, nested)
                else:
                    found = f"{functions[-1]}({argument}{numbers[0]}) = {token}"
                    rest = put(f"{_term(functions[:-1], token, numbers[1:])}{sign}{other}")
                    yield Lookup(found, argument, rest, nested)


def _term(functions: list[str], argument: str, numbers: list[str]) -> str:
    for function, number in zip(reversed(functions), numbers, strict=True):
        argument = f"{function}({argument}{number})"
    return argument
