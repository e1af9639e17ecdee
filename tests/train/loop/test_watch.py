"""Held-out loss, generations, early stopping and the best checkpoint, in whole runs of tiny models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import TrainerControl, TrainerState

import train.loop.trl_trainer as trl_trainer
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.judging.judge import judge
from srt.language.text import linearize
from srt.worlds.routes.routes_world import RoutesWorld
from tests.train.conftest import make_sequence, problem_of
from train.data.examples import Role
from train.data.token_cache import read_examples
from train.loop.generations import JudgedText, shares, summary_line
from train.loop.held_out import EvaluationSchedule, best_evaluation
from train.models.load_model import load_model
from train.models.model_files import load_tokenizer_and_processor
from train.recipe import Recipe
from train.run.run_manifest import fingerprint
from train.train_srt import train

ALL = {"steps": 6, "logging": {"steps": 1}, "eval_steps": 2}


def weights(output: str) -> dict[str, torch.Tensor]:
    return {
        name: tensor for file in Path(output).glob("*model.safetensors") for name, tensor in load_file(file).items()
    }


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.long
@pytest.mark.parametrize(
    "changes", [{"lora": {"r": 4, "dropout": 0.3}, "micro_batch": 4}, {"pack": 200}], ids=["dropout", "packed"]
)
def test_a_run_that_is_watched_is_the_same_run(
    changes: dict[str, Any], recipe: Callable[..., Recipe], held_out: dict[str, Any], tmp_path: Path
) -> None:
    plain = recipe(output=str(tmp_path / "plain"), **{**ALL, "eval_steps": None}, **changes)
    watched = recipe(output=str(tmp_path / "watched"), **ALL, **held_out, **changes)
    without, with_it = train(plain), train(watched)
    assert with_it.losses == without.losses
    assert same(weights(plain.output), weights(watched.output))
    assert with_it.recipe_hash == without.recipe_hash
    assert [row["step"] for row in with_it.eval_history] == [2, 4, 6]
    assert without.eval_history == []
    rows = list(read_records(tmp_path / "watched" / "generations.jsonl", JudgedText))
    assert [row.step for row in rows] == [2] * 5 + [4] * 5 + [6] * 5


def test_what_is_computed_is_not_counted_as_proved() -> None:
    solid = Problem(id="p", source="s", split="dev", lang="en", question="A box is 3 by 4 by 5. Its volume?")
    texts = {
        "computed": "CORRELATE (1) - the edges are 3, 4 and 5\nINFER #1 (1) - V = 3 * 4 * 5 = 60\nANSWER: 60",
        "refuted": "CORRELATE (1) - the edges are 3, 4 and 5\nINFER #1 (1) - V = 3 * 4 * 5 = 70\nANSWER: 70",
        "unchecked": "CORRELATE (1) - the edges are 3, 4 and 5\nINFER #1 - it is a box\nANSWER: 60",
    }
    walk = RoutesWorld().sampler({"split": "dev"})(0)
    verdicts = [judge(solid, text).code for text in texts.values()]
    assert verdicts == list(texts)
    verdicts.append(judge(walk, linearize(RoutesWorld().solve(walk))).code)
    assert verdicts[-1] == "proved"
    rows = [
        JudgedText(step=1, problem_id="p", text="", answer=None, gold=None, right=verdict == "proved", verdict=verdict)
        for verdict in verdicts
    ]
    assert summary_line(rows) == "generated 4: 1 right, 1 proved, 1 computed"
    assert shares(rows) == {
        "eval_generated/right": 0.25, "eval_generated/proved": 0.25, "eval_generated/computed": 0.25,
    }  # fmt: skip


def test_best_evaluation() -> None:
    losses = [3.0, 2.0, 2.5, 1.95, 2.1]
    log: list[dict[str, float]] = [{"step": 1, "loss": 0.5}]
    log += [{"step": 10 * at, "eval_loss": loss} for at, loss in enumerate(losses, 1)]
    assert best_evaluation(log) == (40, 1.95, 1)
    assert best_evaluation(log, threshold=0.1) == (20, 2.0, 3), "1.95 is not better by more than 0.1"
    assert best_evaluation(log[:1]) is None


@pytest.mark.parametrize(("threshold", "stops_at"), [(0.0, None), (0.1, 5)])
def test_a_threshold_is_about_patience_and_not_about_the_best_step(
    threshold: float, stops_at: int | None, recipe: Any
) -> None:
    """Losses that fall by little: the patience of a threshold ends, and the best step is still the lowest one."""
    changes = {"eval_data": "e.jsonl", "eval_steps": 1, "load_best_model_at_end": True}
    schedule = EvaluationSchedule(recipe(**changes, early_stopping={"patience": 3, "threshold": threshold}))
    state, control = TrainerState(max_steps=100), TrainerControl()
    for step, loss in enumerate([3.0, 2.0, 1.99, 1.98, 1.97], 1):
        state.global_step = step
        state.log_history.append({"step": step, "eval_loss": loss})
        schedule.on_evaluate(None, state, control)  # type: ignore[arg-type]
        assert (state.best_global_step, state.best_metric) == (step, loss)
        assert control.should_training_stop == (step == stops_at)


def test_each_of_the_held_out_tokens_counts_once(recipe: Callable[..., Recipe], held_out: dict[str, Any]) -> None:
    # Eleven sequences in micro-batches of four, and packed rows: the same mean.
    shape: dict[str, Any] = {"steps": 1, "eval_steps": 1, "logging": {"steps": 1}, "learning_rate": 1e-9, "warmup": 0}
    chosen = recipe(**shape, eval_data=held_out["eval_data"], micro_batch=4, loss={"infer": 3.0, "answer": 0.0})
    (row,) = train(chosen).eval_history
    tokenizer, _ = load_tokenizer_and_processor(chosen.model.path)
    examples = read_examples(chosen.model_copy(update={"data": chosen.eval_data}), tokenizer)
    weight = {Role.INFER: 3.0, Role.ANSWER: 0.0, Role.PROMPT: 0.0}
    model, total, weights = load_model(chosen), 0.0, 0.0
    with torch.no_grad():
        for example in examples:  # one by one, from the logits
            ids = torch.tensor(example.input_ids, dtype=torch.long)[None]
            nll = -model(input_ids=ids).logits[0].log_softmax(-1)[:-1].gather(1, ids[0, 1:, None])[:, 0]
            w = torch.tensor([weight.get(Role(int(role)), 1.0) for role in example.roles[1:]])
            total, weights = total + float(w @ nll), weights + float(w.sum())
    assert row["eval_loss"] == pytest.approx(total / weights, rel=1e-5)
    assert {"eval_loss/infer", "eval_accuracy", "eval_accuracy/answer", "eval_entropy/other"} <= row.keys()


class Broken(Exception):
    pass


@pytest.fixture
def overfitting(recipe: Callable[..., Recipe], held_out: dict[str, Any], tmp_path: Path) -> Callable[..., Recipe]:
    """Recipes of runs whose held-out loss falls and then rises: they see two sequences again and again."""
    write_records(tmp_path / "two.jsonl", [make_sequence(number) for number in range(2)])

    def make(**changes: Any) -> Recipe:
        shape = {"steps": 60, "learning_rate": 1e-2, "scheduler": "constant", "warmup": 0, "eval_steps": 4}
        shape |= {"data": str(tmp_path / "two.jsonl"), "batch_size": 2}
        stop = {"early_stopping": {"patience": 2}, "load_best_model_at_end": True, "logging": {"steps": 2}}
        generations = {**held_out["generations"], "steps": 8}
        return recipe(**{**shape, **stop, "eval_data": held_out["eval_data"], "generations": generations, **changes})

    return make


@pytest.mark.long
def test_it_stops_early_and_keeps_the_best(
    overfitting: Callable[..., Recipe],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = overfitting(output=str(tmp_path / "whole"))
    summary = train(whole)
    losses = {int(row["step"]): row["eval_loss"] for row in summary.eval_history}
    best = min(losses, key=losses.__getitem__)
    assert summary.result_step == summary.best_step == best
    assert summary.steps == best + 8 < 60, "two evaluations without a better loss"
    assert f"stopped early after step {best + 8}" in capsys.readouterr().out
    assert not list(tmp_path.glob("whole/checkpoint-*"))
    card = (tmp_path / "whole" / "README.md").read_text(encoding="utf-8")
    assert f"| held-out loss of these weights | {losses[best]:.4f} |" in card
    assert f"| weights after step | {best} (the lowest held-out loss) |" in card
    assert "eval_data: sequences.jsonl" in card, "no folder of this machine"

    # The weights are those of the best step: a run that ends there has the same.
    short = overfitting(output=str(tmp_path / "short"), steps=best, early_stopping=None)
    assert train(short).best_step == best
    assert same(weights(whole.output), weights(short.output))

    # Killed on the way, it decides as the whole run did.
    broken = overfitting(output=str(tmp_path / "broken"), save_steps=best + 6)
    steps = trl_trainer.TraceTrainer.training_step

    def step_or_break(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.state.global_step == best + 7:
            raise Broken
        return steps(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(trl_trainer.TraceTrainer, "training_step", step_or_break)
        with pytest.raises(Broken):
            train(broken)
    assert {path.name for path in tmp_path.glob("broken/checkpoint-*")} == {
        f"checkpoint-{best}",
        f"checkpoint-{best + 6}",
    }
    resumed = train(broken, resume=True)
    assert (resumed.steps, resumed.best_step) == (summary.steps, best)
    assert resumed.eval_history == summary.eval_history
    assert same(weights(whole.output), weights(broken.output))
    files = [tmp_path / name / "generations.jsonl" for name in ("whole", "broken")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_only_what_decides_the_weights_is_in_the_fingerprint(
    recipe: Callable[..., Recipe], held_out: dict[str, Any]
) -> None:
    plain = fingerprint(recipe(), 1)
    looked_at = recipe(**held_out, eval_steps=2, logging={"report_to": "tensorboard"})
    assert fingerprint(looked_at, 1) == plain
    kept = fingerprint(recipe(**held_out, eval_steps=2, load_best_model_at_end=True), 1)
    assert kept.keys() - plain.keys() == {
        "eval_steps",
        "early_stopping",
        "load_best_model_at_end",
        "eval_data (contents)",
    }
    stopping = {"early_stopping": {"patience": 3}}
    assert fingerprint(recipe(**held_out, eval_steps=2, **stopping), 1)["early_stopping.patience"] == 3


def test_what_the_held_out_files_lack_is_said_first(
    recipe: Callable[..., Recipe], held_out: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(
        UserError, match=r"eval_data: no such file: no\.jsonl; generations\.problems: no such file: nop"
    ):
        train(recipe(eval_data="no.jsonl", eval_steps=2, generations={"problems": "nop.jsonl"}))
    write_records(tmp_path / "few.jsonl", [problem_of(7)])
    generations = {"problems": str(tmp_path / "few.jsonl")}
    with pytest.raises(UserError, match=r"generations\.problems: .*few\.jsonl: problem p1.* is not in it"):
        train(recipe(**ALL, eval_data=held_out["eval_data"], generations=generations))
