"""The plan of the house: no cycle of imports, no crowded folder, no two public classes of one name."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("srt", "train", "eval")
MOST_FILES = 13
"""Modules in one folder, ``__init__`` not counted."""


def strongly_connected(graph: Mapping[str, Set[str]]) -> list[list[str]]:
    """The cycles of ``graph``: its strongly connected components of two nodes or more, and nodes that name themselves.

    Tarjan, SIAM Journal on Computing 1, 1972, p. 146; without recursion.
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for root in graph:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        path: list[tuple[str, Iterator[str]]] = [(root, iter(sorted(graph[root])))]
        while path:
            node, successors = path[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    path.append((successor, iter(sorted(graph[successor]))))
                    break
                if successor in stack:
                    low[node] = min(low[node], index[successor])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == index[node]:
                    component = stack[stack.index(node) :]
                    del stack[stack.index(node) :]
                    if len(component) > 1 or node in graph[node]:
                        found.append(sorted(component))
    return found


@cache
def modules() -> dict[str, tuple[Path, ast.Module]]:
    """File and syntax tree of every module, by dotted name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): (
            path,
            ast.parse(path.read_text(encoding="utf-8")),
        )
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }


def imported(tree: ast.Module, known: Set[str]) -> set[str]:
    """The modules of ``known`` that ``tree`` imports: at the top, inside functions, and for types alone."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            submodules = {f"{module}.{alias.name}" for alias in node.names}
            names |= submodules & known
            if not submodules <= known:
                names.add(module)
    return names & known


def test_tarjan_finds_cycles() -> None:
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": set(), "f": {"f"}, "g": {"h"}, "h": {"g", "e"}}
    assert sorted(strongly_connected(graph)) == [["a", "b", "c"], ["f"], ["g", "h"]]


def test_imports_are_seen_wherever_they_stand() -> None:
    source = """
import x.a
from x import b, name
from x.c import name
if TYPE_CHECKING:
    from x.d import name
def work():
    from x.e import name
"""
    known = {"x", "x.a", "x.b", "x.c", "x.d", "x.e", "x.f"}
    assert imported(ast.parse(source), known) == known - {"x.f"}


def test_no_cycle_of_imports() -> None:
    known = modules()
    graph = {name: imported(tree, known.keys()) for name, (_, tree) in known.items()}
    assert strongly_connected(graph) == []


def test_no_crowded_folder() -> None:
    files = Counter(path.parent for path, _ in modules().values() if path.name != "__init__.py")
    crowded = {str(folder.relative_to(ROOT)): count for folder, count in files.items() if count > MOST_FILES}
    assert not crowded, f"more than {MOST_FILES} modules"


def test_no_two_public_classes_of_one_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for name, (_, tree) in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    clashes = {name: where for name, where in places.items() if len(where) > 1}
    assert not clashes
