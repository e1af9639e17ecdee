"""Claims in prose: how many solutions have one that a machine decides, how many planted errors it refutes, and how
often it refutes a text that nobody touched.

    python benchmarks/prose_claims.py PATH [--n-planted N] [--seed S] [--json]

PATH: SolidGeo.json (a list or an object of items), a folder of MathSpatial items (``*/data.json``), or a JSONL file of
problems. Of each item the question is a given and the solution is checked. Every refutation of an untouched text
counts as a false alarm, also where the text is in fact wrong; all are printed, to be judged by a person.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from srt.claims import check_prose
from srt.io.errors import UserError
from srt.language.trace import ClaimCheck
from srt.mutate.prose_faults import KINDS, plant

Item = tuple[str, str, str]
"""Name, question, solution."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, help="SolidGeo.json, a folder of data.json files, or problems.jsonl")
    parser.add_argument("--n-planted", type=int, default=400, help="planted errors of each kind (default 400)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--misses", action="store_true", help="print each planted error that is not refuted")
    arguments = parser.parse_args()
    try:
        items = list(items_of(arguments.path))
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
    checked = [(item, check_prose(item[2], givens=[item[1]])) for item in items]
    seconds = time.perf_counter() - began
    supports = Counter(check.support for _, checks in checked for check in checks)
    alarms = [
        f"{name}: {check.claim}: {check.reason}; {check.counterexample}"
        for (name, _, _), checks in checked
        for check in checks
        if check.support == "refuted"
    ]
    alarmed = sum(any(check.support == "refuted" for check in checks) for _, checks in checked)
    decided = sum(any(check.support in ("proved", "refuted") for check in checks) for _, checks in checked)
    figures: dict[str, Any] = {
        "solutions": len(items),
        "solutions_with_a_decided_claim": decided,
        "solutions_with_a_claim": sum(bool(checks) for _, checks in checked),
        "claims": sum(supports.values()),
        "claims_decided": supports["proved"] + supports["refuted"],
        "supports": dict(supports),
        "solutions_with_an_alarm": alarmed,
        "seconds": round(seconds, 2),
        "seed": seed,
    }
    figures["planted"], misses = measure_planted(checked, planted, seed)
    return figures, alarms, misses


def measure_planted(
    checked: list[tuple[Item, tuple[ClaimCheck, ...]]], count: int, seed: int
) -> tuple[dict[str, dict[str, int]], list[str]]:
    """By kind: how many errors were planted, how many left the claim true, and how many of the rest were refuted."""
    table: dict[str, dict[str, int]] = {}
    misses = []
    for kind in KINDS:
        rng = random.Random(f"{seed}/{kind}")
        row = Counter({"planted": 0, "true_by_accident": 0, "refuted": 0})
        tries = 0
        while row["planted"] < count and tries < 4 * count and checked:
            tries += 1
            (name, question, text), checks = rng.choice(checked)
            planted = plant(text, rng, checks, kind)
            if planted is None:
                continue
            row["planted"] += 1
            if planted.effect == "true":
                row["true_by_accident"] += 1
                continue
            after = check_prose(planted.text, givens=[question])
            refuted = [check for check in after if check.support == "refuted"]
            hit = [one for one in refuted if one.start < planted.end and planted.start < one.end]
            row["refuted"] += bool(hit)
            if not hit:
                misses.append(f"{kind} {name}: {planted.claim.claim} ({planted.claim.reason}): {planted.change}")
        table[kind] = dict(row)
    return table, misses


def report(figures: dict[str, Any]) -> str:
    """The figures as lines of text."""
    solutions, claims = max(1, figures["solutions"]), max(1, figures["claims"])
    lines = [
        f"solutions: {figures['solutions']}, with an equation or inequality: {figures['solutions_with_a_claim']}",
        f"solutions with at least one decided claim: {_share(figures['solutions_with_a_decided_claim'], solutions)}",
        f"claims decided (proved or refuted): {_share(figures['claims_decided'], claims)}: {figures['supports']}",
        f"solutions with a false alarm, untouched: {_share(figures['solutions_with_an_alarm'], solutions)}",
        f"seconds: {figures['seconds']}",
        "kind      planted  true by accident  refuted of the rest",
    ]
    total: Counter[str] = Counter()
    for kind, row in figures["planted"].items():
        total.update(row)
        lines.append(_row(kind, row))
    return "\n".join([*lines, _row("all", total)])


def _row(kind: str, row: dict[str, int]) -> str:
    false = row["planted"] - row["true_by_accident"]
    return f"{kind:9} {row['planted']:7}  {row['true_by_accident']:16}  {_share(row['refuted'], max(1, false))}"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f}%)"


if __name__ == "__main__":
    main()
