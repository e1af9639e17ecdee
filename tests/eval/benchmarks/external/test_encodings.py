"""Windows-1252 is taken only for text of Western Europe; a table in another encoding is refused until it is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval.benchmarks.external.western_text import is_western
from srt.io.errors import UserError
from srt.io.records import Problem

Imported = Callable[..., tuple[list[Problem], list[dict[str, Any]], dict[str, Any]]]


@pytest.mark.parametrize(
    "text",
    [
        "Wie groß ist die Fläche in cm², wie lang 5½ m, für 5 € bei 20 °C – größer?",
        "déjà créée à l’école, « mot » où l’on voit 1ère, œuvre",
        "¿Cuál es la opción? ¡Sí! señor, niño, 5 ó 6, nº 5",
        "São Paulo: ações e coração, È vero? perché",
        "smörgås på ö och å, „Würfel“ und ‚Kugel‘, § 5, ±5 µm, 3 × 4 ÷ 2, x² + y² = 90°",
    ],
)
def test_western_text(text: str) -> None:
    assert is_western(text)


@pytest.mark.parametrize(
    ("encoding", "texts"),
    [
        ("gb18030", ["60°", "2 × 3", "5 cm长", "圆", "A点", "第1个"]),
        ("mac_roman", ["x ≤ 3", "“cat”", "it’s", "größe", "école", "30°", "a ≠ b", "√2"]),
        ("cp437", ["größe", "für", "école", "30°", "x²", "½ l"]),
        ("big5", ["這個", "長5", "角A", "度"]),
        ("shift_jis", ["ア", "日本", "角A"]),
        ("cp1250", ["český kůň", "żółw"]),
        ("cp1251", ["вопрос", "да"]),
        ("euc_kr", ["각", "30도"]),
    ],
)
def test_what_other_encodings_look_like(encoding: str, texts: list[str]) -> None:
    assert [text for text in texts if is_western(text.encode(encoding).decode("cp1252", "replace"))] == []


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "big5", "mac_roman", "cp437", "latin-1", "shift_jis", "euc_kr"])
def test_the_encoding_that_is_named_is_read(encoding: str, tmp_path: Path, imported: Imported) -> None:
    question = "Is 30° it?" if encoding in ("mac_roman", "cp437", "latin-1") else "A 角 30°?"
    (tmp_path / "c.csv").write_bytes(f"question,A,B,answer\n{question},5,6,A\n".encode(encoding, "replace"))
    (tmp_path / "c.yaml").write_text(f"{{data: c.csv, encoding: {encoding}}}", "utf-8")
    [problem], _, _ = imported("plain", tmp_path / "c.yaml")
    assert problem.question == question.encode(encoding, "replace").decode(encoding)
    if encoding != "latin-1":
        with pytest.raises(UserError, match="encoding: "):
            imported("plain", tmp_path / "c.csv")


@pytest.mark.parametrize("name", ["rot13", "base64", "idna", "unicode_escape", "utf-7", "klingon", "a\\0b"])
def test_what_is_no_text_encoding_is_refused_by_name(name: str, tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "c.csv").write_text("question,answer\nHow many?,5\n", "utf-8")
    (tmp_path / "c.yaml").write_text(f"{{data: c.csv, encoding: '{name}'}}", "utf-8")
    with pytest.raises(UserError, match="encoding: "):
        imported("plain", tmp_path / "c.yaml")
