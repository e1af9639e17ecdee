"""From sequences to the tokens that training sees: what each is trained on, and what it belongs to."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from transformers import PreTrainedTokenizerBase, ProcessorMixin

from srt.errors import UserError
from srt.jsonl import read_records
from srt.prompts import prompt_ids, render_completion, render_prompt
from srt.records import Sequence, Span
from train.pictures import Picture, PictureTokens
from train.recipe import Recipe

IGNORED = -100  # the label of a token that the loss does not see


class Role(IntEnum):
    """What a token belongs to. Only a token of the prompt, its pictures included, is not trained on."""

    PROMPT = 0
    BETWEEN = 1
    CORRELATE = 2
    CONSTRAIN = 3
    INFER = 4
    ANSWER = 5


class Example(NamedTuple):
    """Prompt, completion and end-of-sequence token, and the pictures that the prompt shows.

    ``labels`` and ``roles`` (of :class:`Role`) are as long as ``input_ids``; of the prompt they are :data:`IGNORED` and
    ``Role.PROMPT``. Of each of the ``pictures`` the prompt has as many placeholder tokens as its features will fill.

    Arrays, because every process of a run holds all of the data: nine bytes a token, where lists of numbers take about
    seventy.
    """

    problem_id: str
    input_ids: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int32]
    roles: npt.NDArray[np.int8]
    pictures: tuple[Picture, ...] = ()


def read_examples(
    recipe: Recipe, tokenizer: PreTrainedTokenizerBase, processor: ProcessorMixin | None = None
) -> list[Example]:
    """The examples of ``recipe.data``, in the order of the file.

    A vision model gives its ``processor``, in which the limits of ``recipe.pictures`` are set; sequences without
    pictures are text to it.

    Raises:
        UserError: no file, no sequence in it, a line that is none, a sequence longer than ``recipe.max_length`` (all
            are counted), a picture that cannot be read, pictures for a model that reads text alone, or a tokenizer
            without a chat template or an end-of-sequence token.
    """
    tokens = None if processor is None else PictureTokens(processor, recipe.pictures)
    root = Path(recipe.data).parent
    examples = [
        encode(sequence, tokenizer, recipe.think, tokens, root) for sequence in read_records(recipe.data, Sequence)
    ]
    if not examples:
        raise UserError(f"{recipe.data}: no sequence to train on, the file is empty")
    longest = max(examples, key=lambda example: len(example.input_ids))
    too_long = sum(len(example.input_ids) > recipe.max_length for example in examples)
    if too_long:
        pictures = sum(picture.tokens for picture in longest.pictures)
        raise UserError(
            f"{recipe.data}: {too_long} of {len(examples)} sequences have more than max_length = {recipe.max_length} "
            f"tokens (the longest {len(longest.input_ids)}, {f'{pictures} of them pictures, ' if pictures else ''}"
            f"problem {longest.problem_id}); raise max_length{', lower pictures.max_pixels' if pictures else ''} "
            "or leave them out"
        )
    return examples


def encode(
    sequence: Sequence,
    tokenizer: PreTrainedTokenizerBase,
    think: bool,
    picture_tokens: PictureTokens | None = None,
    root: Path = Path(),
) -> Example:
    """One example. Prompt and completion are tokenized apart: the model generates from a border of tokens too.

    A vision model gives ``picture_tokens``, and ``root``, the folder that the paths of pictures are relative to.
    """
    trace = f"sequence of trace {sequence.trace_id}"
    if sequence.images and picture_tokens is None:
        raise UserError(
            f"{trace}: images: {tokenizer.name_or_path or 'the model'} reads text alone; build the sequences without "
            "--pictures, or train a vision model"
        )
    if tokenizer.eos_token_id is None:
        raise UserError(f"{tokenizer.name_or_path}: its tokenizer has no end-of-sequence token")
    text = render_prompt(tokenizer, sequence.prompt, len(sequence.images))
    prompt = prompt_ids(tokenizer, sequence.prompt, len(sequence.images))
    rendered = render_completion(text, sequence, think=think)
    tokens = tokenizer(rendered.text, add_special_tokens=False, return_offsets_mapping=True)
    if tokenizer.eos_token_id in tokens["input_ids"]:
        raise UserError(f"{trace}: completion: it contains {tokenizer.eos_token}, where an answer would be cut off")
    completion = [*tokens["input_ids"], tokenizer.eos_token_id]
    pictures: tuple[Picture, ...] = ()
    if picture_tokens is not None:
        pictures = picture_tokens.plan(root, sequence.images, sequence.trace_id)
        prompt = picture_tokens.expand(prompt, pictures, sequence.trace_id)
        if picture_tokens.image_token_id in completion:
            raise UserError(f"{trace}: completion: it contains the placeholder of a picture")
    input_ids = np.array(prompt + completion, dtype=np.int32)
    labels = input_ids.copy()
    labels[: len(prompt)] = IGNORED
    roles = np.full(len(input_ids), Role.BETWEEN, dtype=np.int8)
    roles[: len(prompt)] = Role.PROMPT
    roles[len(prompt) : -1] = _roles(rendered.spans, tokens["offset_mapping"])
    return Example(sequence.problem_id, input_ids, labels, roles, pictures)


def _roles(spans: list[Span], offsets: list[tuple[int, int]]) -> npt.NDArray[np.int8]:
    """The role of each token: that of the span with its last character, for the space before a word is part of it."""
    bounds = np.array(offsets, dtype=np.int64).reshape(-1, 2)
    last = np.maximum(bounds[:, 1] - 1, bounds[:, 0])
    roles = np.full(len(last), Role.BETWEEN, dtype=np.int8)
    for span in spans:
        roles[(span.start <= last) & (last < span.end)] = Role[span.label]
    return roles
