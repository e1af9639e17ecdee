"""Mutations after which a trace no longer shows what it says, though what it says may be true."""

from __future__ import annotations

import random

from srt.language.faults import Fault
from srt.language.premises import parse_premise
from srt.language.trace import OPERATIONS, Step
from srt.mutate.case import (
    Case,
    Mutant,
    mutation,
    numbers_of,
    renumbered,
    replace_step,
    with_claim,
    with_step,
    with_steps,
)
from srt.mutate.oracle import rename
from srt.worlds.seating.claims import (
    BLANK,
    Apply,
    Atom,
    Claim,
    Equal,
    Meet,
    Member,
    Options,
    Place,
    Region,
    atom_names,
    format_claim,
)
from srt.worlds.seating.relations import function_table, region_table


@mutation(Fault.STEP_DROPPED)
def step_dropped(case: Case, rng: random.Random) -> Mutant | None:
    """A step is left out, references to it too, the rest is renumbered."""
    steps = list(case.trace.steps)
    gone = rng.randrange(len(steps))
    if len(steps) == 1:
        return None
    new_number = {n: n - (n > gone + 1) for n in range(1, len(steps) + 1) if n != gone + 1}
    left = renumbered(steps[:gone] + steps[gone + 1 :], new_number)
    return with_steps(case, left, gone + 1, f"without {steps[gone].claim}")


@mutation(Fault.NUMBERS_KEPT)
def numbers_kept(case: Case, rng: random.Random) -> Mutant | None:
    """A step is left out, and the references of later steps stay as they were: to other steps now."""
    steps = list(case.trace.steps)
    gone = rng.randrange(len(steps))
    if not any(number > gone for step in steps[gone + 1 :] for number in numbers_of(step, "step")):
        return None
    return with_steps(case, steps[:gone] + steps[gone + 1 :], gone + 1, f"without {steps[gone].claim}, numbers kept")


@mutation(Fault.ORDER_BROKEN)
def order_broken(case: Case, rng: random.Random) -> Mutant | None:
    """A step moves to before one that it cites; references follow the moved steps."""
    steps = case.trace.steps
    citations = [(n, cited) for n, step in enumerate(steps, 1) for cited in numbers_of(step, "step") if cited < n]
    if not citations:
        return None
    moved, needed = rng.choice(citations)
    order = [n for n in range(1, len(steps) + 1) if n != moved]
    order.insert(order.index(needed), moved)
    new_number = {old: new for new, old in enumerate(order, 1)}
    mixed = renumbered([steps[old - 1] for old in order], new_number)
    return with_steps(case, mixed, new_number[moved], f"step {moved} moved to before step {needed}, which it cites")


@mutation(Fault.PREMISE_REPLACED)
def premise_replaced(case: Case, rng: random.Random) -> Mutant | None:
    """A cited step becomes another that stands before and is not cited."""
    places = []
    for number, step in enumerate(case.trace.steps, 1):
        cited = numbers_of(step, "step")
        others = [n for n in range(1, number) if n not in cited]
        places += [(number, old, new) for old in cited for new in others]
    if not places:
        return None
    number, old, new = rng.choice(places)
    return _replace_premise(case, number, f"#{old}", f"#{new}")


@mutation(Fault.PREMISE_LEFT_OUT)
def premise_left_out(case: Case, rng: random.Random) -> Mutant | None:
    """One premise is not cited."""
    number, word = rng.choice(_citations(case))
    return _replace_premise(case, number, word, None)


@mutation(Fault.DANGLING_REFERENCE)
def dangling_reference(case: Case, rng: random.Random) -> Mutant | None:
    """A cited step or clue becomes one that does not exist, or the step itself."""
    number, word = rng.choice(_citations(case))
    kind = parse_premise(word).kind
    if kind == "given":
        return _replace_premise(case, number, word, f"({len(case.puzzle.clues) + rng.randint(1, 3)})")
    if kind == "step":
        beyond = len(case.trace.steps) + rng.randint(1, 3)
        return _replace_premise(case, number, word, f"#{rng.choice((number, beyond))}")
    return None


@mutation(Fault.MISLABELLED)
def mislabelled(case: Case, rng: random.Random) -> Mutant | None:
    """A step bears another operation."""
    number = rng.randint(1, len(case.trace.steps))
    step = case.trace.steps[number - 1]
    return with_step(case, number, replace_step(step, op=rng.choice([op for op in OPERATIONS if op != step.op])))


@mutation(Fault.UNUSED_STEP)
def unused_step(case: Case, rng: random.Random) -> Mutant | None:
    """A step that is true and follows is inserted, and nothing cites it."""
    steps = list(case.trace.steps)
    after = rng.randrange(len(steps))
    before = zip(steps[: after + 1], case.claims, strict=False)
    candidates = [step for step, claim in before if not _final(claim) and "wlog" not in step.args]
    candidates += [
        Step(op="CORRELATE", args=(f"({c.number})",), claim=format_claim(c.claim)) for c in case.puzzle.clues
    ]
    for number, claim in enumerate(case.claims[: after + 1], 1):
        for weaker in _consequences(claim):
            about_blank = BLANK in format_claim((weaker,))
            op = "INFER" if about_blank else "CONSTRAIN"
            candidates.append(Step(op=op, args=(f"#{number}",), claim=format_claim((weaker,))))
    new = rng.choice(candidates)
    new_number = {n: n + (n > after + 1) for n in range(1, len(steps) + 1)}
    longer = renumbered(steps, new_number)
    longer.insert(after + 1, new)
    return with_steps(case, longer, after + 2, f"with {' '.join([new.op, *new.args])}: {new.claim}")


@mutation(Fault.MISQUOTED_CLUE)
def misquoted_clue(case: Case, rng: random.Random) -> Mutant | None:
    """A reading of a clue cites another one, or the question instead."""
    readings = _readings(case)
    if not readings:
        return None
    number = rng.choice(readings)
    word = case.trace.steps[number - 1].args[0]
    others = [f"({clue.number})" for clue in case.puzzle.clues if f"({clue.number})" != word]
    return _replace_premise(case, number, word, rng.choice([*others, "question"]))


@mutation(Fault.SWAPPED_ROLES)
def swapped_roles(case: Case, rng: random.Random) -> Mutant | None:
    """A reading, of a clue or of the question, swaps the two of whom it speaks."""
    readings = [n for n, step in enumerate(case.trace.steps, 1) if step.op == "CORRELATE"]
    for number in rng.sample(readings, len(readings)):
        claim = case.claims[number - 1]
        names = list(dict.fromkeys(name for atoms in claim for atom in atoms for name in atom_names(atom)))
        if len(names) == 2:
            swap = dict(zip(names, reversed(names), strict=True))
            return with_claim(case, number, tuple(tuple(rename(atom, swap) for atom in atoms) for atoms in claim))
    return None


@mutation(Fault.CLUES_SWAPPED)
def clues_swapped(case: Case, rng: random.Random) -> Mutant | None:
    """Two readings have each other's clue numbers."""
    readings = _readings(case)
    if len(readings) < 2:
        return None
    one, other = rng.sample(readings, 2)
    steps = list(case.trace.steps)
    first, second = steps[one - 1], steps[other - 1]
    steps[one - 1] = replace_step(first, args=second.args)
    steps[other - 1] = replace_step(second, args=first.args)
    change = f"{first.args[0]} <-> {second.args[0]} in steps {one} and {other}"
    return with_steps(case, steps, min(one, other), change)


@mutation(Fault.UNSAID_READING)
def unsaid_reading(case: Case, rng: random.Random) -> Mutant | None:
    """A reading of a clue says something else, which is true in the solution."""
    readings = _readings(case)
    if not readings:
        return None
    number = rng.choice(readings)
    fact = _true_fact(case, rng)
    return None if fact is None or ((fact,),) == case.claims[number - 1] else with_claim(case, number, ((fact,),))


@mutation(Fault.FALSE_WLOG)
def false_wlog(case: Case, rng: random.Random) -> Mutant | None:
    """A step after the one that chose seats cites ``wlog`` too, in the place of ``scene`` where that is."""
    steps = case.trace.steps
    chosen = next((n for n, step in enumerate(steps, 1) if "wlog" in step.args), len(steps))
    if chosen == len(steps):
        return None
    number = rng.randint(chosen + 1, len(steps))
    step = steps[number - 1]
    args = ["wlog", *(word for word in step.args if word != "scene")]
    return with_step(case, number, replace_step(step, args=args))


@mutation(Fault.CASE_LEFT_OUT)
def case_left_out(case: Case, rng: random.Random) -> Mutant | None:
    """One of several alternatives is dropped, one that is true if there is such another one."""
    numbers = [n for n, claim in enumerate(case.claims, 1) if len(claim) > 1]
    if not numbers:
        return None
    number = rng.choice(numbers)
    claim = list(case.claims[number - 1])
    claim.pop(rng.randrange(len(claim)))
    return with_claim(case, number, tuple(claim))


@mutation(Fault.OVERCLAIMED)
def overclaimed(case: Case, rng: random.Random) -> Mutant | None:
    """A claim about named entities gets one more conjunct, which is true in the solution."""
    numbers = [n for n, claim in enumerate(case.claims, 1) if len(claim) == 1 and BLANK not in format_claim(claim)]
    numbers = [n for n in numbers if not _final(case.claims[n - 1])]
    if not numbers:
        return None
    number = rng.choice(numbers)
    claim = case.claims[number - 1][0]
    extra: Atom | None
    if isinstance(claim[0], Place):
        extra = Place(name := rng.choice(case.puzzle.names), case.placement[name])
    else:
        extra = _true_fact(case, rng)
    return None if extra is None or extra in claim else with_claim(case, number, ((*claim, extra),))


@mutation(Fault.LEAP)
def leap(case: Case, rng: random.Random) -> Mutant | None:
    """Only the reading of the question and the step on the options are left: a guess in the right form."""
    question = [step for step in case.trace.steps if step.args == ("question",)]
    last = case.trace.steps[-1]
    if not question or not _final(case.claims[-1]):
        return None
    args = [word for word in last.args if not word.startswith("#")]
    steps = [question[0], replace_step(last, args=[*args, "#1"])]
    return with_steps(case, steps, 2, f"{last.claim} from the question alone")


def _replace_premise(case: Case, number: int, old: str, new: str | None) -> Mutant:
    step = case.trace.steps[number - 1]
    args = [new if word == old else word for word in step.args]
    return with_step(case, number, replace_step(step, args=[word for word in args if word is not None]))


def _citations(case: Case) -> list[tuple[int, str]]:
    return [(number, word) for number, step in enumerate(case.trace.steps, 1) for word in step.args]


def _readings(case: Case) -> list[int]:
    """The numbers of the steps that read a clue."""
    return [n for n, step in enumerate(case.trace.steps, 1) if step.op == "CORRELATE" and numbers_of(step, "given")]


def _final(claim: Claim) -> bool:
    return isinstance(claim[0][0], Options)


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


def _true_fact(case: Case, rng: random.Random) -> Atom | None:
    """A relation between two entities that holds in the solution, drawn at random."""
    sitter = {seat: name for name, seat in case.placement.items()}
    one = rng.choice(case.puzzle.names)
    seat = case.placement[one]
    if rng.random() < 0.5:
        function = rng.choice(("left", "right", "across", "diag", "up", "down", "cw"))
        try:
            other = function_table(case.puzzle.scene, function)[seat]
        except ValueError:
            return None
        return None if other is None else Equal(Apply(function, one), sitter[other])
    region = rng.choice(("beside", "one_between", "left_side", "above", "same_side", "tier_next"))
    try:
        seats = sorted(region_table(case.puzzle.scene, region)[seat])
    except ValueError:
        return None
    return Member(sitter[rng.choice(seats)], Region(region, one)) if seats else None
