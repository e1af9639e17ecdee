"""What ``make demo`` installs is enough for the demo: the extras ``train`` and ``eval``, and nothing of the others."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import orjson
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
NEEDED = ("train", "eval")
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


def with_requirements(names: set[str]) -> set[str]:
    """The named distributions and all that they need, in lower case; one that is not installed needs nothing."""
    found: set[str] = set()
    while names:
        found |= names
        lines = [line for name in names for line in _requires(name)]
        required = [Requirement(line) for line in lines]
        names = {
            requirement.name.lower()
            for requirement in required
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        } - found
    return found


def _requires(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:
        return []


def test_the_demo_needs_no_other_extra(tmp_path: Path) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {extra: {Requirement(line).name.lower() for line in lines} for extra, lines in extras.items()}
    others = set().union(*named.values()) - with_requirements(set().union(*(named[extra] for extra in NEEDED)))
    hidden = {
        module
        for module, distributions in packages_distributions().items()
        if {name.lower() for name in distributions} <= others
    }
    assert "openai" in hidden
    assert "torch" not in hidden
    (tmp_path / "sitecustomize.py").write_text(HIDE.format(hidden=hidden))  # for each process that the demo starts
    demo = subprocess.run(
        [sys.executable, "-m", "srt", "experiment", ROOT / "recipes" / "demo.yaml", "--tiny"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert demo.returncode == 0, demo.stderr
    (record,) = tmp_path.glob("runs/**/experiment.json")
    assert orjson.loads(record.read_bytes())["name"].endswith(": demo")
    assert list(record.parent.rglob("*.html"))
