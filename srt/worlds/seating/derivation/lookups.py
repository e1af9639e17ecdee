"""A finer cut of the same derivation: each lookup's key is written out right before what is looked up.

"One step is one lookup" leaves a small model two things to find at once where a step names a seat: who sits where,
and which seat lies across from it. Restated, the step says both, one after the other; the step that names who fills
the blank repeats the seat, and the step that picks options cites the names::

    INFER scene #4 #6: ?@N1            ->  INFER scene #4 #6: Mary@S2 & ?@N1
    INFER scene #4 #6: ? = none        ->  INFER scene #4 #6: Mary@S2 & ? = none
    INFER #5 #7: ? = James             ->  INFER #4 #5 #7: ?@N1 & ? = James
    INFER A B C D #8: options = {C}    ->  INFER A B C D #5 #8 James: options = {C}

Anchored, a step that seats somebody by a clue repeats the seat of the other one in the clue as well, a step that takes
a function off the question repeats both seats, and the step that names who fills the blank says their seat first::

    CONSTRAIN scene #2 #4: Fay@N1         ->  CONSTRAIN scene #2 #4: Cal@S1 & Fay@N1
    INFER scene #3 #6: ? = across(Eve)    ->  INFER scene #3 #6: Fay@N1 & Eve@N2 & ? = across(Eve)
    INFER #5 #7: ? = James                ->  INFER #4 #5 #7: James@N1 & ? = James

Scanned, a step that finds somebody by their seat goes through the plan up to that seat. A plan says where somebody
sits; to find who sits somewhere is the other way round, and a model that has only the former learns it late::

    INFER #5 #7: ? = Bob    ->  INFER #5 #7: ?@N1 & Ann@S1 & Dee@S2 & Bob@N1 & ? = Bob    (#5: Ann@S1 & Dee@S2 & ...)

Lettered, the last step goes through the options as well. Each letter is a question with the answer right after it: the
option's name, if it fills the blank. Without, the letters are one token that must be known all at once::

    INFER A B C D #5 #8 James: options = {C}    ->  INFER #5 #8 A B C James D: options = {C}

A restated trace stays proved: what is repeated is cited. The others may not: a later step may get two premises that say
the same, one of them idle. So :data:`CUTS` lists for each text style the cuts to try, the finest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from srt.io.errors import UserError
from srt.language.premises import entity_word, parse_premise
from srt.language.trace import Step, Trace
from srt.worlds.seating.claim_language import (
    BLANK,
    Claim,
    ClaimError,
    Equal,
    Nobody,
    Place,
    RightOptions,
    atom_names,
    format_claim,
    names_of,
    parse_claim,
)

_NOBODY: Claim = ((Nobody(),),)


class Cut(NamedTuple):
    """What a cut writes out beside the keys of lookups: seats that steps rest on, the plan, the options."""

    anchors: bool = False
    scans: bool = False
    letters: bool = False


RESTATED = Cut()
ANCHORED = Cut(anchors=True)
SCANNED = Cut(anchors=True, scans=True)
LETTERED = Cut(anchors=True, scans=True, letters=True)
CUTS: Mapping[str, tuple[Cut, ...]] = {"anchored": (ANCHORED, RESTATED), "lettered": (LETTERED, SCANNED, RESTATED)}
"""How a trace is cut in each text style: as in the first of these that leaves it proved."""


def spell_out_lookups(trace: Trace, cut: Cut, options: Mapping[str, str | None]) -> Trace:
    """``trace``, a proved trace of this world, with its lookups written out; what does not fit the pattern is kept.

    What is written out already is not repeated, so that a trace that a model wrote in a style may be cut again.
    ``options`` are those of its problem, from letters to names.

    Raises:
        UserError: a claim cannot be read, or a step cites one that does not come before it.
    """
    claims = claims_of(trace)
    for number, step in enumerate(trace.steps, 1):
        if later := [cited for cited in _cited(step) if not 0 < cited < number]:
            raise UserError(f"trace {trace.id}: steps.{number}: args: '#{later[0]}' is not a step before this one")
    steps: list[Step] = []
    for step, claim in zip(trace.steps, claims, strict=True):
        cited = _cited(step)
        if (_is_blank_places(claim) or claim == _NOBODY) and "scene" in step.args:
            steps.append(_with_known_seats(_citing_repeated_seats(step, cited, claims, steps), claim, cited, claims))
        elif _is_blank_names(claim) and any(_is_blank_places(claims[number - 1]) for number in cited):
            steps.append(_with_blank_seats(step, claim, cited, claims, steps, cut))
        elif isinstance(claim[0][0], RightOptions):
            named = _with_names(step, cited, claims, steps)
            steps.append(_going_through(options, named) if cut.letters else named)
        elif cut.anchors and BLANK in names_of(claim) and step.op == "INFER":
            citing = _citing_repeated_seats(step, cited, claims, steps)
            steps.append(_with_seats_of_all(citing, claim, cited, claims) if "scene" in step.args else citing)
        elif cut.anchors and _is_places(claim) and "scene" in step.args:
            steps.append(_with_anchors(step, claim, cited, claims))
        else:
            steps.append(step)
    return trace.model_copy(update={"steps": tuple(_without_repeated_premises(steps) if cut.anchors else steps)})


def claims_of(trace: Trace) -> list[Claim]:
    """The claims of its steps; raises a :class:`UserError` for one that cannot be read."""
    claims = []
    for number, step in enumerate(trace.steps, 1):
        try:
            claims.append(parse_claim(step.claim or ""))
        except ClaimError as error:
            raise UserError(f"trace {trace.id}: steps.{number}: claim: {error}") from None
    return claims


def _with_known_seats(step: Step, claim: Claim, cited: Sequence[int], claims: Sequence[Claim]) -> Step:
    """``?@N1``, or ``? = none``, after the seats of those that the cited question names."""
    asked = {name for number in cited for name in _names_with_blank(claims[number - 1])}
    known = [atom for atom in _sure_places(cited, claims) if atom.name in asked]
    return _claiming(step, _after(known, claim))


def _with_anchors(step: Step, claim: Claim, cited: Sequence[int], claims: Sequence[Claim]) -> Step:
    """``James@N1`` after the known seats of the others named in the cited clue."""
    seated = {atom.name for alternative in claim for atom in alternative if isinstance(atom, Place)}
    clues = [claims[number - 1] for number in cited if not _is_places(claims[number - 1])]
    named = {name for clue in clues for name in names_of(clue)} - seated
    known = [atom for atom in _sure_places(cited, claims) if atom.name in named]
    return _claiming(step, _after(known, claim))


def _with_seats_of_all(step: Step, claim: Claim, cited: Sequence[int], claims: Sequence[Claim]) -> Step:
    """``? = across(Eve)`` after the seats of both people in the lookup: first of the one named in the question."""
    questions = [_names_with_blank(claims[number - 1]) for number in cited]
    named = dict.fromkeys(name for names in (*questions, names_of(claim)) for name in names)
    seats = {atom.name: atom for atom in _sure_places(cited, claims)}
    known = [seats[name] for name in named if name in seats]
    return _claiming(step, _after(known, claim))


def _without_repeated_premises(steps: Sequence[Step]) -> Iterator[Step]:
    """``steps`` without the citations of seats that other cited steps repeat: nothing depends on them any more.

    An ``INFER`` depends on the seats of the people it names, any other step on all seats that it cites.
    """
    claims = [parse_claim(step.claim or "") for step in steps]
    for step, claim in zip(steps, claims, strict=True):
        cited = [number for number in _cited(step) if _is_places(claims[number - 1]) and len(claims[number - 1]) == 1]
        seats = {number: set(_sure_places([number], claims)) for number in cited}
        if step.op == "INFER":
            others = (name for number in _cited(step) if number not in seats for name in names_of(claims[number - 1]))
            about = {*step.args, *map(entity_word, names_of(claim)), *map(entity_word, others)}
            seats = {n: {atom for atom in atoms if entity_word(atom.name) in about} for n, atoms in seats.items()}
        for number in cited:
            if seats[number] <= set[Place]().union(*(atoms for other, atoms in seats.items() if other != number)):
                del seats[number]
        dropped = {f"#{number}" for number in cited if number not in seats}
        yield step.model_copy(update={"args": tuple(word for word in step.args if word not in dropped)})


def _with_blank_seats(
    step: Step,
    claim: Claim,
    cited: Sequence[int],
    claims: Sequence[Claim],
    restated: Sequence[Step],
    cut: Cut,
) -> Step:
    """``? = James`` after ``?@N1``, citing too the step that says a seat which the asking step repeats.

    Anchored, and if one alone fills the blank, after ``James@N1``: the seat and who sits there in one token. Finer,
    and if the seats of all who fill the blank are known, after the seats up to that of James.
    """
    seats = {atom.name: atom.seat for atom in _sure_places(cited, claims)}
    named = [
        atoms[0].right if isinstance(atoms[0], Equal) and isinstance(atoms[0].right, str) else BLANK for atoms in claim
    ]
    scans = cut.scans and seats.keys() >= set(named)
    alternatives = []
    for name, alternative in zip(named, claim, strict=True):
        seat = seats.get(name)
        sitter = name if cut.anchors and not cut.scans and len(claim) == 1 else BLANK
        passed = seats_until(name, seats) if scans else []
        alternatives.append((Place(sitter, seat), *passed, *alternative) if seat else alternative)
    return _claiming(_citing_repeated_seats(step, cited, claims, restated), tuple(alternatives))


def seats_until(name: str, seats: Mapping[str, str]) -> list[Place]:
    """What ``seats`` says of each name, in its order and up to ``name``."""
    names = list(seats)
    return [Place(passed, seats[passed]) for passed in names[: names.index(name) + 1]]


def _citing_repeated_seats(step: Step, cited: Sequence[int], claims: Sequence[Claim], restated: Sequence[Step]) -> Step:
    """``step``, citing too the steps that say the seats which a cited claim about the blank repeats."""
    sources = {word for word in step.args if word.startswith("#")}
    for asked in (number for number in cited if BLANK in names_of(claims[number - 1])):
        repeated = {atom for atom in parse_claim(restated[asked - 1].claim or "")[0] if isinstance(atom, Place)}
        places = (number for number in _cited(restated[asked - 1]) if _is_places(claims[number - 1]))
        sources |= {f"#{number}" for number in places if repeated.intersection(_sure_places([number], claims))}
    words = (word for word in step.args if not word.startswith("#"))
    return step.model_copy(update={"args": (*words, *sorted(sources, key=_number))})


def _with_names(step: Step, cited: Sequence[int], claims: Sequence[Claim], restated: Sequence[Step]) -> Step:
    """``options = {..}`` after the names that fill the blank, and the steps that say where these sit."""
    names = dict.fromkeys(name for number in cited for name in _filling(claims[number - 1]))
    letters = [word for word in step.args if parse_premise(word).kind not in ("step", "entity")]
    steps = {word for word in step.args if word.startswith("#")}
    for number in (number for number in cited if _filling(claims[number - 1])):
        if any(len(alternative) > 1 for alternative in parse_claim(restated[number - 1].claim or "")):
            steps |= {
                f"#{place}"
                for place in _cited(restated[number - 1])
                if any(atom.name in names for atom in _sure_places([place], claims))
            }
    args = (*letters, *sorted(steps, key=_number), *map(entity_word, names))
    return step.model_copy(update={"args": args})


def _going_through(options: Mapping[str, str | None], step: Step) -> Step:
    """``A B C D #5 #8 James`` as ``#5 #8 A B C James D`` where James is option C; the letters in their order."""
    name_of = {letter: entity_word(name) for letter, name in options.items() if name is not None}
    kinds = [(parse_premise(word).kind, word) for word in step.args]
    named = {word for kind, word in kinds if kind == "entity"}
    letters = sorted(word for kind, word in kinds if kind == "option")
    walk = [word for letter in letters for word in (letter, name_of.get(letter)) if word == letter or word in named]
    args = (*(word for kind, word in kinds if kind not in ("entity", "option")), *walk)
    return step.model_copy(update={"args": args})


def _names_with_blank(claim: Claim) -> list[str]:
    """The names that ``claim`` relates to the blank, and the blank; not those whose seats it repeats."""
    return [name for atoms in claim for atom in atoms if BLANK in atom_names(atom) for name in atom_names(atom)]


def _filling(claim: Claim) -> list[str]:
    """Who fills the blank by ``claim``, in any of its ways."""
    equal = (atom for alternative in claim for atom in alternative if isinstance(atom, Equal) and not atom.negated)
    return [atom.right for atom in equal if atom.left == BLANK and isinstance(atom.right, str)]


def _after(known: Sequence[Place], claim: Claim) -> Claim:
    """Each way of ``claim`` after the seats of ``known`` that it does not say itself."""
    return tuple((*(atom for atom in known if atom not in alternative), *alternative) for alternative in claim)


def _claiming(step: Step, claim: Claim) -> Step:
    return step.model_copy(update={"claim": format_claim(claim)})


def _sure_places(cited: Sequence[int], claims: Sequence[Claim]) -> list[Place]:
    """The seats of named entities that the cited claims tell without an alternative."""
    return [
        atom
        for number in cited
        if len(claims[number - 1]) == 1
        for atom in claims[number - 1][0]
        if isinstance(atom, Place) and atom.name != BLANK
    ]


def _is_places(claim: Claim) -> bool:
    return all(isinstance(atom, Place) and atom.name != BLANK for alternative in claim for atom in alternative)


def _is_blank_places(claim: Claim) -> bool:
    atoms = [atom for alternative in claim for atom in alternative]
    return len(atoms) == len(claim) and all(isinstance(atom, Place) and atom.name == BLANK for atom in atoms)


def _is_blank_names(claim: Claim) -> bool:
    return all(
        len(alternative) == 1
        and isinstance(alternative[0], Equal)
        and alternative[0].left == BLANK
        and isinstance(alternative[0].right, str)
        and not alternative[0].negated
        for alternative in claim
    )


def _cited(step: Step) -> list[int]:
    return [_number(word) for word in step.args if word.startswith("#")]


def _number(word: str) -> int:
    """The number of a cited step; 0 for every other premise, so that these come first."""
    return int(word[1:]) if word.startswith("#") else 0
