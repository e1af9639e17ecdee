"""GSM8K: ``question`` and ``answer``, a worked solution whose last line is ``#### 18``.

``<<48/2=24>>`` are marks for a calculator (card of openai/gsm8k).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srt.corpora.cells.decimal_commas import without_thousands
from srt.corpora.cells.worked_solutions import behind_final_mark
from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Fields, Layout, Rows


def _fits(rows: Rows) -> bool:
    # Most, not all: one row may be broken. A file with options is not GSM8K.
    ends = [behind_final_mark(str(row["answer"])) for row in rows]
    return not any("choices" in row or "A" in row for row in rows) and sum(map(bool, ends)) * 2 > len(ends)


def _read(row: Mapping[str, Any]) -> Fields:
    found = behind_final_mark(str(row["answer"]))
    if found is None:
        raise ItemRefused("no_answer", "answer: no line '#### ' with the final answer, as the other rows have")
    answer, solution = found[0], found[1]
    # One number always: 43,500 is not two, even where the question asks what "both" cost.
    answer = without_thousands(answer)
    return {**_own(row), "question": row["question"], "answer": answer, "solution": solution}


def _own(row: Mapping[str, Any]) -> Fields:
    """What a file may have besides: its id, and what it is divided by."""
    return {"id": row.get("id"), "split": row.get("split"), "category": row.get("category")}


GSM8K = Layout(
    name="GSM8K",
    about="the answer is behind ####, what is before it is the solution, without <<...>>",
    columns=frozenset({"question", "answer"}),
    uses=frozenset({"id", "split", "category"}),
    fits=_fits,
    read=_read,
)
