"""Recipes and launch files are found by name, from a checkout here; from a wheel in tests/test_wheel.py."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from srt.experiment.experiment_reader import load_experiment
from srt.io.bundled_files import find_bundled, no_model_folder
from srt.io.errors import UserError

ROOT = Path(__file__).resolve().parents[3]


def test_a_name_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_bundled(Path("demo"), "recipes") == ROOT / "recipes" / "demo.yaml"
    assert find_bundled(Path("qwen2.5-vl-7b-lora"), "recipes/train").name == "qwen2.5-vl-7b-lora.yaml"
    assert find_bundled(Path("recipes/train/base.yaml"), "recipes") == ROOT / "recipes" / "train" / "base.yaml"
    assert find_bundled(Path("train/base.yaml"), "recipes") == ROOT / "recipes" / "train" / "base.yaml"
    Path("demo").mkdir()  # a folder of that name is no recipe
    assert load_experiment(Path("demo")) == load_experiment(ROOT / "recipes" / "demo.yaml")


def test_the_users_own_file_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("demo", "recipes/demo.yaml"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
        assert find_bundled(Path(name), "recipes") == Path(name)


@pytest.mark.parametrize("path", ["no.yaml", "recipes/no.yaml", "../README.md", str(ROOT / "no")])
def test_what_is_not_there_is_left_to_the_reader(path: str) -> None:
    assert find_bundled(Path(path), "recipes") == Path(path)


def test_an_unknown_name_lists_those_that_there_are() -> None:
    with pytest.raises(UserError, match=r"^demmo: .*demo, demo-long, "):
        find_bundled(Path("demmo"), "recipes")


def test_the_wheel_is_told_of_every_recipe_and_launch_file() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["data-files"]
    carried = {
        Path(target) / file.name: file
        for target, patterns in settings.items()
        for p in patterns
        for file in ROOT.glob(p)
    }
    files = [file for folder in ("recipes", "configs") for file in (ROOT / folder).rglob("*") if file.is_file()]
    assert carried == {Path("share/srt-traces") / file.relative_to(ROOT): file for file in files}


@pytest.mark.parametrize(
    ("folder", "hub_id", "said"),
    [
        (
            "models/Qwen2.5-VL-7B-Instruct",
            None,
            "hf download Qwen/Qwen2.5-VL-7B-Instruct --local-dir models/Qwen2.5-VL",
        ),
        (
            "/data/Meta-Llama-3-8B-Instruct",
            None,
            "hf download meta-llama/Meta-Llama-3-8B-Instruct --local-dir /data/Meta",
        ),
        ("weights", "Org/Base", "hf download Org/Base --local-dir weights$"),
        ("models/nobody-knows", None, "models/nobody-knows: no such folder$"),
        ("Org/Base", None, "hf download Org/Base --local-dir models/Base and give models/Base$"),
    ],
)
def test_a_model_that_is_missing_is_named_as_on_the_hub(folder: str, hub_id: str | None, said: str) -> None:
    assert re.search(said, str(no_model_folder(folder, hub_id=hub_id)))
