"""The recipe of a data set: which problems each split has, and what the card says that no program can know."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from srt.experiment.problem_sources import WorldProblems
from srt.io.yaml_config import Config, read_config

FOLDER: Final = "recipes/dataset"


class DatasetRecipe(Config):
    """A data set of ``splits``, each of problems that exact worlds sample, solve and prove.

    ``license``: as hubs abbreviate it, such as ``apache-2.0``. ``description``: the first paragraph of the card.
    """

    name: str = Field(min_length=1)
    license: str = Field(pattern=r"^[a-z0-9.-]+$")
    description: str = Field(min_length=1)
    splits: dict[Literal["train", "dev", "test"], Annotated[list[WorldProblems], Field(min_length=1)]] = Field(
        min_length=1
    )


def read_dataset_recipe(path: Path) -> DatasetRecipe:
    """The recipe in ``path``, or the one of that name in ``recipes/dataset/``.

    Raises:
        UserError: no such file, or what is wrong with it.
    """
    return read_config(DatasetRecipe, path, bundled=FOLDER)
