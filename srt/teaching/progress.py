"""How a run goes: a bar with counts, money and rate on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from srt.teaching.records import Case, State

EVERY_S = 30.0


class Progressing:
    """``with Progressing(currency) as watcher:``; a :class:`~srt.teaching.run.Watcher` on standard error."""

    def __init__(self, currency: str) -> None:
        self._currency = currency
        self._states: Counter[State] = Counter()
        self._total = 0
        self._money: Callable[[], float] = lambda: 0.0
        self._began = self._spoke = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        console = Console(stderr=True)
        if console.is_terminal:
            columns = (TextColumn("teach"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, TextColumn("{task.fields[how]}"), console=console, transient=True)

    def begin(self, total: int, money: Callable[[], float]) -> None:
        """The run begins: ``total`` problems are to be done."""
        self._total, self._money = total, money
        self._began = self._spoke = time.monotonic()
        if self._bar is not None:
            self._task = self._bar.add_task("teach", total=total, how="")

    def ended(self, case: Case) -> None:
        """One more case."""
        self._states[case.state] += 1
        done = self._states.total()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, how=self._how())
        elif done == self._total or time.monotonic() - self._spoke >= EVERY_S:
            self._spoke = time.monotonic()
            self._say(f"teach: {done} of {self._total}: {self._how()}")

    def stopping(self, why: str) -> None:
        """The run ends before its time."""
        self._say(f"teach: stopping: {why}")

    def leave(self) -> None:
        """The process ends now; the terminal gets its cursor back."""
        self.__exit__()
        self._say("teach: left; what was in flight may have to be paid for again")

    def __enter__(self) -> Progressing:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _how(self) -> str:
        counts = ", ".join(f"{state.value} {self._states[state]}" for state in State if self._states[state])
        minutes = max(time.monotonic() - self._began, 1e-9) / 60
        return f"{counts}; {self._money():.2f} {self._currency}; {self._states.total() / minutes:.0f} a minute"

    def _say(self, line: str) -> None:
        if self._bar is not None:
            self._bar.console.print(line, highlight=False, markup=False)
        else:
            print(line, file=sys.stderr, flush=True)
