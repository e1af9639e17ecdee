"""Guided texts: as plain ones where nothing is refused, at the budget where all is, and each row by itself."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    AutoTokenizer,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    PreTrainedModel,
    Qwen3NextConfig,
    Qwen3NextForCausalLM,
)

from eval.backends import transformers_backend
from eval.backends.protocol import Generation, GenerationSettings, Request
from eval.backends.transformers_backend import TransformersBackend
from eval.decoding import verdicts
from eval.decoding.decode_settings import Decode
from eval.decoding.ways import WAYS
from srt.io.errors import UserError
from srt.io.records import Image, Message, Problem
from tests.chance_guides import Coin, No, Yes

LONGEST = 24


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "cores_at_hand", lambda: 1)


@pytest.fixture(scope="module")
def talker(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model, made to end lines often."""
    folder = tmp_path_factory.mktemp("talker") / "model"
    shutil.copytree(model, folder)
    weights = load_file(folder / "model.safetensors")
    newline = AutoTokenizer.from_pretrained(folder).encode("\n")[0]
    weights["lm_head.weight"][newline] *= 3.0
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    return folder


def requests(count: int = 12) -> list[Request]:
    problem = Problem(question="Who is left of Cleo?")
    return [
        Request(
            f"<|user|> {'Who is left of Cleo? ' * (n % 4)}{n * 7} A Ana; B Bo <|assistant|>", seed=n, problem=problem
        )
        for n in range(count)
    ]


def written(
    folder: Path,
    settings: GenerationSettings,
    asked: list[Request] | None = None,
    *,
    guide: type[Yes] | None = None,
    way: str = "proved",
    decode: dict[str, int] | None = None,
    batch_size: int = 8,
    monkeypatch: pytest.MonkeyPatch,
) -> list[Generation]:
    """What the model in ``folder`` writes, without the seconds, in the order of the requests."""
    backend = TransformersBackend(folder, batch_size=batch_size, device="cpu")
    if guide is not None:
        monkeypatch.setitem(WAYS, way, replace(WAYS[way], guide=guide))
        settings = settings.model_copy(update={"decode": Decode.model_validate({way: decode or {}})})
    asked = asked or requests()
    plan = backend.plan(asked, settings)
    found: dict[int, Generation] = {}
    for number, rows in backend.generate_batches([[asked[i] for i in batch] for batch in plan], settings):
        found |= zip(plan[number], [replace(row, seconds=0.0) for row in rows], strict=True)
    return [found[number] for number in range(len(asked))]


def plainly(row: Generation) -> Generation:
    return replace(row, guided=None, kept_tokens=None, tries=None, lines_back=None, refused=())


@pytest.mark.parametrize("temperature", [0.0, 0.9], ids=["greedy", "sampling"])
@pytest.mark.parametrize("held", [{}, {"ban": "INFER"}, {"grammar": "trace"}], ids=["free", "ban", "grammar"])
def test_nothing_refused_is_plain_decoding(
    talker: Path, temperature: float, held: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = GenerationSettings.model_validate(
        {"max_new_tokens": LONGEST, "temperature": temperature, "top_p": 0.95, **held}
    )
    plain = written(talker, settings, monkeypatch=monkeypatch)
    if "grammar" not in held:
        assert sum(row.text.count("\n") for row in plain) > 12
        assert {row.finish_reason for row in plain} == {"stop", "length"}
    guided = written(talker, settings, guide=Yes, monkeypatch=monkeypatch)
    assert [plainly(row) for row in guided] == plain
    for row in guided:
        assert (row.guided == "proved") == (row.finish_reason == "stop")
        assert (row.kept_tokens, row.tries, row.lines_back) == (row.output_tokens, 0, 0)


@pytest.mark.parametrize("temperature", [0.0, 0.9], ids=["greedy", "sampling"])
def test_a_text_that_may_be_cut_off_is_the_plain_one_whatever_the_budget(
    talker: Path, temperature: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = GenerationSettings(max_new_tokens=LONGEST, temperature=temperature)
    plain = written(talker, settings, monkeypatch=monkeypatch)
    guided = written(talker, settings, guide=Yes, way="unrefuted", decode={"tokens": 90}, monkeypatch=monkeypatch)
    assert [plainly(row) for row in guided] == plain
    assert {row.finish_reason for row in plain} == {"stop", "length"}


@pytest.mark.parametrize("tokens", [10, LONGEST, 90])
def test_all_refused_ends_at_the_budget(talker: Path, tokens: int, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = GenerationSettings(max_new_tokens=LONGEST)
    rows = written(talker, settings, guide=No, decode={"tokens": tokens, "tries": 2}, monkeypatch=monkeypatch)
    assert {(row.output_tokens, row.guided, row.lines_back) for row in rows} == {(tokens, "not proved", 0)}
    assert all(row.kept_tokens is not None and row.kept_tokens <= LONGEST for row in rows)


@pytest.mark.parametrize("temperature", [0.0, 0.9], ids=["greedy", "sampling"])
def test_no_row_looks_at_another(talker: Path, temperature: float, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = GenerationSettings(max_new_tokens=LONGEST, temperature=temperature)
    options = {"tries": 1, "tokens": 120}
    eight, one = (
        written(talker, settings, guide=Coin, decode=options, batch_size=size, monkeypatch=monkeypatch)
        for size in (8, 1)
    )
    assert eight == one
    assert sum(row.tries or 0 for row in one) > 20
    assert sum(row.lines_back or 0 for row in one) > 5
    assert sum("taken back" in (gone.reason or "") for row in one for gone in row.refused) > 5
    assert all((row.kept_tokens or 0) <= row.output_tokens <= 120 for row in one)


def test_a_grammar_holds_after_lines_that_went(talker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = GenerationSettings(max_new_tokens=46, grammar="trace")
    rows = written(talker, settings, guide=Coin, decode={"tries": 1, "tokens": 240}, monkeypatch=monkeypatch)
    assert sum(row.tries or 0 for row in rows) > 4
    for row in rows:
        assert all(
            re.match("INFER|CONSTRAIN|CORRELATE|推断|关联|约束|ANSWER|答案", line) for line in row.text.split("\n")[:-1]
        )


def test_verdicts_from_other_processes(talker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = GenerationSettings(max_new_tokens=LONGEST)
    here = written(talker, settings, guide=Coin, monkeypatch=monkeypatch)
    monkeypatch.setattr(verdicts, "cores_at_hand", lambda: 3)
    assert written(talker, settings, guide=Coin, monkeypatch=monkeypatch) == here


def _linear(vocabulary: int) -> PreTrainedModel:
    config = Qwen3NextConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        layer_types=["linear_attention", "full_attention"],
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        linear_num_key_heads=2,
        linear_num_value_heads=2,
        linear_key_head_dim=8,
        linear_value_head_dim=8,
        num_experts=0,
        mlp_only_layers=[0, 1],
        max_position_embeddings=128,
        initializer_range=0.4,
    )
    return Qwen3NextForCausalLM(config)


def _sliding(vocabulary: int) -> PreTrainedModel:
    config = Gemma3TextConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        layer_types=["sliding_attention", "full_attention"],
        sliding_window=16,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        max_position_embeddings=128,
        initializer_range=0.4,
    )
    return Gemma3ForCausalLM(config)


class Uncached:
    """Rows that keep nothing: the model reads all ids of a row for each token."""

    def __init__(self, model: Any, rows: int, pad: int) -> None:
        self._model = model

    def open(self, row: int, inputs: Mapping[str, torch.Tensor]) -> None:
        pass

    def step(self, ids: Mapping[int, Sequence[int]]) -> torch.Tensor:
        return torch.stack([self._model(torch.tensor([row]), use_cache=False).logits[0, -1] for row in ids.values()])

    def shrink(self, rows: Sequence[int]) -> None:
        pass


@pytest.mark.parametrize("make", [None, _linear, _sliding], ids=["full", "linear", "sliding"])
def test_what_is_kept_of_a_row_is_what_stands_in_it(
    talker: Path, tmp_path: Path, make: Callable[[int], PreTrainedModel] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys and values are cut with the lines; a state or a window cannot be, and is made anew."""
    folder = talker
    if make is not None:
        folder = tmp_path / "model"
        shutil.copytree(talker, folder)
        torch.manual_seed(4)
        network = make(len(AutoTokenizer.from_pretrained(folder)))
        network.config.update({"eos_token_id": 1, "pad_token_id": 0, "bos_token_id": None})
        newline = AutoTokenizer.from_pretrained(folder).encode("\n")[0]
        with torch.no_grad():
            network.get_output_embeddings().weight[newline] *= 3.0
        network.save_pretrained(folder)
    settings = GenerationSettings(max_new_tokens=LONGEST, temperature=1.0)
    options = {"tries": 1, "tokens": 80}
    rows = written(folder, settings, requests(5), guide=Coin, decode=options, batch_size=3, monkeypatch=monkeypatch)
    assert sum(row.lines_back or 0 for row in rows) > 2
    monkeypatch.setattr(transformers_backend, "model_rows", Uncached)
    assert written(folder, settings, requests(5), guide=Coin, decode=options, monkeypatch=monkeypatch) == rows


@pytest.mark.parametrize("temperature", [0.0, 0.9], ids=["greedy", "sampling"])
def test_pictures(
    vision_model: Path, pictures: tuple[Path, list[Image]], temperature: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, images = pictures
    backend = TransformersBackend(vision_model, device="cpu")
    problem = Problem(question="What is it?")
    asked = []
    for number in range(8):
        shown = tuple(images[number : number + number % 3])
        prompt = backend.render([Message(role="user", content=f"What is it? {number}")], len(shown))
        asked.append(Request(prompt, shown, folder, number, problem))
    asked[3] = replace(asked[3], images=(*asked[3].images, Image(path="none.png", sha256="0" * 64)))
    settings = GenerationSettings(max_new_tokens=12, temperature=temperature)
    plain = written(vision_model, settings, asked, monkeypatch=monkeypatch)
    guided = written(vision_model, settings, asked, guide=Yes, monkeypatch=monkeypatch)
    assert [plainly(row) for row in guided] == plain
    assert guided[3].finish_reason == "error"


@pytest.mark.parametrize(
    ("backend", "settings", "named"),
    [
        ({"continuous": True}, {}, "continuous"),
        ({"attention": "flash_attention_2"}, {}, "flash_attention_2"),
    ],
)
def test_what_cannot_be_guided_is_named(
    model: Path, backend: dict[str, object], settings: dict[str, object], named: str
) -> None:
    made = TransformersBackend(model, **backend)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=f"{named}.*(guide|sdpa)"):
        made.plan(requests(2), GenerationSettings.model_validate({"max_new_tokens": 8, "decode": "proved", **settings}))
