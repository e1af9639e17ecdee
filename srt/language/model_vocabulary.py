"""What a model's vocabulary makes of a text: control tokens in it, and ids that its embedding has no row for.

A tokenizer reads ``<|im_end|>`` in a problem or a trace as the token that ends a turn: the text could write turns of
its own. An id beyond the embedding is an IndexError in the first batch that has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from srt.io.errors import UserError


class VocabularyFault(UserError):
    """A text that the model would not read as it is written."""


def find_control_token(tokenizer: Any, template: str, text: str, but: tuple[str, ...] = ()) -> str | None:
    """The first control token in ``text``, if there is one.

    Control tokens are the special tokens of ``tokenizer``, and what else of its added tokens begins with ``<`` or ``[``
    and stands in its chat ``template`` (R1-Distill does not mark all of its own as special). Those in ``but`` may stay.
    In a mock without added tokens nothing is found.
    """
    if not hasattr(type(tokenizer), "added_tokens_decoder"):
        return None
    pattern, normalize = _control_tokens(tokenizer, len(tokenizer), template, but)
    if pattern is None:
        return None
    found = pattern.search(text) or (pattern.search(normalize(text)) if normalize else None)
    return found[0] if found else None


def refuse_ids_without_row(tokenizer: Any, ids: Iterable[int], rows: int | None, field: str) -> None:
    """Look for ``ids`` beyond an embedding of so many ``rows``; ``None``: it is not known how many.

    Raises:
        VocabularyFault: there is one; the largest is named.
    """
    if rows is not None and (largest := max(ids, default=0)) >= rows:
        raise VocabularyFault(
            f"{field}: its token {tokenizer.convert_ids_to_tokens(largest)} has the id {largest}, and the embedding of "
            f"the model has {rows} rows (vocab_size in config.json): the tokenizer is that of another model, or tokens "
            "were added to it and the model was not resized"
        )


@lru_cache(maxsize=4)
def _control_tokens(
    tokenizer: Any, _size: int, template: str, but: tuple[str, ...]
) -> tuple[re.Pattern[str] | None, Callable[[str], str] | None]:
    """What matches a control token; and, where some are looked for in the normalized text, what normalizes it."""
    tokens = [
        token
        for token in tokenizer.added_tokens_decoder.values()
        if token.content not in but
        and token.content.strip()
        and (token.special or (token.content[0] in "<[" and token.content in template))
    ]
    if not tokens:
        return None, None
    longest_first = sorted((token.content for token in tokens), key=len, reverse=True)
    backend = getattr(tokenizer, "backend_tokenizer", None)
    normalizer = backend.normalizer if backend is not None and any(token.normalized for token in tokens) else None
    return re.compile("|".join(map(re.escape, longest_first))), normalizer.normalize_str if normalizer else None
