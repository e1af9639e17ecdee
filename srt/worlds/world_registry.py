"""All worlds. A new one is a class in a file and one entry in :data:`WORLDS`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from srt.io.errors import UserError
from srt.io.records import Problem
from srt.io.yaml_config import read_yaml
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


def read_spec(world: World, path: Path) -> dict[str, Any]:
    """The settings of ``world`` in a YAML file, as :meth:`World.sampler` takes them.

    Raises:
        UserError: the file cannot be read, or the world does not take them; the message names the file.
    """
    fields = read_yaml(path)
    try:
        world.sampler(fields)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    return fields


def world_of(problem: Problem) -> World | None:
    """The first world that recognises ``problem``, or ``None``."""
    return next((world for world in WORLDS if world.recognises(problem)), None)
