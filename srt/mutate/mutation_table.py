"""The results of ``srt mutate``: a record for each mutant, and the table of what the checker caught, by class."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson
from rich.console import Console
from rich.table import Table

from srt.io.records import Record
from srt.language.faults import FAMILIES, PLANTED, Family, Fault
from srt.language.trace import Trace

_COUNTS = ("made", "accidents", "still_proved", "caught", "missed")
_SHOWN = 10
"""So many missed mutants, and so many disputed ones, are printed."""


class MutantRecord(Record):
    """One corrupted trace and the checker's verdict on it.

    ``outcome``: ``caught`` is a truth-changing fault in a trace that the checker refutes, or a support-breaking one in
    a trace that it does not prove; ``missed`` where it should have; ``accident`` where nothing false is said, or the
    trace is still proved, by an oracle that shares nothing with the checker. ``oracle`` and ``verdict`` are ``proved``
    or the first faults. ``disputed``: the checker and the oracle differ on whether an accident is proved.
    """

    trace: Trace
    fault: Fault
    step: int
    change: str
    outcome: Literal["caught", "missed", "accident"]
    oracle: str
    verdict: str
    disputed: bool = False


@dataclass
class MutationTable:
    """Counts by class. ``still_proved``: the accidents that leave the whole trace proved, and not only true.

    ``traces`` counts the valid ones; ``skipped`` names those that were not valid, with the reason.
    """

    outcomes: dict[str, Counter[Fault]] = field(default_factory=lambda: defaultdict(Counter))
    still_proved: Counter[Fault] = field(default_factory=Counter)
    traces: int = 0
    skipped: list[str] = field(default_factory=list)
    missed_records: list[MutantRecord] = field(default_factory=list)
    disputed_records: list[MutantRecord] = field(default_factory=list)

    @property
    def missed(self) -> int:
        """How many corruptions should have been caught and were not."""
        return len(self.missed_records)

    def add(self, record: MutantRecord) -> None:
        """Count one mutant."""
        self.outcomes[record.outcome][record.fault] += 1
        self.still_proved[record.fault] += record.oracle == "proved"
        if record.outcome == "missed":
            self.missed_records.append(record)
        if record.disputed:
            self.disputed_records.append(record)

    def row(self, faults: Sequence[Fault]) -> dict[str, Any]:
        """The counts of some classes together. ``detection`` is caught / (caught + missed), ``None`` of nothing."""
        names = ("caught", "missed", "accident")
        caught, missed, accidents = (sum(self.outcomes[name][fault] for fault in faults) for name in names)
        return {
            "made": caught + missed + accidents,
            "accidents": accidents,
            "still_proved": sum(self.still_proved[fault] for fault in faults),
            "caught": caught,
            "missed": missed,
            "detection": caught / (caught + missed) if caught + missed else None,
        }

    def as_dict(self) -> dict[str, Any]:
        """The table for machines."""
        return {
            "classes": {fault.value: {"family": fault.family, **self.row([fault])} for fault in PLANTED},
            "families": {family: self.row(_of(family)) for family in FAMILIES},
            "total": self.row(PLANTED),
            "traces": self.traces,
            "skipped": len(self.skipped),
            "disputed": len(self.disputed_records),
            "missed": [_brief(record) for record in self.missed_records[:_SHOWN]],
            "disputes": [_brief(record) for record in self.disputed_records[:_SHOWN]],
        }


def print_table(table: MutationTable, as_json: bool) -> None:
    """Print ``table`` for people, or as one JSON object."""
    if as_json:
        sys.stdout.write(orjson.dumps(table.as_dict(), option=orjson.OPT_INDENT_2).decode() + "\n")
        return
    grid = Table(box=None, pad_edge=False)
    for heading in ("class", *_COUNTS, "detection"):
        grid.add_column(heading.replace("_", " "), justify="left" if heading == "class" else "right")
    for family in FAMILIES:
        for fault in _of(family):
            grid.add_row(fault.value, *_cells(table.row([fault])))
        grid.add_row(f"{family}, all", *_cells(table.row(_of(family))), style="bold", end_section=True)
        grid.add_row()
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(grid)
    console.print(f"from {table.traces} valid traces; an accident is no fault: nothing false is said, or all is proved")
    if table.skipped:
        console.print(f"{len(table.skipped)} traces were not used; the first: {table.skipped[0]}")
    for name, records in (("missed", table.missed_records), ("disputed", table.disputed_records)):
        for record in records[:_SHOWN]:
            console.print(
                f"{name}: {record.trace.id}, {record.fault.value}, step {record.step}: {record.change}; "
                f"oracle: {record.oracle}; checker: {record.verdict}"
            )
        if len(records) > _SHOWN:
            console.print(f"... and {len(records) - _SHOWN} more {name}")


def _of(family: Family) -> list[Fault]:
    return [fault for fault in PLANTED if fault.family == family]


def _cells(row: dict[str, Any]) -> list[str]:
    detection = "-" if row["detection"] is None else f"{row['detection']:.2%}"
    return [*(str(row[name]) for name in _COUNTS), detection]


def _brief(record: MutantRecord) -> dict[str, Any]:
    fields = {"fault", "step", "change", "oracle", "verdict"}
    return {"trace": record.trace.id, **record.model_dump(mode="json", include=fields)}
