"""A stand-in for the package vllm, which needs a GPU: it takes the calls that vLLM's own sources take, and no others.

What it takes is recorded from the wheel of one version in ``vllm.json`` (``record_vllm.py``).
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

RECORD: dict[str, Any] = json.loads(Path(__file__).with_name("vllm.json").read_bytes())
Write = Callable[[list[int], Any], tuple[list[int], str]]
"""From the ids of a prompt and its parameters to the ids that are written, and how they end."""


def bind(call: str, *given: Any, **named: Any) -> dict[str, Any]:
    """The arguments of ``call`` by name; a :class:`TypeError` where vLLM would raise one."""
    found = RECORD["calls"][call]
    kinds = inspect.Parameter
    parameters = [
        kinds(name, kind, default=kinds.empty if name in found["required"] else None)
        for names, kind in ((found["positional"], kinds.POSITIONAL_OR_KEYWORD), (found["by_name"], kinds.KEYWORD_ONLY))
        for name in names
    ]
    if found["others"]:
        parameters.append(kinds("others", kinds.VAR_KEYWORD))
    bound = inspect.Signature(parameters).bind(*given, **named).arguments
    others = bound.pop("others", {})
    return bound | others


def struct(name: str) -> type:
    """A class with the fields of vLLM's class ``name``, and no others."""
    known = RECORD["fields"][name]

    class Struct:
        def __init__(self, *given: Any, **named: Any) -> None:
            values = dict(zip(known, given, strict=False)) | named
            if unknown := values.keys() - known.keys():
                raise TypeError(f"{name}: {unknown} in vLLM {RECORD['version']}")
            if missing := {field for field, default in known.items() if not default} - values.keys():
                raise TypeError(f"{name}: {missing} missing")
            vars(self).update(dict.fromkeys(known) | values)

    Struct.__name__ = name
    return Struct


class Engine:
    """Ends its requests from the last to the first, one a step; a prompt of ``longest`` tokens is too long."""

    def __init__(self, asked: dict[str, Any], write: Write, errors: ModuleType, longest: int) -> None:
        self.asked, self.write, self.errors, self.longest = asked, write, errors, longest
        self.queue: list[dict[str, Any]] = []

    def add_request(self, *given: Any, **named: Any) -> str:
        request = bind("LLMEngine.add_request", *given, **named)
        fields = RECORD["fields"]
        if unknown := request["prompt"].keys() - (fields["TokensPrompt"].keys() | fields["_PromptOptions"].keys()):
            raise TypeError(f"prompt: {unknown}")
        if (length := len(request["prompt"]["prompt_token_ids"])) >= self.longest:
            raise self.errors.VLLMValidationError(f"The decoder prompt (length {length}) is longer than the maximum")
        self.queue.append(request)
        return f"{request['request_id']}-internal"

    def step(self, *given: Any, **named: Any) -> list[Any]:
        bind("LLMEngine.step", *given, **named)
        request = self.queue.pop()
        self.asked.setdefault("requests", []).append(request)
        ids = request["prompt"]["prompt_token_ids"]
        assert request["params"].output_kind.name == "FINAL_ONLY", "no unfinished outputs"
        written, reason = self.write(ids, request["params"])
        made = struct("CompletionOutput")(0, "", written, None, None, finish_reason=reason)
        output = bind("RequestOutput", request["request_id"], None, ids, None, [made], True)
        return [SimpleNamespace(**output)]


def stand_in(asked: dict[str, Any], write: Write, longest: int = 10**9) -> dict[str, ModuleType]:
    """The modules of vllm by name; what was asked of them is put into ``asked``."""
    vllm, lora, sampling, errors = (
        ModuleType(name) for name in ("vllm", "vllm.lora.request", "vllm.sampling_params", "vllm.exceptions")
    )
    for name, bases in RECORD["errors"].items():
        setattr(errors, name, type(name, tuple(getattr(errors, base, Exception) for base in bases), {}))

    def make(*given: Any, **named: Any) -> Any:
        asked["engine"] = bind("LLM", *given, **named)
        if unknown := asked["engine"].keys() - RECORD["fields"]["EngineArgs"].keys():
            raise TypeError(f"EngineArgs: {unknown}")
        return SimpleNamespace(llm_engine=Engine(asked, write, errors, longest))

    made: dict[str, Any] = {"__version__": RECORD["version"], "LLM": make, "SamplingParams": struct("SamplingParams")}
    vars(vllm).update(made)
    vars(lora)["LoRARequest"] = struct("LoRARequest")
    vars(sampling)["StructuredOutputsParams"] = struct("StructuredOutputsParams")
    vars(sampling)["RequestOutputKind"] = Enum("RequestOutputKind", list(RECORD["fields"]["RequestOutputKind"]))
    modules = {module.__name__: module for module in (vllm, lora, sampling, errors)}
    return {**modules, "vllm.lora": ModuleType("vllm.lora")}
