"""What the stages share that map the lines of a file to results: processes, progress, lines that kill their process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol, TypeVar

from srt.io.errors import RecordError
from srt.io.progress import progress
from srt.io.worker_processes import Workers


class Placed(Protocol):
    """An item of work that says where it stands (``file:line``)."""

    @property
    def place(self) -> str:
        """Opens what is said about the item."""
        ...


T = TypeVar("T", bound=Placed)
R = TypeVar("R")

_CHUNK: Final = 64
_ALONE: Final = 1000
"""So many lines take about as long as processes take to start."""

KILLED: Final = "its process was killed twice; if memory ran out, use fewer --workers"


def map_lines(
    work: Callable[[T], R],
    lines: Iterable[T],
    total: int,
    what: str,
    workers: int,
    killed: Callable[[T], R] | None = None,
) -> Iterator[R]:
    """``work`` on each of ``lines``, of which there are about ``total``, in their order and with progress.

    ``work`` is a function at the top of a module, or a ``partial`` of one: it is called in ``workers`` processes, in
    this one if that is 1. ``killed`` is the result for a line that kills its process, also when worked on alone.

    Raises:
        RecordError: a process was killed so, and there is no ``killed``; and what ``work`` raises.
    """

    def fail(line: T) -> R:
        raise RecordError(f"{line.place}: {KILLED}; --keep-going files such records as refused")

    with Workers(workers, alone=_ALONE) as pool:
        yield from progress(pool.map(work, lines, _CHUNK, killed or fail), total, what)
