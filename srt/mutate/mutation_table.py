"""The results of ``srt mutate``: a record for each mutant, and the table of what the checker caught, by class."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson
from rich.table import Table

from srt.io.errors import one_line
from srt.io.progress import PlainConsole
from srt.io.records import Record
from srt.language.faults import FAMILIES, FaultClass, FaultWord
from srt.language.trace import Trace
from srt.prose.faults.prose_faults import KINDS, Kind

_COUNTS = ("made", "accidents", "still_proved", "caught", "missed")
_PROSE_COUNTS = ("made", "accidents", "unknown", "caught", "missed")
_SHOWN = 10
"""So many missed mutants, and so many disputed ones, are printed."""


class MutantRecord(Record):
    """One corrupted trace and the checker's verdict on it.

    ``outcome``: ``caught`` is a truth-changing fault in a trace that the checker refutes, or a support-breaking one in
    a trace that it does not prove; ``missed`` where it should have; ``accident`` where nothing false is said, or the
    trace is still proved, by an oracle that shares nothing with the checker; ``unknown`` where the oracle cannot say.
    ``oracle`` and ``verdict`` are ``proved`` or the first faults. ``disputed``: the checker and the oracle differ on
    whether an accident is proved.

    A trace in prose has ``fault`` ``false_claim``, and the kind of its wrong equation in ``error``. Its ``oracle``
    is about that equation only, and its ``verdict`` is ``computed``, the first fault, or ``not refuted``. ``step`` is
    0 for the text of a cot trace.
    """

    trace: Trace
    fault: FaultWord
    error: Kind | None = None
    step: int
    change: str
    outcome: Literal["caught", "missed", "accident", "unknown"]
    oracle: str
    verdict: str
    disputed: bool = False


@dataclass
class MutationTable:
    """Counts by class. ``still_proved``: the accidents that leave the whole trace proved, and not only true.

    ``planted`` are the classes of the worlds whose traces there are, in the order of the table.

    ``traces`` counts the valid ones; ``skipped`` names those that were not valid, with the reason. ``prose`` has the
    errors in prose, apart from the classes of world traces, and ``in_prose`` counts the traces that they were made of.
    """

    planted: tuple[FaultClass, ...] = ()
    outcomes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    still_proved: Counter[str] = field(default_factory=Counter)
    prose: dict[str, Counter[Kind]] = field(default_factory=lambda: defaultdict(Counter))
    missed_in_prose: list[MutantRecord] = field(default_factory=list)
    traces: int = 0
    in_prose: int = 0
    skipped: list[str] = field(default_factory=list)
    missed_records: list[MutantRecord] = field(default_factory=list)
    disputed_records: list[MutantRecord] = field(default_factory=list)

    @property
    def missed(self) -> int:
        """How many corruptions of world traces should have been caught and were not."""
        return len(self.missed_records)

    def add(self, record: MutantRecord) -> None:
        """Count one mutant."""
        if record.error is not None:
            self.prose[record.outcome][record.error] += 1
            if record.outcome == "missed":
                self.missed_in_prose.append(record)
            return
        self.outcomes[record.outcome][record.fault] += 1
        self.still_proved[record.fault] += record.oracle == "proved"
        if record.outcome == "missed":
            self.missed_records.append(record)
        if record.disputed:
            self.disputed_records.append(record)

    def of(self, family: str) -> list[FaultClass]:
        """The classes of one family."""
        return [fault for fault in self.planted if fault.family == family]

    def row(self, faults: Sequence[FaultClass]) -> dict[str, Any]:
        """The counts of some classes together."""
        still_proved = sum(self.still_proved[fault] for fault in faults)
        return {**_row(self.outcomes, faults), "still_proved": still_proved}

    def prose_row(self, kinds: Sequence[Kind]) -> dict[str, Any]:
        """The counts of some kinds of error in prose together. ``unknown``: it cannot be said whether they are any."""
        return {**_row(self.prose, kinds), "unknown": sum(self.prose["unknown"][kind] for kind in kinds)}

    def as_dict(self) -> dict[str, Any]:
        """The table for machines."""
        return {
            "classes": {fault.value: {"family": fault.family, **self.row([fault])} for fault in self.planted},
            "families": {family: self.row(self.of(family)) for family in FAMILIES},
            "total": self.row(self.planted),
            "prose": {kind: self.prose_row([kind]) for kind in KINDS},
            "prose_total": self.prose_row(KINDS),
            "in_prose": self.in_prose,
            "traces": self.traces,
            "skipped": len(self.skipped),
            "disputed": len(self.disputed_records),
            "missed": [_brief(record) for record in self.missed_records[:_SHOWN]],
            "missed_in_prose": [_brief(record) for record in self.missed_in_prose[:_SHOWN]],
            "disputes": [_brief(record) for record in self.disputed_records[:_SHOWN]],
        }


def print_table(table: MutationTable, as_json: bool) -> None:
    """Print ``table`` for people, or as one JSON object."""
    if as_json:
        sys.stdout.write(orjson.dumps(table.as_dict(), option=orjson.OPT_INDENT_2).decode() + "\n")
        return
    console = PlainConsole()
    if table.traces:
        _print_world(console, table)
    if table.in_prose:
        _print_prose(console, table)
    if table.skipped:
        console.print(f"{len(table.skipped)} traces were not used; the first: {one_line(table.skipped[0])}")
    shown = (
        ("missed", table.missed_records),
        ("missed in prose", table.missed_in_prose),
        ("disputed", table.disputed_records),
    )
    for name, records in shown:
        for record in records[:_SHOWN]:
            what = record.error or record.fault
            where = f"{name}: {record.trace.id}, {what}, step {record.step}: {record.change}"
            console.print(one_line(f"{where}; oracle: {record.oracle}; checker: {record.verdict}"))
        if len(records) > _SHOWN:
            console.print(f"... and {len(records) - _SHOWN} more {name}")


def _print_world(console: PlainConsole, table: MutationTable) -> None:
    grid = _grid("class", _COUNTS)
    for family in FAMILIES:
        for fault in table.of(family):
            grid.add_row(fault.value, *_cells(table.row([fault]), _COUNTS))
        grid.add_row(f"{family}, all", *_cells(table.row(table.of(family)), _COUNTS), style="bold", end_section=True)
        grid.add_row()
    console.print(grid)
    console.print(f"from {table.traces} valid traces; an accident is no fault: nothing false is said, or all is proved")


def _print_prose(console: PlainConsole, table: MutationTable) -> None:
    grid = _grid("error in prose", _PROSE_COUNTS)
    for kind in KINDS:
        grid.add_row(kind, *_cells(table.prose_row([kind]), _PROSE_COUNTS))
    grid.add_row("all", *_cells(table.prose_row(KINDS), _PROSE_COUNTS), style="bold")
    console.print(grid)
    meaning = "an accident leaves its equation true; unknown: a name in it has no stated value"
    console.print(f"from {table.in_prose} traces in prose; {meaning}")


def _grid(first: str, counts: Sequence[str]) -> Table:
    grid = Table(box=None, pad_edge=False)
    for heading in (first, *counts, "detection"):
        grid.add_column(heading.replace("_", " "), justify="left" if heading == first else "right")
    return grid


def _row(outcomes: Mapping[str, Counter[Any]], classes: Sequence[Any]) -> dict[str, Any]:
    """Sums over ``classes``. ``detection`` is caught / (caught + missed), ``None`` of nothing."""
    caught, missed, accidents, unknown = (
        sum(outcomes[name][one] for one in classes) for name in ("caught", "missed", "accident", "unknown")
    )
    return {
        "made": caught + missed + accidents + unknown,
        "accidents": accidents,
        "caught": caught,
        "missed": missed,
        "detection": caught / (caught + missed) if caught + missed else None,
    }


def _cells(row: dict[str, Any], counts: Sequence[str]) -> list[str]:
    detection = "-" if row["detection"] is None else f"{row['detection']:.2%}"
    return [*(str(row[name]) for name in counts), detection]


def _brief(record: MutantRecord) -> dict[str, Any]:
    fields = {"error" if record.error else "fault", "step", "change", "oracle", "verdict"}
    return {"trace": record.trace.id, **record.model_dump(mode="json", include=fields)}
