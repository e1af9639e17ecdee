"""Tokens are made once for all processes, and used only if they are complete and fit."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest

import train.data.encode_file
from srt.io.errors import RecordError, UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Message, Sequence
from train.data.encode_file import Encoder
from train.data.examples import Example, encode
from train.data.image_tokens import PictureFault
from train.data.token_cache import CachedTokens, make_encoder, read_examples
from train.data.token_table import TokenizedExamples
from train.models.model_files import load_tokenizer, load_tokenizer_and_processor
from train.recipe import Recipe

MANY = 1700  # sequences: several parts, so that several processes encode
FORK = multiprocessing.get_context("fork")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "srt-tokens"


@pytest.fixture
def read(recipe: Callable[..., Recipe]) -> Callable[..., TokenizedExamples]:
    def read_with(**changes: Any) -> TokenizedExamples:
        chosen = recipe(**changes)
        return read_examples(chosen, *load_tokenizer_and_processor(chosen.model.path))

    return read_with


@pytest.fixture
def many(data: Path, tmp_path: Path) -> Path:
    sequences = list(read_records(data, Sequence))
    copies = [sequences[at % 40].model_copy(update={"problem_id": f"q{at}"}) for at in range(MANY)]
    write_records(tmp_path / "many.jsonl", copies)
    return tmp_path / "many.jsonl"


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], int]:
    """How many sequences have been encoded, by whatever process."""
    log = tmp_path / "encoded"
    log.touch()

    def counting(*arguments: Any) -> Example:
        with open(log, "ab") as file:
            file.write(b".")
        return encode(*arguments)

    monkeypatch.setattr(train.data.encode_file, "encode", counting)
    return lambda: log.stat().st_size


def assert_same(some: Any, others: Any) -> None:
    for one, other in zip(some, others, strict=True):
        assert one.problem_id == other.problem_id
        assert one.pictures == other.pictures
        for field in ("input_ids", "labels", "roles"):
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field), strict=True)


def test_a_second_start_encodes_nothing(
    read: Callable[..., TokenizedExamples], encoded: Callable[[], int], data: Path, models: dict[str, Path]
) -> None:
    first = read()
    assert encoded() == 40
    assert_same(read(max_length=150, batch_size=4), first)
    assert encoded() == 40
    tokenizer = load_tokenizer(str(models["minimal"]))
    assert_same(first, [encode(sequence, tokenizer, False) for sequence in read_records(data, Sequence)])
    assert first.lengths.tolist() == [len(example.input_ids) for example in first]
    assert first.trained_tokens.tolist() == [example.trained_tokens for example in first]
    assert first.tokens_by_role().sum() == first.lengths.sum()


def test_the_table_keeps_pictures(vision_recipe: Callable[..., Recipe], vision_data: Path) -> None:
    chosen = vision_recipe()
    tokenizer, processor = load_tokenizer_and_processor(chosen.model.path)
    encoder = make_encoder(chosen, tokenizer, processor)
    assert_same(read_examples(chosen, tokenizer, processor), map(encoder, read_records(vision_data, Sequence)))


def test_what_tokens_depend_on_is_in_the_key(
    recipe: Callable[..., Recipe],
    vision_recipe: Callable[..., Recipe],
    models: dict[str, Path],
    data: Path,
    vision_data: Path,
    tmp_path: Path,
) -> None:
    def key(chosen: Recipe, change: Callable[[Any], None] = lambda tokenizer: None) -> str:
        tokenizer, processor = load_tokenizer_and_processor(chosen.model.path)
        change(tokenizer)
        return CachedTokens.of(chosen, make_encoder(chosen, tokenizer, processor)).key

    def new_template(tokenizer: Any) -> None:
        tokenizer.chat_template += " "

    def padded_before(tokenizer: Any) -> None:
        tokenizer(["a", "a b"], padding=True, truncation=True, max_length=4)

    (tmp_path / "other.jsonl").write_bytes(data.read_bytes() + b"\n")
    shutil.copyfile(data, tmp_path / "copy.jsonl")
    keys = [
        key(recipe()),
        key(recipe(think=True)),
        key(recipe(data=str(tmp_path / "other.jsonl"))),
        key(recipe(model={"path": str(models["qwen2.5"])})),
        key(recipe(), new_template),
        key(vision_recipe()),
        key(vision_recipe(pictures={"max_pixels": 12_544})),
    ]
    assert len(set(keys)) == len(keys)
    same = {"max_length": 300, "pack": 300, "seed": 4, "data": str(tmp_path / "copy.jsonl"), "lora": {"r": 4}}
    assert key(recipe(**same), padded_before) == keys[0]


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    "damage",
    [
        lambda arrow, note: flip(arrow),
        lambda arrow, note: arrow.write_bytes(arrow.read_bytes()[:-100]),
        lambda arrow, note: arrow.unlink(),
        lambda arrow, note: note.unlink(),
        lambda arrow, note: note.write_text("{}"),
    ],
    ids=["a bit", "its end", "all", "no note", "another note"],
)
def test_damaged_tokens_are_made_again(
    damage: Callable[[Path, Path], None],
    read: Callable[..., TokenizedExamples],
    encoded: Callable[[], int],
    cache: Path,
    data: Path,
    models: dict[str, Path],
) -> None:
    read()
    [arrow], [note] = cache.glob("*.arrow"), cache.glob("*.json")
    damage(arrow, note)
    tokenizer = load_tokenizer(str(models["minimal"]))
    assert_same(read(), [encode(sequence, tokenizer, False) for sequence in read_records(data, Sequence)])
    assert encoded() == 80
    read()
    assert encoded() == 80


def test_nothing_of_a_killed_process_is_believed(
    read: Callable[..., TokenizedExamples],
    recipe: Callable[..., Recipe],
    encoded: Callable[[], int],
    many: Path,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parent, make_batch = os.getpid(), train.data.encode_file.make_batch
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0})

    def killed(examples: Any) -> Any:
        if os.getpid() != parent and encoded() > 1000:
            os.kill(os.getpid(), signal.SIGKILL)
        return make_batch(examples)

    monkeypatch.setattr(train.data.encode_file, "make_batch", killed)
    child = FORK.Process(target=read, kwargs={"data": str(many)})
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert [path.suffix for path in cache.iterdir() if path.suffix != ".lock"] == [".tmp"]
    before = encoded()
    assert len(read(data=str(many))) == MANY
    assert encoded() - before == MANY
    assert not [path for path in cache.iterdir() if path.suffix == ".tmp"]


def test_two_at_the_same_time_make_them_once(
    read: Callable[..., TokenizedExamples], encoded: Callable[[], int], many: Path
) -> None:
    children = [FORK.Process(target=read, kwargs={"data": str(many)}) for _ in range(3)]
    for child in children:
        child.start()
    for child in children:
        child.join()
        assert child.exitcode == 0
    assert encoded() == MANY


def test_other_processes_wait_for_the_first(
    read: Callable[..., TokenizedExamples], encoded: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_RANK", "1")
    other = FORK.Process(target=read)
    other.start()
    time.sleep(1)
    assert other.is_alive()
    assert encoded() == 0
    monkeypatch.setenv("LOCAL_RANK", "0")
    read()
    other.join(60)
    assert other.exitcode == 0
    assert encoded() == 40


def test_all_cores_make_what_one_makes(
    read: Callable[..., TokenizedExamples],
    recipe: Callable[..., Recipe],
    many: Path,
    models: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(3)))
    before = os.environ.get("TOKENIZERS_PARALLELISM")
    examples = read(data=str(many))
    assert os.environ.get("TOKENIZERS_PARALLELISM") == before
    tokenizer = load_tokenizer(str(models["minimal"]))
    assert_same(examples, [encode(sequence, tokenizer, False) for sequence in read_records(many, Sequence)])
    lines = capfd.readouterr().err.splitlines()
    assert lines[-1] == f"tokenizing many.jsonl: {MANY}/{MANY}"
    assert 3 <= len(lines) <= 10


@pytest.mark.parametrize("cores", [1, 3])
def test_the_first_fault_of_the_file_is_reported(
    cores: int,
    read: Callable[..., TokenizedExamples],
    many: Path,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)))
    lines = many.read_bytes().splitlines()
    lines[1600] = b"{"
    lines[1200] = lines[1200].replace(b'"lang":"en"', b'"lang":"fr"')
    many.write_bytes(b"\n".join(lines))
    with pytest.raises(RecordError, match=r"^\S*many\.jsonl:1201: not a sequence: lang: "):
        read(data=str(many))
    sequence = next(read_records(many, Sequence)).model_copy(update={"trace_id": "bad", "completion": []})
    lines[700] = sequence.model_dump_json().encode()
    many.write_bytes(b"\n".join(lines))
    with pytest.raises(
        UserError, match=r"^\S*many\.jsonl:701: sequence of trace bad \(arm srt\): completion: expected"
    ):
        read(data=str(many))
    assert not [path for path in cache.iterdir() if path.suffix != ".lock"]


def test_a_process_killed_for_memory_is_a_line(
    read: Callable[..., TokenizedExamples], many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = os.getpid()

    def killed(self: Encoder, sequence: Sequence) -> Example:
        assert os.getpid() != parent
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    monkeypatch.setattr(Encoder, "__call__", killed)
    with pytest.raises(UserError, match=r"many\.jsonl: a process that encodes it was killed"):
        read(data=str(many))


def test_pictures_that_have_gone_since_are_noticed(
    vision_recipe: Callable[..., Recipe], vision_data: Path, tmp_path: Path
) -> None:
    shutil.copytree(vision_data.parent, tmp_path / "data")
    chosen = vision_recipe(data=str(tmp_path / "data" / vision_data.name))
    tokenizer, processor = load_tokenizer_and_processor(chosen.model.path)
    read_examples(chosen, tokenizer, processor)
    (tmp_path / "data" / "pictures" / "2-0.png").unlink()
    with pytest.raises(PictureFault, match=r"trace t2: .*2-0\.png: no such file"):
        read_examples(chosen, tokenizer, processor)
    assert len(read_examples(vision_recipe(), tokenizer, processor)) == 24


def test_a_cache_that_cannot_be_made(
    read: Callable[..., TokenizedExamples], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.parent.write_text("a file")
    with pytest.raises(UserError, match=r"srt-tokens: .* set HF_DATASETS_CACHE\)"):
        read()


def test_a_selection(read: Callable[..., TokenizedExamples]) -> None:
    examples = read()
    keep = np.arange(40) % 3 == 1
    some = examples.select(keep, [])
    assert_same(some, [example for example, kept in zip(examples, keep, strict=True) if kept])
    twice = some.select(np.arange(len(some)) > 5, [])
    assert_same(twice, some[6:])
    assert twice.column["problem_id"].to_pylist() == [twice.problem_id(at) for at in range(len(twice))]
    assert twice.lengths.tolist() == [len(example.input_ids) for example in twice]
    assert_same([twice[-1]], some[-1:])
    with pytest.raises(IndexError):
        twice[len(twice)]


def test_an_empty_completion_message(read: Callable[..., TokenizedExamples], data: Path, tmp_path: Path) -> None:
    """Rows without a token of some kind keep their bounds."""
    first, *others = read_records(data, Sequence)
    empty = first.model_copy(update={"completion": [Message(role="assistant", content="")], "spans": []})
    write_records(tmp_path / "some.jsonl", [empty, *others])
    examples = read(data=str(tmp_path / "some.jsonl"))
    assert examples[0].trained_tokens == 1
    assert_same(examples[1:], read()[1:])
