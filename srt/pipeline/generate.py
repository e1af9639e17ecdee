"""New problems of an exact world, as a file of records.

No two problems of a file have the same text, and none has the key of a problem that is to be kept out (an official dev
or test set): what is dropped is counted. The file is a function of (world, version, specification, split, n) and of
what is kept out.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from srt.images.store import PictureFolder
from srt.io.errors import UserError
from srt.io.jsonl import keep_apart, keep_outside, read_records, write_records
from srt.io.progress import progress
from srt.io.records import Problem, Record
from srt.io.worker_processes import Workers
from srt.worlds.world import Sampler
from srt.worlds.world_registry import read_spec, world_named, world_of

SPLITS = ("train", "dev", "test")
_MOST_MISSES = 2_000
"""So many problems in a row that are not new mean that there are no more."""

_KEPT_TOGETHER = 1024
_CHUNK = 32
_ALONE = 1000
"""So many problems take about as long as processes take to start."""


class GenerateSummary(Record):
    """What was written and what was dropped. ``keys``: how many different split keys the problems have."""

    problems: int
    keys: int
    duplicates: int
    collisions: int


def generate_file(
    world: str,
    n: int,
    split: str,
    out: str | Path,
    spec: Mapping[str, Any],
    exclude: Sequence[str | Path] = (),
    watch: Callable[[Iterator[Problem]], Iterable[Problem]] = iter,
    workers: int = 1,
    draws: Path | None = None,
) -> GenerateSummary:
    """Write ``n`` new problems of ``world`` to ``out`` (atomically) and say what was dropped on the way.

    ``spec`` holds the world's fields. Problems with the key or the text of one in the files ``exclude`` are dropped.
    ``watch`` passes the problems on as they come (a progress bar). What the problems show is written to a folder beside
    ``out`` (:class:`srt.images.store.PictureFolder`). ``workers`` processes draw; the output does not depend on them.
    With the folder ``draws``, what was drawn is kept there until the file is whole, and the same call goes on from
    there if it was killed.

    Raises:
        UserError: no such world, split or field; the specification has fewer than ``n`` different problems; or ``out``
            is one of the files ``exclude``.
    """
    if split not in SPLITS:
        raise UserError(f"split: {split!r} is not one of {', '.join(SPLITS)}")
    if n < 1:
        raise UserError(f"n: {n}: at least 1 was expected")
    if spec.get("split", split) != split:
        raise UserError(f"spec: split: {spec['split']!r}, but --split is {split!r}; remove one of them")
    keep_apart(out, *exclude)
    sampler = world_named(world).sampler({**spec, "split": split})
    pictures = PictureFolder(Path(out))
    counts = {"keys": 0, "duplicates": 0, "collisions": 0}
    kept_out = {name for file in exclude for name in identities(read_records(file, Problem))}

    def new_problems(drawn: Iterable[Problem]) -> Iterator[Problem]:
        texts: set[str] = set()
        keys: set[str | None] = set()
        misses = 0
        for problem in drawn:
            text = _content(problem)
            misses += 1
            if text in texts:
                counts["duplicates"] += 1
            elif problem.group_id in kept_out or text in kept_out:
                counts["collisions"] += 1
            else:
                misses = 0
                texts.add(text)
                keys.add(problem.group_id)
                counts["keys"] = len(keys)
                yield problem
                if len(texts) == n:
                    return
            if misses >= _MOST_MISSES:
                raise UserError(
                    f"{out}: the family is exhausted: {_MOST_MISSES:,} draws in a row brought nothing new. The "
                    f"specification has {len(texts):,} different problems of the split {split!r} (with {len(keys):,} "
                    f"split keys), not {n:,}: ask for fewer, or let it allow more"
                )

    def with_pictures(shown: Iterable[tuple[Problem, bytes | None]]) -> Iterator[Problem]:
        for problem, picture in shown:
            if picture is None:
                yield problem
            else:
                yield problem.model_copy(update={"images": [pictures.keep(picture, problem.id)]})

    with Workers(workers, alone=_ALONE) as pool:
        drawn = new_problems(_drawn(pool, sampler, draws))
        made = with_pictures(pool.map(partial(_shown, world), drawn, _CHUNK))
        written = write_records(out, watch(made))
    if draws is not None:
        shutil.rmtree(draws, ignore_errors=True)
    return GenerateSummary(problems=written, **counts)


def _drawn(pool: Workers, sampler: Sampler, folder: Path | None) -> Iterator[Problem]:
    """The draws 0, 1, 2, ...; with a ``folder``, those in its files first, and the others are added to it."""
    done = 0
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        while (file := folder / f"{done // _KEPT_TOGETHER}.jsonl").exists():
            yield from read_records(file, Problem)
            done += _KEPT_TOGETHER
    kept: list[Problem] = []
    for problem in pool.map(sampler, count(done), _CHUNK):
        if folder is not None:
            kept.append(problem)
            if len(kept) == _KEPT_TOGETHER:
                write_records(folder / f"{done // _KEPT_TOGETHER}.jsonl", kept)
                done += _KEPT_TOGETHER
                kept = []
        yield problem


def _shown(world: str, problem: Problem) -> tuple[Problem, bytes | None]:
    return problem, world_named(world).picture(problem)


def identities(problems: Iterable[Problem]) -> set[str]:
    """What ``problems`` are recognised by when they come again: their texts, and the split keys that they have."""
    return {name for problem in problems for name in (_content(problem), split_key(problem)) if name is not None}


def _content(problem: Problem) -> str:
    """The question with what its figures show: "How many cubes is it built of?" is asked of many.

    A description in words stands for the pictures, so that a problem is the same before they are drawn.
    """
    figures = [problem.diagram_description] if problem.diagram_description else [i.sha256 for i in problem.images]
    return "\n".join((problem.question, *figures))


def split_key(problem: Problem) -> str | None:
    """The split key of any problem, sampled or not; ``None`` where no world can solve it."""
    world = world_of(problem)
    return None if world is None else world.split_key(problem)


def generate_command(
    world: str,
    n: int,
    split: str,
    out: Path,
    spec: Path | None = None,
    wordings: Path | None = None,
    exclude: Path | None = None,
    workers: int = 1,
) -> dict[str, Any]:
    """``srt generate``: as :func:`generate_file`, with the specification in a YAML file, and a progress bar.

    ``wordings`` is the world's field of that name: the folder of a published copy whose wordings are used. Returns the
    summary as a mapping.
    """
    keep_apart(out, spec)
    excluded = () if exclude is None else (exclude,)
    keep_outside(out, wordings)
    fields: dict[str, Any] = {}
    if spec is not None:
        fields = read_spec(world_named(world), spec)
    if wordings is not None:
        fields |= {"wordings": wordings}
    summary = generate_file(world, n, split, out, fields, excluded, lambda made: progress(made, n, "generate"), workers)
    return summary.model_dump(mode="json")
