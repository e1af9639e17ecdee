"""A teaching folder in which tests run the loop against a server of their choice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from srt.io.record_reader import read_records
from srt.teaching.case_store.case_records import TeachingCase
from srt.teaching.case_store.folder_files import folder_status
from srt.teaching.case_store.manifest import scan_problems
from srt.teaching.teach_config import load_teach_config
from srt.teaching.teach_problems import TeachRun, run_folder
from tests.srt.teaching import cubes


class RememberingObserver:
    """An observer that keeps what it hears."""

    def __init__(self) -> None:
        self.total = -1
        self.stops: list[str] = []
        self.cases: list[TeachingCase] = []
        self.notices: list[str] = []

    def begin(self, total: int, cost: Callable[[], float]) -> None:
        self.total = total

    def case_ended(self, case: TeachingCase) -> None:
        self.cases.append(case)

    def stopping(self, why: str) -> None:
        self.stops.append(why)

    def notice(self, line: str) -> None:
        self.notices.append(line)

    def exiting(self, lost: Sequence[float]) -> None:
        raise AssertionError("nobody interrupts these runs")


class TeachingFolder:
    """The folder ``out`` in ``place``, and 20 problems to teach in it; ``observer`` is the last run's."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.out = place / "out"
        self.problems = cubes.problems(place / "problems.jsonl", 20)
        self.observer = RememberingObserver()

    def teach(
        self, server: Any, config: Callable[[str], Path], *, within_s: float | None = None, **how: Any
    ) -> TeachRun:
        """One run against ``server``, with the file that ``config`` writes for its address."""
        self.observer = RememberingObserver()

        async def main() -> TeachRun:
            async with server:
                recipe = load_teach_config(config(server.url))
                running = run_folder(scan_problems(self.problems), self.out, recipe, self.observer, **how)
                return await asyncio.wait_for(running, within_s)

        return asyncio.run(main())

    def states(self) -> dict[str, int]:
        """How many cases are in each state; the invariant of the folder is checked on the way."""
        return {name: count for name, count in folder_status(self.out).states.items() if count}

    def cases(self) -> dict[str, TeachingCase]:
        return {case.problem_id: case for case in read_records(self.out / "cases.jsonl", TeachingCase)}
