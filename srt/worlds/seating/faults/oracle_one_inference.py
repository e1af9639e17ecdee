"""The oracle's own reading of the rule that a step is one inference (``docs/seating.md``, "One inference a step").

It goes by the parsed claims and shares nothing with the checker's rule, which counts on their text.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from srt.language.premises import Premise
from srt.worlds.seating.claim_language import (
    BLANK,
    Apply,
    Atom,
    Claim,
    Equal,
    Nobody,
    Place,
    RightOptions,
    atom_names,
    innermost_call,
    names_of,
)
from srt.worlds.seating.faults.oracle_lookup_or_substitution import (
    holds_for_nobody,
    is_filler,
    is_new_relation,
    is_put_together,
    looks_up_several,
    may_not_fill,
    most_relations,
    relates,
    relates_people,
)


@dataclass(frozen=True)
class CitedClaim:
    """What a step cites: ``word`` is the premise, ``reading`` whether it is the faithful reading of a clue."""

    word: str
    claim: Claim
    reading: bool

    @property
    def relations(self) -> int:
        """How many relations it holds; what one clue says counts once."""
        count = sum(map(relates, _atoms(self.claim)))
        return min(count, 1) if self.reading else count


def too_much_at_once(
    claim: Claim,
    words: Sequence[Premise],
    cited: Sequence[CitedClaim],
    reached: Callable[[Claim], bool],
    alike: Callable[[Claim, Claim], bool],
    implies: Callable[[Claim, Claim], bool],
    surely: Callable[[Claim], bool],
) -> str:
    """What makes several inferences of a step that follows; empty where it is one.

    ``reached`` says whether a claim without ``?`` can hold together with the cited claims without ``?``, and ``surely``
    whether it holds wherever they do; ``alike`` whether two claims about the blank name the same entities, whoever sits
    where; and ``implies`` whether the second of two claims without ``?`` holds wherever the first does.
    """
    kinds = {word.kind for word in words}
    if kinds & {"given", "question"}:
        return "cites a clue or the question and is no reading"
    scene = bool(kinds & {"scene", "wlog"})
    relations = sum(one.relations for one in cited)
    if isinstance(claim[0][0], RightOptions):
        if any(isinstance(one.claim[0][0], RightOptions) for one in cited):
            return ""
        naming = [one.claim for one in cited if _names_fillers(one.claim)]
        if scene or relations or not naming or any(may_not_fill(one, surely) for one in naming if not _is_nobody(one)):
            return "decides the options before the blank is filled"
        return ""
    if any(isinstance(one.claim[0][0], RightOptions) for one in cited):
        return "derives something from which options are right"
    if relations > (1 if scene else 2):
        return f"uses {relations} relations"
    about_blank = BLANK in names_of(claim)
    related = [one.claim for one in cited if relates_people(one.claim)]
    finds = relates_people(claim) or _is_nobody(claim) or any(map(is_filler, _atoms(claim)))
    if related and not scene and finds and not is_put_together(claim, related, implies):
        return "finds a relation without the plan of the seats"
    if related and not scene and not finds and any(BLANK in names_of(one.claim) for one in cited):
        return "finds a place without the plan of the seats"
    if scene and about_blank and any(BLANK not in names_of(one) for one in related):
        return "takes the blank from a relation of others"
    if scene and not about_blank and relates_people(claim):
        if related or "wlog" in kinds:
            return "seats somebody and looks somebody up"
        if most_relations(claim) > 1 or looks_up_several(claim):
            return "looks up several functions at once"
    spoken_of = {name for one in cited for name in names_of(one.claim)} - {BLANK}
    lists = [
        one
        for one in cited
        if BLANK not in names_of(one.claim)
        and (len(one.claim) > 1 or (one.relations and not scene and not relates_people(one.claim)))
    ]
    only_joins = not (scene or related or about_blank or any(map(relates, _atoms(claim))))
    if len(lists) > (2 if only_joins else 1):
        return f"cites {len(lists)} lists of alternatives"
    if len(lists) > 1 and set(names_of(claim)) - spoken_of:
        return "joins two lists and names who is left over"
    left_over = set(names_of(claim)) - spoken_of - {BLANK}
    looks_up = scene and (speaks_of_seats(claim) or any(map(relates, _atoms(claim))))
    chosen = 1 if "wlog" in kinds and not cited else 0
    if looks_up and len(left_over) > chosen:
        return "names somebody who is left over besides"
    if not looks_up and about_blank and not relations and len(left_over) == 1:
        return "names somebody who is left over"
    spoken_by_relations = {name for one in cited if one.relations for name in names_of(one.claim)}
    if scene and relations and not about_blank and not set(names_of(claim)) & spoken_by_relations:
        return "seats nobody of whom the relation speaks"
    said = {seat for one in cited for seat in _sure_seats(one.claim)}
    if about_blank and _seats_of_others(claim) - said:
        return "says a seat that it does not cite"
    some = {seat for one in cited for seat in _seats_in_some(one.claim)}
    if about_blank and _seats_in_some(claim) - some:
        return "says a seat in an alternative that it does not cite"
    asked_of = [one.claim for one in cited if BLANK in names_of(one.claim)]
    if about_blank and holds_for_nobody(claim, asked_of, reached):
        return "has an alternative that holds for nobody"
    if scene and about_blank and is_new_relation(claim, [one.claim for one in cited], reached, alike):
        return "relates the blank as nothing cited does"
    if not relations:
        return ""
    if any(map(is_filler, _atoms(claim))) and (scene or any(speaks_of_seats(one.claim) for one in cited)):
        return "names who fills the blank by way of a place"
    if scene and about_blank and (_seats_the_blank(claim) or _is_nobody(claim)):
        seated = {atom.name for one in cited for atom in _atoms(one.claim) if isinstance(atom, Place)}
        asked = {name for one in cited if any(map(relates, _atoms(one.claim))) for name in names_of(one.claim)}
        if asked - seated - {BLANK}:
            return "looks up somebody whose seat it does not cite"
        inner = (lookup for one in cited for atom in _atoms(one.claim) for lookup in _inner_lookups(atom))
        if any(map(reached, inner)):
            return "looks up nested functions at once"
    return ""


def needless(
    claim: Claim,
    words: Sequence[Premise],
    cited: Sequence[CitedClaim],
    follows: Callable[[Sequence[Claim], bool, bool], bool],
) -> str:
    """A premise that a step which follows does not need; empty where it needs all.

    ``follows(claims, scene, wlog)`` says whether the step follows from these claims.
    """
    named = {name for one in cited for name in names_of(one.claim)}
    final = isinstance(claim[0][0], RightOptions)
    for word in words:
        if word.kind == "option" and (not final or any(isinstance(one.claim[0][0], RightOptions) for one in cited)):
            return f"cites option {word.name} for nothing"
        if word.kind == "entity" and word.name not in named:
            return f"cites {word.name} for nothing"
    if len(set(map(str, words))) < len(words):
        return "cites a premise twice"
    if {"scene", "wlog"} <= {word.kind for word in words}:
        return "cites scene beside wlog"
    wlog = any(word.kind == "wlog" for word in words)
    scene = wlog or any(word.kind == "scene" for word in words)
    sitting = (other.claim for other in cited if not _is_nobody(other.claim))
    repeated = {seat for one in (claim, *sitting) for seat in _repeated_seats(one)}
    for number, one in enumerate(cited):
        others = [*cited[:number], *cited[number + 1 :]]
        source = _sure_seats(one.claim).difference(*(_sure_seats(other.claim) for other in others))
        if source & repeated or (scene and _introduces(one.claim, claim, [other.claim for other in others])):
            continue
        if follows([other.claim for other in others], scene, wlog):
            return f"does not need {one.word}"
    claims = [one.claim for one in cited]
    if wlog:
        return "does not need wlog" if follows(claims, True, False) else ""
    if scene:
        return "does not need scene" if follows(claims, False, False) else ""
    return "" if cited else "holds whatever is known"


def speaks_of_seats(claim: Claim) -> bool:
    """Whether a claim says of somebody, or of the blank, on which seat they sit."""
    return any(isinstance(atom, Place) for atom in _atoms(claim))


def _introduces(cited: Claim, claim: Claim, others: Sequence[Claim]) -> bool:
    """Whether only ``cited`` speaks of somebody to whom ``claim`` relates the blank, and seats them."""
    related = [names for names in map(atom_names, filter(relates, _atoms(claim))) if BLANK in names]
    if BLANK in names_of(cited):
        return False
    seated = {atom.name for atom in _atoms(cited) if isinstance(atom, Place)}
    return bool(seated & {*itertools.chain(*related)} - {name for other in others for name in names_of(other)})


def _atoms(claim: Claim) -> list[Atom]:
    return [atom for atoms in claim for atom in atoms]


def _seats_the_blank(claim: Claim) -> bool:
    return any(isinstance(atom, Place) and atom.name == BLANK for atom in _atoms(claim))


def _is_nobody(claim: Claim) -> bool:
    return isinstance(claim[0][-1], Nobody)


def _names_fillers(claim: Claim) -> bool:
    return _is_nobody(claim) or all(any(map(is_filler, atoms)) for atoms in claim)


def _sure_seats(claim: Claim) -> set[tuple[str, str]]:
    """Who sits where in all alternatives of a claim that does not speak of the blank."""
    return set() if BLANK in names_of(claim) else _seats_of_others(claim)


def _seats_of_others(claim: Claim) -> set[tuple[str, str]]:
    """Who sits where in all alternatives of a claim, whatever it says of the blank."""
    return set.intersection(
        *({(a.name, a.seat) for a in atoms if isinstance(a, Place) and a.name != BLANK} for atoms in claim)
    )


def _seats_in_some(claim: Claim) -> set[tuple[str, str]]:
    """Who sits where in some alternative of a claim."""
    return {(atom.name, atom.seat) for atom in _atoms(claim) if isinstance(atom, Place) and atom.name != BLANK}


def _repeated_seats(claim: Claim) -> set[tuple[str, str]]:
    """The seats that a claim about the blank takes for granted."""
    if BLANK not in names_of(claim):
        return set()
    sure = _seats_of_others(claim)
    for atoms in claim:
        seats = [atom.seat for atom in atoms if isinstance(atom, Place) and atom.name == BLANK]
        fillers = [name for atom in atoms if is_filler(atom) for name in atom_names(atom) if name != BLANK]
        sure |= {(name, seat) for name in fillers for seat in seats}
    return sure


def _inner_lookups(atom: Atom) -> Iterator[Claim]:
    """That somebody is where the first of several functions in a question leads; nothing of a single function."""
    if not isinstance(atom, Equal) or BLANK not in atom_names(atom):
        return
    for term, other in ((atom.left, atom.right), (atom.right, atom.left)):
        if not isinstance(term, Apply):
            continue
        if BLANK not in atom_names(Equal(term, term)):
            if isinstance(term.argument, Apply) or isinstance(other, Apply):
                yield tuple((Equal(innermost_call(term), str(n)),) for n in range(6))
        elif isinstance(term.argument, Apply) and isinstance(other, str) and other != BLANK:
            yield tuple((Equal(Apply(term.function, str(n), term.k), other),) for n in range(6))
