"""``objective: grpo``: TRL's own steps where nothing is added to them, and what is added."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

import train.loop.run_trainer as run_trainer
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.language.prompts import prompt_messages
from tests.train.policy.conftest import Make, by_letters, earned, furthest, weights
from train.loop.preemption import Preempted, StopAtSignal
from train.models.load_model import load_model
from train.models.model_files import load_tokenizer
from train.policy.arguments import make_policy_arguments
from train.policy.policy_trainer import PolicyTrainer, make_policy_trainer
from train.policy.problems import ask, plan_steps
from train.policy.scoring import Scored, score_groups
from train.preflight.before_launch import first_checks
from train.preflight.checklist import run_checklist
from train.preflight.report import PreflightReport
from train.recipe import Recipe
from train.train_policy import train_policy
from train.train_srt import main

LORA = {"r": 4, "alpha": 8}


def trainer_of(recipe: Recipe, **arguments: Any) -> PolicyTrainer:
    tokenizer, grpo = load_tokenizer(recipe.model.path), recipe.objective.grpo
    assert grpo is not None
    asked = ask(recipe, grpo.problems, "train", tokenizer)
    plan = plan_steps(recipe, len(asked), 1)
    settings = make_policy_arguments(recipe, plan)
    for name, value in arguments.items():
        setattr(settings, name, value)
    return make_policy_trainer(recipe, settings, load_model(recipe), tokenizer, asked, plan)


def test_equal_rewards_change_no_bit(grpo: Make, ending: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "train.policy.policy_trainer.score", lambda _, text, reason, __: earned(0.3, cut=reason == "length")
    )
    summary = train_policy(grpo({"credit": "first_fault"}))
    assert [row["grad_norm"] for row in summary.history] == [0, 0]
    assert [row["no_signal"] for row in summary.history] == [1, 1]
    assert furthest(weights(grpo().output), weights(ending)) == 0


@pytest.mark.parametrize("changes", [{}, {"updates": 2, "temperature": 1.3}, {"kl": 0.1}])
@pytest.mark.usefixtures("letters")
def test_credit_by_trace_is_trl_s_own_trainer(
    changes: dict[str, Any], grpo: Make, ending: Path, problems: Path, tmp_path: Path
) -> None:
    """It renders the prompts, samples and rewards by itself; cut texts have no reward there either."""
    recipe = grpo(changes, steps=4, micro_batch=4)
    train_policy(recipe)
    tokenizer = AutoTokenizer.from_pretrained(ending, padding_side="left")
    plan = plan_steps(recipe, 7, 1)
    texts = [
        tokenizer.apply_chat_template(
            [message.model_dump() for message in prompt_messages(problem, "full")],
            tokenize=False,
            add_generation_prompt=True,
        )
        for problem in read_problems(problems).values()
    ]
    assert recipe.objective.grpo is not None
    settings = recipe.objective.grpo

    def reward(completions: list[str], completion_ids: list[list[int]], **_: Any) -> list[float | None]:
        whole = [ids[-1] in theirs.eos_token_ids for ids in completion_ids]
        found = [tokenizer.decode(ids[:-1], skip_special_tokens=True) for ids in completion_ids]
        return [by_letters(None, t, "stop", None).value if w else None for t, w in zip(found, whole, strict=True)]

    theirs = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(ending, attn_implementation="eager"),
        reward_funcs=reward,
        args=GRPOConfig(
            output_dir=str(tmp_path / "trl"),
            max_steps=4,
            per_device_train_batch_size=4,
            gradient_accumulation_steps=2,
            steps_per_generation=2 * settings.updates,
            num_generations=4,
            max_completion_length=24,
            temperature=settings.temperature,
            beta=settings.kl,
            mask_truncated_completions=True,
            shuffle_dataset=False,
            learning_rate=1e-3,
            lr_scheduler_type="constant",
            optim="adamw_torch_fused",
            bf16=False,
            gradient_checkpointing=False,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            seed=0,
        ),
        train_dataset=Dataset.from_dict({"prompt": [texts[at] for at in plan.order]}),
        processing_class=tokenizer,
    )
    theirs.train()
    trained = weights(recipe.output)
    state = {name: value for name, value in theirs.model.state_dict().items() if name in trained}
    assert furthest(trained, weights(ending)) > 1e-3
    assert furthest(trained, state) < 1e-6


@pytest.mark.usefixtures("letters")
def test_credit_by_step_lays_nothing_before_the_fault(grpo: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = first_texts(trainer_of(grpo()), monkeypatch)
    step = first_texts(trainer_of(grpo({"credit": "first_fault"})), monkeypatch)
    assert torch.equal(whole["completion_ids"], step["completion_ids"])
    for text, tokens in zip(whole["advantages"], step["advantages"], strict=True):
        if text >= 0:
            assert (tokens == text).all()
        else:
            blamed = (tokens != 0).nonzero()
            assert 0 < len(blamed) < len(tokens)
            assert (tokens[blamed[0] :] == text).all()
    assert (whole["advantages"] < 0).any()


def first_texts(trainer: PolicyTrainer, monkeypatch: pytest.MonkeyPatch) -> dict[str, torch.Tensor]:
    """What the trainer computes of its first batch of texts, before they are shuffled."""
    kept: list[dict[str, torch.Tensor]] = []
    make = PolicyTrainer._generate_and_score_completions

    def keep(self: PolicyTrainer, inputs: Any) -> Any:
        kept.append(make(self, inputs))
        return kept[-1]

    with monkeypatch.context() as patch:
        patch.setattr(PolicyTrainer, "_generate_and_score_completions", keep)
        trainer.train()
    return kept[0]


def test_a_cut_text_counts_in_no_mean(grpo: Make) -> None:
    trainer = trainer_of(grpo())
    group = [earned(0.5), earned(0.1), earned(0.9, cut=True), earned(0.5, cut=True)]
    alone = [earned(0.5), *[earned(0.5, cut=True)] * 3]
    scored = [Scored(one, 5) for one in (*group, *alone)]
    found = score_groups(scored, 0.1, trainer.grpo, trainer.accelerator)
    assert found.values.isnan().tolist() == [False, False, True, True, False, True, True, True]
    assert (found.figures["no_signal"], found.figures["cut"]) == (0.5, 5 / 8)


@pytest.mark.usefixtures("letters")
def test_a_step_with_nothing_but_cut_texts_teaches_nothing(
    grpo: Make, models: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = grpo({"max_new_tokens": 2}, model={"path": str(models["minimal"]), "attn": "eager"})
    summary = train_policy(recipe)
    assert [row["cut"] for row in summary.history] == [1, 1]
    assert "reward" not in summary.history[0]
    assert furthest(weights(recipe.output), weights(models["minimal"])) == 0
    assert "nothing was learned" in capsys.readouterr().err


@pytest.mark.usefixtures("letters")
def test_weights_that_are_no_numbers_are_one_line(grpo: Make) -> None:
    recipe = grpo(learning_rate=1e300, steps=2)
    with pytest.raises(UserError, match=r"step 1: .*learning_rate"):
        train_policy(recipe)
    assert not list(Path(recipe.output).glob("*.safetensors"))


def test_credit_by_step_is_refused_at_sequence_level(grpo: Make) -> None:
    trainer_of(grpo(), importance_sampling_level="sequence")
    with pytest.raises(UserError, match="importance_sampling_level: sequence"):
        trainer_of(grpo({"credit": "first_fault"}), importance_sampling_level="sequence")


@pytest.mark.usefixtures("letters")
def test_log_probabilities_of_sampling_are_those_of_training(grpo: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = trainer_of(grpo({"temperature": 0.7}))
    drawn: list[Any] = []
    generate = trainer.model.generate

    def keep(*args: Any, **kwargs: Any) -> Any:
        drawn.append(generate(*args, **kwargs, return_dict_in_generate=True, output_scores=True))
        return drawn[-1].sequences

    monkeypatch.setattr(trainer.model, "generate", keep)
    batch = trainer._generate_and_score_completions([{"prompt": str(at // 4)} for at in range(8)])
    ids, mask = batch["completion_ids"], batch["completion_mask"].bool()
    sampled = torch.stack(drawn[0].scores, dim=1).log_softmax(dim=-1).gather(2, ids[:, :, None])[:, :, 0]
    trained, _, _ = trainer._get_per_token_logps_and_entropies(
        trainer.model,
        torch.cat([batch["prompt_ids"], ids], dim=1),
        torch.cat([batch["prompt_mask"], batch["completion_mask"]], dim=1),
        ids.size(1),
    )
    assert mask.sum() > 20
    assert float((sampled - trained)[mask].detach().abs().max()) < 1e-5


@pytest.mark.parametrize(
    ("changes", "top"), [({}, {}), ({"updates": 2, "credit": "first_fault"}, {}), ({"kl": 0.1}, {"lora": LORA})]
)
@pytest.mark.usefixtures("letters")
def test_a_resumed_run_ends_as_one_that_was_not(
    changes: dict[str, Any], top: dict[str, Any], grpo: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train_policy(grpo(changes, **top, steps=6, save_steps=2, output=str(tmp_path / "whole")))
    mark = run_trainer.mark_complete

    def mark_or_break(checkpoint: Path, seconds: float) -> None:
        if checkpoint.name == "checkpoint-4":
            raise KeyboardInterrupt
        mark(checkpoint, seconds)

    broken = grpo(changes, **top, steps=6, save_steps=2, output=str(tmp_path / "broken"))
    with monkeypatch.context() as patch:
        patch.setattr(run_trainer, "mark_complete", mark_or_break)
        with pytest.raises(KeyboardInterrupt):
            train_policy(broken)
    again = train_policy(broken, resume=True)
    assert (again.losses, again.tokens, again.trained_tokens) == (whole.losses, whole.tokens, whole.trained_tokens)
    assert furthest(weights(tmp_path / "whole"), weights(tmp_path / "broken")) == 0
    assert not [name for name in weights(tmp_path / "whole") if ".ref." in name]


@pytest.mark.parametrize("lora", [None, LORA])
@pytest.mark.usefixtures("letters")
def test_samples_are_drawn_in_the_arithmetic_of_training(lora: dict[str, Any] | None, grpo: Make, ending: Path) -> None:
    """Weights that are trained are held in float32, and frozen ones in bfloat16."""
    model = {"path": str(ending), "attn": "eager", "dtype": "bfloat16"}
    summary = train_policy(grpo(model=model, lora=lora, gradient_checkpointing=True, learning_rate=1e-2))
    assert all(0 < row["grad_norm"] < 10 for row in summary.history)


@pytest.mark.usefixtures("letters")
def test_a_run_stops_only_where_its_texts_are_learned_from(grpo: Make) -> None:
    recipe = grpo({"updates": 3}, steps=6)
    with pytest.raises(Preempted) as stopped:
        train_policy(recipe, stop=StopAtSignal(until=1))
    assert stopped.value.step == 3


@pytest.mark.usefixtures("letters")
def test_held_out_problems_are_answered_from_the_start_and_change_nothing(
    grpo: Make, others: Path, tmp_path: Path
) -> None:
    plain = grpo(steps=3, output=str(tmp_path / "plain"))
    watched = grpo({"held_out": str(others)}, steps=3, eval_steps=2, output=str(tmp_path / "watched"))
    train_policy(plain)
    summary = train_policy(watched)
    assert [row["step"] for row in summary.eval_history] == [0, 2, 3]
    assert {"eval_proved_and_right", "eval_code/gap"} <= summary.eval_history[0].keys()
    assert furthest(weights(plain.output), weights(watched.output)) == 0


def test_the_command_dispatches_by_the_objective(
    grpo: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = grpo({"problems": {"world": "seating", "n": 4, "spec": {"scenes": ["booth"], "names": 6}}}, steps=1)
    path = tmp_path / "recipe.yaml"
    path.write_text(yaml.safe_dump(recipe.model_dump(mode="json")))
    assert main(["--config", str(path), "--set", "max_length=400"]) == 0
    printed = capsys.readouterr().out
    assert all(word in printed for word in ("no signal", "judge", "done: 1 steps"))
    assert (Path(recipe.output) / "README.md").exists()


def test_vllm_under_an_adapter_in_bfloat16_is_refused(grpo: Make, ending: Path) -> None:
    with pytest.raises(UserError, match=r"objective\.grpo\.vllm"):
        grpo({"vllm": {}}, lora=LORA, model={"path": str(ending), "dtype": "bfloat16"})


def test_preflight_checks_what_is_asked_and_says_what_it_does_not_try(grpo: Make, tmp_path: Path) -> None:
    recipe = grpo({"max_new_tokens": 60})
    path = tmp_path / "recipe.yaml"
    path.write_text(yaml.safe_dump(recipe.model_dump(mode="json")))

    def report_of(*changes: str) -> PreflightReport:
        first = first_checks(path, changes, None)
        return run_checklist(first, gpu_bytes=None, step=True, progress=lambda *_: nullcontext(lambda _: None))

    report = report_of()
    assert not report.faults
    assert "2 of 2 problems x 4 texts" in report.figures["policy"]["steps"]
    assert any("memory was not estimated" in note for note in report.notes)
    assert ["max_new_tokens" in fault for fault in report_of("max_length=100").faults] == [True]
    assert ["problems" in fault for fault in report_of("objective.grpo.problems=none.jsonl").faults] == [True]
