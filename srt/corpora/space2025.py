"""SpaCE2025 (Peking University, fifth evaluation of spatial semantics): five subtasks, read from its published files.

The files are under a research licence and are not part of this repository: pass a file or the folder that holds them.

====  ================  ======  ==================================================
code  files             answer  what is asked
====  ================  ======  ==================================================
DSA   ``jsi_*.jsonl``   text    is the spatial expression right (正确 / 错误)?
RSR   ``rsr_*.jsonl``   text    is the interpretation right (正确 / 错误)?
RSE   ``rse_*.jsonl``   text    do two texts describe one scene (相同 / 不同)?
SPR   ``spr_zh_*``      set     spatial position reasoning, Chinese; letters
SPR   ``spr_en_*``      set     the same, English
====  ================  ======  ==================================================

The overview breaks DSA down by the kind of error, and RSE by the reason why two texts describe one scene. The published
files do not say which item is of which: lines that were labelled by hand have it in a field ``kind`` (:data:`KINDS`).

The official predictions file is JSONL ``{"id", "answer"}``, one for all subtasks: a list of letters for SPR, a string
for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from srt.io.atomic_files import write_atomically
from srt.io.errors import RecordError, UserError
from srt.io.record_lines import validation_fault
from srt.io.record_reader import read_rows
from srt.io.records import Answer, Lang, Problem

_ID = re.compile(r"(?P<task>jsi|rsr|rse|spr-(?P<lang>en|zh))-(?P<split>[a-z]+)-(?P<number>\d+)")
_CODES = {"jsi": "DSA", "rsr": "RSR", "rse": "RSE", "spr-en": "SPR", "spr-zh": "SPR"}
SUBTASKS = frozenset(_CODES.values())
"""The codes of the subtasks; SPR is two, one a language."""

_FIELDS = {
    "DSA": ("text",),
    "RSR": ("text", "interpretation"),
    "RSE": ("text1", "text2"),
    "SPR": ("text", "question"),
}
"""The fields that make up the question."""

_LETTER = re.compile("[A-Z]")
LABELS = {"DSA": ("正确", "错误"), "RSR": ("正确", "错误"), "RSE": ("相同", "不同")}
"""What the answers of the language subtasks may say, word for word."""

KINDS = {
    "DSA": ("wrong_word", "contradiction"),
    "RSE": ("localizer", "verb", "reference", "projection"),
}
"""What ``kind`` may be. DSA, of a wrong text: a spatial word is wrong, or parts of the text contradict each other. RSE,
of texts that describe one scene: similar localizers, similar directional verbs, different omitted references, a thing
and its projection."""
_WITH_KIND = {"DSA": "错误", "RSE": "相同"}
"""The gold label of the items that have a kind."""


def read(path: Path) -> Iterator[Problem]:
    """The problems of one published file, or of all ``*.jsonl`` files in or below a folder, in the order of names.

    Items that are in a folder twice, with their answer and without (the development sets), are read once, with it.

    Raises:
        UserError: the path does not exist, or a folder has no ``.jsonl`` file.
        RecordError: a line is not an item of one of the five subtasks, or another item has its id already; the message
            names file, line and field.
    """
    if not path.is_dir():
        yield from (_problem(row, f"{path}:{number}") for number, row in read_rows(path))
        return
    files = sorted(path.rglob("*.jsonl"))
    if not files:
        raise UserError(f"{path}: no .jsonl file in this folder")
    by_id: dict[str, Problem] = {}
    for file in files:
        for number, row in read_rows(file):
            problem = _problem(row, f"{file}:{number}")
            # The development sets are published twice, with answers and without.
            there = by_id.setdefault(problem.id, problem)
            if there is not problem:
                by_id[problem.id] = _with_answer(there, problem, f"{file}:{number}")
    yield from by_id.values()


def write_predictions(path: Path, answers: Iterable[tuple[str, str, Answer | None]]) -> int:
    """Write the official predictions file from ``(problem id, category, answer)`` and return the number of lines.

    An item without an answer is written all the same, with an empty answer (a wrong one): the official scorer compares
    an item that is missing from the file with the previous item's prediction.
    """
    lines = []
    for problem_id, category, answer in answers:
        value: Any = answer.value if answer is not None else ([] if category == "SPR" else "")
        lines.append(orjson.dumps({"id": problem_id, "answer": value}, option=orjson.OPT_APPEND_NEWLINE))
    write_atomically(path, lines)
    return len(lines)


def read_predictions(path: Path) -> dict[str, Any]:
    """The answers of an official predictions file by item, as they stand there.

    Raises:
        UserError: there is no such file, or an item stands on two lines.
        RecordError: a line is not JSON, or has no ``id`` or no ``answer``.
    """
    answers: dict[str, Any] = {}
    for number, row in read_rows(path):
        item = row.get("id")
        if not isinstance(item, str) or "answer" not in row:
            raise RecordError(f"{path}:{number}: id, answer: a prediction has both, this line has {sorted(row)}")
        if item in answers:
            raise UserError(f"{path}:{number}: id: a second prediction for {item!r}")
        answers[item] = row["answer"]
    return answers


def prediction_answer(problem: Problem, value: Any) -> Answer | None:
    """The answer to ``problem`` in a predictions file; ``None`` where it does not have the official form."""
    if problem.category != "SPR":
        return Answer(kind="text", value=value.strip()) if isinstance(value, str) else None
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return None
    letters = [one.strip() for one in value]
    return Answer(kind="choice_set", value=letters) if all(map(_LETTER.fullmatch, letters)) else None


def _with_answer(first: Problem, second: Problem, place: str) -> Problem:
    """The one of two records of an item that has the answer; apart from answer and solution they must be the same."""
    bare = [one.model_copy(update={"answer": None, "solution": None}) for one in (first, second)]
    if bare[0] != bare[1] or (first.answer is None) == (second.answer is None):
        raise RecordError(f"{place}: id: {second.id!r} is not unique: another line or file has an item of this id")
    return second if first.answer is None else first


def _problem(row: dict[str, Any], place: str) -> Problem:
    item_id = row.get("id")
    match = _ID.fullmatch(item_id) if isinstance(item_id, str) else None
    if match is None:
        raise RecordError(f"{place}: id: {item_id!r} is not of the form 'spr-en-train-1', 'jsi-demo-1', ...")
    code = _CODES[match["task"]]
    lang: Lang = "en" if match["lang"] == "en" else "zh"
    parts = {field: _text(row, field, place) for field in _FIELDS[code]}
    if code in ("RSE", "RSR"):  # the instruction names these fields
        parts = {field: f"{field}: {text}" for field, text in parts.items()}
    try:
        return Problem(
            id=match[0],
            source="space2025",
            split=match["split"],
            lang=lang,
            instruction=_text(row, "instruction", place),
            question="\n".join(parts.values()),
            choices=row.get("options", {}) if code == "SPR" else {},
            labels=list(LABELS.get(code, ())),
            answer=_answer(row["answer"], code, place) if "answer" in row else None,
            solution=row.get("interpretation") if code in ("DSA", "RSE") else None,
            category=code,
            subcategory=f"{code}-{lang}" if code == "SPR" else None,
            group_id=f"space2025-{code}-{match['split']}-{match['number']}",
            meta=_kind(row, code, place),
        )
    except ValidationError as error:
        raise RecordError(f"{place}: {validation_fault(error)}") from None


def _answer(value: Any, code: str, place: str) -> Answer:
    if code == "SPR":
        if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
            raise RecordError(f"{place}: answer: a list of letters was expected, not {value!r}")
        return Answer(kind="choice_set", value=value)
    if value not in LABELS[code]:
        raise RecordError(f"{place}: answer: {' or '.join(LABELS[code])} was expected, not {value!r}")
    return Answer(kind="text", value=value)


def _kind(row: dict[str, Any], code: str, place: str) -> dict[str, str]:
    """The entry ``kind`` of ``meta``, where somebody labelled the item."""
    kind = row.get("kind")
    if kind is None or kind == "":
        return {}
    if kind not in KINDS.get(code, ()):
        known = " or ".join(KINDS[code]) if code in KINDS else "nothing: only items of DSA and RSE have one"
        raise RecordError(f"{place}: kind: {known} was expected, not {kind!r}")
    if row.get("answer", _WITH_KIND[code]) != _WITH_KIND[code]:
        raise RecordError(f"{place}: kind: only an item whose answer is {_WITH_KIND[code]} has one")
    return {"kind": kind}


def _text(row: dict[str, Any], field: str, place: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value.strip():
        raise RecordError(f"{place}: {field}: a text was expected, not {value!r}")
    return value
