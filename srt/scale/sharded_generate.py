"""``srt generate`` over shards: shard ``k`` draws ``size`` problems from ``k * size`` on, functions of their numbers.

What is new is decided here, draw by draw, as on one machine: only a hash and the split key of each come back. Then each
shard writes those of its draws that are kept, and their pictures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from srt import __version__
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.locations import Location
from srt.io.record_reader import read_lines
from srt.io.record_writer import open_records
from srt.io.records import Problem
from srt.pipeline.generate import GenerateSummary, NewProblems, draw, sampler_of, shown
from srt.pipeline.record_stage import LineCounts
from srt.scale.ray_engine import RunShards
from srt.scale.shard_folder import ShardFolder
from srt.scale.shards import identity
from srt.worlds.world import Sampler
from srt.worlds.world_registry import world_named

SHARD_DRAWS: Final = 8192


@dataclass(frozen=True)
class _Draws:
    """The draws of each shard: their lines, and what tells whether they are new."""

    folder: ShardFolder
    sampler: Sampler
    size: int

    def __call__(self, number: int) -> None:
        if self.names(number).exists():
            return
        self.folder.begin(number)
        made = draw(self.sampler, range(number * self.size, (number + 1) * self.size))
        names = orjson.dumps([(one.content.hex(), one.key) for one in made])
        write_atomically(self.lines(number), (one.line for one in made))
        write_atomically(self.names(number), [names])

    def lines(self, number: int) -> Location:
        return self.folder.work / f"draws-{number:05d}.jsonl"

    def names(self, number: int) -> Location:
        return self.folder.work / f"names-{number:05d}.json"

    def kept(self, number: int) -> Location:
        return self.folder.work / f"kept-{number:05d}"


@dataclass(frozen=True)
class _Parts:
    """The parts: of the draws of each shard those that are kept."""

    draws: _Draws
    world: str

    def __call__(self, number: int) -> None:
        folder, part = self.draws.folder, self.draws.folder.part(number)
        if folder.done(number):
            return
        folder.begin(number)
        kept = self.draws.kept(number).read_bytes()
        lines = [
            line.data for line, keep in zip(read_lines(self.draws.lines(number), Problem), kept, strict=True) if keep
        ]
        if world_named(self.world).extras.figures.picture and isinstance(folder.path, Path):
            lines = shown(self.world, folder.path / "problems.jsonl", lines)
        with open_records({part: Problem}) as (write,):
            write(b"".join(lines))
        folder.finish(number, LineCounts(read=len(lines)), [part])


def generate_shards(
    world: str,
    n: int,
    split: str,
    out: Location,
    spec: Mapping[str, Any],
    run: RunShards,
    exclude: Sequence[Location] = (),
    shard_draws: int = SHARD_DRAWS,
) -> GenerateSummary:
    """As :func:`~srt.pipeline.generate.generate_file`, into the folder ``out``.

    Raises:
        UserError: what that function raises, or ``out`` was made by something else.
    """
    sampler = sampler_of(world, n, split, spec)
    if world_named(world).extras.figures.picture and not isinstance(out, Path):
        raise UserError(f"{out}: the problems of {world} have pictures: name a folder, they are not written to URLs")
    settings = {"world": world, "n": n, "split": split, "spec": {name: str(value) for name, value in spec.items()}}
    inputs = [identity(file) for file in exclude]
    plan = {"stage": "generate", "srt": __version__, "settings": settings, "inputs": inputs, "shard_draws": shard_draws}
    folder = ShardFolder(out.resolve())
    with folder.hold(plan) as counted:
        if counted is None:
            draws = _Draws(folder, sampler, shard_draws)
            new = NewProblems(out, n, split, exclude)
            shards = 0
            while new.missing:
                # As many draws as are missing; some turn out to be repeats, and another round follows.
                more = -(-new.missing // shard_draws)
                run("draw", draws, [k for k in range(shards, shards + more) if not draws.names(k).exists()])
                for number in range(shards, shards + more):
                    names = orjson.loads(draws.names(number).read_bytes())
                    # Draw by draw, as on one machine: whether one is taken decides about those after it.
                    kept = (new.missing > 0 and new.take(bytes.fromhex(content), key) for content, key in names)
                    write_atomically(draws.kept(number), [bytes(kept)])
                shards += more
            run("generate", _Parts(draws, world), [k for k in range(shards) if not folder.done(k)])
            counted = LineCounts(n, Counter(new.summary.model_dump()))
            folder.conclude(plan, shards, counted)
    return GenerateSummary(**counted.counts)
