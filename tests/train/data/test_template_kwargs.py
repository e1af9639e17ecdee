"""``chat_template_kwargs``: the prompt of training is that of evaluation, and what is trained is shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from eval.backends.model_folder import FolderBackend
from eval.backends.model_inputs import TextPrompts
from eval.backends.protocol import GenerationSettings, Request
from eval.backends.server_backend import ServerBackend
from eval.evaluation import make_backend
from eval.run.eval_recipe import make_eval_recipe
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Sequence
from srt.llm.config import EndpointConfig
from train.data.examples import IGNORED, Example
from train.data.label_view import label_view
from train.data.token_cache import CachedTokens, make_encoder, read_examples
from train.models.init_model import init_model, sequence_texts
from train.models.model_files import load_tokenizer_and_processor
from train.recipe import Recipe
from train.run.run_manifest import fingerprint, fingerprint_hash, template_kwargs
from train.run.usage_snippet import usage_snippet

Make = Callable[..., Recipe]
SWITCHES = {"qwen3": False, "qwen3_5_text": False, "gemma4_text": True}
"""The value of ``enable_thinking`` that is not the default of a family's template."""
ENDS = {
    ("qwen3", None): "<|im_start|>assistant\n",
    ("qwen3", False): "<|im_start|>assistant\n<think>\n\n</think>\n\n",
    ("qwen3_5_text", None): "<|im_start|>assistant\n<think>\n",
    ("qwen3_5_text", False): "<|im_start|>assistant\n<think>\n\n</think>\n\n",
    ("gemma4_text", None): "<|turn>model\n",
    ("gemma4_text", True): "<|turn>model\n",
}


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory, data: Path) -> dict[str, Path]:
    """Tiny models with the templates that TRL ships of their families."""
    folder = tmp_path_factory.mktemp("switches")
    for arch in (*SWITCHES, "qwen3_vl"):
        shape = {"hidden": 16, "layers": 1, "heads": 2, "vocab": 400}
        init_model(arch, sequence_texts([data]), folder / arch, **shape)
    return {path.name: path for path in folder.iterdir()}


def first(made: Recipe) -> tuple[Sequence, Example, Any]:
    tokenizer, processor = load_tokenizer_and_processor(made.model.path)
    sequence = next(read_records(made.data_file, Sequence))
    return sequence, read_examples(made, tokenizer, processor)[0], tokenizer


@pytest.mark.parametrize("given", [True, False], ids=["switched", "default"])
@pytest.mark.parametrize("arch", SWITCHES)
def test_training_and_evaluation_have_the_same_prompt(
    arch: str, given: bool, folders: dict[str, Path], recipe: Make
) -> None:
    kwargs = {"enable_thinking": SWITCHES[arch]} if given else {}
    sequence, example, tokenizer = first(recipe(model={"path": str(folders[arch])}, chat_template_kwargs=kwargs))
    trained = example.input_ids[example.labels == IGNORED].tolist()
    assert tokenizer.decode(trained).endswith(ENDS[arch, kwargs.get("enable_thinking")])
    values = {"model": str(folders[arch]), "problems": "p.jsonl", "output": "o", "chat_template_kwargs": kwargs}
    backend = make_backend(make_eval_recipe(values))
    assert isinstance(backend, FolderBackend)
    request = Request(backend.render(sequence.prompt, 0))
    assert backend._prompts(GenerationSettings()).make(request).ids == trained
    # The switch does something.
    other = FolderBackend(folders[arch], None, {} if given else {"enable_thinking": SWITCHES[arch]})
    assert TextPrompts(tokenizer).make(Request(other.render(sequence.prompt, 0))).ids != trained


def test_a_model_is_asked_as_it_was_trained(folders: dict[str, Path], recipe: Make, tmp_path: Path) -> None:
    made = recipe(model={"path": str(folders["qwen3"])}, chat_template_kwargs={"enable_thinking": False})
    keys = fingerprint(made, 1)
    assert template_kwargs(keys) == {"enable_thinking": False}
    assert fingerprint_hash(keys) != fingerprint_hash(
        fingerprint(made.model_copy(update={"chat_template_kwargs": {}}), 1)
    )
    trained = tmp_path / "trained"
    trained.mkdir()
    for file in folders["qwen3"].iterdir():
        (trained / file.name).write_bytes(file.read_bytes())
    (trained / "manifest.json").write_text(json.dumps({"fingerprint": keys, "attempts": []}))
    closed = ENDS["qwen3", False]
    assert FolderBackend(trained, None).render(first(made)[0].prompt, 0).endswith(closed)
    assert not FolderBackend(trained, None, {}).render(first(made)[0].prompt, 0).endswith(closed)
    (trained / "manifest.json").unlink()
    (trained / "merge.json").write_text(json.dumps({"chat_template_kwargs": {"enable_thinking": False}}))
    assert FolderBackend(trained, None).render(first(made)[0].prompt, 0).endswith(closed)
    assert "enable_thinking=False" in usage_snippet(".", None, reads_pictures=False, kwargs={"enable_thinking": False})


def test_tokens_are_made_anew(folders: dict[str, Path], recipe: Make) -> None:
    tokenizer, processor = load_tokenizer_and_processor(str(folders["qwen3"]))

    def key(**changes: Any) -> str:
        made = recipe(model={"path": str(folders["qwen3"])}, **changes)
        return CachedTokens.of(made, make_encoder(made, tokenizer, processor)).key

    assert key() != key(chat_template_kwargs={"enable_thinking": False})


def test_a_server_is_sent_them() -> None:
    config = EndpointConfig(base_url=["http://127.0.0.1:8000/v1"])
    backend = ServerBackend("m", config, chat_template_kwargs={"enable_thinking": False})
    request = Request(backend.render([], 0))
    assert orjson.loads(request.prompt)["chat_template_kwargs"] == {"enable_thinking": False}
    assert backend.requests.body(request, GenerationSettings(), [])["chat_template_kwargs"] == {
        "enable_thinking": False
    }
    plain = ServerBackend("m", config)
    assert "chat_template_kwargs" not in plain.requests.body(Request(plain.render([], 0)), GenerationSettings(), [])


@pytest.mark.parametrize(
    ("kwargs", "named"),
    [
        ({"tools": "x"}, "tools"),
        ({"add_generation_prompt": False}, "add_generation_prompt"),
        ({"messages": "x"}, "messages"),
        ({"tokenize": True}, "tokenize"),
        ({"not a name": 1}, "not a name"),
        ({"enable_thinking": [True]}, "chat_template_kwargs"),
        ({"enable_thinking": None}, "chat_template_kwargs"),
        (["enable_thinking"], "chat_template_kwargs"),
    ],
)
def test_only_variables_with_plain_values(kwargs: Any, named: str, recipe: Make) -> None:
    with pytest.raises(UserError, match=named):
        recipe(chat_template_kwargs=kwargs)
    with pytest.raises(UserError, match=named):
        make_eval_recipe({"model": "m", "problems": "p", "output": "o", "chat_template_kwargs": kwargs})


def test_predictions_of_another_system_have_no_template() -> None:
    with pytest.raises(UserError, match="chat_template_kwargs") as raised:
        make_eval_recipe(
            {
                "backend": "file",
                "predictions": "p.csv",
                "problems": "p",
                "output": "o",
                "chat_template_kwargs": {"a": 1},
            }
        )
    assert str(raised.value).count("chat_template_kwargs") == 1


def test_the_preview_shows_what_is_trained(folders: dict[str, Path], recipe: Make, vision_data: Path) -> None:
    """Qwen3.5 opens a think block in the prompt: the steps go into it. No template touches a completion."""
    sequence, example, tokenizer = first(recipe(model={"path": str(folders["qwen3_5_text"])}))
    *steps, answer = sequence.completion[0].content.split("\n")
    shown = label_view(example, tokenizer, None, coloured=False).plain
    prompt, _, trained = shown.partition("{")
    assert prompt.endswith("<think>\n")
    assert "</think>" in trained
    assert all(step in trained for step in (*steps, answer))
    closed = recipe(model={"path": str(folders["qwen3_5_text"])}, chat_template_kwargs={"enable_thinking": False})
    _, example, tokenizer = first(closed)
    shown = label_view(example, tokenizer, None, coloured=False).plain
    assert shown.partition("{")[0].endswith("<think>\n\n</think>\n\n")
    assert "</think>" not in shown.partition("{")[2]
    # Qwen3-VL's template drops reasoning_content; ours is content, and is not rendered by it.
    seen = recipe(model={"path": str(folders["qwen3_vl"])}, data=str(vision_data), max_length=400)
    sequence, example, tokenizer = first(seen)
    shown = label_view(example, tokenizer, None, coloured=False).plain
    assert all(step in shown.partition("{")[2] for step in sequence.completion[0].content.split("\n"))
