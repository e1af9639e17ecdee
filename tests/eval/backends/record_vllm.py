"""Records what the back end calls of vLLM, from the sources in a wheel, without installing it.

    pip download --no-deps vllm==0.33.0
    python tests/eval/backends/record_vllm.py vllm-0.33.0-*.whl > tests/eval/backends/vllm.json

The tests compare our calls with the record. For a newer vLLM: make it anew, and see which tests fail.
"""

from __future__ import annotations

import ast
import email
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

CALLS = {
    "LLM": ("vllm/entrypoints/llm.py", "LLM", "__init__"),
    "LLMEngine.add_request": ("vllm/v1/engine/llm_engine.py", "LLMEngine", "add_request"),
    "LLMEngine.step": ("vllm/v1/engine/llm_engine.py", "LLMEngine", "step"),
    "AsyncLLM.from_engine_args": ("vllm/v1/engine/async_llm.py", "AsyncLLM", "from_engine_args"),
    "AsyncLLM.generate": ("vllm/v1/engine/async_llm.py", "AsyncLLM", "generate"),
    "RequestOutput": ("vllm/outputs.py", "RequestOutput", "__init__"),
}
"""Methods: file, class, name."""
FIELDS = {
    "EngineArgs": "vllm/engine/arg_utils.py",
    "AsyncEngineArgs": "vllm/engine/arg_utils.py",
    "SamplingParams": "vllm/sampling_params.py",
    "StructuredOutputsParams": "vllm/sampling_params.py",
    "RequestOutputKind": "vllm/sampling_params.py",
    "LoRARequest": "vllm/lora/request.py",
    "CompletionOutput": "vllm/outputs.py",
    "TokensPrompt": "vllm/inputs/llm.py",
    "_PromptOptions": "vllm/inputs/llm.py",
    "ChatCompletionRequest": "vllm/entrypoints/openai/chat_completion/protocol.py",
    "ChatCompletionResponse": "vllm/entrypoints/openai/chat_completion/protocol.py",
    "UsageInfo": "vllm/entrypoints/serve/engine/protocol.py",
}
"""Classes whose fields matter: dataclasses, structs, typed dictionaries, an enumeration."""


def record(wheel: Path) -> dict[str, Any]:
    """The record of ``wheel``."""
    with zipfile.ZipFile(wheel) as archive:
        info = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(info))
        sources = {
            file: ast.parse(archive.read(file)) for file in {*FIELDS.values(), *(call[0] for call in CALLS.values())}
        }
        errors = ast.parse(archive.read("vllm/exceptions.py"))
        ranks = archive.read("vllm/config/lora.py").decode()
        parsers = archive.read("vllm/reasoning/__init__.py").decode()
    line = next(line for line in ranks.splitlines() if line.startswith("MaxLoRARanks = Literal["))
    return {
        "version": metadata["Version"],
        "requires": [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line],
        "calls": {name: arguments(sources[file], owner, method) for name, (file, owner, method) in CALLS.items()},
        "fields": {name: fields(sources[file], name) for name, file in FIELDS.items()},
        "errors": {
            node.name: [base.id for base in node.bases if isinstance(base, ast.Name)]
            for node in errors.body
            if isinstance(node, ast.ClassDef)
        },
        "max_lora_ranks": [int(rank) for rank in line.partition("[")[2].strip("]").split(",")],
        "reasoning_parsers": [name for name in ("deepseek_r1",) if f'"{name}": (' in parsers],
    }


def find_class(tree: ast.Module, name: str) -> ast.ClassDef:
    return next(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == name)


def arguments(tree: ast.Module, owner: str, method: str) -> dict[str, Any]:
    """Names of the arguments by position and by name, which of them are required, and whether others are passed on."""
    found = next(
        node
        for node in find_class(tree, owner).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == method
    ).args
    positional = [argument.arg for argument in found.args][1:]
    by_name = [argument.arg for argument in found.kwonlyargs]
    needed = positional[: len(positional) - len(found.defaults)]
    needed += [name for name, default in zip(by_name, found.kw_defaults, strict=True) if default is None]
    return {"positional": positional, "by_name": by_name, "required": needed, "others": found.kwarg is not None}


def fields(tree: ast.Module, name: str) -> dict[str, bool]:
    """The public fields of a class, and whether each has a default."""
    found: dict[str, bool] = {}
    for node in find_class(tree, name).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node.value is not None
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = True
    return {field: default for field, default in found.items() if not field.startswith("_")}


if __name__ == "__main__":
    print(json.dumps(record(Path(sys.argv[1])), indent=1))
