"""The README of a trained model: what it was made from and how, the measured figures, and how to use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import yaml
from huggingface_hub import ModelCardData

from train.data.token_table import TokenizedExamples
from train.data.too_long import dropped_line
from train.recipe import Recipe
from train.run.resume import DROPPED, TrainSummary
from train.run.run_manifest import DATA_HASH, HELD_OUT_LOSS, TrainingManifest

CARD = "README.md"
CURVES = "curves.png"


def write_card(
    output: Path,
    recipe: Recipe,
    summary: TrainSummary,
    manifest: TrainingManifest,
    examples: TokenizedExamples,
    *,
    reads_pictures: bool,
) -> None:
    """Write ``README.md`` into ``output``, with the curves if they are there. ``examples`` are what was trained on.

    It reports only what was measured in this run; how well the model reasons is left to an evaluation.
    """
    base, adapter = Path(recipe.model.path).name, recipe.lora is not None
    data = ModelCardData(
        base_model=base,
        library_name="peft" if adapter else "transformers",
        pipeline_tag="image-text-to-text" if reads_pictures else "text-generation",
        tags=["srt", "structured-reasoning-traces", *(["lora"] if adapter else [])],
    )
    method = "fine-tuned"
    if recipe.lora is not None:
        method = f"with a {'DoRA' if recipe.lora.dora else 'LoRA'} adapter of rank {recipe.lora.r}"
        method += " over 4-bit weights (NF4)" if recipe.model.quantize else ""
    # Only the names of folders, not where they are on this machine.
    keys: dict[str, Any] = recipe.model_dump(mode="json", exclude_defaults=True, exclude={"output", "hub"})
    keys["model"]["path"] = base
    keys["data"] = Path(recipe.data).name
    if recipe.eval_data is not None:
        keys["eval_data"] = Path(recipe.eval_data).name
    if recipe.generations is not None:
        keys["generations"]["problems"] = Path(recipe.generations.problems).name
    parts = [
        f"---\n{data.to_yaml()}\n---",
        f"# {output.resolve().name}",
        f"{base}, {method} on structured reasoning traces.",
        "License: not stated here; whoever publishes this model sets it, as those of the base and the data allow.",
        "## Data",
        _data(recipe, manifest, examples),
        "## Training",
        _figures(summary, manifest),
        *([f"![What was logged while it was trained]({CURVES})"] if (output / CURVES).exists() else []),
        "The recipe, without keys at their default:",
        f"```yaml\n{yaml.safe_dump(keys, sort_keys=False, allow_unicode=True)}```",
        "## Use",
        _use(base, adapter, reads_pictures),
        "`manifest.json` has the SHA-256 of everything it was made from, the versions of the libraries, and each start "
        "of the run; `train.json` has every figure that was logged.",
    ]
    (output / CARD).write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _data(recipe: Recipe, manifest: TrainingManifest, examples: TokenizedExamples) -> str:
    column = examples.column
    arms = {count["values"]: count["counts"] for count in column["arm"].value_counts().to_pylist()}
    named = ", ".join(f"{count:,} of arm `{arm}`" for arm, count in sorted(arms.items()))
    problems, pictures = len(column["problem_id"].unique()), pc.sum(pc.list_value_length(column["pictures"])).as_py()
    dropped = dropped_line(recipe, examples)
    return (
        f"{len(examples):,} sequences ({named}) of {problems:,} problems"
        + (f", with {pictures:,} pictures" if pictures else "")
        + (f". {dropped} were left out (`{DROPPED}` names them)" if dropped else "")
        + f". SHA-256 of the file: `{manifest.fingerprint[DATA_HASH]}`."
    )


def _figures(summary: TrainSummary, manifest: TrainingManifest) -> str:
    last, attempt = summary.history[-1], manifest.attempts[-1]
    code = "not a git checkout"
    if attempt.code.revision is not None:
        code = f"`{attempt.code.revision[:12]}`" + (", changed" if attempt.code.dirty else "")
    rows = [
        ("loss at the end", f"{summary.final_loss:.4f}"),
        *((f"loss, {name.partition('/')[2]}", f"{last[name]:.4f}") for name in last if name.startswith("loss/")),
        *((f"token accuracy, {k.partition('/')[2]}", f"{last[k]:.3f}") for k in last if k.startswith("accuracy/")),
        *_held_out(summary),
        ("optimizer steps", f"{summary.steps:,}"),
        ("tokens seen, without padding", f"{summary.tokens:,}"),
        ("of these trained on", f"{summary.trained_tokens:,}"),
        ("parameters trained", f"{summary.trainable_parameters:,} of {summary.parameters:,}"),
        ("time in the training loop", f"{summary.seconds:,.0f} s"),
        ("devices", f"{summary.processes} x {attempt.devices[0] if attempt.devices else 'CPU'}"),
        ("started", ", ".join(start.time for start in manifest.attempts)),
        ("code", code),
    ]
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)]) + (
        "\n\nLosses and accuracies are those of the training data, as last logged, where the row does not say held-out."
    )


def _held_out(summary: TrainSummary) -> list[tuple[str, str]]:
    """Rows on the evaluations: the loss of the saved weights and the lowest."""
    losses = {int(row["step"]): row[HELD_OUT_LOSS] for row in summary.eval_history}
    rows = []
    if summary.result_step in losses:
        rows.append(("held-out loss of these weights", f"{losses[summary.result_step]:.4f}"))
    if summary.best_step in losses and summary.best_step != summary.result_step:
        rows.append(("lowest held-out loss", f"{losses[summary.best_step]:.4f}, after step {summary.best_step:,}"))
    if summary.result_step not in (None, summary.steps):
        rows.append(("weights after step", f"{summary.result_step:,} (the lowest held-out loss)"))
    return rows


def _use(base: str, adapter: bool, reads_pictures: bool) -> str:
    model = "AutoModelForImageTextToText" if reads_pictures else "AutoModelForCausalLM"
    reader = "AutoProcessor" if reads_pictures else "AutoTokenizer"
    folder = "FOLDER"
    loading = [
        f"from transformers import {model}, {reader}",
        *(["from peft import PeftModel"] if adapter else []),
        "",
        f'model = {model}.from_pretrained("{base if adapter else folder}")',
        *([f'model = PeftModel.from_pretrained(model, "{folder}")'] if adapter else []),
        f'{"processor" if reads_pictures else "tokenizer"} = {reader}.from_pretrained("{folder}")',
    ]
    which = f"--model {base} --adapter {folder}" if adapter else f"--model {folder}"
    commands = [
        *([f"srt merge {folder} -o MERGED    # the adapter into the base"] if adapter else []),
        f"srt eval {which} --problems test.jsonl -o RUN    # accuracy, tokens, share of proved traces",
    ]
    return "```python\n{}\n```\n\n```\n{}\n```".format("\n".join(loading), "\n".join(commands))
