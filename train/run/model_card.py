"""The README of a trained or merged model: what it was made from and how, the measured figures, and how to use it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import yaml
from huggingface_hub import ModelCard, ModelCardData

from srt.language.template_kwargs import NO_KWARGS, TemplateKwargs
from train.data.token_table import TokenizedExamples
from train.data.too_long import dropped_line
from train.recipe import Recipe
from train.run.resume import DROPPED, TrainSummary
from train.run.run_manifest import HELD_OUT_LOSS, HELD_OUT_PROVED, TrainingManifest, data_hashes, manifest_path
from train.run.usage_snippet import PICTURE, usage_snippet

CARD = "README.md"
CURVES = "curves.png"
_HERE = "."
_NO_LICENSE = "License: not stated here; the publisher of this model sets it, as those of the base and the data allow."


def write_card(
    output: Path,
    recipe: Recipe,
    summary: TrainSummary,
    manifest: TrainingManifest,
    data: str,
    *,
    reads_pictures: bool,
) -> None:
    """Write ``README.md`` into ``output``, with the curves if they are there. ``data`` is what it was trained on.

    It reports only what was measured in this run; how well the model reasons is left to an evaluation.
    """
    adapter, folder_name = recipe.lora is not None, Path(recipe.model.path).resolve().name
    base = recipe.model.hub_id or folder_name
    tags = _card_data(recipe.model.hub_id, reads_pictures=reads_pictures, adapter=adapter)
    method = "fine-tuned"
    if recipe.lora is not None:
        method = f"with a {'DoRA' if recipe.lora.dora else 'LoRA'} adapter of rank {recipe.lora.r}"
        method += " over 4-bit weights (NF4)" if recipe.model.quantize else ""
    # Only the names of folders, not where they are on this machine.
    keys: dict[str, Any] = recipe.model_dump(mode="json", exclude_defaults=True, exclude={"output", "hub"})
    keys["model"]["path"] = folder_name
    for place in (keys, *keys.get("stages", ()), *keys.get("mix", ())):
        if "data" in place:
            place["data"] = Path(place["data"]).name
    if recipe.eval_data is not None:
        keys["eval_data"] = Path(recipe.eval_data).name
    on = "on structured reasoning traces"
    if recipe.objective.dpo is not None:
        on = "by DPO on pairs of structured reasoning traces, one proved and one not"
    if recipe.objective.grpo is not None:
        on = "by GRPO on its own texts, rewarded for proofs"
        own = keys["objective"]["grpo"]
        own |= {key: Path(own[key]).name for key in ("problems", "held_out") if isinstance(own.get(key), str)}
    if recipe.generations is not None:
        keys["generations"]["problems"] = Path(recipe.generations.problems).name
    parts = [
        f"---\n{tags.to_yaml()}\n---",
        f"# {output.resolve().name}",
        f"{base}, {method} {on}.",
        _NO_LICENSE,
        "## Data",
        data,
        "## Training",
        _figures(summary, manifest),
        *([f"![What was logged while it was trained]({CURVES})"] if (output / CURVES).exists() else []),
        "The recipe, without keys at their default:",
        f"```yaml\n{yaml.safe_dump(keys, sort_keys=False, allow_unicode=True)}```",
        "## Use",
        _use(recipe.hub or _HERE, base if adapter else None, reads_pictures, recipe.chat_template_kwargs),
        "`manifest.json` has the SHA-256 of everything it was made from, the versions of the libraries, and each start "
        "of the run; `train.json` has every figure that was logged.",
    ]
    (output / CARD).write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def described(recipe: Recipe, manifest: TrainingManifest, examples: TokenizedExamples) -> str:
    """What a run on sequences was trained on."""
    column = examples.column
    arms = {count["values"]: count["counts"] for count in column["arm"].value_counts().to_pylist()}
    named = ", ".join(f"{count:,} of arm `{arm}`" for arm, count in sorted(arms.items()))
    problems, pictures = len(column["problem_id"].unique()), pc.sum(pc.list_value_length(column["pictures"])).as_py()
    dropped = dropped_line(recipe, examples)
    kind = "sequences" if recipe.objective.dpo is None else "pairs"
    return (
        f"{len(examples):,} {kind} ({named}) of {problems:,} problems"
        + (f", with {pictures:,} pictures" if pictures else "")
        + (f". {dropped} were left out (`{DROPPED}` names them)" if dropped else "")
        + f". SHA-256 of the {'files' if recipe.stages or recipe.mix else 'file'}: "
        + ", ".join(f"`{digest}`" for digest in data_hashes(manifest.fingerprint))
        + "."
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
        *_proved(summary),
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


def _proved(summary: TrainSummary) -> list[tuple[str, str]]:
    """The held-out problems that a policy proved, before its first step and after its last."""
    shares = [row[HELD_OUT_PROVED] for row in summary.eval_history if HELD_OUT_PROVED in row]
    return (
        [("held-out problems proved and right, before and after", f"{shares[0]:.1%}, {shares[-1]:.1%}")]
        if shares
        else []
    )


def _held_out(summary: TrainSummary) -> list[tuple[str, str]]:
    """Rows on the evaluations: the loss of the saved weights and the lowest."""
    losses = {int(row["step"]): row[HELD_OUT_LOSS] for row in summary.eval_history if HELD_OUT_LOSS in row}
    rows = []
    if summary.result_step in losses:
        rows.append(("held-out loss of these weights", f"{losses[summary.result_step]:.4f}"))
    if summary.best_step in losses and summary.best_step != summary.result_step:
        rows.append(("lowest held-out loss", f"{losses[summary.best_step]:.4f}, after step {summary.best_step:,}"))
    if summary.result_step not in (None, summary.steps):
        rows.append(("weights after step", f"{summary.result_step:,} (the lowest held-out loss)"))
    return rows


def write_merged_card(
    folder: Path, name: str, adapter: Path, base: Path, *, reads_pictures: bool, kwargs: TemplateKwargs = NO_KWARGS
) -> None:
    """Write ``README.md`` into ``folder``, of the model ``name``: ``adapter`` merged into ``base``.

    The name of the base on the hub, and how the adapter was trained, are taken from the adapter's card if it has one.
    """
    trained, hub_id = "", None
    if (card := _own_card(adapter)) is not None:
        hub_id = card.data.get("base_model")
        trained = card.text.partition("\n## Data\n")[2].partition("\n## Use\n")[0].strip()
        if (adapter / CURVES).is_file():
            shutil.copyfile(adapter / CURVES, folder / CURVES)
    data = _card_data(hub_id, reads_pictures=reads_pictures, adapter=False)
    parts = [
        f"---\n{data.to_yaml()}\n---",
        f"# {name}",
        f"The adapter {adapter.resolve().name}, merged into {hub_id or base.resolve().name}.",
        _NO_LICENSE,
        *(["## Data", trained] if trained else []),
        "## Use",
        _use(_HERE, None, reads_pictures, kwargs),
    ]
    (folder / CARD).write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _own_card(adapter: Path) -> ModelCard | None:
    """The card that :func:`write_card` wrote into ``adapter``; none if it is from elsewhere or cannot be read now."""
    try:
        return ModelCard.load(adapter / CARD) if manifest_path(adapter) and (adapter / CARD).is_file() else None
    except (OSError, ValueError, yaml.YAMLError):  # edited since
        return None


def _card_data(hub_id: str | None, *, reads_pictures: bool, adapter: bool) -> ModelCardData:
    """The front matter. ``base_model`` may only be a name on the hub: without one it is left out."""
    return ModelCardData(
        base_model=hub_id,
        library_name="peft" if adapter else "transformers",
        pipeline_tag="image-text-to-text" if reads_pictures else "text-generation",
        tags=["srt", "structured-reasoning-traces", *(["lora"] if adapter else [])],
    )


def _use(folder: str, base: str | None, reads_pictures: bool, kwargs: TemplateKwargs) -> str:
    """How to use the model in ``folder``, or the adapter there over ``base``."""
    notes = ["It expects questions in the form of its training data: question, options, how to answer."]
    notes += ["`.` is the folder of this file."] if folder == _HERE else []
    notes += [f"`{base}` is the base, as a folder."] if base is not None and "/" not in base else []
    notes += [f"`{PICTURE}` is a picture of yours."] if reads_pictures else []
    which, commands = "--model FOLDER", []
    if base is not None:
        which = "--model BASE --adapter FOLDER"
        commands = ["srt merge FOLDER -o MERGED --model BASE    # the adapter into the base"]
    commands.append(f"srt eval {which} --problems test.jsonl -o RUN    # accuracy, tokens, proved and computed traces")
    return "\n\n".join(
        [
            " ".join(notes),
            f"```python\n{usage_snippet(folder, base, reads_pictures=reads_pictures, kwargs=kwargs)}\n```",
            "With the toolkit, which reads folders of this machine:",
            "```\n{}\n```".format("\n".join(commands)),
        ]
    )
