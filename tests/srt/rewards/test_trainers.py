"""The reward as TRL and verl call it."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from srt import Problem, linearize, sample, solve
from srt.io.errors import UserError
from srt.io.record_writer import write_records
from srt.language.trace import Trace
from srt.pipeline.build import build_file
from srt.rewards import reward
from srt.rewards.trl_reward import proof_reward
from srt.rewards.verl_reward import compute_score


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    return sample("routes", 4)


@pytest.fixture(scope="module")
def texts(problems: list[Problem]) -> list[str]:
    """A proof, half of one with the answer, the answer alone, and nothing."""
    lines = [linearize(solve(problem)).split("\n") for problem in problems]
    half = lines[1][: len(lines[1]) // 2]
    return ["\n".join(lines[0]), "\n".join([*half, lines[1][-1]]), lines[2][-1], ""]


@pytest.fixture
def built(problems: list[Problem], tmp_path: Path) -> Path:
    write_records(tmp_path / "p.jsonl", problems)
    traces: list[Trace] = [solve(problem) for problem in problems]
    write_records(tmp_path / "t.jsonl", traces)
    return tmp_path


def test_trl_gets_a_value_for_each_completion_and_its_parts(problems: list[Problem], texts: list[str]) -> None:
    column = [problem.model_dump_json() for problem in problems]
    logged: dict[str, Any] = {}
    chats = [[{"role": "assistant", "content": text}] for text in texts]
    columns = {"problem_id": ["?"] * 4, "trainer_state": object(), "environments": None}
    given = {"prompts": ["?"] * 4, "completion_ids": [[5, 2], [5], [2], [5]], "problem": column, **columns}
    values = proof_reward(completions=chats, log_metric=logged.__setitem__, log_extra=logged.__setitem__, **given)
    assert values == [reward(problem, text).value for problem, text in zip(problems, texts, strict=True)]
    assert values[0] == 1.5
    assert 0 < values[1] < 0.5
    assert values[2:] == [0, 0]
    assert logged["code"] == ["proved", "gap", "another_form", "no_answer"]
    assert (logged["proved_and_right"], logged["right"], logged["another_form"], logged["padded"]) == (
        0.25,
        0.75,
        0.25,
        0,
    )
    assert proof_reward(completions=texts, **given) == values
    cut = proof_reward(completions=texts, eos_token_ids={2}, **given)
    assert cut == [1.5, None, 0.0, None], "what was cut is not in the mean of its group"
    with pytest.raises(UserError, match="problem"):
        proof_reward(["?"], [""])
    for bad in ("{bad", None, {"id": "p"}, '{"id": 3}'):
        with pytest.raises(UserError, match=r"^problem: "):
            proof_reward(["?"], [""], problem=[bad])  # type: ignore[list-item]
        with pytest.raises(UserError, match=r"^extra_info\.problem: "):
            compute_score("own", "", "", {"problem": bad})


def test_the_column_that_build_writes_is_the_one_that_is_read(built: Path, problems: list[Problem]) -> None:
    build_file(built / "t.jsonl", built / "p.jsonl", "srt", built / "out", format="trl-grpo")
    rows = [json.loads(line) for line in (built / "out" / "srt.jsonl").read_text().splitlines()]
    assert [Problem.model_validate_json(row["problem"]) for row in rows] == problems
    assert set(rows[0]) == {"prompt", "problem", "problem_id", "images"} - ({"images"} - set(rows[0]))
    assert [message["role"] for message in rows[0]["prompt"]] == ["user"]


def test_verl_gets_the_score_and_numbers(built: Path, problems: list[Problem], texts: list[str]) -> None:
    from pyarrow import parquet

    build_file(built / "t.jsonl", built / "p.jsonl", "srt", built / "v.parquet", format="verl")
    rows = parquet.read_table(built / "v.parquet").to_pylist()

    def score(row: dict[str, Any], text: str) -> dict[str, float]:
        extra = row["extra_info"] | {"num_turns": 1, "rollout_reward_scores": {}}
        assert threading.current_thread() is not threading.main_thread()
        return compute_score(
            data_source=row["data_source"], solution_str=text, ground_truth=row["reward_model"]["ground_truth"],
            extra_info=extra, plan="needed", reward_router_address=None,
        )  # fmt: skip

    with ThreadPoolExecutor(4) as pool:
        scores = list(pool.map(score, rows * 4, texts * 4))
    expected = [reward(problem, text) for problem, text in zip(problems, texts, strict=True)]
    assert [one["score"] for one in scores] == [paid.value for paid in expected] * 4
    assert [one["prefix"] for one in scores[:4]] == [paid.prefix for paid in expected]
    assert all(isinstance(value, float) for one in scores for value in one.values())
    with pytest.raises(UserError, match="extra_info"):
        compute_score("own", "", "", {"index": 0})


def test_trls_own_trainer_takes_a_step(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tiny random Llama, of which one sample in each group is replaced by a proof."""
    import datasets
    import torch
    import transformers
    import trl
    from tokenizers import Tokenizer, models, pre_tokenizers

    build_file(built / "t.jsonl", built / "p.jsonl", "srt", built / "out", format="trl-grpo")
    data: Any = datasets.load_dataset(
        "json", data_files=str(built / "out" / "srt.jsonl"), split="train", cache_dir=str(tmp_path / "cache")
    )
    backend = Tokenizer(models.WordLevel({"<eos>": 0, "<unk>": 1, "A": 2, "B": 3}, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, eos_token="<eos>", pad_token="<eos>", unk_token="<unk>"
    )
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=4, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
            max_position_embeddings=4096, eos_token_id=0, pad_token_id=0,
        )
    )  # fmt: skip
    seen: list[list[float | None]] = []

    def proof_in_each_group(completions: Any, problem: list[str], **given: Any) -> list[float | None]:
        given_texts = list(completions)
        for number in range(0, len(problem), 2):
            given_texts[number] = linearize(solve(Problem.model_validate_json(problem[number])))
        seen.append(proof_reward(completions=given_texts, problem=problem, **given))
        return seen[-1]

    arguments = trl.GRPOConfig(
        output_dir=str(tmp_path / "run"), max_steps=1, per_device_train_batch_size=4, num_generations=2,
        max_completion_length=4, learning_rate=0.1, report_to=[], use_cpu=True, logging_steps=1, bf16=False,
    )  # fmt: skip
    before = model.lm_head.weight.detach().clone()
    trainer = trl.GRPOTrainer(
        model=model, reward_funcs=[proof_in_each_group, partial(proof_reward, plan="legs-first")],
        args=arguments, train_dataset=data, processing_class=tokenizer,
    )  # fmt: skip
    trainer.train()
    assert [values[::2] for values in seen] == [[1.5, 1.5]]
    assert all(value == 0 for value in seen[0][1::2])
    log = trainer.state.log_history[0]
    assert log["rewards/proof_in_each_group/mean"] == pytest.approx(0.75)
    assert log["rewards/proof_reward/mean"] == 0
    assert "proved_and_right" in log
    assert not torch.equal(before, model.lm_head.weight), "a group with a proof in it has a gradient"
