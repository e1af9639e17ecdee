"""Files in published layouts, and what must be read of them, by somebody who had not read the readers.

``expected.json`` has an object for each problem: ``question`` is a part of its question; ``choices``, ``answer`` (of
which ``_also_ok`` are other right readings), ``solution`` (a part), ``images`` and ``image_sizes``, ``hint`` (a part of
the question). ``refused``: the row is refused, and the others are read; ``or_refused``: either is right.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import PIL.Image
import pytest

from srt.io.records import Problem

FILES = Path(__file__).parent / "strangers_files"
COLUMNS = {"id": "Nr", "question": "Aufgabe", "answer": "Lösung", "category": "Thema"}
NAMES = sorted(path.name.removesuffix(".expected.json") for path in FILES.glob("*.expected.json"))


@pytest.mark.parametrize("name", NAMES)
def test_what_strangers_expect_is_read(name: str, tmp_path: Path, imported: Any) -> None:
    shutil.copytree(FILES, tmp_path / "data")
    given = {"columns": COLUMNS} if "german" in name else {}
    problems, refused, _ = imported("plain", tmp_path / "data" / name, **given)
    left = list(problems)
    missing = 0
    for row in json.loads((FILES / f"{name}.expected.json").read_text("utf-8")):
        found = next((one for one in left if row.get("question", "\0") in one.question), None)
        if found is None:
            assert row.get("refused") or row.get("or_refused"), row
            missing += 1
            continue
        left.remove(found)
        assert not row.get("refused")
        assert_read(found, row, tmp_path)
    assert not left
    assert bool(refused) == bool(missing)


def assert_read(problem: Problem, row: dict[str, Any], folder: Path) -> None:
    answer = problem.answer
    assert answer is not None
    value = answer.value[0] if isinstance(answer.value, list) and len(answer.value) == 1 else answer.value
    right = [row["answer"], *row.get("answer_also_ok", [])]
    assert str(value) in right or float(value) in [float(one) for one in right], row
    assert (problem.choices or None) in [row["choices"], *row.get("choices_also_ok", [])]
    assert row.get("solution", "") in (problem.solution or "")
    assert row.get("hint", "") in problem.question
    assert len(problem.images) == row.get("images", 0)
    sizes = [list(PIL.Image.open(folder / image.path).size) for image in problem.images]
    assert sizes == row.get("image_sizes", sizes)
