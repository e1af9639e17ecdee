"""The plan of the house: no cycle of imports, no crowded folder, no two public classes of one name, no dead reference.

A reference is a role in a docstring, as ``:func:``, with the name of a module or of something that a module defines.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("srt", "train", "eval")
MOST_FILES = 20
"""Modules in one folder, ``__init__`` not counted."""
DESCRIBED = (*PACKAGES, "benchmarks", "research")
"""The packages whose docstrings are read for references."""
SIDE_BY_SIDE = [["srt.prose.checking.conclusion", "srt.prose.checking.formulas", "srt.prose.checking.numbers"]]
"""Folders side by side that still import each other."""
BOTH_WAYS = {
    "eval.backends.vllm_engines",
    "srt.answers.equality",
    "srt.answers.equality.forms",
    "srt.llm.batches",
    "srt.llm.endpoint",
    "srt.maths.syntax",
    "srt.maths.syntax.lexing",
    "srt.maths.values",
    "srt.prose.checking.conclusion",
    "srt.prose.checking.formulas",
    "srt.prose.checking.numbers",
    "srt.teaching.loop",
    "train.models.families",
}
"""Folders whose parent holds both what they build on and what is built on them. New ones need a folder for one of the
two, as ``eval/benchmarks/definition``."""
REFERENCE = re.compile(r":(mod|func|class|meth|data|exc|attr):`([^`]*)`")


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
def modules(packages: tuple[str, ...] = PACKAGES) -> dict[str, tuple[Path, ast.Module]]:
    """File and syntax tree of every module of ``packages``, by dotted name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): (
            path,
            ast.parse(path.read_text(encoding="utf-8")),
        )
        for package in packages
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


@dataclass
class Definitions:
    """The dotted names of modules and of what they define, found without an import."""

    names: set[str] = field(default_factory=set)
    imports: dict[str, list[str]] = field(default_factory=dict)
    """Where an imported name comes from, by its dotted name in the module that imports it."""
    bases: dict[str, list[str]] = field(default_factory=dict)
    """The base classes by class, as the module of the class names them."""

    def add(self, module: str, scope: str, body: Iterable[ast.AST]) -> None:
        """Add what ``body`` defines in ``scope``, a module or class, also under ``if`` and ``try``."""
        for node in body:
            if isinstance(node, ast.ClassDef):
                name = f"{scope}.{node.name}"
                self.names.add(name)
                self.bases[name] = [f"{module}.{ast.unparse(base)}" for base in node.bases]
                self.add(module, name, node.body)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.names.add(f"{scope}.{node.name}")
                parts = [part for part in ast.walk(node) if isinstance(part, ast.Attribute)]
                made = [part for part in parts if isinstance(part.ctx, ast.Store)]
                self.names |= {f"{scope}.{part.attr}" for part in made if ast.unparse(part.value) == "self"}
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.imports[f"{scope}.{alias.asname or alias.name}"] = [f"{node.module}.{alias.name}"]
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
                self.names |= {f"{scope}.{part.id}" for part in names}
            elif isinstance(node, ast.If | ast.Try):
                self.add(module, scope, ast.iter_child_nodes(node))

    def __contains__(self, dotted: str) -> bool:
        """Whether ``dotted`` is defined where it says, imported there, or inherited by the class that it names."""
        if dotted in self.names:
            return True
        parts = dotted.split(".")
        for count in range(1, len(parts) + 1):
            start, rest = ".".join(parts[:count]), parts[count:]
            origins = self.bases.get(start, []) if start in self.names else self.imports.get(start, [])
            for origin in origins:
                ours = origin.split(".")[0] in DESCRIBED
                if ".".join([origin, *rest]) in self if ours else not rest:
                    return True
        return False


def unresolved(known: Mapping[str, tuple[Path, ast.Module]]) -> list[str]:
    """The references in docstrings of ``known`` that lead nowhere, as ``module: name``.

    ``.name`` is looked up in the package of the module; a name without a package, in the module and its classes, and
    among the classes of all modules. Names of Python and of other libraries are not looked up.
    """
    definitions = Definitions(set(known))
    for name, (_, tree) in known.items():
        definitions.add(name, name, tree.body)
    homes: dict[str, list[str]] = defaultdict(list)
    for place, _, name in (dotted.rpartition(".") for dotted in definitions.bases):
        homes[name].append(place)
    found = []
    for name, (path, tree) in known.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        classes = [other for other in definitions.bases if other.startswith(f"{name}.")]
        for role, target in references(tree):
            dotted = target.removeprefix("~")
            if dotted.startswith("."):
                places = [package + dotted]
            elif dotted.split(".")[0] in DESCRIBED:
                places = [dotted]
            elif hasattr(builtins, dotted) or ("." in dotted and dotted[0].islower()):
                continue
            else:
                places = [f"{place}.{dotted}" for place in (name, *classes, *homes[dotted.split(".")[0]])]
            if not any(place in (known if role == "mod" else definitions) for place in places):
                found.append(f"{name}: {target}")
    return found


def references(tree: ast.Module) -> list[tuple[str, str]]:
    """Role and name of each reference in the docstrings of ``tree``, those of variables included."""
    texts = [
        node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    return [pair for text in texts if isinstance(text, str) for pair in REFERENCE.findall(text)]


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


def test_references_that_lead_nowhere_are_found() -> None:
    library = '''
from json import loads
from srt.other import Base
if True:
    LIMIT: int = 3
class Child(Base):
    field: int
    """As many as :attr:`field`, as :meth:`missing` says."""
    def __init__(self):
        self.made = 1 + self.nowhere
'''
    text = """
''':mod:`.library`, :mod:`srt.other`, :class:`~.library.Child`, :func:`.library.loads`, :data:`.library.LIMIT`,
:attr:`.library.Child.field`, :attr:`.library.Child.made`, :meth:`srt.library.Child.inherited`, :class:`Base`,
:class:`ValueError`, :func:`time.monotonic`; :mod:`.lost`, :mod:`.library.Child`, :meth:`srt.library.Child.lost`,
:class:`~srt.library.Lost`, :func:`lost`, :attr:`.library.Child.nowhere`
'''
"""
    sources = {
        "srt.library": library,
        "srt.other": "class Base:\n    def inherited(self): ...",
        "srt.text": text,
    }
    known = {name: (Path(f"{name}.py"), ast.parse(source)) for name, source in sources.items()}
    assert unresolved(known) == [
        "srt.library: missing",
        "srt.text: .lost",
        "srt.text: .library.Child",
        "srt.text: srt.library.Child.lost",
        "srt.text: ~srt.library.Lost",
        "srt.text: lost",
        "srt.text: .library.Child.nowhere",
    ]


def test_no_reference_leads_nowhere() -> None:
    known = modules(DESCRIBED)
    assert sum(len(references(tree)) for _, tree in known.values()) > 500
    assert unresolved(known) == []


def test_no_cycle_of_imports() -> None:
    known = modules()
    graph = {name: imported(tree, known.keys()) for name, (_, tree) in known.items()}
    assert strongly_connected(graph) == []


def room_of(module: str) -> str:
    """The room that ``module`` is in: a folder of a package (``srt.maths``), or the file itself if it is in none."""
    return ".".join(module.split(".")[:2])


def test_no_two_rooms_import_each_other() -> None:
    """Between the rooms of the three packages, too, data flows one way."""
    known = modules()
    graph: dict[str, set[str]] = {room_of(name): set() for name in known}
    for name, (_, tree) in known.items():
        graph[room_of(name)] |= {room_of(other) for other in imported(tree, known.keys())} - {room_of(name)}
    assert strongly_connected(graph) == []


def folder_of(module: str, path: Path) -> str:
    """The folder that ``module`` is in, by its dotted name."""
    return module if path.name == "__init__.py" else module.rpartition(".")[0]


def folder_imports() -> dict[str, set[str]]:
    """The folders of our packages, each with those that its modules import from."""
    known = modules()
    folders = {name: folder_of(name, path) for name, (path, _) in known.items()}
    graph: dict[str, set[str]] = {folder: set() for folder in folders.values()}
    for name, (_, tree) in known.items():
        graph[folders[name]] |= {folders[other] for other in imported(tree, known.keys())}
    return graph


def beneath(folder: str, parent: str) -> str | None:
    """The folder in ``parent`` that ``folder`` is, or is in; ``None`` for one that is elsewhere."""
    if not folder.startswith(f"{parent}."):
        return None
    return f"{parent}.{folder.removeprefix(f'{parent}.').partition('.')[0]}"


def test_no_two_folders_side_by_side_import_each_other() -> None:
    imports = folder_imports()
    found = []
    for parent in imports:
        beside: dict[str, set[str]] = {child: set() for folder in imports if (child := beneath(folder, parent))}
        for folder, others in imports.items():
            if child := beneath(folder, parent):
                beside[child] |= {other for name in others if (other := beneath(name, parent)) not in (None, child)}
        found += strongly_connected(beside)
    assert [cycle for cycle in found if cycle not in SIDE_BY_SIDE] == []
    assert [cycle for cycle in SIDE_BY_SIDE if cycle not in found] == [], "no cycle any more: take it off the list"


def test_a_folder_and_one_in_it_import_one_way() -> None:
    imports = folder_imports()
    found = set()
    for child in imports:
        parent = child.rpartition(".")[0]
        inside = [folder for folder in imports if folder == child or folder.startswith(f"{child}.")]
        used = not imports.get(parent, set()).isdisjoint(inside)
        if "." in parent and used and any(parent in imports[folder] for folder in inside):
            found.add(child)
    # The folder of a world holds both its entry, over the sub-folders, and its claim language, under them.
    worlds = {folder for folder in found if folder.startswith("srt.worlds.")}
    assert found - worlds - BOTH_WAYS == set()
    assert BOTH_WAYS - found == set(), "one way now: take it off the list"


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
