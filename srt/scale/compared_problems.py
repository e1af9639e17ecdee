"""The problems that a curation on a cluster compares: all sources as one row of shards, and what is noted of each.

A problem is known by its position: its place among all problems, those of the curated source first. What is compared
is read again from its line where it is needed: only numbers are noted, in arrays in the working folder (:data:`MARK`,
:data:`~srt.curate.picture_groups.PICTURE`).
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
import orjson

from srt.curate.curate_problems import found_alone
from srt.curate.curation_records import CurationOptions
from srt.curate.duplicates import exact_key
from srt.curate.entries import Entry, entry
from srt.curate.picture_comparison import Look, look_at, verify
from srt.curate.picture_groups import PICTURE, picture_files, picture_rows
from srt.io.atomic_files import write_atomically
from srt.io.errors import RecordError, UserError
from srt.io.folder_lock import make_folder
from srt.io.locations import Location
from srt.io.record_lines import dump, parse_record
from srt.io.record_reader import Line
from srt.io.records import Problem
from srt.scale.problem_index import ProblemIndex, hash_of, load_array, save_array
from srt.scale.ray_engine import RunShards
from srt.scale.shard_folder import ShardFolder
from srt.scale.shards import InputShard, cut

MARK: Final = np.dtype(
    [("rank", "u1"), ("answered", "?"), ("pictures", "u1"), ("key", "<u8"), ("group", "<u8"), ("left", "?")]
)
"""Of a problem: hashes of what exact duplicates have in common and of its group (0: none), and whether a check of the
problem alone has left it."""


@dataclass(frozen=True)
class Source:
    """The problems of one source; pictures are found from ``root``. ``file``: its name, if it is only compared with."""

    index: ProblemIndex
    root: Location
    root_as_given: Location
    file: str | None

    def entry(self, line: Line, position: int) -> tuple[Problem, Entry]:
        """The problem of ``line``. Raises a :class:`RecordError`: it is none, or has pictures at a URL."""
        problem = parse_record(line.data, Problem, line.place)
        if isinstance(self.root, Path):
            return problem, entry(problem, position, self.root, self.file)
        if problem.images:
            raise RecordError(f"{line.place}: images: pictures are read from folders, not from URLs")
        return problem, entry(problem, position, Path(), self.file)

    def as_given(self, fault: str) -> str:
        """What is said about a picture, with its path as on one machine: others have other working folders."""
        # With the slash, as a path below the working folder has nothing in the place of ".".
        at, given = f"{self.root / 'x'}"[:-1], f"{self.root_as_given / 'x'}"[:-1]
        return fault.replace(at, given).replace(str(self.root), str(self.root_as_given))


@dataclass(frozen=True)
class ComparedProblems:
    """The problems of ``sources``, of which the first is curated; files about them go to the work of ``folder``.

    ``shards`` has the source of each shard and its number there, ``starts`` the position of its first problem.
    """

    folder: ShardFolder
    sources: tuple[Source, ...]
    shards: tuple[tuple[int, int], ...]
    starts: tuple[int, ...]

    @classmethod
    def of(
        cls, folder: ShardFolder, problems: Location, against: Sequence[Location], run: RunShards, shard_bytes: int
    ) -> ComparedProblems:
        """Find where each problem stands.

        Raises:
            UserError: a source cannot be read, or has no problem.
            RecordError: a line has not the keys of a problem, or the id of an earlier one of its source.
        """
        sources: list[Source] = []
        shards: list[tuple[int, int]] = []
        counts: list[int] = []
        for number, path in enumerate((problems, *against)):
            work = folder.work / f"source-{number}"
            make_folder(work)
            index = ProblemIndex(tuple(cut(path, shard_bytes)), work)
            index.make(run)
            held = [index.count(shard) for shard in range(len(index.shards))]
            # An empty test set would find no leak, and the run would look as if it had compared.
            if not sum(held):
                raise UserError(f"{path}: no problem in this file; at least one was expected")
            root = path if path.is_dir() else path.parent
            sources.append(Source(index, root.resolve(), root, str(path) if number else None))
            shards += [(number, shard) for shard in range(len(held))]
            counts += held
        return cls(folder, tuple(sources), tuple(shards), tuple(accumulate(counts, initial=0)))

    @property
    def curated(self) -> int:
        """How many shards are those of the curated source: the first ones."""
        return len(self.sources[0].index.shards)

    @property
    def own(self) -> int:
        """How many problems the curated source has: the positions before are its."""
        return self.starts[self.curated]

    def shard(self, number: int) -> InputShard:
        """Where the problems of shard ``number`` stand."""
        source, at = self.shards[number]
        return self.sources[source].index.shards[at]

    def shard_of(self, position: int) -> int:
        """The number of the shard that has the problem."""
        return bisect_right(self.starts, position) - 1

    def entries(self, number: int) -> Iterator[tuple[Problem, Entry]]:
        """The problems of shard ``number``; raises a :class:`RecordError` of a line that is no problem."""
        source = self.sources[self.shards[number][0]]
        for position, (_, line) in enumerate(self.shard(number).lines(Problem), self.starts[number]):
            yield source.entry(line, position)

    def entry(self, position: int) -> Entry:
        """The problem at ``position``."""
        number = self.shard_of(position)
        place, shard = self.shards[number]
        source = self.sources[place]
        return source.entry(source.index.line(shard, position - self.starts[number]), position)[1]

    def array(self, kind: str, number: int | None = None) -> Location:
        """The file of an array about the problems of shard ``number``, or about all."""
        return self.folder.work / (f"{kind}.npy" if number is None else f"{kind}-{number:05d}.npy")

    def other(self, kind: str, number: int) -> Location:
        """The file of what is no array."""
        return self.folder.work / f"{kind}-{number:05d}.json"


@dataclass(frozen=True)
class ComparisonStep:
    """What is done to each shard, or to each part of other work; the array ``last`` is there when it is done."""

    problems: ComparedProblems
    last: ClassVar[str]

    def done(self, number: int) -> bool:
        """Whether part ``number`` is done."""
        return self.problems.array(self.last, number).exists()

    def __call__(self, number: int) -> None:
        """Work on part ``number``, unless it is done. Raises a :class:`UserError` of its first fault."""
        if self.done(number):
            return
        try:
            self.problems.folder.begin(number, f"{self.last}-")
        except UserError as error:
            raise UserError(f"{self.place(number)}: {error}") from None
        self.work_on(number)

    def place(self, number: int) -> str:
        """What part ``number`` is, for a message."""
        return str(self.problems.shard(number))

    @abstractmethod
    def work_on(self, number: int) -> None:
        """Write the files of part ``number``, ``last`` at the end."""


@dataclass(frozen=True)
class MarkProblems(ComparisonStep):
    """Marks of all problems, and what is found in those of the curated source alone, but for what is ``cleared``."""

    options: CurationOptions
    cleared: frozenset[str]
    last = "marks"

    def work_on(self, number: int) -> None:
        """Read shard ``number``."""
        marks, alone = [], []
        for problem, one in self.problems.entries(number):
            found = [] if one.file else list(found_alone(problem, one, self.options))
            alone += [dump(one) for one in found if one.verdict != "review" or one.problem_id not in self.cleared]
            left = all(finding.verdict != "drop" for finding in found)
            key, group = hash_of("\0".join(exact_key(one))), 0 if one.group is None else hash_of(one.group)
            # Numbers alone: of millions of problems, texts would not fit in one machine's memory.
            marks.append((one.rank, one.answer is not None, len(one.images), key, group, left))
        write_atomically(self.problems.other("alone", number), alone)
        # The array last: it says that the shard is done, so all its other files have to be there.
        save_array(self.problems.array(self.last, number), np.array(marks, MARK))


@dataclass(frozen=True)
class LookAtPictures(ComparisonStep):
    """The pictures of problems that are left: a row for each, or why one of a problem's cannot be read."""

    last = "pictures"

    def work_on(self, number: int) -> None:
        """Look at the pictures of shard ``number``, each once."""
        marks = load_array(self.problems.array("marks", number))
        # By content: corpora have one picture under many names, and decoding is the expensive part.
        looks: dict[str, Look] = {}
        rows, faults = [], []
        wanted = marks["left"] & (marks["pictures"] > 0)
        entries = self.problems.entries(number) if wanted.any() else ()
        for (_, one), want in zip(entries, wanted, strict=False):
            fault = None
            for file in picture_files(one) if want else ():
                known = looks.get(file.sha256)
                # A copy of a picture that was decoded is only read: a picture under one path says nothing about the
                # file at another.
                look = verify(file) if known else look_at(file)
                if (fault := look.fault) is not None:
                    source = self.problems.sources[self.problems.shards[number][0]]
                    faults.append((one.position, one.id, source.as_given(fault)))
                    break
                looks.setdefault(file.sha256, look)
            if want and fault is None:
                rows += picture_rows(one, {image.sha256: looks[image.sha256].hash for image in one.images})
        write_atomically(self.problems.other("faults", number), [orjson.dumps(faults)])
        save_array(self.problems.array(self.last, number), np.array(rows, PICTURE))
