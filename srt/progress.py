"""How far a long loop is: a bar on a terminal, a plain line at every tenth elsewhere; both on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

T = TypeVar("T")


def progress(items: Iterable[T], total: int | None, what: str) -> Iterator[T]:
    """``items``, of which there are ``total``; plain lines are only printed where there are a thousand or more."""
    console = Console(stderr=True)
    if console.is_terminal:
        columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            yield from bar.track(items, total=total)
        return
    tenth = max(1, (total or 0) // 10)
    for done, item in enumerate(items, 1):
        yield item
        if total and done % tenth == 0 and total >= 1000:
            print(f"{what}: {done} of {total}", file=sys.stderr, flush=True)
