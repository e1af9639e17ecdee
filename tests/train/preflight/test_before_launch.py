"""What is said of a run before PyTorch is imported and accelerate is started."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from srt.io.errors import UserError
from train.preflight.before_launch import finished_before
from train.recipe import Recipe
from train.run.resume import TrainSummary, claim_folder, kept_by_ctrl_c, mark_complete, write_summary
from train.run.run_manifest import fingerprint, this_attempt

ROOT = Path(__file__).resolve().parents[3]


def finish(chosen: Recipe, processes: int, sharding: str | None = None) -> TrainSummary:
    """Have the output folder say that the run is finished."""
    values = dict.fromkeys(TrainSummary.model_fields, 1) | {"losses": [], "history": [], "eval_history": []}
    summary = TrainSummary.model_validate(values | {"recipe_hash": "h"})
    claim_folder(Path(chosen.output), fingerprint(chosen, processes, sharding), this_attempt())
    write_summary(Path(chosen.output), summary)
    return summary


def test_a_finished_run(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    chosen = recipe(output=str(tmp_path / "run"))
    assert finished_before(chosen, None) is None
    summary = finish(chosen, 1)
    assert finished_before(chosen, None) == summary
    with pytest.raises(UserError, match="seed"):
        finished_before(chosen.model_copy(update={"seed": 7}), None)


@pytest.mark.parametrize(
    ("launch", "processes", "sharding"),
    [("ddp_8gpu", 8, "ddp"), ("fsdp2_8gpu", 8, "fsdp2"), ("zero3_8gpu", 8, "zero3"), ("cpu", 1, "none")],
)
def test_how_it_was_launched(
    launch: str, processes: int, sharding: str, recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    file = ROOT / "configs" / f"{launch}.yaml"
    chosen = recipe(output=str(tmp_path / "run"))
    summary = finish(chosen, processes, sharding)
    assert finished_before(chosen, file) == summary
    with pytest.raises(UserError, match="processes"):
        finished_before(chosen, file, ["--num_processes", "3"])
    # What only accelerate understands is left to it.
    assert finished_before(chosen, file, ["--use_fsdp"]) is None


def test_the_command_starts_no_process(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    chosen = recipe(output=str(tmp_path / "run"))
    finish(chosen, 1)
    file = tmp_path / "recipe.yaml"
    file.write_text(yaml.safe_dump(chosen.model_dump(mode="json")))
    code = (
        "import sys, atexit; from unittest.mock import patch; sys.argv = ['srt', 'train', sys.argv[1]];"
        "atexit.register(lambda: print('torch' in sys.modules));"
        "from srt.cli import main\n"
        "with patch('subprocess.Popen', side_effect=AssertionError('a process')): main()"
    )
    done = subprocess.run([sys.executable, "-c", code, file], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "finished" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"


def test_what_ctrl_c_has_kept(tmp_path: Path) -> None:
    assert "--resume" not in kept_by_ctrl_c(tmp_path)
    (tmp_path / "manifest.json").touch()
    assert "no checkpoint" in kept_by_ctrl_c(tmp_path)
    for step in (9, 10, 11):
        (tmp_path / f"checkpoint-{step}").mkdir()
    mark_complete(tmp_path / "checkpoint-9", 1.0)
    mark_complete(tmp_path / "checkpoint-10", 1.0)
    said = kept_by_ctrl_c(tmp_path)
    assert "checkpoint-10 " in said
    assert "--resume" in said
