"""What lies beside the packages: nothing imports it, and its pages and recipes have short lines."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.test_walls import ROOT, imports

RESEARCH = ROOT / "research"
WRAPPED = [*RESEARCH.glob("*.md"), *RESEARCH.rglob("*.yaml")]


@pytest.mark.parametrize("folder", ["srt", "train", "eval", "benchmarks", "tests"])
def test_nothing_imports_research(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    assert not [path for path in files if any(name.split(".")[0] == "research" for name in imports(path))]


@pytest.mark.parametrize("file", WRAPPED, ids=lambda path: path.name)
def test_lines_are_short(file: Path) -> None:
    lines = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    assert not [f"{file.name}:{number}" for number, line in lines if len(line) > 120]


def test_every_program_says_how_it_is_run() -> None:
    for path in RESEARCH.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "__main__" in text and path.parent.name != "tests":
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            assert f"python -m {module}" in (ast.get_docstring(ast.parse(text)) or ""), path
