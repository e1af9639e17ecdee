"""Against a stand-in with the signatures of vLLM 0.33: what is asked of it, and what is made of its outputs."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from eval.backends.protocol import GenerationSettings, Request
from eval.backends.server_backend import ServerBackend
from eval.backends.vllm_engines.vllm_backend import RANKS, VllmBackend, check_adapter_for_vllm
from eval.evaluation import make_backend
from eval.run.eval_recipe import make_eval_recipe
from eval.run.predict import predict
from eval.scoring.score import score
from srt.images.normalise import shown_picture
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Image, Message, Prediction, Problem, Score
from srt.language.prompts import THINK_CLOSES, THINK_OPENS
from srt.llm.config import EndpointConfig

sys.path.insert(0, str(Path(__file__).parent))
from vllm_stand_in import RECORD, stand_in


def write(ids: list[int], params: Any) -> tuple[list[int], str]:
    """The first id three times, and an end."""
    return [ids[0]] * 3 + [params.stop_token_ids[0]], "stop"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What was asked of the stand-in."""
    found: dict[str, Any] = {}
    install(monkeypatch, found, write)
    return found


def install(monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], write: Any, longest: int = 10**9) -> None:
    for name, module in stand_in(asked, write, longest).items():
        monkeypatch.setitem(sys.modules, name, module)


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
        assert row.finish_reason == "stop"
    params = asked["requests"][0]["params"]
    assert (params.seed, params.top_p, params.max_tokens, params.detokenize) == (2, 0.9, 5, False)
    assert asked["requests"][0]["lora_request"] is None
    assert "CONSTRAIN" in params.structured_outputs.regex
    assert "INFER" not in params.structured_outputs.regex
    assert asked["engine"]["trust_remote_code"] is False
    assert asked["engine"]["max_model_len"] == 128, "no more than the model has"
    assert "mm_processor_kwargs" not in asked["engine"]
    assert "no: " in backend.description["deterministic"]
    monkeypatch.setattr("eval.backends.vllm_engines.vllm_backend.QUEUE", 2)
    again = [number for number, _ in backend.generate_batches([[one] for one in requests * 2], settings)]
    assert sorted(again) == list(range(6)), "a small queue is filled again"
    list(backend.generate_batches([[requests[0]]], GenerationSettings(max_new_tokens=5)))
    assert asked["requests"][-1]["params"].seed is None, "greedy draws nothing"


def test_what_it_cannot_do_is_refused(model: Path, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    backend = VllmBackend(model)
    with pytest.raises(UserError, match=r"think_budget: .* are tokens"):
        backend.plan([], GenerationSettings(think_budget=5))
    with pytest.raises(UserError, match="ban: "):
        backend.plan([], GenerationSettings(ban="INFER"))
    with pytest.raises(UserError, match="max_new_tokens"):
        backend.plan([Request("abc")], GenerationSettings(max_new_tokens=10**6))
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(UserError, match="constraints-serve"):
        VllmBackend(model)


NUMBER = Answer(kind="number", value=4)


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


def test_the_calls_are_those_of_the_recorded_version() -> None:
    assert RECORD["version"] == "0.33.0"
    assert tuple(RECORD["max_lora_ranks"]) == RANKS
    assert RECORD["reasoning_parsers"] == ["deepseek_r1"]
    with pytest.raises(TypeError, match="unknown_to_vllm"):
        stand_in({}, write)["vllm"].SamplingParams(unknown_to_vllm=1)
    with pytest.raises(TypeError, match="EngineArgs"):
        stand_in({}, write)["vllm"].LLM(model="m", unknown_to_vllm=1)
    # What is sent to a server that is vLLM, and what is read of its reply.
    served = ServerBackend("m", EndpointConfig(base_url="http://host/v1"))
    for settings in (GenerationSettings(grammar="trace"), GenerationSettings(temperature=1.0, think_budget=9)):
        body = served.requests.body(Request('{"messages": [], "pictures": 0}'), settings, [])
        assert body.keys() <= RECORD["fields"]["ChatCompletionRequest"].keys()
    assert "prompt_text" in RECORD["fields"]["ChatCompletionResponse"]
    assert {"prompt_tokens", "completion_tokens", "total_tokens"} <= RECORD["fields"]["UsageInfo"].keys()


def test_one_request_that_is_too_long_is_one_error(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the model's positions, which we know, or beyond what vLLM takes, which it says."""
    asked: dict[str, Any] = {}
    install(monkeypatch, asked, write, longest=60)
    backend = VllmBackend(model)
    requests = [Request("a" * length) for length in (5, 500, 70, 20)]
    settings = GenerationSettings(max_new_tokens=8)
    plan = backend.plan(requests, settings)
    assert plan == [[0], [1], [2], [3]]
    made = dict(backend.generate_batches([[requests[at]] for (at,) in plan], settings))
    assert [made[at][0].finish_reason for at in range(4)] == ["stop", "error", "error", "stop"]
    assert "500 tokens and max_new_tokens 8 are beyond the model's positions, 128" in str(made[1][0].error)
    assert "The decoder prompt (length 70)" in str(made[2][0].error)
    with pytest.raises(UserError, match=r"500 tokens.*max_new_tokens"):
        backend.plan(requests[1:2], settings)


def test_the_length_of_a_row_is_what_the_run_needs(r1: Path, asked: dict[str, Any]) -> None:
    backend = VllmBackend(r1)
    settings = GenerationSettings(max_new_tokens=300)
    requests = [Request("ab"), Request("ab" * 40)]
    backend.plan(requests, settings)
    dict(backend.generate_batches([[one] for one in requests], settings))
    longest = max(len(backend._ids(one)) for one in requests)
    assert asked["engine"]["max_model_len"] == min(-(-(longest + 300) // 256) * 256, backend._files.positions)
    assert asked["engine"]["max_model_len"] < longest + 300 + 256


def test_options_of_the_engine(model: Path, asked: dict[str, Any]) -> None:
    """They come from the recipe's keys; the model's 128 positions are more than ``max_model_len`` leaves."""
    given = {"dtype": "bfloat16", "max_num_seqs": 3, "enforce_eager": True, "max_model_len": 64}
    recipe = make_eval_recipe({"backend": "vllm", "model": str(model), "problems": "p", "output": "o", **given})
    backend = make_backend(recipe)
    requests, settings = [Request("abc"), Request("a" * 60)], GenerationSettings(max_new_tokens=8)
    backend.plan(requests, settings)
    made = dict(backend.generate_batches([[one] for one in requests], settings))
    assert given.items() <= asked["engine"].items()
    assert [made[at][0].finish_reason for at in (0, 1)] == ["stop", "error"]
    assert "max_model_len, 64" in str(made[1][0].error)
    assert backend.description["dtype"] == "bfloat16"
    assert backend.fingerprint != VllmBackend(model).fingerprint
    with pytest.raises(UserError, match="max_num_seqs: "):
        make_eval_recipe({"model": str(model), "problems": "p", "output": "o", "max_num_seqs": 3})
    with pytest.raises(UserError, match="dtype: only the back ends transformers, vllm"):
        make_eval_recipe(
            {
                "backend": "server",
                "base_url": "http://h",
                "model": "m",
                "problems": "p",
                "output": "o",
                "dtype": "float32",
            }
        )


def test_a_text_that_the_length_of_a_row_cut_short_is_an_error(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, {}, lambda ids, params: (ids[:1] * 3, "length"))
    settings = GenerationSettings(max_new_tokens=8)
    ((_, (row,)),) = VllmBackend(model).generate_batches([[Request("abc")]], settings)
    assert row.finish_reason == "error"
    assert "3 of 8 tokens" in str(row.error)


def test_a_failure_of_vllm_is_no_answer(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, {}, lambda ids, params: ([], "error"))
    with pytest.raises(UserError, match="vLLM failed"):
        list(VllmBackend(model).generate_batches([[Request("abc")]], GenerationSettings(max_new_tokens=8)))


def test_a_think_budget_is_vllms(r1: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tags are tokens of R1: its parser closes the block; a block that was closed at the budget was cut."""
    asked: dict[str, Any] = {}
    lengths = iter((4, 7, 2, 7))

    def thought(ids: list[int], params: Any) -> tuple[list[int], str]:
        vocabulary = backend.tokenizer.get_vocab()
        opens, closes = vocabulary[THINK_OPENS], vocabulary[THINK_CLOSES]
        begin = [] if opens in ids else [opens]
        return [*begin, *[5] * next(lengths), closes, 6, params.stop_token_ids[0]], "stop"

    install(monkeypatch, asked, thought)
    backend = VllmBackend(r1)
    if not {THINK_OPENS, THINK_CLOSES} <= backend.tokenizer.get_vocab().keys():
        backend.tokenizer.add_tokens([THINK_OPENS, THINK_CLOSES], special_tokens=True)
    settings = GenerationSettings(max_new_tokens=30, think_budget=7)
    opened = Request(f"<｜User｜>a<｜Assistant｜>{THINK_OPENS}\n")
    requests = [opened, opened, Request("<｜User｜>a<｜Assistant｜>"), Request("<｜User｜>a<｜Assistant｜>")]
    backend.plan(requests, settings)
    made = dict(backend.generate_batches([[one] for one in requests], settings))
    # From the last to the first.
    assert [made[number][0].thinking for number in (3, 2, 1, 0)] == ["closed", "cut", "closed", "cut"]
    assert asked["engine"]["reasoning_parser"] == "deepseek_r1"
    budgets = [request["params"].thinking_token_budget for request in asked["requests"]]
    line = len(backend.tokenizer.encode("\n", add_special_tokens=False))
    assert budgets == [7, 7, 7 + line, 7 + line], "vLLM counts the line that the template writes after the tag"


def test_pictures_are_of_the_size_of_training(
    vision_model: Path, pictures: tuple[Path, list[Image]], tmp_path: Path, asked: dict[str, Any]
) -> None:
    """vLLM reads the processor of the base: the limits of the adapter's own are passed to it."""
    from transformers import AutoProcessor

    from srt.images.resize_limits import limit_pictures

    tuned = adapter(tmp_path / "tuned", "x.q_proj.lora_A.weight")
    processor = AutoProcessor.from_pretrained(vision_model)
    tiles = hasattr(processor.image_processor, "max_patches")
    area = processor.image_processor.size["height"] ** 2 if tiles else 28 * 28
    limit_pictures(processor, None, 3 * area)
    processor.save_pretrained(tuned)
    backend = VllmBackend(vision_model)
    backend._files.adapter = tuned  # not before: an adapter of no weights fits no base
    root, images = pictures
    prompt = backend.render([Message(role="user", content="What is it?")], 2)
    requests = [Request(prompt, tuple(images[:2]), root)]
    settings = GenerationSettings(max_new_tokens=5)
    backend.plan(requests, settings)
    engine = backend._make_engine(2, settings)
    assert engine is not None
    given = asked["engine"]["mm_processor_kwargs"]
    assert given["max_patches" if tiles else "size"] == (3 if tiles else {**given["size"], "longest_edge": 3 * area})
    assert asked["engine"]["limit_mm_per_prompt"] == {"image": 2, "video": 0}
    assert asked["engine"]["tokenizer"] == asked["engine"]["model"], "beside an adapter there is no config.json"
    # A processor of the base with these arguments makes as many tokens as the adapter's own.
    base = AutoProcessor.from_pretrained(vision_model)
    shown = [shown_picture(root, image) for image in images[:2]]
    made = base(text=[prompt], images=[shown], return_tensors="pt", add_special_tokens=False, **given)
    ours = backend._prompts(settings).make(requests[0])
    assert made["input_ids"][0].tolist() == ours.ids
    other = base(text=[prompt], images=[shown], return_tensors="pt", add_special_tokens=False)
    assert other["input_ids"].shape != made["input_ids"].shape, "the limits should matter for these pictures"


def test_a_run_ends_in_the_right_statuses(
    make_problem: Callable[..., Problem], model: Path, tmp_path: Path, asked: dict[str, Any]
) -> None:
    """The tiny model has 128 positions: three of thirty questions are too long for it."""
    path = tmp_path / "problems.jsonl"
    questions = [f"item {n}. " + "x" * (200 if n < 3 else 5) for n in range(30)]
    write_records(path, [make_problem(n, question=text, choices={}, answer=NUMBER) for n, text in enumerate(questions)])
    settings = GenerationSettings(max_new_tokens=5)
    predict(path, tmp_path / "run", VllmBackend(model), arm="m", settings=settings, style="bare")
    score(tmp_path / "run")
    rows = list(read_records(tmp_path / "run" / "predictions.jsonl", Prediction))
    assert Counter(row.finish_reason for row in rows) == {"error": 3, "stop": 27}
    statuses = Counter(row.status for row in read_records(tmp_path / "run" / "scores.jsonl", Score))
    assert statuses["error"] == 3
    assert statuses.total() == 30
