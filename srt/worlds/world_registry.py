"""All worlds. A new one is a class in a file and one entry in :data:`WORLDS`."""

from __future__ import annotations

from srt.io.errors import UserError
from srt.io.records import Problem
from srt.worlds.seating.seating_world import SeatingWorld
from srt.worlds.views.views_world import ViewsWorld
from srt.worlds.world import World

WORLDS: list[World] = [
    SeatingWorld(),
    ViewsWorld(),
]


def world_named(name: str) -> World:
    """The world ``name``.

    Raises:
        UserError: there is no such world; the message lists those that exist.
    """
    named = {world.name: world for world in WORLDS}
    if name not in named:
        raise UserError(f"unknown world {name!r}: the worlds are {', '.join(named)}")
    return named[name]


def world_of(problem: Problem) -> World | None:
    """The first world that recognises ``problem``, or ``None``."""
    return next((world for world in WORLDS if world.recognises(problem)), None)
