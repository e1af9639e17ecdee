"""Proves steps of the seating world by going through all placements, to check the exact teacher's steps.

The proof is naive on purpose: it asks ``relations.holds`` of every placement, and in booths of every pair of a seating
and an arrangement, as ``docs/seating.md`` defines a step that does not cite ``scene``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise, permutations, product

from srt.language.premises import parse_premise
from srt.language.trace import Step
from srt.worlds.seating.claim_language import (
    Atom,
    Attribute,
    Claim,
    Equal,
    Place,
    RightOptions,
    format_claim,
    names_of,
    parse_claim,
)
from srt.worlds.seating.derivation.solver import right_options
from srt.worlds.seating.reading.problem_reader import Puzzle
from srt.worlds.seating.relations import holds
from srt.worlds.seating.scenes import Scene

ENTITIES = ("e0", "e1", "e2", "e3", "e4", "e5")
World = tuple[int, int]
"""A seating and an arrangement, by number; with ``scene`` they are the same."""


@cache
def placements(scene: Scene) -> list[dict[str, str]]:
    names = ENTITIES[: len(scene.seats)]
    return [dict(zip(names, seats, strict=True)) for seats in permutations(scene.seats)]


@cache
def true_at(scene: Scene, atom: Atom, asked: str | None) -> frozenset[int]:
    """The placements in which ``atom`` holds."""
    claim: Claim = ((atom,),)
    return frozenset(n for n, p in enumerate(placements(scene)) if holds(claim, scene, p, asked))


def true_in(scene: Scene, claim: Claim, asked: str | None, world: World) -> bool:
    """Places are looked up in the seating, relations in the arrangement."""
    return any(
        all(world[not isinstance(atom, (Place, Attribute))] in true_at(scene, atom, asked) for atom in atoms)
        for atoms in claim
    )


@cache
def worlds(scene: Scene, joined: bool) -> list[World]:
    every = range(len(placements(scene)))
    return [(n, n) for n in every] if joined else list(product(every, every))


def follows(scene: Scene, premises: Sequence[Claim], claim: Claim, joined: bool) -> bool:
    """Whether ``claim`` holds wherever ``premises`` do, and they hold somewhere; blanks name the same entities."""
    source = [premise for premise in premises if "?" in names_of(premise)]
    facts = [premise for premise in premises if "?" not in names_of(premise)]
    asks = "?" in names_of(claim)
    if len(source) != asks:
        return False
    if not joined and len(scene.seats) == 6:
        return follows_apart(scene, facts, source, claim)
    possible = [w for w in worlds(scene, joined) if all(true_in(scene, fact, None, w) for fact in facts)]
    if not possible:
        return False
    if not asks:
        return all(true_in(scene, claim, None, w) for w in possible)
    names = ENTITIES[: len(scene.seats)]
    return all(true_in(scene, source[0], name, w) == true_in(scene, claim, name, w) for w in possible for name in names)


def follows_apart(scene: Scene, facts: Sequence[Claim], source: Sequence[Claim], claim: Claim) -> bool:
    """The same without ``scene`` for six entities, where pairs are too many: sets of seatings times arrangements."""
    seatings, arrangements = product_of(scene, facts, None)
    if not seatings or not arrangements:
        return False
    if not source:
        goal = sets(scene, claim, None)
        return seatings <= goal[0] and arrangements <= goal[1]
    for name in ENTITIES:
        first, second = (sets(scene, c, name) for c in (source[0], claim))
        before = (seatings & first[0], arrangements & first[1])
        after = (seatings & second[0], arrangements & second[1])
        if (all(before) or all(after)) and before != after:
            return False
    return True


def product_of(scene: Scene, claims: Sequence[Claim], asked: str | None) -> tuple[frozenset[int], frozenset[int]]:
    every = frozenset(range(len(placements(scene))))
    seatings, arrangements = every, every
    for claim in claims:
        allowed = sets(scene, claim, asked)
        seatings, arrangements = seatings & allowed[0], arrangements & allowed[1]
    return seatings, arrangements


@cache
def sets(scene: Scene, claim: Claim, asked: str | None) -> tuple[frozenset[int], frozenset[int]]:
    """The seatings and the arrangements that ``claim`` allows; it must be one alternative, or of one kind of atom."""
    every = frozenset(range(len(placements(scene))))
    kinds = {isinstance(atom, (Place, Attribute)) for atoms in claim for atom in atoms}
    assert len(claim) == 1 or len(kinds) == 1
    parts = [every, every]
    for kind in kinds:
        parts[not kind] = frozenset().union(
            *(
                every.intersection(
                    *(true_at(scene, a, asked) for a in atoms if isinstance(a, (Place, Attribute)) == kind)
                )
                for atoms in claim
            )
        )
    return parts[0], parts[1]


def wlog_follows(scene: Scene, premises: Sequence[Claim], claim: Claim) -> bool:
    """Whether each placement that the premises leave open has an image under a symmetry in which the claim holds."""
    seats = scene.seats
    for n, placement in enumerate(placements(scene)):
        if not all(true_in(scene, premise, None, (n, n)) for premise in premises):
            continue
        images = [{name: seats[s[seats.index(seat)]] for name, seat in placement.items()} for s in scene.symmetries]
        if not any(holds(claim, scene, image) for image in images):
            return False
    return True


class Prover:
    """The steps of one trace, with entities renamed so that proofs of one kind are made once."""

    def __init__(self, puzzle: Puzzle, steps: Sequence[Step]) -> None:
        self.puzzle = puzzle
        self.steps = steps
        self.claims = [parse_claim(step.claim or "") for step in steps]
        self.renamed = [self._rename(claim) for claim in self.claims]

    def _rename(self, claim: Claim) -> Claim:
        text = format_claim(claim)
        for name, entity in sorted(zip(self.puzzle.names, ENTITIES, strict=False), key=lambda pair: -len(pair[0])):
            text = text.replace(name, entity)
        return parse_claim(text)

    def _are_alike(self, claim: Claim, said: Sequence[Claim]) -> bool:
        """Whether one clue, or the question, says what ``claim`` says: it holds where that does."""
        if len(said) != 1:
            return False
        one, other = self._rename(claim), self._rename(said[0])
        scene = self.puzzle.scene
        return follows(scene, [one], other, True) and follows(scene, [other], one, True)

    def proved(self, number: int, args: Sequence[str]) -> bool:
        """Whether step ``number`` (from 0) would be proved if it cited ``args``."""
        step, claim = self.steps[number], self.claims[number]
        premises = [parse_premise(word) for word in args]
        cited = [premise.number - 1 for premise in premises if premise.kind == "step"]
        words = {premise.kind for premise in premises}
        assert all(other < number for other in cited)
        if step.op == "CORRELATE":
            clues = {clue.number: clue.claim for clue in self.puzzle.clues}
            read = [clues[p.number] if p.kind == "given" else self.puzzle.question for p in premises]
            return [claim] == read or self._are_alike(claim, read)
        if isinstance(claim[0][0], RightOptions):
            letters = tuple(premise.name for premise in premises if premise.kind == "option")
            filled = {atom.right for c in cited for (atom,) in self.claims[c] if isinstance(atom, Equal)}
            said = {letter: self.puzzle.options[letter] for letter in letters}
            return (
                bool(cited)
                and set(said) == set(self.puzzle.options)
                and claim == ((RightOptions(right_options(said, [str(name) for name in filled])),),)
            )
        if step.op == "CONSTRAIN":
            assert "?" not in names_of(claim)
        else:
            assert "?" in names_of(claim)
        facts = [self.renamed[other] for other in cited]
        if "wlog" in words:
            return wlog_follows(self.puzzle.scene, facts, self.renamed[number])
        return follows(self.puzzle.scene, facts, self.renamed[number], "scene" in words)


def finds_somebody(steps: Sequence[Step], number: int, word: str) -> bool:
    """Whether a lookup of the question cites ``word`` because nothing else that it cites names the person it finds."""

    def spoken_of(words: Sequence[str]) -> set[str]:
        cited = [parse_premise(word).number for word in words if word.startswith("#")]
        return {name for n in cited for name in names_of(parse_claim(steps[n - 1].claim or ""))}

    step = steps[number]
    if step.op != "INFER" or not word.startswith("#") or "scene" not in step.args or (step.claim or "").startswith("?"):
        return False
    rest = spoken_of([other for other in step.args if other != word])
    return bool(set(names_of(parse_claim(step.claim or ""))) & spoken_of([word]) - rest)


def is_passed_by(steps: Sequence[Step], number: int) -> bool:
    """Whether a step reads a clue about nobody who is seated so far, and the next one reads another clue."""
    step, after = steps[number - 1 : number + 1]
    so_far = [parse_claim(other.claim or "") for other in steps[:number] if other.op == "CONSTRAIN"]
    seated = {name for claim in so_far for name in names_of(claim)}
    another = step.op == after.op == "CORRELATE" and "question" not in after.args and step.args != after.args
    return another and bool(seated) and not seated.intersection(names_of(parse_claim(step.claim or "")))


def check(puzzle: Puzzle, steps: Sequence[Step], as_used: bool = False) -> None:
    """Every step proved, every premise needed, every step used, words in order; readings first, or ``as_used``."""
    prover = Prover(puzzle, steps)
    used = {parse_premise(word).number for step in steps for word in step.args if word.startswith("#")}
    reread = {
        number
        for number, (step, after) in enumerate(pairwise(steps), 1)
        if step.op == after.op == "CORRELATE" and step.args == after.args and step.claim != after.claim
    }
    passed = {number for number in range(1, len(steps)) if as_used and is_passed_by(steps, number)}
    reread |= passed
    assert used | reread == set(range(1, len(steps))), "a step that nothing uses"
    assert not used & reread, "a reading that is cited is the last of its clue"
    order = ["CONSTRAIN", "INFER"] if as_used else ["CORRELATE", "CONSTRAIN", "INFER"]
    ops = [step.op for step in steps if step.op in order]
    assert ops == sorted(ops, key=order.index)
    if as_used:
        for number, step in enumerate(steps, 1):
            if step.op == "CORRELATE" and number not in reread:
                first = next(later for later in steps[number:] if later.op != "CORRELATE")
                assert f"#{number}" in first.args, "a reading that is not used at once"
    wlog = [n for n, step in enumerate(steps) if "wlog" in step.args]
    assert all(n == 0 or steps[n - 1].op == "CORRELATE" for n in wlog)
    assert len(wlog) <= (len(puzzle.scene.symmetries) > 1)
    for number, step in enumerate(steps):
        shown = f"{number + 1}: {step.args} {step.claim}"
        assert prover.proved(number, step.args), shown
        for dropped in step.args:
            if dropped != "wlog" and not finds_somebody(steps, number, dropped):
                rest = [word for word in step.args if word != dropped]
                assert not prover.proved(number, rest), f"{dropped} is not needed in {shown}"
