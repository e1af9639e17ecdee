"""MathVista: ``answer`` is the text of an option where ``question_type`` is multi_choice, else a number or a text.

Columns of AI4Math/MathVista: pid, question, image (a path), decoded_image, choices (a list or nothing), unit,
precision, answer, question_type, answer_type, metadata (with category, context, grade, split, task and more), query.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srt.answers.written_form import same_option
from srt.corpora.cells.option_cells import read_options
from srt.corpora.cells.unit_cells import with_unit
from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Fields, Layout


def _read(row: Mapping[str, Any]) -> Fields:
    about = row.get("metadata")
    about = about if isinstance(about, Mapping) else {}
    found: Fields = {
        "id": row["pid"],
        "question": row["question"],
        "answer": row["answer"],
        "picture": [row.get("decoded_image") or row.get("image")],
        "category": about.get("task"),
        "subcategory": about.get("category"),
        "split": row.get("split") or about.get("split"),
    }
    choices = read_options(row.get("choices")).texts
    if not choices:
        return {**found, "answer": with_unit(row["answer"], row.get("unit"))}
    printed = str(row["answer"]).strip()
    named = [letter for letter, text in choices.items() if text == printed]
    named = named or [letter for letter, text in choices.items() if same_option(printed, text)]
    if len(named) != 1:
        raise ItemRefused(
            "answer_is_no_option", f"answer: {printed[:80]!r} is the text of {len(named)} options, not of one"
        )
    return {**found, "choices": choices, "answer": named[0], "single_choice": True}


MATHVISTA = Layout(
    name="MathVista",
    about="the answer is the text of an option, or free",
    columns=frozenset({"pid", "question", "answer", "question_type", "answer_type"}),
    uses=frozenset({"choices", "unit", "image", "decoded_image", "metadata", "split"}),
    read=_read,
)
