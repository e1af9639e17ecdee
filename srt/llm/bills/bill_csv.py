"""Read the list of usage or costs that a provider lets its customers download as CSV.

Known are the columns of OpenAI's exports (usage and costs), of Anthropic's, of OpenRouter's, and DeepSeek's form with
one line for each kind of token. Others are found by their usual names: :data:`COLUMNS`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from srt.io.errors import UserError, cannot_read, one_line

MOST_BYTES: Final = 64 * 2**20
_LONGEST_CELL: Final = 131_072

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "day": (
        "start_time_iso", "usage_date_utc", "usage_date", "date", "day", "created_at", "timestamp", "created", "time",
        "start_time",
    ),
    "model": ("model", "model_version", "model_name", "model_permaslug", "model_id", "line_item"),
    "requests": ("num_model_requests", "num_requests", "request_count", "requests", "n_requests"),
    "input": ("input_tokens", "prompt_tokens", "tokens_prompt", "n_context_tokens_total"),
    "output": (
        "output_tokens", "usage_output_tokens", "completion_tokens", "tokens_completion", "n_generated_tokens_total",
    ),
    "cost": ("cost_usd", "amount_value", "amount_usd", "cost_total", "total_cost", "cost", "amount", "usd"),
    "currency": ("amount_currency", "currency"),
}  # fmt: skip
"""By what it holds, the names of a column; the first that a file has is read."""
INPUT_PARTS: Final = (
    "usage_input_tokens_no_cache", "usage_input_tokens_cache_write_5m", "usage_input_tokens_cache_write_1h",
    "usage_input_tokens_cache_read", "uncached_input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens",
)  # fmt: skip
"""Columns that add up to the input where no column holds it whole."""
_KINDS: Final[dict[str, str]] = {
    "input_cache_hit_tokens": "input",
    "input_cache_miss_tokens": "input",
    "input_tokens": "input",
    "output_tokens": "output",
    "request_count": "requests",
}
"""DeepSeek: what ``amount`` counts, by the word in the column ``type``."""
_NUMBER: Final = re.compile(r"[-+]?\d{1,18}(?:\.\d{0,40})?(?:[eE][-+]?\d{1,2})?", re.ASCII)
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3}){1,5}(?:\.\d{0,40})?", re.ASCII)


@dataclass(frozen=True)
class BillLine:
    """One line of a bill; ``None`` is what it does not say. ``day`` is ``2026-01-31`` in UTC, ``""`` no model."""

    day: str | None
    model: str
    requests: int | None = None
    input: int | None = None
    output: int | None = None
    cost: float | None = None
    currency: str | None = None


def read_bill(path: Path) -> list[BillLine]:
    """The lines of the CSV file ``path`` (commas, semicolons or tabs), without those that bill nothing.

    Raises:
        UserError: one line: it cannot be read, is no such list, or has a cell that cannot be.
    """
    limit = csv.field_size_limit(_LONGEST_CELL)  # one for the whole process: tables with pictures raise it
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UserError(f"{path}: larger than {MOST_BYTES // 2**20} MiB; export the days of the run alone")
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            file.seek(0)
            delimiter = max(",;\t", key=first.count)
            rows = csv.DictReader(file, delimiter=delimiter, restkey="", restval="")
            return list(_lines(path, rows))
    except OSError as error:
        raise cannot_read(path, error) from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a CSV file in UTF-8") from None
    except csv.Error as error:
        raise UserError(f"{path}: not a CSV file: {error}") from None
    finally:
        csv.field_size_limit(limit)


def _lines(path: Path, rows: csv.DictReader[str]) -> Iterator[BillLine]:
    names = {_plain(name): name for name in rows.fieldnames or ()}
    found = {what: names[one] for what, known in COLUMNS.items() for one in known[::-1] if one in names}
    parts = [names[one] for one in INPUT_PARTS if one in names] if "input" not in found else []
    kinds = names.get("type") if "amount" in names else None
    missing = None
    if not parts and not kinds and not {"input", "output", "cost"} & found.keys():
        missing = "tokens or costs (such as input_tokens, output_tokens, cost_usd)"
    elif "model" not in found and "cost" not in found:
        missing = "the model"
    if missing is not None:
        shown = one_line(", ".join(list(names.values())[:12]))[:200] or "nothing"
        raise UserError(f"{path}: no column for {missing}; its first line has {shown}")
    in_dollars = _plain(found.get("cost", "")).endswith("usd")
    for row in rows:
        where = f"{path}: line {rows.line_num}"
        places: dict[str, str] = {what: found[what] for what in _COUNTS if what in found}
        if kinds is not None and (kind := _KINDS.get(row[kinds].strip())):
            places = {kind: names["amount"]}
        numbers = {what: _number(row[name], f"{where}: {name}") for what, name in places.items()}
        whole = [count for name in parts if (count := _number(row[name], f"{where}: {name}")) is not None]
        if whole:
            numbers["input"] = sum(whole)
        if not any(numbers.values()):
            continue  # days without usage
        counts: dict[str, int | None] = {}
        for what in _COUNTS[:3]:
            number = numbers.get(what)
            if number is not None and number < 0:
                raise UserError(f"{where}: {what}: less than nothing")
            counts[what] = None if number is None else round(number)
        currency = row[found["currency"]].strip().upper() if "currency" in found else ""
        yield BillLine(
            day=_day(row[found["day"]], f"{where}: {found['day']}") if "day" in found else None,
            # OpenAI's costs: "gpt-4o-2024-08-06, output".
            model=row[found["model"]].split(",")[0].strip() if "model" in found else "",
            requests=counts["requests"],
            input=counts["input"],
            output=counts["output"],
            cost=numbers.get("cost"),
            currency=currency or ("USD" if in_dollars else None),
        )


_COUNTS: Final = ("requests", "input", "output", "cost")


def _plain(name: str) -> str:
    """``Cost (USD)`` as ``cost_usd``."""
    return re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")


def _number(cell: str, where: str) -> float | None:
    text = cell.strip().removeprefix("$").strip()
    if not text:
        return None
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    if not _NUMBER.fullmatch(text):
        raise UserError(f"{where}: {one_line(cell[:40])!r}: a number was expected")
    return float(text)


def _day(cell: str, where: str) -> str | None:
    text = cell.strip().removesuffix(" UTC")
    if not text:
        return None
    try:
        if re.fullmatch(r"\d{10}", text, re.ASCII):
            when = datetime.fromtimestamp(int(text), UTC)
        else:
            when = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise UserError(f"{where}: {one_line(cell[:40])!r}: a day like 2026-01-31 was expected") from None
    return (when if when.tzinfo is None else when.astimezone(UTC)).date().isoformat()
