"""What answers at once: which modules are not imported for it, and, generously, how long it takes."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from srt.cli.command_table import COMMANDS
from srt.cli.lazy_commands import load_command

HEAVY = {"torch", "transformers", "scipy", "matplotlib", "ray", "datasets", "peft"}
COMMAND_MODULES = {f"srt.cli.{command.function.partition('.')[0]}" for command in COMMANDS.values()}

RUN = """
import atexit, sys
atexit.register(lambda: print("LOADED", *sys.modules, file=sys.stderr))
sys.argv = ["srt", *sys.argv[1:]]
from srt.cli import main
main()
"""


def loaded(*arguments: object, folder: Path) -> tuple[int, str, set[str]]:
    """The exit status of ``srt``, what it says, and the modules that are loaded at its end."""
    done = subprocess.run([sys.executable, "-c", RUN, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    said, _, modules = done.stderr.partition("LOADED ")
    return done.returncode, done.stdout + said, set(modules.split())


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_no_command_is_imported_for_the_list_of_commands(option: str, tmp_path: Path) -> None:
    status, _, modules = loaded(option, folder=tmp_path)
    assert status == 0
    assert not modules & (HEAVY | COMMAND_MODULES | {"numpy", "pydantic", "rich"})


def test_only_the_module_of_a_command_is_imported(tmp_path: Path) -> None:
    _, said, modules = loaded("solve", "--help", folder=tmp_path)
    assert "--plan" in said
    assert modules & COMMAND_MODULES == {"srt.cli.trace_commands"}


def test_version_takes_little_of_the_processor(tmp_path: Path) -> None:
    """Under 0.3 s where it is idle; best of five."""

    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "srt", "--version"], cwd=tmp_path, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(5)) < 0.6


def test_solve_is_imported_without_what_checks_and_builds(tmp_path: Path) -> None:
    code = "import sys; from srt import solve; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "srt.pipeline.solve" in modules
    assert not modules & (HEAVY | {"srt.pipeline.build", "srt.pipeline.check", "srt.prose", "srt.maths", "mpmath"})


def recipe(folder: Path, **changes: object) -> Path:
    values = {
        "model": {"path": "model"},
        "data": "data.jsonl",
        "output": "run",
        "steps": 1,
        "batch_size": 1,
        "learning_rate": 1,
        "max_length": 9,
    }
    file = folder / "recipe.yaml"
    file.write_text(yaml.safe_dump(values | changes))
    return file


def test_what_is_not_there_is_said_without_pytorch(tmp_path: Path) -> None:
    recipe(tmp_path)
    (tmp_path / "data.jsonl").write_text("")
    (tmp_path / "m").mkdir()
    launch = Path(__file__).parents[3] / "configs/cpu.yaml"
    for arguments, word in (
        (["preflight", "nothere.yaml"], "nothere.yaml"),
        (["preflight", "recipe.yaml"], "model.path: model"),
        (["preflight", "recipe.yaml", "--json"], "model.path: model"),
        (["train", "nothere.yaml"], "nothere.yaml"),
        (["train", "recipe.yaml"], "model.path: model"),
        (["train", "recipe.yaml", "--accelerate", launch], "model.path: model"),
        (["train", "recipe.yaml", "--set", "model.path=m", "--set", "data=none.jsonl"], "none.jsonl"),
        (["eval", "--model", "nothere", "--problems", "data.jsonl", "-o", "run"], "nothere"),
        (["eval", "--model", "m", "--problems", "nothere.jsonl", "-o", "run"], "nothere.jsonl"),
        (["eval", "--model", "m", "--benchmark", "hst", "--data", "nothere", "-o", "run"], "nothere"),
    ):
        status, said, modules = loaded(*arguments, folder=tmp_path)
        assert (status, word in said) == (2, True), said
        assert not modules & {"torch", "transformers"}, arguments
    assert not (tmp_path / "run").exists()


def test_the_list_says_what_the_commands_say() -> None:
    for name, command in COMMANDS.items():
        assert load_command(name).help.partition("\n")[0] == command.summary
