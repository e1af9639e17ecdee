"""Claims in prose: how many solutions have one that a machine decides, how many planted errors it refutes, and how
often it refutes a text that nobody touched.

    python -m research.teaching.prose_claims PATH [--n-planted N] [--seed S] [--half 0|1] [--misses] [--json]

PATH: SolidGeo.json (a list or an object of items), a folder of MathSpatial items (``*/data.json``), or a JSONL file of
problems. Of each item the question is a given and the solution is checked. Every refutation of an untouched text
counts as a false alarm, also where the text is in fact wrong; all are printed, to be judged by a person.

Errors are planted in the computed equations that an independent reading finds and finds true, whether the checker
decides them or not. One that leaves its equation true is no error. The rest counts twice: all of them, and those in
claims that the checker proved on the untouched text.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from srt.io.errors import UserError
from srt.language.trace import ClaimCheck
from srt.prose import check_prose
from srt.prose.faults.computed_equations import Equation, computed_equations
from srt.prose.faults.prose_faults import KINDS, Kind, different, has_place

Item = tuple[str, str, str]
"""Name, question, solution."""
_HEADINGS = ("kind", "equations", "planted", "still true", "refuted", "refuted, where it was proved before")


@dataclass(frozen=True)
class Checked:
    """An item, the verdicts on its untouched solution, and the computed equations of it."""

    item: Item
    claims: tuple[ClaimCheck, ...]
    equations: tuple[Equation, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, help="SolidGeo.json, a folder of data.json files, or problems.jsonl")
    parser.add_argument("--n-planted", type=int, default=400, help="different errors of each kind (default 400)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--half", type=int, choices=(0, 1), help="only the items whose name has this hash modulo 2")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--misses", action="store_true", help="print each planted error that is not refuted")
    arguments = parser.parse_args()
    try:
        items = [item for item in items_of(arguments.path) if arguments.half in (None, half_of(item[0]))]
    except (UserError, OSError, json.JSONDecodeError) as error:
        sys.exit(f"{arguments.path}: {error}")
    figures, alarms, misses = measure(items, arguments.n_planted, arguments.seed)
    if arguments.json:
        print(json.dumps({**figures, "alarms": alarms}, ensure_ascii=False, indent=2))
        return
    print(report(figures))
    for alarm in alarms:
        print("refuted on an untouched text:", alarm)
    for miss in misses if arguments.misses else ():
        print("not refuted:", miss)


def half_of(name: str) -> int:
    """The half of a corpus that the item ``name`` is in: the checker is corrected on one and measured on both."""
    return hashlib.sha256(name.encode()).digest()[0] % 2


def items_of(path: Path) -> Iterator[Item]:
    """The items of ``path`` that have a solution."""
    if path.is_dir():
        for file in sorted(path.rglob("data.json")):
            row = json.loads(file.read_text(encoding="utf-8"))
            yield from _item(file.parent.name, row)
    elif path.suffix == ".jsonl":
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield from _item(str(row.get("id", "")), row)
    else:
        rows = json.loads(path.read_text(encoding="utf-8"))
        for name, row in rows.items() if isinstance(rows, dict) else enumerate(rows):
            yield from _item(str(name), row)


def _item(name: str, row: dict[str, Any]) -> Iterator[Item]:
    solution = row.get("solution") or row.get("analysis") or ""
    text = "\n".join(map(str, solution)) if isinstance(solution, list) else str(solution)
    if text.strip():
        yield name, str(row.get("question") or ""), text


def measure(items: list[Item], planted: int, seed: int) -> tuple[dict[str, Any], list[str], list[str]]:
    """The figures, the refutations on untouched texts, and the planted errors that were not refuted."""
    began = time.perf_counter()
    claims_of = [check_prose(text, givens=[question]) for _, question, text in items]
    seconds = time.perf_counter() - began
    checked = [
        Checked(item, claims, computed_equations(item[2], item[1]))
        for item, claims in zip(items, claims_of, strict=True)
    ]
    supports = Counter(check.support for one in checked for check in one.claims)
    alarms = [
        f"{one.item[0]}: {check.claim}: {check.reason}; {check.counterexample}"
        for one in checked
        for check in one.claims
        if check.support == "refuted"
    ]
    figures: dict[str, Any] = {
        "solutions": len(items),
        "solutions_with_a_decided_claim": sum(_any(one, "computed", "refuted") for one in checked),
        "solutions_with_a_claim": sum(bool(one.claims) for one in checked),
        "claims": sum(supports.values()),
        "claims_decided": supports["computed"] + supports["refuted"],
        "supports": dict(supports),
        "solutions_with_an_alarm": sum(_any(one, "refuted") for one in checked),
        "equations": dict(Counter(equation.standing for one in checked for equation in one.equations)),
        "seconds": round(seconds, 2),
        "seed": seed,
    }
    figures["planted"], misses = measure_planted(checked, planted, seed)
    return figures, alarms, misses


def _any(one: Checked, *supports: str) -> bool:
    return any(check.support in supports for check in one.claims)


def measure_planted(checked: Sequence[Checked], count: int, seed: int) -> tuple[dict[str, dict[str, int]], list[str]]:
    """By kind: ``count`` different errors, or as many as there are, drawn from all equations that have a place."""
    table: dict[str, dict[str, int]] = {}
    misses: list[str] = []
    for kind in KINDS:
        row, missed = _of_kind(checked, kind, count, random.Random(f"{seed}/{kind}"))
        table[kind] = row
        misses += missed
    return table, misses


def _of_kind(
    checked: Sequence[Checked], kind: Kind, count: int, rng: random.Random
) -> tuple[dict[str, int], list[str]]:
    ones = [(one, equation) for one in checked for equation in one.equations]
    places = [(one.item[0], one.item[2], equation) for one, equation in ones]
    names = (
        "planted",
        "true",
        "unknown",
        "refuted_though_true",
        "refuted",
        "elsewhere",
        "proved_before",
        "proved_before_refuted",
    )
    row = {"equations": sum(has_place(text, equation, kind) for _, text, equation in places), **dict.fromkeys(names, 0)}
    misses = []
    for at, planted in different(places, kind, rng, count):
        one, equation = ones[at]
        name, question, text = one.item
        row["planted"] += 1
        after = check_prose(planted.text, givens=[question])
        refuted = any(
            check.support == "refuted" and check.start < planted.end and planted.start < check.end for check in after
        )
        if planted.effect == "true":
            row["true"] += 1
            row["refuted_though_true"] += refuted
            continue
        row["unknown"] += planted.effect == "unknown"
        row["refuted"] += refuted
        known = {check.claim for check in one.claims if check.support == "refuted"}
        row["elsewhere"] += not refuted and any(
            check.support == "refuted" and check.claim not in known for check in after
        )
        there = [check for check in one.claims if check.start <= planted.place <= check.end]
        proved = any(check.support == "computed" for check in there)
        row["proved_before"] += proved
        row["proved_before_refuted"] += proved and refuted
        if not refuted:
            why = "; ".join(f"{check.support}: {check.reason}" for check in there) or "no claim is found there"
            misses.append(f"{kind} {name}: {text[equation.start : equation.end]!r}: {planted.change} ({why})")
    return row, misses


def report(figures: dict[str, Any]) -> str:
    """The figures as lines of text."""
    solutions, claims = max(1, figures["solutions"]), max(1, figures["claims"])
    lines = [
        f"solutions: {figures['solutions']}, with an equation or inequality: {figures['solutions_with_a_claim']}",
        f"solutions with at least one decided claim: {_share(figures['solutions_with_a_decided_claim'], solutions)}",
        f"claims decided (computed or refuted): {_share(figures['claims_decided'], claims)}: {figures['supports']}",
        f"solutions with a false alarm, untouched: {_share(figures['solutions_with_an_alarm'], solutions)}",
        f"seconds: {figures['seconds']}",
        f"computed equations by an independent reading: {figures['equations']}; errors are planted in the true ones",
        "{:13} {:>9} {:>8} {:>11} {:>20}  {}".format(*_HEADINGS),
    ]
    lines += [_row(kind, row) for kind, row in figures["planted"].items()]
    return "\n".join(lines)


def _row(kind: str, row: dict[str, int]) -> str:
    errors = row["planted"] - row["true"]
    both = _share(row["refuted"], errors), _share(row["proved_before_refuted"], row["proved_before"])
    notes = f"; {row['elsewhere']} more are refuted elsewhere in the text" if row["elsewhere"] else ""
    notes += f"; {row['unknown']} may be true" if row["unknown"] else ""
    notes += f"; refuted although still true: {row['refuted_though_true']}" if row["refuted_though_true"] else ""
    return f"{kind:13} {row['equations']:9} {row['planted']:8} {row['true']:11} {both[0]:>20}  {both[1]}{notes}"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / max(1, whole):.1f}%)"


if __name__ == "__main__":
    main()
