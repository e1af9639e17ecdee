"""The claim language of the seating world as data: ``parse_claim`` and ``format_claim`` are each other's inverse.

``docs/seating.md`` holds the grammar. A claim is a tuple of alternatives (``|``), each a tuple of atoms (``&``). What
an atom means is :mod:`.relations`; whether a name or a seat belongs to the problem is for the reader to say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

FUNCTIONS = ("left", "right", "across", "diag", "front_left", "front_right", "cw", "ccw", "up", "down")
REGIONS = (
    *("beside", "one_between", "left_side", "right_side"),
    *("north", "east", "south", "west", "northeast", "southeast", "southwest", "northwest"),
    *("due_north", "due_east", "due_south", "due_west"),
    *("above", "below", "tier_above", "tier_below", "tier_next", "tier_apart", "stacked", "over", "under"),
    *("upper_left", "upper_right", "lower_left", "lower_right", "diag_above", "diag_below", "same_side"),
    *("left", "right"),
)
COUNTED_REGIONS = ("upper_left", "upper_right", "lower_left", "lower_right")
COUNTED_FUNCTIONS = ("left", "right", "cw", "ccw", "up", "down")
AttributeName = Literal["faces", "tier", "column"]
ATTRIBUTE_VALUES: dict[str, tuple[str, ...]] = {
    "faces": ("N", "NE", "E", "SE", "S", "SW", "W", "NW"),
    "tier": ("1", "2", "3"),
    "column": ("E", "W"),
}
BLANK = "?"
"""The name of the entity that is asked for."""


class ClaimError(ValueError):
    """Text that is no claim. ``column`` counts from 1."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(f"column {column}: {message}")
        self.message = message
        self.column = column


@dataclass(frozen=True, slots=True)
class Apply:
    """``function(argument, k)``."""

    function: str
    argument: Term
    k: int = 1


Term = str | Apply


@dataclass(frozen=True, slots=True)
class Region:
    """``name(of, k)``: the seats around ``of``; ``k`` 0 where none is written."""

    name: str
    of: str
    k: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """``name@seat``."""

    name: str
    seat: str


@dataclass(frozen=True, slots=True)
class Equal:
    """``left = right``, or ``left != right`` where ``negated``."""

    left: Term
    right: Term
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """``name in region``, or ``name notin region`` where ``negated``."""

    name: str
    region: Region
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Meet:
    """``meet(first, second)``: some seat lies in both."""

    first: Region
    second: Region


@dataclass(frozen=True, slots=True)
class Attribute:
    """``faces(name) = NE``, ``tier(name) = 2``, ``column(name) = E``."""

    function: AttributeName
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Nobody:
    """``? = none``."""


@dataclass(frozen=True, slots=True)
class RightOptions:
    """``options = {A, C}``: the letters of the right options, in order."""

    letters: tuple[str, ...]


Atom = Place | Equal | Member | Meet | Attribute | Nobody | RightOptions
Claim = tuple[tuple[Atom, ...], ...]


def parse_claim(text: str) -> Claim:
    """The claim that ``text`` (in normal form) writes down.

    Raises:
        ClaimError: names the column of the first fault.
    """
    alternatives = [_split(alternative, " & ", at) for alternative, at in _split(text, " | ", 0)]
    return tuple([tuple([_parse_atom(part, start) for part, start in parts]) for parts in alternatives])


def format_claim(claim: Claim) -> str:
    """``claim`` as text in normal form."""
    return " | ".join([" & ".join([format_atom(atom) for atom in atoms]) for atoms in claim])


def format_atom(atom: Atom) -> str:
    """One atom as text in normal form."""
    match atom:
        case Place(name, seat):
            return f"{name}@{seat}"
        case Equal(left, right, negated):
            return f"{_format_term(left)} {'!=' if negated else '='} {_format_term(right)}"
        case Member(name, region, negated):
            return f"{name} {'notin' if negated else 'in'} {_format_region(region)}"
        case Meet(first, second):
            return f"meet({_format_region(first)}, {_format_region(second)})"
        case Attribute(function, name, value):
            return f"{function}({name}) = {value}"
        case Nobody():
            return "? = none"
        case RightOptions(letters):
            return "options = {" + ", ".join(letters) + "}"


def names_of(claim: Claim) -> tuple[str, ...]:
    """The names in ``claim`` in order of appearance, each once, the blank among them."""
    return tuple(dict.fromkeys([name for atoms in claim for atom in atoms for name in atom_names(atom)]))


def atom_names(atom: Atom) -> tuple[str, ...]:
    """The names in ``atom`` in order of appearance."""
    match atom:
        case Equal(left, right):
            return (innermost(left), innermost(right))
        case Member(name, region):
            return (name, region.of)
        case Meet(first, second):
            return (first.of, second.of)
        case Place(name) | Attribute(_, name):
            return (name,)
        case Nobody():
            return (BLANK,)
        case RightOptions():
            return ()


def rename(claim: Claim, names: Mapping[str, str]) -> Claim:
    """``claim`` with each name replaced as ``names`` says; a name that is not there stays."""
    return tuple(tuple(rename_atom(atom, names) for atom in atoms) for atoms in claim)


def rename_atom(atom: Atom, names: Mapping[str, str]) -> Atom:
    """One atom, renamed as :func:`rename` does."""

    def term(old: Term) -> Term:
        return names.get(old, old) if isinstance(old, str) else Apply(old.function, term(old.argument), old.k)

    def region(old: Region) -> Region:
        return Region(old.name, names.get(old.of, old.of), old.k)

    match atom:
        case Equal(left, right, negated):
            return Equal(term(left), term(right), negated)
        case Member(name, inside, negated):
            return Member(names.get(name, name), region(inside), negated)
        case Meet(first, second):
            return Meet(region(first), region(second))
        case Place(name, seat):
            return Place(names.get(name, name), seat)
        case Attribute(function, name, value):
            return Attribute(function, names.get(name, name), value)
    return atom


def said_of_others(claim: Claim) -> Claim:
    """What a claim about the blank says without it; an alternative without atoms always holds."""
    return tuple(tuple(atom for atom in atoms if BLANK not in atom_names(atom)) for atoms in claim)


def innermost(term: Term) -> str:
    """The name that ``term`` is built on."""
    while isinstance(term, Apply):
        term = term.argument
    return term


def innermost_call(term: Apply) -> Apply:
    """The function of a name that ``term`` is built on."""
    while isinstance(term.argument, Apply):
        term = term.argument
    return term


_NAME = r"(?:\?|[^@=!&|,(){}?]+)"
_WHOLE_NAME = re.compile(_NAME)
_PLACE = re.compile(rf"({_NAME})@([A-Z0-9]+)")
_SEAT = re.compile(r"[EWNS][12]|P[1-6]|[123][EW]|N|NE|E|SE|S|SW|W|NW")
_ATTRIBUTE = re.compile(rf"({'|'.join(ATTRIBUTE_VALUES)})\(({_NAME})\) = (.*)", re.DOTALL)
_REGION = re.compile(rf"([a-z_]+)\(({_NAME})(?:, ([0-9]+))?\)")
_MEMBER = re.compile(rf"({_NAME}) (in|notin) ([a-z_]+\(.*)", re.DOTALL)
_MEET = re.compile(r"meet\(([^()]*\([^()]*\)), ([^()]*\([^()]*\))\)")
_OPTIONS = re.compile(r"options = \{((?:[A-Z](?:, [A-Z])*)?)\}")
_OPEN = re.compile(r"([a-z_]+)\(")
_DEEPEST = 8
_CLOSE = re.compile(r"(?:, ([0-9]+))?\)")


def _split(text: str, separator: str, at: int) -> list[tuple[str, int]]:
    """The parts of ``text``, each with where it begins if ``text`` begins ``at``."""
    if separator not in text:
        return [(text, at)]
    parts = []
    for part in text.split(separator):
        parts.append((part, at))
        at += len(part) + len(separator)
    return parts


def _parse_atom(text: str, at: int) -> Atom:
    try:
        return _atom(text)
    except ClaimError as error:
        raise ClaimError(error.message, at + error.column) from None


@lru_cache(maxsize=16_384)
def _atom(text: str) -> Atom:
    if text == "? = none":
        return Nobody()
    if match := _OPTIONS.fullmatch(text):
        letters = tuple(match[1].split(", ")) if match[1] else ()
        if list(letters) != sorted(set(letters)):
            raise ClaimError("option letters are in order and without repeats", 1)
        return RightOptions(letters)
    if match := _PLACE.fullmatch(text):
        if not _SEAT.fullmatch(match[2]):
            raise ClaimError(f"{match[2]!r} is no seat", match.start(2) + 1)
        return Place(_name(match[1], 0), match[2])
    if match := _ATTRIBUTE.fullmatch(text):
        function: AttributeName = match[1]  # type: ignore[assignment]
        if match[3] not in ATTRIBUTE_VALUES[function]:
            raise ClaimError(f"{match[3]!r} is no value of {function}", match.start(3) + 1)
        return Attribute(function, _name(match[2], match.start(2)), match[3])
    if match := _MEET.fullmatch(text):
        return Meet(_parse_region(match[1], match.start(1)), _parse_region(match[2], match.start(2)))
    if (match := _MEMBER.fullmatch(text)) and " = " not in text:
        region = _parse_region(match[3], match.start(3))
        return Member(_name(match[1], 0), region, match[2] == "notin")
    for sign in (" != ", " = "):
        left, found, right = text.partition(sign)
        if found:
            parsed = _parse_term(left, 0), _parse_term(right, len(left) + len(sign))
            if "none" in parsed:
                raise ClaimError("'none' stands in '? = none' alone", 1)
            return Equal(*parsed, negated=sign == " != ")
    raise ClaimError("a claim such as 'James@N1' or 'right(James) = Jason' was expected", 1)


def _parse_region(text: str, at: int) -> Region:
    match = _REGION.fullmatch(text)
    if match is None or match[1] not in REGIONS:
        raise ClaimError(f"{text!r} is no region: one such as beside(Mary) was expected", at + 1)
    k = 0
    if match[3] is not None:
        if match[1] not in COUNTED_REGIONS or match[3] not in ("1", "2"):
            raise ClaimError(f"{match[1]} takes no number {match[3]}", at + match.start(3) + 1)
        k = int(match[3])
    return Region(match[1], _name(match[2], at + match.start(2)), k)


def _parse_term(text: str, at: int) -> Term:
    """Peel the functions off from the outside, then put them back round the name."""
    functions: list[str] = []
    start = 0
    while match := _OPEN.match(text, start):
        if match[1] not in FUNCTIONS:
            raise ClaimError(f"{match[1]!r} is no function", at + start + 1)
        if len(functions) == _DEEPEST:
            raise ClaimError(f"more than {_DEEPEST} functions in one another", at + start + 1)
        functions.append(match[1])
        start = match.end()
    end = start
    while end < len(text) and text[end] not in ",)":
        end += 1
    term: Term = _name(text[start:end], at + start)
    for function in reversed(functions):
        match = _CLOSE.match(text, end)
        if match is None:
            raise ClaimError("')' was expected", at + end + 1)
        k = 1
        if match[1] is not None:
            if function not in COUNTED_FUNCTIONS or match[1] not in ("2", "3", "4", "5"):
                raise ClaimError(f"{function} takes no number {match[1]}", at + match.start(1) + 1)
            k = int(match[1])
        term, end = Apply(function, term, k), match.end()
    if end != len(text):
        raise ClaimError(f"{text[end:]!r} is too much", at + end + 1)
    return term


def _name(text: str, at: int) -> str:
    if not _WHOLE_NAME.fullmatch(text) or text != " ".join(text.split()):
        raise ClaimError(f"{text!r} cannot be a name", at + 1)
    return text


def _format_term(term: Term) -> str:
    if isinstance(term, str):
        return term
    opening, closing = "", ""
    while isinstance(term, Apply):
        opening += f"{term.function}("
        closing = (")" if term.k == 1 else f", {term.k})") + closing
        term = term.argument
    return opening + term + closing


def _format_region(region: Region) -> str:
    return f"{region.name}({region.of})" if region.k == 0 else f"{region.name}({region.of}, {region.k})"


assert get_args(AttributeName) == tuple(ATTRIBUTE_VALUES)
