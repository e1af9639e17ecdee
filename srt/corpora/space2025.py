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

The official predictions file is JSONL ``{"id", "answer"}``: a list of letters for SPR, a string for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from srt.errors import RecordError, UserError
from srt.jsonl import read_rows, write_atomically
from srt.records import Answer, Lang, Problem

_ID = re.compile(r"(?P<task>jsi|rsr|rse|spr-(?P<lang>en|zh))-(?P<split>[a-z]+)-(?P<number>\d+)")
_CODES = {"jsi": "DSA", "rsr": "RSR", "rse": "RSE", "spr-en": "SPR", "spr-zh": "SPR"}
_LABELS = {"DSA": ("正确", "错误"), "RSR": ("正确", "错误"), "RSE": ("相同", "不同")}


def read(path: Path) -> Iterator[Problem]:
    """The problems of one published file, or of all ``*.jsonl`` files of a folder, in the order of their names.

    Raises:
        UserError: the path does not exist, or a folder holds no ``.jsonl`` file.
        RecordError: a line is not an item of one of the five subtasks; the message names file, line and field.
    """
    if path.is_dir():
        files = sorted(path.glob("*.jsonl"))
        if not files:
            raise UserError(f"{path}: no .jsonl file in this folder")
    else:
        files = [path]
    for file in files:
        for number, row in read_rows(file):
            yield _problem(row, f"{file}:{number}")


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


def _problem(row: dict[str, Any], place: str) -> Problem:
    item_id = row.get("id")
    match = _ID.fullmatch(item_id) if isinstance(item_id, str) else None
    if match is None:
        raise RecordError(f"{place}: id: {item_id!r} is not of the form 'spr-en-train-1', 'jsi-demo-1', ...")
    code = _CODES[match["task"]]
    lang: Lang = "en" if match["lang"] == "en" else "zh"
    wanted = {"SPR": ("text", "question"), "RSE": ("text1", "text2"), "RSR": ("text", "interpretation")}.get(
        code, ("text",)
    )
    parts = [_text(row, field, place) for field in wanted]
    try:
        return Problem(
            id=match[0],
            source="space2025",
            split=match["split"],
            lang=lang,
            instruction=_text(row, "instruction", place),
            question=_question(code, parts),
            choices=row.get("options", {}) if code == "SPR" else {},
            answer=_answer(row["answer"], code, place) if "answer" in row else None,
            solution=row.get("interpretation") if code in ("DSA", "RSE") else None,
            category=code,
            subcategory=f"{code}-{lang}" if code == "SPR" else None,
            group_id=f"space2025-{code}-{match['split']}-{match['number']}",
        )
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise RecordError(f"{place}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None


def _question(code: str, parts: list[str]) -> str:
    """The problem's text; the fields that an instruction names keep their names in front."""
    if code == "RSE":
        return f"text1: {parts[0]}\ntext2: {parts[1]}"
    if code == "RSR":
        return f"text: {parts[0]}\ninterpretation: {parts[1]}"
    return "\n".join(parts)


def _answer(value: Any, code: str, place: str) -> Answer:
    if code == "SPR":
        if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
            raise RecordError(f"{place}: answer: a list of letters was expected, not {value!r}")
        return Answer(kind="choice_set", value=value)
    if value not in _LABELS[code]:
        raise RecordError(f"{place}: answer: {' or '.join(_LABELS[code])} was expected, not {value!r}")
    return Answer(kind="text", value=value)


def _text(row: dict[str, Any], field: str, place: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value.strip():
        raise RecordError(f"{place}: {field}: a text was expected, not {value!r}")
    return value
