"""A tokenizer is looked at and used once in a process with bounds, before it is used here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from srt.io.errors import UserError
from srt.untrusted import trial
from srt.untrusted.trial import check_tokenizer

tokenizers = pytest.importorskip("tokenizers")

Change = Callable[[dict[str, Any]], Any]
DOUBLE = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tokenizer of bytes."""
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    words = tokenizers.Tokenizer(tokenizers.models.BPE({sign: n for n, sign in enumerate(alphabet)}, []))
    words.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.add_special_tokens(["<end>"])
    words.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def changed(folder: Path, change: Change) -> None:
    file = folder / "tokenizer.json"
    values = json.loads(file.read_text())
    change(values)
    file.write_text(json.dumps(values))


def added(**fields: Any) -> Change:
    return lambda values: values["added_tokens"].append({**values["added_tokens"][0], **fields})


def test_a_good_one_passes_and_is_tried_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Any] = []
    monkeypatch.setattr(trial, "_ask", lambda *asked: tried.append(asked))
    check_tokenizer(folder)
    check_tokenizer(folder)
    assert len(tried) == 1
    monkeypatch.undo()
    changed(folder, added(id=300, content="<more>"))
    check_tokenizer(folder)
    check_tokenizer(folder.parent / "without one")


@pytest.mark.parametrize("identity", [-1, "x", None, 1.5, True, 10**7, 2**64, [], {"a": "\x1b[2J"}])
def test_an_added_token_with_a_bad_id_is_one_line(folder: Path, identity: Any) -> None:
    changed(folder, added(id=identity))
    with pytest.raises(UserError) as raised:
        check_tokenizer(folder)
    assert str(raised.value).startswith(f"{folder / 'tokenizer.json'}: added_tokens.1.id: ")
    assert str(raised.value).isprintable()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (added(content=7), "added_tokens.1.content: "),
        (lambda values: values["added_tokens"].append("x"), "added_tokens.1: "),
        (lambda values: values.update(added_tokens={"x": 1}), "added_tokens: "),
        (lambda values: values.update(added_tokens=[{}] * 50_001), "added_tokens: "),
        pytest.param(
            lambda values: values.update(normalizer={"type": "Sequence", "normalizers": [DOUBLE] * 60}),
            "processor time, or",
            marks=pytest.mark.long,
        ),
        (lambda values: values.update(normalizer=DOUBLE | {"content": "a" * 1000}), "makes more than"),
    ],
)
def test_what_goes_beyond_the_bounds_is_one_line(folder: Path, change: Change, named: str) -> None:
    changed(folder, change)
    with pytest.raises(UserError) as raised:
        check_tokenizer(folder)
    assert str(raised.value).startswith(f"{folder / 'tokenizer.json'}: ")
    assert named in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, "\udcff"])
def test_a_file_that_is_no_tokenizer_is_named(folder: Path, text: str) -> None:
    (folder / "tokenizer.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(UserError, match=r"tokenizer\.json: "):
        check_tokenizer(folder)


def test_a_longest_text_that_is_no_number_is_named(folder: Path) -> None:
    for length in (512, 1e30, None):
        (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": length}))
        check_tokenizer(folder)
    (folder / "tokenizer_config.json").write_text('{"model_max_length": "long"}')
    with pytest.raises(UserError, match=r"tokenizer_config\.json: model_max_length: "):
        check_tokenizer(folder)


def test_a_large_file_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "LARGEST_TOKENIZER_BYTES", 10)
    with pytest.raises(UserError, match="more than 10 bytes"):
        check_tokenizer(folder)
