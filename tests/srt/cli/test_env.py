"""``srt env``: what an installation consists of, and who else claims our import names."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from srt import __version__


def test_what_is_installed(srt: Any) -> None:
    ran = srt("env", "--json")
    assert ran.status == 0
    found = orjson.loads(ran.out)
    assert found["srt"] == __version__
    assert platform.python_version() in found["python"]
    assert found["packages"]["torch"] == importlib.metadata.version("torch")
    assert not {"numpy", "pytest", *found["missing"]} & set(found["packages"])
    shown = srt("env")
    assert shown.status == 0
    assert found["packages"]["transformers"] in shown.out


def test_another_distribution_of_the_same_name(srt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "srt-3.5.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: subtitles\nVersion: 3.5.3\n")
    (info / "top_level.txt").write_text("srt\n")
    monkeypatch.syspath_prepend(tmp_path)
    (said,) = orjson.loads(srt("env", "--json").out)["import names"]
    assert said.startswith("srt: ")
    assert "pip uninstall subtitles" in said


def test_a_folder_that_hides_ours(srt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "eval" else __import__(name).__spec__)
    (said,) = orjson.loads(srt("env", "--json").out)["import names"]
    assert said.startswith("eval: ")


def test_without_pytorch_it_is_not_imported(tmp_path: Path) -> None:
    """Where torch is no installed package, the GPUs are unknown."""
    code = (
        "import importlib.metadata as m, sys; find = m.version\n"
        "def version(name):\n"
        "    if name == 'torch': raise m.PackageNotFoundError(name)\n"
        "    return find(name)\n"
        "m.version = version; sys.argv = ['srt', 'env']; import atexit\n"
        "atexit.register(lambda: print('torch' in sys.modules))\n"
        "from srt.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "unknown without torch" in done.stdout
    assert "torch (train)" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"
