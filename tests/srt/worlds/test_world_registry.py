"""Nothing but the registry knows a world by name; who only checks loads no solver; a checker imports no sibling."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import get_args

import pytest

from srt.io.errors import UserError
from srt.language.faults import Fault
from srt.worlds.world import REFUSALS, Kind, World
from srt.worlds.world_registry import WORLDS, check_offered, world_named, worlds

ROOT = Path(__file__).resolve().parents[3]
REGISTRY = "srt/worlds/world_registry.py"


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


def test_each_entry_names_its_world_and_a_checker() -> None:
    for (name, entry), world in zip(WORLDS.items(), worlds(), strict=True):
        assert isinstance(world, World)
        assert world.name == name
        assert entry.checker
        assert callable(resolve_name(entry.checker))


def test_only_the_registry_names_a_world() -> None:
    assert {"seating", "views"} <= WORLDS.keys()
    own = tuple(f"srt/worlds/{name}/" for name in WORLDS)
    classes = {type(world).__name__ for world in worlds()}
    packages = [f"srt.worlds.{name}" for name in WORLDS]
    for package in ("srt", "eval", "train"):
        for path in sorted((ROOT / package).rglob("*.py")):
            where = path.relative_to(ROOT).as_posix()
            if where == REGISTRY or where.startswith(own):
                continue
            found = {word for word in words(path) if word in classes or any(part in word for part in packages)}
            assert not found, f"{where} names a world: {sorted(found)}"


def own_names(world: World) -> set[str]:
    """What ``world`` offers, or writes into files, beside what every world has."""
    extras = world.extras
    planted = extras.faults().planted if extras.faults else ()
    names = {*world.plans, *world.styles, *extras.splittings, *extras.refusals, *(fault.value for fault in planted)}
    return names - {*World.plans, *World.styles, *REFUSALS, *Fault}


def test_generic_code_names_nothing_that_a_world_offers() -> None:
    """Neither in code nor in help, docstrings or comments; an ordinary word only where it is marked as a name."""
    folders = tuple(f"srt/worlds/{name}/" for name in WORLDS)
    names = {name for world in worlds() for name in own_names(world)}
    assert {"running", "lettered", "another_seat"} <= names
    compound = "|".join(sorted(name for name in names if not name.isalpha()))
    plain = "|".join(sorted(name for name in names if name.isalpha()))
    named = re.compile(rf"\b(?:{compound})\b|``(?:{plain})``|['\"](?:{plain})['\"]|: (?:{plain})$", re.MULTILINE)
    for package in ("srt", "eval", "train"):
        for path in sorted((ROOT / package).rglob("*.py")):
            where = path.relative_to(ROOT).as_posix()
            if not where.startswith(folders):
                variables = {f"``{word}``" for word in words(path)}  # a parameter may be called ``letters``
                found = set(named.findall(path.read_text(encoding="utf-8"))) - variables
                assert not found, f"{where} names what a world offers: {sorted(found)}"


def test_every_world_offers_what_all_have_first_and_says_what_each_is() -> None:
    for world in worlds():
        assert list(world.plans)[: len(World.plans)] == list(World.plans)
        assert list(world.styles)[: len(World.styles)] == list(World.styles)
        about = [*world.plans.values(), *(style.about for style in world.styles.values())]
        about += [*world.extras.refusals.values(), *(one.about for one in world.extras.splittings.values())]
        assert all(line and "\n" not in line for line in about)
        planted = world.extras.faults().planted if world.extras.faults else ()
        assert len(set(planted)) == len(planted)
        assert all(fault.explanation for fault in planted)
        offered = {*world.plans, *world.styles, *world.extras.splittings}
        assert not offered & {name for names in world.extras.retired.values() for name in names}


@pytest.mark.parametrize("kind", ["plan", "text style"])
def test_an_unknown_name_is_answered_with_what_the_world_offers(kind: Kind) -> None:
    for world in worlds():
        offered = list(world.plans if kind == "plan" else world.styles)
        for name in offered:
            check_offered(kind, name, [world])
        with pytest.raises(UserError) as caught:
            check_offered(kind, f"{offered[-1]}x", [world])
        message = str(caught.value)
        assert f"did you mean {offered[-1]!r}?" in message
        assert f"{world.name} offers {', '.join(offered)}" in message
        assert "\n" not in message


def test_a_retired_name_is_answered_with_the_last_commit_that_has_it() -> None:
    retired = [
        (world, kind, name, commit)
        for world in worlds()
        for kind, names in world.extras.retired.items()
        for name, commit in names.items()
    ]
    assert {kind for _, kind, *_ in retired} == set(get_args(Kind))
    for world, kind, name, commit in retired:
        with pytest.raises(UserError, match=rf"^{kind} '{name}': .*{commit}") as caught:
            check_offered(kind, name, [world])
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("world", WORLDS)
def test_checker_and_solver_import_nothing_of_each_other(world: str) -> None:
    """Their agreement is evidence only while they share no code. The package file of a world holds none."""
    folder = ROOT / "srt" / "worlds" / world
    package = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    assert all(isinstance(node, ast.Expr) for node in package.body), f"{folder}/__init__.py holds code"
    checker = sorted((folder / "checker").rglob("*.py"))
    solver = sorted(set(folder.rglob("*.py")) - set(checker))
    assert checker
    assert len(solver) > 1
    own = f"srt.worlds.{world}"
    for path in checker:
        crossing = {
            name for name in imported(path) if inside(name, "srt.worlds") and not inside(name, f"{own}.checker")
        }
        assert not crossing, f"{path.relative_to(ROOT)} imports {sorted(crossing)}"
    for path in solver:
        crossing = {name for name in imported(path) if inside(name, f"{own}.checker", "srt.checking")}
        assert not crossing, f"{path.relative_to(ROOT)} imports {sorted(crossing)}"
    others = {other for other in WORLDS if other != world}
    for path in solver + checker:
        crossing = {name for name in imported(path) if inside(name, *(f"srt.worlds.{other}" for other in others))}
        assert not crossing, f"{path.relative_to(ROOT)} imports another world: {sorted(crossing)}"


def imported(path: Path) -> set[str]:
    """The dotted names of modules that a file imports, wherever the import stands."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
    return names


def inside(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def test_a_process_that_only_checks_loads_no_solver() -> None:
    code = (
        "import sys\n"
        "from srt.checking import check\n"
        "from srt.io.records import Problem\n"
        "from srt.language.trace import Step, Trace\n"
        "problem = Problem(id='p', source='t', split='test', lang='en', question='Which?', choices={'A': 'x'})\n"
        "step = Step(op='INFER', args=('A',), claim='options = {A}')\n"
        "trace = Trace(id='t', problem_id='p', kind='world', lang='en', steps=(step,), answer='A')\n"
        "print(check(problem, trace).steps[0].support)\n"
        "print(*(name for name in sys.modules if name.startswith('srt.worlds.')))\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    verdict, loaded = out.splitlines()
    assert verdict == "unchecked", "every checker was asked"
    for world in WORLDS:
        modules = {name for name in loaded.split() if inside(name, f"srt.worlds.{world}")}
        assert any(inside(name, f"srt.worlds.{world}.checker") for name in modules)
        assert {name for name in modules if not inside(name, f"srt.worlds.{world}.checker")} == {f"srt.worlds.{world}"}


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_recognises_its_own_problems_and_no_others(name: str) -> None:
    sampler = world_named(name).sampler({"split": "train"})
    for index in range(40):
        problem = sampler(index)
        assert [world.name for world in worlds() if world.recognises(problem)] == [name]
