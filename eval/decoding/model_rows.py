"""A model that writes several texts at once, each at its own place, any of which may be cut back at any time.

A row is the ids of a prompt and of what was written after it. :meth:`ModelRows.step` is given each row's ids so far:
what the model has cached for other ids does not matter: they may have been cut off or replaced by another line.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import torch
from transformers import Cache, DynamicCache
from transformers.cache_utils import DynamicLayer

_GROW = 64
"""Places by which keys and values grow."""


class ModelRows(Protocol):
    """Rows of one model, by number; a row that ends makes room for another."""

    def open(self, row: int, inputs: Mapping[str, torch.Tensor]) -> None:
        """Put a prompt into ``row``: what the model takes for it alone, ``input_ids`` [1, length] and the like."""

    def step(self, ids: Mapping[int, Sequence[int]]) -> torch.Tensor:
        """The scores [rows, vocabulary] of the token that follows ``ids``, by row, in their order; float32.

        Of the ids of a row, all but the last were there at the row's step before, or are the prompt's, or a part of
        either.
        """

    def shrink(self, rows: Sequence[int]) -> None:
        """Keep only ``rows``, which become 0, 1, 2 and so on."""


def model_rows(model: Any, rows: int, pad: int) -> ModelRows:
    """At most ``rows`` rows of ``model``: together where every layer keeps all keys and values, else each by itself."""
    layers = DynamicCache(config=model.config).layers
    # A subclass keeps less (a window, a state), or more that would have to be cut too.
    if layers and all(type(layer) is DynamicLayer for layer in layers):
        return _TogetherRows(model, rows, pad, len(layers))
    return _SeparateRows(model)


class _TogetherRows:
    """All rows in one tensor of keys and one of values a layer, each row from column 0 on.

    To cut a row back, nothing has to be done: what lies beyond its last token is masked, and is written over.
    """

    def __init__(self, model: Any, rows: int, pad: int, layers: int) -> None:
        self._model, self._pad, self._rows = model, pad, rows
        self._layers = [_RowsLayer() for _ in range(layers)]
        self._cache = Cache(layers=list(self._layers))
        self._last: list[list[int]] = [[pad] for _ in range(rows)]
        self._shift = torch.zeros(rows, dtype=torch.long, device=model.device)

    def open(self, row: int, inputs: Mapping[str, torch.Tensor]) -> None:
        cache, self._shift[row] = _read_prompt(self._model, inputs)
        self._last[row] = inputs["input_ids"][0].tolist()
        for layer, filled in zip(self._layers, cache.layers, strict=True):
            if filled.is_initialized:
                layer.fill(row, self._rows, filled.keys, filled.values)

    def step(self, ids: Mapping[int, Sequence[int]]) -> torch.Tensor:
        for row, written in ids.items():
            self._last[row] = list(written)
        device, dtype = self._model.device, self._model.dtype
        # Rows that wait take part as well: their last token is written once more, where it stands.
        tokens = torch.tensor([[row[-1]] for row in self._last], device=device)
        at = torch.tensor([len(row) - 1 for row in self._last], device=device)
        width = -(-max(map(len, self._last)) // _GROW) * _GROW
        beyond = torch.arange(width, device=device) > at[:, None]
        mask = torch.zeros(beyond.shape, dtype=dtype, device=device).masked_fill_(beyond, torch.finfo(dtype).min)
        for layer in self._layers:
            layer.place(at, width)
        out = self._model(
            input_ids=tokens,
            attention_mask=mask[:, None, None, :],
            position_ids=(at + self._shift)[:, None],
            past_key_values=self._cache,
            use_cache=True,
        )
        scores: torch.Tensor = out.logits[list(ids), -1].float()
        return scores

    def shrink(self, rows: Sequence[int]) -> None:
        self._rows, self._last = len(rows), [self._last[row] for row in rows]
        self._shift = self._shift[list(rows)]
        for layer in self._layers:
            layer.select(rows)


class _RowsLayer(DynamicLayer):  # type: ignore[misc]
    """Keys and values [rows, heads, places, width of a head], and the place ``at`` [rows] of each row's new token."""

    is_initialized: bool
    keys: torch.Tensor
    values: torch.Tensor

    def fill(self, row: int, rows: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Put the ``keys`` and ``values`` [1, heads, length, width] of a prompt into ``row``."""
        self._make_room(rows, keys.shape[2], keys, values)
        self.keys[row, :, : keys.shape[2]] = keys[0]
        self.values[row, :, : values.shape[2]] = values[0]

    def place(self, at: torch.Tensor, width: int) -> None:
        """Where the next token of each row stands, and how many places attention looks at."""
        self._at, self._width = at, width

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write keys and values [rows, heads, 1, width] of one token a row; all of the first places."""
        rows = len(key_states)
        self._make_room(rows, self._width, key_states, value_states)
        every = torch.arange(rows, device=key_states.device)
        self.keys[every, :, self._at] = key_states[:, :, 0]
        self.values[every, :, self._at] = value_states[:, :, 0]
        return self.keys[:, :, : self._width], self.values[:, :, : self._width]

    def select(self, rows: Sequence[int]) -> None:
        """Keep only ``rows``."""
        if self.is_initialized:
            self.keys, self.values = self.keys[list(rows)], self.values[list(rows)]

    def _make_room(self, rows: int, width: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        there = self.keys.shape[2] if self.is_initialized else 0
        if width <= there:
            return
        width = -(-width // _GROW) * _GROW
        # Zeros: places that were never written are masked, but a NaN in them would survive the mask.
        made = [one.new_zeros(rows, one.shape[1], width, one.shape[3]) for one in (keys, values)]
        if there:
            made[0][:, :, :there], made[1][:, :, :there] = self.keys, self.values
        self.keys, self.values = made
        self.dtype, self.device, self.is_initialized = keys.dtype, keys.device, True


class _SeparateRows:
    """Each row with a cache of its own, which is made anew where the row was cut back: a state cannot be."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._inputs: dict[int, Mapping[str, torch.Tensor]] = {}
        self._read: dict[int, tuple[Cache, list[int], int]] = {}

    def open(self, row: int, inputs: Mapping[str, torch.Tensor]) -> None:
        self._inputs[row] = inputs
        self._read_until(row, inputs["input_ids"][0].tolist())

    def step(self, ids: Mapping[int, Sequence[int]]) -> torch.Tensor:
        scores = []
        for row, written in ids.items():
            if self._read[row][1] != list(written[:-1]):
                self._read_until(row, written)
            cache, _, shift = self._read[row]
            last = torch.tensor([[written[-1]]], device=self._model.device)
            at = torch.full_like(last, len(written) - 1 + shift)
            out = self._model(input_ids=last, position_ids=at, past_key_values=cache, use_cache=True)
            self._read[row] = cache, list(written), shift
            scores.append(out.logits[0, -1].float())
        return torch.stack(scores)

    def _read_until(self, row: int, ids: Sequence[int]) -> None:
        """Have the model read ``ids`` but the last, which begin with the prompt of ``row``, in one go."""
        inputs = dict(self._inputs[row])
        there = inputs["input_ids"].shape[1]
        inputs["input_ids"] = torch.tensor([list(ids)], device=self._model.device)
        for name, value in (("attention_mask", 1), ("mm_token_type_ids", 0)):
            if name in inputs:
                inputs[name] = torch.nn.functional.pad(inputs[name], (0, len(ids) - there), value=value)
        cache, shift = _read_prompt(self._model, inputs)
        self._read[row] = cache, list(ids[:-1]), shift

    def shrink(self, rows: Sequence[int]) -> None:
        self._inputs = {new: self._inputs[old] for new, old in enumerate(rows)}
        self._read = {new: self._read[old] for new, old in enumerate(rows)}


def _read_prompt(model: Any, inputs: Mapping[str, torch.Tensor]) -> tuple[Cache, int]:
    """What the model keeps of all ids of a prompt but the last, and by how much its positions differ from the count of
    ids: a picture takes fewer positions than it has tokens."""
    cache = DynamicCache(config=model.config)
    length = inputs["input_ids"].shape[1] - 1
    if length < 1:
        return cache, 0
    cut = {
        name: value[:, :length] if name in ("input_ids", "attention_mask", "mm_token_type_ids") else value
        for name, value in inputs.items()
    }
    # Scores of all tokens of a prompt would take more memory than its keys.
    last = {"logits_to_keep": 1} if "logits_to_keep" in inspect.signature(model.forward).parameters else {}
    inner: Any = getattr(model, "model", None)
    if hasattr(inner, "rope_deltas"):
        inner.rope_deltas = None  # else it stays that of the prompt before, where this one has no picture
    model(**cut, past_key_values=cache, use_cache=True, **last)
    shift = getattr(inner, "rope_deltas", None)
    return cache, 0 if shift is None else int(shift.flatten()[0])
