"""A naive oracle: whether a trace is proved, and which of its claims are false.

This is what the checker is tried against, so it shares nothing with it: every placement of the entities is written out
(:mod:`.oracle_placements`), every ground claim is asked of :func:`srt.worlds.seating.relations.holds`, and the rules of
``docs/seating.md`` and ``docs/language.md`` are applied literally. Slow for one trace, fast for many: ground claims and
whole steps are remembered by scene, with the names numbered.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

import numpy as np

from srt.answers.written_form import read_answer
from srt.io.records import Problem
from srt.language.premises import Premise, parse_premise
from srt.language.trace import Step, Trace
from srt.worlds.kit.mutation import OracleVerdict
from srt.worlds.seating.claim_language import (
    BLANK,
    Apply,
    Atom,
    Claim,
    Equal,
    Meet,
    Nobody,
    Place,
    RightOptions,
    names_of,
    parse_claim,
    rename,
    rename_atom,
)
from srt.worlds.seating.faults.oracle_lookup_or_substitution import depth
from srt.worlds.seating.faults.oracle_one_inference import (
    CitedClaim,
    Inference,
    needless,
    speaks_of_seats,
    too_much_at_once,
)
from srt.worlds.seating.faults.oracle_placements import (
    Bools,
    Letters,
    ground,
    models,
    placements,
    says_the_same,
    speaks_of_options,
    speaks_of_the_blank,
    truth,
)
from srt.worlds.seating.faults.oracle_repetition import AlreadySaid, leading_up, says_a_thing_twice
from srt.worlds.seating.reading.problem_reader import Puzzle, read_problem
from srt.worlds.seating.relations import function_table, region_table
from srt.worlds.seating.scenes import Scene


class Oracle:
    """Judges traces of one problem; raises :class:`~srt.worlds.world.Refused` where the problem is not understood."""

    def __init__(self, problem: Problem) -> None:
        self.puzzle: Puzzle = read_problem(problem)
        self._numbers = {name: str(number) for number, name in enumerate(self.puzzle.names)}
        self._clues = {clue.number: self._numbered(clue.claim) for clue in self.puzzle.clues}
        self._question = self._numbered(self.puzzle.question)
        self._letters: Letters = tuple(
            (letter, None if name is None else self._numbers[name]) for letter, name in self.puzzle.options.items()
        )
        self._choices = problem.choices
        self._solutions = models(self.puzzle.scene, tuple(self._clues.values()))

    def judge(self, trace: Trace) -> OracleVerdict:
        """The verdict on ``trace``."""
        claims = [self._parsed(step) for step in trace.steps]
        step_faults = self._step_faults(trace, claims)
        faults = [f"step {number} {fault}" for number, fault in enumerate(step_faults, 1) if fault]
        final = self._options(trace.answer)
        ending = [number for number, claim in enumerate(claims, 1) if final is not None and claim == final]
        cited = [parse_premise(word) for step in trace.steps for word in step.args]
        used = {premise.number for premise in cited if premise.kind == "step"}
        readings = [step.op == "CORRELATE" and not fault for step, fault in zip(trace.steps, step_faults, strict=True)]
        used |= {*ending, *leading_up(trace.steps, claims, readings)}
        faults += [f"step {number} is not used" for number in range(1, len(claims) + 1) if number not in used]
        if not ending:
            faults.append("the answer does not follow")
        return OracleVerdict(tuple(faults), self._false(trace, claims, step_faults))

    def placement(self, trace: Trace) -> dict[str, str] | None:
        """The first placement that satisfies all clues and has the seats that ``trace`` chose."""
        claims = [self._parsed(step) for step in trace.steps]
        allowed = self._allowed(trace, claims, self._step_faults(trace, claims))[-1]
        if not allowed.any():
            return None
        seats = placements(self.puzzle.scene)[int(np.argmax(allowed))]
        return {name: seats[number] for name, number in self._numbers.items()}

    def _numbered(self, claim: Claim) -> Claim:
        """``claim`` with numbers for names; :class:`ValueError` for an unknown name or a word that the scene lacks."""
        unknown = set(names_of(claim)) - {BLANK} - set(self._numbers)
        if unknown:
            raise ValueError(f"{min(unknown)!r} is not an entity of the problem")
        if any(isinstance(atom, Nobody) for atom in itertools.chain(*claim)):
            *seats, last = claim[-1]
            if len(claim) > 1 or last != Nobody() or not all(isinstance(a, Place) and a.name != BLANK for a in seats):
                raise ValueError("'? = none' stands alone, or after seats")
        if speaks_of_options(claim) and [len(atoms) for atoms in claim] != [1]:
            raise ValueError("'options = {..}' stands alone")
        renamed = rename(claim, self._numbers)
        for atom in itertools.chain(*renamed):
            _must_mean_something(self.puzzle.scene, atom)
        return renamed

    def _parsed(self, step: Step) -> Claim | None:
        try:
            return self._numbered(parse_claim(step.claim or ""))
        except ValueError:  # A ClaimError among them.
            return None

    def _step_faults(self, trace: Trace, claims: Sequence[Claim | None]) -> list[str]:
        """What is wrong with each step; empty where nothing is."""
        faults: list[str] = []
        chosen = False  # Whether an earlier step has used the symmetry up.
        readings: set[int] = set()
        said = AlreadySaid(self.puzzle.scene)
        for number, step in enumerate(trace.steps, 1):
            cited = [parse_premise(word) for word in step.args]
            faults.append(self._step_fault(number, step, cited, claims, chosen, readings))
            if not faults[-1] and (claim := claims[number - 1]) is not None:
                faults[-1] = self._repetition(step, claim, said)
            if step.op == "CORRELATE" and not faults[-1]:
                readings.add(number)
            chosen |= Premise("wlog") in cited
        return faults

    def _repetition(self, step: Step, claim: Claim, said: AlreadySaid) -> str:
        """Whether a faultless step says something again; if it does not, what it says is added to ``said``."""
        if says_a_thing_twice(self.puzzle.scene, claim):
            return "says a thing twice"
        if step.op != "CORRELATE" and said.has(claim):
            return "says what an earlier step says"
        said.add(claim)
        return ""

    def _step_fault(
        self,
        number: int,
        step: Step,
        cited: Sequence[Premise],
        claims: Sequence[Claim | None],
        chosen: bool,
        readings: Collection[int],
    ) -> str:
        # The first fault is the one reported: whether the claim follows is asked only of a step that is well made.
        claim = claims[number - 1]
        if claim is None:
            return "cannot be read"
        known: list[CitedClaim] = []
        letters: Letters = ()
        for premise in cited:
            if premise.kind == "given":
                if premise.number not in self._clues:
                    return f"cites clue ({premise.number}), which does not exist"
                known.append(CitedClaim(str(premise), self._clues[premise.number], reading=True))
            elif premise.kind == "question":
                known.append(CitedClaim(str(premise), self._question, reading=True))
            elif premise.kind == "step":
                if premise.number >= number:
                    return f"cites #{premise.number}, which does not stand before it"
                earlier = claims[premise.number - 1]
                if earlier is None:
                    return f"cites #{premise.number}, which cannot be read"
                known.append(CitedClaim(str(premise), earlier, premise.number in readings))
            elif premise.kind == "option":
                if premise.name not in self.puzzle.options:
                    return f"cites option {premise.name}, which does not exist"
                letters += tuple(option for option in self._letters if option[0] == premise.name)
            elif premise.kind == "entity" and premise.name not in self._numbers:
                return f"cites {premise.name}, who is nobody here"
        right = _right_operation(self.puzzle.scene, claim, cited, [one.claim for one in known])
        if step.op != right:
            return f"is mislabelled: it would be {right}"
        if speaks_of_options(claim) and len(set(letters)) < len(self._letters):
            return "does not cite every option"
        if chosen and Premise("wlog") in cited:
            return "uses the symmetry a second time"
        if right == "CORRELATE":
            return ""  # It says what is cited, right or wrong: a question may suppose what is not so.
        named = [Premise("entity", name=self._numbers[p.name]) if p.kind == "entity" else p for p in cited]
        inference = Inference(self.puzzle.scene, claim, named, known, tuple(sorted(set(letters))))
        if not inference.follows():
            return "does not follow from what it cites"
        # In this order: a leap may also have idle premises, but what is wrong with it is that it leaps.
        return too_much_at_once(inference) or needless(inference)

    def _allowed(self, trace: Trace, claims: Sequence[Claim | None], faults: Sequence[str]) -> list[Bools]:
        """Before each step, and at the end: the solutions with the seats that ``wlog`` steps without a fault chose."""
        allowed = [self._solutions]
        for step, claim, fault in zip(trace.steps, claims, faults, strict=True):
            free = "wlog" in step.args and not fault and claim is not None
            narrower = allowed[-1] & models(self.puzzle.scene, (claim,)) if free else allowed[-1]
            # A choice from premises that contradict the clues is not proved, and may fit no solution.
            allowed.append(narrower if narrower.any() else allowed[-1])
        return allowed

    def _false(self, trace: Trace, claims: Sequence[Claim | None], faults: Sequence[str]) -> tuple[int, ...]:
        allowed = self._allowed(trace, claims, faults)

        def is_false(claim: Claim, before: int) -> bool:
            return not (allowed[before] & truth(self.puzzle.scene, claim, self._question, self._letters)).any()

        false = [n for n, claim in enumerate(claims, 1) if claim is not None and is_false(claim, n - 1)]
        answer = self._options(trace.answer)
        return (*false, 0) if answer is not None and is_false(answer, -1) else tuple(false)

    def _options(self, answer: str) -> Claim | None:
        """What an answer says of the options; ``None`` where it cannot be read, so that it says nothing false."""
        read = read_answer(answer, "choice_set", self._choices).answer
        return None if read is None else ((RightOptions(tuple(read.value)),),)


def _right_operation(scene: Scene, claim: Claim, cited: Sequence[Premise], known: Sequence[Claim]) -> str:
    """The word for a step with this claim and these premises; ``known`` is what its clues and steps say."""
    if len(cited) == 1 and cited[0].kind in ("given", "question"):
        given = known[0]
        relation = not speaks_of_seats(claim) or speaks_of_seats(given)
        exact = set(names_of(claim)) == set(names_of(given)) and depth(claim) == depth(given)
        if relation and exact and says_the_same(scene, claim, given):
            return "CORRELATE"
    return "INFER" if speaks_of_the_blank(claim) or speaks_of_options(claim) else "CONSTRAIN"


def _must_mean_something(scene: Scene, atom: Atom) -> None:
    """Raise :class:`ValueError` for a seat or a relation that the scene does not have."""
    if isinstance(atom, Place) and atom.seat not in scene.seats:
        raise ValueError(f"{atom.seat} is no seat here")
    if not isinstance(atom, (RightOptions, Nobody)):
        ground(scene, rename_atom(atom, {BLANK: "0"}))
    if isinstance(atom, Equal):  # A function of nobody is never looked up by holds.
        for term in (atom.left, atom.right):
            while isinstance(term, Apply):
                function_table(scene, term.function, term.k)
                term = term.argument
    if isinstance(atom, Meet):
        for region in (atom.first, atom.second):
            region_table(scene, region.name, region.k)
