"""VLMEvalKit: a TSV with ``index``, ``question``, ``answer``, options in ``A``, ``B``, ..., and ``image`` in base64.

Its ``ImageMCQDataset`` prints a ``hint`` before the question. Several pictures of one row are a printed list. A short
``image`` is the ``index`` of the row that has the picture (``vlmeval/dataset/image_base.py``); ``image_path`` names
files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any

from srt.corpora.cells.options_in_question import split_options
from srt.corpora.cells.printed_lists import printed_list
from srt.corpora.layouts.layout import Fields, Layout, Rows

_NOTHING = ("", "nan")
"""An empty cell, also as pandas prints it. NA and None are words."""
_LONGEST_INDEX = 64
"""Characters of a picture that is the index of another row, in ``ImageBaseDataset``."""


def _fits(rows: Rows) -> bool:
    return all("image" in row or "image_path" in row for row in rows)


def _read(row: Mapping[str, Any]) -> Fields:
    options = {letter: str(row[letter]) for letter in ascii_uppercase if letter in row and _given(row[letter])}
    hint = row.get("hint")
    question, picture = str(row["question"]), _pictures(row.get("image"))
    if not options and re.fullmatch("[A-Z]", str(row["answer"]).strip()):
        question, options = split_options(question, heading=True)  # MMStar: "...\nOptions: A: left, B: right"
    found: Fields = {
        "id": row["index"],
        "question": f"{hint}\n{question}" if _given(hint) else question,
        "choices": options,
        "answer": row["answer"],
        "category": row.get("category"),
        "split": row.get("split"),
        "single_choice": bool(options),
    }
    if isinstance(picture, str) and len(picture) <= _LONGEST_INDEX and "." not in picture:
        return {**found, "same_picture_as": picture.strip()}
    return {**found, "picture": picture or _pictures(row.get("image_path"))}


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
    uses=frozenset({"image", "image_path", "hint", "category", "split", *ascii_uppercase}),
    fits=_fits,
    read=_read,
)
