"""The settings of the sampler."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field, field_validator

from srt.io.records import Lang
from srt.io.yaml_config import Config
from srt.worlds.kit.splits import Split

Family = Literal["single", "related", "recast", "composite", "similar"]


class SolidsSettings(Config):
    """Which problems to draw, as a recipe or the file of ``srt generate --spec`` says it."""

    split: Split = "train"
    lang: Lang | Literal["both"] = "both"
    families: tuple[Family, ...] = Field(default=get_args(Family), min_length=1)
    """``single``: one solid; ``related``: one measure is so many times another; ``recast``: one is melted into
    another; ``composite``: two are joined, or one is cut out of the other; ``similar``: two are similar."""
    largest: int = Field(default=20, ge=4, le=200)
    """The greatest whole length that is drawn."""
    steps: tuple[int, int] = (1, 6)
    """The fewest and the most formulas and conversions."""
    units: Literal["none", "one", "mixed", "any"] = "any"
    """No units, one unit of length, or several that must be converted."""
    pictures: bool = False
    """The lengths stand in a picture and not in the text; then all problems are of the family ``single``."""
    form: Literal["options", "number", "any"] = "any"
    """With any, half of the problems have options."""

    @field_validator("steps")
    @classmethod
    def _fewest_first(cls, steps: tuple[int, int]) -> tuple[int, int]:
        if not 1 <= steps[0] <= steps[1]:
            raise ValueError(f"the fewest and the most, at least 1, were expected, not {list(steps)}")
        return steps
