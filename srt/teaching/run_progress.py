"""The progress of a run: a bar with counts, cost and rate on a terminal, a plain line every 30 s elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from srt.io.errors import printable
from srt.io.progress import notice
from srt.teaching.case_store.case_records import State, TeachingCase

LINE_EVERY_S = 30.0


class RunProgress:
    """``with RunProgress(currency) as observer:``; a :class:`~srt.teaching.teach_problems.RunObserver` on stderr."""

    def __init__(self, currency: str) -> None:
        self._currency = currency
        self._states: Counter[State] = Counter()
        self._total = 0
        self._cost: Callable[[], float] = lambda: 0.0
        self._began_at = self._printed_at = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        console = Console(stderr=True)
        if console.is_terminal:
            columns = (TextColumn("teach"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            # Transient: the figures of the run follow on the same lines.
            self._bar = Progress(*columns, TextColumn("{task.fields[status]}"), console=console, transient=True)

    def begin(self, total: int, cost: Callable[[], float]) -> None:
        """The run begins with ``total`` problems to do; ``cost()`` is the folder's cost so far."""
        self._total, self._cost = total, cost
        self._began_at = self._printed_at = time.monotonic()
        if self._bar is not None:
            self._task = self._bar.add_task("teach", total=total, status="")

    def case_ended(self, case: TeachingCase) -> None:
        """One more case has ended, or stays pending."""
        self._states[case.state] += 1
        done = self._states.total()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, status=self._status())
        elif done == self._total or time.monotonic() - self._printed_at >= LINE_EVERY_S:
            self._printed_at = time.monotonic()
            self._print(f"teach: {done} of {self._total}: {self._status()}")

    def notice(self, line: str) -> None:
        """Something that a person should know."""
        self._print(f"teach: {line}")

    def stopping(self, why: str) -> None:
        """The run stops early."""
        self._print(f"teach: stopping: {why}")

    def exiting(self, lost: Sequence[float]) -> None:
        """The process exits now; the cursor is restored. ``lost`` is the most that each request in flight may cost."""
        self.__exit__()
        money = f"at most {sum(lost):.4f} {self._currency}"
        self._print(f"teach: stopped at once; {len(lost)} requests in flight are lost and count as spent: {money}")

    def __enter__(self) -> RunProgress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _status(self) -> str:
        counts = ", ".join(f"{state.value} {self._states[state]}" for state in State if self._states[state])
        minutes = max(time.monotonic() - self._began_at, 1e-9) / 60
        return f"{counts}; {self._cost():.2f} {self._currency}; {self._states.total() / minutes:.0f} a minute"

    def _print(self, line: str) -> None:
        if self._bar is not None:
            self._bar.console.print(printable(line), highlight=False, markup=False)
        else:
            notice(line)
