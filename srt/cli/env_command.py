"""The command ``env``: what an installation consists of, for reports of bugs."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import srt
from srt.cli.output import JsonFlag, print_summary
from srt.io.errors import one_line

_DISTRIBUTION = "srt-traces"
_OURS = ("srt", "train", "eval")
"""The import names of this toolkit; PyPI's ``srt``, for example, is a library for subtitles."""


def env(as_json: JsonFlag = False) -> None:
    """Print versions, GPUs and optional packages.

    Says so if another distribution owns one of the import names srt, train and eval. Please add the output to reports
    of bugs.

    Example: srt env --json
    """
    clashes = list(_clashes())
    optional = _optional_packages()
    rows: dict[str, Any] = {
        "srt": srt.__version__,
        "folder": str(Path(srt.__file__).parents[1]),
        "python": f"{platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
        "gpus": _gpus() if "torch" in optional else ["unknown without torch"],
        "packages": optional,
        "missing": [name for name in _extras() if name not in optional],
        "import names": clashes or "srt, train and eval are ours",
    }
    if not as_json:
        missing = ", ".join(f"{name} ({_extras()[name]})" for name in rows["missing"])
        rows |= {
            "gpus": "; ".join(rows["gpus"]) or "none",
            "missing": missing or "none",
            "import names": "; ".join(clashes) or rows["import names"],
        }
    print_summary(rows, as_json)


def _extras() -> dict[str, str]:
    """Every optional package, by its name on the package index, with the first extra that brings it."""
    try:
        requirements = importlib.metadata.requires(_DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    found: dict[str, str] = {}
    required = set()
    for requirement in requirements:
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        extra = re.search(r"extra == [\"'](\w+)[\"']", requirement)
        if extra is None:
            required.add(name)
        elif extra[1] not in ("dev", "docs"):
            found.setdefault(name, extra[1])
    return {**{name: extra for name, extra in found.items() if name not in required}, "vllm": "srt eval --backend vllm"}


def _optional_packages() -> dict[str, str]:
    """The optional packages that are installed, with their versions; none of them is imported."""
    found = {}
    for name in _extras():
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _gpus() -> list[str]:
    try:
        from train.preflight.gpus_at_hand import named_gpus

        return named_gpus()
    except Exception as error:  # whatever is wrong with an installation is what this command is for
        return [f"torch cannot be imported: {one_line(str(error))}"]


def _clashes() -> Iterator[str]:
    """A line for each of our import names that another distribution has too, or that Python finds elsewhere."""
    owners = importlib.metadata.packages_distributions()
    root = Path(srt.__file__).resolve().parents[1]
    for name in _OURS:
        for other in sorted({*owners.get(name, ())} - {_DISTRIBUTION}):
            yield f"{name}: the distribution {other} has it too: pip uninstall {other}, or use another environment"
        found = importlib.util.find_spec(name)
        if found is None or found.origin is None or not Path(found.origin).resolve().is_relative_to(root):
            yield f"{name}: Python finds {found.origin if found else 'nothing'}, not {root / name}"
