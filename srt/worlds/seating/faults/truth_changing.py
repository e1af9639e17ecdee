"""Mutations that make a trace say something false of its problem."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

from srt.worlds.kit.mutated_steps import replace_step, with_steps
from srt.worlds.kit.mutation import Mutant
from srt.worlds.seating.claim_language import (
    ATTRIBUTE_VALUES,
    BLANK,
    COUNTED_FUNCTIONS,
    COUNTED_REGIONS,
    FUNCTIONS,
    REGIONS,
    Apply,
    Atom,
    Attribute,
    Claim,
    Equal,
    Meet,
    Member,
    Place,
    Region,
    RightOptions,
    Term,
    atom_names,
    format_claim,
    rename,
    rename_atom,
)
from srt.worlds.seating.faults.valid_trace import ValidTrace, with_claim
from srt.worlds.seating.relations import attribute, function_table, region_table
from srt.worlds.seating.scenes import Scene


def another_entity(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """One name becomes another that is not in the atom."""

    def variants(atom: Atom) -> Iterator[Atom]:
        there = atom_names(atom)
        for old in dict.fromkeys(there):
            if old != BLANK:
                yield from (rename_atom(atom, {old: new}) for new in valid.puzzle.names if new not in there)

    return _change_atom(valid, rng, variants)


def another_relation(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """One function or region becomes another of the same count, one direction another."""
    return _change_atom(valid, rng, lambda atom: _other_words(atom, valid.puzzle.scene))


def another_number(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """A count of a function or region, or a tier, becomes another."""
    return _change_atom(valid, rng, lambda atom: _other_numbers(atom, valid.puzzle.scene))


def another_seat(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """Somebody, or the one who is asked for, is put on another seat."""

    def variants(atom: Atom) -> Iterator[Atom]:
        if isinstance(atom, Place):
            yield from (Place(atom.name, seat) for seat in valid.puzzle.scene.seats if seat != atom.seat)

    return _change_atom(valid, rng, variants)


def contradicted(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """``=`` becomes ``!=``, ``in`` becomes ``notin``, and the other way round."""

    def variants(atom: Atom) -> Iterator[Atom]:
        if isinstance(atom, (Equal, Member)):
            yield replace(atom, negated=not atom.negated)

    return _change_atom(valid, rng, variants)


def entities_swapped(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """From one step on, two names change places in every claim: a derivation that is wrong but hangs together."""
    one, other = rng.sample(valid.puzzle.names, 2)
    swap = {one: other, other: one}
    start = rng.randrange(len(valid.claims))
    steps = list(valid.trace.steps)
    for i in range(start, len(steps)):
        steps[i] = replace_step(steps[i], claim=format_claim(rename(valid.claims[i], swap)))
    if steps == list(valid.trace.steps):
        return None
    first = next(i for i, step in enumerate(steps) if step != valid.trace.steps[i])
    return with_steps(valid.trace, steps, first + 1, f"{one} <-> {other} from step {first + 1} on")


def wrong_options(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """The step on the options names other letters; the answer stays."""
    number = _options_step(valid)
    letters = _other_letters(valid, rng)
    return None if number is None or not letters else with_claim(valid, number, ((RightOptions(letters),),))


def wrong_answer(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """The answer names other letters; the steps stay."""
    letters = _other_letters(valid, rng)
    if not letters:
        return None
    answer = ", ".join(letters)
    trace = valid.trace.model_copy(update={"answer": answer})
    return Mutant(trace, 0, f"ANSWER: {valid.trace.answer} -> ANSWER: {answer}")


def wrong_conclusion(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """The step on the options and the answer name the same wrong letters."""
    number = _options_step(valid)
    letters = _other_letters(valid, rng)
    if number is None or not letters:
        return None
    mutant = with_claim(valid, number, ((RightOptions(letters),),))
    return replace(mutant, trace=mutant.trace.model_copy(update={"answer": ", ".join(letters)}))


def _change_atom(valid: ValidTrace, rng: random.Random, variants: Callable[[Atom], Iterator[Atom]]) -> Mutant | None:
    """A random step of those that can be changed, a random atom in it, a random variant of that."""
    for i in rng.sample(range(len(valid.claims)), len(valid.claims)):
        claim = valid.claims[i]
        changed: list[Claim] = [
            (*claim[:j], (*atoms[:k], variant, *atoms[k + 1 :]), *claim[j + 1 :])
            for j, atoms in enumerate(claim)
            for k, atom in enumerate(atoms)
            for variant in variants(atom)
        ]
        if changed:
            return with_claim(valid, i + 1, rng.choice(changed))
    return None


def _other_words(atom: Atom, scene: Scene) -> Iterator[Atom]:
    """``atom`` with one function, region or direction replaced by each other one that means something here."""
    match atom:
        case Equal(left, right):
            yield from (replace(atom, left=term) for term in _other_functions(left, scene))
            yield from (replace(atom, right=term) for term in _other_functions(right, scene))
        case Member(_, region):
            yield from (replace(atom, region=other) for other in _other_regions(region, scene))
        case Meet(first, second):
            yield from (Meet(other, second) for other in _other_regions(first, scene))
            yield from (Meet(first, other) for other in _other_regions(second, scene))
        case Attribute("faces" | "column", name, value):
            yield from (Attribute(atom.function, name, v) for v in _values(scene, atom.function) if v != value)


def _other_functions(term: Term, scene: Scene) -> Iterator[Term]:
    if isinstance(term, Apply):
        for function in FUNCTIONS:
            if function != term.function and _is_known(function_table, scene, function, term.k):
                yield replace(term, function=function)
        yield from (replace(term, argument=inner) for inner in _other_functions(term.argument, scene))


def _other_regions(region: Region, scene: Scene) -> Iterator[Region]:
    for name in REGIONS:
        if name != region.name and _is_known(region_table, scene, name, region.k):
            yield replace(region, name=name)


def _other_numbers(atom: Atom, scene: Scene) -> Iterator[Atom]:
    match atom:
        case Equal(left, right):
            yield from (replace(atom, left=term) for term in _other_counts(left, scene))
            yield from (replace(atom, right=term) for term in _other_counts(right, scene))
        case Member(_, Region(name, of, k)) if name in COUNTED_REGIONS:
            yield from (replace(atom, region=Region(name, of, n)) for n in (0, 1, 2) if n != k)
        case Meet(first, second):
            for n in (0, 1, 2):
                if first.name in COUNTED_REGIONS and n != first.k:
                    yield Meet(replace(first, k=n), second)
                if second.name in COUNTED_REGIONS and n != second.k:
                    yield Meet(first, replace(second, k=n))
        case Attribute("tier", name, value):
            yield from (Attribute("tier", name, tier) for tier in ATTRIBUTE_VALUES["tier"] if tier != value)


def _other_counts(term: Term, scene: Scene) -> Iterator[Term]:
    if isinstance(term, Apply):
        if term.function in COUNTED_FUNCTIONS:
            for k in range(1, 6):
                if k != term.k and _is_known(function_table, scene, term.function, k):
                    yield replace(term, k=k)
        yield from (replace(term, argument=inner) for inner in _other_counts(term.argument, scene))


@cache
def _is_known(table: Callable[[Scene, str, int], object], scene: Scene, word: str, k: int) -> bool:
    """Whether a function or a region means something in ``scene``."""
    try:
        table(scene, word, k)
    except ValueError:
        return False
    return True


@cache
def _values(scene: Scene, function: str) -> tuple[str, ...]:
    """The values that an attribute takes in a scene."""
    return tuple(dict.fromkeys(attribute(scene, function, seat) for seat in scene.seats))


def _options_step(valid: ValidTrace) -> int | None:
    """The number of the last step that speaks of the options."""
    numbers = [n for n, claim in enumerate(valid.claims, 1) if isinstance(claim[0][0], RightOptions)]
    return numbers[-1] if numbers else None


def _other_letters(valid: ValidTrace, rng: random.Random) -> tuple[str, ...]:
    """A random set of letters that is neither empty nor the answer."""
    letters = list(valid.puzzle.options)
    right = tuple(valid.trace.answer.split(", "))
    chosen = right
    while chosen == right:
        chosen = tuple(letter for letter in letters if rng.random() < 0.4) or right
        if len(letters) < 2:
            return ()
    return chosen
