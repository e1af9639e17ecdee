"""Decimal commas and thousands: one reading, or a refusal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from srt.answers.written_form import canonical_text
from srt.io.records import Problem

Imported = Callable[..., tuple[list[Problem], list[dict[str, Any]], dict[str, Any]]]


@pytest.mark.parametrize(
    ("decimal", "question", "printed", "read"),
    [
        (",", "How high is it?", "1.234", "1234"),
        (",", "How long is it?", "10.000 m", "10000 m"),
        (",", "How long is it?", "3,5 m", "3.5 m"),
        (",", "How much?", "1.234,5", "1234.5"),
        (None, "How much?", "1.234,5", "1234.5"),
        (None, "How long?", "1.234.567,25 m", "1234567.25 m"),
        (None, "Which two numbers?", "1.234,5", None),
        (".", "How much?", "1.234,5", None),
        (None, "How many rupees?", "1,23,456", None),
        (",", "How many rupees?", "1,23,456", None),
        (".", "How much?", "0,125", None),
        (".", "How much?", "1,125", "1125"),
        (None, "What are the two prices?", "220,330", None),
        (None, "What is the price?", "220,330", "220330"),
    ],
)
def test_one_reading_or_none(
    decimal: str | None, question: str, printed: str, read: str | None, tmp_path: Path, imported: Imported
) -> None:
    (tmp_path / "d.csv").write_text(f'question,answer\n{question},"{printed}"\nHow many?,7\n', "utf-8")
    mapping = "data: d.csv\n" + (f'decimal: "{decimal}"\n' if decimal else "")
    (tmp_path / "d.yaml").write_text(mapping, "utf-8")
    problems, refused, _ = imported("plain", tmp_path / "d.yaml")
    if read is None:
        assert [one["reason"] for one in refused] == ["ambiguous"]
    else:
        assert [one.answer and canonical_text(one.answer) for one in problems] == [read, "7"]


def test_beside_decimal_commas_a_point_before_three_digits_is_open(tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "d.csv").write_text("question;answer\nHow high?;1.234\nHow wide?;3,5\nHow much?;1.234,00 €\n", "utf-8")
    problems, refused, _ = imported("plain", tmp_path / "d.csv")
    assert [one.answer and canonical_text(one.answer) for one in problems[:1]] == ["3.5"]
    assert "decimal: ','" in refused[0]["detail"]
    assert problems[1].answer is not None
    assert (problems[1].answer.kind, problems[1].answer.value) == ("number", 1234)
