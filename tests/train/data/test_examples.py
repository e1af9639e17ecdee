"""What the loss sees, taken from the batches of the actual trainer."""

from __future__ import annotations

import json
import shutil
import unicodedata
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from trl import SFTTrainer

from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Message, Sequence, Span
from srt.language.prompts import prompt_ids
from train.data.batches import data_order, plan_batches
from train.data.examples import IGNORED, Role, encode
from train.data.token_cache import read_examples
from train.loop.training_arguments import make_arguments
from train.loop.trl_trainer import TraceTrainer, make_trainer
from train.models.init_model import init_model, sequence_texts
from train.models.load_model import load_model
from train.models.model_files import load_tokenizer
from train.recipe import Recipe


def build_trainer(recipe: Recipe) -> TraceTrainer:
    tokenizer = load_tokenizer(recipe.model.path)
    examples = read_examples(recipe, tokenizer)
    plan = plan_batches(recipe, examples, 1)
    arguments = make_arguments(recipe, plan)
    return make_trainer(recipe, arguments, load_model(recipe), tokenizer, examples, plan)


@pytest.mark.parametrize(
    ("template", "think", "expected"),
    [
        ("minimal", False, "{steps}\n{answer}<|end|>"),
        ("qwen2.5", False, "{steps}\n{answer}<|im_end|>"),
        ("qwen2.5", True, "<think>\n{steps}\n</think>\n\n{answer}<|im_end|>"),
        ("r1-distill", False, "{steps}\n</think>\n\n{answer}<｜end▁of▁sentence｜>"),
        ("r1-distill", True, "{steps}\n</think>\n\n{answer}<｜end▁of▁sentence｜>"),
    ],
)
def test_loss_sees_the_whole_trace_and_no_prompt(
    template: str, think: bool, expected: str, recipe: Callable[..., Recipe], models: dict[str, Path], data: Path
) -> None:
    chosen = recipe(model={"path": str(models[template]), "attn": "eager"}, think=think, max_length=2000)
    trainer = build_trainer(chosen)
    tokenizer = load_tokenizer(chosen.model.path)
    prompts, completions = {}, {}
    for sequence in read_records(data, Sequence):
        steps, _, answer = sequence.completion[0].content.rpartition("\n")
        ids = tuple(prompt_ids(tokenizer, sequence.prompt))
        prompts[ids] = sequence.problem_id
        completions[sequence.problem_id] = expected.format(steps=steps, answer=answer)
    seen = set()
    for batch in trainer.get_train_dataloader():
        for row, labels, mask in zip(batch["input_ids"], batch["labels"], batch["attention_mask"], strict=True):
            length = int(mask.sum())
            trained = (labels != IGNORED).nonzero().flatten().tolist()
            prompt = tuple(row[: trained[0]].tolist())
            assert prompt in prompts, tokenizer.decode(list(prompt))
            assert trained == list(range(trained[0], length)), "the loss sees all from the prompt's end to eos"
            assert labels[trained].tolist() == row[trained].tolist()
            assert tokenizer.decode(labels[trained]) == completions[prompts[prompt]]
            assert row[length - 1] == tokenizer.eos_token_id
            seen.add(prompts[prompt])
    assert len(seen) == 40


LABELS = st.sampled_from(["CORRELATE", "CONSTRAIN", "INFER"])
# Letters of several bytes, of which a token may hold a part; a letter and its accent that a tokenizer may join; spaces.
WORDS = st.text(st.sampled_from("abZ (1)#4:@=,约束é́😀\t"), min_size=1, max_size=25).filter(lambda text: text.strip())


@pytest.mark.parametrize(("template", "think"), [("minimal", False), ("qwen2.5", True), ("r1-distill", False)])
def test_the_tokens_of_each_role_are_the_text_of_its_span(
    template: str, think: bool, models: dict[str, Path], data: Path
) -> None:
    tokenizer = load_tokenizer(str(models[template]))
    some = next(read_records(data, Sequence))

    @settings(max_examples=60)
    @given(st.lists(st.tuples(LABELS, WORDS), min_size=1, max_size=5))
    def check(steps: list[tuple[str, str]]) -> None:
        lines = [*steps, ("ANSWER", "ANSWER: A")]
        spans, at = [], 0
        for label, line in lines:
            spans.append(Span(start=at, end=at + len(line), label=label))  # type: ignore[arg-type]
            at += len(line) + 1
        completion = [Message(role="assistant", content="\n".join(line for _, line in lines))]
        example = encode(some.model_copy(update={"completion": completion, "spans": spans}), tokenizer, think)
        trained = example.roles != Role.PROMPT
        assert (trained == (example.labels != IGNORED)).all()
        assert (example.labels[trained] == example.input_ids[trained]).all()
        runs = [
            (Role(role).name, tokenizer.decode([token for _, token in run]))
            for role, run in groupby(
                zip(example.roles[trained], example.input_ids[trained], strict=True), lambda x: x[0]
            )
        ]
        told = [(label, unicodedata.normalize("NFC", text.strip())) for label, text in runs if label != "OTHER"]
        assert told == [(label, unicodedata.normalize("NFC", line.strip())) for label, line in lines]
        assert all(not text.strip("\n \t") or text.strip() in OUTSIDE for label, text in runs if label == "OTHER")

    check()


def test_a_token_that_begins_before_a_span_belongs_to_it(data: Path, tmp_path: Path) -> None:
    init_model("llama", sequence_texts([data]), tmp_path, hidden=16, layers=1, heads=2, vocab=450, pieces="placements")
    tokenizer = load_tokenizer(str(tmp_path))
    example = encode(next(read_records(data, Sequence)), tokenizer, False)
    pieces = [tokenizer.decode([token]) for token in example.input_ids]
    assert [Role(example.roles[at]) for at, piece in enumerate(pieces) if piece.startswith("\nINFER")] == [Role.INFER]
    assert [Role(example.roles[at]) for at, piece in enumerate(pieces) if piece.startswith("\nANSWER")] == [Role.ANSWER]


OUTSIDE = ("<think>", "</think>", "<|end|>", "<|im_end|>", "<｜end▁of▁sentence｜>")


def test_loss_on_a_processor_is_that_of_trl(recipe: Callable[..., Recipe]) -> None:
    trainer = build_trainer(recipe())
    batch: Any = next(iter(trainer.get_train_dataloader()))
    batch["labels"][0] = IGNORED  # a row without a label must not disturb the others
    for count in (None, torch.tensor(77)):
        with torch.no_grad():
            ours = trainer.compute_loss(trainer.model, dict(batch), num_items_in_batch=count)
            theirs = SFTTrainer.compute_loss(trainer, trainer.model, dict(batch), num_items_in_batch=count)
        torch.testing.assert_close(ours, theirs)


def test_arms_see_the_same_problems_in_the_same_batches(
    recipe: Callable[..., Recipe], models: dict[str, Path], data: Path, tmp_path: Path
) -> None:
    other = [
        s.model_copy(
            update={"arm": "answer", "completion": [Message(role="assistant", content="ANSWER: A")], "spans": []}
        )
        for s in read_records(data, Sequence)
    ]
    write_records(tmp_path / "answer.jsonl", reversed(other))
    tokenizer = load_tokenizer(str(models["minimal"]))
    batches = []
    for path in (data, tmp_path / "answer.jsonl"):
        examples = read_examples(recipe(data=str(path)), tokenizer)
        order = data_order(examples, seed=3, batch_size=16, steps=7).ravel().tolist()
        batches.append([{examples[i].problem_id for i in order[at : at + 16]} for at in range(0, 112, 16)])
        first = [examples[i].problem_id for i in order[:40]]
        assert len(set(first)) == 40 or len({p for b in batches[-1][:2] for p in b}) == 32
    assert batches[0] == batches[1]
    assert data_order(examples, 4, 16, 7).ravel().tolist() != order


def test_faults_of_data(recipe: Callable[..., Recipe], models: dict[str, Path], data: Path, tmp_path: Path) -> None:
    tokenizer = load_tokenizer(str(models["minimal"]))
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    with pytest.raises(UserError, match=r"empty\.jsonl: "):
        read_examples(recipe(data=str(empty)), tokenizer)
    with pytest.raises(UserError, match=r"max_length: 40 of 40 .* 20 "):
        read_examples(recipe(max_length=20), tokenizer)
    with pytest.raises(UserError, match=r"none\.jsonl"):
        read_examples(recipe(data=str(tmp_path / "none.jsonl")), tokenizer)
    sequence = next(read_records(data, Sequence))
    with pytest.raises(UserError, match=r"completion"):
        encode(sequence.model_copy(update={"completion": []}), tokenizer, False)
    tokenizer.chat_template = None
    with pytest.raises(UserError, match=r"chat template"):
        encode(sequence, tokenizer, False)


def test_a_completion_that_ends_before_its_end(data: Path, models: dict[str, Path]) -> None:
    tokenizer = load_tokenizer(str(models["qwen2.5"]))
    whole = next(iter(read_records(data, Sequence)))
    cut = whole.model_copy(update={"completion": [Message(role="assistant", content="So.<|im_end|>\nANSWER: A")]})
    with pytest.raises(UserError, match=r"completion: .*<\|im_end\|>"):
        encode(cut.model_copy(update={"spans": []}), tokenizer, False)


def test_a_tokenizer_without_padding(recipe: Callable[..., Recipe], models: dict[str, Path], tmp_path: Path) -> None:
    folder = shutil.copytree(models["llama3"], tmp_path / "no_padding")
    values = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
    del values["pad_token"]
    (folder / "tokenizer_config.json").write_text(json.dumps(values), encoding="utf-8")
    built = [build_trainer(recipe(model={"path": str(path)})) for path in (models["llama3"], folder)]
    first, second = (
        trainer.compute_loss(trainer.model, next(iter(trainer.get_train_dataloader()))) for trainer in built
    )
    assert load_tokenizer(str(folder)).pad_token_id is None
    assert first.item() == second.item()
