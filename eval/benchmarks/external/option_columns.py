"""Columns with one option each, and columns of pictures, known by their names: ``option_a, option_b``, ``img``.

Where the answers are letters of options that nothing reads, or the picture of a problem is left out, the problem is
another one: such a file is refused with the option that names the columns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from string import ascii_lowercase

_WORDS = {"option", "options", "opt", "choice", "choices", "alternative", "alt", "answer_option", "answer_choice"}
_WORDS |= {"possible_answer", "candidate", "opcion", "opción", "вариант", "选项", "選項"}
_NAME = re.compile(r"(.*?)([\s_.\-:(\[]*)([A-Ja-j]|\d{1,2})[)\].:]?", re.S)
_PICTURE = re.compile(
    r"(?:image|images|img|imgs|picture|pictures|pic|pics|figure|fig|photo|diagram)"
    r"(?:[\s_\-.]*(?:path|paths|file|files|filename|file[\s_]?name|url|base64|b64|bytes|\d{1,2}))?",
    re.I,
)
_LONGEST_LABEL = 4


def _runs(names: Sequence[str]) -> dict[str, list[str]]:
    """Columns of one stem that go on from a, 1 or 0, at least 2 of them, by their stem."""
    by_stem: dict[tuple[str, bool], dict[int, str]] = {}
    for name in names:
        match = _NAME.fullmatch(name.strip())
        if match is None:
            continue
        stem, between, tail = re.sub(r"[\s_\-]+", "_", match[1].strip().casefold()), match[2], match[3]
        apart = bool(between) or not stem or stem in _WORDS or (tail.isupper() and match[1][-1].islower())
        if not (apart or tail.isdigit()) or _PICTURE.fullmatch(stem):
            continue
        at = int(tail) if tail.isdigit() else ascii_lowercase.index(tail.casefold())
        by_stem.setdefault((stem, tail.isdigit()), {}).setdefault(at, name)
    runs: dict[str, list[str]] = {}
    for (stem, numbered), found in by_stem.items():
        first = 1 if numbered and 0 not in found else 0
        if len(found) > 1 and sorted(found) == list(range(first, first + len(found))):
            runs.setdefault(stem, [found[at] for at in sorted(found)])
    return runs


def option_columns(names: Sequence[str]) -> list[str]:
    """The columns among ``names`` that can only be options, in their order: ``Choice 1, Choice 2``; or none."""
    return next((run for stem, run in _runs(names).items() if stem in _WORDS), [])


def bare_option_columns(names: Sequence[str], golds: Collection[str]) -> list[str]:
    """The columns named ``a, b, c`` or ``1, 2, 3`` alone, if all of ``golds`` name one of them."""
    run = _runs(names).get("", [])
    return run if golds and all(_names_one(gold, run) for gold in golds) else []


def probable_options(names: Sequence[str], golds: Collection[str]) -> list[str]:
    """Columns of one stem that may be options, since all of ``golds`` are letters or numbers that count them."""
    if not golds:
        return []
    return next((run for run in _runs(names).values() if all(_names_one(gold, run) for gold in golds)), [])


def picture_columns(names: Iterable[str]) -> list[str]:
    """The columns among ``names`` that are called as pictures are."""
    return [name for name in names if _PICTURE.fullmatch(name.strip())]


def _names_one(gold: str, run: Sequence[str]) -> bool:
    label = gold.strip(" ()[].:")
    if len(label) > _LONGEST_LABEL or not label.isascii():
        return False
    if label.isdigit():
        return int(label) <= len(run)
    return len(label) == 1 and label.casefold() in ascii_lowercase[: len(run)]
