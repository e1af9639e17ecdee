"""The config of a run: every fault is one line that names file and key; the shipped recipes have none."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from srt.errors import UserError
from srt.teaching.config import load_config
from srt.teaching.templates import load_templates

RECIPES = Path(__file__).resolve().parents[3] / "recipes" / "teach"
BASE = """\
endpoint: {base_url: "http://127.0.0.1:8000/v1"}
models:
  teacher: {model: a}
  reviewer: {model: b, temperature: 0}
  checker: {model: a}
prices: {a: {input: 1, output: 2}, b: {input: 0, output: 0}}
"""


def written(folder: Path, change: dict[str, object] | None = None, text: str | None = None) -> Path:
    data = yaml.safe_load(BASE) | (change or {})
    path = folder / "teach.yaml"
    path.write_text(text or yaml.safe_dump({key: value for key, value in data.items() if value is not None}))
    return path


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*.yaml")), ids=lambda path: path.name)
def test_recipes(path: Path) -> None:
    config = load_config(path)
    load_templates(config.prompts)
    assert config.budget


def test_there_are_recipes() -> None:
    assert {path.name for path in RECIPES.glob("*.yaml")} >= {"openai.yaml", "vllm.yaml"}


def test_one_endpoint_or_several(tmp_path: Path) -> None:
    assert list(load_config(written(tmp_path)).endpoints) == ["default"]
    two = {"here": {"base_url": "http://h/v1"}, "there": {"base_url": "http://t/v1"}}
    models = {role: {"model": "a", "endpoint": "there"} for role in ("teacher", "reviewer", "checker")}
    config = load_config(written(tmp_path, {"endpoint": None, "endpoints": two, "models": models}))
    assert {config.endpoint_of(role) for role in config.choices()} == {"there"}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"modles": {}}, "modles: no such key; did you mean 'models'"),
        ({"budget": -1}, "budget: .*greater than or equal to 0"),
        ({"budget": float("inf")}, "budget: .*finite"),
        ({"models": "gpt"}, "models: a mapping of keys was expected"),
        ({"rounds": 0}, "rounds: "),
        ({"arm": "prose"}, "arm: "),
        ({"prices": {"a": {"input": 1, "output": 2}}}, r"prices: there is none for 'b' \(models.reviewer\)"),
        ({"prices": {"a": {"inptu": 1, "output": 2}}}, "prices.a.inptu: no such key; did you mean 'input'"),
        ({"describe": True}, "models.describer: is needed"),
        ({"endpoints": {"x": {"base_url": "http://x/v1"}}}, "either endpoint or endpoints"),
        ({"endpoint": {"base_url": "localhost:8000"}}, "endpoint.base_url: "),
        ({"endpoint": {"base_url": "http://x/v1", "in_fligth": 3}}, "endpoint.in_fligth: .*did you mean 'in_flight'"),
        ({"endpoint": None}, "endpoints: "),
        ({"models": {"teacher": {"model": "a"}}}, "models.reviewer: .*models.checker: "),
        (
            {"models": {r: {"model": "a", "endpoint": "y"} for r in ("teacher", "reviewer", "checker")}},
            "'y' is none of",
        ),
        ({"models": {r: {"model": "a", "tempreture": 1} for r in ("teacher", "reviewer", "checker")}}, "'temperature'"),
    ],
)
def test_faults(tmp_path: Path, change: dict[str, object], fault: str) -> None:
    with pytest.raises(UserError, match=fault) as raised:
        load_config(written(tmp_path, change))
    assert str(raised.value).startswith(str(tmp_path / "teach.yaml"))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: [", "not YAML"),
        ("- a", "a mapping"),
        ("a: *b", "not YAML"),
        ("seed: " + "9" * 5000, "not YAML"),
        ("seed: 2026-13-45", "not YAML"),
        (BASE + "budget: 10\nbudget: 1000\n", "'budget' stands twice"),
        (BASE.replace("b: {input", "a: {input"), "'a' stands twice"),
    ],
)
def test_files_that_are_none(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(UserError, match=fault) as raised:
        load_config(written(tmp_path, text=text))
    assert "\n" not in str(raised.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        load_config(tmp_path / "none.yaml")


def test_prompts_are_relative_to_the_config(tmp_path: Path) -> None:
    assert load_config(written(tmp_path, {"prompts": "mine"})).prompts == tmp_path / "mine"


def test_what_decides_a_trace(tmp_path: Path) -> None:
    templates = load_templates(None)
    first = load_config(written(tmp_path)).what_decides(templates)
    money = load_config(written(tmp_path, {"budget": 3, "currency": "EUR", "seed": 4})).what_decides(templates)
    assert first == money
    other = load_config(written(tmp_path, {"arm": "cot"})).what_decides(templates)
    assert {key for key in first if first[key] != other[key]} == {"arm"}
