"""MathVerse: the options stand in the question, behind ``Choices:``, each on a line as ``A:65°``.

Columns of AI4Math/MathVerse: sample_index, problem_index, problem_version, question, image, answer, question_type
(multi-choice or free-form), metadata (with subject, subfield), query_wo, query_cot, question_for_eval. A problem has
five versions; in "Vision Only" the picture holds the question and its options, and the text says so in ``query_wo``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srt.corpora.cells.options_in_question import split_options
from srt.corpora.layouts.layout import Fields, Layout


def _read(row: Mapping[str, Any]) -> Fields:
    question, choices = split_options(str(row["question"] or "").strip(), heading=True)
    about = row.get("metadata")
    about = about if isinstance(about, Mapping) else {}
    found: Fields = {
        "id": row["sample_index"],
        "question": question or row.get("query_wo") or row.get("query_cot"),
        "choices": choices,
        "answer": row["answer"],
        "picture": row.get("image"),
        "group": row["problem_index"],
        "category": about.get("subject"),
        "subcategory": row["problem_version"],
        "split": row.get("split") or about.get("split"),
    }
    if row.get("question_type") == "multi-choice":
        return {**found, "kind": "choice_set", "single_choice": True}
    return found


MATHVERSE = Layout(
    name="MathVerse",
    about="the options are in the question, behind Choices:",
    columns=frozenset({"sample_index", "problem_index", "problem_version", "question", "answer"}),
    uses=frozenset({"image", "question_type", "metadata", "query_wo", "query_cot", "split"}),
    read=_read,
)
