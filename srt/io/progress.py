"""A long run on standard error: its progress, a bar on a terminal, elsewhere a line at every tenth; and notices."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

T = TypeVar("T")


def progress(items: Iterable[T], total: int | None, what: str) -> Iterator[T]:
    """Yield ``items``, of which there are ``total``, with their progress; plain lines only for a thousand or more."""
    with progress_bar(what, total, lines_from=1000) as advance:
        for item in items:
            yield item
            advance(1)


@contextmanager
def progress_bar(
    what: str, total: int | None, done: int = 0, *, lines_from: int = 1
) -> Iterator[Callable[[int], None]]:
    """Yield ``advance(n)``; ``done`` of ``total`` are done already. Plain lines from a ``total`` of ``lines_from``."""
    # Standard output may be a pipe into the next command.
    console = Console(stderr=True)
    if console.is_terminal:
        columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console) as bar:
            task = bar.add_task(what, total=total, completed=done)
            yield lambda count: bar.advance(task, count)
        return

    def advance(count: int) -> None:
        nonlocal done
        before, done = done, done + count
        # At every tenth, however large the steps are.
        if total and total >= lines_from and done * 10 // total > before * 10 // total:
            print(f"{what}: {done}/{total}", file=sys.stderr, flush=True)

    yield advance


def notice(line: str) -> None:
    """Print what a person should know of a run that goes on; it stands above the bar."""
    print(line, file=sys.stderr, flush=True)
