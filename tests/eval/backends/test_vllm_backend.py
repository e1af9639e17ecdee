"""Against a stand-in for the package vllm, which needs a GPU: what is asked of it, and what is made of its outputs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from eval.backends.protocol import GenerationSettings, Request
from eval.backends.vllm_backend import VllmBackend, check_adapter_for_vllm
from srt.io.errors import UserError
from srt.io.records import Message


class Engine:
    """Ends its requests from the last to the first, one a step."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.asked, self.queue = asked, []

    def add_request(self, name: str, prompt: dict[str, Any], params: Any, lora_request: Any = None) -> str:
        self.queue.append((name, prompt, params, lora_request))
        return f"{name}-internal"

    def step(self) -> list[SimpleNamespace]:
        name, prompt, params, lora = self.queue.pop()
        self.asked.setdefault("requests", []).append((name, params, lora))
        ids = prompt["prompt_token_ids"]
        written = [ids[0]] * 3 + [params.stop_token_ids[0]]
        made = SimpleNamespace(token_ids=written, finish_reason="stop" if name != "1" else "length")
        unfinished = SimpleNamespace(finished=False)
        return [unfinished, SimpleNamespace(finished=True, request_id=name, prompt_token_ids=ids, outputs=[made])]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What was asked of the stand-in."""
    found: dict[str, Any] = {}

    def make(**arguments: Any) -> SimpleNamespace:
        found["engine"] = arguments
        return SimpleNamespace(llm_engine=Engine(found))

    vllm: Any = ModuleType("vllm")
    vllm.__version__, vllm.LLM, vllm.SamplingParams = "0.33.0", make, SimpleNamespace
    lora: Any = ModuleType("vllm.lora.request")
    lora.LoRARequest = lambda name, number, path: (name, number, path)
    sampling: Any = ModuleType("vllm.sampling_params")
    sampling.StructuredOutputsParams = SimpleNamespace
    modules = {"vllm": vllm, "vllm.lora": ModuleType("vllm.lora"), "vllm.lora.request": lora}
    for name, module in {**modules, "vllm.sampling_params": sampling}.items():
        monkeypatch.setitem(sys.modules, name, module)
    return found


def test_the_queue_is_kept_full_and_each_answer_comes_as_it_ends(
    model: Path, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = VllmBackend(model)
    prompts = [backend.render([Message(role="user", content=text)], 0) for text in ("abc", "abcd", "ab")]
    requests = [Request(prompt, seed=number) for number, prompt in enumerate(prompts)]
    settings = GenerationSettings(max_new_tokens=5, temperature=0.5, top_p=0.9, grammar="trace", ban="INFER")
    assert backend.plan(requests, settings) == [[0], [1], [2]]
    made = dict(backend.generate_batches([[request] for request in requests], settings))
    assert list(made) == [2, 1, 0], "in the order in which they end"
    for number, prompt in enumerate(prompts):
        (row,) = made[number]
        ids = backend._ids(Request(prompt))
        assert row.input_tokens == len(ids)
        assert row.output_tokens == 4, "with the end of sequence"
        assert row.text == backend._files.tokenizer.decode([ids[0]] * 3)
        assert row.finish_reason == ("length" if number == 1 else "stop")
    _, params, lora = asked["requests"][0]
    assert (params.seed, params.top_p, params.max_tokens, params.detokenize, lora) == (2, 0.9, 5, False, None)
    assert "CONSTRAIN" in params.structured_outputs.regex
    assert "INFER" not in params.structured_outputs.regex
    assert asked["engine"]["trust_remote_code"] is False
    assert "no: " in backend.description["deterministic"]
    monkeypatch.setattr("eval.backends.vllm_backend.QUEUE", 2)
    again = [number for number, _ in backend.generate_batches([[one] for one in requests * 2], settings)]
    assert sorted(again) == list(range(6)), "a small queue is filled again"
    list(backend.generate_batches([[requests[0]]], GenerationSettings(max_new_tokens=5)))
    assert asked["requests"][-1][1].seed is None, "greedy draws nothing"


def test_what_it_cannot_do_is_refused(model: Path, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    backend = VllmBackend(model)
    with pytest.raises(UserError, match="think_budget"):
        backend.plan([], GenerationSettings(think_budget=5))
    with pytest.raises(UserError, match="ban: "):
        backend.plan([], GenerationSettings(ban="INFER"))
    with pytest.raises(UserError, match="max_new_tokens"):
        backend.plan([Request("abc")], GenerationSettings(max_new_tokens=10**6))
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(UserError, match="pip install vllm"):
        VllmBackend(model)


def adapter(folder: Path, weight: str, **config: Any) -> Path:
    folder.mkdir()
    (folder / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 9, **config}))
    save_file({weight: np.zeros((2, 2), np.float32)}, folder / "adapter_model.safetensors")
    return folder


def test_adapters(tmp_path: Path) -> None:
    text = adapter(tmp_path / "text", "base_model.model.model.language_model.layers.0.self_attn.q_proj.lora_A.weight")
    assert check_adapter_for_vllm(text, vision_adapter=False) == 16
    tower = adapter(tmp_path / "tower", "base_model.model.model.visual.blocks.0.attn.qkv.lora_A.weight")
    with pytest.raises(UserError, match=r"tower: .*\(1 weights, first base_model\.model\.model"):
        check_adapter_for_vllm(tower, vision_adapter=False)
    assert check_adapter_for_vllm(tower, vision_adapter=True) == 16
    for name, key, value in (("dora", "use_dora", True), ("full", "modules_to_save", ["lm_head"])):
        with pytest.raises(UserError, match=f"{key}.*srt merge"):
            check_adapter_for_vllm(adapter(tmp_path / name, "x.q_proj.lora_A.weight", **{key: value}), False)
    with pytest.raises(UserError, match=r"rank 600: .*512"):
        check_adapter_for_vllm(adapter(tmp_path / "wide", "x.q_proj.lora_A.weight", r=600), False)
