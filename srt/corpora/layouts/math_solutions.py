"""MATH: ``problem`` and ``solution``, whose last ``\\boxed{}`` is the answer; MATH-500 has it in ``answer`` too.

Columns of EleutherAI/hendrycks_math: problem, level ("Level 5"), type, solution. Of HuggingFaceH4/MATH-500: problem,
solution, answer, subject, level (a number), unique_id (``test/algebra/1.json``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srt.corpora.cells.worked_solutions import last_boxed
from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Fields, Layout, Rows


def _boxed_without_answer(rows: Rows) -> bool:
    boxed = [last_boxed(str(row["solution"])) for row in rows]
    return not any("answer" in row for row in rows) and sum(one is not None for one in boxed) * 2 > len(boxed)


def _math(row: Mapping[str, Any]) -> Fields:
    answer = last_boxed(str(row["solution"]))
    if answer is None:
        raise ItemRefused("no_answer", "solution: no \\boxed{} with the final answer, as the other rows have")
    return {**_common(row), "id": row.get("id"), "answer": answer, "category": row.get("type")}


def _math_500(row: Mapping[str, Any]) -> Fields:
    return {**_common(row), "id": row["unique_id"], "answer": row["answer"], "category": row["subject"]}


def _common(row: Mapping[str, Any]) -> Fields:
    level = row.get("level")
    return {
        "question": row["problem"],
        "solution": row["solution"],
        "subcategory": f"Level {level}" if isinstance(level, int) else level,
        "split": row.get("split"),
    }


MATH = Layout(
    name="MATH",
    about="the answer is in the last \\boxed{} of the solution",
    columns=frozenset({"problem", "solution"}),
    uses=frozenset({"id", "type", "level", "split"}),
    fits=_boxed_without_answer,
    read=_math,
)
MATH_500 = Layout(
    name="MATH-500",
    about="problem, answer, solution",
    columns=frozenset({"problem", "solution", "answer", "subject", "unique_id"}),
    uses=frozenset({"level", "split"}),
    read=_math_500,
)
