"""New problems of an exact world, as a file of records.

No two problems of a file have the same text, and none has the key of a problem that is to be kept out (an official dev
or test set): what is dropped is counted. The file is a function of (world, version, specification, split, n) and of
what is kept out.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, NamedTuple

from srt.images.store import PictureFolder
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.locations import Location
from srt.io.output_paths import keep_apart, keep_outside
from srt.io.progress import progress
from srt.io.record_lines import dump, parse_record
from srt.io.record_reader import read_lines, read_records
from srt.io.record_writer import open_records
from srt.io.records import Problem, Record
from srt.io.worker_processes import BATCH, START, Workers, batches
from srt.worlds.world import Sampler, World
from srt.worlds.world_registry import read_spec, world_named, world_of

SPLITS = ("train", "dev", "test")
_MOST_MISSES = 2_000
"""After this many draws in a row without a new problem, we take it that there are no more."""

_KEPT_TOGETHER = 1024


class GenerateSummary(Record):
    """What was written and what was dropped. ``keys``: how many different split keys the problems have.

    ``collisions`` are draws that were in what is excluded. ``excluded_as_text`` counts the different problems
    excluded that no world can solve: only a draw with the same text collides with them, not one that says the same.
    """

    problems: int
    keys: int
    duplicates: int
    collisions: int
    excluded_as_text: int = 0


def generate_file(
    world: str,
    n: int,
    split: str,
    out: str | Path,
    spec: Mapping[str, Any],
    exclude: Sequence[str | Path] = (),
    watch: Callable[[Iterator[bytes]], Iterable[bytes]] = iter,
    workers: int = 1,
    draws: Path | None = None,
) -> GenerateSummary:
    """Write ``n`` new problems of ``world`` to ``out`` (atomically) and say what was dropped on the way.

    ``spec`` holds the world's fields. Problems with the key or the text of one in the files ``exclude`` are dropped.
    ``watch`` passes their lines on as they come (a progress bar). What the problems show is written to a folder beside
    ``out`` (:class:`srt.images.store.PictureFolder`). ``workers`` processes draw; the output does not depend on them.
    With the folder ``draws``, what was drawn is kept there until the file is whole, and the same call goes on from
    there if it was killed.

    Raises:
        UserError: no such world, split or field; the specification has fewer than ``n`` different problems; or ``out``
            is one of the files ``exclude``.
    """
    keep_apart(out, *exclude)
    made_by = world_named(world)
    sampler = sampler_of(world, n, split, spec)
    new = NewProblems(out, n, split, exclude)
    few = n <= START * BATCH
    with Workers(1 if few else workers, here=START) as pool:
        taken = (one.line for one in _drawn(pool, sampler, n, draws) if new.take(one.content, one.key))
        lines: Iterator[bytes] = islice(taken, n)
        if made_by.extras.figures.picture is not None:
            show = partial(shown, world, Path(out))
            lines = chain.from_iterable(pool.map(show, batches(lines), 1))
        with open_records({Path(out): Problem}) as (write,):
            for line in watch(lines):
                write(line)
    if draws is not None:
        shutil.rmtree(draws, ignore_errors=True)
    return new.summary


def sampler_of(world: str, n: int, split: str, spec: Mapping[str, Any]) -> Sampler:
    """The sampler of ``world`` for the split. Raises a :class:`UserError` as :func:`generate_file` does."""
    if split not in SPLITS:
        raise UserError(f"split: {split!r} is not one of {', '.join(SPLITS)}")
    if n < 1:
        raise UserError(f"n: {n}: at least 1 was expected")
    if spec.get("split", split) != split:
        raise UserError(f"spec: split: {spec['split']!r}, but problems of {split!r} are asked for; remove the key")
    return world_named(world).sampler({**spec, "split": split})


class NewProblems:
    """Which draws, in their order, are kept: ``n`` that are new, and not in the files ``exclude``."""

    def __init__(self, out: str | Location, n: int, split: str, exclude: Sequence[str | Location]) -> None:
        self._out, self._n, self._split = out, n, split
        self._kept_out: set[str | bytes] = set()
        texts: set[bytes] = set()
        for problem in (one for file in exclude for one in read_records(file, Problem)):
            world, content = world_of(problem), _content(problem)
            keys = () if world is None else world.split_keys(problem)
            self._kept_out.update(keys, [content])
            if not keys:
                texts.add(content)
        self._as_text = len(texts)
        self._contents: set[bytes] = set()
        self._keys: set[str | None] = set()
        self._duplicates = self._collisions = self._misses = 0

    def take(self, content: bytes, key: str | None) -> bool:
        """Whether the next draw is kept; raises a :class:`UserError` if nothing new comes any more."""
        if content in self._contents:
            self._duplicates += 1
        elif key in self._kept_out or content in self._kept_out:
            self._collisions += 1
        else:
            self._misses = 0
            self._contents.add(content)
            self._keys.add(key)
            return True
        self._misses += 1
        if self._misses >= _MOST_MISSES:
            raise UserError(
                f"{self._out}: the family is exhausted: {_MOST_MISSES:,} draws in a row brought nothing new. The "
                f"specification has {len(self._contents):,} different problems of the split {self._split!r} (with"
                f" {len(self._keys):,} split keys), not {self._n:,}: ask for fewer, or let it allow more"
                + (f"; {self._collisions:,} draws are in what is excluded" if self._collisions else "")
            )
        return False

    @property
    def missing(self) -> int:
        """How many are still to come."""
        return self._n - len(self._contents)

    @property
    def summary(self) -> GenerateSummary:
        """What was kept and dropped so far."""
        return GenerateSummary(
            problems=len(self._contents),
            keys=len(self._keys),
            duplicates=self._duplicates,
            collisions=self._collisions,
            excluded_as_text=self._as_text,
        )


class Draw(NamedTuple):
    """A problem as far as it matters to the others of its file, and its line; its pictures are not drawn yet.

    ``content`` is what no other problem may have, ``key`` its split key.
    """

    content: bytes
    key: str | None
    line: bytes


def draw(sampler: Sampler, numbers: Iterable[int]) -> list[Draw]:
    """The problems ``numbers`` of ``sampler``, each a function of its number alone."""
    return [_draw_of(problem, dump(problem)) for problem in map(sampler, numbers)]


def _draw_of(problem: Problem, line: bytes) -> Draw:
    return Draw(_content(problem), problem.group_id, line)


def _drawn(pool: Workers, sampler: Sampler, n: int, folder: Path | None) -> Iterator[Draw]:
    """The draws 0, 1, 2, ...; with a ``folder``, those in its files first, and the others are added to it.

    More are drawn than the ``n`` that are wanted; not many more if ``n`` is small.
    """
    done = 0
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        while (file := folder / f"{done // _KEPT_TOGETHER}.jsonl").exists():
            for line in read_lines(file, Problem):
                yield _draw_of(parse_record(line.data, Problem, line.place), line.data)
            done += _KEPT_TOGETHER
    ahead = min(BATCH, -(-n // START))
    made = chain.from_iterable(pool.map(partial(draw, sampler), batches(count(done), ahead), 1))
    if folder is None:
        yield from made
        return
    kept: list[bytes] = []
    for one in made:
        kept.append(one.line)
        if len(kept) == _KEPT_TOGETHER:
            write_atomically(folder / f"{done // _KEPT_TOGETHER}.jsonl", kept)
            done += _KEPT_TOGETHER
            kept = []
        yield one


def shown(world: str, out: Path, lines: Iterable[bytes]) -> list[bytes]:
    """``lines`` with what their problems show, which is written beside ``out``."""
    of_world, store = world_named(world), PictureFolder(out)
    return [dump(with_picture(parse_record(line, Problem, "drawn"), of_world, store)) for line in lines]


def with_picture(problem: Problem, world: World, store: PictureFolder) -> Problem:
    """``problem`` with what ``world`` shows of it, if it shows anything, which is written to ``store``."""
    draw_picture = world.extras.figures.picture
    picture = None if draw_picture is None else draw_picture(problem)
    return problem if picture is None else problem.model_copy(update={"images": [store.keep(picture, problem.id)]})


def identities(problems: Iterable[Problem]) -> set[str | bytes]:
    """What ``problems`` are recognised by when they come again: their texts, and the split keys that they have."""
    return {name for problem in problems for name in (_content(problem), split_key(problem)) if name is not None}


def _content(problem: Problem) -> bytes:
    """A hash of the question with what its figures show: "How many cubes is it built of?" is asked of many.

    A description in words stands for the pictures, so that a problem is the same before they are drawn.
    """
    figures = [problem.diagram_description] if problem.diagram_description else [i.sha256 for i in problem.images]
    return hashlib.blake2b("\n".join((problem.question, *figures)).encode(), digest_size=16).digest()


def split_key(problem: Problem) -> str | None:
    """The split key of any problem, sampled or not; ``None`` where no world can solve it."""
    world = world_of(problem)
    return None if world is None else next(iter(world.split_keys(problem)), None)


def generate_command(
    world: str,
    n: int,
    split: str,
    out: Path,
    spec: Path | None = None,
    wordings: Path | None = None,
    exclude: Sequence[Path] = (),
    workers: int = 1,
) -> dict[str, Any]:
    """``srt generate``: as :func:`generate_file`, with the specification in a YAML file, and a progress bar.

    ``wordings`` is the world's field of that name: the folder of a published copy whose wordings are used. Returns the
    summary as a mapping.
    """
    fields = read_fields(world, spec, wordings, out)
    summary = generate_file(world, n, split, out, fields, exclude, lambda made: progress(made, n, "generate"), workers)
    return summary.model_dump(mode="json")


def read_fields(world: str, spec: Path | None, wordings: Path | None, out: Location) -> dict[str, Any]:
    """The fields of ``world`` that the file ``spec`` and the folder ``wordings`` give.

    Raises:
        UserError: no such world or file, a field that the world does not have, or ``out`` is one of these.
    """
    if isinstance(out, Path):
        keep_apart(out, spec)
        keep_outside(out, wordings)
    fields: dict[str, Any] = {} if spec is None else read_spec(world_named(world), spec)
    return fields if wordings is None else {**fields, "wordings": wordings}
