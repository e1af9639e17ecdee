"""What a model may not write, and how it samples: the logits processors of a batch.

A :class:`Constraint` is for one row; it sees only the tokens that were generated for that row, so that a batch of N
gives the same as N single runs.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, ClassVar, Protocol

import torch
from transformers import LogitsProcessor
from transformers.convert_slow_tokenizer import bytes_to_unicode
from transformers.generation.continuous_batching.cb_logits_processors import ContinuousBatchingLogitsProcessor

from eval.backends.protocol import GenerationSettings
from eval.backends.token_counts import text_of, think_state
from srt.language.prompts import THINK_CLOSES

NEVER = float("-inf")
_BLOCK = 512  # tokens whose probabilities are summed before one of them is looked for
_NUCLEUS = 1024  # tokens among which a nucleus is looked for before the whole vocabulary is sorted


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
        # Looked at once: to decode the text at each step would take quadratic time.
        if written == 0:
            text = text_of(self._tokenizer, generated)
            self.cut = think_state(self._prompt, text) == "open"
        if self.cut and 0 <= written < len(self._closing):
            token = self._closing[written]
            kept = scores[token].clone()
            scores.fill_(NEVER)
            scores[token] = kept


class RowSampler(LogitsProcessor):  # type: ignore[misc]
    """Sampling by the inverse of the cumulative distribution: one uniform number for each row and token.

    Row i draws with the seed ``seeds[i]``, so that its draws do not depend on the batch. Call it once for each token.
    """

    def __init__(self, settings: GenerationSettings, seeds: Sequence[int]) -> None:
        self._settings, self._step = settings, 0
        self._uniforms = _uniforms(settings, seeds)

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """``scores`` [rows, vocabulary], changed in place: greedy search takes each row's draw."""
        uniforms = self._uniforms[:, self._step].to(scores.device)
        self._step += 1
        return _mark_draws(scores, uniforms, self._settings)


class ContinuousRowSampler(ContinuousBatchingLogitsProcessor):  # type: ignore[misc]
    """The draws of :class:`RowSampler` in continuous batching, where other rows share each step with a row.

    Requests are added with ``row=i``; their random numbers are those of ``seeds[i]``.
    """

    supported_kwargs: ClassVar[dict[str, type]] = {"row": int}
    ignored_kwargs = ()

    def __init__(self, settings: GenerationSettings, seeds: Sequence[int]) -> None:
        self._settings, self._uniforms = settings, _uniforms(settings, seeds)

    def fill_defaults(self, int32_tensor: torch.Tensor) -> None:
        """A number for what is no row of ours (padding)."""
        int32_tensor.zero_()

    def prepare_tensor_args(self, requests_with_new_token: list[Any]) -> torch.Tensor:
        """The random number of each row's next token; float32, which is passed on as int32."""
        rows, written = [], []
        for request in requests_with_new_token:
            state = request.state
            # A request that lost its place in the cache starts again, with what it wrote as part of its prompt.
            prompt = state._true_initial_tokens or len(state.initial_tokens)
            rows.append(state.logit_processor_kwargs["row"])
            # Not the tokens that are known: with asynchronous batches the last one is still on the device.
            written.append(state.position_offset - prompt)
        return self._uniforms[rows, written].view(torch.int32)

    def __call__(self, scores: torch.Tensor, tensor_arg: torch.Tensor) -> torch.Tensor:
        """``scores`` [rows, vocabulary], changed in place: greedy search takes each row's draw."""
        return _mark_draws(scores, tensor_arg[: len(scores)].view(torch.float32), self._settings)


def draw_tokens(scores: torch.Tensor, uniforms: torch.Tensor, temperature: float, top_p: float) -> torch.Tensor:
    """A token for each row [rows], drawn with probability softmax(``scores`` / ``temperature``) from its nucleus.

    The nucleus is the likeliest tokens that together reach the probability ``top_p`` (Holtzman et al., "The Curious
    Case of Neural Text Degeneration", 2020), and those that are as likely as the last of them. ``uniforms`` [rows] in
    [0, 1) decide the draws: token n is drawn where the cumulative probability, in the order of the vocabulary, first
    exceeds them. No row looks at another.
    """
    # Not normalised: a draw compares shares of the total.
    weights = (scores.float() - scores.amax(1, keepdim=True)).mul_(1 / temperature).exp_()
    if top_p == 1:
        return _inverse_cdf(weights, uniforms)
    enough = top_p * weights.sum(1, keepdim=True)
    best, tokens = weights.topk(min(_NUCLEUS, weights.shape[1]), dim=1)
    least = _least_kept(best, enough)
    tokens, order = tokens.sort(dim=1)
    drawn = _inverse_cdf(best.masked_fill(best < least, 0).gather(1, order), uniforms)
    drawn = tokens.gather(1, drawn[:, None])[:, 0]
    wide = (best[:, -1:] >= least)[:, 0]  # the nucleus may hold more tokens than were looked at
    if wide.any():
        rest = weights[wide]
        least = _least_kept(rest.sort(dim=1, descending=True).values, enough[wide])
        drawn[wide] = _inverse_cdf(rest.masked_fill_(rest < least, 0), uniforms[wide])
    return drawn


def _uniforms(settings: GenerationSettings, seeds: Sequence[int]) -> torch.Tensor:
    """Random numbers in [0, 1) for each row and token [rows, tokens]."""
    generators = (torch.Generator().manual_seed(seed) for seed in seeds)
    return torch.stack([torch.rand(settings.max_new_tokens, generator=generator) for generator in generators])


def _mark_draws(scores: torch.Tensor, uniforms: torch.Tensor, settings: GenerationSettings) -> torch.Tensor:
    drawn = draw_tokens(scores, uniforms, settings.temperature, settings.top_p)
    return scores.scatter_(1, drawn[:, None], float("inf"))


def _least_kept(weights: torch.Tensor, enough: torch.Tensor) -> torch.Tensor:
    """The least of the descending ``weights`` that is needed for their sum to reach ``enough`` (both [rows, ...])."""
    short = (weights.cumsum(1) < enough).sum(1, keepdim=True)
    return weights.gather(1, short.clamp(max=weights.shape[1] - 1))


def _inverse_cdf(weights: torch.Tensor, uniforms: torch.Tensor) -> torch.Tensor:
    """For each row the first index at which the cumulative sum of ``weights`` exceeds its share of the total.

    In two stages, first among the sums of blocks and then within the block, so that the whole is read only once.
    """
    size = weights.shape[1]
    even = size // _BLOCK * _BLOCK
    sums = weights[:, :even].view(len(weights), even // _BLOCK, _BLOCK).sum(2)
    sums = torch.cat([sums, weights[:, even:].sum(1, keepdim=True)], dim=1)
    block, rest = _first_beyond(sums, uniforms[:, None] * sums.cumsum(1)[:, -1:])
    places = block * _BLOCK + torch.arange(_BLOCK, device=weights.device)
    within = weights.gather(1, places.clamp(max=size - 1)).masked_fill_(places >= size, 0)
    place, _ = _first_beyond(within, rest)
    return (block * _BLOCK + place)[:, 0].clamp(max=size - 1)


def _first_beyond(weights: torch.Tensor, share: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The first place in each row where the cumulative sum exceeds ``share``, and what of ``share`` lies in it.

    A share that rounding made as large as the sum ends at the last weight that is not 0.
    """
    sums = weights.cumsum(1)
    share = torch.minimum(share, torch.nextafter(sums[:, -1:], torch.zeros_like(share)))
    place = torch.searchsorted(sums, share, right=True).clamp(max=weights.shape[1] - 1)
    before = torch.where(place > 0, sums.gather(1, (place - 1).clamp(min=0)), 0.0)
    return place, (share - before).clamp(min=0)


def token_bytes(tokenizer: Any) -> list[bytes]:
    """The bytes of each token. Byte-level vocabularies write each byte as a character, others write the text."""
    byte_of = {character: byte for byte, character in bytes_to_unicode().items()}
    tokens = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    return [
        bytes(byte_of[c] for c in token) if all(c in byte_of for c in token) else token.encode()
        for token in (each or "" for each in tokens)
    ]
