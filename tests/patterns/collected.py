"""Every regular expression of the three packages that may see a model's text, with how it is used."""

from __future__ import annotations

import ast
import importlib
import re
import types
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
OTHER_TEXTS = (
    "srt.cli", "srt.corpora", "srt.curate", "srt.experiment", "srt.io", "srt.scale", "srt.worlds.seating.writing",
    "srt.worlds.seating.checker.reading.grammar", "eval.backends", "eval.export", "eval.run",
    "eval.benchmarks.external", "eval.benchmarks.space2025", "eval.benchmarks.tables", "train",
)  # fmt: skip
"""Modules that read published corpora, settings, names of files, errors of servers, and wordings of ours."""
_SEARCHES = {"search", "findall", "finditer", "sub", "subn", "split"}
_METHODS = _SEARCHES | {"match", "fullmatch"}


@dataclass
class Collected:
    """``methods`` are of ``search``, ``match`` and ``fullmatch`` those that the pattern is used with."""

    pattern: re.Pattern[str]
    places: list[str] = field(default_factory=list)
    methods: set[str] = field(default_factory=set)


@cache
def collected() -> tuple[Collected, ...]:
    """The patterns of all modules, each once."""
    trees = {module: ast.parse(path.read_text()) for module, path in _modules()}
    uses = _uses(trees)
    found: dict[tuple[str, int], Collected] = {}

    def add(pattern: re.Pattern[Any], place: str, methods: set[str]) -> None:
        if isinstance(pattern.pattern, str):
            one = found.setdefault((pattern.pattern, pattern.flags), Collected(pattern))
            one.places.append(place)
            one.methods |= {"search" if method in _SEARCHES else method for method in methods}

    for module, tree in trees.items():
        loaded = importlib.import_module(module)
        for name in sorted(_assigned(tree)):
            for pattern in _patterns_in(getattr(loaded, name, None)):
                add(pattern, f"{module}.{name}", uses[module, name] or set(_METHODS))
        for call, method in _calls(tree):
            pattern = _value(call.args[0], vars(loaded))
            if isinstance(pattern, str) and method is not None:
                flags = [_value(node, {"re": re}) for node in (*call.args[1:], *(key.value for key in call.keywords))]
                flag = sum(one for one in flags if isinstance(one, re.RegexFlag))
                add(re.compile(pattern, flag), f"{module}:{call.lineno}", {method})
    return tuple(found.values())


def _modules() -> Iterator[tuple[str, Path]]:
    for package in ("srt", "eval", "train"):
        for path in sorted((ROOT / package).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            if (
                not f"{module}.".startswith(tuple(f"{one}." for one in OTHER_TEXTS))
                and "import re\n" in path.read_text()
            ):
                yield module, path


def _patterns_in(value: object) -> Iterator[re.Pattern[Any]]:
    """The patterns in a value of a module: alone, in containers, in classes and objects of ours."""
    todo, seen = [value], set()
    while todo:
        one = todo.pop()
        if id(one) in seen or isinstance(one, (str, bytes, types.ModuleType, types.FunctionType)):
            continue
        seen.add(id(one))
        if isinstance(one, re.Pattern):
            yield one
        elif isinstance(one, dict):
            todo += [*one, *one.values()]
        elif isinstance(one, (list, tuple, set, frozenset)):
            todo += one
        else:
            owner = one if isinstance(one, type) else type(one)
            if owner.__module__.split(".")[0] in ("srt", "eval", "train"):
                todo += [*getattr(one, "__dict__", {}).values()]


def _uses(trees: dict[str, ast.Module]) -> dict[tuple[str, str], set[str]]:
    """The methods of each name of a module; of a container, those that are called on anything else where it is used."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    tops = {module: _assigned(tree) for module, tree in trees.items()}
    for module, tree in trees.items():
        names = {name: (module, name) for name in tops[module]}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in tops:
                names |= {one.asname or one.name: (node.module, one.name) for one in node.names}
        bases: set[int] = set()
        elsewhere: set[str] = set()
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or node.attr not in _METHODS:
                continue
            base = node.value.id if isinstance(node.value, ast.Name) else ""
            if base in names:
                found[names[base]].add(node.attr)
                bases.add(id(node.value))
            elif base != "re" and not isinstance(node.value, ast.Call):
                elsewhere.add(node.attr)
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Name)
                and node.id in names
                and id(node) not in bases
                and isinstance(node.ctx, ast.Load)
            ):
                found[names[node.id]] |= elsewhere
    return found


def _assigned(tree: ast.Module) -> set[str]:
    targets = [one for one in tree.body if isinstance(one, (ast.Assign, ast.AnnAssign))]
    return {
        name.id
        for one in targets
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }


def _calls(tree: ast.Module) -> Iterator[tuple[ast.Call, str | None]]:
    """The calls ``re.search(...)`` and ``re.compile(...).match``; ``None`` for a compiled pattern that has a name."""
    compiled = {
        id(node.value): node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in _METHODS
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
            if of_re and node.func.attr in (*_METHODS, "compile"):
                yield node, compiled.get(id(node)) if node.func.attr == "compile" else node.func.attr


def _value(node: ast.expr, names: dict[str, Any]) -> object:
    """What an expression of literals and names of the module is worth; ``None`` where it needs more."""
    match node:
        case ast.Constant(value):
            return value
        case ast.Name(name):
            return names.get(name)
        case ast.Attribute(ast.Name("re"), name):
            return getattr(re, name)
        case ast.BinOp(left, ast.Add() | ast.BitOr(), right):
            sides = _value(left, names), _value(right, names)
            if None in sides:
                return None
            return sides[0] + sides[1] if isinstance(node.op, ast.Add) else sides[0] | sides[1]  # type: ignore[operator]
        case ast.JoinedStr(parts):
            values = [_value(part, names) for part in parts]
            return None if None in values else "".join(map(str, values))
        case ast.FormattedValue(inner):
            return _value(inner, names)
    return None
