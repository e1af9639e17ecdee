"""The README of a trained model: what it was made from and how, the figures that were measured, how to use it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import yaml
from huggingface_hub import ModelCardData

from srt.jsonl import read_records
from srt.records import Sequence
from train.recipe import Recipe
from train.run_folder import TrainSummary
from train.stamp import Stamp

CARD = "README.md"
CURVES = "curves.png"


def write_card(output: Path, recipe: Recipe, summary: TrainSummary, stamp: Stamp, sees: bool) -> None:
    """Write ``README.md`` into ``output``, with the curves if they lie there; ``sees``: the model reads pictures.

    It says nothing that was not measured in this run: how well the model reasons is left to an evaluation.
    """
    base, adapter = Path(recipe.model.path).name, recipe.lora is not None
    data = ModelCardData(
        base_model=base,
        library_name="peft" if adapter else "transformers",
        pipeline_tag="image-text-to-text" if sees else "text-generation",
        tags=["srt", "structured-reasoning-traces", *(["lora"] if adapter else [])],
    )
    parts = [
        f"---\n{data.to_yaml()}\n---",
        f"# {output.resolve().name}",
        f"{base}, {_how(recipe)} on structured reasoning traces.",
        "License: not stated here; whoever publishes this model sets it, as those of the base and the data allow.",
        "## Data",
        _data(recipe, stamp),
        "## Training",
        _figures(summary, stamp),
        *([f"![What was logged while it was trained]({CURVES})"] if (output / CURVES).exists() else []),
        "The recipe, without the keys that stand at their default:",
        f"```yaml\n{_recipe(recipe)}```",
        "## Use",
        _use(base, adapter, sees),
        "`stamp.json` has the SHA-256 of all that it was made from, the versions of the libraries, and each start of "
        "the run; `train.json` has every figure that was logged.",
    ]
    (output / CARD).write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _how(recipe: Recipe) -> str:
    if recipe.lora is None:
        return "fine-tuned"
    kind = "DoRA" if recipe.lora.dora else "LoRA"
    return f"with a {kind} adapter of rank {recipe.lora.r}" + (
        " over 4-bit weights (NF4)" if recipe.model.quantize else ""
    )


def _data(recipe: Recipe, stamp: Stamp) -> str:
    arms: Counter[str] = Counter()
    problems: set[str] = set()
    pictures = 0
    for sequence in read_records(recipe.data, Sequence):
        arms[sequence.arm] += 1
        problems.add(sequence.problem_id)
        pictures += len(sequence.images)
    named = ", ".join(f"{count:,} of arm `{arm}`" for arm, count in sorted(arms.items()))
    return (
        f"{arms.total():,} sequences ({named}) of {len(problems):,} problems"
        + (f", with {pictures:,} pictures" if pictures else "")
        + f". SHA-256 of the file: `{stamp.decides['data (contents)']}`."
    )


def _figures(summary: TrainSummary, stamp: Stamp) -> str:
    last, attempt = summary.history[-1], stamp.attempts[-1]
    rows = [
        ("loss at the end", f"{summary.final_loss:.4f}"),
        *((f"loss, {name.partition('/')[2]}", f"{last[name]:.4f}") for name in last if name.startswith("loss/")),
        *((f"token accuracy, {k.partition('/')[2]}", f"{last[k]:.3f}") for k in last if k.startswith("accuracy/")),
        ("optimizer steps", f"{summary.steps:,}"),
        ("tokens seen, padding left out", f"{summary.tokens:,}"),
        ("of these trained on", f"{summary.trained_tokens:,}"),
        ("parameters trained", f"{summary.trainable_parameters:,} of {summary.parameters:,}"),
        ("time in the training loop", f"{summary.seconds:,.0f} s"),
        ("devices", f"{summary.processes} x {attempt.devices[0] if attempt.devices else 'processor'}"),
        ("started", ", ".join(start.time for start in stamp.attempts)),
        ("code", _code(stamp)),
    ]
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)]) + (
        "\n\nLosses and accuracies are those of the training data, as last logged."
    )


def _code(stamp: Stamp) -> str:
    code = stamp.attempts[-1].code
    if code.revision is None:
        return "not a git checkout"
    return f"`{code.revision[:12]}`" + (", changed" if code.dirty else "")


def _recipe(recipe: Recipe) -> str:
    """As YAML. Of folders on the machine of the run only the names are told."""
    values: dict[str, Any] = recipe.model_dump(mode="json", exclude_defaults=True, exclude={"output", "hub"})
    values["model"]["path"] = Path(recipe.model.path).name
    values["data"] = Path(recipe.data).name
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True)


def _use(base: str, adapter: bool, sees: bool) -> str:
    model = "AutoModelForImageTextToText" if sees else "AutoModelForCausalLM"
    reader = "AutoProcessor" if sees else "AutoTokenizer"
    here = "FOLDER"
    loading = [
        f"from transformers import {model}, {reader}",
        *(["from peft import PeftModel"] if adapter else []),
        "",
        f'model = {model}.from_pretrained("{base if adapter else here}")',
        *([f'model = PeftModel.from_pretrained(model, "{here}")'] if adapter else []),
        f'{"processor" if sees else "tokenizer"} = {reader}.from_pretrained("{here}")',
    ]
    which = f"--model {base} --adapter {here}" if adapter else f"--model {here}"
    commands = [
        *([f"srt merge {here} -o MERGED    # the adapter into the base"] if adapter else []),
        f"srt eval {which} --problems test.jsonl -o RUN    # accuracy, tokens, share of proved traces",
    ]
    return "```python\n{}\n```\n\n```\n{}\n```".format("\n".join(loading), "\n".join(commands))
