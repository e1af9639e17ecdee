"""The registry of back ends: how each is made from a recipe, and which recipe keys of its own it reads.

A new back end is one file in this folder with a class that has the members of
:class:`~eval.backends.protocol.Backend`, and one entry in :data:`BACKENDS`. The packages that a back end needs are
imported when it is made, not before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.backends.protocol import Backend
from srt.io.yaml_config import parse_config
from srt.llm.config import EndpointConfig

ENDPOINT_KEYS = ("base_url", "api_key_env", "in_flight", "timeout_s", "retries", "max_side", "finish_reasons")
"""Recipe keys that are fields of :class:`~srt.llm.config.EndpointConfig`."""


TEMPLATE = "chat_template_kwargs"
"""The recipe key of every back end that generates."""


@dataclass(frozen=True)
class BackendEntry:
    """One back end.

    Args:
        make: makes it from the recipe's ``model`` and ``adapter``, and from those of ``keys`` that the recipe sets;
            ``None`` if nothing is generated, and the predictions are in a file.
        keys: the recipe keys that it reads, and not every other back end does.
        local: ``model`` is a folder on this machine, so that adapters are loaded here and the preset of the model's
            family applies. Otherwise it is the name of a model at ``base_url``, which the recipe must give.
        about: what it is, in a line.
    """

    make: Callable[[str, Path | None, dict[str, Any]], Backend] | None
    keys: tuple[str, ...] = ()
    local: bool = True
    about: str = ""


def _transformers(model: str, adapter: Path | None, options: dict[str, Any]) -> Backend:
    from eval.backends.transformers_backend import TransformersBackend

    return TransformersBackend(model, adapter, **options)


def _vllm(model: str, adapter: Path | None, options: dict[str, Any]) -> Backend:
    if options.pop("engine", None) is not None:
        from eval.backends.vllm_engines.ray_replicas import RayReplicas

        return RayReplicas(model, adapter, **options)
    from eval.backends.vllm_engines.vllm_backend import VllmBackend

    return VllmBackend(model, adapter, **options)


def _server(model: str, adapter: Path | None, options: dict[str, Any]) -> Backend:
    from eval.backends.server_backend import ServerBackend

    given = {key: options[key] for key in ENDPOINT_KEYS if key in options}
    endpoint = parse_config(EndpointConfig, given, "server")
    return ServerBackend(
        model,
        endpoint,
        reads_pictures=options.get("pictures", True),
        server_type=options.get("server_type"),
        opens_thought=options.get("opens_thought", False),
        chat_template_kwargs=options.get("chat_template_kwargs", {}),
    )


BACKENDS: dict[str, BackendEntry] = {
    "transformers": BackendEntry(
        _transformers,
        keys=("batch_size", "batch_tokens", "dtype", "attention", "threads", "continuous", TEMPLATE),
        about="a model folder, on this machine's GPU or processor",
    ),
    "vllm": BackendEntry(
        _vllm,
        keys=(
            *("gpu_memory", "tensor_parallel", "vision_adapter", "engine", "address", "replicas"),
            *("dtype", "max_num_seqs", "enforce_eager", "max_model_len", TEMPLATE),
        ),
        about="a model folder, in vLLM on this machine or as replicas on a Ray cluster",
    ),
    "server": BackendEntry(
        _server,
        keys=(*ENDPOINT_KEYS, "pictures", "server_type", "opens_thought", TEMPLATE),
        local=False,
        about="a model behind an OpenAI-compatible server",
    ),
    "file": BackendEntry(
        None,
        keys=("predictions", "columns"),
        local=False,
        about="another system's predictions, which are read from a file",
    ),
}
