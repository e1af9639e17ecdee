"""The faults: those that any trace can have, and those of measures: a wrong formula, a mistaken value, a unit kept."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from srt.io.records import Problem
from srt.language.faults import TRUTH_CHANGING, Fault, FaultClass
from srt.language.trace import Step, Trace
from srt.worlds.kit import mutated_steps
from srt.worlds.kit.mutated_steps import replace_step, with_step, with_steps
from srt.worlds.kit.mutation import Mutant, OracleVerdict
from srt.worlds.solids.derivation.derive import Derivation, everything, steps_of
from srt.worlds.solids.derivation.solve_solid import asked_steps, right_letters
from srt.worlds.solids.faults.oracle import oracle_verdict
from srt.worlds.solids.formulas import formula_text
from srt.worlds.solids.reading.read_solid import read_solid
from srt.worlds.solids.sampling.mistakes import changed_steps, followed
from srt.worlds.solids.statement import Measure
from srt.worlds.world import Refused


class SolidFault(FaultClass):
    """Faults that only measures of solids have."""

    WRONG_FORMULA = (
        "wrong_formula",
        TRUTH_CHANGING,
        "a formula has a mistake (a factor, a power, a part), and all later steps follow from that",
        Fault.FALSE_CLAIM,
    )
    MISTAKEN_VALUE = (
        "mistaken_value",
        TRUTH_CHANGING,
        "the formula is right and the value that of a mistake (diameter for radius, slant height for height)",
        Fault.FALSE_CLAIM,
    )
    UNIT_KEPT = (
        "unit_kept",
        TRUTH_CHANGING,
        "the unit of a claim is another, and its number the same",
        Fault.FALSE_CLAIM,
    )


@dataclass(frozen=True)
class SolidSubject:
    """A valid trace of a problem; raises a :class:`ValueError` for any other."""

    problem: Problem
    trace: Trace

    def __post_init__(self) -> None:
        """Refuse what the oracle does not find proved."""
        try:
            faults = oracle_verdict(self.problem, self.trace).faults
        except Refused as refused:
            raise ValueError(str(refused)) from None
        if faults:
            raise ValueError(faults[0])

    def mutate(self, fault: FaultClass, rng: random.Random) -> Mutant | None:
        """A mutant with ``fault``; ``None`` where there is no place for it, or it is another world's."""
        if fault is SolidFault.WRONG_FORMULA:
            return _wrong_formula(self.problem, self.trace, rng)
        if fault is SolidFault.MISTAKEN_VALUE:
            return _mistaken_value(self.problem, self.trace, rng)
        return _PLANTS[fault](self.trace, rng) if fault in _PLANTS else None

    def judge(self, trace: Trace) -> OracleVerdict:
        """By the solver's table and arithmetic."""
        return oracle_verdict(self.problem, trace)


def _wrong_formula(problem: Problem, trace: Trace, rng: random.Random) -> Mutant | None:
    """The exact derivation with one formula changed, and what follows from that."""
    read = read_solid(problem)
    steps = asked_steps(read, problem)
    inside = {key: step for key, step in steps.items() if key not in ("?", "!")}
    changes = [change for change in changed_steps(inside, everything(read.statement)) if change.formula is not None]
    rng.shuffle(changes)
    for change in changes:
        measures = followed(inside, {change.key: change.number})
        rule, old = inside[change.key].rule, inside[change.key].measure
        if measures is None or rule is None or change.formula is None or old is None or old.number == change.number:
            continue
        if set(_names(formula_text(change.formula))) != set(_names(formula_text(rule.formula))):
            continue
        new: Derivation = {}
        for key, step in steps.items():
            claim = step.claim
            if key in measures:
                claim = f"{claim.rpartition(' = ')[0]} = {measures[key]}"
            if key == change.key:
                claim = f"{rule.target} = {formula_text(change.formula)} = {measures[key]}"
            new[key] = step._replace(claim=claim)
        letters = right_letters(read, measures[read.statement.asked])
        answer = (letters or [trace.answer])[0] if problem.choices else str(measures[read.statement.asked])
        new["!"] = new["!"]._replace(claim=f"options = {{{answer}}}" if problem.choices else f"answer = {answer}")
        at = list(new).index(change.key) + 1
        mutant = with_steps(trace, list(steps_of(new)), at, f"{change.mistake}: {new[change.key].claim}")
        return Mutant(mutant.trace.model_copy(update={"answer": answer}), at, mutant.change)
    return None


def _mistaken_value(problem: Problem, trace: Trace, rng: random.Random) -> Mutant | None:
    """One value is that of a mistake; its formula and all other steps stay."""
    read = read_solid(problem)
    inside = {k: s for k, s in asked_steps(read, problem).items() if k not in ("?", "!")}
    changes = [c for c in changed_steps(inside, everything(read.statement)) if inside[c.key].rule is not None]
    rng.shuffle(changes)
    for change in changes:
        step = inside[change.key]
        if step.measure is None or step.measure.number == change.number:
            continue
        at = next((n for n, other in enumerate(trace.steps, 1) if other.claim == step.claim), None)
        if at is not None:
            value = Measure(change.number, step.measure.unit)
            claim = f"{step.claim.rpartition(' = ')[0]} = {value}"
            return with_step(trace, at, replace_step(trace.steps[at - 1], claim=claim))
    return None


def _unit_kept(trace: Trace, rng: random.Random) -> Mutant | None:
    units = ["mm", "cm", "dm", "m"]

    def other(claim: str) -> str | None:
        match = re.search(r" (mm|cm|dm|m)(\^[23])?$", claim)
        if match is None or claim.startswith("answer"):
            return None
        new = rng.choice([unit for unit in units if unit != match[1]])
        return f"{claim[: match.start()]} {new}{match[2] or ''}"

    return _reworded(trace, rng, other)


def _another_measure(trace: Trace, rng: random.Random) -> Mutant | None:
    """A claim is about another measure of the same trace."""
    names = sorted({name for step in trace.steps for name in _names(step.claim or "")})

    def other(claim: str) -> str | None:
        name, equals, value = claim.partition(" = ")
        rest = [known for known in names if known != name]
        if not re.fullmatch(r"[A-Za-z]\([a-z]+\)", name) or not rest:
            return None
        return f"{rng.choice(rest)}{equals}{value}"

    return _reworded(trace, rng, other)


def _names(text: str) -> list[str]:
    return re.findall(
        r"\b[A-Za-z](?:\([a-z]+\))?(?![a-z(])", text.replace("pi", "").replace("sqrt", "").replace("cbrt", "")
    )


def _another_number(trace: Trace, rng: random.Random) -> Mutant | None:
    def counted(claim: str) -> str | None:
        head, equals, value = claim.rpartition(" = ")
        if claim.startswith(("?", "options", "answer", "solid")) or not (found := re.match(r"[0-9]+", value)):
            return None
        number = int(found[0]) + rng.choice((1, 2, 3))
        return f"{head}{equals}{number}{value[found.end() :]}"

    return _reworded(trace, rng, counted)


def _reworded(trace: Trace, rng: random.Random, change: Callable[[str], str | None]) -> Mutant | None:
    """The mutant with one claim changed, of those for which ``change`` gives another."""
    claims = [(number, change(step.claim or "")) for number, step in enumerate(trace.steps, 1)]
    places = [(number, claim) for number, claim in claims if claim is not None]
    if not places:
        return None
    number, claim = rng.choice(places)
    return with_step(trace, number, replace_step(trace.steps[number - 1], claim=claim))


def _other_conclusion(trace: Trace, rng: random.Random) -> tuple[Step, str]:
    """The last step with another letter, or another number, and that."""
    last = trace.steps[-1]
    letters = [word for word in last.args if len(word) == 1 and word != trace.answer]
    if letters:
        answer = rng.choice(letters)
        return replace_step(last, claim=f"options = {{{answer}}}"), answer
    number = re.match(r"[0-9]*", trace.answer)
    digits = number[0] if number else ""
    rest = trace.answer[len(digits) :] if digits else f"*{trace.answer}"
    answer = f"{int(digits or 1) + rng.randint(1, 9)}{rest}"
    return replace_step(last, claim=f"answer = {answer}"), answer


def _wrong_options(trace: Trace, rng: random.Random) -> Mutant | None:
    if not _with_options(trace):
        return None
    return with_step(trace, len(trace.steps), _other_conclusion(trace, rng)[0])


def _wrong_answer(trace: Trace, rng: random.Random) -> Mutant | None:
    answer = _other_conclusion(trace, rng)[1]
    return Mutant(trace.model_copy(update={"answer": answer}), 0, f"answer {trace.answer} -> {answer}")


def _wrong_conclusion(trace: Trace, rng: random.Random) -> Mutant | None:
    step, answer = _other_conclusion(trace, rng)
    mutant = with_step(trace, len(trace.steps), step)
    return Mutant(mutant.trace.model_copy(update={"answer": answer}), mutant.step, mutant.change)


def _dangling(trace: Trace, rng: random.Random) -> Mutant | None:
    number, word = rng.choice(mutated_steps.citations(trace))
    if word.startswith("#"):
        return mutated_steps.with_premise(trace, number, word, f"#{len(trace.steps) + rng.randint(1, 9)}")
    if word.startswith("("):
        return mutated_steps.with_premise(trace, number, word, f"({90 + rng.randint(1, 9)})")
    return None


def _unused_step(trace: Trace, rng: random.Random) -> Mutant | None:
    """One step is repeated, and nothing cites the copy."""
    steps = list(trace.steps)
    at = rng.randrange(len(steps) - 1)
    new_number = {n: n + (n > at + 1) for n in range(1, len(steps) + 1)}
    later = mutated_steps.renumbered(steps[at + 1 :], new_number)
    return with_steps(trace, [*steps[: at + 1], steps[at], *later], at + 2, f"{steps[at].claim} twice")


def _misquoted_clue(trace: Trace, rng: random.Random) -> Mutant | None:
    readings = [(number, word) for number, word in mutated_steps.citations(trace) if word.startswith("(")]
    number, word = rng.choice(readings)
    others = sorted({other for _, other in readings} - {word})
    return mutated_steps.with_premise(trace, number, word, rng.choice([*others, "question"]))


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
    SolidFault.UNIT_KEPT: _unit_kept,
    Fault.ANOTHER_RELATION: _another_measure,
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
    Fault.LEAP: lambda trace, rng: None if _with_options(trace) else _answered_at_once(trace),
    Fault.GUESSED: lambda trace, rng: _answered_at_once(trace) if _with_options(trace) else None,
    Fault.STEP_SKIPPED: mutated_steps.step_skipped,
    Fault.IDLE_PREMISE: _idle_premise,
}
PLANTED: tuple[FaultClass, ...] = (SolidFault.WRONG_FORMULA, SolidFault.MISTAKEN_VALUE, *_PLANTS)
"""All classes, in the order of the table. The first two are made of the problem, the others of the trace alone."""
