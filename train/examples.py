"""From sequences to the tokens that training sees: what each is trained on, and what it belongs to."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from transformers import PreTrainedTokenizerBase

from srt.errors import UserError
from srt.jsonl import read_records
from srt.prompts import prompt_ids, render_completion, render_prompt
from srt.records import Sequence, Span
from train.recipe import Recipe

IGNORED = -100  # the label of a token that the loss does not see


class Role(IntEnum):
    """What a token belongs to. Only a token of the prompt is not trained on."""

    PROMPT = 0
    BETWEEN = 1
    CORRELATE = 2
    CONSTRAIN = 3
    INFER = 4
    ANSWER = 5


class Example(NamedTuple):
    """Prompt, completion and end-of-sequence token.

    ``labels`` and ``roles`` (of :class:`Role`) are as long as ``input_ids``; of the prompt they are :data:`IGNORED` and
    ``Role.PROMPT``.
    """

    problem_id: str
    input_ids: list[int]
    labels: list[int]
    roles: list[int]


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
    tokens = tokenizer(rendered.text, add_special_tokens=False, return_offsets_mapping=True)
    completion = [*tokens["input_ids"], tokenizer.eos_token_id]
    return Example(
        problem_id=sequence.problem_id,
        input_ids=prompt + completion,
        labels=[IGNORED] * len(prompt) + completion,
        roles=[int(Role.PROMPT)] * len(prompt) + _roles(rendered.spans, tokens["offset_mapping"]) + [int(Role.BETWEEN)],
    )


def _roles(spans: list[Span], offsets: list[tuple[int, int]]) -> list[int]:
    """The role of each token: that of the span with its last character, for the space before a word is part of it."""
    roles = []
    for start, end in offsets:
        last = max(end - 1, start)
        label = next((span.label for span in spans if span.start <= last < span.end), None)
        roles.append(int(Role[label]) if label else int(Role.BETWEEN))
    return roles
