"""A booth solved as people and models write it down: the steps of the arms ``cot-free`` and ``srt-free``.

Clues are used in any order, which is always valid: what is said of seats holds in every placement that the clues used
so far allow. Clues may be read first, right before they are used, or not at all; two may be read or used at once;
lookups and the last seat may be skipped; what is known may be said again; a wrong seat or name may be tried, and is
taken back by the next step. All of it is drawn from one random stream: the same stream gives the same steps.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import permutations

from srt.language.premises import entity_word
from srt.worlds.seating.claim_language import (
    BLANK,
    Claim,
    Equal,
    Nobody,
    Place,
    RightOptions,
    atom_names,
    names_of,
)
from srt.worlds.seating.derivation.free_step import FreeStep, Move
from srt.worlds.seating.derivation.solver import SolvedPuzzle
from srt.worlds.seating.reading.problem_reader import Puzzle
from srt.worlds.seating.relations import holds

Placement = dict[str, str]

# How often each departure from the canonical order is taken. Nothing was fitted: each is common enough to be met in a
# few texts out of ten.
_READING = {"first": 0.4, "at use": 0.4, "never": 0.2}
_SKIP_READING, _TWO_READ_AT_ONCE, _TWO_USED_AT_ONCE = 0.15, 0.25, 0.2
_CARRY_PLAN, _SAY_REASON, _SAY_CLUE_AGAIN = 0.5, 0.7, 0.5
_RECALL, _SO_FAR, _SKIP_LAST_SEAT = 0.1, 0.2, 0.3
_TRY, _GUESS, _SKIP_LOOKUP, _SKIP_FILL = 0.35, 0.2, 0.2, 0.1
_MOST_WAYS = 2
"""No step lists more ways to sit."""


def derive_freely(
    puzzle: Puzzle, solution: SolvedPuzzle, lookups: Sequence[Claim], placed: Placement, chance: random.Random
) -> list[FreeStep]:
    """The steps from the clues of ``puzzle`` to its right options.

    ``lookups`` are what a trace finds out about the blank on the way, with seats as in its placement ``placed``.
    """
    writer = _FreeDerivation(puzzle, chance)
    writer.read_first()
    writer.seat_everybody()
    writer.answer(solution, [_moved(claim, placed, writer.seats) for claim in lookups])
    return writer.steps


class _FreeDerivation:
    def __init__(self, puzzle: Puzzle, chance: random.Random) -> None:
        self.puzzle = puzzle
        self.steps: list[FreeStep] = []
        self._chance = chance
        self._claims = {clue.number: clue.claim for clue in puzzle.clues}
        self._order = chance.sample(sorted(self._claims), len(self._claims))
        self._reading = chance.choices(list(_READING), list(_READING.values()))[0]
        self._asks = chance.choice(("first", "second", "last"))
        self._carries = self._happens(_CARRY_PLAN)
        self._read: dict[int, int] = {}
        """The step that read each clue; 0 is the question."""
        self._at: dict[str, int] = {}
        """The step that said last where somebody sits, or may sit."""
        names, seats = puzzle.names, puzzle.scene.seats
        self._allowed: list[Placement] = [dict(zip(names, way, strict=True)) for way in permutations(seats)]
        self._wrong = self._happens(_TRY)
        """Whether a wrong seat may still be tried."""

    @property
    def seats(self) -> Placement:
        """Who sits where, once all clues are used."""
        [only] = self._allowed
        return only

    def read_first(self) -> None:
        """Read the question and the clues, as far as they are read before the rest."""
        if self._asks == "first":
            self._ask()
        if self._reading == "first":
            waiting = [number for number in self._order if not self._happens(_SKIP_READING)]
            while waiting:
                two = len(waiting) > 1 and self._happens(_TWO_READ_AT_ONCE)
                self._read_clues(waiting[: 2 if two else 1])
                waiting = waiting[2 if two else 1 :]
        if self._asks == "second":
            self._ask()

    def seat_everybody(self) -> None:
        """Use clue after clue until one placement is left, and say who sits where."""
        if len(self.puzzle.scene.symmetries) > 1:
            self._choose_freely()
        pending: list[int] = []
        for place, number in enumerate(self._order, 1):
            pending.append(number)
            last = place == len(self._order)
            after = [one for one in self._allowed if self._holds(pending, one)]
            new = self._to_seat(pending)
            few = len(_ways(after, new)) <= _MOST_WAYS
            if last or (few and not self._happens(_TWO_USED_AT_ONCE)):
                if new:  # else the free choice has said what these clues say
                    self._place(pending, new, after)
                self._allowed, pending = after, []
                seated = [name for name in self.puzzle.names if self._is_seated(name)]
                if len(seated) > 1 and self._happens(_SO_FAR):
                    self._say_places("so far", seated, [self._at[name] for name in seated])
        over = [name for name in self.puzzle.names if name not in self._at]
        if over and not self._happens(_SKIP_LAST_SEAT):
            self._say_places("left over", over, self._at.values())

    def answer(self, solution: SolvedPuzzle, lookups: Sequence[Claim]) -> None:
        """From the question to the names that fill the blank, and to the letters."""
        if self._asks == "last":
            self._ask()
        asked = self.puzzle.question
        for claim in lookups:
            if not self._happens(_SKIP_LOOKUP):
                named = [name for name in names_of((*asked, *claim)) if name != BLANK]
                self._infer("look", claim, named)
                asked = claim
        filled = tuple([(Equal(BLANK, name),) for name in solution.filled]) or ((Nobody(),),)
        if self._happens(_GUESS):
            self._guess(solution)
        if not self._happens(_SKIP_FILL):
            self._infer("fill", filled, solution.filled)
        letters = tuple(self.puzzle.options)
        last = max([at for at, step in enumerate(self.steps, 1) if step.move in ("fill", "look", "place")])
        names = tuple(entity_word(name) for name in solution.filled if name in self.puzzle.options.values())
        self.steps.append(FreeStep("answer", ((RightOptions(solution.letters),),), letters, (last,), names=names))

    def _happens(self, share: float) -> bool:
        return self._chance.random() < share

    def _holds(self, numbers: Iterable[int], placement: Placement) -> bool:
        return all(holds(self._claims[number], self.puzzle.scene, placement) for number in numbers)

    def _ask(self) -> None:
        if self._asks == "last" and self._happens(_SKIP_READING):
            return
        self.steps.append(FreeStep("question", self.puzzle.question, ("question",)))
        self._read[0] = len(self.steps)

    def _read_clues(self, numbers: Sequence[int]) -> None:
        """Read one clue, or two of one alternative in one step; of others each alone."""
        claims = [self._claims[number] for number in numbers]
        if len(numbers) == 2 and any(len(claim) > 1 for claim in claims):
            for number in numbers:
                self._read_clues([number])
            return
        claim = claims[0] if len(claims) == 1 else ((*claims[0][0], *claims[1][0]),)
        words = tuple(f"({number})" for number in numbers)
        self.steps.append(FreeStep("clue" if len(numbers) == 1 else "clues", claim, words, clues=tuple(numbers)))
        self._read |= dict.fromkeys(numbers, len(self.steps))

    def _read_before_use(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if number not in self._read and self._reading == "at use" and not self._happens(_SKIP_READING):
                self._read_clues([number])
            elif number in self._read and self._happens(_RECALL):
                claim = self._claims[number]
                self.steps.append(FreeStep("recall", claim, (f"({number})",), (self._read[number],), clues=(number,)))
                self._read[number] = len(self.steps)

    def _refer(self, numbers: Iterable[int]) -> tuple[tuple[str, ...], list[int]]:
        """How a step names clues: those that were read by the step, the others by their number."""
        numbers = list(numbers)
        words = tuple(f"({number})" for number in numbers if number not in self._read)
        return words, [self._read[number] for number in numbers if number in self._read]

    def _choose_freely(self) -> None:
        """What a turn of the scene leaves free: two people where the first clue leaves no other choice, or a bench."""
        first = self._order[0]
        names = list(names_of(self._claims[first]))
        ways = _ways([one for one in self._allowed if self._holds([first], one)], names)
        if len(ways) == len(self.puzzle.scene.symmetries):
            self._read_before_use([first])
            way = self._chance.choice(ways)
            words, cites = self._refer([first])
            self._keep([way])
            self._say_ways("choose", [way], ("wlog", *words), cites, (), [first])
            return
        name, seats = self._chance.choice(names), self.puzzle.scene.seats
        half = self._chance.choice((seats[:2], seats[2:]))
        bench = [{name: seat} for seat in half]
        self._keep(bench)
        self._say_ways("choose", bench, ("wlog",), (), (), ())

    def _keep(self, ways: Sequence[Placement]) -> None:
        self._allowed = [one for one in self._allowed if any(way.items() <= one.items() for way in ways)]

    def _to_seat(self, clues: Iterable[int]) -> list[str]:
        """Those whom the clues name, or who were seated in several ways, in order; not those whose seat is known."""
        named = {name for number in clues for name in names_of(self._claims[number])} | set(self._at)
        return [name for name in self.puzzle.names if name in named and not self._is_seated(name)]

    def _is_seated(self, name: str) -> bool:
        return name in self._at and len({one[name] for one in self._allowed}) == 1

    def _place(self, clues: Sequence[int], new: Sequence[str], after: list[Placement]) -> None:
        """Say where ``new`` sit, now that ``clues`` are used too and the placements ``after`` are left."""
        self._read_before_use(clues)
        if self._wrong:
            self._try_a_wrong_seat(clues, new, after)
        about = [name for number in clues for name in names_of(self._claims[number])]
        known = [name for name in dict.fromkeys(about) if self._is_seated(name)]
        others = [name for name in self.puzzle.names if self._is_seated(name) and name not in known]
        carried = [*others, *known] if self._carries else []
        words, cites = self._refer(clues)
        cites += [self._at[name] for name in (*new, *known, *carried) if name in self._at]
        said = self._said(known) if self._happens(_SAY_REASON) else ()
        self._say_ways("place", _ways(after, [*carried, *new]), ("scene", *words), cites, said, clues)

    def _try_a_wrong_seat(self, clues: Sequence[int], new: Sequence[str], after: list[Placement]) -> None:
        """A seat that was open, and that the clues forbid; then the clue that it breaks."""
        wrong = sorted(
            {(name, one[name], number) for one in self._allowed for name in new for number in clues
             if name in names_of(self._claims[number]) and not any(
                 other[name] == one[name] for other in self._allowed if self._holds([number], other))}
        )  # fmt: skip
        if not wrong:
            return
        name, seat, number = self._chance.choice(wrong)
        self._wrong = False
        self.steps.append(FreeStep("try", ((Place(name, seat),),), (), tuple(sorted(set(self._at.values())))))
        words, cites = self._refer([number])
        cites.append(len(self.steps))
        self.steps.append(FreeStep("break", self._claims[number], words, tuple(sorted(cites)), clues=(number,)))

    def _say_places(self, move: Move, names: Sequence[str], cites: Iterable[int]) -> None:
        """Say where ``names`` sit, which is known."""
        self._say_ways(move, _ways(self._allowed, names), (), cites, (), ())

    def _say_ways(
        self,
        move: Move,
        ways: Sequence[Placement],
        words: tuple[str, ...],
        cites: Iterable[int],
        said: tuple[Place, ...],
        clues: Sequence[int],
    ) -> None:
        claim = tuple([tuple([Place(name, seat) for name, seat in way.items()]) for way in ways])
        again = bool(clues) and self._happens(_SAY_CLUE_AGAIN)
        self.steps.append(FreeStep(move, claim, words, tuple(sorted(set(cites))), said, tuple(clues), again))
        self._at |= dict.fromkeys(ways[0], len(self.steps))

    def _said(self, names: Iterable[str]) -> tuple[Place, ...]:
        return tuple(Place(name, next(one[name] for one in self._allowed)) for name in names)

    def _infer(self, move: Move, claim: Claim, named: Sequence[str]) -> None:
        """A step about the blank, from where ``named`` sit."""
        said = self._said(dict.fromkeys(named)) if self._happens(_SAY_REASON) else ()
        asking = ("look", "question", "recall question")
        before = [at for at, step in enumerate(self.steps, 1) if step.move in asking][-1:]
        cites = {*before, *(self._at[name] for name in named if name in self._at)}
        scene = ("scene",) if move == "look" else ()
        self.steps.append(FreeStep(move, claim, scene, tuple(sorted(cites)), said))
        if move == "look" and self._happens(_RECALL) and 0 in self._read:
            self.steps.append(FreeStep("recall question", self.puzzle.question, ("question",), (self._read[0],)))

    def _guess(self, solution: SolvedPuzzle) -> None:
        """A name that does not fill the blank; then where that person sits."""
        others = [name for name in self.puzzle.names if name not in solution.filled]
        if not others:
            return
        name = self._chance.choice(others)
        self.steps.append(FreeStep("guess", ((Equal(BLANK, name),),), (), (len(self.steps),)))
        cites = sorted({len(self.steps), *([self._at[name]] if name in self._at else [])})
        self.steps.append(FreeStep("unguess", ((Place(name, self.seats[name]),),), (), tuple(cites)))


def _ways(allowed: Iterable[Placement], names: Sequence[str]) -> list[Placement]:
    """The different ways in which ``names`` sit in ``allowed``."""
    found = dict.fromkeys(tuple(one[name] for name in names) for one in allowed)
    return [dict(zip(names, seats, strict=True)) for seats in found]


def _moved(claim: Claim, placed: Placement, seats: Placement) -> Claim:
    """``claim`` about the blank, from a placement to a turn of it; without the seats of others that it repeats."""
    at = {seat: seats[name] for name, seat in placed.items()}
    kept = (tuple(atom for atom in atoms if BLANK in atom_names(atom)) for atoms in claim)
    return tuple(
        tuple(Place(atom.name, at[atom.seat]) if isinstance(atom, Place) else atom for atom in atoms) for atoms in kept
    )
