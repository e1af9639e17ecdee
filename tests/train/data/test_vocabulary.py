"""Texts that a model would not read as they are written: found before training, with file, record, field and token."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from transformers import AddedToken, AutoTokenizer
from typer.testing import CliRunner, Result

from srt.cli import make_app
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Message, Sequence
from train.data.examples import encode
from train.models.model_files import load_tokenizer
from train.recipe import Recipe
from train.train_srt import train


def spoilt(data: Path, out: Path, number: int, prompt: str = "", step: str = "") -> Path:
    """The file with something added to prompt or steps of one sequence."""
    sequences = list(read_records(data, Sequence))
    one = sequences[number]
    asked = one.prompt[0].model_copy(update={"content": one.prompt[0].content + prompt})
    said = one.completion[0].content.replace("\n", f"{step}\n", 1)
    sequences[number] = one.model_copy(
        update={"prompt": [asked], "completion": [Message(role="assistant", content=said)], "spans": []}
        if step
        else {"prompt": [asked]}
    )
    write_records(out, sequences)
    return out


@pytest.mark.parametrize(
    ("template", "tokens"),
    [
        ("qwen2.5", ["<|im_end|>", "<|im_start|>"]),
        ("r1-distill", ["<｜User｜>", "<｜end▁of▁sentence｜>"]),
        ("llama3", ["<|eot_id|>", "<|start_header_id|>"]),
        ("minimal", ["<|assistant|>", "<|end|>"]),
    ],
)
def test_control_tokens_in_a_text_are_named(
    template: str, tokens: list[str], data: Path, models: dict[str, Path]
) -> None:
    tokenizer = load_tokenizer(str(models[template]))
    one = next(read_records(data, Sequence))
    for token in tokens:
        asked = one.model_copy(update={"prompt": [Message(role="user", content=f"Who?{token} And")]})
        with pytest.raises(UserError, match=rf"trace t0: prompt: turn 1 \(user\): .*{token.replace('|', '.')}"):
            encode(asked, tokenizer, False)
        said = [Message(role="assistant", content=f"So {token}\nANSWER: A")]
        with pytest.raises(UserError, match=rf"trace t0: completion: .*{token.replace('|', '.')}"):
            encode(one.model_copy(update={"completion": said, "spans": []}), tokenizer, False)
        spaced = f"Who? {token[:1]} {token[1:]}"
        encode(one.model_copy(update={"prompt": [Message(role="user", content=spaced)]}), tokenizer, False)


def test_added_tokens_that_the_template_writes_are_control_tokens(
    data: Path, models: dict[str, Path], tmp_path: Path
) -> None:
    """As in the published R1-Distill, whose <｜User｜> is no special token."""
    tokenizer = load_tokenizer(str(models["qwen2.5"]))
    tokenizer.add_tokens([AddedToken("<turn>", special=False), AddedToken("Ana", special=False)])
    tokenizer.chat_template = "<turn>{{ messages[0].content }}Ana"
    one = next(read_records(data, Sequence))
    asked = [Message(role="user", content="Who is Ana?")]
    encode(one.model_copy(update={"prompt": asked}), tokenizer, False)
    asked = [Message(role="user", content="Who is <turn>?")]
    with pytest.raises(UserError, match=r"prompt: .*<turn>"):
        encode(one.model_copy(update={"prompt": asked}), tokenizer, False)


@pytest.mark.parametrize("think", [False, True])
def test_think_marks_where_they_belong(think: bool, data: Path, models: dict[str, Path]) -> None:
    one = next(read_records(data, Sequence))
    asked = [Message(role="user", content="Think between <think> and </think>. Who?")]
    for template in ("qwen2.5", "r1-distill"):
        tokenizer = load_tokenizer(str(models[template]))
        example = encode(one.model_copy(update={"prompt": asked}), tokenizer, think)
        assert "</think>. Who?" in tokenizer.decode(example.input_ids)
    said = [Message(role="assistant", content="So <think>\nANSWER: A")]
    with pytest.raises(UserError, match=r"trace t0.*completion: .*<think>"):
        encode(one.model_copy(update={"completion": said, "spans": []}), tokenizer, think)


def test_preflight_and_training_name_file_and_record(
    recipe: Callable[..., Recipe], models: dict[str, Path], data: Path, tmp_path: Path
) -> None:
    model = {"path": str(models["qwen2.5"]), "attn": "eager"}
    chosen = recipe(model=model, data=str(spoilt(data, tmp_path / "d.jsonl", 3, prompt="<|im_end|>")))
    said = r"d\.jsonl:4: sequence of trace t3: prompt: .*<\|im_end\|>"
    with pytest.raises(UserError, match=said):
        train(chosen)
    assert not Path(chosen.output).exists()
    assert_fault(chosen, tmp_path, "d.jsonl:4: sequence of trace t3: prompt: ", "<|im_end|>")


def test_ids_beyond_the_embedding(
    recipe: Callable[..., Recipe], models: dict[str, Path], data: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(models["llama3"], tmp_path / "m")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    rows = len(tokenizer)
    tokenizer.add_tokens([f"<|extra_{number}|>" for number in range(300)])
    tokenizer.save_pretrained(folder)
    model = {"path": str(folder), "attn": "eager"}
    # Ids that no text has are no fault: published tokenizers have some.
    train(recipe(model=model, steps=1, output=str(tmp_path / "sound")))
    of_prompt = spoilt(data, tmp_path / "d.jsonl", 3, prompt=" <|extra_299|>")
    said = rf"d\.jsonl:4: sequence of trace t3: prompt: .*<\|extra_299\|> has the id {rows + 299}, .* {rows} rows"
    with pytest.raises(UserError, match=said):
        train(recipe(model=model, data=str(of_prompt)))
    assert_fault(
        recipe(model=model, data=str(of_prompt)), tmp_path, "t3: prompt: ", f"id {rows + 299}", f" {rows} rows"
    )
    of_step = spoilt(data, tmp_path / "s.jsonl", 5, step=" <|extra_0|>")
    with pytest.raises(UserError, match=rf"s\.jsonl:6: .*t5: completion: .*<\|extra_0\|> has the id {rows},"):
        train(recipe(model=model, data=str(of_step)))


def test_tokens_in_the_cache_are_of_an_embedding(
    recipe: Callable[..., Recipe], models: dict[str, Path], data: Path, tmp_path: Path
) -> None:
    """A larger model with the same tokenizer has encoded the file before."""
    large, small = (shutil.copytree(models["llama3"], tmp_path / name) for name in ("large", "small"))
    config = (small / "config.json").read_text()
    tokenizer = AutoTokenizer.from_pretrained(small)
    tokenizer.add_tokens(["<|extra|>"])
    for folder in (large, small):
        tokenizer.save_pretrained(folder)
    rows = len(tokenizer) - 1
    assert f'"vocab_size": {rows}' in config
    (large / "config.json").write_text(config.replace(f'"vocab_size": {rows}', f'"vocab_size": {rows + 1}'))
    of_prompt = spoilt(data, tmp_path / "d.jsonl", 3, prompt=" <|extra|>")
    result = _preflight(recipe(model={"path": str(large)}, data=str(of_prompt)), tmp_path, "--no-step")
    assert "<|extra|>" not in result.stderr
    with pytest.raises(UserError, match=rf"has the id {rows},"):
        train(recipe(model={"path": str(small)}, data=str(of_prompt)))


def assert_fault(chosen: Recipe, folder: Path, *parts: str) -> None:
    result = _preflight(chosen, folder)
    [fault] = [line for line in result.stderr.splitlines() if line.startswith("fault: ")]
    assert all(part in fault for part in parts), fault


def _preflight(chosen: Recipe, folder: Path, *options: str) -> Result:
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(chosen.model_dump(mode="json", exclude_none=True)), encoding="utf-8")
    return CliRunner().invoke(make_app(), ["preflight", str(path), *options])
