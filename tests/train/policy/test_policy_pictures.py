"""``objective: grpo`` with a model that reads pictures: what it is shown is what TRL and evaluation show."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from datasets import Dataset
from PIL import Image
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import GRPOConfig, GRPOTrainer

import train.loop.run_trainer as run_trainer
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_writer import write_records
from srt.language.prompts import prompt_messages, render_prompt
from tests.train.conftest import problem_of
from tests.train.policy.conftest import Make, by_letters, furthest, weights
from train.models.load_model import load_model
from train.models.model_files import load_processor
from train.policy.arguments import make_policy_arguments
from train.policy.pictures import PolicyPictures
from train.policy.policy_trainer import PolicyTrainer, make_policy_trainer
from train.policy.problems import ask, plan_steps
from train.preflight.before_launch import first_checks
from train.preflight.checklist import run_checklist
from train.recipe import Recipe
from train.train_policy import train_policy

pytestmark = pytest.mark.usefixtures("letters")


def trainer_of(recipe: Recipe) -> PolicyTrainer:
    assert recipe.objective.grpo is not None
    processor = load_processor(recipe.model.path)
    pictures = PolicyPictures(processor, recipe)
    asked = ask(recipe, recipe.objective.grpo.problems, "train", processor.tokenizer, pictures)
    plan = plan_steps(recipe, len(asked), 1)
    settings = make_policy_arguments(recipe, plan)
    model = load_model(recipe)
    return make_policy_trainer(recipe, settings, model, processor.tokenizer, asked, plan, pictures=pictures)


def opened(path: Path, number: int) -> list[Image.Image]:
    problem = list(read_problems(path).values())[number]
    return [Image.open(path.parent / image.path).convert("RGB") for image in problem.images]


def test_texts_are_drawn_and_learned_from_as_the_model_reads_one_alone(vision: Make, shown: Path, seeing: Path) -> None:
    """Prompt by the processor itself, one text at a time, without padding."""
    trainer = trainer_of(vision())
    batch = trainer._generate_and_score_completions([{"prompt": str(at // 4)} for at in range(8)])
    ids, mask = batch["completion_ids"], batch["completion_mask"].bool()
    found, _, _ = trainer._get_per_token_logps_and_entropies(
        trainer.model,
        torch.cat([batch["prompt_ids"], ids], dim=1),
        torch.cat([batch["prompt_mask"], batch["completion_mask"]], dim=1),
        ids.size(1),
        **{name: batch[name] for name in ("pixel_values", "image_grid_thw", "num_images", "mm_token_type_ids")},
    )
    processor: Any = AutoProcessor.from_pretrained(seeing)
    model = AutoModelForImageTextToText.from_pretrained(seeing, attn_implementation="eager").eval()
    problems = list(read_problems(shown).values())
    for row in range(8):
        problem, pictures = problems[row // 4], opened(shown, row // 4)
        text = render_prompt(processor.tokenizer, prompt_messages(problem, "full", pictures=True), len(pictures))
        read = processor(text=[text], images=[pictures], return_tensors="pt", return_mm_token_type_ids=True)
        written = ids[row][mask[row]]
        prompt = read["input_ids"][0]
        assert batch["prompt_ids"][row][batch["prompt_mask"][row].bool()].tolist() == prompt.tolist()
        kinds = read["mm_token_type_ids"]
        inputs = {
            "input_ids": torch.cat([prompt, written])[None],
            "mm_token_type_ids": torch.cat([kinds, torch.zeros(1, len(written), dtype=kinds.dtype)], dim=1),
            "pixel_values": read["pixel_values"],
            "image_grid_thw": read["image_grid_thw"],
        }
        with torch.no_grad():
            logits = model(**inputs).logits[0, len(prompt) - 1 : -1]
        alone = logits.log_softmax(dim=-1).gather(1, written[:, None])[:, 0]
        assert float((alone - found[row][mask[row]]).detach().abs().max()) < 1e-5


@pytest.mark.parametrize("changes", [{}, {"updates": 2, "kl": 0.1}])
def test_credit_by_trace_is_trl_s_own_trainer(
    changes: dict[str, Any], vision: Make, seeing: Path, shown: Path, tmp_path: Path
) -> None:
    """TRL renders the prompts, opens the pictures, samples and rewards by itself."""
    # All parts learn, as with TRL. Pictures are resized one by one or together, so tiny gradients must stay tiny.
    trained = {"trainable": {"vision": "full", "projector": "full"}, "eps": 1e-3}
    recipe = vision(changes, steps=2, micro_batch=4, **trained)
    train_policy(recipe)
    processor: Any = AutoProcessor.from_pretrained(seeing, padding_side="left")
    plan = plan_steps(recipe, 7, 1)
    problems = list(read_problems(shown).values())
    asked = [[m.model_dump() for m in prompt_messages(one, "full", pictures=True)] for one in problems]
    rows = {"prompt": [asked[at] for at in plan.order], "images": [opened(shown, at) for at in plan.order]}

    def reward(completions: list[Any], completion_ids: list[list[int]], **_: Any) -> list[float | None]:
        whole = [ids[-1] in theirs.eos_token_ids for ids in completion_ids]
        found = [processor.tokenizer.decode(ids[:-1], skip_special_tokens=True) for ids in completion_ids]
        return [by_letters(None, t, "stop", None).value if w else None for t, w in zip(found, whole, strict=True)]

    assert recipe.objective.grpo is not None
    theirs = GRPOTrainer(
        model=AutoModelForImageTextToText.from_pretrained(seeing, attn_implementation="eager"),
        reward_funcs=reward,
        args=GRPOConfig(
            output_dir=str(tmp_path / "trl"),
            max_steps=2,
            per_device_train_batch_size=4,
            gradient_accumulation_steps=2,
            steps_per_generation=2 * recipe.objective.grpo.updates,
            num_generations=4,
            max_completion_length=24,
            beta=recipe.objective.grpo.kl,
            mask_truncated_completions=True,
            shuffle_dataset=False,
            learning_rate=1e-3,
            lr_scheduler_type="constant",
            optim="adamw_torch_fused",
            adam_epsilon=1e-3,
            bf16=False,
            gradient_checkpointing=False,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            seed=0,
        ),
        train_dataset=Dataset.from_dict(rows),
        processing_class=processor,
    )
    theirs.train()
    theirs.save_model(str(tmp_path / "theirs"))
    assert furthest(weights(recipe.output), weights(seeing)) > 1e-4
    assert furthest(weights(recipe.output), weights(tmp_path / "theirs")) < 1e-6


def test_micro_batches_change_nothing_and_the_result_reads_pictures(vision: Make, shown: Path, tmp_path: Path) -> None:
    held_out = shown.parent / "held_out.jsonl"
    one = next(iter(read_problems(shown).values()))
    write_records(held_out, [one.model_copy(update={"id": "new", "question": f"Once more: {one.question}"})])
    whole = vision(output=str(tmp_path / "whole"))
    parts = vision({"held_out": str(held_out)}, eval_steps=2, micro_batch=2, output=str(tmp_path / "parts"))
    train_policy(whole)
    summary = train_policy(parts)
    assert [row["step"] for row in summary.eval_history] == [0, 2]
    assert furthest(weights(whole.output), weights(parts.output)) < 1e-6
    assert load_processor(str(parts.output)).image_processor is not None


def test_an_adapter_learns_from_pictures_and_a_resume_changes_nothing(
    vision: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top: dict[str, Any] = {"lora": {"r": 4, "alpha": 8}, "steps": 4, "save_steps": 2}
    whole = train_policy(vision(**top, output=str(tmp_path / "whole")))
    mark = run_trainer.mark_complete

    def mark_or_break(checkpoint: Path, seconds: float) -> None:
        if checkpoint.name == "checkpoint-4":
            raise KeyboardInterrupt
        mark(checkpoint, seconds)

    broken = vision(**top, output=str(tmp_path / "broken"))
    with monkeypatch.context() as patch:
        patch.setattr(run_trainer, "mark_complete", mark_or_break)
        with pytest.raises(KeyboardInterrupt):
            train_policy(broken)
    assert train_policy(broken, resume=True).losses == whole.losses
    assert furthest(weights(tmp_path / "whole"), weights(tmp_path / "broken")) == 0


def test_what_cannot_be_shown_is_refused(vision: Make, shown: Path, vision_models: dict[str, Path]) -> None:
    bare = shown.parent / "bare.jsonl"
    write_records(bare, [*read_problems(shown).values(), problem_of(20)])
    with pytest.raises(UserError, match=rf"problem {problem_of(20).id}: images"):
        train_policy(vision({"problems": str(bare)}))
    (shown.parent / "elsewhere").mkdir()
    moved = shown.parent / "elsewhere" / "problems.jsonl"
    write_records(moved, read_problems(shown).values())
    with pytest.raises(UserError, match=r"problem .*elsewhere"):
        train_policy(vision({"problems": str(moved)}))
    with pytest.raises(UserError, match=r"model\.path.*Qwen"):
        train_policy(vision(model={"path": str(vision_models["internvl"]), "attn": "eager"}))
    drawn = {"world": "views", "n": 4, "spec": {}}
    with pytest.raises(UserError, match=r"objective\.grpo\.problems: views"):
        train_policy(vision({"problems": drawn}))


def test_preflight_counts_the_tokens_of_pictures(vision: Make, tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text(yaml.safe_dump(vision().model_dump(mode="json")))
    first = first_checks(path, (), None)
    report = run_checklist(first, gpu_bytes=None, step=True, progress=lambda *_: nullcontext(lambda _: None))
    assert not report.faults
    longest = max(len(one.prompt) for one in trainer_of(vision()).asked)
    assert f"{longest} tokens" in report.figures["policy"]["longest prompt"]
