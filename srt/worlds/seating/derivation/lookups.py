"""A finer cut of the same derivation: each lookup's key is written out right before what is looked up.

"One step is one lookup" leaves a small model two things to find at once where a step names a seat: who sits where,
and which seat lies across from it. Restated, the step says both, one after the other; the step that names who fills
the blank repeats the seat, and the step that picks options cites the names::

    INFER scene #4 #6: ?@N1            ->  INFER scene #4 #6: Mary@S2 & ?@N1
    INFER #5 #7: ? = James             ->  INFER #4 #5 #7: ?@N1 & ? = James
    INFER A B C D #8: options = {C}    ->  INFER A B C D #5 #8 James: options = {C}

Every step stays proved: what is repeated is cited. What the cut is worth is measured in ``docs/figures.md``.
"""

from __future__ import annotations

from collections.abc import Sequence

from srt.language.premises import entity_word
from srt.language.trace import Step, Trace
from srt.worlds.seating.claim_language import (
    BLANK,
    Claim,
    Equal,
    Place,
    RightOptions,
    format_claim,
    names_of,
    parse_claim,
)


def spell_out_lookups(trace: Trace) -> Trace:
    """``trace``, a proved trace of this world, with its lookups written out; what does not fit the pattern is kept."""
    claims = [parse_claim(step.claim or "") for step in trace.steps]
    steps: list[Step] = []
    for step, claim in zip(trace.steps, claims, strict=True):
        cited = _cited(step)
        if _is_blank_places(claim) and "scene" in step.args:
            steps.append(_with_known_seats(step, claim, cited, claims))
        elif _is_blank_names(claim) and any(_is_blank_places(claims[number - 1]) for number in cited):
            steps.append(_with_blank_seats(step, claim, cited, claims, steps))
        elif isinstance(claim[0][0], RightOptions):
            steps.append(_with_names(step, cited, claims, steps))
        else:
            steps.append(step)
    return trace.model_copy(update={"steps": tuple(steps)})


def _with_known_seats(step: Step, claim: Claim, cited: Sequence[int], claims: Sequence[Claim]) -> Step:
    """``?@N1`` behind the seats of those that the cited question names."""
    asked = {name for number in cited for name in names_of(claims[number - 1]) if BLANK in names_of(claims[number - 1])}
    known = [atom for atom in _sure_places(cited, claims) if atom.name in asked]
    return _claiming(step, tuple((*known, *alternative) for alternative in claim))


def _with_blank_seats(
    step: Step, claim: Claim, cited: Sequence[int], claims: Sequence[Claim], restated: Sequence[Step]
) -> Step:
    """``? = James`` behind ``?@N1``, citing too the step that told a seat which the asking step repeats."""
    seats = {atom.name: atom.seat for atom in _sure_places(cited, claims)}
    alternatives = []
    for alternative in claim:
        named = alternative[0]
        seat = seats.get(named.right) if isinstance(named, Equal) and isinstance(named.right, str) else None
        alternatives.append((Place(BLANK, seat), *alternative) if seat else alternative)
    asked = next(number for number in cited if _is_blank_places(claims[number - 1]))
    repeated = [atom for atom in parse_claim(restated[asked - 1].claim or "")[0] if isinstance(atom, Place)]
    sources = {
        f"#{number}"
        for number in _cited(restated[asked - 1])
        for atom in _sure_places([number], claims)
        if any(atom == other for other in repeated)
    }
    args = tuple(sorted(set(step.args) | sources, key=_number))
    return _claiming(step.model_copy(update={"args": args}), tuple(alternatives))


def _with_names(step: Step, cited: Sequence[int], claims: Sequence[Claim], restated: Sequence[Step]) -> Step:
    """``options = {..}`` behind the names that fill the blank, and the steps that say where these sit."""
    names = dict.fromkeys(name for number in cited for name in names_of(claims[number - 1]) if name != BLANK)
    letters = [word for word in step.args if not word.startswith("#")]
    steps = {word for word in step.args if word.startswith("#")}
    for number in cited:
        if any(len(alternative) > 1 for alternative in parse_claim(restated[number - 1].claim or "")):
            steps |= {
                f"#{place}"
                for place in _cited(restated[number - 1])
                if any(atom.name in names for atom in _sure_places([place], claims))
            }
    args = (*letters, *sorted(steps, key=_number), *map(entity_word, names))
    return step.model_copy(update={"args": args})


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
