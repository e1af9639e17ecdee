"""What commands say: the one place that prints. Whoever wrote a text, its control characters are escaped.

A long run has its progress on standard error, a bar on a terminal, elsewhere a line at every tenth.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from srt.io.errors import printable

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
            notice(f"{what}: {done}/{total}")

    yield advance


def notice(text: str) -> None:
    """Print on standard error what a person should know; of a run that goes on, it stands above the bar."""
    print(printable(text), file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Print on standard output what was asked for."""
    print(printable(text), flush=True)


class PlainConsole(Console):
    """rich's console for text and tables: nothing in a text is markup, and lines are not wrapped."""

    def __init__(self, width: int | None = None) -> None:
        super().__init__(highlight=False, markup=False, soft_wrap=True, width=width)

    def render_str(self, text: str, **options: Any) -> Text:
        """``text`` as rich prints it, also in a cell of a table."""
        return super().render_str(printable(text), **options)
