"""What the README of a trained model says, and that it is uploaded only for those who ask, and privately."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import PIL.Image
import pytest
from huggingface_hub import ModelCard

import train.run.hub
import train.train_srt
from srt.io.errors import UserError
from srt.language.prompts import prompt_ids, prompt_messages, render_prompt
from train.models.model_files import load_tokenizer_and_processor
from train.recipe import Recipe
from train.run.merge_adapter import merge
from train.run.usage_snippet import PICTURE, QUESTION
from train.train_srt import train as run


def test_the_card_of_an_adapter(recipe: Callable[..., Recipe], data: Path) -> None:
    model = recipe().model.model_dump() | {"hub_id": "me/minimal"}
    chosen = recipe(lora={"r": 4}, learning_rate=3e-3, model=model)
    summary = run(chosen)
    card = ModelCard.load(Path(chosen.output) / "README.md")
    assert card.data.to_dict() == {
        "base_model": "me/minimal",
        "library_name": "peft",
        "pipeline_tag": "text-generation",
        "tags": ["srt", "structured-reasoning-traces", "lora"],
    }
    text = card.text
    assert f"| loss at the end | {summary.final_loss:.4f} |" in text
    assert f"| parameters trained | {summary.trainable_parameters:,} of {summary.parameters:,} |" in text
    assert "40 sequences (40 of arm `srt`) of 40 problems. SHA-256" in text
    assert "learning_rate: 0.003" in text
    assert "srt eval --model BASE --adapter FOLDER" in text
    assert "srt merge FOLDER" in text
    assert str(data.parent) not in text, "folders of this machine concern nobody"
    assert "| loss, infer |" in text
    assert "](curves.png)" in text
    assert (Path(chosen.output) / "curves.png").exists()


def test_the_card_of_a_vision_model_that_was_trained_whole(vision_recipe: Callable[..., Recipe]) -> None:
    chosen = vision_recipe(steps=2)
    run(chosen)
    card = ModelCard.load(Path(chosen.output) / "README.md")
    assert (card.data.pipeline_tag, card.data.library_name) == ("image-text-to-text", "transformers")
    assert re.search(r"24 sequences .* with \d+ pictures", card.text)
    assert "base_model" not in card.data.to_dict(), "a folder is no name on the hub"
    assert "srt merge" not in card.text


@pytest.mark.parametrize("sees", [False, True], ids=["text", "picture"])
def test_the_snippets_run(
    sees: bool,
    recipe: Callable[..., Recipe],
    vision_recipe: Callable[..., Recipe],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of an adapter and of the model that it is merged into: both give the same reply."""
    make = vision_recipe if sees else recipe
    spec = make().model.model_dump() | {"hub_id": "me/base"}
    chosen = make(lora={"r": 4}, learning_rate=3e-2, steps=4, model=spec)
    run(chosen)
    base, adapter = Path(chosen.model.path), Path(chosen.output)
    (adapter / "me").mkdir()
    (adapter / "me" / "base").symlink_to(base)  # instead of a download
    merge(adapter, tmp_path / "merged")
    replies, sources = [], []
    for folder in (adapter, tmp_path / "merged"):
        PIL.Image.new("RGB", (60, 90), "teal").save(folder / PICTURE)
        card = ModelCard.load(folder / "README.md")
        assert (card.data.base_model, card.data.library_name) == (
            "me/base",
            "peft" if folder == adapter else "transformers",
        )
        (source,) = re.findall(r"```python\n(.*?)```", card.text, re.DOTALL)
        monkeypatch.chdir(folder)
        printed = io.StringIO()
        names: dict[str, Any] = {}
        with contextlib.redirect_stdout(printed):
            exec(source.replace("max_new_tokens=1024", "max_new_tokens=12"), names)  # noqa: S102
        replies.append(printed.getvalue())
        sources.append(names)
    assert replies[0].strip()
    assert replies[0] == replies[1]
    tokenizer, processor = load_tokenizer_and_processor(str(base))
    asked = prompt_messages(QUESTION, "full")
    text = render_prompt(tokenizer, asked, pictures=int(sees))
    expected = prompt_ids(tokenizer, asked)
    if processor is not None:
        expected = processor(text=[text], images=[PIL.Image.open(PICTURE)])["input_ids"][0]
    assert sources[0]["inputs"]["input_ids"][0].tolist() == list(expected), "as training and evaluation ask"


class FakeApi:
    """Records what it is asked; ``fails`` is what it raises instead."""

    calls: list[tuple[str, dict[str, Any]]]
    fails: Exception | None = None

    def create_repo(self, name: str, **options: Any) -> str:
        FakeApi.calls.append(("create", {"name": name, **options}))
        if FakeApi.fails:
            raise FakeApi.fails
        return f"https://hub.example/{name}"

    def upload_folder(self, **options: Any) -> None:
        assert (options["folder_path"] / "train.json").exists(), "the run is whole before it leaves"
        FakeApi.calls.append(("upload", options))


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> type[FakeApi]:
    FakeApi.calls, FakeApi.fails = [], None
    monkeypatch.setattr(train.run.hub, "HfApi", FakeApi)
    monkeypatch.setattr(train.run.hub, "get_token", lambda: "a token")
    return FakeApi


def test_nothing_is_uploaded_by_default(recipe: Callable[..., Recipe], api: type[FakeApi]) -> None:
    run(recipe(steps=1))
    assert api.calls == []


def test_it_is_uploaded_privately_for_who_asks(
    recipe: Callable[..., Recipe], api: type[FakeApi], capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = recipe(steps=1, hub="me/traces")
    run(chosen)
    (created, create), (uploaded, upload) = api.calls
    assert (created, create) == ("create", {"name": "me/traces", "private": True, "exist_ok": True})
    assert (uploaded, upload["repo_id"], upload["folder_path"]) == ("upload", "me/traces", Path(chosen.output))
    assert {"wandb/*", ".*", "checkpoint-*"} <= set(upload["ignore_patterns"])
    assert "uploaded to https://hub.example/me/traces" in capsys.readouterr().out


def test_an_upload_that_fails_costs_one_line_and_not_the_run(recipe: Callable[..., Recipe], api: type[FakeApi]) -> None:
    api.fails = ConnectionError("no route\nto host")
    chosen = recipe(steps=1, hub="me/traces")
    with pytest.raises(UserError, match=r"^hub: me/traces: .*no route to host.*hf upload me/traces"):
        run(chosen)
    assert run(chosen).steps == 1, "it is finished all the same"


def test_what_would_fail_at_the_end_is_reported_at_the_beginning(
    recipe: Callable[..., Recipe], api: type[FakeApi], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train.run.hub, "get_token", lambda: None)
    for name in ("traces", "me/tra ces", "a/b/c"):
        with pytest.raises(UserError, match=f"hub: {name}: .*; hub: .*token"):
            run(recipe(hub=name))
    with pytest.raises(UserError, match=r"^model.hub_id: models/a/b: OWNER/NAME"):
        run(recipe(model=recipe().model.model_dump() | {"hub_id": "models/a/b"}))
    assert not Path(recipe().output).exists()
    assert api.calls == []
