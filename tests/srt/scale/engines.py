"""Engines that work on shards in this process, as a cluster might: in any order, twice, or not to the end."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Sequence

from srt.io.locations import Location, listed


def in_any_order(what: str, work: Callable[[int], None], numbers: Sequence[int]) -> None:
    """An engine that has only what can be pickled, and works on some shards twice."""
    work = pickle.loads(pickle.dumps(work))  # noqa: S301 (our own)
    shuffled = [*numbers, *numbers[::3]]
    random.Random(what).shuffle(shuffled)
    for number in shuffled:
        work(number)


class Killed(BaseException):
    pass


def killed_after(count: int, of: str | None = None) -> Callable[..., None]:
    """An engine that dies after so many shards of the stage itself, or of its step ``of``."""

    def run(what: str, work: Callable[[int], None], numbers: Sequence[int]) -> None:
        for done, number in enumerate(numbers):
            if what == (of or what) != "index" and done == count:
                raise Killed
            work(number)

    return run


def whole(folder: Location, opening: str = "part") -> bytes:
    """The files of one kind, one after the other."""
    return b"".join((folder / name).read_bytes() for name in sorted(listed(folder)) if name.startswith(f"{opening}-"))
