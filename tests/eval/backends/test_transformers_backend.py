"""The transformers back end on tiny models of real classes with random weights, made here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from transformers import Qwen2ForCausalLM
from transformers.generation.continuous_batching.requests import RequestState

from eval.backends.protocol import Generation, GenerationSettings, Request
from eval.backends.transformers_backend import TransformersBackend
from srt.io.errors import UserError

LENGTHS = (3, 11, 7, 4, 12, 5, 9, 6, 2, 8, 10, 13, 1, 14, 16, 15)
# The tokenizer of `model` has no token of several small letters: a letter is a token.
PROMPTS = [Request("abcdefghijklmnop"[:length], seed=length) for length in LENGTHS]


def facts(rows: list[Generation]) -> list[tuple[str, int, int, str]]:
    return [(row.text, row.input_tokens, row.output_tokens, row.finish_reason) for row in rows]


@pytest.mark.parametrize(
    "settings",
    [GenerationSettings(max_new_tokens=24), GenerationSettings(max_new_tokens=24, temperature=0.9, top_p=0.9)],
    ids=["greedy", "sampling"],
)
def test_a_batch_equals_single_runs(model: Path, settings: GenerationSettings) -> None:
    backend = TransformersBackend(model, device="cpu")
    together = backend.generate(PROMPTS, settings)
    apart = [backend.generate([request], settings)[0] for request in PROMPTS]
    assert facts(together) == facts(apart)
    assert [row.input_tokens for row in together] == list(LENGTHS)
    assert len({row.text for row in together}) > 3
    reasons = {row.finish_reason for row in together}
    assert reasons == {"stop", "length"}, "the fixture should end some rows early and cut others"
    for row in together:
        assert (row.finish_reason == "length") <= (row.output_tokens == 24)


def test_counts_against_ids(model: Path) -> None:
    """Greedy decoding by hand, one forward pass a token without a cache, must give the ids and their number."""
    backend = TransformersBackend(model, device="cpu")
    settings = GenerationSettings(max_new_tokens=24)
    network = Qwen2ForCausalLM.from_pretrained(model, attn_implementation="eager").eval()
    for request, row in zip(PROMPTS, backend.generate(PROMPTS, settings), strict=True):
        ids = backend.tokenizer.encode(request.prompt)
        length = len(ids)
        while len(ids) < length + 24 and ids[-1] != 1:
            with torch.inference_mode():
                ids.append(int(network(torch.tensor([ids])).logits[0, -1].argmax()))
        new = ids[length:]
        assert row.output_tokens == len(new)
        assert row.finish_reason == ("stop" if new[-1] == 1 else "length")
        assert row.text == backend.tokenizer.decode([token for token in new if token != 1])


def test_seeds_decide_samples(model: Path) -> None:
    backend = TransformersBackend(model, device="cpu")
    settings = GenerationSettings(max_new_tokens=16, temperature=1.0)
    texts = {backend.generate([Request("abc", seed=seed)], settings)[0].text for seed in range(8)}
    assert len(texts) > 5
    narrow = settings.model_copy(update={"top_p": 1e-6})
    greedy = settings.model_copy(update={"temperature": 0.0})
    assert facts(backend.generate(PROMPTS, narrow)) == facts(backend.generate(PROMPTS, greedy))


def test_the_plan_covers_all_and_joins_like_lengths(model: Path) -> None:
    backend = TransformersBackend(model, batch_size=4, device="cpu")
    lengths = [9, 3, 7, 3, 100, 20, 5, 9, 9]
    requests = [Request("a" * length) for length in lengths]
    plan = backend.plan(requests, GenerationSettings(max_new_tokens=28))
    assert sorted(index for batch in plan for index in batch) == list(range(9))
    assert [[lengths[index] for index in batch] for batch in plan] == [[100, 20, 9, 9], [9, 7, 5, 3], [3]]
    with pytest.raises(UserError, match=r"100 tokens.*max_new_tokens"):
        backend.plan(requests, GenerationSettings(max_new_tokens=29))


def test_the_fingerprint_is_of_what_decides_the_output(model: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in model.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    same = TransformersBackend(model, device="cpu").fingerprint
    (copy / "train.json").write_text("{}")
    assert TransformersBackend(copy, device="cpu").fingerprint == same
    assert TransformersBackend(copy, device="cpu", dtype="bfloat16").fingerprint != same
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    assert TransformersBackend(copy, device="cpu").fingerprint != same


def test_an_adapter_changes_the_texts(model: Path, tmp_path: Path) -> None:
    from peft import LoraConfig, get_peft_model

    network = Qwen2ForCausalLM.from_pretrained(model)
    torch.manual_seed(1)
    adapted = get_peft_model(network, LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False))
    adapted.save_pretrained(tmp_path / "adapter")
    base, lora = (
        TransformersBackend(model, device="cpu"),
        TransformersBackend(model, tmp_path / "adapter", device="cpu"),
    )
    settings = GenerationSettings(max_new_tokens=24)
    assert base.fingerprint != lora.fingerprint
    assert facts(base.generate(PROMPTS, settings)) != facts(lora.generate(PROMPTS, settings))
    merged = adapted.merge_and_unload()
    merged.save_pretrained(tmp_path / "merged")
    for file in model.glob("tokenizer*"):
        (tmp_path / "merged" / file.name).write_bytes(file.read_bytes())
    whole = TransformersBackend(tmp_path / "merged", device="cpu")
    assert facts(whole.generate(PROMPTS, settings)) == facts(lora.generate(PROMPTS, settings))


def test_batches_keep_to_a_budget_of_tokens(model: Path) -> None:
    backend = TransformersBackend(model, batch_size=5, batch_tokens=90, device="cpu")
    lengths = [9, 3, 7, 3, 100, 20, 5, 9, 9, 1, 1, 1, 1, 1]
    requests = [Request("a" * length) for length in lengths]
    plan = backend.plan(requests, GenerationSettings(max_new_tokens=10))
    assert sorted(index for batch in plan for index in batch) == list(range(14))
    # 110 places are a batch of their own; 90 are 3 rows of 30, 4 of 19, and 6 of 13, which are too many rows.
    assert [[lengths[index] for index in batch] for batch in plan] == [
        [100],
        [20, 9, 9],
        [9, 7, 5, 3],
        [3, 1, 1, 1, 1],
        [1],
    ]


def test_reasoning_tokens_are_counted_by_offsets(r1: Path) -> None:
    backend = TransformersBackend(r1, device="cpu")
    requests = [Request(f"<｜User｜>{n}<｜Assistant｜><think>\n", seed=n) for n in range(16)]
    rows = backend.generate(requests, GenerationSettings(max_new_tokens=60, temperature=1.0, think_budget=10))
    assert all(row.reasoning_tokens is not None and 0 < row.reasoning_tokens <= row.output_tokens for row in rows)
    without = backend.generate(requests[:2], GenerationSettings(max_new_tokens=2, temperature=1.0))
    assert [row.reasoning_tokens for row in without] == [None, None]


@pytest.mark.long
@pytest.mark.parametrize(
    "settings",
    [
        GenerationSettings(max_new_tokens=24),
        GenerationSettings(max_new_tokens=24, temperature=0.9),
        GenerationSettings(max_new_tokens=24, temperature=0.9, top_p=0.9),
    ],
    ids=["greedy", "sampling", "nucleus"],
)
def test_continuous_batching_writes_the_same(model: Path, settings: GenerationSettings) -> None:
    backend = TransformersBackend(model, device="cpu", continuous=True)
    padded = TransformersBackend(model, device="cpu")
    together = backend.generate(PROMPTS, settings)
    assert facts(together) == facts(padded.generate(PROMPTS, settings))
    assert facts(together[:4]) == [facts(backend.generate([request], settings))[0] for request in PROMPTS[:4]]
    assert backend.fingerprint != padded.fingerprint
    assert backend.description["batching"] == "continuous"
    assert [len(batch) for batch in backend.plan(PROMPTS * 50, settings)] == [512, 288]
    for name, value in {"ban": "INFER", "think_budget": 3}.items():
        with pytest.raises(UserError, match=f"continuous.* {name}"):
            backend.plan(PROMPTS, settings.model_copy(update={name: value}))


def test_a_row_that_loses_its_place_in_the_cache_draws_on(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too small a cache for all: rows are taken out, and start again with what they wrote as part of the prompt."""
    settings = GenerationSettings(max_new_tokens=60, temperature=2.0)
    requests = [Request("ab", seed=seed) for seed in range(4)]
    whole = TransformersBackend(model, device="cpu", continuous=True).generate(requests, settings)
    restarted = []
    restart = RequestState.create_equivalent_initial_request
    monkeypatch.setattr(
        RequestState,
        "create_equivalent_initial_request",
        lambda state: restarted.append(len(state.generated_tokens)) or restart(state),
    )
    monkeypatch.setattr("eval.backends.transformers_backend._PAGE", 8)
    small = TransformersBackend(model, device="cpu", continuous=True, batch_tokens=1)
    assert facts(small.generate(requests, settings)) == facts(whole)
    assert any(restarted), "the cache should be too small"


def test_faults_are_one_line(model: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        TransformersBackend(tmp_path / "nowhere")
    with pytest.raises(UserError, match=r"config\.json"):
        TransformersBackend(tmp_path)
    lora = tmp_path / "lora"
    lora.mkdir()
    (lora / "adapter_config.json").write_text("{}")
    (lora / "adapter_model.safetensors").write_bytes(b"")
    with pytest.raises(UserError, match=r"lora: .*--adapter.*--model"):
        TransformersBackend(lora)
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(UserError, match="safetensors"):
        TransformersBackend(tmp_path)
    with pytest.raises(UserError, match="nowhere"):
        TransformersBackend(model, tmp_path / "nowhere")
    with pytest.raises(UserError, match=r"adapter_config\.json"):
        TransformersBackend(model, tmp_path)
    (tmp_path / "adapter_config.json").write_text(json.dumps({"peft_type": "PREFIX_TUNING"}))
    (tmp_path / "adapter_model.safetensors").write_bytes(b"")
    with pytest.raises(UserError, match="LORA"):
        TransformersBackend(model, tmp_path)
    whole = (model / "model.safetensors").read_bytes()
    for part in (b"", b"junk", whole[:20], whole[: len(whole) // 2]):
        (tmp_path / "model.safetensors").write_bytes(part)
        with pytest.raises(UserError, match=r"model\.safetensors: incomplete, or not safetensors"):
            TransformersBackend(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(whole)
    (tmp_path / "config.json").write_text('{"model_type": "no-such-type"}')
    broken = TransformersBackend(tmp_path)
    for use in (lambda: broken.tokenizer, lambda: broken.plan([3], GenerationSettings())):
        with pytest.raises(UserError, match=r"tokenizer|config") as caught:
            use()
        assert "\n" not in str(caught.value)
    if not torch.cuda.is_available():
        with pytest.raises(UserError, match="device cuda"):
            TransformersBackend(model, device="cuda")
