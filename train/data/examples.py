"""Encode sequences as tokens, with a label and a role for each token."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from transformers import PreTrainedTokenizerBase

from srt.io.errors import UserError
from srt.io.records import Sequence, Span
from srt.language.model_vocabulary import VocabularyFault, refuse_ids_without_row
from srt.language.prompts import refuse_control_tokens, render_completion, render_prompt
from srt.language.template_kwargs import NO_KWARGS, TemplateKwargs
from train.data.image_tokens import Picture, PictureTokens

IGNORED = -100  # the label of a token that does not count in the loss


class Role(IntEnum):
    """What a token belongs to. Only the prompt, including its pictures, is not trained on."""

    PROMPT = 0
    OTHER = 1
    CORRELATE = 2
    CONSTRAIN = 3
    INFER = 4
    ANSWER = 5


TRAINED_ROLES = tuple(role for role in Role if role is not Role.PROMPT)


class Example(NamedTuple):
    """Prompt, completion and end-of-sequence token, and the pictures of the prompt.

    ``labels`` and ``roles`` (of :class:`Role`) are as long as ``input_ids``; in the prompt they are :data:`IGNORED` and
    ``Role.PROMPT``. The prompt has as many placeholder tokens for each picture as the picture has features.
    """

    problem_id: str
    input_ids: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int32]
    roles: npt.NDArray[np.int8]
    pictures: tuple[Picture, ...] = ()

    @property
    def trained_tokens(self) -> int:
        """How many tokens have a label."""
        return int((self.labels != IGNORED).sum())

    @property
    def picture_tokens(self) -> int:
        """How many tokens are those of pictures."""
        return sum(picture.tokens for picture in self.pictures)


def encode(
    sequence: Sequence,
    tokenizer: PreTrainedTokenizerBase,
    think: bool,
    picture_tokens: PictureTokens | None = None,
    root: Path = Path(),
    rows: int | None = None,
    kwargs: TemplateKwargs = NO_KWARGS,
) -> Example:
    """Encode one sequence. Prompt and completion are tokenized separately, as the model generates from a token border.

    A vision model needs ``picture_tokens``, and ``root``, the folder that picture paths are relative to. ``rows``: of
    the model's embedding. ``kwargs`` are variables of the chat template.

    Raises:
        UserError: a text contains a control token, an id has no row in the embedding, the spans do not fit, pictures
            for a model that reads none or other than the prompt has places for, and as
            :func:`~srt.language.prompts.render_prompt` and :func:`~srt.language.prompts.render_completion`.
    """
    trace = f"sequence of trace {sequence.trace_id}"
    if sequence.images and picture_tokens is None:
        raise UserError(
            f"{trace}: images: {tokenizer.name_or_path or 'the model'} reads only text; build the sequences without "
            "--pictures, or train a vision model"
        )
    if tokenizer.eos_token_id is None:
        raise UserError(f"{tokenizer.name_or_path}: its tokenizer has no end-of-sequence token")
    try:
        text = render_prompt(tokenizer, sequence.prompt, len(sequence.images), kwargs)
        for message in sequence.completion:
            refuse_control_tokens(tokenizer, message.content, "completion")
    except VocabularyFault as error:
        raise UserError(f"{trace}: {error}") from None
    prompt = list(tokenizer.encode(text, add_special_tokens=False))
    rendered = render_completion(text, sequence, think=think)
    written = len(sequence.completion[0].content)
    for span in sequence.spans:
        if not 0 <= span.start < span.end <= written:
            raise UserError(
                f"{trace}: spans: {span.label} is characters {span.start} to {span.end} of a completion that has "
                f"{written}; build the sequences again"
            )
    tokens = tokenizer(rendered.text, add_special_tokens=False, return_offsets_mapping=True)
    if tokenizer.eos_token_id in tokens["input_ids"]:
        raise UserError(f"{trace}: completion: it contains {tokenizer.eos_token}, where generation would stop")
    completion = [*tokens["input_ids"], tokenizer.eos_token_id]
    pictures: tuple[Picture, ...] = ()
    if picture_tokens is not None:
        pictures = picture_tokens.plan(root, sequence.images, sequence.trace_id)
        prompt = picture_tokens.expand(prompt, pictures, sequence.trace_id)
    for field, ids in (("prompt", prompt), ("completion", completion)):
        refuse_ids_without_row(tokenizer, ids, rows, f"{trace}: {field}")
    input_ids = np.array(prompt + completion, dtype=np.int32)
    labels = input_ids.copy()
    labels[: len(prompt)] = IGNORED
    roles = np.full(len(input_ids), Role.OTHER, dtype=np.int8)
    roles[: len(prompt)] = Role.PROMPT
    roles[len(prompt) : -1] = _roles(rendered.spans, tokens["offset_mapping"])
    return Example(sequence.problem_id, input_ids, labels, roles, pictures)


def _roles(spans: tuple[Span, ...], offsets: list[tuple[int, int]]) -> npt.NDArray[np.int8]:
    """The role of each token: that of the span with its last character, as a token may begin with a space."""
    bounds = np.array(offsets, dtype=np.int64).reshape(-1, 2)
    last = np.maximum(bounds[:, 1] - 1, bounds[:, 0])
    roles = np.full(len(last), Role.OTHER, dtype=np.int8)
    for span in spans:
        roles[(span.start <= last) & (last < span.end)] = Role[span.label]
    return roles
