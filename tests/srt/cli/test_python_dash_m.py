"""``python -m srt`` in a folder whose files have the names of modules that it imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

ROOT = Path(__file__).resolve().parents[3]
HIDING = ("eval", "train", "torch", "yaml", "orjson", "typer")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in HIDING:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('imported {name}.py')\n", "utf-8")
    return tmp_path


def run(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("environment", [{}, {"PYTHONSAFEPATH": "1"}], ids=["plain", "safe path"])
def test_nothing_of_the_current_folder_is_imported(folder: Path, environment: dict[str, str]) -> None:
    ran = run(folder, "-m", "srt", "benchmarks", "--json", **environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "solidgeo" in orjson.loads(ran.stdout)


def test_the_folder_of_the_package_itself_stays_on_the_path() -> None:
    """A checkout that is not installed works in its own folder."""
    ran = run(ROOT, "-m", "srt", "benchmarks", "--json", PYTHONPATH="")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_ctrl_c_while_modules_are_loaded_ends_quietly(tmp_path: Path) -> None:
    # Where the tests run in the background, the shell has SIGINT ignored, and Python does not change that.
    heeding = "import os, signal, time\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    interrupting = f"{heeding}os.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n"
    (tmp_path / "typer.py").write_text(interrupting, "utf-8")
    ran = run(tmp_path, "-m", "srt", "benchmarks", PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "")


@pytest.mark.slow
def test_accelerate_launch(folder: Path) -> None:
    accelerate = ("-P", "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "1", "--quiet")
    ran = run(folder, *accelerate, "-m", "srt", "benchmarks", "--json")
    assert ran.returncode == 0, ran.stderr
    assert "solidgeo" in orjson.loads(ran.stdout)
