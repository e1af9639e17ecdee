"""``objective: dpo``: TRL's loss on our tokens, the same however a step is split, against the model before training."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import orjson
import pytest
import torch
import yaml
from datasets import load_dataset
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM
from trl import DPOConfig, DPOTrainer

from srt.io.errors import UserError
from srt.io.record_writer import write_records
from srt.io.records import Message, Pair
from srt.language.prompts import prompt_ids
from tests.train.conftest import make_sequence
from train.data.batches import plan_batches
from train.data.examples import IGNORED
from train.data.pairs import TokenizedPairs
from train.data.token_cache import read_examples
from train.loop import run_trainer
from train.loop.pair_trainer import PairTrainer, make_pair_trainer
from train.loop.training_arguments import make_arguments
from train.models.load_model import load_model
from train.models.model_files import load_tokenizer
from train.preflight.before_launch import first_checks
from train.preflight.checklist import run_checklist
from train.recipe import Recipe
from train.train_srt import train

Make = Callable[..., Recipe]
LORA = {"r": 4, "alpha": 8}
ROOT = Path(__file__).parents[3]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "SRT_DIE_WITH_PARENT": "1"}


def make_pair(number: int, wrong: str) -> Pair:
    """The sequence of that number, and the same with another answer or, in every third, another step too."""
    sequence = make_sequence(number)
    chosen = sequence.completion[0].content
    rejected = chosen.removesuffix(chosen[-1]) + wrong
    if number % 3 == 0:
        rejected = rejected.replace("right(", "left(right(").replace(") =", ")) =", 1)
    return Pair(
        problem_id=sequence.problem_id,
        arm="srt",
        lang="en",
        prompt=sequence.prompt,
        chosen=sequence.completion,
        rejected=[Message(role="assistant", content=rejected)],
        fault="planted",
    )


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pairs") / "pairs.jsonl"
    write_records(path, [make_pair(number, "D") for number in range(24)])
    return path


@pytest.fixture
def dpo(recipe: Make, pairs: Path) -> Make:
    def make(**changes: Any) -> Recipe:
        return recipe(**{"data": str(pairs), "objective": "dpo", "scheduler": "constant", **changes})

    return make


def trainer_of(recipe: Recipe) -> tuple[PairTrainer, TokenizedPairs]:
    tokenizer = load_tokenizer(recipe.model.path)
    pairs = read_examples(recipe, tokenizer)
    assert isinstance(pairs, TokenizedPairs)
    plan = plan_batches(recipe, pairs, 1)
    arguments = make_arguments(recipe, plan)
    return make_pair_trainer(recipe, arguments, load_model(recipe), tokenizer, pairs, plan), pairs


def weights(output: str) -> dict[str, torch.Tensor]:
    [file] = Path(output).glob("*.safetensors")
    tensors: dict[str, torch.Tensor] = load_file(file)
    return tensors


def assert_close(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor], most: float = 0.0) -> None:
    assert one.keys() == other.keys()
    assert max(float((one[name] - other[name]).abs().max()) for name in one) <= most


def test_the_model_that_is_compared_with_itself_costs_log_2(dpo: Make) -> None:
    recipe = dpo(logging={"steps": 1}, learning_rate=1e-9)
    assert [loss for _, loss in train(recipe).losses] == pytest.approx([math.log(2)] * 6, abs=1e-5)
    card = (Path(recipe.output) / "README.md").read_text()
    assert "by DPO on pairs" in card
    assert "24 pairs (24 of arm `srt`)" in card


def test_a_pair_of_one_text_is_refused(dpo: Make, tmp_path: Path) -> None:
    path = tmp_path / "same.jsonl"
    pair = make_pair(0, "D")
    spaced = [Message(role="assistant", content=f"{pair.chosen[0].content} \n")]
    for rejected in (pair.chosen, spaced):
        write_records(path, [make_pair(1, "D"), pair.model_copy(update={"rejected": rejected})])
        with pytest.raises(UserError, match=r"same\.jsonl.*2.*chosen, rejected"):
            train(dpo(data=str(path)))


def test_preflight_takes_a_step_with_pairs(dpo: Make, tmp_path: Path) -> None:
    file = tmp_path / "dpo.yaml"
    file.write_text(yaml.safe_dump(dpo(output=str(tmp_path / "new")).model_dump(mode="json")))
    first = first_checks(file, (), None)
    report = run_checklist(first, gpu_bytes=None, step=True, progress=lambda *_: nullcontext(lambda _: None))
    assert not report.faults
    assert report.trial is not None
    assert report.trial.loss == pytest.approx(math.log(2), abs=1e-6)


def test_a_pair_without_a_text_is_named(dpo: Make, tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    row = orjson.loads(make_pair(0, "D").model_dump_json())
    row["rejected"][0]["content"] = " "
    path.write_bytes(orjson.dumps(row))
    with pytest.raises(UserError, match=r"empty\.jsonl:1: .*rejected"):
        train(dpo(data=str(path)))


def test_prompts_and_completions_are_those_of_sft_and_of_evaluation(dpo: Make, recipe: Make) -> None:
    tokenizer = load_tokenizer(dpo().model.path)
    pairs, sequences = read_examples(dpo(), tokenizer), read_examples(recipe(), tokenizer)
    assert isinstance(pairs, TokenizedPairs)
    for number in range(len(pairs)):
        chosen, rejected = pairs[number], pairs.rejected[number]
        asked = prompt_ids(tokenizer, make_sequence(number).prompt)
        for example in (chosen, rejected):
            assert example.input_ids[example.labels == IGNORED].tolist() == asked
        assert chosen.input_ids.tolist() == sequences[number].input_ids.tolist()
        assert int(pairs.lengths[number]) == len(chosen.input_ids) + len(rejected.input_ids)


@pytest.mark.parametrize("sft", [0.0, 0.3])
def test_loss_and_gradient_are_those_of_trl_on_the_same_file(
    sft: float, dpo: Make, pairs: Path, models: dict[str, Path], tmp_path: Path
) -> None:
    """TRL reads the file, renders it with the template and makes the tokens by itself."""
    recipe = dpo(batch_size=24, steps=1, objective={"dpo": {"beta": 0.2, "sft": sft}})
    path = models["minimal"]
    theirs = DPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(path, attn_implementation="eager"),
        ref_model=AutoModelForCausalLM.from_pretrained(path, attn_implementation="eager"),
        args=DPOConfig(
            output_dir=str(tmp_path / "trl"),
            per_device_train_batch_size=24,
            beta=0.2,
            loss_type=["sigmoid", "sft"] if sft else ["sigmoid"],
            loss_weights=[1.0, sft] if sft else None,
            report_to="none",
            use_cpu=True,
            gradient_checkpointing=False,
            bf16=False,
        ),
        train_dataset=load_dataset("json", data_files=str(pairs), split="train"),
        processing_class=load_tokenizer(str(path)),
    )
    ours, _ = trainer_of(recipe)
    shift = torch.Generator().manual_seed(0)
    for one, other in zip(ours.model.parameters(), theirs.model.parameters(), strict=True):
        # Away from the reference: there the loss is log 2 whatever beta is.
        noise = 0.05 * torch.randn(one.shape, generator=shift)
        one.data += noise
        other.data += noise
    losses, gradients = [], []
    for trainer in (ours, theirs):
        [batch] = trainer.get_train_dataloader()
        counted = trainer._get_num_items_in_batch([batch], trainer.args.device) if trainer is ours else None
        loss = trainer.compute_loss(trainer.model, trainer._prepare_inputs(batch), num_items_in_batch=counted)
        loss.backward()
        losses.append(float(loss.detach()))
        gradients.append(torch.cat([p.grad.flatten() for p in trainer.model.parameters()]))
    assert abs(losses[0] - math.log(2)) > 1e-3
    assert losses[0] == pytest.approx(losses[1], abs=1e-6)
    assert float((gradients[0] - gradients[1]).abs().max()) < 1e-6


def test_a_step_is_the_same_however_it_is_split(dpo: Make, tmp_path: Path) -> None:
    uneven = []
    for pair in (make_pair(number, "D") for number in range(24)):
        answer = [Message(role="assistant", content=pair.chosen[0].content.rpartition("\n")[2])]
        uneven.append(pair.model_copy(update={"chosen": answer} if pair.problem_id > "p2" else {}))
    write_records(tmp_path / "uneven.jsonl", uneven)
    changes = {"data": str(tmp_path / "uneven.jsonl"), "objective": {"dpo": {"beta": 0.5, "sft": 0.5}}}
    runs = {
        micro: train(dpo(micro_batch=micro, learning_rate=1e-3, output=str(tmp_path / f"{micro}"), **changes))
        for micro in (8, 2)
    }
    losses = [[loss for _, loss in run.losses] for run in runs.values()]
    assert losses[0] == pytest.approx(losses[1], abs=1e-5)
    assert_close(weights(str(tmp_path / "8")), weights(str(tmp_path / "2")), 1e-5)
    assert runs[8].tokens == runs[2].tokens


@pytest.mark.slow
@pytest.mark.parametrize("lora", [None, LORA])
def test_two_processes_are_one(lora: dict[str, int] | None, dpo: Make, tmp_path: Path) -> None:
    changes = {"objective": {"dpo": {"beta": 0.5, "sft": 0.5}}, "learning_rate": 1e-3, "micro_batch": 2, "lora": lora}
    one = train(dpo(output=str(tmp_path / "one"), **changes))
    path = tmp_path / "recipe.yaml"
    path.write_text(yaml.safe_dump(dpo(output=str(tmp_path / "two"), **changes).model_dump(mode="json")))
    command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", "configs/cpu_ddp.yaml"]
    command += ["--main_process_port", "0", "train/train_srt.py", "--config", str(path)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    two = json.loads((tmp_path / "two" / "train.json").read_bytes())
    assert two["processes"] == 2
    assert [loss for _, loss in two["losses"]] == pytest.approx([loss for _, loss in one.losses], abs=1e-6)
    assert_close(weights(str(tmp_path / "one")), weights(str(tmp_path / "two")), 1e-5)


def test_it_learns_to_prefer_and_logs_it(dpo: Make) -> None:
    summary = train(dpo(steps=12, learning_rate=3e-3))
    first, last = summary.history[0], summary.history[-1]
    assert last["rewards/margins"] > first["rewards/margins"] > 0
    assert last["loss"] < first["loss"]


def test_the_reference_of_an_adapter_is_the_model_without_it(dpo: Make, models: dict[str, Path]) -> None:
    recipe = dpo(lora=LORA, learning_rate=1e-2)
    trainer, _ = trainer_of(recipe)
    assert trainer.ref_model is None
    assert list(trainer.model.peft_config) == ["default"]
    trained = {name for name, parameter in trainer.model.named_parameters() if parameter.requires_grad}
    assert trained
    assert all("lora_" in name for name in trained)
    summary = train(recipe)
    assert summary.losses[0][1] < math.log(2)
    assert not [name for name in weights(recipe.output) if ".ref." in name or "lora_" not in name]


def test_a_resumed_run_ends_as_one_that_was_not(dpo: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = train(dpo(save_steps=2, output=str(tmp_path / "whole")))
    mark = run_trainer.mark_complete

    def mark_or_break(checkpoint: Path, seconds: float) -> None:
        if checkpoint.name == "checkpoint-4":
            raise KeyboardInterrupt
        mark(checkpoint, seconds)

    broken = dpo(save_steps=2, output=str(tmp_path / "broken"))
    with monkeypatch.context() as patch:
        patch.setattr(run_trainer, "mark_complete", mark_or_break)
        with pytest.raises(KeyboardInterrupt):
            train(broken)
    assert json.loads((tmp_path / "broken" / "manifest.json").read_bytes())["fingerprint"]["objective.dpo.beta"] == 0.1
    again = train(broken, resume=True)
    assert again.losses == whole.losses
    assert_close(weights(str(tmp_path / "whole")), weights(str(tmp_path / "broken")))


def test_what_both_sides_begin_with_has_no_part_in_it(dpo: Make) -> None:
    trainer, _ = trainer_of(dpo(batch_size=24, steps=1, objective={"dpo": {"beta": 0.5}}))
    for parameter in trainer.model.parameters():
        parameter.data *= 1.1
    [batch] = trainer.get_train_dataloader()
    ids, mask = batch["input_ids"], batch["completion_mask"]
    same = (ids[:24] == ids[24:]).cumprod(dim=1).bool()
    without = {**batch, "completion_mask": mask.masked_fill(same.repeat(2, 1), 0)}
    assert int(without["completion_mask"].sum()) < int(mask.sum()) / 2
    gradients = []
    for inputs in (batch, without):
        trainer.model.zero_grad()
        trainer.compute_loss(trainer.model, trainer._prepare_inputs(inputs)).backward()
        gradients.append(torch.cat([p.grad.flatten() for p in trainer.model.parameters()]))
    assert float(gradients[0].abs().max()) > 1e-3
    assert float((gradients[0] - gradients[1]).abs().max()) < 1e-5


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"gradient_checkpointing": True}, "gradient_checkpointing"),
        ({"lora": {**LORA, "init": "olora"}}, r"lora\.init"),
        ({"lora": {**LORA, "dropout": 0.1}}, r"lora\.dropout"),
        ({"pack": 400}, "pack"),
    ],
)
def test_what_does_not_go_with_pairs(changes: dict[str, Any], key: str, dpo: Make) -> None:
    with pytest.raises(UserError, match=key):
        dpo(**changes)


def test_sequences_are_no_pairs(dpo: Make, data: Path) -> None:
    with pytest.raises(UserError, match=r"srt\.jsonl:1: .*srt pairs"):
        train(dpo(data=str(data)))
