"""The README of a data set: the header that hubs read, then what a person wants to know.

The header's keys are those of ``huggingface_hub.DatasetCardData``; ``dataset_info`` is read by ``datasets``
(``DatasetInfosDict.from_dataset_card_data``), which compares the number of rows with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import yaml

from srt import __version__
from srt.io.parquet_files import hub_features
from srt.publish.dataset_recipe import DatasetRecipe
from srt.publish.dataset_rows import COLUMNS, DatasetRow
from srt.publish.split_figures import SplitFigures

CHECKSUMS: Final = "SHA256SUMS"
_SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def dataset_card(recipe: DatasetRecipe, command: str, splits: Sequence[SplitFigures]) -> str:
    """The text of ``README.md`` for what ``command`` made of ``recipe``."""
    pictures = sum(split.pictures for split in splits) > 0
    header = yaml.safe_dump(_header(recipe, splits, pictures), sort_keys=False, allow_unicode=True)
    keys = recipe.model_dump(mode="json", exclude_defaults=True)
    columns = [name for name in COLUMNS if pictures or name != "images"]
    parts = [
        f"---\n{header}---",
        f"# {recipe.name}",
        recipe.description.strip(),
        _table(splits, pictures),
        "## How it was proved",
        _proof(splits),
        "## Columns",
        "\n".join(["| column | |", "|---|---|", *(f"| `{name}` | {COLUMNS[name]} |" for name in columns)]),
        "## How it was made",
        f"By version {__version__} of the toolkit, with `{command}`. The same recipe and version give the same "
        f"problems. `sha256sum -c {CHECKSUMS}` checks the files. The recipe:",
        f"```yaml\n{yaml.safe_dump(keys, sort_keys=False, allow_unicode=True)}```",
        "## Use",
        '```python\nfrom datasets import load_dataset\n\nrows = load_dataset("PATH OF THIS FOLDER", split="'
        f'{splits[0].name}")\n```',
        f"License: {recipe.license}.",
    ]
    return "\n\n".join(parts) + "\n"


def _header(recipe: DatasetRecipe, splits: Sequence[SplitFigures], pictures: bool) -> dict[str, Any]:
    rows = sum(split.rows for split in splits)
    return {
        "license": recipe.license,
        "language": sorted({lang for split in splits for lang in split.langs}),
        "pretty_name": recipe.name,
        "task_categories": ["visual-question-answering" if pictures else "question-answering"],
        "tags": ["spatial-reasoning", "reasoning-traces", "synthetic"],
        "size_categories": [next((name for most, name in _SIZES if rows < most), "1M<n<10M")],
        "dataset_info": {
            "features": hub_features(DatasetRow, pictures=pictures),
            "splits": [
                {"name": split.name, "num_bytes": split.unpacked, "num_examples": split.rows} for split in splits
            ],
            "download_size": sum(split.stored for split in splits),
            "dataset_size": sum(split.unpacked for split in splits),
        },
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": split.name, "path": f"data/{split.name}-*"} for split in splits],
            }
        ],
    }


def _table(splits: Sequence[SplitFigures], pictures: bool) -> str:
    names = sorted({name for split in splits for name in split.categories})
    heads = ["split", "problems", *(["pictures"] if pictures else []), "languages", *names]
    rows = [
        [
            split.name,
            f"{split.rows:,}",
            *([f"{split.pictures:,}"] if pictures else []),
            ", ".join(f"{lang} {count:,}" for lang, count in sorted(split.langs.items())),
            *(f"{split.categories.get(name, 0):,}" for name in names),
        ]
        for split in splits
    ]
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _proof(splits: Sequence[SplitFigures]) -> str:
    rows = sum(split.rows for split in splits)
    refused = sum((split.refused for split in splits), Counter[str]())
    left = ", ".join(f"{reason} {count:,}" for reason, count in sorted(refused.items()))
    return (
        "The problems are sampled by a program, and each answer is computed by an exact solver, which writes its steps "
        "down. A checker that shares no code with the solver proved every step from the premises it cites, and the "
        f"answer from the steps, in all {rows:,} problems."
        + (f" Others were sampled and left out: {left}." if refused else "")
        + " A proof with a step that it can do without is left out too. No problem is in two splits."
    )
