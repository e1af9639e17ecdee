"""How a recipe says what it minimizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from srt.io.errors import UserError
from train.objective import Dpo, Grpo, Objective
from train.recipe_reader import make_recipe
from train.run.run_manifest import fingerprint

SFT: dict[str, Any] = {
    "model": {"path": "m"},
    "output": "out",
    "data": "d.jsonl",
    "steps": 10,
    "batch_size": 8,
    "learning_rate": 1e-3,
    "max_length": 100,
}
PROBLEMS = {"problems": {"world": "seating", "n": 20}, "max_new_tokens": 40, "samples": 4}
GRPO = {**SFT, "data": None, "objective": {"grpo": PROBLEMS}}


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("sft", Objective()),
        ({"sft": {}}, Objective()),
        ("dpo", Objective(dpo=Dpo())),
        ({"dpo": None}, Objective(dpo=Dpo())),
        ({"dpo": {"beta": 0.5}}, Objective(dpo=Dpo(beta=0.5))),
    ],
)
def test_an_objective_is_a_name_or_a_block(said: object, meant: Objective) -> None:
    assert make_recipe({**SFT, "objective": said}).objective == meant


def test_grpo_needs_problems_and_no_sequences() -> None:
    recipe = make_recipe(GRPO)
    assert (recipe.objective.name, recipe.data) == ("grpo", None)
    assert isinstance(recipe.objective.grpo, Grpo)


def test_the_page_shows_a_whole_block() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "learning-from-verdicts.md").read_text()
    block = page.partition("## GRPO")[2].partition("```yaml\n")[2].partition("```")[0]
    assert make_recipe({"model": {"path": "m"}, "output": "out", **yaml.safe_load(block)}).objective.name == "grpo"


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"objective": "ppo"}, "objective: .*sft, dpo, grpo"),
        ({"objective": None}, "objective: .*sft, dpo, grpo"),
        ({"objective": {"dpo": {}, "grpo": PROBLEMS}}, "objective: "),
        ({"objective": {"grpo": {"problems": {"world": "routes"}}}}, r"recipe: objective\.grpo\.problems\.n: missing$"),
        ({"objective": "grpo"}, r"objective\.grpo\.problems: missing"),
        ({"objective": {"dpo": {"bet": 1}}}, r"objective\.dpo\.bet: .*beta"),
        ({"objective": "dpo", "pack": 200}, "pack: .*dpo"),
        ({"data": "d.jsonl"}, "data: .*grpo"),
        ({"pack": 200}, "pack: .*grpo"),
        ({"batch_size": 6}, r"batch_size: 6 .*objective\.grpo\.samples"),
        ({"max_length": 40}, r"max_length: 40 .*max_new_tokens"),
        ({"eval_steps": 5}, r"objective\.grpo\.held_out, eval_steps"),
        ({"objective": {"grpo": PROBLEMS | {"plan": "walking"}}}, r"objective\.grpo\.plan: .*walking"),
        ({"objective": {"grpo": PROBLEMS | {"text": "anchord"}}}, r"objective\.grpo\.text: .*anchored"),
    ],
)
def test_what_contradicts_an_objective(changes: dict[str, Any], key: str) -> None:
    with pytest.raises(UserError, match=key):
        make_recipe({**GRPO, **changes})


def test_a_run_on_sequences_has_the_fingerprint_that_it_always_had(tmp_path: Any) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "d.jsonl").write_text("")
    recipe = make_recipe({**SFT, "model": {"path": str(tmp_path / "m")}, "data": str(tmp_path / "d.jsonl")})
    assert not [key for key in fingerprint(recipe, 1) if key.startswith("objective")]
