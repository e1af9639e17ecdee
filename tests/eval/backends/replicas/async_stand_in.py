"""vLLM's asynchronous engine with a tiny model in its place, for the processes of a Ray cluster that have no GPU.

Ray's own stages call it. It takes the calls that vLLM's sources take (``vllm.json``), generates greedily without a GPU,
and refuses a prompt of :data:`LONGEST` tokens. A worker finds it as the module that :func:`write_module` wrote.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

LONGEST = 70
FAULT = "fault"
"""A file beside the log of what was asked: while it is there, an engine fails to start with its words."""
HERE = Path(__file__).parent


def write_module(folder: Path) -> str:
    """Write the module ``vllm`` into ``folder``; returns the ``PYTHONPATH`` on which it is found."""
    (folder / "vllm.py").write_text("import sys, async_stand_in\nasync_stand_in.install(sys.modules[__name__])\n")
    return os.pathsep.join([str(folder), str(HERE), str(HERE.parent), *sys.path])


def install(vllm: ModuleType) -> None:
    """Fill the module ``vllm``, and put those below it into ``sys.modules``."""
    from vllm_stand_in import RECORD, bind, stand_in, struct

    others = stand_in({}, lambda ids, params: ([], "stop"))
    one = others.pop("vllm")
    vars(vllm).update({name: getattr(one, name) for name in ("__version__", "SamplingParams")} | {"__path__": []})
    for name, module in others.items():
        sys.modules[name] = module
        setattr(vllm, name.rpartition(".")[2], module)
    vars(vllm)["lora"].request = others["vllm.lora.request"]

    class EngineArgs:
        def __init__(self, **options: Any) -> None:
            known = {**RECORD["fields"]["EngineArgs"], **RECORD["fields"]["AsyncEngineArgs"]}
            if unknown := options.keys() - known:
                raise TypeError(f"AsyncEngineArgs: {unknown}")
            self.options = options

        def create_engine_config(self) -> Any:
            scheduler, parallel = SimpleNamespace(max_num_seqs=8), SimpleNamespace(pipeline_parallel_size=1)
            return SimpleNamespace(scheduler_config=scheduler, parallel_config=parallel)

    class RequestOutput(SimpleNamespace):
        pass

    class Engine:
        def __init__(self, options: dict[str, Any]) -> None:
            from eval.backends.model_folder import ModelFolder

            self._asked = Path(os.environ["STAND_IN_LOG"])
            if (fault := self._asked.with_name(FAULT)).exists():
                raise ValueError(fault.read_text())
            self._files = ModelFolder(Path(options["model"]), None)
            self._network: Any = self._files.load("float32", "eager", "cpu")
            self._note({"engine": {name: str(value) for name, value in options.items()}})

        @classmethod
        def from_engine_args(cls, *given: Any, **named: Any) -> Engine:
            return cls(bind("AsyncLLM.from_engine_args", *given, **named)["engine_args"].options)

        async def generate(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
            request = bind("AsyncLLM.generate", *given, **named)
            prompt, params = request["prompt"], request["sampling_params"]
            ids = [int(token) for token in prompt["prompt_token_ids"]]
            if len(ids) >= LONGEST:
                raise ValueError(f"The decoder prompt (length {len(ids)}) is longer than the maximum\nmodel length")
            pictures = (prompt.get("multi_modal_data") or {}).get("image", [])
            lora = request.get("lora_request")
            self._note(
                {
                    "prompt": ids,
                    "pictures": [picture.size for picture in pictures],
                    "lora": lora and lora.lora_path,
                    "params": {name: str(value) for name, value in vars(params).items() if value is not None},
                }
            )
            written = ids[:3] if pictures else self._write(ids, params)
            await asyncio.sleep(float(os.environ.get("STAND_IN_SECONDS", 0)))
            made = struct("CompletionOutput")(0, "", written, None, None, finish_reason="stop")
            yield RequestOutput(**{"metrics": None, **bind("RequestOutput", "0", None, ids, None, [made], True)})

        def _write(self, ids: list[int], params: Any) -> list[int]:
            import torch

            made = self._network.generate(
                input_ids=torch.tensor([ids]),
                attention_mask=torch.ones(1, len(ids), dtype=torch.long),
                max_new_tokens=params.max_tokens,
                do_sample=False,
                eos_token_id=list(params.stop_token_ids),
                pad_token_id=0,
            )
            return list(made[0, len(ids) :].tolist())

        def _note(self, what: dict[str, Any]) -> None:
            descriptor = os.open(self._asked, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.write(descriptor, f"{json.dumps({'pid': os.getpid(), **what})}\n".encode())
            os.close(descriptor)

        async def do_log_stats(self) -> None:
            pass

    inputs, outputs = ModuleType("vllm.inputs.llm"), ModuleType("vllm.outputs")
    vars(inputs).update(TokensPrompt=dict, TextPrompt=dict)
    vars(outputs).update(RequestOutput=RequestOutput, PoolingRequestOutput=type("PoolingRequestOutput", (), {}))
    sys.modules |= {"vllm.inputs": inputs, "vllm.inputs.llm": inputs, "vllm.outputs": outputs}
    vars(vllm).update(AsyncEngineArgs=EngineArgs, AsyncLLMEngine=Engine, outputs=outputs)
