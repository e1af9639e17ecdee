from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval.backends.backend_registry import BACKENDS
from eval.benchmarks.benchmark_registry import chosen_options, find_benchmark
from eval.evaluation import make_backend
from eval.run.eval_recipe import EvalRecipe, make_eval_recipe
from srt.cli.lazy_commands import load_command
from srt.io.errors import UserError
from train.models.init_model import init_model

RECIPES = sorted((Path(__file__).resolve().parents[3] / "recipes" / "eval").glob("*.yaml"))
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


def test_the_old_name_of_the_server_type_is_read(tmp_path: Path) -> None:
    server = {**GOOD, "backend": "server", "base_url": "http://x/v1"}
    (tmp_path / "r.yaml").write_text("kind_of_server: sglang")
    assert make_eval_recipe(server, tmp_path / "r.yaml").server_type == "sglang"
    assert make_eval_recipe({**server, "kind_of_server": "llama.cpp"}).server_type == "llama.cpp"
    with pytest.raises(UserError, match="kind_of_server"):
        make_eval_recipe({**server, "kind_of_server": "vllm", "server_type": "vllm"})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"tokens": 3, "repeats": 0}, "repeats: .*; tokens: "),
        ({"model": None}, "model"),
        ({"problems": None}, "problems.*data"),
        ({"data": "d"}, "problems.*data"),
        ({"temperature": -1}, "temperature"),
        ({"seed": 2**63}, "seed: .*64 bits"),
        ({"max_new_tokens": 10**30}, "max_new_tokens: .*64 bits"),
        ({"backend": "tpu"}, "backend: 'tpu'.*transformers, vllm, server"),
        ({"backend": "vllm", "batch_size": 4}, "batch_size: .*transformers.*vllm"),
        ({"gpu_memory": 0.5}, "gpu_memory: .*vllm.*transformers"),
        ({"backend": "server"}, "base_url"),
        ({"data": "d", "batch_tokens": 2, "backend": "server"}, "problems, data: .*; base_url: .*; batch_tokens: "),
        ({"backend": "server", "base_url": "http://x/v1", "adapter": "a"}, "adapter"),
    ],
)
def test_faults(change: dict[str, Any], named: str) -> None:
    with pytest.raises(UserError, match=f"^evaluate: .*{named}"):
        make_eval_recipe({**GOOD, **change})


def test_the_keys_of_each_back_end_are_keys_of_a_recipe() -> None:
    for entry in BACKENDS.values():
        assert set(entry.keys) <= EvalRecipe.model_fields.keys()


def test_a_recipe_makes_its_back_end(tmp_path: Path) -> None:
    init_model("llama", ["Who?"], tmp_path / "m", hidden=32, layers=1, heads=2, vocab=300)
    local = make_eval_recipe({**GOOD, "model": str(tmp_path / "m"), "batch_size": 3})
    assert "3 rows" in make_backend(local).description["batching"]
    server = {**GOOD, "backend": "server", "base_url": "http://x/v1", "pictures": False}
    assert not make_backend(make_eval_recipe(server)).reads_pictures
    with pytest.raises(UserError, match="base_url"):
        make_backend(make_eval_recipe({**server, "base_url": "x"}))


def test_every_key_is_an_option_or_is_meant_for_files_alone() -> None:
    options = {parameter.name for parameter in load_command("eval").params}
    in_files = {"dtype", "attention", "timeout_s", "retries", "max_num_seqs", "max_model_len", "enforce_eager"}
    in_files.add("finish_reasons")
    assert EvalRecipe.model_fields.keys() - options == in_files | {"chat_template_kwargs"}
    assert options - EvalRecipe.model_fields.keys() == {"config", "strict", "as_json"}


def test_an_option_of_each_type_reaches_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[EvalRecipe] = []
    monkeypatch.setattr("eval.evaluation.run_evaluation", lambda recipe: seen.append(recipe) or {})
    words = (
        "--model m --problems p.jsonl -o out --backend server --base-url http://a/v1 --base-url http://b/v1"
        " --repeats 3 --temperature 0.5 --ban INFER --no-pictures --kind-of-server sglang --option a=1 --option b=2"
        " --opens-thought"
    )
    load_command("eval").main(words.split(), standalone_mode=False)
    (recipe,) = seen
    assert (recipe.model, recipe.problems, recipe.output) == ("m", Path("p.jsonl"), Path("out"))
    assert recipe.base_url == ["http://a/v1", "http://b/v1"]
    assert (recipe.repeats, recipe.temperature, recipe.ban) == (3, 0.5, "INFER")
    assert (recipe.pictures, recipe.server_type, recipe.opens_thought) == (False, "sglang", True)
    assert recipe.options == {"a": "1", "b": "2"}
    assert recipe.max_new_tokens is None
