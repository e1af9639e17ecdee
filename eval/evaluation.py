"""One evaluation from its recipe to its scores: read the benchmark's data, generate, score."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import orjson

from eval.backends.presets import effective_settings
from eval.backends.protocol import Backend, GenerationSettings
from eval.benchmarks import chosen_options, find_benchmark
from eval.benchmarks.importing import import_benchmark
from eval.predict import predict
from eval.recipe import EvalRecipe, endpoint_config
from eval.score import score
from eval.sharding import this_shard
from srt.errors import UserError
from srt.folder_lock import hold_folder
from srt.jsonl import write_atomically
from srt.problems import stream_problems

PROBLEMS = "problems.jsonl"
IMPORTED = "imported.json"


def run_evaluation(recipe: EvalRecipe) -> dict[str, Any]:
    """Run ``recipe``, going on where it was killed, and give the summary of its scores.

    Where no problem has a gold answer there are none, and the summary says so; where this process is one of several
    that share the set (:mod:`eval.sharding`) and others are still at work, it says what this one did.

    Raises:
        UserError: whatever is wrong with the recipe, the data, the model or the folder, in one line.
    """
    chosen_options(find_benchmark(recipe.benchmark), recipe.options)
    shard = this_shard()
    shard.take_device()
    backend = make_backend(recipe)
    problems, told = _problems(recipe)
    made = predict(
        problems,
        recipe.output,
        backend,
        arm=recipe.arm,
        style=recipe.prompt,
        settings=_settings(recipe),
        repeats=recipe.repeats,
        benchmark=recipe.benchmark,
        options=recipe.options,
        shard=shard,
    )
    if not made.complete:
        return {"share": f"{shard.rank + 1} of {shard.count}", "generated": made.generated, "complete": False, **told}
    if all(problem.answer is None for problem in stream_problems(problems)):
        print("no problem has a gold answer: there is nothing to score", file=sys.stderr)
        return {"predictions": made.total, "scored": 0, **told}
    scored = score(recipe.output, problems, **recipe.chosen("policy", "reference_tokenizer"))
    return {**scored.model_dump(mode="json"), **told}


def make_backend(recipe: EvalRecipe) -> Backend:
    """The back end of ``recipe``; its packages are imported here and not before."""
    if recipe.backend == "server":
        from eval.backends.server_backend import ServerBackend

        return ServerBackend(
            recipe.model,
            endpoint_config(recipe),
            reads_pictures=recipe.pictures is not False,
            kind=recipe.kind_of_server or "vllm",
        )
    if recipe.backend == "vllm":
        from eval.backends.vllm_backend import VllmBackend

        return VllmBackend(
            recipe.model, recipe.adapter, **recipe.chosen("gpu_memory", "tensor_parallel", "vision_adapter")
        )
    from eval.backends.transformers_backend import TransformersBackend

    return TransformersBackend(
        Path(recipe.model),
        recipe.adapter,
        **recipe.chosen("batch_size", "batch_tokens", "dtype", "attention", "threads", "continuous"),
    )


def _settings(recipe: EvalRecipe) -> GenerationSettings:
    """What is given, over the preset of the model's family; a server's family is not known, so it has none."""
    if recipe.backend == "server":
        given = {**recipe.generation(), "think_budget": recipe.think_budget or None}
        return GenerationSettings(**{"max_new_tokens": 2048, **given})
    return effective_settings(recipe.model, recipe.adapter, **recipe.generation())


def _problems(recipe: EvalRecipe) -> tuple[Path, dict[str, Any]]:
    """The file of problems, and what the summary tells of how it was made: what was refused, which pictures copied."""
    if recipe.problems is not None:
        return recipe.problems, {}
    assert recipe.data is not None  # the recipe has the one or the other
    problems, imported = recipe.output / PROBLEMS, recipe.output / IMPORTED
    # Processes that share a run may come here together: the first one reads, the others find its file.
    with hold_folder(recipe.output, name=".import.lock", wait=True):
        if not imported.exists():
            summary = import_benchmark(recipe.benchmark, recipe.data, problems, lang=recipe.lang)
            write_atomically(imported, [orjson.dumps({"data": str(recipe.data), **summary})])
    told = orjson.loads(imported.read_bytes())
    if told["data"] != str(recipe.data):
        raise UserError(f"{recipe.output}: holds problems that were read from {told['data']}; give another folder")
    return problems, {"data": told}
