"""Data flows one way through the rooms of ``train``: each imports only rooms to its left."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TRAIN = Path(__file__).parents[2] / "train"
ORDER = (
    "objective",
    "recipe",
    "recipe_rules",
    "recipe_reader",
    "models",
    "data",
    "run",
    "loop",
    "policy",
    "preflight",
    "train_policy",
    "train_srt",
)


@pytest.mark.parametrize("room", ORDER)
def test_a_room_imports_only_rooms_before_its_own(room: str) -> None:
    files = [TRAIN / f"{room}.py"] if (TRAIN / f"{room}.py").exists() else sorted((TRAIN / room).rglob("*.py"))
    assert files
    for path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        rooms = {module.split(".")[1] for module in modules if module.startswith("train.")}
        later = rooms - set(ORDER[: ORDER.index(room) + 1])
        assert not later, f"{path.relative_to(TRAIN)} imports {sorted(later)}"
