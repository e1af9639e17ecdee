"""Mutations after which a trace no longer shows what it says, though what it says may be true."""

from __future__ import annotations

import itertools
import random

from srt.language.premises import parse_premise
from srt.language.trace import Step
from srt.worlds.kit.mutated_steps import (
    citations,
    numbers_of,
    renumbered,
    replace_step,
    with_premise,
    with_step,
    with_steps,
)
from srt.worlds.kit.mutation import Mutant
from srt.worlds.seating.claim_language import (
    BLANK,
    Apply,
    Atom,
    Claim,
    Equal,
    Meet,
    Member,
    Place,
    Region,
    RightOptions,
    format_claim,
    names_of,
    rename,
)
from srt.worlds.seating.faults.valid_trace import ValidTrace, with_claim
from srt.worlds.seating.relations import function_table, region_table


def dangling_reference(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """A cited step or clue becomes one that does not exist, or the step itself."""
    number, word = rng.choice(citations(valid.trace))
    kind = parse_premise(word).kind
    if kind == "given":
        return with_premise(valid.trace, number, word, f"({len(valid.puzzle.clues) + rng.randint(1, 3)})")
    if kind == "step":
        beyond = len(valid.trace.steps) + rng.randint(1, 3)
        return with_premise(valid.trace, number, word, f"#{rng.choice((number, beyond))}")
    return None


def unused_step(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """A step that is true and follows is inserted, and nothing cites it."""
    steps = list(valid.trace.steps)
    after = rng.randrange(len(steps))
    before = zip(steps[: after + 1], valid.claims, strict=False)
    candidates = [step for step, claim in before if not _final(claim) and "wlog" not in step.args]
    readings = [Step(op="CORRELATE", args=(f"({c.number})",), claim=format_claim(c.claim)) for c in valid.puzzle.clues]
    # A clue that the step before or after reads too might be read again in other words, which is a use.
    around = {step.args for step in steps[after : after + 2]}
    candidates += [reading for reading in readings if reading.args not in around]
    # One about nobody who is seated, while others are, would be passed by, which is a use, too.
    if seated := _seated(valid, after + 1):
        early = {(f"({clue.number})",) for clue in valid.puzzle.clues if not seated & set(names_of(clue.claim))}
        candidates = [step for step in candidates if step.op != "CORRELATE" or step.args not in early]
    for number, claim in enumerate(valid.claims[: after + 1], 1):
        for weaker in _consequences(claim):
            text = format_claim((weaker,))
            candidates.append(Step(op="INFER" if BLANK in text else "CONSTRAIN", args=(f"#{number}",), claim=text))
    if not candidates:
        return None
    new = rng.choice(candidates)
    new_number = {n: n + (n > after + 1) for n in range(1, len(steps) + 1)}
    longer = renumbered(steps, new_number)
    longer.insert(after + 1, new)
    return with_steps(valid.trace, longer, after + 2, f"with {' '.join([new.op, *new.args])}: {new.claim}")


def _seated(valid: ValidTrace, count: int) -> set[str]:
    """The people that the first ``count`` steps put on a seat."""
    plans = [c for step, c in zip(valid.trace.steps[:count], valid.claims, strict=False) if step.op == "CONSTRAIN"]
    return {atom.name for claim in plans for atom in itertools.chain(*claim) if isinstance(atom, Place)}


def misquoted_clue(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """A reading of a clue cites another one, or the question instead."""
    readings = _readings(valid)
    if not readings:
        return None
    number = rng.choice(readings)
    word = valid.trace.steps[number - 1].args[0]
    others = [f"({clue.number})" for clue in valid.puzzle.clues if f"({clue.number})" != word]
    return with_premise(valid.trace, number, word, rng.choice([*others, "question"]))


def swapped_roles(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """A reading, of a clue or of the question, swaps the two people that it names."""
    readings = [n for n, step in enumerate(valid.trace.steps, 1) if step.op == "CORRELATE"]
    for number in rng.sample(readings, len(readings)):
        claim = valid.claims[number - 1]
        names = names_of(claim)
        if len(names) == 2:
            swap = dict(zip(names, reversed(names), strict=True))
            return with_claim(valid, number, rename(claim, swap))
    return None


def clues_swapped(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """Two readings have each other's clue numbers."""
    readings = _readings(valid)
    if len(readings) < 2:
        return None
    one, other = rng.sample(readings, 2)
    steps = list(valid.trace.steps)
    first, second = steps[one - 1], steps[other - 1]
    steps[one - 1] = replace_step(first, args=second.args)
    steps[other - 1] = replace_step(second, args=first.args)
    change = f"{first.args[0]} <-> {second.args[0]} in steps {one} and {other}"
    return with_steps(valid.trace, steps, min(one, other), change)


def unsaid_reading(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """A reading of a clue says something else, which is true in the solution."""
    readings = _readings(valid)
    if not readings:
        return None
    number = rng.choice(readings)
    fact = _true_fact(valid, rng)
    return None if fact is None or ((fact,),) == valid.claims[number - 1] else with_claim(valid, number, ((fact,),))


def false_wlog(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """A step after the one that chose seats cites ``wlog`` too, in the place of ``scene`` where that is."""
    steps = valid.trace.steps
    chosen = next((n for n, step in enumerate(steps, 1) if "wlog" in step.args), len(steps))
    if chosen == len(steps):
        return None
    number = rng.randint(chosen + 1, len(steps))
    step = steps[number - 1]
    args = ["wlog", *(word for word in step.args if word != "scene")]
    return with_step(valid.trace, number, replace_step(step, args=args))


def case_left_out(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """One of several alternatives is dropped, one that is true if there is such another one."""
    numbers = [n for n, claim in enumerate(valid.claims, 1) if len(claim) > 1]
    if not numbers:
        return None
    number = rng.choice(numbers)
    claim = list(valid.claims[number - 1])
    claim.pop(rng.randrange(len(claim)))
    return with_claim(valid, number, tuple(claim))


def overclaimed(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """A claim about named entities gets one more conjunct, which is true in the solution."""
    numbers = [n for n, claim in enumerate(valid.claims, 1) if len(claim) == 1 and BLANK not in format_claim(claim)]
    numbers = [n for n in numbers if not _final(valid.claims[n - 1])]
    if not numbers:
        return None
    number = rng.choice(numbers)
    claim = valid.claims[number - 1][0]
    extra: Atom | None
    if isinstance(claim[0], Place):
        extra = Place(name := rng.choice(valid.puzzle.names), valid.placement[name])
    else:
        extra = _true_fact(valid, rng)
    return None if extra is None or extra in claim else with_claim(valid, number, ((*claim, extra),))


def leap(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """Only the reading of the question and the step on the options are left: a guess in the right form."""
    question = [step for step in valid.trace.steps if step.args == ("question",)]
    last = valid.trace.steps[-1]
    if not question or not _final(valid.claims[-1]):
        return None
    args = [word for word in last.args if not word.startswith("#")]
    steps = [question[0], replace_step(last, args=[*args, "#1"])]
    return with_steps(valid.trace, steps, 2, f"{last.claim} from the question alone")


def _readings(valid: ValidTrace) -> list[int]:
    """The numbers of the steps that read a clue."""
    return [n for n, step in enumerate(valid.trace.steps, 1) if step.op == "CORRELATE" and numbers_of(step, "given")]


def _final(claim: Claim) -> bool:
    return isinstance(claim[0][0], RightOptions)


def _consequences(claim: Claim) -> list[tuple[Atom, ...]]:
    """Some of what follows from ``claim`` alone, without the plan of the seats."""
    if len(claim) != 1:
        return []
    if len(claim[0]) > 1:
        return [(atom,) for atom in claim[0]]
    match claim[0][0]:
        case Equal(Apply("right", str(one), k), str(other), False):
            return [(Equal(Apply("left", other, k), one),)]
        case Equal(Apply("left", str(one), k), str(other), False):
            return [(Equal(Apply("right", other, k), one),)]
        case Equal(Apply("across" | "diag" as function, str(one), k), str(other), False):
            return [(Equal(Apply(function, other, k), one),)]
        case Member(one, Region("beside" | "one_between" as name, other, k), negated):
            return [(Member(other, Region(name, one, k), negated),)]
        case Meet(first, second):
            return [(Meet(second, first),)]
    return []


def _true_fact(valid: ValidTrace, rng: random.Random) -> Atom | None:
    """A relation between two entities that holds in the solution, drawn at random."""
    sitter = {seat: name for name, seat in valid.placement.items()}
    one = rng.choice(valid.puzzle.names)
    seat = valid.placement[one]
    if rng.random() < 0.5:
        function = rng.choice(("left", "right", "across", "diag", "up", "down", "cw"))
        try:
            other = function_table(valid.puzzle.scene, function)[seat]
        except ValueError:
            return None
        return None if other is None else Equal(Apply(function, one), sitter[other])
    region = rng.choice(("beside", "one_between", "left_side", "above", "same_side", "tier_next"))
    try:
        seats = sorted(region_table(valid.puzzle.scene, region)[seat])
    except ValueError:
        return None
    return Member(sitter[rng.choice(seats)], Region(region, one)) if seats else None
