"""MMLU: ``question``, ``choices``, ``subject``, and ``answer``, a ``ClassLabel`` counted from 0 (card of cais/mmlu).

Saved as text, the class is a bare number: 1 is B. Where it was read with its name, it is a letter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from srt.corpora.cells.option_cells import read_options
from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Fields, Layout, Rows, letter_at

_COLUMNS = frozenset({"question", "choices", "subject", "answer"})


def _fits(rows: Rows) -> bool:
    # The very columns of MMLU and four options each; a file of other columns counts as it likes, and so does one with
    # a 4. Most rows, not all: one may be broken.
    found = [_place(row) for row in rows if set(row) - {"split", "id", "index"} == _COLUMNS]
    return 4 not in found and sum(place is not None for place in found) * 2 > len(rows)


def _place(row: Mapping[str, Any]) -> int | None:
    """The place of the answer in this row, from 0; ``None`` if it is no such row."""
    printed = str(row["answer"]).strip()
    try:
        if len(read_options(row["choices"]).texts) != 4:
            return None
    except ItemRefused:
        return None
    if printed in ("A", "B", "C", "D"):
        return ord(printed) - ord("A")
    return int(printed) if re.fullmatch("[0-4]", printed) else None


def _read(row: Mapping[str, Any]) -> Fields:
    choices = read_options(row["choices"]).texts
    printed = str(row["answer"]).strip()
    answer = printed if printed in choices else letter_at(printed, len(choices))
    if answer is None:
        raise ItemRefused("answer_is_no_option", f"answer: {printed[:40]!r}; 0 to {len(choices) - 1} was expected")
    return {
        "id": row.get("id"),
        "question": row["question"],
        "choices": choices,
        "answer": answer,
        "category": row["subject"],
        "split": row.get("split"),
        "single_choice": True,
    }


MMLU = Layout(
    name="MMLU",
    about="the answer is a class counted from 0: 0 is A, 3 is D",
    columns=_COLUMNS,
    uses=frozenset({"id", "split", "index"}),
    fits=_fits,
    read=_read,
)
