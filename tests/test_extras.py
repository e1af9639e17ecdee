"""An install has what it needs: without extras for making, checking and building traces; with two of them for the demo.

What nothing of an install brings is hidden from the commands, whatever this environment has.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import orjson
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
HIDE = """
import sys
class Hiding:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, *where):
        return None if name.partition(".")[0] in {hidden!r} else self.finder.find_spec(name, *where)
sys.meta_path = [Hiding(finder) for finder in sys.meta_path]
"""


def with_requirements(lines: Iterable[str]) -> set[str]:
    """The distributions that ``lines`` ask for, and all that these need; one that is not installed needs nothing."""
    found: set[str] = set()
    names = _named(lines)
    while names:
        found |= names
        names = _named(line for name in names for line in _requires(name)) - found
    return found


def _named(lines: Iterable[str]) -> set[str]:
    required = [Requirement(line) for line in lines]
    return {
        canonicalize_name(requirement.name)
        for requirement in required
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    }


def _requires(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:
        return []


def hidden_without(*extras: str) -> set[str]:
    """The modules that an install with no other extras than these does not have."""
    here = with_requirements([*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])])
    others = with_requirements(line for lines in EXTRAS.values() for line in lines) - here
    return {
        module
        for module, distributions in packages_distributions().items()
        if {canonicalize_name(name) for name in distributions} <= others
    }


def run(folder: Path, hidden: set[str], *arguments: object) -> None:
    """Run Python in ``folder``, with ``hidden`` modules for it and for each process that it starts."""
    (folder / "sitecustomize.py").write_text(HIDE.format(hidden=hidden))
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{folder}:{ROOT}", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_the_core_needs_no_extra(tmp_path: Path) -> None:
    hidden = hidden_without()
    assert {"openai", "torch", "scipy"} <= hidden
    for command in (
        "generate seating -n 4 -o problems.jsonl",
        "solve problems.jsonl -o traces.jsonl",
        "check traces.jsonl --problems problems.jsonl -o checked.jsonl",
        "build checked.jsonl --problems problems.jsonl -o data",
        "mutate traces.jsonl --problems problems.jsonl -n 4",
        "curate problems.jsonl -o kept.jsonl",
        "gallery views -n 1 -o views.html",
    ):
        run(tmp_path, hidden, "-m", "srt", *command.split())
    run(tmp_path, hidden, "-c", "from srt import Problem, solve, check, build")


@pytest.mark.long
def test_the_demo_needs_no_other_extra(tmp_path: Path) -> None:
    """Those that ``make demo`` installs."""
    hidden = hidden_without("train", "eval")
    assert "openai" in hidden
    assert "torch" not in hidden
    run(tmp_path, hidden, "-m", "srt", "experiment", ROOT / "recipes" / "demo.yaml", "--tiny")
    (record,) = tmp_path.glob("runs/**/experiment.json")
    assert orjson.loads(record.read_bytes())["name"].endswith(": demo")
    assert list(record.parent.rglob("*.html"))
