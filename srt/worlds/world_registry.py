"""All worlds. A new one is a folder and one entry in :data:`WORLDS`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any, NamedTuple, cast

from pydantic import AfterValidator

from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.io.yaml_config import read_yaml
from srt.language.faults import Fault, FaultClass
from srt.language.trace import Trace, TraceCheck
from srt.worlds.world import Kind, World

Checker = Callable[[Problem, Trace], TraceCheck | None]
"""The verdicts on a trace; ``None`` for a problem of another world."""
LeftOut = Callable[[Problem, Trace], Iterator[tuple[int, tuple[str, ...]]] | None]
"""Steps of a proved trace that seem to add nothing, each with the steps that can be cited instead (``#2``), the last
first; ``None`` for a problem of another world. Each costs no more than the check of a step or two."""
Certificate = Callable[[Problem, str, str | None], bool | None]
"""Whether a text has the certificate of its problem: the last plan that it states (who sits where) satisfies every clue
of the problem, and the answer that it gives (``None``: none) is right in that plan. ``None`` for a problem that has no
certificate. It reads any text in linear time, never the gold answer, and shares nothing with the solver."""


class WorldEntry(NamedTuple):
    """Import paths, ``package.module:name``: the class of a world, and its checker, which shares no code with it.

    They are paths so that a process which only checks never loads a solver, and the other way round. ``left_out`` is
    for a world in which a proved trace can have steps that add nothing; in the others a step that is cited has news.
    ``certificate`` is for a world in which something is to be found that a text can state and a checker can try.
    """

    world: str
    checker: str | None = None
    left_out: str | None = None
    certificate: str | None = None


WORLDS: dict[str, WorldEntry] = {
    "seating": WorldEntry(
        "srt.worlds.seating.seating_world:SeatingWorld",
        "srt.worlds.seating.checker.check_seating:check_seating",
        "srt.worlds.seating.checker.left_out:left_out",
        "srt.worlds.seating.checker.certificate:certify_seating",
    ),
    "views": WorldEntry(
        "srt.worlds.views.views_world:ViewsWorld",
        "srt.worlds.views.checker.check_views:check_views",
        certificate="srt.worlds.views.checker.certificate:certify_count",
    ),
    "routes": WorldEntry(
        "srt.worlds.routes.routes_world:RoutesWorld", "srt.worlds.routes.checker.check_route:check_route"
    ),
    "solids": WorldEntry(
        "srt.worlds.solids.solids_world:SolidsWorld", "srt.worlds.solids.checker.check_solid:check_solid"
    ),
}


def worlds() -> list[World]:
    """Every registered world, in the order of :data:`WORLDS`."""
    return [_world(entry.world) for entry in WORLDS.values()]


def checkers() -> Iterator[Checker]:
    """The checker of every world that has one, in the order of :data:`WORLDS`; each is imported when its turn comes."""
    return (cast("Checker", _named(entry.checker)) for entry in WORLDS.values() if entry.checker)


def steps_left_out(problem: Problem, trace: Trace) -> Iterator[tuple[int, tuple[str, ...]]]:
    """What the world of ``problem`` says of steps that add nothing (:data:`LeftOut`)."""
    for path in filter(None, (entry.left_out for entry in WORLDS.values())):
        if (found := cast("LeftOut", _named(path))(problem, trace)) is not None:
            yield from found


def certified(problem: Problem, text: str, answer: str | None) -> bool | None:
    """What the world of ``problem`` says of ``text`` (:data:`Certificate`); ``None`` where there is no certificate."""
    for path in filter(None, (entry.certificate for entry in WORLDS.values())):
        if (found := cast("Certificate", _named(path))(problem, text, answer)) is not None:
            return found
    return None


_named = cache(resolve_name)


@cache
def _world(path: str) -> World:
    return cast("World", resolve_name(path)())


def world_named(name: str) -> World:
    """The world ``name``.

    Raises:
        UserError: there is no such world; the message lists those that exist.
    """
    if name not in WORLDS:
        raise UserError(f"unknown world {name!r}{did_you_mean(name, WORLDS)}: the worlds are {', '.join(WORLDS)}")
    return _world(WORLDS[name].world)


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
    return next((world for world in worlds() if world.recognises(problem)), None)


def check_offered(kind: Kind, name: str, by: Sequence[World] | None = None, generic: Sequence[str] = ()) -> None:
    """Raise a :class:`UserError` if ``name`` is neither ``generic`` nor offered by one of ``by``, or of all worlds.

    The line says what they offer and which of that is probably meant; of what a world had once, the last commit.
    """
    if name in generic:
        return
    by = worlds() if by is None else by
    offers = {world: _offers(world)[kind] for world in by}
    if any(name in offer for offer in offers.values()):
        return
    for world in by:
        if commit := world.extras.retired.get(kind, {}).get(name):
            raise UserError(
                f"{kind} {name!r}: {world.name} has it no longer, the last commit that has it is {commit}; "
                f"now it offers {', '.join(offers[world])}"
            )
    meant = did_you_mean(name, [*generic, *(known for offer in offers.values() for known in offer)])
    known = [*generic, *(f"{world.name} offers {', '.join(offer)}" for world, offer in offers.items() if offer)]
    raise UserError(f"unknown {kind} {name!r}{meant}: {'; '.join(known)}")


def _check_name(kind: Kind, name: str) -> str:
    try:
        check_offered(kind, name)
    except UserError as error:
        raise ValueError(str(error)) from None
    return name


PlanName = Annotated[str, AfterValidator(partial(_check_name, "plan"))]
TextStyleName = Annotated[str, AfterValidator(partial(_check_name, "text style"))]
"""Keys of a config: a plan, and a text style, that some world offers."""


def _offers(world: World) -> Mapping[Kind, Mapping[str, object]]:
    return {"plan": world.plans, "text style": world.styles, "pieces": world.extras.splittings}


def fault_classes() -> dict[str, FaultClass]:
    """Every class of fault by its name: those of any trace, then those that only one world plants."""
    planted = (fault for world in worlds() if world.extras.faults for fault in world.extras.faults().planted)
    return {fault.value: fault for fault in (*Fault, *planted)}
