"""A provider's list of what it billed beside the journal, by model and day; what differs is named.

The journal knows how many requests were answered, the tokens that the endpoint counted, what is certain to be paid, and
the most that may be billed beside. A cost between the last two is no difference. Midnight is no line that both sides
draw alike: days are named only where the sums of a model differ.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from srt.io.records import Record
from srt.llm.bills.bill_csv import BillLine
from srt.llm.journal import NO_COUNT, Query, columns

TOLERANCE: Final = 0.01
"""Relative: prices are rounded, and so are bills."""
_VERSION: Final = re.compile(r"[-@:](?:latest|\d{3,8}(?:-\d{2}(?:-\d{2})?)?)")
"""What a provider adds to the name of a model that it was asked for: ``-2024-08-06``, ``-20250514``, ``-latest``."""


class BillDifference(Record):
    """One figure of one model, on one day or (``None``) on all of them, that is not the same on both sides.

    ``most`` is the largest figure that the journal allows for.
    """

    model: str
    day: str | None
    figure: str
    billed: float
    journal: float
    most: float

    def __str__(self) -> str:
        allowed = f" to {self.most:,.10g}" if self.most > self.journal else ""
        beside = f"{self.figure}: {self.billed:,.10g} billed, {self.journal:,.10g}{allowed} in the journal"
        return f"{self.day}: {beside}" if self.day else beside


class ModelBill(Record):
    """The sums of one model. Figures that the bill does not have are ``None``; ``billed_as`` are its names there."""

    model: str
    billed_as: tuple[str, ...]
    billed_requests: int | None
    billed_input: int | None
    billed_output: int | None
    billed_cost: float | None
    requests: int
    input: int
    output: int
    cost: float
    lost: float
    without_count: int


class Reconciliation(Record):
    """Both sides. ``days`` are the first and the last of the bill.

    ``unknown`` are models that the bill has and the journal does not, with what they were billed at (``None``: the bill
    has no costs). ``not_billed`` are those that only the journal has. ``outside`` is what the journal has booked on
    other days, ``undated`` the replies that an older version wrote without their day; they are among the sums.
    """

    lines: int
    days: tuple[str, str] | None
    currency: str
    billed_currency: str | None
    models: list[ModelBill]
    differences: list[BillDifference]
    unknown: dict[str, float | None]
    not_billed: list[str]
    outside: float
    undated: int


@dataclass
class _Sums:
    """Sums of one side; a figure that no line has is missing."""

    figures: dict[str, float] = field(default_factory=dict)

    def add(self, **figures: float | None) -> None:
        for name, value in figures.items():
            if value is not None:
                self.figures[name] = self.figures.get(name, 0.0) + value

    def __getitem__(self, name: str) -> float:
        return self.figures.get(name, 0.0)


def reconcile(bill: Sequence[BillLine], query: Query, currency: str) -> Reconciliation:
    """Lay ``bill`` beside the journal that ``query`` reads; ``currency`` is that of the journal."""
    dated = sorted(line.day for line in bill if line.day)
    days = (dated[0], dated[-1]) if dated else None
    journal, outside, undated = _journal(query, days)
    ours = sorted({model for model, _ in journal})
    billed: dict[tuple[str, str | None], _Sums] = {}
    names: dict[str, set[str]] = {}
    unknown: dict[str, float | None] = {}
    other = {line.currency for line in bill if line.currency} - {currency.upper()}
    for line in bill:
        model = ours[0] if not line.model and len(ours) == 1 else same_model(line.model, ours)
        cost = None if other else line.cost
        if model is None:
            unknown.setdefault(line.model or "(no model)", None)
            if line.cost is not None:
                unknown[line.model or "(no model)"] = (unknown[line.model or "(no model)"] or 0.0) + line.cost
            continue
        names.setdefault(model, set()).add(line.model)
        sums = billed.setdefault((model, line.day), _Sums())
        sums.add(requests=line.requests, input=line.input, output=line.output, cost=cost)
    models = [_model_bill(model, billed, journal, sorted(names[model])) for model in ours if model in names]
    return Reconciliation(
        lines=len(bill),
        days=days,
        currency=currency,
        billed_currency=", ".join(sorted(other)) or None,
        models=models,
        differences=[one for model in models for one in _differences(model.model, billed, journal)],
        unknown=unknown,
        not_billed=[model for model in ours if model not in names],
        outside=outside,
        undated=undated,
    )


def same_model(billed: str, ours: Iterable[str]) -> str | None:
    """The model of ``ours`` that a bill calls ``billed``, apart from its vendor before a slash and its version.

    ``None`` if there is none, or more than one.
    """
    known = {_bare(name): name for name in ours}
    name = _bare(billed)
    if name in known:
        return known[name]
    versions = [one for one in known if _VERSION.fullmatch(name.removeprefix(one)) and name.startswith(one)]
    versions = versions or [one for one in known if one.startswith(name) and _VERSION.fullmatch(one.removeprefix(name))]
    return known[versions[0]] if name and len(versions) == 1 else None


def reconciliation_rows(found: Reconciliation) -> dict[str, Any]:
    """The rows that the terminal shows."""
    span = f", {found.days[0]} to {found.days[1]}" if found.days else ""
    rows: dict[str, Any] = {"bill": f"{found.lines} lines{span}"}
    for model in found.models:
        rows[model.model] = {
            name: f"{value:,.10g} billed, {mine} in the journal"
            for name, value, mine in (
                ("requests", model.billed_requests, f"{model.requests:,}{_and(model.without_count)}"),
                ("input tokens", model.billed_input, f"{model.input:,}"),
                ("output tokens", model.billed_output, f"{model.output:,}"),
                (f"cost, {found.currency}", model.billed_cost, f"{model.cost:,.4f}{_plus(model.lost)}"),
            )
            if value is not None
        }
    rows["differences"] = {f"{n}": f"{one.model}: {one}" for n, one in enumerate(found.differences, 1)} or "none"
    for name, billed in found.unknown.items():
        words = "no cost is given" if billed is None else f"{billed:,.4f} billed"
        rows.setdefault("not of this folder", {})[name] = words
    if found.not_billed:
        rows["not in the bill"] = ", ".join(found.not_billed)
    if found.outside:
        rows["on other days"] = f"{found.outside:,.4f} {found.currency} are booked in the journal"
    if found.undated:
        rows["without a day"] = f"{found.undated} replies of an older version, counted as of the days of the bill"
    if found.billed_currency:
        rows["currency"] = f"the bill is in {found.billed_currency}: costs are not compared"
    return rows


def _journal(query: Query, days: tuple[str, str] | None) -> tuple[dict[tuple[str, str | None], _Sums], float, int]:
    """The sums by model and day, what was booked on days that the bill has not, and the replies without a day."""
    found: dict[tuple[str, str | None], _Sums] = {}
    outside, undated = 0.0, 0
    day, why = (name if name in columns(query, "at_risk") else "NULL" for name in ("day", "why"))
    answered_on = "day" if "day" in columns(query, "requests") else "NULL"
    for when, model, requests, given, written, cost in query(
        f"SELECT {answered_on} AS d, model, count(*), sum(input_tokens), sum(output_tokens), sum(cost) FROM requests"
        " GROUP BY d, model"
    ):
        if days and when and not days[0] <= when <= days[1]:
            outside += cost
            continue
        undated += 0 if when else requests
        sums = found.setdefault((model, when), _Sums())
        sums.add(requests=requests, input=given, output=written, cost=cost)
    for when, model, lacks, count, cost in query(
        f"SELECT {day} AS d, model, {why} AS w, count(*), sum(cost) FROM at_risk GROUP BY d, model, w"
    ):
        if days and when and not days[0] <= when <= days[1]:
            outside += cost
            continue
        sums = found.setdefault((model, when), _Sums())
        sums.add(lost=cost, without_count=count, lost_requests=0 if lacks == NO_COUNT else count)
    return found, outside, undated


def _sum(sides: dict[tuple[str, str | None], _Sums], model: str) -> _Sums:
    whole = _Sums()
    for (name, _), sums in sides.items():
        if name == model:
            whole.add(**sums.figures)
    return whole


def _model_bill(
    model: str,
    billed: dict[tuple[str, str | None], _Sums],
    journal: dict[tuple[str, str | None], _Sums],
    names: Sequence[str],
) -> ModelBill:
    theirs, mine = _sum(billed, model), _sum(journal, model)

    def count(figure: str) -> int | None:
        return round(theirs[figure]) if figure in theirs.figures else None

    return ModelBill(
        model=model,
        billed_as=tuple(names),
        billed_requests=count("requests"),
        billed_input=count("input"),
        billed_output=count("output"),
        billed_cost=theirs.figures.get("cost"),
        requests=round(mine["requests"]),
        input=round(mine["input"]),
        output=round(mine["output"]),
        cost=mine["cost"],
        lost=mine["lost"],
        without_count=round(mine["without_count"]),
    )


def _differences(
    model: str, billed: dict[tuple[str, str | None], _Sums], journal: dict[tuple[str, str | None], _Sums]
) -> list[BillDifference]:
    theirs = _sum(billed, model)
    whole = _compare(model, None, theirs, _sum(journal, model), theirs.figures)
    if not whole:
        return []
    days = sorted({day for side in (billed, journal) for name, day in side if name == model and day})
    differing, nothing = [one.figure for one in whole], _Sums()
    daily = [
        one
        for day in days
        for one in _compare(
            model, day, billed.get((model, day), nothing), journal.get((model, day), nothing), differing
        )
    ]
    return [*whole, *daily] if len(days) > 1 else whole


def _compare(model: str, day: str | None, theirs: _Sums, mine: _Sums, figures: Collection[str]) -> list[BillDifference]:
    found = []
    for figure, beside in (("requests", "lost_requests"), ("input", ""), ("output", ""), ("cost", "lost")):
        if figure not in figures:
            continue
        value, least = theirs[figure], mine[figure]
        most = least + mine[beside] if beside else least
        # Of requests without a count the tokens are not known: more may be billed, fewer may not.
        open_end = not beside and mine["without_count"] > 0
        slack = TOLERANCE * max(abs(value), abs(most))
        if value < least - slack or (value > most + slack and not open_end):
            found.append(BillDifference(model=model, day=day, figure=figure, billed=value, journal=least, most=most))
    return found


def _bare(name: str) -> str:
    return name.casefold().strip().rpartition("/")[2]


def _plus(lost: float) -> str:
    return f" and at most {lost:,.4f} beside" if lost else ""


def _and(without_count: int) -> str:
    return f", {without_count} without a reply or a count that can be" if without_count else ""
