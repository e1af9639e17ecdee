"""One evaluation from recipe to scores: read the benchmark's data, generate, score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from eval.backends.backend_registry import BACKENDS
from eval.backends.presets import effective_settings
from eval.backends.protocol import Backend, GenerationSettings
from eval.benchmarks.benchmark_registry import chosen_options, find_benchmark, import_benchmark
from eval.benchmarks.definition.prompt_files import read_own_prompts
from eval.records.run_records import Shot
from eval.report.wandb_log import log_scores, require_wandb
from eval.run.eval_recipe import EvalRecipe
from eval.run.finished import finished_summary, mark_finished
from eval.run.given_predictions import take_predictions
from eval.run.gold_preflight import require_gold_that_can_be_met
from eval.run.predict import predict
from eval.run.scored_run import read_run
from eval.run.sharding import this_shard
from eval.run.shots import draw_shots
from eval.scoring.score import score
from srt.io.atomic_files import write_atomically
from srt.io.bundled_files import no_model_folder
from srt.io.errors import UserError
from srt.io.folder_lock import hold_folder
from srt.io.problem_files import stream_problems
from srt.io.progress import notice

PROBLEMS = "problems.jsonl"
IMPORTED = "imported.json"


def run_evaluation(recipe: EvalRecipe) -> dict[str, Any]:
    """Run ``recipe``, resuming where it was killed, and return the summary of its scores.

    Without a gold answer nothing is scored, and the summary says so. If this process is one of several that share the
    problems (:mod:`eval.run.sharding`) and others are still running, the summary is of what this one did.

    Raises:
        UserError: a fault in the recipe, the data, the model or the folder.
    """
    chosen_options(find_benchmark(recipe.benchmark), recipe.options)
    if (finished := finished_summary(recipe)) is not None:
        notice(f"this evaluation is finished, and {recipe.output} has not changed since")
        return finished
    _require_inputs(recipe)
    if recipe.problems is not None:
        require_gold_that_can_be_met(recipe.problems, recipe.benchmark)
    shard = this_shard()
    if recipe.report_to:
        require_wandb()
    if not recipe.files:
        shard.take_device()
        backend = make_backend(recipe)
        problems, imported = _problems(recipe)
        settings = _settings(recipe)
        made = predict(
            problems,
            recipe.output,
            backend,
            arm=recipe.arm,
            style=recipe.prompt,
            settings=settings,
            repeats=recipe.repeats,
            benchmark=recipe.benchmark,
            options=recipe.options,
            prompts=read_own_prompts(recipe.prompts) if recipe.prompts else None,
            shots=_shots(recipe, settings.seed, problems),
            shard=shard,
        )
    else:
        problems, imported = _problems(recipe)
        made = take_predictions(
            recipe.files,
            problems,
            recipe.output,
            model=recipe.model,
            arm=recipe.arm,
            benchmark=recipe.benchmark,
            options=recipe.options,
            columns=recipe.columns,
        )
    if not made.complete:
        return {
            "share": f"{shard.rank + 1} of {shard.count}",
            "generated": made.generated,
            "complete": False,
            **imported,
        }
    if all(problem.answer is None for problem in stream_problems(problems)):
        notice("no problem has a gold answer: there is nothing to score")
        return {"predictions": made.total, "scored": 0, **imported}
    scored = score(recipe.output, problems, **recipe.chosen("policy", "reference_tokenizer"))
    if recipe.report_to:
        log_scores(recipe, read_run(recipe.output), scored)
    summary = {**scored.model_dump(mode="json"), **imported}
    mark_finished(recipe, summary)
    return summary


def make_backend(recipe: EvalRecipe) -> Backend:
    """The back end of ``recipe``."""
    entry = BACKENDS[recipe.backend]
    assert entry.make is not None  # the recipe has no predictions
    return entry.make(recipe.model, recipe.adapter, recipe.chosen(*entry.keys))


def _require_inputs(recipe: EvalRecipe) -> None:
    """Raise a :class:`UserError` where what is read first is not there; later, PyTorch would be imported to say so."""
    if BACKENDS[recipe.backend].local and not Path(recipe.model).exists():
        raise no_model_folder(recipe.model)
    for path in (recipe.problems, recipe.data, recipe.shots_from, *recipe.files):
        if path is not None and not path.exists():
            raise UserError(f"{path}: no such file" + (" or folder" if path == recipe.data else ""))


def _settings(recipe: EvalRecipe) -> GenerationSettings:
    """What the recipe sets, over the preset of the model's family; the family behind a server is not known."""
    if BACKENDS[recipe.backend].local:
        return effective_settings(recipe.model, recipe.adapter, **recipe.generation())
    given = {**recipe.generation(), "think_budget": recipe.think_budget or None}
    return GenerationSettings(**{"max_new_tokens": 2048, **given})


def _shots(recipe: EvalRecipe, seed: int, problems: Path) -> list[Shot]:
    """The worked examples of ``recipe``, none of which is among ``problems``."""
    if recipe.shots is None or recipe.shots_from is None:
        return []
    return draw_shots(recipe.shots_from, recipe.shots, seed, {problem.id for problem in stream_problems(problems)})


def _problems(recipe: EvalRecipe) -> tuple[Path, dict[str, Any]]:
    """The file of problems, and what the summary reports of its import: items refused, pictures copied."""
    if recipe.problems is not None:
        return recipe.problems, {}
    assert recipe.data is not None  # the recipe has the one or the other
    problems, record = recipe.output / PROBLEMS, recipe.output / IMPORTED
    # Processes that share a run may get here together: the first one imports, the others find its file.
    with hold_folder(recipe.output, name=".import.lock", wait=True):
        if not record.exists():
            summary = import_benchmark(recipe.benchmark, recipe.data, problems, lang=recipe.lang)
            require_gold_that_can_be_met(problems, recipe.benchmark)
            write_atomically(record, [orjson.dumps({"data": str(recipe.data), **summary})])
    imported = orjson.loads(record.read_bytes())
    if imported["data"] != str(recipe.data):
        raise UserError(f"{recipe.output}: its problems were imported from {imported['data']}; give another folder")
    return problems, {"data": imported}
