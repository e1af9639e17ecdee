"""Clues that are true in a placement and leave it alone.

Counting placements is cheap: each of the n! placements is one bit of an integer, and a clue is the integer of the
placements in which it holds.
"""

from __future__ import annotations

import functools
import itertools
import operator
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from srt.worlds.seating.claim_language import Claim, parse_claim
from srt.worlds.seating.sampling.sample_spec import Links
from srt.worlds.seating.sampling.sampling_plan import Relation, ScenePlan
from srt.worlds.seating.scenes import Scene
from srt.worlds.seating.writing.sentence_templates import Wording, fill_names


@dataclass(frozen=True)
class Sentence:
    """A clue or question: its wording and the names in it."""

    wording: Wording
    names: tuple[str, ...]

    @property
    def claim(self) -> Claim:
        """What it says, in the trace language."""
        return parse_claim(fill_names(self.wording.claim, *self.names))

    def text(self, rng: random.Random, variety: int | None) -> str:
        """One of the first ``variety`` ways to say it in words; ``None`` for one of all."""
        return fill_names(rng.choice(self.wording.texts[:variety]), *self.names)


_ANCHORED = 1 / 8
"""How likely somebody, other than the first, has a clue to themselves; of 80 shelves of SpaCE2025's dev items, 41 have
one such clue, 30 two, 6 three and 3 four."""

_Clue = tuple[Sentence, int]
"""A clue and the placements in which it holds, one bit each."""


def draw_clues(
    place: ScenePlan, placement: Mapping[str, str], links: Links | None, rng: random.Random
) -> list[Sentence] | None:
    """Clues true in ``placement`` that leave it alone; ``None`` where none are found.

    Those without ``links`` are all needed; with them, those are that link nobody.
    """
    who = {seat: name for name, seat in placement.items()}
    names = tuple(placement)
    placements = _placements(len(names))
    everything = (1 << len(placements.seated)) - 1
    goal = len(place.scene.symmetries)

    def allowed(clues: Sequence[_Clue]) -> int:
        return functools.reduce(operator.and_, (mask for _, mask in clues), everything)

    def said(relation: Relation, seats: Sequence[str]) -> _Clue:
        sentence = Sentence(relation.wording, tuple(who[seat] for seat in seats))
        about = tuple(names.index(name) for name in sentence.names)
        return sentence, placements.where(relation, about, place.scene)

    linked = [] if links is None else _linked_seats(place.scene, links, rng)
    linking = [_relation_of(place, seats, rng) for seats in linked]
    chosen = [said(*found) for found in linking if found is not None]
    if len(chosen) < len(linked):
        return None
    left, more = allowed(chosen), []
    for _ in range(200):
        if left.bit_count() == goal:
            break
        relation = rng.choice(rng.choice(place.clues))
        clue = said(relation, rng.choice(relation.seats))
        if left & clue[1] != left:
            left &= clue[1]
            more.append(clue)
    else:
        return None
    for clue in rng.sample(more, len(more)):
        if allowed([*chosen, *(other for other in more if other is not clue)]).bit_count() == goal:
            more.remove(clue)
    chosen += more
    rng.shuffle(chosen)
    return [sentence for sentence, _ in chosen]


def _linked_seats(scene: Scene, links: Links, rng: random.Random) -> list[tuple[str, ...]]:
    """Pairs of seats whose people are linked by a clue each, and seats of those who have one to themselves."""
    if links == "ring":
        # Seats of a shelf are listed tier by tier: up one side, and down the other.
        loop = (*scene.seats[::2], *scene.seats[::-2]) if scene.kind == "shelf" else scene.seats
        return list(zip(loop, (*loop[1:], loop[0]), strict=True))
    order = rng.sample(scene.seats, len(scene.seats))
    if links == "tree":
        return [(rng.choice(order[:place]), seat) for place, seat in enumerate(order) if place]
    alone = [place == 0 or rng.random() < _ANCHORED for place in range(len(order))]
    return [(seat,) if alone[at] else (rng.choice(order[:at]), seat) for at, seat in enumerate(order)]


def _relation_of(
    place: ScenePlan, linked: tuple[str, ...], rng: random.Random
) -> tuple[Relation, tuple[str, ...]] | None:
    """A relation that holds of those who sit on the seats ``linked``, one or two, and their seats as it names them."""
    ways = [
        [(relation, seats) for relation in group for seats in itertools.permutations(linked) if seats in relation.seats]
        for group in place.clues
    ]
    ways = [group for group in ways if group]
    return rng.choice(rng.choice(ways)) if ways else None


class _Placements:
    """All placements of n entities on n seats, one bit each."""

    def __init__(self, count: int) -> None:
        self.seated = list(itertools.permutations(range(count)))
        self._at = [[0] * count for _ in range(count)]
        for bit, seats in enumerate(self.seated):
            for entity, seat in enumerate(seats):
                self._at[entity][seat] |= 1 << bit

    def where(self, relation: Relation, entities: tuple[int, ...], scene: Scene) -> int:
        """The placements in which ``relation`` holds of ``entities``."""
        mask = 0
        for seats in relation.seats:
            one = -1
            for entity, seat in zip(entities, seats, strict=True):
                one &= self._at[entity][scene.seats.index(seat)]
            mask |= one
        return mask


_placements = cache(_Placements)
