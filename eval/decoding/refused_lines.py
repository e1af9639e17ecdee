"""The refused lines of a text as its prediction has them: as text, equal ones once, and not too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from eval.decoding.text import Text
from srt.io.records import RefusedLine

MOST = 64
"""Different lines of one text; those that went later are left out."""
LONGEST = 300
"""Characters of a line or a reason; what is cut off ends in ``…``."""


def refused_lines(text: Text, said_by: Callable[[Sequence[int]], str]) -> tuple[RefusedLine, ...]:
    """The lines that are gone from ``text``, in the order of their places in it; ``said_by`` gives the text of ids."""

    def opened_by(ids: Sequence[int]) -> str:
        """What the last id of a line says of the next one."""
        _, broken, opened = said_by(ids[-1:]).rpartition("\n")
        return opened if broken else ""

    every = []
    for one in text.refused:
        said = opened_by(one.last) + said_by(one.ids)
        every.append((one.before, said.strip().partition("\n")[0], one.reason))
    times = Counter(one for one in every if one[1])  # a line that says nothing shows nothing
    ids = text.ids
    whole, found = said_by(ids), list[RefusedLine]()
    for before, line, reason in list(times)[:MOST]:
        begins = len(said_by(ids[:before])) - len(opened_by(ids[:before]))
        # Its first token may hold the break before it.
        at = len(whole) - len(whole[begins:].lstrip())
        short = None if reason is None else _short(reason)
        found.append(RefusedLine(at=at, line=_short(line), reason=short, times=times[before, line, reason]))
    return tuple(sorted(found, key=lambda one: one.at))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
