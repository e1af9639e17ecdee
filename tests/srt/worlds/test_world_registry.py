"""Nothing but the registries knows a world by name: a new world is one class and one entry."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from srt.worlds.world_registry import WORLDS

ROOT = Path(__file__).resolve().parents[3]
REGISTRIES = {"srt/worlds/world_registry.py", "srt/checking/registry.py", "srt/checking/__init__.py"}


def words(path: Path) -> Iterator[str]:
    """Every name, imported module and text of a file's code; comments and docstrings are not code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Name(word) | ast.Attribute(_, word) | ast.arg(word) | ast.keyword(str(word)):
                yield word
            case ast.FunctionDef(word) | ast.AsyncFunctionDef(word) | ast.ClassDef(word):
                yield word
            case ast.Import(aliases) | ast.ImportFrom(_, aliases):
                yield from (alias.name for alias in aliases)
                yield getattr(node, "module", None) or ""
            case ast.Constant(str(word)) if id(node) not in docstrings:
                yield word


def test_only_the_registries_name_a_world() -> None:
    names = [world.name for world in WORLDS]
    assert {"seating", "views"} <= set(names)
    own = tuple(f"srt/{room}/{name}/" for room in ("worlds", "checking") for name in names)
    forbidden = {type(world).__name__.lower() for world in WORLDS}
    forbidden |= {f"srt.{room}.{name}" for room in ("worlds", "checking") for name in names}
    for package in ("srt", "eval", "train"):
        for path in sorted((ROOT / package).rglob("*.py")):
            where = path.relative_to(ROOT).as_posix()
            if where in REGISTRIES or where.startswith(own):
                continue
            found = {word for word in words(path) if any(part in word.lower() for part in forbidden)}
            assert not found, f"{where} names a world: {sorted(found)}"
