"""From the text of a claim straight to the sets of placements in which it holds.

A claim is first masked: each entity becomes one private character, so that ``right(Ann) = Bob`` and
``right(Cal) = Dan`` of two problems can be the same text, which is compiled once and cached. A claim with
the blank is compiled once for each entity in its place. Any text that is not a claim of the scene's
language compiles to ``None``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from srt.worlds.seating.checker.arrangements import Arrangements, Pairs
from srt.worlds.seating.checker.plans import Compass, Function, Kind, plan

TOKENS = "\ue000\ue001\ue002\ue003\ue004\ue005"
"""What the entities of a problem become, in the order in which it lists them."""
BLANK = "?"
NONE = "none"
"""What stands for nobody: ``? = none``."""
_NONE = f"{BLANK} = {NONE}"

LONGEST_CLAIM = 2_000
"""In characters: what is longer is no claim."""
_MOST_KEPT = 4096
"""Of each scene: its atoms are about 2,500, and claims of several atoms seldom come again."""

# Where names stand in a claim as it is written. A name may be two words, "E", or even "tier": what stands around it
# tells it from a word of the language.
_TRAIT = "faces|tier|column"
_VALUE = "[A-Z0-9]+"
_ANY_NAME = r"\?|[^@=!&|,(){}? ][^@=!&|,(){}?]*?"
_NAME_BEGINS = r"(?<![^( ])(?<!, )"
"""At the start, after a bracket or a space; but after a comma there is a number: ``right(Ann, 2)``."""
_ATOM_ENDS = r" & | \| |\Z"
_NAME_ENDS = rf" (?:not)?in [a-z_]+\(|@| !?= (?!\{{)|[),]|{_ATOM_ENDS}"
"""``options`` of ``options = {A}`` is no name."""
_NAME_PLACE = re.compile(
    rf"{_NAME_BEGINS}(?:"
    # A trait is taken whole, so that the value of ``faces(Ann) = E`` is not masked where somebody is called E.
    rf"(?P<trait>(?:{_TRAIT})\()(?P<owner>{_ANY_NAME})(?P<value>\) = {_VALUE})(?={_ATOM_ENDS})"
    rf"|(?P<name>{_ANY_NAME})(?={_NAME_ENDS}))"
)

# The five kinds of atom in a masked claim: ``Ann@S1``, ``faces(Ann) = N``, ``Ann in beside(Bob)``, ``meet(beside(Ann),
# beside(Bob))``, ``right(Ann) = Bob``. No text is of two kinds.
_NAME = f"[{TOKENS}]"
_REGION = rf"[a-z_]+\({_NAME}(?:, [12])?\)"
_CALLS, _CLOSED = r"(?:[a-z_]+\()*", r"(?:(?:, [2-5])?\))*"
_TERM = f"{_CALLS}{_NAME}{_CLOSED}"
_SEAT_ATOM = re.compile(rf"(?P<sitter>{_NAME})@(?P<seat>{_VALUE})")
_TRAIT_ATOM = re.compile(rf"(?P<trait>{_TRAIT})\((?P<owner>{_NAME})\) = (?P<value>{_VALUE})")
_REGION_ATOM = re.compile(rf"(?P<member>{_NAME}) (?P<how>in|notin) (?P<region>{_REGION})")
_MEETING_ATOM = re.compile(rf"meet\((?P<first>{_REGION}), (?P<second>{_REGION})\)")
_EQUATION_ATOM = re.compile(rf"(?P<left>{_TERM}) (?P<sign>!?=) (?P<right>{_TERM})")
_REGION_PARTS = re.compile(rf"(?P<region>[a-z_]+)\((?P<centre>{_NAME})(?P<number>, [12])?\)")
# ``right(Ann`` passes: a pattern cannot count brackets, so that ``parts_of_term`` does.
_TERM_PARTS = re.compile(f"(?P<calls>{_CALLS})(?P<argument>{_NAME})(?P<closed>{_CLOSED})")

# What is said of the blank, and of all options.
_FILLER = re.compile(rf"\{BLANK} = {_NAME}|{_NAME} = \{BLANK}")
_NOBODY = re.compile(rf"(?:{_NAME}@{_VALUE} & )*{re.escape(_NONE)}")
"""That nobody fills the blank, maybe after the seats of some."""
_OPTIONS = re.compile(r"options = \{([A-Z](?:, [A-Z])*)?\}")

_VALUES = {"faces": ("N", "NE", "E", "SE", "S", "SW", "W", "NW"), "tier": ("1", "2", "3"), "column": ("E", "W")}

Block = tuple[int, int]
"""Where an atom or an alternative holds: a mask of places and a mask of relations, both to be met."""


class Ground:
    """Where a claim without blank holds: ``tied`` with the plan of the seats, ``loose`` without it."""

    def __init__(self, world: Arrangements, blocks: tuple[Block, ...]) -> None:
        self._world = world
        self._blocks = blocks
        # With the plan, the placement that seats people is the one that relates them: a block is one set. Without it,
        # each block stays a pair of sets, and their union is no longer a pair.
        self.tied = 0
        for seats, relations in blocks:
            self.tied |= seats & relations

    @cached_property
    def loose(self) -> Pairs:
        """Where it holds without the plan of the seats."""
        if not self._blocks:
            return self._world.block(0, 0)
        first, *others = (self._world.block(seats, relations) for seats, relations in self._blocks)
        for other in others:
            first = first | other
        return first


@dataclass(frozen=True, slots=True)
class ClaimForm:
    """What a claim is made of, read off its text: how much one inference may use is counted on this.

    ``places``: it names a seat; ``seats_blank``: that of the blank (``?@S1``). ``relations``: how many of its atoms
    relate people to each other, or say which way somebody faces or on which tier or in which column it stands.
    ``names_fillers``: it says by name who fills the blank (``? = Ann | ? = Bob``), or that nobody does; then ``nobody``
    is set, too. ``names_somebody``: some alternative of it does so by name. ``tokens`` are the entities that it names,
    ``seated`` those that it puts on a seat. ``seats`` are the atoms that hold in all its alternatives and seat somebody
    (``Ann@S1``), ``seats_anywhere`` those in any alternative, and ``seats_repeated`` those that it takes for granted:
    ``Ann@S1`` of ``?@S1 & ? = Ann``, and of ``Ann@S1 & ?@S2``.
    """

    places: bool = False
    seats_blank: bool = False
    relations: int = 0
    names_fillers: bool = False
    names_somebody: bool = False
    nobody: bool = False
    tokens: frozenset[str] = frozenset()
    seated: frozenset[str] = frozenset()
    seats: frozenset[str] = frozenset()
    seats_repeated: frozenset[str] = frozenset()
    seats_anywhere: frozenset[str] = frozenset()


class Meaning:
    """What a claim says: of named entities (one part), of the blank (a part for each entity), or of the options.

    ``letters`` is set for ``options = {..}``, which has no parts and whose text is left out. ``of_others`` is what a
    claim about the blank says without it: ``Bob@S2`` of ``Bob@S2 & ?@S1``, ``right(Ann) = Bob`` of ``right(Ann) = Bob &
    ? = left(Ann)``. It must hold, too: that nobody fills the blank would else be as true with a wrong seat.
    """

    def __init__(
        self,
        parts: tuple[Ground, ...],
        masked: str = "",
        *,
        blank: bool,
        letters: frozenset[str] | None = None,
        of_others: Meaning | None = None,
    ) -> None:
        self.blank = blank
        self.letters = letters
        self.of_others = of_others
        self.masked = masked
        self._parts = parts
        self.tied = tuple([part.tied for part in parts])

    @cached_property
    def form(self) -> ClaimForm:
        """What its text is made of."""
        return _form(self.masked)

    @cached_property
    def loose(self) -> tuple[Pairs, ...]:
        """The parts without the plan of the seats; ``tied`` has them with it."""
        return tuple(part.loose for part in self._parts)

    def same(self, other: Meaning) -> bool:
        """Whether both say the same, with the plan of the seats or without it."""
        if self.letters is not None or other.letters is not None:
            return self.letters == other.letters
        mine, theirs = self.of_others, other.of_others
        if (mine is None) != (theirs is None) or (mine is not None and theirs is not None and not mine.same(theirs)):
            return False
        return self.blank == other.blank and self.loose == other.loose


class Language:
    """The claims of one scene."""

    def __init__(self, world: Arrangements) -> None:
        self.world = world
        self._seats = {name: number for number, name in enumerate(world.plan.seats)}
        self._stranger = re.compile(f"[{TOKENS[len(self._seats) :]}\ue006]")
        self.meaning = lru_cache(maxsize=_MOST_KEPT)(self._compile)
        """What a masked claim says, ``None`` if it is no claim of this scene."""
        self._ground = lru_cache(maxsize=_MOST_KEPT)(self._compile_ground)
        self.block = lru_cache(maxsize=_MOST_KEPT)(self._compile_atom)
        """Where a masked atom without blank holds, ``None`` if it is none of this scene."""

    def _compile(self, masked: str) -> Meaning | None:
        if options := _OPTIONS.fullmatch(masked):
            listed = options[1].split(", ") if options[1] else []
            if listed != sorted(set(listed)):
                return None
            return Meaning((), blank=True, letters=frozenset(listed))
        entities = TOKENS[: len(self._seats)]
        # That nobody fills the blank is a claim about it that holds for no entity: each has an empty part.
        if _NOBODY.fullmatch(masked):
            of_others = self._of_others(masked)
            if of_others is None and masked != _NONE:
                return None
            return Meaning((Ground(self.world, ()),) * len(entities), masked, blank=True, of_others=of_others)
        if BLANK not in masked:
            # Not from the cache of ground claims: this result is kept by ``meaning``, and would push out others.
            ground = self._compile_ground(masked)
            return None if ground is None else Meaning((ground,), masked, blank=False)
        parts: list[Ground] = []
        for token in entities:
            part = self._ground(masked.replace(BLANK, token))
            if part is None:
                return None
            parts.append(part)
        return Meaning(tuple(parts), masked, blank=True, of_others=self._of_others(masked))

    def _of_others(self, masked: str) -> Meaning | None:
        """What a claim about the blank says without it; ``None`` where that is nothing, or always holds."""
        alternatives = (alternative.split(" & ") for alternative in masked.split(" | "))
        left = [" & ".join([atom for atom in atoms if BLANK not in atom]) for atoms in alternatives]
        # ``Bob@S2 & ?@S1 | ?@N1`` may hold by its second half alone, which says nothing of Bob.
        said = self.meaning(" | ".join(dict.fromkeys(left))) if all(left) else None
        return None if said is None or said.loose == (self.world.loose_full,) else said

    def _compile_ground(self, masked: str) -> Ground | None:
        blocks = [self._alternative(alternative) for alternative in masked.split(" | ")]
        # One alternative that is not understood makes the claim none: left out, it would change what the rest says.
        whole = tuple([block for block in blocks if block is not None])
        return Ground(self.world, whole) if len(whole) == len(blocks) else None

    def _alternative(self, text: str) -> Block | None:
        seats = relations = self.world.full
        for atom in text.split(" & "):
            block = self.block(atom)
            if block is None:
                return None
            seats, relations = seats & block[0], relations & block[1]
        return seats, relations

    def _compile_atom(self, text: str) -> Block | None:
        if self._stranger.search(text):
            return None
        # A seat or a trait constrains the places and leaves the relations open; between people it is the other way
        # round. Only the plan of the seats (the premise ``scene``) ties one to the other.
        full = self.world.full
        if match := _SEAT_ATOM.fullmatch(text):
            seat = self._seats.get(match["seat"])
            return None if seat is None else (self.world.at[TOKENS.index(match["sitter"])][seat], full)
        if match := _TRAIT_ATOM.fullmatch(text):
            places = self._trait(match["trait"], TOKENS.index(match["owner"]), match["value"])
            return None if places is None else (places, full)
        if match := _REGION_ATOM.fullmatch(text):
            relations = self._inside(TOKENS.index(match["member"]), match["how"], match["region"])
        elif match := _MEETING_ATOM.fullmatch(text):
            relations = self._meeting(match["first"], match["second"])
        elif match := _EQUATION_ATOM.fullmatch(text):
            return self._equation(match["left"], match["sign"], match["right"])
        else:
            return None
        return None if relations is None else (full, relations)

    def _trait(self, trait: str, owner: int, value: str) -> int | None:
        plan = self.world.plan
        values = {"faces": plan.faces, "tier": plan.tiers, "column": plan.columns}[trait]
        if not values or value not in _VALUES[trait]:
            return None
        return self._any(owner, (seat for seat, has in enumerate(values) if has == value))

    def _inside(self, member: int, how: str, region: str) -> int | None:
        around = self._around(region)
        if around is None:
            return None
        inside, away = 0, 0
        for seat, seats in enumerate(around[1]):
            at_seat = self.world.at[around[0]][seat]
            reached = self._any(member, seats)
            inside |= at_seat & reached
            # ``Ann notin beside(Ann)`` is false, as ``in`` is: a clue "X is not beside Ann" is about somebody else.
            away |= at_seat & ~(reached | self.world.at[member][seat])
        return inside if how == "in" else away

    def _meeting(self, first: str, second: str) -> int | None:
        one, other = self._around(first), self._around(second)
        if one is None or other is None:
            return None
        found = 0
        # Two regions meet if they share a seat, no matter who sits there.
        for seat, seats in enumerate(one[1]):
            if seats:
                meeting = self._any(other[0], (n for n, others in enumerate(other[1]) if seats & others))
                found |= self.world.at[one[0]][seat] & meeting
        return found

    def _equation(self, left: str, sign: str, right: str) -> Block | None:
        one, other = self._term(left), self._term(right)
        if one is None or other is None:
            return None
        full = self.world.full
        equal = known_one = known_other = 0
        for at_one, at_other in zip(one[1], other[1], strict=True):
            equal |= at_one & at_other
            known_one |= at_one
            known_other |= at_other
        # Where a function leads nowhere (nobody is left of S1), neither ``=`` nor ``!=`` holds.
        if sign == "=":
            found = equal
        elif {one[2], other[2]} == {0, 1} and one[0] == other[0]:
            found = 0  # across(Mary) != Mary: the blank of "who does not face Mary" is not Mary herself
        else:
            found = known_one & known_other & ~equal
        # ``Ann = Bob`` has no function: it needs no plan to be false, in the places as in the relations.
        return (found, found) if one[2] == other[2] == 0 else (full, found)

    def _around(self, text: str) -> tuple[int, tuple[frozenset[int], ...]] | None:
        """The entity of a region's text, and the region around each seat."""
        match = _REGION_PARTS.fullmatch(text)
        region = self.world.plan.regions.get((match["region"], match["number"] or "")) if match else None
        return (TOKENS.index(match["centre"]), region) if match and region else None

    def _term(self, text: str) -> tuple[int, list[int], int] | None:
        """The entity of a term, for each seat where the one that the term names sits there, and how deep it is."""
        parts = parts_of_term(text)
        if parts is None:
            return None
        functions, argument, numbers = parts
        entity = TOKENS.index(argument)
        reached: Function = tuple(range(len(self._seats)))
        for name, number in zip(reversed(functions), numbers, strict=True):  # The innermost is applied first.
            function = self.world.plan.functions.get((name, number))
            if function is None:
                return None
            reached = tuple(None if seat is None else function[seat] for seat in reached)
        where = [self._any(entity, (s for s, r in enumerate(reached) if r == seat)) for seat in range(len(reached))]
        return entity, where, len(functions)

    def _any(self, entity: int, seats: Iterable[int]) -> int:
        found = 0
        for seat in seats:
            found |= self.world.at[entity][seat]
        return found


def _form(masked: str) -> ClaimForm:
    """The form of a masked claim that has a meaning in its scene; of an empty text, that of ``options``."""
    if not masked:
        return ClaimForm()
    nobody = masked.endswith(_NONE)
    alternatives = [alternative.split(" & ") for alternative in masked.split(" | ")]
    atoms = [atom for alternative in alternatives for atom in alternative]
    seating = [[atom for atom in alternative if seats_somebody(atom)] for alternative in alternatives]
    anywhere = frozenset(atom for seats in seating for atom in seats)
    sure = frozenset.intersection(*map(frozenset, seating))
    return ClaimForm(
        places="@" in masked,
        seats_blank=f"{BLANK}@" in masked,
        relations=sum(map(relates, atoms)),
        names_fillers=nobody or all(any(map(filler_of, alternative)) for alternative in alternatives),
        names_somebody=any(map(filler_of, atoms)),
        nobody=nobody,
        tokens=frozenset(masked) & frozenset(TOKENS),
        seated=frozenset(atom[0] for atom in anywhere),
        seats=sure,
        seats_repeated=frozenset(sure if BLANK in masked else ()).union(*map(_seats_of_fillers, alternatives)),
        seats_anywhere=anywhere,
    )


def parts_of_term(term: str) -> tuple[list[str], str, list[str]] | None:
    """The functions of a masked term from the outermost, whose argument it is, and their numbers from the innermost.

    ``right(left(Ann, 2))`` has ``right`` and ``left``, Ann, and ``, 2`` and the empty text; ``None`` for another text.
    """
    match = _TERM_PARTS.fullmatch(term.replace(BLANK, TOKENS[0]))
    if match is None:
        return None
    functions, numbers = match["calls"].split("(")[:-1], match["closed"].split(")")[:-1]
    argument = BLANK if BLANK in term else match["argument"]
    return (functions, argument, numbers) if len(functions) == len(numbers) else None


def relates(atom: str) -> bool:
    """Whether a masked atom counts as a relation: it seats nobody, and does not say by name who fills the blank."""
    return not ("@" in atom or filler_of(atom) or atom == _NONE)


def filler_of(atom: str) -> str | None:
    """Who fills the blank by a masked atom: ``Ann`` of ``? = Ann`` and of ``Ann = ?``; ``None`` for any other atom."""
    return atom.strip(f"{BLANK} =") if _FILLER.fullmatch(atom) else None


def seats_somebody(atom: str) -> bool:
    """Whether a masked atom puts a named entity on a seat."""
    return "@" in atom and BLANK not in atom


def _seats_of_fillers(atoms: list[str]) -> set[str]:
    """``Ann@S1`` of the atoms ``?@S1`` and ``? = Ann``."""
    seats = [atom[1:] for atom in atoms if atom.startswith(f"{BLANK}@")]
    fillers = filter(None, map(filler_of, atoms))
    return {filler + seat for filler in fillers for seat in seats}


@cache
def language(kind: Kind, compass: Compass) -> Language:
    """The claim language of a scene."""
    return Language(Arrangements(plan(kind, compass)))


def mask_claim(claim: str, tokens: Mapping[str, str]) -> str:
    """``claim`` with each entity of ``tokens`` replaced by its token where a claim may hold a name.

    What is too long for a claim, or holds a token already, becomes the empty text, which is no claim.
    """
    # Tokens are private characters, which are not printable: a claim that holds one could name somebody in disguise.
    if len(claim) > LONGEST_CLAIM or not claim.isprintable():
        return ""

    def masked(match: re.Match[str]) -> str:
        name = match["owner"] or match["name"]
        return f"{match['trait'] or ''}{tokens.get(name, name)}{match['value'] or ''}"

    return _NAME_PLACE.sub(masked, claim)
