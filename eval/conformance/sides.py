"""Back ends that are listened to: besides the generations, the ids and log-probabilities that they give of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from eval.backends.protocol import Backend, Generation, GenerationSettings, Request
from eval.backends.server_backend import ServerBackend
from eval.backends.token_counts import until_end
from eval.backends.transformers_backend import TransformersBackend
from eval.backends.vllm_engines.vllm_backend import VllmBackend
from srt.images.data_uri import DataUris
from srt.llm.endpoint.client import EndpointClient
from srt.llm.request import Reply


@dataclass(frozen=True)
class HeardText:
    """A generation, and what its back end says of its tokens: their ids and log-probabilities, as far as it does."""

    generation: Generation
    ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None


Told = dict[str, tuple[tuple[int, ...] | None, tuple[float, ...] | None]]
"""Ids and log-probabilities by prompt: a greedy text is the same each time."""


class ListeningTransformers(TransformersBackend):
    """transformers, whose ids are kept; their log-probabilities are those of :func:`log_probabilities`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.told: Told = {}

    def _generation(self, row: Sequence[int], prompt: str, input_tokens: int, image_tokens: int) -> Generation:
        ids, ended = until_end(row, self._files.ends)
        self.told[prompt] = tuple(row[: len(ids) + ended]), None
        return super()._generation(row, prompt, input_tokens, image_tokens)


class ListeningVllm(VllmBackend):
    """vLLM, which is asked for the log-probability of each token."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.told: Told = {}

    def _sampling(self, request: Request, settings: GenerationSettings) -> dict[str, Any]:
        return {**super()._sampling(request, settings), "logprobs": 0}

    def _finished(self, output: Any, asked: Request, settings: GenerationSettings) -> Generation:
        made = output.outputs[0]
        ids = tuple(made.token_ids)
        self.told[asked.prompt] = ids, tuple(at[token].logprob for token, at in zip(ids, made.logprobs, strict=True))
        return super()._finished(output, asked, settings)


class ListeningServer(ServerBackend):
    """A server, which is asked for ``logprobs``; one that refuses them is asked without."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.told: Told = {}

    async def _generation(
        self, client: EndpointClient, request: Request, settings: GenerationSettings, uris: dict[Any, DataUris]
    ) -> Generation:
        listening: Any = _ListeningClient(client, request.prompt, self.told)
        return await super()._generation(listening, request, settings, uris)


class _ListeningClient:
    """The client of one request, whose reply is looked at."""

    def __init__(self, client: EndpointClient, prompt: str, told: Told) -> None:
        self._client, self._prompt, self._told = client, prompt, told

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def complete(self, body: dict[str, Any], key: str, *, optional: Mapping[str, Any]) -> Reply:
        reply = await self._client.complete({**body, "logprobs": True}, key, optional={**optional, "logprobs": None})
        if reply.choices and reply.choices[0].logprobs:
            self._told[self._prompt] = None, reply.choices[0].logprobs
        return reply


def listen(backend: Backend, requests: Sequence[Request], settings: GenerationSettings) -> list[HeardText]:
    """What ``backend`` generates for ``requests``, in their order."""
    found: dict[int, Generation] = {}
    batches = backend.plan(requests, settings)
    for number, generations in backend.generate_batches([[requests[i] for i in batch] for batch in batches], settings):
        found.update(zip(batches[number], generations, strict=True))
    told: Told = getattr(backend, "told", {})
    return [HeardText(found[index], *told.get(request.prompt, (None, None))) for index, request in enumerate(requests)]


def log_probabilities(
    backend: TransformersBackend, prompt: Sequence[int], ids: Sequence[int]
) -> tuple[list[float], list[float]]:
    """Of each of ``ids``, which follow ``prompt``: its log-probability (natural), and that of the most probable id."""
    row = torch.tensor([[*prompt, *ids]], device=backend.model.device)
    with torch.inference_mode():
        logits = backend.model(input_ids=row).logits[0, len(prompt) - 1 : -1].float()
    every = logits.log_softmax(dim=-1)
    chosen = every.gather(1, row[0, len(prompt) :, None])[:, 0]
    return chosen.tolist(), every.max(dim=-1).values.tolist()
