"""Gold answers against themselves, written in other ways, and against wrong ones, by the whole path from text to score.

    python -m research.evaluation.answer_equality [PATH] [--pairs N] [--json] [--misses]

PATH: SolidGeo.json or its folder (default: SRT_SOLIDGEO); pictures are not needed. Each printed answer, its explanation
cut off, is rewritten, put into an output (``ANSWER: ...``, or a box alone), extracted, and compared with the gold that
is read from the corpus. Rewritings must be accepted, wrong answers refused. "another item's answer" takes every item's
answer for N other items, drawn with a fixed seed; pairs whose gold is the same value are left out.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from srt.answers.equality import POLICIES, PolicyName, equal_to_gold, unreadable_gold
from srt.answers.equality.algebra import numeric_values
from srt.answers.equality.math_verify_client import shared_math_verify
from srt.answers.equality.normal_form import plain, squeezed
from srt.answers.extraction import extract
from srt.answers.written_form import canonical_text
from srt.corpora import solidgeo
from srt.corpora.corpus_reader import ImportRefusal, ImportRequest
from srt.corpora.gold_answers import printed_answer
from srt.images.store import PictureFolder
from srt.io.errors import UserError
from srt.io.records import Answer, Image, Problem

_UPRIGHT = re.compile(r"\\(?:mathrm|text)\s*\{[\s~]*([A-Za-z][A-Za-z ]*?)[\s~]*\}")
_LABEL = re.compile(r"^\$?\s*[A-Za-z][A-Za-z .'_{}\\]{0,40}?\s*\$?\s*=\s*")
_PART_LABEL = re.compile(r"\s*[(（]\s*\d\s*[)）]\s*")
_LENGTHS = ("mm", "cm", "dm", "m", "km")
_MASSES = ("g", "kg")


class _NoPictures(PictureFolder):
    """Refers to pictures without opening them."""

    def refer(self, root: Path, path: str) -> Image:
        return Image(path=path, sha256="")


@dataclass
class Row:
    """One line of the table: how many outputs were tried, accepted, and what decided."""

    tried: int = 0
    accepted: int = 0
    changed: int = 0
    how: Counter[str] = field(default_factory=Counter)
    odd: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, nargs="?", default=os.environ.get("SRT_SOLIDGEO"))
    parser.add_argument("--pairs", type=int, default=100, help="other items for each item's answer (default 100)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--misses", action="store_true", help="print what went wrong, each by item")
    arguments = parser.parse_args()
    if arguments.path is None:
        sys.exit("name SolidGeo.json, or set SRT_SOLIDGEO")
    try:
        items, refused = read_items(Path(arguments.path))
    except UserError as error:
        sys.exit(str(error))
    rows = measure(items, arguments.pairs)
    unread = {item.id: why for item in items if item.answer and (why := unreadable_gold(item.answer))}
    if arguments.json:
        print(json.dumps(figures(rows, items, refused, unread), ensure_ascii=False, indent=2))
        return
    print(report(rows, items, refused, unread))
    for name, row in rows.items() if arguments.misses else ():
        for odd in row.odd:
            print(f"{name}: {odd}")


def read_items(path: Path) -> tuple[list[Problem], list[ImportRefusal]]:
    """The items with a gold answer, and those without one."""
    request = ImportRequest(lang="en", traces=False, pictures=_NoPictures(path / "problems.jsonl"))
    items: list[Problem] = []
    refused: list[ImportRefusal] = []
    for item in solidgeo.read(path, request):
        if isinstance(item, Problem):
            items.append(item)
        elif isinstance(item, ImportRefusal):
            refused.append(item)
    return items, refused


def measure(items: list[Problem], pairs: int) -> dict[str, Row]:
    """Every row of the table."""
    rows: dict[str, Row] = {}
    for name, policy, rewrite in REWRITINGS:
        row = rows.setdefault(f"{name} ({policy})", Row())
        for item in items:
            text = rewrite(item, _printed(item))
            if text is not None:
                _try(row, item, text, policy, wanted=True, boxed="boxed" in name)
    for name, corrupt in CORRUPTIONS:
        row = rows.setdefault(name, Row())
        for item in items:
            for text in corrupt(item, _printed(item)):
                _try(row, item, text, "strict", wanted=False)
    row = rows["another item's answer"] = Row()
    random_state = random.Random(0)
    for item in items:
        for other in random_state.sample(items, min(pairs, len(items))):
            if other.id != item.id and not _same_gold(item.answer, other.answer) and not _same_option(item, other):
                _try(row, item, _printed(other), "strict", wanted=False)
    return rows


def _try(row: Row, item: Problem, text: str, policy: PolicyName, *, wanted: bool, boxed: bool = False) -> None:
    began = time.perf_counter()
    found = extract(f"We look at the solid.\n\nThe result is {text}." if boxed else f"So it is.\nANSWER: {text}", item)
    accepted = False
    how: str = found.status
    if found.answer is not None and found.text is not None:
        outcome = equal_to_gold(item, found.text, POLICIES[policy], shared_math_verify().same)
        accepted, how = outcome.equal, outcome.how
    row.seconds.append(time.perf_counter() - began)
    row.tried += 1
    row.accepted += accepted
    row.changed += text != _printed(item)
    row.how[how] += 1
    if accepted != wanted:
        row.odd.append(f"{item.id}: gold {canonical_text(item.answer)!r}, said {text!r}: {how}")


def _printed(item: Problem) -> str:
    return printed_answer(str(item.meta["answer"]))


def _dollars_dropped(item: Problem, text: str) -> str:
    return text.replace("$", "")


def _dollars_added(item: Problem, text: str) -> str:
    return f"${text.replace('$', '')}$"


def _units_plain(item: Problem, text: str) -> str:
    return _UPRIGHT.sub(lambda match: f" {match[1]}", text)


def _label_dropped(item: Problem, text: str) -> str:
    dropped = _LABEL.sub("", text)
    if dropped != text and dropped.count("$") % 2:
        dropped = dropped.replace("$", "")
    if item.answer and item.answer.kind == "parts":
        pieces = [piece.strip(" ;；\n") for piece in _PART_LABEL.split(dropped) if piece.strip(" ;；\n")]
        dropped = "; ".join(pieces) if len(pieces) > 1 else dropped
    return dropped


def _boxed(item: Problem, text: str) -> str:
    return "\\boxed{" + text.replace("$", "") + "}"


def _two_decimals(item: Problem, text: str) -> str | None:
    """The decimal form of a gold with a root or pi; ``None`` for any other."""
    gold = item.answer
    if gold is None or gold.kind != "expression" or not re.search(r"sqrt|\\pi|π|√", str(gold.value)):
        return None
    values = list(numeric_values(plain(str(gold.value))))
    return f"{float(values[0]):.2f} {gold.unit or ''}".strip() if values else None


REWRITINGS: list[tuple[str, PolicyName, Callable[[Problem, str], str | None]]] = [
    ("as printed", "strict", lambda item, text: text),
    ("$ dropped", "strict", _dollars_dropped),
    ("$ added", "strict", _dollars_added),
    ("\\mathrm{~cm} to cm", "strict", _units_plain),
    ("label dropped", "strict", _label_dropped),
    ("\\boxed added", "strict", _boxed),
    ("2-decimal form", "lenient", _two_decimals),
]


def _wrong_units(item: Problem, text: str) -> Iterator[str]:
    """The same number in every other unit of its kind, and in one of another kind."""
    for gold in _with_units(item.answer):
        base, power = re.fullmatch(r"(.*?)((?:\^\d)?)", str(gold.unit)).groups()  # type: ignore[union-attr]
        family = _LENGTHS if base in _LENGTHS else _MASSES if base in _MASSES else ("cm", "m")
        for other in (*family, "kg" if family is _LENGTHS else "cm"):
            if other != base:
                yield _with_answer(item, gold, f"{gold.value} {other}{power if other in _LENGTHS else ''}")


def _wrong_powers(item: Problem, text: str) -> Iterator[str]:
    for gold in _with_units(item.answer):
        base, power = re.fullmatch(r"(.*?)((?:\^\d)?)", str(gold.unit)).groups()  # type: ignore[union-attr]
        if base in (*_LENGTHS, "units"):
            for other in ("", "^2", "^3"):
                if other != power:
                    yield _with_answer(item, gold, f"{gold.value} {base}{other}")


def _with_units(answer: Answer | None) -> list[Answer]:
    parts = answer.value if answer and answer.kind == "parts" else [answer]
    return [part for part in parts if part is not None and part.unit]


def _with_answer(item: Problem, gold: Answer, said: str) -> str:
    """``said`` in the place of ``gold`` among the item's parts."""
    assert item.answer is not None
    if item.answer.kind != "parts":
        return said
    return "; ".join(said if part is gold else canonical_text(part) for part in item.answer.value)


def _swapped(item: Problem, text: str) -> Iterator[str]:
    """Every two neighbouring parts, or elements of a tuple, in the other order, where they differ."""
    answer = item.answer
    if answer is not None and answer.kind == "parts":
        parts, joined = list(answer.value), "{}"
    elif answer is not None and re.fullmatch(r"\([^()]+,[^()]+\)", str(answer.value)):
        parts = [Answer(kind="expression", value=part.strip()) for part in str(answer.value)[1:-1].split(",")]
        joined = "({})"
    else:
        return
    for at in range(len(parts) - 1):
        if not _same_gold(parts[at], parts[at + 1]):
            order = [*parts[:at], parts[at + 1], parts[at], *parts[at + 2 :]]
            yield joined.format((", " if joined != "{}" else "; ").join(map(canonical_text, order)))


def _other_letters(item: Problem, text: str) -> Iterator[str]:
    if item.answer is not None and item.answer.kind == "choice_set":
        letters = item.choices or "ABCD"
        yield from (letter for letter in letters if [letter] != item.answer.value)


CORRUPTIONS: list[tuple[str, Callable[[Problem, str], Iterator[str]]]] = [
    ("wrong unit", _wrong_units),
    ("wrong power", _wrong_powers),
    ("order swapped", _swapped),
    ("another letter", _other_letters),
]


def _same_gold(one: Answer | None, other: Answer | None) -> bool:
    """Whether two golds are the same value, told apart by signs and by digits, not by what is measured here."""
    if one is None or other is None:
        return False
    if squeezed(canonical_text(one)) == squeezed(canonical_text(other)):
        return True
    values = [_value(answer) for answer in (one, other)]
    if None in values:
        return False
    if {one.unit, other.unit} == {None, "°"}:  # 60° is pi/3.
        degrees, radians = values if one.unit else reversed(values)
        assert degrees is not None
        assert radians is not None
        return abs(float(degrees) * math.pi / 180 - float(radians)) < 1e-9
    return one.unit == other.unit and values[0] == values[1]


def _same_option(item: Problem, other: Problem) -> bool:
    """Whether the text of the right option of ``item`` is the answer of ``other``: then that is no wrong answer."""
    if item.answer is None or item.answer.kind != "choice_set" or other.answer is None:
        return False
    right = [squeezed(item.choices.get(letter, "")) for letter in item.answer.value]
    return right == [squeezed(canonical_text(other.answer))]


def _value(answer: Answer) -> Fraction | None:
    if answer.kind not in ("number", "expression"):
        return None
    value = next(numeric_values(plain(str(answer.value))), None)
    return None if value is None else Fraction(round(value * 10**12), 10**12)


def figures(
    rows: dict[str, Row], items: list[Problem], refused: list[ImportRefusal], unread: dict[str, str]
) -> dict[str, Any]:
    """All figures, for machines."""
    table = {
        name: {
            "tried": row.tried,
            "accepted": row.accepted,
            "share": row.accepted / row.tried if row.tried else None,
            "changed": row.changed,
            "how": dict(row.how),
            "odd": row.odd,
        }
        for name, row in rows.items()
    }
    times = [second for row in rows.values() for second in row.seconds]
    return {
        "items": len(items),
        "without_gold": {item.item: item.detail for item in refused},
        "unreadable_gold": unread,
        "rows": table,
        "milliseconds": {
            "median": statistics.median(times) * 1000,
            "p99": statistics.quantiles(times, n=100)[98] * 1000,
            "max": max(times) * 1000,
        },
    }


def report(rows: dict[str, Row], items: list[Problem], refused: list[ImportRefusal], unread: dict[str, str]) -> str:
    """The table, for people."""
    found = figures(rows, items, refused, unread)
    share = len(unread) / len(items) if items else 0.0
    lines = [
        f"{len(items)} items with gold, {len(refused)} without, {len(unread)} golds not understood ({share:.1%})",
        "",
    ]
    lines += ["| output | tried | changed | accepted | share | decided by |", "|---|---|---|---|---|---|"]
    for name, row in rows.items():
        share = f"{row.accepted / row.tried:.4f}" if row.tried else "-"
        how = ", ".join(f"{key} {count}" for key, count in row.how.most_common())
        lines.append(f"| {name} | {row.tried} | {row.changed} | {row.accepted} | {share} | {how} |")
    times = found["milliseconds"]
    lines += ["", "ms a pair, extraction and comparison: " + ", ".join(f"{k} {v:.2f}" for k, v in times.items())]
    lines += [f"no gold: {item.item}: {item.reason}: {item.detail[:100]}" for item in refused]
    lines += [f"not understood: {name}: {why}" for name, why in unread.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
