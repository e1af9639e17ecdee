"""Likeness of texts by a model that the user names, behind an OpenAI-compatible ``/embeddings`` endpoint."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import openai
from numpy.typing import NDArray

from srt.curate.curation_records import Embeddings
from srt.curate.entries import Entry
from srt.curate.shingles import unnumbered
from srt.io.errors import UserError

_BATCH = 64
_ROWS = 1024
_LONGEST = 8000


class EmbeddingModel:
    """Cosine of two texts' vectors (negative ones count as 0). Vectors are kept in half precision.

    Raises:
        UserError: no key in the environment, or an endpoint that does not answer as it should.
    """

    def __init__(self, config: Embeddings) -> None:
        key = os.environ.get(config.api_key_env) or ("none" if config.base_url else None)
        if key is None:
            raise UserError(f"embeddings: the environment variable {config.api_key_env} holds no key")
        self._config = config
        self._client = openai.OpenAI(base_url=config.base_url, api_key=key, timeout=60, max_retries=3)
        self._vectors: dict[str, NDArray[np.float16]] = {}

    def prepare(self, entries: Iterable[Entry]) -> None:
        """Embeds every text once."""
        texts = [text for text in dict.fromkeys(map(_text, entries)) if text not in self._vectors]
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            for text, vector in zip(batch, self._embed(batch), strict=True):
                self._vectors[text] = vector

    def score(self, one: Entry, other: Entry) -> float:
        """The cosine of the vectors."""
        first, second = self._vectors[_text(one)], self._vectors[_text(other)]
        return max(0.0, float(np.dot(first.astype(np.float32), second.astype(np.float32))))

    def pairs(self, entries: Sequence[Entry], least: float, most: int) -> Iterator[tuple[Entry, Entry]]:
        """Blocks of a thousand against all that stand before them, as products of matrices."""
        if not entries:
            return
        matrix = np.stack([self._vectors[_text(one)] for one in entries])
        for start in range(0, len(entries), _ROWS):
            block = matrix[start : start + _ROWS].astype(np.float32)
            for before in range(0, start + len(block), _ROWS):
                cosines = block @ matrix[before : before + _ROWS].astype(np.float32).T
                # A little below, for what half precision rounds away; score() decides.
                for row, column in _most_a_row(cosines >= least - 1e-3, most):
                    if before + column < start + row:
                        yield entries[before + column], entries[start + row]

    def _embed(self, texts: list[str]) -> NDArray[np.float16]:
        try:
            reply = self._client.embeddings.create(model=self._config.model, input=texts, encoding_format="float")
        except openai.OpenAIError as error:
            where = self._config.base_url or "the OpenAI endpoint"
            reason = " ".join(str(error).split())[:200]
            raise UserError(f"embeddings: {self._config.model} at {where}: {reason}") from None
        vectors = np.zeros((len(texts), 0), np.float32)
        rows = {item.index: item.embedding for item in reply.data}
        if rows.keys() == set(range(len(texts))) and len({len(row) for row in rows.values()}) == 1:
            vectors = np.array([rows[number] for number in range(len(texts))], dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not vectors.shape[1] or not np.isfinite(lengths).all() or (lengths == 0).any():
            raise UserError(f"embeddings: {self._config.model} gave no vector for each of {len(texts)} texts")
        unit: NDArray[np.float16] = (vectors / lengths).astype(np.float16)
        return unit


def _text(one: Entry) -> str:
    return unnumbered(one.compared)[:_LONGEST] or "-"


def _most_a_row(alike: NDArray[np.bool_], most: int) -> Iterator[tuple[int, int]]:
    for row, flags in enumerate(alike):
        for column in np.flatnonzero(flags)[:most]:
            yield row, int(column)
