"""The walls of the house: which room may import which, and that ``import srt`` stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {"torch", "transformers", "trl", "peft", "accelerate", "datasets", "deepspeed", "wandb", "matplotlib", "scipy"}


def imports(path: Path, *, top_level_only: bool = False) -> set[str]:
    """Absolute dotted names that a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if top_level_only else list(ast.walk(tree))
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
    return names


def files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def inside(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


@pytest.mark.parametrize(
    ("folder", "forbidden"),
    [
        ("srt", ("train", "eval")),
        ("train", ("eval",)),
        ("eval", ("train",)),
        ("srt/language", ("srt.worlds", "srt.checking")),
        ("srt/llm", ("srt.teaching", "srt.review")),
        ("srt/teaching", ("srt.review",)),
    ],
)
def test_walls(folder: str, forbidden: tuple[str, ...]) -> None:
    assert files(folder)
    for path in files(folder):
        if folder == "srt" and path.parent.name == "cli":
            # The command line may import train and eval, but only inside the command that needs them.
            crossing = {name for name in imports(path, top_level_only=True) if inside(name, *forbidden)}
        else:
            crossing = {name for name in imports(path) if inside(name, *forbidden)}
        assert not crossing, f"{path.relative_to(ROOT)} imports {sorted(crossing)}"


@pytest.mark.parametrize(
    ("folder", "allowed"),
    [
        ("srt/maths", ("srt.maths", "srt.io")),
        ("srt/answers", ("srt.answers", "srt.maths", "srt.io")),
        ("srt/prose", ("srt.prose", "srt.answers", "srt.maths", "srt.language", "srt.io")),
        (
            "srt/prose/faults",
            ("srt.prose.faults",),
        ),  # Reads equations by itself: it measures the readers of the others.
    ],
)
def test_mathematics_answers_prose_in_this_order(folder: str, allowed: tuple[str, ...]) -> None:
    assert files(folder)
    for path in files(folder):
        crossing = {name for name in imports(path) if inside(name, "srt") and not inside(name, *allowed)}
        assert not crossing, f"{path.relative_to(ROOT)} imports {sorted(crossing)}"


def test_srt_imports_nothing_heavy() -> None:
    for path in files("srt"):
        allowed = {"scipy"} if path.parent.name == "statistics" else set()
        # ``srt env`` reports on PyTorch, which it imports inside the command, where it is installed.
        at_top = path.name == "env_command.py"
        heavy = {name for name in imports(path, top_level_only=at_top) if inside(name, *(HEAVY - allowed))}
        assert not heavy, f"{path.relative_to(ROOT)} imports {sorted(heavy)}"


def test_no_file_of_train_or_eval_hides_another_module() -> None:
    """``accelerate launch train/train_srt.py`` puts ``train/`` first on the path."""
    installed = {
        path.stem
        for base in sys.path
        if Path(base).is_dir() and not (Path(base) / "train" / "train_srt.py").is_file()
        for path in Path(base).iterdir()
    }
    taken = sys.stdlib_module_names | (installed - {"train", "eval"})
    for folder in ("train", "eval"):
        for path in (ROOT / folder).iterdir():
            name = path.stem
            if name.startswith("_") or path.suffix not in ("", ".py"):
                continue
            assert name not in taken, f"{folder}/{path.name} hides the module {name}"


def test_import_srt_is_instant() -> None:
    """Under 0.3 s without torch. Seconds of the processor, best of five: a busy machine must not decide it."""
    code = (
        "import sys, time; t = time.process_time(); import srt, srt.io.records; "
        "print(time.process_time() - t, 'torch' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(5)
    ]
    assert all(torch == "False" for _, torch in runs)
    assert min(float(seconds) for seconds, _ in runs) < 0.3
