"""The oracle's own reading of the rule that a step is one inference (``docs/seating.md``, "One inference per step").

It goes by the parsed claims and shares no code with the checker's rule, which counts on their text. The exact
conditions are in words in ``srt/worlds/seating/checker/one_inference.py``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from srt.language.premises import Premise
from srt.worlds.seating.claim_language import (
    BLANK,
    Apply,
    Atom,
    Claim,
    Equal,
    Nobody,
    Place,
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
from srt.worlds.seating.faults.oracle_placements import (
    Known,
    Letters,
    follows,
    speaks_of_options,
    speaks_of_the_blank,
)
from srt.worlds.seating.scenes import Scene


@dataclass(frozen=True)
class CitedClaim:
    """What a step cites: ``word`` is the premise, ``reading`` whether it is the faithful reading of a clue."""

    word: str
    claim: Claim
    reading: bool

    @property
    def relations(self) -> int:
        """How many relations it holds; what one clue says counts once."""
        # "Ann and Bob sit beside Cal" is two atoms, but no step can read half a clue.
        count = sum(map(relates, _atoms(self.claim)))
        return min(count, 1) if self.reading else count


@dataclass(frozen=True)
class Inference:
    """A step that is no reading: what it claims in ``scene``, and what it cites.

    ``words`` are all its premises, with numbers for names; ``cited`` what the clues and steps among them say, and
    ``letters`` the options among them.
    """

    scene: Scene
    claim: Claim
    words: Sequence[Premise]
    cited: Sequence[CitedClaim]
    letters: Letters

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of its premises."""
        return frozenset(word.kind for word in self.words)

    @property
    def tied(self) -> bool:
        """Whether it may use the plan of the seats: ``wlog`` chooses among seats, and includes it."""
        return bool(self.kinds & {"scene", "wlog"})

    @property
    def free(self) -> bool:
        """Whether it chooses seats: the claim need only hold up to a symmetry of the scene."""
        return "wlog" in self.kinds

    @property
    def about_blank(self) -> bool:
        """Whether its claim is about ``?``."""
        return speaks_of_the_blank(self.claim)

    @cached_property
    def relations(self) -> int:
        """How many relations it uses."""
        return sum(one.relations for one in self.cited)

    @cached_property
    def known(self) -> Known:
        """What the cited claims about named entities leave open."""
        return Known.of(self.scene, [one.claim for one in self.cited])

    def follows(self) -> bool:
        """Whether the claim follows from all that the step cites."""
        return self.follows_from(self.cited, tied=self.tied, free=self.free)

    def follows_from(self, cited: Iterable[CitedClaim], *, tied: bool, free: bool) -> bool:
        """Whether the claim follows from ``cited``; ``tied``: with the plan of the seats; ``free``: up to symmetry."""
        return follows(self.scene, tied, free, tuple(one.claim for one in cited), self.claim, self.letters)


def too_much_at_once(step: Inference) -> str:
    """What makes several inferences of a step that follows; empty where it is one."""
    if step.kinds & {"given", "question"}:
        return "cites a clue or the question and is no reading"
    if speaks_of_options(step.claim):
        return _decides_too_early(step)
    if any(speaks_of_options(one.claim) for one in step.cited):
        return "derives something from which options are right"
    # A lookup reads one relation off the plan of the seats; a substitution puts one relation into another.
    if step.relations > (1 if step.tied else 2):
        return f"uses {step.relations} relations"
    # Several of these may be wrong with one step: the first of them is reported.
    fault = _relates_too_much(step) or _joins_too_many(step) or _finds_who_is_left_over(step)
    return fault or (_guesses_at_the_blank(step) if step.about_blank else "")


def needless(step: Inference) -> str:
    """A premise that a step which follows does not need; empty where it needs all."""
    named = {name for one in step.cited for name in names_of(one.claim)}
    # Letters decide which options are right; a step that repeats the decision rests on the earlier one instead.
    decides = speaks_of_options(step.claim) and not any(speaks_of_options(one.claim) for one in step.cited)
    for word in step.words:
        if word.kind == "option" and not decides:
            return f"cites option {word.name} for nothing"
        if word.kind == "entity" and word.name not in named:
            return f"cites {word.name} for nothing"
    if len(set(map(str, step.words))) < len(step.words):
        return "cites a premise twice"
    if {"scene", "wlog"} <= step.kinds:
        return "cites scene beside wlog"
    # Two premises may be idle: the source of a seat that is repeated (`Mary@S2` of `Mary@S2 & ?@N1`), and the seat of
    # somebody that a lookup finds and that nothing else that is cited names.
    sitting = (one.claim for one in step.cited if not _is_nobody(one.claim))
    repeated = {seat for claim in (step.claim, *sitting) for seat in _repeated_seats(claim)}
    for number, one in enumerate(step.cited):
        others = [*step.cited[:number], *step.cited[number + 1 :]]
        source = _sure_seats(one.claim).difference(*(_sure_seats(other.claim) for other in others))
        if source & repeated or (step.tied and _introduces(one.claim, step.claim, [other.claim for other in others])):
            continue
        if step.follows_from(others, tied=step.tied, free=step.free):
            return f"does not need {one.word}"
    if step.free:
        return "does not need wlog" if step.follows_from(step.cited, tied=True, free=False) else ""
    if step.tied:
        return "does not need scene" if step.follows_from(step.cited, tied=False, free=False) else ""
    return "" if step.cited else "holds whatever is known"


def _decides_too_early(step: Inference) -> str:
    """``options = {..}`` is decided by who fills the blank, and by nothing else; once decided, it may be repeated."""
    if any(speaks_of_options(one.claim) for one in step.cited):
        return ""
    naming = [one.claim for one in step.cited if _names_fillers(one.claim)]
    sure = naming and not any(may_not_fill(claim, step.known) for claim in naming if not _is_nobody(claim))
    if step.tied or step.relations or not sure:
        return "decides the options before the blank is filled"
    return ""


def _relates_too_much(step: Inference) -> str:
    """A relation between people that is neither read off the plan nor put together from the cited ones."""
    claim = step.claim
    related = [one.claim for one in step.cited if relates_people(one.claim)]
    if not step.tied:
        finds = relates_people(claim) or _is_nobody(claim) or any(map(is_filler, _atoms(claim)))
        if related and finds and not is_put_together(claim, related, step.scene):
            return "finds a relation without the plan of the seats"
        if related and not finds and any(speaks_of_the_blank(one.claim) for one in step.cited):
            return "finds a place without the plan of the seats"
        return ""
    if step.about_blank:
        others = any(not speaks_of_the_blank(one) for one in related)
        return "takes the blank from a relation of others" if others else ""
    if not relates_people(claim):
        return ""
    if related or step.free:
        return "seats somebody and looks somebody up"
    return "looks up several functions at once" if most_relations(claim) > 1 or looks_up_several(claim) else ""


def _joins_too_many(step: Inference) -> str:
    """Several lists of where people may sit: the cases are multiplied out, which is a step of its own."""

    def is_list(one: CitedClaim) -> bool:
        # `faces(Ann) = S` lists the seats of one side as long as nobody has looked up which these are.
        places = one.relations and not step.tied and not relates_people(one.claim)
        return not speaks_of_the_blank(one.claim) and bool(len(one.claim) > 1 or places)

    lists = sum(map(is_list, step.cited))
    related = any(relates_people(one.claim) for one in step.cited)
    only_joins = not (step.tied or related or step.about_blank or any(map(relates, _atoms(step.claim))))
    if lists > (2 if only_joins else 1):
        return f"cites {lists} lists of alternatives"
    if lists > 1 and _new_names(step):
        return "joins two lists and names who is left over"
    return ""


def _finds_who_is_left_over(step: Inference) -> str:
    """Somebody that no premise names: that all other seats are taken is a step of its own."""
    left_over = _new_names(step)
    looks_up = step.tied and (speaks_of_seats(step.claim) or any(map(relates, _atoms(step.claim))))
    # `wlog` alone puts somebody on a seat, and nothing before it can have named that person.
    chosen = 1 if step.free and not step.cited else 0
    if looks_up and len(left_over) > chosen:
        return "names somebody who is left over besides"
    # Several left over are no elimination: who does not sit beside Ann is any of the others.
    if not looks_up and step.about_blank and not step.relations and len(left_over) == 1:
        return "names somebody who is left over"
    related = {name for one in step.cited if one.relations for name in names_of(one.claim)}
    if step.tied and step.relations and not step.about_blank and not set(names_of(step.claim)) & related:
        return "seats nobody that the relation names"
    return ""


def _guesses_at_the_blank(step: Inference) -> str:
    """A claim about the blank that says more than the cited ones and one lookup do."""
    claim = step.claim
    cited = [one.claim for one in step.cited]
    if _seats_of_others(claim) - {seat for one in cited for seat in _sure_seats(one)}:
        return "says a seat that it does not cite"
    if _seats_in_some(claim) - {seat for one in cited for seat in _seats_in_some(one)}:
        return "says a seat in an alternative that it does not cite"
    # `?@S1 | ?@S2` follows from `?@S1` by logic alone; the second half would be a free guess.
    if holds_for_nobody(claim, [one for one in cited if speaks_of_the_blank(one)], step.known):
        return "has an alternative that holds for nobody"
    # From the seat of the blank any relation to anybody could be read: the question's own must come out.
    if step.tied and is_new_relation(claim, cited, step.known):
        return "relates the blank as nothing cited does"
    if not step.relations:
        return ""
    if any(map(is_filler, _atoms(claim))) and (step.tied or any(map(speaks_of_seats, cited))):
        return "names who fills the blank by way of a place"
    if step.tied and (_seats_the_blank(claim) or _is_nobody(claim)):
        seated = {atom.name for one in cited for atom in _atoms(one) if isinstance(atom, Place)}
        asked = {name for one in cited if any(map(relates, _atoms(one))) for name in names_of(one)}
        if asked - seated - {BLANK}:
            return "looks up somebody whose seat it does not cite"
        # across(right(Ann)) is looked up from the inside; where nobody is right of Ann, there is nothing further to do.
        inner = (lookup for one in cited for atom in _atoms(one) for lookup in _inner_lookups(atom))
        if any(map(step.known.allow, inner)):
            return "looks up nested functions at once"
    return ""


def _new_names(step: Inference) -> set[str]:
    """The people that the claim names and no cited claim does."""
    return set(names_of(step.claim)).difference({BLANK}, *(names_of(one.claim) for one in step.cited))


def speaks_of_seats(claim: Claim) -> bool:
    """Whether a claim says of somebody, or of the blank, on which seat they sit."""
    return any(isinstance(atom, Place) for atom in _atoms(claim))


def _introduces(cited: Claim, claim: Claim, others: Sequence[Claim]) -> bool:
    """Whether ``cited`` alone names somebody that ``claim`` relates to the blank, and seats them."""
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
