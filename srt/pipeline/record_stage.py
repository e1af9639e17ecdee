"""What the stages share that map records to records: solve, check, build.

Such a stage is a function ``work(line, made)`` that adds what becomes of one line of the input to a
:class:`StageOutput`: finished lines of the output file, finished lines of the refusals file, and counts. It can be
pickled (a function at the top of a module, or a frozen dataclass), and shares nothing between lines.

So :func:`run_batch` may be given any part of a file, in any process of any machine: the outputs of the parts, added up
in the order of the input, are what one process makes of the whole file. :func:`run_stage` does this on the cores of
this machine. What concerns several lines, such as ids that must be unique, is left to who puts the outputs together.

The stages: ``solve_line`` (:mod:`srt.pipeline.solve`), ``check_line`` (:mod:`srt.pipeline.check`) and ``BuildLine``
(:mod:`srt.pipeline.build`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol, TypeVar

from srt.io.errors import RecordError
from srt.io.progress import progress_bar
from srt.io.record_lines import dump
from srt.io.record_reader import UniqueValues
from srt.io.record_writer import Sink
from srt.io.records import Record
from srt.io.worker_processes import START, Workers, batches, in_own_process

_MOST_EXAMPLES: Final = 1000
KILLED: Final = "its process was killed twice; if memory ran out, use fewer --workers"


@dataclass
class LineCounts:
    """Counts over some lines. ``read``: how many they are. Names of ``counts`` are in groups: ``refused.no_world``.

    ``examples`` are the first thousand texts of a kind, such as the faults that a summary shows.
    """

    read: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def group(self, name: str) -> dict[str, int]:
        """The counts of a group, in the order in which they came up."""
        opening = f"{name}."
        return {key.removeprefix(opening): count for key, count in self.counts.items() if key.startswith(opening)}

    def example(self, kind: str, text: str) -> None:
        """Keep ``text``, if it is one of the first of its ``kind``."""
        texts = self.examples.setdefault(kind, [])
        if len(texts) < _MOST_EXAMPLES:
            texts.append(text)

    def count_in(self, later: LineCounts) -> None:
        """Add the counts of the lines after these."""
        self.read += later.read
        self.counts.update(later.counts)
        for kind, texts in later.examples.items():
            for text in texts:
                self.example(kind, text)


@dataclass
class StageOutput(LineCounts):
    """What a stage made of some lines, in their order.

    ``lines`` and ``refused`` are lines of the output file and of the refusals file, newlines included. ``ids``:
    ``(id, line number)`` of records whose ids must be unique in their file.
    """

    lines: bytearray = field(default_factory=bytearray)
    refused: bytearray = field(default_factory=bytearray)
    ids: list[tuple[str, int]] = field(default_factory=list)

    def refuse(self, record: Record, reason: str) -> None:
        """Write ``record`` to the refusals and count its ``reason``."""
        self.refused += dump(record)
        self.counts[f"refused.{reason}"] += 1

    def add(self, later: StageOutput) -> None:
        """Add what was made of the lines after these."""
        self.count_in(later)
        self.lines += later.lines
        self.refused += later.refused
        self.ids += later.ids


class Placed(Protocol):
    """A line of the input, not parsed yet, that says where it stands (``file:line``)."""

    @property
    def place(self) -> str:
        """Opens what is said about the line."""
        ...


L = TypeVar("L", bound=Placed)
Work = Callable[[L, StageOutput], None]


def run_batch(work: Work[L], lines: Sequence[L]) -> StageOutput:
    """What ``work`` makes of ``lines``.

    Raises:
        UserError: what ``work`` raises of a line that is not a record.
    """
    made = StageOutput(read=len(lines))
    for line in lines:
        work(line, made)
    return made


def run_stage(
    work: Work[L],
    lines: Iterable[L],
    total: int,
    what: str,
    *,
    out: Sink | None = None,
    refused: Sink | None = None,
    ids: UniqueValues | None = None,
    workers: int = 1,
    killed: Work[L] | None = None,
) -> LineCounts:
    """Give what ``work`` makes of ``lines``, of which there are about ``total``, to ``out`` and ``refused``, in order.

    It is called in ``workers`` processes, in this one if that is 1; the output does not depend on them. ``killed`` is
    called here, instead of ``work``, for a line that kills its process, also when it is the only line there.

    Raises:
        RecordError: a process was killed so, and there is no ``killed``; or ``ids`` has an id already.
        UserError: what ``work`` raises.
    """

    def apart(batch: Sequence[L]) -> StageOutput:
        """The output of lines of which one kills its process; bisection finds that line."""
        if len(batch) > 1:
            made = StageOutput()
            for half in (batch[: len(batch) // 2], batch[len(batch) // 2 :]):
                made.add(in_own_process(run, half, apart))
            return made
        if killed is None:
            raise RecordError(f"{batch[0].place}: {KILLED}; --keep-going files such records as refused")
        return run_batch(killed, batch)

    run = partial(run_batch, work)
    summed = LineCounts()
    with Workers(workers, here=START) as pool, progress_bar(what, total, lines_from=1000) as advance:
        for made in pool.map(run, batches(lines), 1, apart):
            if ids is not None:
                ids.update(made.ids)
            if out is not None:
                out(made.lines)
            if refused is not None:
                refused(made.refused)
            summed.count_in(made)
            advance(made.read)
    return summed
