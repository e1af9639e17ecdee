"""MMLU: ``question``, ``choices``, ``subject``, and ``answer``, a ``ClassLabel`` counted from 0 (card of cais/mmlu).

Saved as text, the class is a bare number: 1 is B. Where it was read with its name, it is a letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srt.corpora.cells.options import read_options
from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Fields, Layout, Rows, letter_at

_COLUMNS = frozenset({"question", "choices", "subject", "answer"})


def _fits(rows: Rows) -> bool:
    # The very columns of MMLU and four options each; a file of other columns counts as it likes.
    return all(
        set(row) - {"split", "id", "index"} == _COLUMNS
        and len(read_options(row["choices"]).texts) == 4
        and (str(row["answer"]) in "ABCD" or letter_at(row["answer"], 4) is not None)
        for row in rows
    )


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
