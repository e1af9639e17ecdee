"""Edits of a trace, as somebody would try them who wants a proof for less, or for something else.

Each takes the steps, what else there is to put in, and chance; it gives other steps, or none where it does not apply.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from srt.language.trace import OPERATIONS, Step

Steps = list[Step]
TOKEN = re.compile(r"[A-Za-z\u4e00-\u9fff]+(?: [A-Z][a-z]+)*\d?|\d+|!?=|<=|[&|]")


@dataclass(frozen=True)
class Material:
    """What edits put in: steps of other traces, of this problem and of others, and the premises that may be cited."""

    steps: Sequence[Step]
    words: Sequence[str]
    proofs: Sequence[tuple[Step, Sequence[str]]] = ()
    """Steps of other proofs of this problem, each with the claims that it cites."""


Edit = Callable[[Steps, Material, random.Random], Steps | None]


def renumbered(steps: Steps, new: dict[int, int]) -> Steps:
    """``steps`` with each ``#n`` as ``new`` has it; where it has none, the citation is dropped."""

    def word(old: str) -> str | None:
        if not old.startswith("#"):
            return old
        return f"#{new[int(old[1:])]}" if int(old[1:]) in new else None

    return [with_args(step, [here for old in step.args if (here := word(old))]) for step in steps]


def with_args(step: Step, args: Sequence[str]) -> Step:
    return step.model_copy(update={"args": tuple(dict.fromkeys(args))})


def deleted(steps: Steps, material: Material, rng: random.Random) -> Steps | None:
    """A step is left out; those that cited it cite what it cited, or nothing instead."""
    if len(steps) < 3:
        return None
    at = rng.randrange(len(steps))
    instead = [word for word in steps[at].args if word.startswith("#")] if rng.random() < 0.6 else []
    word = f"#{at + 1}"
    left = [
        with_args(step, [new for old in step.args for new in (instead if old == word else [old])])
        for n, step in enumerate(steps)
        if n != at
    ]
    return renumbered(left, {n: n - (n > at + 1) for n in range(1, len(steps) + 1) if n != at + 1})


def inserted(steps: Steps, material: Material, rng: random.Random) -> Steps | None:
    """A step of another trace, with premises of its own or some that are here; a step after it may cite it."""
    if not material.steps:
        return None
    at = rng.randrange(len(steps) + 1)
    new = rng.choice(material.steps)
    kept = [word for word in new.args if not word.startswith("#")]
    cited = [f"#{rng.randint(1, max(1, at))}" for word in new.args if word.startswith("#")]
    return put_in(steps, at, with_args(new, [*kept, *cited]), rng)


def transplanted(steps: Steps, material: Material, rng: random.Random) -> Steps | None:
    """A step of another proof whose premises are said here, too; later ones cite it in the place of another."""
    if not material.proofs:
        return None
    new, cited = rng.choice(material.proofs)
    places = {step.claim or "": n for n, step in enumerate(steps, 1)}
    if not all(claim in places for claim in cited):
        return None
    args = [word for word in new.args if not word.startswith("#")] + [f"#{places[claim]}" for claim in cited]
    at = rng.randint(max([places[claim] for claim in cited], default=0), len(steps))
    return put_in(steps, at, with_args(new, args), rng, instead_of=rng.randint(1, len(steps)))


def reordered(steps: Steps, material: Material, rng: random.Random) -> Steps | None:
    """Premises, alternatives, the parts of one, or the sides of an equation stand in another order."""
    at = rng.randrange(len(steps))
    step = steps[at]
    how = rng.randrange(4)
    claim = step.claim or ""
    if how == 0:
        return [*steps[:at], with_args(step, rng.sample(step.args, len(step.args))), *steps[at + 1 :]]
    if how == 1 and " = " in claim and " & " not in claim and " | " not in claim:
        claim = " = ".join(reversed(claim.split(" = ", 1)))
    elif how == 2:
        claim = " | ".join(rng.sample(parts := claim.split(" | "), len(parts)))
    else:
        claim = " | ".join(
            " & ".join(rng.sample(atoms := part.split(" & "), len(atoms))) for part in claim.split(" | ")
        )
    return [*steps[:at], step.model_copy(update={"claim": claim}), *steps[at + 1 :]]


def repeated(steps: Steps, material: Material, rng: random.Random) -> Steps | None:
    """A step says again what another says, from that or from what it cites; later ones cite the new one."""
    n = rng.randrange(len(steps))
    at = rng.randint(n + 1, len(steps))
    old = steps[n]
    args = rng.choice([[f"#{n + 1}"], list(old.args), [*old.args, f"#{n + 1}"]])
    op = old.op if rng.random() < 0.7 else rng.choice(OPERATIONS)
    new = with_args(old.model_copy(update={"op": op}), args)
    return put_in(steps, at, new, rng, instead_of=n + 1)


def part_taken(steps: Steps, material: Material, rng: random.Random) -> Steps | None:
    """A step says one part of what another says; later ones cite the new one, too."""
    n = rng.randrange(len(steps))
    parts = re.split(r" [&|] ", steps[n].claim or "")
    claim = rng.choice(parts)
    op = "INFER" if "?" in claim else "CONSTRAIN"
    new = Step(op=op, args=(f"#{n + 1}",), claim=claim)  # type: ignore[arg-type]
    return put_in(steps, rng.randint(n + 1, len(steps)), new, rng, instead_of=n + 1 if rng.random() < 0.5 else None)


def merged(steps: Steps, material: Material, rng: random.Random) -> Steps | None:
    """Two claims in one: a step says what two say, from both, or from what they cite."""
    if len(steps) < 3:
        return None
    one, other = sorted(rng.sample(range(len(steps)), 2))
    claim = rng.choice([" & ", " | "]).join(rng.sample([steps[one].claim or "", steps[other].claim or ""], 2))
    args = [f"#{one + 1}", f"#{other + 1}"]
    if rng.random() < 0.5:
        args = [*steps[one].args, *steps[other].args]
        changed = list(steps)
        changed[other] = with_args(steps[other].model_copy(update={"claim": claim}), args)
        return changed
    new = with_args(steps[other].model_copy(update={"claim": claim}), args)
    return put_in(steps, rng.randint(other + 1, len(steps)), new, rng, instead_of=rng.choice([one + 1, other + 1]))


def redirected(steps: Steps, material: Material, rng: random.Random) -> Steps | None:
    """A premise is exchanged, left out or added."""
    at = rng.randrange(len(steps))
    args = list(steps[at].args)
    word = f"#{rng.randint(1, len(steps))}" if rng.random() < 0.7 else rng.choice(material.words)
    how = rng.randrange(3)
    if how and args:
        args[rng.randrange(len(args))] = word
        args = args if how == 1 else [other for other in args if other != word]
    else:
        args.append(word)
    return [*steps[:at], with_args(steps[at], args), *steps[at + 1 :]]


def claim_changed(steps: Steps, material: Material, rng: random.Random) -> Steps | None:
    """One word of a claim is exchanged for one of another claim, or the whole claim is."""
    at = rng.randrange(len(steps))
    claim = steps[at].claim or ""
    other = rng.choice([*steps, *material.steps]).claim or ""
    places = [match.span() for match in TOKEN.finditer(claim)]
    words = TOKEN.findall(other)
    if places and words and rng.random() < 0.8:
        start, end = rng.choice(places)
        other = claim[:start] + rng.choice(words) + claim[end:]
    return [*steps[:at], steps[at].model_copy(update={"claim": other}), *steps[at + 1 :]]


def operation_changed(steps: Steps, material: Material, rng: random.Random) -> Steps | None:
    at = rng.randrange(len(steps))
    return [*steps[:at], steps[at].model_copy(update={"op": rng.choice(OPERATIONS)}), *steps[at + 1 :]]


def swapped(steps: Steps, material: Material, rng: random.Random) -> Steps | None:
    """Two neighbours change places, and are cited by their new numbers."""
    if len(steps) < 3:
        return None
    at = rng.randrange(len(steps) - 1)
    order = [*range(at), at + 1, at, *range(at + 2, len(steps))]
    new = {old + 1: place + 1 for place, old in enumerate(order)}
    return renumbered([steps[old] for old in order], new)


def put_in(steps: Steps, at: int, new: Step, rng: random.Random, instead_of: int | None = None) -> Steps:
    """``new`` as step ``at`` + 1; some later steps cite it, in the place of step ``instead_of`` if that is given."""
    later = renumbered(steps, {n: n + (n > at) for n in range(1, len(steps) + 1)})
    word = f"#{at + 1}"
    for n in range(at, len(later)):
        args = list(later[n].args)
        old = None if instead_of is None else f"#{instead_of + (instead_of > at)}"
        if old in args and rng.random() < 0.6:
            later[n] = with_args(later[n], [word if other == old else other for other in args])
        elif instead_of is None and rng.random() < 0.15:
            later[n] = with_args(later[n], [*args, word])
    return [*later[:at], new, *later[at:]]


EDITS: tuple[Edit, ...] = (
    deleted,
    inserted,
    transplanted,
    transplanted,
    reordered,
    reordered,
    repeated,
    part_taken,
    merged,
    redirected,
    claim_changed,
    operation_changed,
    swapped,
)
