"""How a key of a config appears on the command line. It is written beside the key, so file and flags cannot differ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flag:
    """The option of a command that sets a key; keys without one are set in the file alone.

    Args:
        group: the heading under which help lists it.
        help: one line.
        names: as they are typed; by default the key, as in ``--max-new-tokens``.
    """

    group: str
    help: str
    names: tuple[str, ...] = ()
