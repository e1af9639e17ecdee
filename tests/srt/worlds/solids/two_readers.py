"""What the two readers understand of a problem, and small changes of its wording."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from srt.io.records import Lang, Problem
from srt.worlds.solids.checker.heard import hear
from srt.worlds.solids.reading.read_solid import read_solid
from srt.worlds.world import Refused


def understood(problem: Problem) -> tuple[object, object]:
    """What the solver reads, and what the checker reads; ``None`` where it is not read."""
    solver: object = None
    try:
        statement = read_solid(problem).statement
        facts = {
            (f.sentence, f.name, f.measure and (round(float(f.measure.number), 6), f.measure.unit))
            for f in statement.facts
        }
        solver = (facts, statement.asked, statement.unit)
    except Refused:
        pass
    heard = hear(problem)
    if heard is None:
        return solver, None
    said = {
        (n, name, value and (round(value.number.about, 6), value.unit))
        for n, found in heard.said.items()
        for name, value in found.items()
    }
    return solver, (said, heard.asked, heard.unit)


def changed(text: str, lang: Lang, changes: Sequence[str], rng: random.Random) -> Iterator[str]:
    """The text with each of ``changes`` (``old|new``) made at one place, and with a word too few, too many
    or moved."""
    for change in changes:
        old, new = change.split("|")
        if spots := [match.start() for match in re.finditer(re.escape(old), text)]:
            at = rng.choice(spots)
            yield text[:at] + new + text[at + len(old) :]
    words = text.split(" ") if lang == "en" else list(text)
    at, space = rng.randrange(len(words) - 1), " " if lang == "en" else ""
    yield space.join([*words[:at], *words[at + 1 :]])
    yield space.join([*words[: at + 1], *words[at:]])
    yield space.join([*words[:at], words[at + 1], words[at], *words[at + 2 :]])
