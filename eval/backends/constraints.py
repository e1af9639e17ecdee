"""What a model may not write, and how it samples: the logits processors of a batch.

A :class:`Constraint` is for one row; it sees only the tokens that were generated for that row, so that a batch of N
gives the same as N single runs.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, Protocol

import torch
from transformers import LogitsProcessor, TopPLogitsWarper
from transformers.convert_slow_tokenizer import bytes_to_unicode

from eval.backends.protocol import GenerationSettings
from eval.backends.token_counts import text_of, think_state
from srt.language.prompts import THINK_CLOSES

NEVER = float("-inf")


class Constraint(Protocol):
    """What one row may write next."""

    def __call__(self, generated: Sequence[int], scores: torch.Tensor) -> None:
        """Set what is forbidden after the ids ``generated`` to ``-inf`` in ``scores`` [vocabulary], in place."""


class Constrained(LogitsProcessor):  # type: ignore[misc]
    """Applies its constraints to each row, until one of the tokens ``ends`` has ended it.

    Generated tokens begin at the column ``start``. Made anew for each batch: the rows' ids are collected step by step,
    since copying all of them at each step would take quadratic time.
    """

    def __init__(self, rows: Sequence[Sequence[Constraint]], start: int, ends: Set[int]) -> None:
        self._rows, self._start, self._ends = rows, start, ends
        self._generated: list[list[int]] = [[] for _ in rows]
        self._ended = [False] * len(rows)

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """The scores [rows, vocabulary] with what is forbidden at ``-inf``."""
        seen = self._start + len(self._generated[0])
        for row, new in enumerate(input_ids[:, seen:].tolist()):
            self._generated[row] += new
            self._ended[row] = self._ended[row] or any(token in self._ends for token in new)
            if not self._ended[row]:
                for constraint in self._rows[row]:
                    constraint(self._generated[row], scores[row])
        return scores


class WordBan:
    """Forbids each token that would complete ``word``, whatever pieces it is spelled in, alone or inside a longer one.

    ``pieces`` are the bytes of each token (:func:`token_bytes`); ids beyond them, which pad an embedding, have
    none. The prompt may hold the word.
    """

    def __init__(self, word: str, pieces: list[bytes]) -> None:
        self._word, self._pieces = word.encode(), pieces
        # For each number of bytes of the word that a text ends with: the tokens after which it holds all of it.
        self._completions = [
            torch.tensor(
                [token for token, piece in enumerate(pieces) if self._word in self._word[:begun] + piece],
                dtype=torch.long,
            )
            for begun in range(len(self._word))
        ]

    def __call__(self, generated: Sequence[int], scores: torch.Tensor) -> None:
        """Forbid what would complete the word."""
        # A token has at least one byte: older ones than these cannot be part of the word.
        recent = generated[max(0, len(generated) - len(self._word) + 1) :]
        text = b"".join(self._pieces[token] for token in recent if token < len(self._pieces))
        begun = next(n for n in reversed(range(len(self._word))) if text.endswith(self._word[:n]))
        scores[self._completions[begun].to(scores.device)] = NEVER


class ThinkBudget:
    """Closes the think block of one row after ``budget`` tokens: it then can only write ``</think>`` and an empty line.

    This happens only if the block is still open, whether ``prompt`` or the row opened it. Afterwards ``cut`` says
    whether it was closed here.
    """

    def __init__(self, tokenizer: Any, budget: int, prompt: str) -> None:
        self._tokenizer, self._budget, self._prompt = tokenizer, budget, prompt
        self._closing: list[int] = tokenizer.encode(f"{THINK_CLOSES}\n\n", add_special_tokens=False)
        self.cut = False

    def __call__(self, generated: Sequence[int], scores: torch.Tensor) -> None:
        """Forbid all but the next token of the closing, where its time has come."""
        written = len(generated) - self._budget
        if written == 0:
            text = text_of(self._tokenizer, generated)
            self.cut = think_state(self._prompt, text) == "open"
        if self.cut and 0 <= written < len(self._closing):
            token = self._closing[written]
            kept = scores[token].clone()
            scores.fill_(NEVER)
            scores[token] = kept


class RowSampler(LogitsProcessor):  # type: ignore[misc]
    """Sampling as an argmax: top-p on the tempered logits, then Gumbel noise from a generator of each row's own.

    argmax(logits / T + Gumbel) is a draw from softmax(logits / T) (the Gumbel-max trick, Gumbel 1954; Maddison et al.,
    "A* Sampling", 2014), and each row's noise depends on its seed alone, not on the batch.
    """

    def __init__(self, settings: GenerationSettings, seeds: Sequence[int]) -> None:
        self._settings = settings
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """The scores [rows, vocabulary] whose argmax is each row's draw."""
        scores = scores.float() / self._settings.temperature
        if self._settings.top_p < 1:
            scores = TopPLogitsWarper(self._settings.top_p)(input_ids, scores)
        noise = torch.stack([torch.rand(scores.shape[1], generator=g) for g in self._generators])
        gumbel = -torch.log(-torch.log(noise.clamp(1e-20, 1 - 1e-7)))
        return scores + gumbel.to(scores.device)


def token_bytes(tokenizer: Any) -> list[bytes]:
    """The bytes of each token. Byte-level vocabularies write each byte as a character, others write the text."""
    byte_of = {character: byte for byte, character in bytes_to_unicode().items()}
    tokens = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    return [
        bytes(byte_of[c] for c in token) if all(c in byte_of for c in token) else token.encode()
        for token in (each or "" for each in tokens)
    ]
