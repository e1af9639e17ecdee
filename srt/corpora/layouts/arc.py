"""ARC, CommonsenseQA and OpenBookQA: options with labels, and ``answerKey``, the label of the right one.

``choices`` is ``{"text": [...], "label": [...]}``; ARC's labels are A to E or 1 to 5, with 3 to 5 options (card of
allenai/ai2_arc). As first published, options are objects in the question: ``{"stem": ..., "choices": [{"text": ...,
"label": ...}]}``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from srt.corpora.layouts.layout import Fields, Layout

_COLUMNS = frozenset({"answerKey"})
_USES = frozenset({"id", "split"})


def _reader(question: str, category: str | None = None) -> Callable[[Mapping[str, Any]], Fields]:
    def read(row: Mapping[str, Any]) -> Fields:
        asked: Any
        asked, choices = row[question], row.get("choices")
        if isinstance(asked, Mapping):
            asked, choices = asked.get("stem"), asked.get("choices")
        found: Fields = {
            "id": row.get("id"),
            "question": asked,
            "choices": choices,
            "answer": row["answerKey"],
            "split": row.get("split"),
            "single_choice": True,
        }
        return {**found, "category": row.get(category)} if category else found

    return read


ARC = Layout(
    name="ARC",
    about="options with labels, of which answerKey names one",
    columns=_COLUMNS | {"question"},
    uses=_USES | {"choices"},
    read=_reader("question"),
)
COMMONSENSE_QA = Layout(
    name="CommonsenseQA",
    about=ARC.about,
    columns=ARC.columns | {"question_concept", "choices"},
    uses=_USES,
    read=_reader("question", "question_concept"),
)
OPENBOOK_QA = Layout(
    name="OpenBookQA",
    about=ARC.about,
    columns=_COLUMNS | {"question_stem", "choices"},
    uses=_USES,
    read=_reader("question_stem"),
)
