"""The config of a run: every fault is one line that names file and key; the shipped recipes have none."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from srt.io.errors import UserError
from srt.teaching.teach_config import load_teach_config
from srt.teaching.teach_prompts import load_teach_prompts

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
    config = load_teach_config(path)
    load_teach_prompts(config.prompts)
    assert config.budget


def test_there_are_recipes() -> None:
    assert {path.name for path in RECIPES.glob("*.yaml")} >= {"openai.yaml", "vllm.yaml"}


def test_one_endpoint_or_several(tmp_path: Path) -> None:
    assert list(load_teach_config(written(tmp_path)).endpoints_by_name) == ["default"]
    two = {"here": {"base_url": "http://h/v1"}, "there": {"base_url": "http://t/v1"}}
    models = {role: {"model": "a", "endpoint": "there"} for role in ("teacher", "reviewer", "checker")}
    config = load_teach_config(written(tmp_path, {"endpoint": None, "endpoints": two, "models": models}))
    assert {config.endpoint_name(choice) for choice in config.choices().values()} == {"there"}


@pytest.mark.parametrize(
    ("change", "keys"),
    [
        ({"modles": {}}, ["modles: ", "models?"]),
        ({"budget": -1}, ["budget: ", "-1"]),
        ({"budget": float("inf")}, ["budget: ", "inf"]),
        ({"models": "gpt"}, ["models: ", "'gpt'"]),
        ({"rounds": 0, "arm": "prose"}, ["rounds: ", "arm: "]),
        ({"prices": {"a": {"input": 1, "output": 2}}}, ["prices: ", "'b'", "models.reviewer"]),
        ({"prices": {"a": {"inptu": 1, "output": 2}}}, ["prices.a.inptu: ", "input?", "prices.a.input: "]),
        ({"describe": True, "prices": {}}, ["models.describer: ", "'a'", "'b'"]),
        ({"endpoints": {"x": {"base_url": "http://x/v1"}}}, ["endpoint, endpoints: "]),
        ({"endpoint": {"base_url": "localhost:8000"}}, ["endpoint.base_url: "]),
        ({"endpoint": {"base_url": "http://x/v1", "in_fligth": 3}}, ["endpoint.in_fligth: ", "in_flight?"]),
        ({"endpoint": None}, ["endpoint, endpoints: "]),
        ({"models": {"teacher": {"model": "a"}}}, ["models.reviewer: ", "models.checker: "]),
        (
            {"models": {r: {"model": "a", "endpoint": "y"} for r in ("teacher", "reviewer", "checker")}},
            ["models.teacher.endpoint: 'y'", "models.checker.endpoint: 'y'", "default"],
        ),
        (
            {"models": {r: {"model": "a", "tempreture": 1} for r in ("teacher", "reviewer", "checker")}},
            ["temperature?"],
        ),
    ],
)
def test_faults(tmp_path: Path, change: dict[str, object], keys: list[str]) -> None:
    with pytest.raises(UserError) as raised:
        load_teach_config(written(tmp_path, change))
    message = str(raised.value)
    assert message.startswith(f"{tmp_path / 'teach.yaml'}: ")
    assert "\n" not in message
    assert [key for key in keys if key not in message] == []


def test_prompts_are_relative_to_the_config_that_names_them(tmp_path: Path) -> None:
    assert load_teach_config(written(tmp_path, {"prompts": "mine"})).prompts == tmp_path / "mine"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "over.yaml").write_text("extends: ../teach.yaml\nrounds: 2\n")
    over = load_teach_config(tmp_path / "sub" / "over.yaml")
    assert over.prompts is not None
    assert over.prompts.resolve() == (tmp_path / "mine").resolve()
    assert over.rounds == 2


def test_what_decides_a_trace(tmp_path: Path) -> None:
    templates = load_teach_prompts(None)
    first = load_teach_config(written(tmp_path)).trace_settings(templates)
    money = load_teach_config(written(tmp_path, {"budget": 3, "currency": "EUR", "seed": 4})).trace_settings(templates)
    assert first == money
    other = load_teach_config(written(tmp_path, {"arm": "cot"})).trace_settings(templates)
    assert {key for key in first if first[key] != other[key]} == {"arm"}
