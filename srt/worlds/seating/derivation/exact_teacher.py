"""The exact teacher: the derivation of a solved puzzle, one lookup a step, every step proved by what it cites.

First the readings of the clues that are used, then where people sit (:mod:`.needed_seats` or :mod:`.running_plan`),
then the question: its inner term, the seat that is asked for, who sits there, which options are right. Steps that
nothing uses are left out, and so is every premise without which a step still follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from srt.io.records import Problem
from srt.language.trace import OPERATIONS, Step, Trace
from srt.worlds.seating.claim_language import (
    BLANK,
    Apply,
    Claim,
    Equal,
    Place,
    Term,
    format_claim,
    innermost_call,
    names_of,
)
from srt.worlds.seating.derivation.masks import ClaimMasks
from srt.worlds.seating.derivation.needed_seats import NeededSeats
from srt.worlds.seating.derivation.running_plan import RunningPlan
from srt.worlds.seating.derivation.seat_plan import Fact, minimal, reread
from srt.worlds.seating.derivation.solver import SolvedPuzzle
from srt.worlds.seating.derivation.turns import added_up, circular, counted_from, place_by_place
from srt.worlds.seating.reading.problem_reader import Puzzle
from srt.worlds.seating.relations import holds, neighbour
from srt.worlds.world import NEEDED

_AS_TURNS = "read-as-turns"
_QUESTION_ORDER = 1_000_000
"""The reading of the question stands after those of the clues."""


def make_trace(problem: Problem, puzzle: Puzzle, solution: SolvedPuzzle, plan: str = NEEDED) -> Trace:
    """The trace of ``problem``, which reads as ``puzzle`` and is solved by ``solution``.

    ``plan``: ``needed`` (:mod:`.needed_seats`), ``running`` (:mod:`.running_plan`), or ``read-as-turns``: a running
    plan whose clues, and the question, are read right before they are used, around a ring down to one turn
    (:mod:`.turns`).
    """
    return Trace(
        id=f"t-{problem.id}",
        problem_id=problem.id,
        kind="world",
        lang=problem.lang,
        steps=derive(puzzle, solution, plan),
        answer=", ".join(solution.letters),
        teacher="seating",
    )


def derive(puzzle: Puzzle, solution: SolvedPuzzle, plan: str = NEEDED) -> tuple[Step, ...]:
    """The steps that lead from the clues of ``puzzle`` to its right options."""
    question = _Question(puzzle, solution, plan)
    filled = question.resolve()
    claim = "options = {" + ", ".join(solution.letters) + "}"
    steps = _rested_on(Fact("INFER", claim, tuple(puzzle.options), (filled,), question.steps))
    return _numbered(_read_as_used(steps) if plan == _AS_TURNS else steps)


class _Question:
    """The second half of a derivation: from the reading of the question to the names that fill its blank."""

    def __init__(self, puzzle: Puzzle, solution: SolvedPuzzle, plan: str) -> None:
        self.puzzle = puzzle
        self.placing = (
            NeededSeats(puzzle, solution) if plan == NEEDED else RunningPlan(puzzle, solution, turns=plan == _AS_TURNS)
        )
        self.masks = self.placing.masks
        asked = [puzzle.question]
        self._turns = plan == _AS_TURNS
        if self._turns:
            asked.append(turned := circular(place_by_place(puzzle.question), puzzle.scene))
            asked.append(_counted_to_blank(turned))
        self.claim: Claim = asked[-1]
        self.filled = sorted([self.placing.index[name] for name in solution.filled], key=self._in_order)
        self.fillers: Sequence[ClaimMasks] = solution.question
        self.steps = 0
        self.fact = reread(Fact("CORRELATE", puzzle.question, ("question",), (), _QUESTION_ORDER), asked)

    def resolve(self) -> Fact:
        """The step that names who fills the blank, or says that nobody does."""
        if self._turns:
            self._add_up()
        while (lookup := self._next_lookup()) is not None:
            equation, rest = lookup
            reading = self.placing.reading_of(equation)
            if reading is None and isinstance(rest.right, str) and rest.left == BLANK:
                break  # What is asked for itself is found by its seat.
            claim: Claim = ((rest,),)
            found = self._seats(sorted(set(names_of(claim)) - set(names_of(self.claim))))
            facts = [reading] if reading is not None else self._seats(names_of(((equation,),)))
            kept = found if reading is None else []
            self._infer(format_claim(claim), facts, self.masks.fillers(claim, self.placing.index), kept)
            self.claim = claim
        only = self.claim[0][0]
        if isinstance(only, Equal) and only.left == BLANK and isinstance(only.right, str):
            return self.fact
        if not isinstance(only, Place):
            self._find_seats()
        if self.filled:
            self._name_sitters()
        return self.fact

    def _add_up(self) -> None:
        """Nested turns become one turn, counted from the person named in the question."""
        turn = added_up(self.claim, self.puzzle.scene)
        for claim in (turn, _counted_to_blank(turn)):
            if claim != self.claim:
                self._infer(format_claim(claim), (), self.masks.fillers(claim, self.placing.index))
                self.claim = claim

    def _next_lookup(self) -> tuple[Equal, Equal] | None:
        """An equation that takes one function off the question, and what is left of the question then.

        ``? = across(right(Ann))`` with ``right(Ann) = Bob`` is ``? = across(Bob)``; ``diag(left(?)) = Ann`` with
        ``diag(Bob) = Ann`` is ``left(?) = Bob``. ``None`` where there is no function, or nobody there.
        """
        atom = self.claim[0][0]
        if [len(atoms) for atoms in self.claim] != [1] or not isinstance(atom, Equal) or atom.negated:
            return None
        if atom.left == BLANK and isinstance(atom.right, Apply):
            inner = innermost_call(atom.right)
            name = self._image(inner)
            return None if name is None else (Equal(inner, name), Equal(BLANK, _replaced(atom.right, inner, name)))
        if isinstance(atom.left, Apply) and isinstance(atom.right, str) and BLANK in names_of(((atom,),)):
            name = self._preimage(atom.left, atom.right)
            if name is not None:
                outer = Apply(atom.left.function, name, atom.left.k)
                return Equal(outer, atom.right), Equal(atom.left.argument, name)
        return None

    def _image(self, call: Apply) -> str | None:
        """The name that a function of a name gives."""
        assert isinstance(call.argument, str)
        seat = neighbour(self.puzzle.scene, call.function, self._seat(call.argument), call.k)
        return None if seat is None else self._sitter(seat)

    def _preimage(self, call: Apply, name: str) -> str | None:
        """The name of which the outer function of ``call`` gives ``name``."""
        target = self._seat(name)
        for seat in self.puzzle.scene.seats:
            if neighbour(self.puzzle.scene, call.function, seat, call.k) == target:
                return self._sitter(seat)
        return None

    def _in_order(self, entity: int) -> tuple[int, int]:
        """First who fills the blank by the first alternative of the question, then by seat."""
        seats = self.puzzle.scene.seats
        placement = {name: seats[self.placing.seats[number]] for name, number in self.placing.index.items()}
        ways = [holds((atoms,), self.puzzle.scene, placement, self.puzzle.names[entity]) for atoms in self.claim]
        return ways.index(True), self.placing.seats[entity]

    def _find_seats(self) -> None:
        """From what is asked to the seats of those who fill the blank."""
        masks, seats = self.masks, self.puzzle.scene.seats
        asked = [self.placing.seats[entity] for entity in self.filled]
        claim = " | ".join([f"{BLANK}@{seats[seat]}" for seat in asked]) or "? = none"
        places = [sum(seated[seat] for seat in asked) for seated in masks.seated]
        fillers = [ClaimMasks(place, masks.everything if place else 0) for place in places]
        self._infer(claim, self._seats(names_of(self.claim)), fillers)

    def _name_sitters(self) -> None:
        """From seats to who sits there."""
        names = [self.puzzle.names[entity] for entity in self.filled]
        everything = self.masks.everything
        fillers = [
            ClaimMasks(everything, everything) if entity in self.filled else ClaimMasks(0, 0)
            for entity in range(self.masks.count)
        ]
        self._infer(" | ".join([f"? = {name}" for name in names]), self._seats(names), fillers)

    def _infer(
        self, claim: str, facts: Sequence[Fact], fillers: Sequence[ClaimMasks], kept: Sequence[Fact] = ()
    ) -> None:
        """Add the step to ``claim`` from the last one, ``kept``, and those of ``facts`` that it needs with them.

        ``kept`` are the seats of the people that a lookup finds. Where nobody fills the blank, before and after, the
        step may follow without them.
        """

        def follows(premises: Sequence[Fact], scene: bool) -> bool:
            places = relations = self.masks.everything
            for fact in (*kept, *premises):
                places &= fact.places
                relations &= fact.relations
            pairs = zip(self.fillers, fillers, strict=True)
            if scene:
                both = places & relations
                return not any(both & (a.places & a.relations ^ b.places & b.relations) for a, b in pairs)
            return all(
                _product(places & a.places, relations & a.relations)
                == _product(places & b.places, relations & b.relations)
                for a, b in pairs
            )

        needed, scene = minimal([fact for fact in facts if fact not in kept], follows)
        cited = (*kept, *needed, self.fact)
        self.fact = Fact("INFER", claim, ("scene",) if scene else (), cited, self.steps)
        self.fillers = fillers
        self.steps += 1

    def _seats(self, names: Sequence[str]) -> list[Fact]:
        """The steps that say where ``names`` sit."""
        return list(dict.fromkeys(self.placing.seat_of(self.placing.index[name]) for name in names if name != BLANK))

    def _seat(self, name: str) -> str:
        return self.puzzle.scene.seats[self.placing.seats[self.placing.index[name]]]

    def _sitter(self, seat: str) -> str:
        return self.puzzle.names[self.placing.sitter(self.puzzle.scene.seats.index(seat))]


def _counted_to_blank(question: Claim) -> Claim:
    """``question`` with a turn from the blank to somebody as the turn from them to the blank."""
    for name in names_of(question):
        question = counted_from(name, BLANK, question)
    return question


def _product(places: int, relations: int) -> tuple[int, int]:
    """A set of pairs of arrangements; where one side is empty, so is the set."""
    return (places, relations) if places and relations else (0, 0)


def _replaced(term: Term, call: Apply, name: str) -> Term:
    """``term`` with ``name`` in the place of ``call``."""
    if term is call or isinstance(term, str):
        return name
    return Apply(term.function, _replaced(term.argument, call, name), term.k)


def _rested_on(last: Fact) -> list[Fact]:
    """The steps that ``last`` rests on, and itself: readings first, then seats, then the question."""
    used: dict[Fact, None] = {}
    waiting = [last]
    while waiting:
        fact = waiting.pop()
        if fact not in used:
            used[fact] = None
            waiting.extend(fact.cites)
    return sorted(used, key=lambda fact: (OPERATIONS.index(fact.op), fact.order))


def _read_as_used(steps: Sequence[Fact]) -> list[Fact]:
    """The same steps with each reading right before the first step that cites it, after those that it stands after."""
    ordered: dict[Fact, None] = {}
    for fact in steps:
        if fact.op != "CORRELATE":
            for cited in steps:
                if cited.op == "CORRELATE" and cited in fact.cites:
                    ordered.update(dict.fromkeys(_readings_up_to(cited)))
            ordered[fact] = None
    return list(ordered)


def _readings_up_to(last: Fact) -> list[Fact]:
    """The readings that stand together, up to the ``last`` one."""
    before = [] if last.after is None else _readings_up_to(last.after)
    return [*before, last]


def _numbered(ordered: Sequence[Fact]) -> tuple[Step, ...]:
    """The facts as steps, which cite each other by their numbers."""
    number = {fact: place for place, fact in enumerate(ordered, 1)}
    return tuple(
        Step(
            op=fact.op,
            args=(*fact.words, *(f"#{n}" for n in sorted([number[cited] for cited in fact.cites]))),
            claim=fact.claim if isinstance(fact.claim, str) else format_claim(fact.claim),
        )
        for fact in ordered
    )
