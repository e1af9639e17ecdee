"""Traps in the libraries below: each has a test that fails where our guard is taken away.

:data:`TRAPS` says what each library does if it is let, and which test (here or elsewhere) holds the guard. Those of
generation and scoring are tested with the evaluation.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import yaml
from accelerate.utils import DistributedType
from transformers import AutoConfig

from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Message, Sequence
from train.data.batches import plan_batches
from train.data.examples import IGNORED, Example
from train.data.token_cache import read_examples
from train.loop.sharding import allow_fsdp_on_cpu, check_sharding
from train.loop.training_arguments import make_arguments
from train.loop.trl_trainer import TraceTrainer, make_trainer
from train.models.attention import choose_attention
from train.models.load_model import load_model
from train.models.model_files import load_tokenizer, load_tokenizer_and_processor
from train.recipe import Recipe
from train.recipe_reader import load_recipe
from train.train_srt import train

ROOT = Path(__file__).parents[2]
HERE = "test_traps.py"

TRAPS: dict[str, tuple[str, str]] = {
    "R1-Distill's chat template deletes the trace before </think>": (HERE, "test_the_template_of_r1_deletes_a_trace"),
    "TRL strips columns that it does not know": (HERE, "test_roles_reach_the_loss"),
    "TRL refuses packing and padding_free with pictures": (HERE, "test_pictures_are_packed_beside_trl"),
    "TRL's token counter takes [4, batch, length] for the batch": (HERE, "test_tokens_of_packed_pictures_are_counted"),
    "TRL cuts at 1,024 tokens by default": (HERE, "test_nothing_is_cut_at_the_default_length"),
    "TRL trains on prompt and picture tokens": (HERE, "test_no_prompt_or_picture_token_is_trained_on"),
    "TRL's loss options are about to go": (HERE, "test_nothing_deprecated_of_trl_is_used"),
    "TRL reports runs to its makers": (
        "loop/test_reporting.py",
        "test_wandb_offline_and_tensorboard_get_figures_and_tables_and_nobody_calls_out",
    ),
    "TRL records nothing of what a run is made from": (
        "run/test_run_manifest.py",
        "test_the_fingerprint_has_what_determines_the_weights",
    ),
    "TRL rounds what is trained of a 4-bit model to bfloat16": (
        "models/test_load_model.py",
        "test_trained_weights_of_a_quantized_model_stay_in_float32_in_the_trainer",
    ),
    "models are loaded in float32 by default": (HERE, "test_recipes_for_gpus_say_bfloat16"),
    "bitsandbytes computes in float32 by default": (
        "models/test_load_model.py",
        "test_types_in_which_parameters_are_held",
    ),
    "PEFT has no targets for Qwen2.5-VL, and all-linear reaches the vision tower": (
        "models/test_load_model.py",
        "test_lora_reaches_every_matrix_of_its_part_and_no_other",
    ),
    "an adapter on lm_head raises": ("models/test_load_model.py", "test_all_faults_of_model_and_recipe_at_once"),
    "tied embeddings come apart": ("models/test_load_model.py", "test_tied_embeddings_stay_tied"),
    "frozen embeddings cut the gradients of checkpointed layers": (
        "models/test_load_model.py",
        "test_gradients_flow_through_checkpointed_layers_over_frozen_embeddings",
    ),
    "transformers resumes a vision model without its weights": ("test_resume.py", "test_pictures"),
    "accelerate starts one process for MULTI_CPU": (HERE, "test_no_launch_file_says_multi_cpu"),
    "accelerate makes DDP of FSDP on processors": (HERE, "test_fsdp_on_processors_is_fsdp"),
    "accelerate shards the head of a vision model apart, and the fused head does not call it": (
        "equivalence/test_equivalence.py",
        "test_a_spread_of_the_table",
    ),
    "accelerate sums gradients in bfloat16 under FSDP2": (
        "equivalence/test_equivalence.py",
        "test_same_losses_and_weights",
    ),
    "FSDP2 keeps whole gradients during accumulation": (
        "preflight/test_memory.py",
        "test_what_fsdp2_holds_under_accumulation",
    ),
    "the Trainer saves a whole model in float32": (
        "run/test_final_weights.py",
        "test_a_trained_model_has_the_dtype_of_its_base",
    ),
    "flex attention has no backward on a CPU": (HERE, "test_attention_without_backward_is_refused"),
}
# Guarded and tested with generation and scoring, not here: outputs counted to the first end-of-sequence token, LoRA on
# the vision tower in vLLM, limits of math-verify, letters read out of prose, options picked at random.


def test_every_trap_has_its_test() -> None:
    for file, name in TRAPS.values():
        text = (Path(__file__).parent / file).read_text(encoding="utf-8")
        assert re.search(rf"^def {name}\(", text, re.MULTILINE), f"{file}: {name}"


def parts_of(recipe: Recipe) -> tuple[TraceTrainer, list[Example]]:
    tokenizer, processor = load_tokenizer_and_processor(recipe.model.path)
    examples = read_examples(recipe, tokenizer, processor)
    plan = plan_batches(recipe, examples, 1)
    arguments = make_arguments(recipe, plan)
    model = load_model(recipe)
    return make_trainer(recipe, arguments, model, tokenizer, examples, plan, processor), examples


def test_the_template_of_r1_deletes_a_trace(recipe: Callable[..., Recipe], models: dict[str, Path], data: Path) -> None:
    """The trap is there still; and what is trained on has each operation, and </think> before the answer."""
    tokenizer = load_tokenizer(str(models["r1-distill"]))
    turns = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "<think>INFER #1\n</think>\n\nB"}]
    assert "INFER" not in tokenizer.apply_chat_template(turns, tokenize=False)
    examples = read_examples(recipe(model={"path": str(models["r1-distill"])}, max_length=2000), tokenizer)
    for example, sequence in zip(examples, read_records(data, Sequence), strict=True):
        text = tokenizer.decode(example.labels[example.labels != IGNORED])
        operations, closed, answer = text.partition("</think>")
        content = sequence.completion[0].content
        told = [content[span.start : span.end] for span in sequence.spans]
        assert closed
        assert all(line in operations for line in told[:-1])
        assert told[-1] in answer


@pytest.mark.parametrize("pack", [None, 200])
def test_roles_reach_the_loss(pack: int | None, recipe: Callable[..., Recipe], monkeypatch: Any) -> None:
    seen: list[set[str]] = []
    compute = TraceTrainer.compute_loss

    def spy(self: TraceTrainer, model: Any, inputs: dict[str, torch.Tensor], *args: Any, **kwargs: Any) -> Any:
        seen.append(set(inputs))
        assert inputs["roles"].shape == inputs["labels"].shape
        assert set(inputs["roles"].unique().tolist()) >= {0, 1, 2, 4, 5}
        return compute(self, model, inputs, *args, **kwargs)

    monkeypatch.setattr(TraceTrainer, "compute_loss", spy)
    trainer, _ = parts_of(recipe(steps=1, pack=pack))
    trainer.train()
    assert seen
    assert all(("cu_seq_lens_q" in keys) == (pack is not None) for keys in seen)


def test_pictures_are_packed_beside_trl(vision_recipe: Callable[..., Recipe]) -> None:
    """TRL raises where it is asked to pack pictures; our rows come ready, and it is never asked."""
    trainer, _ = parts_of(vision_recipe(steps=1, pack=800))
    assert not trainer.args.packing
    assert not trainer.args.padding_free
    batch = next(iter(trainer.get_train_dataloader()))
    assert batch["input_ids"].size(0) == 1
    assert batch["position_ids"].shape == (4, *batch["input_ids"].shape)
    assert len(batch["image_grid_thw"]) > 1
    trainer.train()


def test_tokens_of_packed_pictures_are_counted(vision_recipe: Callable[..., Recipe]) -> None:
    trainer, examples = parts_of(vision_recipe(steps=3, batch_size=8, pack=800, logging={"steps": 1}))
    trainer.train()
    assert sum(len(example.input_ids) for example in examples) == trainer.monitor._planned.between(0, 3).tokens
    assert len(trainer.history) == 3
    assert all("num_tokens" not in row for row in trainer.history), "TRL's own count"


def test_nothing_is_cut_at_the_default_length(recipe: Callable[..., Recipe], data: Path, tmp_path: Path) -> None:
    sequence = next(read_records(data, Sequence))
    question = sequence.prompt[0].content
    long = sequence.model_copy(update={"prompt": [Message(role="user", content=f"{question}\n" * 60)]})
    write_records(tmp_path / "long.jsonl", [long])
    trainer, examples = parts_of(recipe(data=str(tmp_path / "long.jsonl"), steps=1, batch_size=1, max_length=4000))
    assert len(examples[0].input_ids) > 1024
    batch = next(iter(trainer.get_train_dataloader()))
    assert batch["input_ids"].shape == (1, len(examples[0].input_ids))
    assert int((batch["labels"] != IGNORED).sum()) == int((examples[0].labels != IGNORED).sum())


def test_no_prompt_or_picture_token_is_trained_on(vision_recipe: Callable[..., Recipe], vision_data: Path) -> None:
    recipe = vision_recipe(steps=3, micro_batch=8)
    tokenizer = load_tokenizer(recipe.model.path)
    completions = {s.completion[0].content + tokenizer.eos_token for s in read_records(vision_data, Sequence)}
    image = tokenizer.convert_tokens_to_ids("<|image_pad|>")
    trainer, _ = parts_of(recipe)
    pictures = 0
    for batch in trainer.get_train_dataloader():
        pictures += int((batch["input_ids"] == image).sum())
        assert not (batch["labels"] == image).any()
        trained = [row[row != IGNORED] for row in batch["labels"]]
        assert {tokenizer.decode(row) for row in trained if len(row)} <= completions
    assert pictures > 100


def test_nothing_deprecated_of_trl_is_used(recipe: Callable[..., Recipe], vision_recipe: Callable[..., Recipe]) -> None:
    with warnings.catch_warnings():
        for category in (FutureWarning, DeprecationWarning):
            warnings.filterwarnings("error", category=category, module=r"trl(\.|$)")
            # TRL warns at the place that calls it, which is ours.
            warnings.filterwarnings("error", category=category, module=r"train(\.|$)")
            warnings.filterwarnings("error", ".*(v2.0.0|SFT|TRL)", category)
        train(recipe(steps=1, save_steps=1))
    trainer, _ = parts_of(vision_recipe(steps=1))
    assert trainer.args.loss_type == "nll"
    assert not trainer.args.use_liger_kernel
    assert not trainer.args.label_smoothing_factor
    assert trainer.compute_loss_func is None


def test_recipes_for_gpus_say_bfloat16() -> None:
    # The small ones are for a CPU too.
    others = ("base.yaml", "small.yaml", "small-grpo.yaml")
    recipes = [path for path in (ROOT / "recipes" / "train").glob("*.yaml") if path.name not in others]
    assert len(recipes) > 3
    for path in recipes:
        assert load_recipe(path).model.dtype == "bfloat16", path


def test_no_launch_file_says_multi_cpu() -> None:
    files = sorted((ROOT / "configs").glob("*.yaml"))
    assert len(files) > 4
    for path in files:
        file = yaml.safe_load(path.read_text(encoding="utf-8"))
        if "distributed_type" in file:
            assert file["distributed_type"] in ("NO", "MULTI_GPU", "FSDP", "DEEPSPEED"), path
            assert (file["num_processes"] == 1) == (file["distributed_type"] == "NO"), path


def test_fsdp_on_processors_is_fsdp(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a run is then is seen in `equivalence/`; here, that it stops where accelerate makes something else."""
    state = SimpleNamespace(distributed_type=DistributedType.MULTI_CPU)
    arguments: Any = SimpleNamespace(distributed_state=state)
    allow_fsdp_on_cpu(arguments)
    assert state.distributed_type is DistributedType.MULTI_CPU, "plain DDP stays what it is"
    monkeypatch.setenv("ACCELERATE_USE_FSDP", "true")
    allow_fsdp_on_cpu(arguments)
    assert state.distributed_type is DistributedType.MULTI_GPU
    trainer: Any = SimpleNamespace(
        is_fsdp_enabled=False,
        is_deepspeed_enabled=False,
        accelerator=SimpleNamespace(distributed_type=DistributedType.MULTI_CPU),
    )
    with pytest.raises(UserError, match=r"distributed_type: FSDP, .* MULTI_CPU"):
        check_sharding(trainer)


@pytest.mark.parametrize("attn", ["flex_attention", "varlen", "flash_attention_2"])
def test_attention_without_backward_is_refused(
    attn: str, recipe: Callable[..., Recipe], models: dict[str, Path]
) -> None:
    if torch.cuda.is_available():
        pytest.skip("only a processor lacks it")
    config = AutoConfig.from_pretrained(models["minimal"])
    with pytest.raises(UserError, match=f"model.attn: {attn} "):
        choose_attention(recipe(model={"path": str(models["minimal"]), "attn": attn}, pack=200), config)
