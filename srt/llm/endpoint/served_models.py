"""What a server says that it serves: its reply to ``GET /models``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

_FACTS: Final = ("n_params", "ftype", "root", "max_model_len")
"""Of a model in the list: llama.cpp's (in its ``meta``), and vLLM's."""


@dataclass(frozen=True)
class ServedModels:
    """The models of a server, by name, with all that it lists of each. ``whole``: it lists all of them."""

    listed: Mapping[str, Mapping[str, Any]]
    whole: bool

    def find(self, model: str) -> Mapping[str, Any] | None:
        """What is listed of ``model``; ``None`` where it is not there."""
        return next((facts for name, facts in self.listed.items() if same_model(model, name)), None)

    def facts(self, model: str) -> dict[str, str]:
        """What is listed of ``model`` that tells which weights it has: the number of parameters, the type of file."""
        found = self.find(model) or {}
        meta = found.get("meta")
        known = {**found, **(meta if isinstance(meta, dict) else {})}
        return {name: str(known[name]) for name in _FACTS if known.get(name) is not None}

    @property
    def owners(self) -> frozenset[str]:
        """Who serves them by their ``owned_by``: vLLM, SGLang and llama.cpp give their own names there."""
        return frozenset(str(facts.get("owned_by")) for facts in self.listed.values())


def read_models(body: bytes) -> ServedModels | None:
    """The list in ``body``; ``None`` where there is none, or an empty one."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    models = found.get("data") if isinstance(found, dict) else None
    if not isinstance(models, list):
        return None
    listed: dict[str, dict[str, Any]] = {}
    for model in models:
        if isinstance(model, dict):
            aliases = model.get("aliases")
            for name in (model.get("id"), *(aliases if isinstance(aliases, list) else ())):
                if isinstance(name, str):
                    listed[name] = model
    return ServedModels(listed, whole=not found.get("has_more")) if listed else None


def same_model(asked: str, named: str) -> bool:
    """Whether ``named`` is another way to write ``asked``: with the folders before it (``models/NAME``, a file's path),
    or without the tag behind it (``NAME:free``, ``NAME:latest``)."""
    one, other = asked.casefold(), named.casefold()
    return any(
        left == right or left.endswith(f"/{right}") or right.endswith(f"/{left}")
        for left, right in (
            (one, other),
            (one.rpartition(":")[0] or one, other),
            (one, other.rpartition(":")[0] or other),
        )
    )
