"""What ``srt mutate`` plants in traces of routes, and the oracle that says whether a mutant is still valid.

A walk has one derivation, so a mutant is valid exactly where it is that derivation, in any order that puts every step
after what it cites. That takes the solver, and nothing of the checker.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from srt.io.records import Problem
from srt.language.faults import TRUTH_CHANGING, Fault, FaultClass
from srt.language.trace import Step, Trace
from srt.worlds.kit import mutated_steps
from srt.worlds.kit.mutated_steps import replace_step, with_step, with_steps
from srt.worlds.kit.mutation import Mutant, OracleVerdict
from srt.worlds.routes.derivation.derive import conclusion, needed_facts, steps_of
from srt.worlds.routes.derivation.solve_route import solve_route, truth_of
from srt.worlds.routes.reading.read_route import read_route
from srt.worlds.routes.walk import CLOCKWISE, Turn, result
from srt.worlds.world import Refused


class RouteFault(FaultClass):
    """Faults that only walks have."""

    MIRRORED_TURN = (
        "mirrored_turn",
        TRUTH_CHANGING,
        "a turn is read to the other side, and all later steps follow from that",
        Fault.MISREAD,
    )
    OLD_DIRECTION = (
        "old_direction",
        TRUTH_CHANGING,
        "a leg goes in the direction that was faced before its turn",
        Fault.FALSE_CLAIM,
    )
    FORGOTTEN_LEG = (
        "forgotten_leg",
        TRUTH_CHANGING,
        "a place, or a way back, is still that from before the leg",
        Fault.FALSE_CLAIM,
    )


@dataclass(frozen=True)
class RouteSubject:
    """A valid trace of a problem; raises a :class:`ValueError` for any other."""

    problem: Problem
    trace: Trace

    def __post_init__(self) -> None:
        """Refuse what is not the exact derivation."""
        try:
            exact = solve_route(self.problem)
        except Refused as refused:
            raise ValueError(str(refused)) from None
        if _content(self.trace) != _content(exact):
            raise ValueError("it is not the exact derivation")

    def mutate(self, fault: FaultClass, rng: random.Random) -> Mutant | None:
        """A mutant with ``fault``; ``None`` where there is no place for it, or it is another world's."""
        if fault is RouteFault.MIRRORED_TURN:
            return _mirrored_turn(self.problem, self.trace, rng)
        return _PLANTS[fault](self.trace, rng) if fault in _PLANTS else None

    def judge(self, trace: Trace) -> OracleVerdict:
        """By the exact derivation, and by what is true of the walk."""
        truth = truth_of(self.problem)
        conclusions = [f"options = {{{trace.answer}}}" if self.problem.choices else f"answer = {trace.answer}"]
        claims = [*conclusions, *(step.claim or "" for step in trace.steps)]
        false = tuple(number for number, claim in enumerate(claims) if truth(claim) == "false")  # 0 is the answer
        return OracleVerdict(() if _content(trace) == _content(self.trace) else ("another derivation",), false)


def _content(trace: Trace) -> Counter[tuple[str, tuple[str, ...], str]]:
    """The steps, each with the claims of the steps that it cites instead of their numbers, and the answer."""
    content = Counter[tuple[str, tuple[str, ...], str]]([("answer", (), trace.answer)])
    said: dict[str, str] = {}
    for number, step in enumerate(trace.steps, 1):
        said[f"#{number}"] = claim = step.claim or ""
        content[step.op, tuple(sorted(said.get(word, word) for word in step.args)), claim] += 1
    return content


def _mirrored_turn(problem: Problem, trace: Trace, rng: random.Random) -> Mutant | None:
    route = read_route(problem)
    other: dict[Turn, Turn] = {"left": "right", "right": "left"}
    places = [at for at, move in enumerate(route.walk.moves) if move.turn in other]
    if not places:
        return None
    at = rng.choice(places)
    moves = list(route.walk.moves)
    moves[at] = moves[at]._replace(turn=other[moves[at].turn])
    wrong = route.walk._replace(moves=tuple(moves))
    value = result(route.asked, wrong)
    letters = [letter for letter, said in route.options.items() if said == value]
    answer = (letters or [trace.answer])[0] if route.options else str(value)
    facts = needed_facts(route.asked, wrong)
    if f"turn({at + 2})" not in facts or value is None:
        return None
    steps = list(steps_of(facts))
    steps.append(conclusion(problem.choices, answer, len(steps)))
    read = next(n for n, step in enumerate(steps, 1) if (step.claim or "").startswith(f"turn({at + 2})"))
    mutant = with_steps(trace, steps, read, f"sentence ({at + 2}) read as a turn to the {moves[at].turn}")
    return Mutant(mutant.trace.model_copy(update={"answer": answer}), mutant.step, mutant.change)


def _old_direction(trace: Trace, rng: random.Random) -> Mutant | None:
    facing = _values(trace, "facing")

    def old(claim: str) -> str | None:
        name, _, value = claim.partition(" = ")
        steps, _, now = value.partition(" ")
        before = facing.get(_number(name) - 1)
        return f"{name} = {steps} {before}" if name.startswith("leg(") and before not in (None, now) else None

    return _reworded(trace, rng, old)


def _forgotten_leg(trace: Trace, rng: random.Random) -> Mutant | None:
    before = {name: {1: nothing, **_values(trace, name)} for name, nothing in (("at", "start"), ("back", "none"))}

    def still(claim: str) -> str | None:
        subject, _, value = claim.partition(" = ")
        known = before.get(subject.partition("(")[0], {}).get(_number(subject) - 1)
        return f"{subject} = {known}" if known not in (None, value) else None

    return _reworded(trace, rng, still)


def _another_direction(trace: Trace, rng: random.Random) -> Mutant | None:
    def turned(claim: str) -> str | None:
        found = [word for word in claim.replace(",", " ").split() if word in CLOCKWISE]
        if not found or "at(" in claim:  # east and west stand before north and south in a place
            return None
        old = rng.choice(found)
        return claim.replace(old, rng.choice([word for word in CLOCKWISE if word != old]), 1)

    return _reworded(trace, rng, turned)


def _another_number(trace: Trace, rng: random.Random) -> Mutant | None:
    def counted(claim: str) -> str | None:
        subject, _, value = claim.partition(" = ")
        numbers = [word for word in value.replace(",", " ").split() if word.isdigit() and word != "0"]
        if not numbers:
            return None
        old = rng.choice(numbers)
        return f"{subject} = {value.replace(old, str(int(old) + rng.choice((1, 2, 3))), 1)}"

    return _reworded(trace, rng, counted)


def _reworded(trace: Trace, rng: random.Random, change: Callable[[str], str | None]) -> Mutant | None:
    """The mutant with one claim changed, of those for which ``change`` gives another."""
    claims = [(number, change(step.claim or "")) for number, step in enumerate(trace.steps, 1)]
    places = [(number, claim) for number, claim in claims if claim is not None]
    if not places:
        return None
    number, claim = rng.choice(places)
    return with_step(trace, number, replace_step(trace.steps[number - 1], claim=claim))


def _values(trace: Trace, name: str) -> dict[int, str]:
    """The values of the claims ``name``, by the number of the sentence."""
    claims = [(step.claim or "").partition(" = ") for step in trace.steps]
    return {_number(subject): value for subject, _, value in claims if subject.startswith(f"{name}(")}


def _number(subject: str) -> int:
    return int(subject.partition("(")[2].rstrip(")") or 0)


def _other_conclusion(trace: Trace, rng: random.Random) -> tuple[Step, str] | None:
    """The last step with another letter, or another number, and that."""
    last = trace.steps[-1]
    letters = [word for word in last.args if len(word) == 1 and word != trace.answer]
    answer = rng.choice(letters) if letters else str(int(trace.answer) + rng.randint(1, 9))
    claim = f"options = {{{answer}}}" if letters else f"answer = {answer}"
    return replace_step(last, claim=claim), answer


def _wrong_options(trace: Trace, rng: random.Random) -> Mutant | None:
    if not (trace.steps[-1].claim or "").startswith("options") or (other := _other_conclusion(trace, rng)) is None:
        return None
    return with_step(trace, len(trace.steps), other[0])


def _wrong_answer(trace: Trace, rng: random.Random) -> Mutant | None:
    if (other := _other_conclusion(trace, rng)) is None:
        return None
    return Mutant(trace.model_copy(update={"answer": other[1]}), 0, f"answer {trace.answer} -> {other[1]}")


def _wrong_conclusion(trace: Trace, rng: random.Random) -> Mutant | None:
    if (other := _other_conclusion(trace, rng)) is None:
        return None
    mutant = with_step(trace, len(trace.steps), other[0])
    return Mutant(mutant.trace.model_copy(update={"answer": other[1]}), mutant.step, mutant.change)


def _dangling(trace: Trace, rng: random.Random) -> Mutant | None:
    number, word = rng.choice(mutated_steps.citations(trace))
    if word.startswith("#"):
        new = f"#{len(trace.steps) + rng.randint(1, 9)}"
    elif word.startswith("("):
        new = f"({90 + rng.randint(1, 9)})"
    else:
        return None
    return mutated_steps.with_premise(trace, number, word, new)


def _unused_step(trace: Trace, rng: random.Random) -> Mutant | None:
    """A step stands there twice; what cited it cites the first, or one of the two if there are several."""
    steps = list(trace.steps)
    at = rng.randrange(len(steps) - 1)
    new_number = {n: n + (n > at + 1) for n in range(1, len(steps) + 1)}
    later = mutated_steps.renumbered(steps[at + 1 :], new_number)
    users = [n for n, step in enumerate(later) if f"#{at + 1}" in step.args]
    if len(users) > 1:
        user = rng.choice(users)
        args = [f"#{at + 2}" if word == f"#{at + 1}" else word for word in later[user].args]
        later[user] = replace_step(later[user], args=args)
    return with_steps(trace, [*steps[: at + 1], steps[at], *later], at + 2, f"{steps[at].claim} twice")


def _misquoted_clue(trace: Trace, rng: random.Random) -> Mutant | None:
    readings = [(number, word) for number, word in mutated_steps.citations(trace) if word.startswith("(")]
    number, word = rng.choice(readings)
    others = sorted({other for _, other in readings} - {word})
    return mutated_steps.with_premise(trace, number, word, rng.choice(others)) if others else None


def _leap(trace: Trace, rng: random.Random) -> Mutant | None:
    return None if _with_options(trace) else _answered_at_once(trace)


def _guessed(trace: Trace, rng: random.Random) -> Mutant | None:
    return _answered_at_once(trace) if _with_options(trace) else None


def _answered_at_once(trace: Trace) -> Mutant:
    last = trace.steps[-1]
    alone = replace_step(last, args=[word for word in last.args if not word.startswith("#")])
    return with_steps(trace, [alone], 1, f"{last.claim} at once")


def _with_options(trace: Trace) -> bool:
    return (trace.steps[-1].claim or "").startswith("options")


def _idle_premise(trace: Trace, rng: random.Random) -> Mutant | None:
    number = rng.randint(2, len(trace.steps))
    step = trace.steps[number - 1]
    others = [f"#{n}" for n in range(1, number) if f"#{n}" not in step.args]
    if not others:
        return None
    return with_step(trace, number, replace_step(step, args=[*step.args, rng.choice(others)]))


_PLANTS: dict[FaultClass, Callable[[Trace, random.Random], Mutant | None]] = {
    RouteFault.OLD_DIRECTION: _old_direction,
    RouteFault.FORGOTTEN_LEG: _forgotten_leg,
    Fault.ANOTHER_RELATION: _another_direction,
    Fault.ANOTHER_NUMBER: _another_number,
    Fault.WRONG_OPTIONS: _wrong_options,
    Fault.WRONG_ANSWER: _wrong_answer,
    Fault.WRONG_CONCLUSION: _wrong_conclusion,
    Fault.STEP_DROPPED: mutated_steps.step_dropped,
    Fault.NUMBERS_KEPT: mutated_steps.numbers_kept,
    Fault.ORDER_BROKEN: mutated_steps.order_broken,
    Fault.PREMISE_REPLACED: mutated_steps.premise_replaced,
    Fault.PREMISE_LEFT_OUT: mutated_steps.premise_left_out,
    Fault.DANGLING_REFERENCE: _dangling,
    Fault.MISLABELLED: mutated_steps.mislabelled,
    Fault.UNUSED_STEP: _unused_step,
    Fault.MISQUOTED_CLUE: _misquoted_clue,
    Fault.LEAP: _leap,
    Fault.GUESSED: _guessed,
    Fault.STEP_SKIPPED: mutated_steps.step_skipped,
    Fault.IDLE_PREMISE: _idle_premise,
}
PLANTED: tuple[FaultClass, ...] = (RouteFault.MIRRORED_TURN, *_PLANTS)
"""All classes, in the order of the table. The first is made of the problem, the others of the trace alone."""
