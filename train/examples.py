"""From sequences to the tokens and labels that training sees, and the order in which it sees them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from transformers import PreTrainedTokenizerBase

from srt.errors import UserError
from srt.jsonl import read_records
from srt.prompts import prompt_ids, render_completion, render_prompt
from srt.records import Sequence
from train.recipe import Recipe

IGNORED = -100  # the label of a token that the loss does not see


class Example(NamedTuple):
    """Prompt, completion and end-of-sequence token. ``labels`` is as long as ``input_ids``, prompt :data:`IGNORED`."""

    problem_id: str
    input_ids: list[int]
    labels: list[int]


def read_examples(recipe: Recipe, tokenizer: PreTrainedTokenizerBase) -> list[Example]:
    """The examples of ``recipe.data``, in the order of the file.

    Raises:
        UserError: no file, no sequence in it, a line that is none, a sequence longer than ``recipe.max_length`` (all
            are counted), or a tokenizer without a chat template or an end-of-sequence token.
    """
    examples = [encode(sequence, tokenizer, recipe.think) for sequence in read_records(recipe.data, Sequence)]
    if not examples:
        raise UserError(f"{recipe.data}: no sequence to train on, the file is empty")
    longest = max(examples, key=lambda example: len(example.input_ids))
    too_long = sum(len(example.input_ids) > recipe.max_length for example in examples)
    if too_long:
        raise UserError(
            f"{recipe.data}: {too_long} of {len(examples)} sequences have more than max_length = {recipe.max_length} "
            f"tokens (the longest {len(longest.input_ids)}, problem {longest.problem_id}); "
            "raise max_length or leave them out"
        )
    return examples


def encode(sequence: Sequence, tokenizer: PreTrainedTokenizerBase, think: bool) -> Example:
    """One example. Prompt and completion are tokenized apart: the model generates from a border of tokens too."""
    if sequence.images:
        raise UserError(f"sequence of trace {sequence.trace_id}: images: only text models can be trained")
    if tokenizer.eos_token_id is None:
        raise UserError(f"{tokenizer.name_or_path}: its tokenizer has no end-of-sequence token")
    prompt = prompt_ids(tokenizer, sequence.prompt)
    rendered = render_completion(render_prompt(tokenizer, sequence.prompt), sequence, think=think)
    completion = [*tokenizer.encode(rendered.text, add_special_tokens=False), tokenizer.eos_token_id]
    return Example(sequence.problem_id, prompt + completion, [IGNORED] * len(prompt) + completion)


def data_order(examples: list[Example], seed: int, batch_size: int, steps: int) -> list[int]:
    """Which example stands where: ``batch_size * steps`` indices into ``examples``.

    Each time through the data is shuffled by a hash of (seed, round, problem, how many of that problem came before), so
    that arms with the same problems see the same problems in the same batches, however their files are sorted. Within a
    batch the longest come first: the sum over a batch is the same in any order, and micro-batches of one length waste
    the least padding.
    """
    keys: list[str] = []
    copies: dict[str, int] = {}
    for example in examples:
        copy = copies[example.problem_id] = copies.get(example.problem_id, 0) + 1
        keys.append(f"{copy}/{example.problem_id}")
    stream = _rounds(keys, seed)
    order: list[int] = []
    for _ in range(steps):
        batch = [next(stream) for _ in range(batch_size)]
        order += sorted(batch, key=lambda index: (-len(examples[index].input_ids), keys[index]))
    return order


def _rounds(keys: list[str], seed: int) -> Iterator[int]:
    number = 0
    while True:
        hashes = [hashlib.blake2b(f"{seed}/{number}/{key}".encode(), digest_size=16).digest() for key in keys]
        yield from sorted(range(len(keys)), key=hashes.__getitem__)
        number += 1
