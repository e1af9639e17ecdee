from __future__ import annotations

import ast
import gc
import importlib.util
import json
import os
import subprocess
import sys
import time
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.gpu import __main__ as command  # noqa: E402
from benchmarks.gpu import benchmark, our_side  # noqa: E402
from benchmarks.gpu.cases import CASES, tiny  # noqa: E402
from benchmarks.gpu.data import Data, make_data  # noqa: E402
from benchmarks.gpu.measure import WARM_UP, Block, OutOfMemory, run_block  # noqa: E402
from benchmarks.gpu.random_weights import made_on  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Data:
    return make_data("qwen2.5-7b", tmp_path_factory.mktemp("text"), 12, tiny=True)


def recipe_of(data: Data, output: Path, steps: int = 3) -> Any:
    settings = tiny(CASES["a"]).sides[0].attempts[0]
    return our_side.our_recipe(data.folder, data.sequences, output, steps, settings)


def run_tiny(case: str, out: Path, *options: str) -> dict[str, Any]:
    arguments = ["-m", "benchmarks.gpu", "--case", case, "--tiny", "--out", str(out), *options]
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "written:" in done.stdout
    return dict(json.loads(out.read_bytes())["cases"][case])


def check_side(told: dict[str, Any], vocabulary: int) -> None:
    assert told["blocks"]
    for block in told["blocks"]:
        assert len(block["steps"]) == 1
        assert block["first_loss"] == pytest.approx(torch.tensor(float(vocabulary)).log().item(), abs=0.5)
    assert told["tokens_per_second"] > 0
    assert told["did_not_fit"] == []
    assert told["tflops"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a", "b"])
def test_ours_against_trl(name: str, tmp_path: Path) -> None:
    case = run_tiny(name, tmp_path / "out.json")
    assert set(case["sides"]) == {"ours", "trl", "trl-tuned"}
    for told in case["sides"].values():
        check_side(told, 1100)
    assert set(case["ratio_to"]) == {"trl", "trl-tuned"}
    assert case["sides"]["ours"]["padding"] == 0
    assert (case["sides"]["trl"]["padding"] > 0) == (name == "b")


@pytest.mark.slow
def test_ours_against_variants_of_ours(tmp_path: Path) -> None:
    case = run_tiny("a", tmp_path / "out.json", "--variants")
    assert set(case["sides"]) == {"ours", "ours-recomputed", "ours-recomputed-2", "ours-casts"}
    for side in case["sides"].values():
        check_side(side, 1100)


@pytest.mark.parametrize("casts", [False, True])
def test_adapters_widen_their_inputs_only_where_asked_to(casts: bool, text: Data, tmp_path: Path) -> None:
    with made_on(CPU):
        trainer = our_side.our_trainer(recipe_of(text, tmp_path / "run"), casts=casts)
    layers = [module for module in trainer.model.modules() if hasattr(module, "cast_input_dtype_enabled")]
    assert layers
    assert {layer.cast_input_dtype_enabled for layer in layers} == {casts}


@pytest.mark.long
def test_full_fine_tuning_of_a_vision_model_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "deep" / "out.json"
    assert benchmark.run(["--case", "c", "--tiny", "--out", str(out)]) == 0
    report = json.loads(out.read_bytes())
    check_side(report["cases"]["c"]["sides"]["ours"], 1100)
    estimated = report["cases"]["c"]["sides"]["ours"]["estimated_gib"]
    assert estimated["weights"] > 0
    assert report["device"]["type"] == "cpu"
    assert "torch" in report["versions"]
    assert str(tmp_path) not in json.dumps(report["cases"])
    assert "case c, ours:" in capsys.readouterr().out


# The numbers of parameters of the published checkpoints, by the size of their safetensors.
@pytest.mark.parametrize(
    ("case", "parameters"), [("a", 7_615_616_512), ("b", 8_292_166_656), ("c", 3_754_622_976)], ids=str
)
def test_the_shapes_are_the_published_ones(case: str, parameters: int) -> None:
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration, Qwen2Config, Qwen2ForCausalLM

    from benchmarks.gpu.shapes import shape_of

    model = CASES[case].model
    config, made = (
        (Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration) if "vl" in model else (Qwen2Config, Qwen2ForCausalLM)
    )
    with torch.device("meta"):
        assert sum(p.numel() for p in made(config(**shape_of(model, tiny=False))).parameters()) == parameters


def test_weights_are_made_in_the_type_that_is_asked_for(text: Data) -> None:
    from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

    before = PreTrainedModel.__dict__["from_pretrained"]
    with made_on(CPU):
        half = AutoModelForCausalLM.from_pretrained(text.folder, dtype=torch.bfloat16)
        config = AutoConfig.from_pretrained(text.folder)
        whole = AutoModelForCausalLM.from_pretrained(text.folder, config=config, dtype=torch.float32)
    assert PreTrainedModel.__dict__["from_pretrained"] is before
    assert {p.dtype for p in half.parameters()} == {torch.bfloat16}
    assert {p.dtype for p in whole.parameters()} == {torch.float32}
    assert half.model.rotary_emb.inv_freq.dtype == torch.float32
    assert whole.model.layers[0].mlp.up_proj.weight.std().item() == pytest.approx(0.02, rel=0.1)
    assert len(half.get_input_embeddings().weight) == 1100  # the shape of config.json, not of the tokenizer


def test_a_block_times_steps_and_leaves_nothing(text: Data, tmp_path: Path) -> None:
    held: list[weakref.ref[Any]] = []

    def build() -> Any:
        trainer = our_side.our_trainer(recipe_of(text, tmp_path / "run", steps=WARM_UP + 5))
        held.append(weakref.ref(trainer.model))
        return trainer

    with made_on(CPU):
        # The deadline is past: one step is timed all the same, and no more.
        block = run_block(build, CPU, time.monotonic(), most=5)
    assert isinstance(block, Block)
    assert len(block.steps) == 1
    plan = our_side.prepare(recipe_of(text, tmp_path / "run", steps=WARM_UP + 1))
    seen = [index for micro in plan.plan.of_step(WARM_UP) for index in micro]
    assert block.steps[0].tokens == sum(len(plan.examples[index].input_ids) for index in seen)
    assert block.peak_allocated_gib is None
    gc.collect()
    assert held[0]() is None, "the next block would find this one's weights in its memory"


def test_what_does_not_fit_is_told_and_the_next_setting_tried(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: Data
) -> None:
    def build() -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate 2 GiB")

    failed = run_block(build, CPU, time.monotonic(), most=1)
    assert failed == OutOfMemory("CUDA out of memory. Tried to allocate 2 GiB")

    case = tiny(CASES["a"])
    side = case.sides[0]._replace(attempts=({"batch_size": 8}, {"batch_size": 4}))
    fits = Block([_step()], 0.0, 0.0, 7.0, None, None, None)
    blocks = iter([failed, fits])
    monkeypatch.setattr(benchmark, "run_block", lambda *_: next(blocks))
    measured = benchmark._Measured(case._replace(sides=(side,)), CPU, True, float("inf"))
    measured._block(side, text, tmp_path, 0.0)
    told = measured.result["sides"]["ours"]
    assert [refused["settings"] for refused in told["did_not_fit"]] == [{"batch_size": 8}]
    assert told["settings"] == {"batch_size": 4}


def _step() -> Any:
    from benchmarks.gpu.measure import Step

    return Step(seconds=2.0, tokens=60, positions=80)


def test_padding_and_speed_of_a_block() -> None:
    block = Block([_step(), _step()], 0.0, 0.0, 7.0, None, None, None)
    assert block.tokens_per_second == 30
    assert block.padding == 0.25


def test_trls_side_knows_nothing_of_ours() -> None:
    tree = ast.parse((ROOT / "benchmarks/gpu/trl_side.py").read_text("utf-8"))
    names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert names
    assert not [name for name in names if name.split(".")[0] in ("srt", "train", "eval", "benchmarks")]


def test_what_is_not_installed_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in ("trl", "peft") else real(name))
    assert command.main() == 2
    told = capsys.readouterr().err.splitlines()
    assert told == ["error: not installed: trl, peft; bash benchmarks/gpu/run.sh installs them"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_nothing_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmark.run(["--case", "a", "--out", str(tmp_path / "out.json")]) == 2
    assert "no GPU" in capsys.readouterr().out
    assert not (tmp_path / "out.json").exists()
