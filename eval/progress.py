"""How far a long loop is: a bar on a terminal, a plain line at every tenth elsewhere; both on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress(label: str, total: int, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Yield ``advance(n)``; ``done`` of ``total`` were there before."""
    console = Console(stderr=True)
    if console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console) as bar:
            task = bar.add_task(label, total=total, completed=done)
            yield lambda count: bar.advance(task, count)
        return
    state = done

    def advance(count: int) -> None:
        nonlocal state
        before, state = state, state + count
        if state * 10 // total > before * 10 // total:
            print(f"{label}: {state}/{total}", file=sys.stderr, flush=True)

    yield advance
