"""Exact worlds: families of problems with a model that samples, renders, solves and explains them.

A world is imported when it is first asked for. The checker (:mod:`srt.checking`) shares no code with any of them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from srt.errors import UserError
from srt.records import Problem
from srt.worlds.world import World

WORLDS: dict[str, str] = {"seating": "srt.worlds.seating.world:SeatingWorld"}
"""World name -> ``module:class``."""


def world_named(name: str) -> World:
    """The world called ``name``; a :class:`~srt.errors.UserError` lists those there are."""
    if name not in WORLDS:
        raise UserError(f"no world is called {name!r}; there are: {', '.join(WORLDS)}")
    return _load(name)


def world_of(problem: Problem) -> World | None:
    """The first world that recognises ``problem``, or ``None``."""
    return next((world for world in map(_load, WORLDS) if world.recognises(problem)), None)


@cache
def _load(name: str) -> World:
    module, _, member = WORLDS[name].partition(":")
    world: World = getattr(import_module(module), member)()
    return world
