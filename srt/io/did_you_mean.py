"""What to say of a name that is not known: the nearest one that is, or all that there are."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable


def nearest(name: str, known: Collection[str]) -> str | None:
    """The one of ``known`` that ``name`` is probably meant to be; ``None`` where none is near."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return near[0] if near else None


def suggested(near: str | None, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the ``near`` one, or all of ``known``."""
    return f"did you mean {near}?" if near else f"known are {', '.join(known)}"


def suggestion(name: str, known: Collection[str]) -> str:
    """The same, with the nearest one of ``known``."""
    return suggested(nearest(name, known), known)
