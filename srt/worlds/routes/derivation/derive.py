"""The facts of a problem, each with the operation and the facts that it comes from, and the steps of a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from srt.language.trace import Operation, Step
from srt.worlds.routes.derivation.claims import leg_text, path_text, place_text
from srt.worlds.routes.walk import Asked, Leg, Position, Walk, way_back, whole_root

RESULT: dict[Asked, str] = {"facing": "facing", "end": "at", "steps": "steps", "line": "line", "back": "back"}
"""Which fact about the last sentence answers each question."""


class RouteFact(NamedTuple):
    """``cites`` are words of premises, ``(2)``, or the subjects of other facts, ``at(2)``."""

    op: Operation
    cites: tuple[str, ...]
    value: str


def facts_of(walk: Walk) -> dict[str, RouteFact]:
    """Everything that can be derived, by subject, each after what it comes from."""
    facts = {"facing(1)": RouteFact("CORRELATE", ("(1)",), walk.start)}
    legs: tuple[Leg, ...] = ()
    place = Position(0, 0)
    for n, (move, facing, place) in enumerate(walk.stages(), 2):
        facts[f"turn({n})"] = RouteFact("CORRELATE", (f"({n})",), move.turn)
        facts[f"facing({n})"] = RouteFact("CONSTRAIN", (f"facing({n - 1})", f"turn({n})"), facing)
        facts[f"walk({n})"] = RouteFact("CORRELATE", (f"({n})",), str(move.steps))
        moved = f"walk({n})"
        if move.steps:
            legs = (*legs, Leg(move.steps, facing))
            moved = f"leg({n})"
            facts[moved] = RouteFact("CONSTRAIN", (f"facing({n})", f"walk({n})"), leg_text(legs[-1]))
        # At sentence 1 she is at the start: the first move needs no place before it.
        before = n > 2
        facts[f"at({n})"] = RouteFact("CONSTRAIN", (*[f"at({n - 1})"] * before, moved), place_text(place))
        facts[f"back({n})"] = RouteFact("INFER", (*[f"back({n - 1})"] * before, moved), path_text(way_back(legs)))
    last, square = len(walk.moves) + 1, place.east**2 + place.north**2
    facts[f"steps({last})"] = RouteFact("INFER", (f"at({last})",), str(abs(place.east) + abs(place.north)))
    facts[f"square({last})"] = RouteFact("INFER", (f"at({last})",), str(square))
    if (root := whole_root(square)) is not None:
        facts[f"line({last})"] = RouteFact("INFER", (f"square({last})",), str(root))
    return facts


def needed_facts(asked: Asked, walk: Walk) -> dict[str, RouteFact]:
    """What the question needs, in the order of the sentences."""
    facts = facts_of(walk)
    needed, to_do = set(), [f"{RESULT[asked]}({len(walk.moves) + 1})"]
    while to_do:
        subject = to_do.pop()
        if subject in facts and subject not in needed:
            needed.add(subject)
            to_do += facts[subject].cites
    return {subject: fact for subject, fact in facts.items() if subject in needed}


def conclusion(letters: Iterable[str], answer: str, last: int) -> Step:
    """The step that answers with ``answer``, a letter of an option or a number, from step number ``last``."""
    options = tuple(letters)
    claim = f"options = {{{answer}}}" if options else f"answer = {answer}"
    return Step(op="INFER", args=(*(options or ("question",)), f"#{last}"), claim=claim)


def legs_first(facts: Mapping[str, RouteFact]) -> dict[str, RouteFact]:
    """The same facts, all legs before the first place or way back."""
    later = ("at", "back", "steps", "square", "line")
    return dict(sorted(facts.items(), key=lambda item: item[0].partition("(")[0] in later))


def steps_of(facts: Mapping[str, RouteFact]) -> Iterator[Step]:
    """The facts as the steps of a trace, in their order."""
    number = {subject: n for n, subject in enumerate(facts, 1)}
    for subject, fact in facts.items():
        args = tuple(f"#{number[word]}" if word in number else word for word in fact.cites)
        yield Step(op=fact.op, args=args, claim=f"{subject} = {fact.value}")
