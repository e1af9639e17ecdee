"""Problems without options under columns of other names: word problems, competitions, instructions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from srt.corpora.cells.unit_cells import with_unit
from srt.corpora.cells.worked_solutions import behind_final_mark, last_boxed
from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Fields, Layout
from srt.corpora.layouts.named_columns import named_columns


def _problem_answer(row: Mapping[str, Any]) -> Fields:
    picture = row.get("images") or row.get("image")
    return {
        "id": row.get("id"),
        "question": re.sub(r"<image>\s*", "", str(row["problem"])),
        "answer": row["answer"],
        "picture": picture,
        "solution": row.get("solution"),
        "split": row.get("split"),
    }


def _instruction(row: Mapping[str, Any]) -> Fields:
    given, output = str(row.get("input") or "").strip(), str(row["output"]).strip()
    worked = behind_final_mark(output)
    boxed = None if worked else last_boxed(output)
    return {
        "id": row.get("id"),
        "question": f"{row['instruction']}\n\n{given}" if given else row["instruction"],
        "answer": worked[0] if worked else boxed or output,
        "solution": worked[1] if worked else output if boxed else None,
        "split": row.get("split"),
    }


def _olympiad(row: Mapping[str, Any]) -> Fields:
    answers = row["final_answer"]
    if not isinstance(answers, list) or len(answers) != 1:
        raise ItemRefused("no_answer", "final_answer: a list of one answer was expected")
    context = str(row.get("context") or "").strip()
    solution = row.get("solution")
    return {
        "id": row.get("id"),
        "question": f"{context}\n{row['question']}" if context else row["question"],
        "answer": with_unit(answers[0], row.get("unit")),
        "picture": [row[f"image_{number}"] for number in range(1, 10) if row.get(f"image_{number}")],
        "solution": "\n".join(map(str, solution)) if isinstance(solution, list) else solution,
        "category": row.get("subfield"),
    }


FREE_ANSWERS: tuple[Layout, ...] = (
    Layout(
        name="OlympiadBench",
        about="the answer is in final_answer, its unit in unit",
        columns=frozenset({"question", "final_answer"}),
        uses=frozenset({"id", "context", "unit", "solution", "subfield", *(f"image_{n}" for n in range(1, 10))}),
        read=_olympiad,
    ),
    named_columns(
        "SVAMP", "the body goes before the question", question="Question", answer="Answer", context="Body",
        also=("Body",), ident="ID", category="Type",
    ),
    named_columns(
        "AIME", "problem and answer", question="Problem", answer="Answer", also=("Solution",), solution="Solution",
        ident="ID",
    ),
    named_columns(
        "BoolQ", "the passage goes before the question", question="question", answer="answer", context="passage",
        also=("passage",),
    ),
    Layout(
        name="problem and answer",
        about="columns of these names, as in OpenR1-Math, DeepScaleR and Geometry3K",
        columns=frozenset({"problem", "answer"}),
        uses=frozenset({"id", "image", "images", "solution", "split"}),
        read=_problem_answer,
    ),
    Layout(
        name="Alpaca",
        about="the input goes behind the instruction; the output is the answer, or ends with it",
        columns=frozenset({"instruction", "output"}),
        uses=frozenset({"id", "input", "split"}),
        read=_instruction,
    ),
)  # fmt: skip
