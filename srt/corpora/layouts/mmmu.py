"""MMMU: ``options`` is a list as Python prints it, ``image_1`` to ``image_7`` are shown where ``<image 1>`` stands.

Columns of MMMU/MMMU: id, question, options, explanation, image_1 to image_7, img_type, answer, topic_difficulty,
question_type (multiple-choice or open), subfield. Open questions have the options ``[]``. In the test split the answers
are withheld: ``?``. MMMU-Pro has ``image_1`` to ``image_7`` too, and up to ten options.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srt.corpora.cells.option_cells import read_options
from srt.corpora.cells.printed_lists import printed_list
from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Fields, Layout

_PICTURES = tuple(f"image_{number}" for number in range(1, 8))


def _read(row: Mapping[str, Any]) -> Fields:
    choices = read_options(row["options"]).texts
    answer = row["answer"]
    if str(answer).strip() == "?":
        raise ItemRefused("no_answer", "answer: '?', as in the test split, whose answers are withheld")
    if not choices and isinstance(answer, str) and answer.startswith("["):
        # Several spellings of one answer; ours is the first.
        alternatives = printed_list(answer)
        answer = alternatives[0] if isinstance(alternatives, list) and alternatives else answer
    return {
        "id": row.get("id"),
        "question": row["question"],
        "choices": choices,
        "answer": answer,
        "picture": [row[name] for name in _PICTURES if row.get(name)],
        "solution": _said(row.get("explanation")),
        "category": row.get("subfield") or row.get("subject"),
        "split": row.get("split"),
        "single_choice": bool(choices),
    }


def _said(explanation: Any) -> Any:
    return None if explanation in ("", "?", "None") else explanation


MMMU = Layout(
    name="MMMU",
    about="options in a printed list; <image 1> is the first picture",
    columns=frozenset({"question", "options", "answer", "image_1"}),
    uses=frozenset({"id", "explanation", "subfield", "subject", "split", *_PICTURES}),
    read=_read,
)
