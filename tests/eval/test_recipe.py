from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval.benchmarks import chosen_options, find_benchmark
from eval.recipe import EvalRecipe, make_eval_recipe
from srt.errors import UserError

RECIPES = sorted((Path(__file__).resolve().parents[2] / "recipes" / "eval").glob("*.yaml"))
GOOD = {"model": "m", "output": "run", "problems": "p.jsonl"}


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_those_of_the_repository(path: Path) -> None:
    recipe = make_eval_recipe({}, path)
    assert chosen_options(find_benchmark(recipe.benchmark), recipe.options) is not None


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("{model: m, problems: p.jsonl, output: run, top_p: 0.9, ban: INFER}")
    (tmp_path / "r.yaml").write_text("{extends: base.yaml, temperature: 0.6}")
    recipe = make_eval_recipe({"temperature": 0.1, "arm": "srt", "adapter": None}, tmp_path / "r.yaml")
    assert recipe.generation() == {"temperature": 0.1, "top_p": 0.9, "ban": "INFER"}
    assert (recipe.arm, recipe.adapter, recipe.backend) == ("srt", None, "transformers")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"tokens": 3}, "evaluate: tokens: no such key, known are max_new_tokens"),
        ({"model": None}, "evaluate: model: this is missing"),
        ({"problems": None}, "evaluate: what is asked: problems (a file), or data"),
        ({"data": "d"}, "evaluate: what is asked: problems (a file), or data"),
        ({"temperature": -1}, "evaluate: temperature: "),
        ({"backend": "vllm", "batch_size": 4}, "batch_size: this is for the back end transformers, the run's is vllm"),
        ({"gpu_memory": 0.5}, "gpu_memory: this is for the back end vllm, the run's is transformers"),
        ({"backend": "server"}, "base_url: the server's address is missing"),
        ({"backend": "server", "base_url": "http://x/v1", "adapter": "a"}, "adapter: a server loads its adapters"),
    ],
)
def test_faults(change: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError) as fault:
        make_eval_recipe({**GOOD, **change})
    assert told in str(fault.value)


def test_every_key_has_a_flag_or_stands_for_one() -> None:
    import typer.main

    from srt.cli import _app

    command = typer.main.get_command(_app()).commands["eval"]  # type: ignore[attr-defined]
    flags = {parameter.name for parameter in command.params}
    only_in_recipes = {"dtype", "attention", "timeout_s", "retries"}
    assert set(EvalRecipe.model_fields) - only_in_recipes <= flags | {"output", "options"}
