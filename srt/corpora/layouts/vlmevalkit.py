"""VLMEvalKit: a TSV with ``index``, ``question``, ``answer``, options in ``A``, ``B``, ..., and ``image`` in base64.

Its ``ImageMCQDataset`` prints a ``hint`` before the question. Several pictures of one row are a printed list. A short
``image`` is the ``index`` of the row that has the picture (``vlmeval/dataset/image_base.py``); ``image_path`` names
files.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any

from srt.corpora.cells.printed_lists import printed_list
from srt.corpora.layouts.layout import Fields, Layout, Rows

_NOTHING = ("", "nan", "None")


def _fits(rows: Rows) -> bool:
    return all("image" in row or "image_path" in row for row in rows)


def _read(row: Mapping[str, Any]) -> Fields:
    options = {letter: str(row[letter]) for letter in ascii_uppercase if letter in row and _given(row[letter])}
    hint = row.get("hint")
    return {
        "id": row["index"],
        "question": f"{hint}\n{row['question']}" if _given(hint) else row["question"],
        "choices": options,
        "answer": row["answer"],
        "picture": _pictures(row.get("image")) or _pictures(row.get("image_path")),
        "category": row.get("l2-category") or row.get("category"),
        "subcategory": row.get("category") if row.get("l2-category") else None,
        "split": row.get("split"),
        "single_choice": bool(options),
    }


def _given(value: Any) -> bool:
    return value is not None and str(value).strip() not in _NOTHING


def _pictures(given: Any) -> Any:
    if not _given(given):
        return None
    if isinstance(given, str) and given.lstrip().startswith("["):
        return printed_list(given) or given
    return given


VLMEVALKIT = Layout(
    name="VLMEvalKit",
    about="options in columns A, B, ...; pictures in base64; a hint goes before its question",
    columns=frozenset({"index", "question", "answer"}),
    uses=frozenset({"image", "image_path", "hint", "category", "l2-category", "split", *ascii_uppercase}),
    fits=_fits,
    read=_read,
)
