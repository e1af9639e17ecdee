"""What kind of problems of the seating world to draw, as YAML files and recipes say it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from srt.io.records import Lang
from srt.io.yaml_config import Config, parse_config
from srt.worlds.kit.splits import Split

Links = Literal["tree", "ring", "anchored"]
"""How clues link people: each one more person to the others, or neighbours all around; or some say a seat at once."""


class SampleSpec(Config):
    """What kind of problems to draw. Recipes hold these fields as YAML."""

    split: Split = "train"
    split_by: Literal["puzzle", "meaning", "people"] = "puzzle"
    """``puzzle``: problems with the same key are in the same split, so a test asks for puzzles never trained on.

    ``meaning``: a test asks for nothing that was trained on in other words, such as "Ann is left of Bob" for "Bob is
    right of Ann". There are far fewer meanings than puzzles.

    ``people`` is for families of so few puzzles that training exhausts them: the splits share puzzles, but not with the
    same people on the same seats. Say so where you report such figures.
    """
    lang: Lang = "en"
    style: Literal["short", "long", "space2025"] = "short"
    """``short`` and ``long`` are wordings of our own; ``space2025`` are the benchmark's, see ``wordings``."""
    scenes: tuple[str, ...] | None = None
    """Names as :func:`~srt.worlds.seating.scenes.scene_name` gives them; ``None`` is all."""
    names: int | None = Field(default=None, ge=4)
    """How many names there are to draw from."""
    relations: tuple[str, ...] | None = None
    """Relations of clues, by :func:`~srt.worlds.seating.writing.sentence_templates.relation_name`; ``None`` is all."""
    questions: tuple[str, ...] | None = None
    """Relations of questions, likewise."""
    direct_questions: bool = False
    """Only questions with the blank alone on one side, ``? = across(left(Ann))``: nothing has to be turned round."""
    links: Links | None = None
    """How clues link people; ``None``: in any way, with no clue that could be left out.

    ``tree``: each clue links somebody to one who was linked before, until everybody is, so that one can be seated after
    the other. ``ring``: clues link neighbours all around a scene. ``anchored``: as ``tree``, but a clue about the first
    person alone says where they are, and one in eight of the others has such a clue instead of a link, as on the
    shelves of SpaCE2025. To these, clues are added until one placement is left. Some of them may say what the others
    imply, as in most hexagons of SpaCE2025.
    """
    variety: int | None = Field(default=None, ge=1)
    """At most this many ways of saying each relation; ``None`` is all."""
    none_share: float = Field(default=0.5, ge=0, le=1)
    """The share of problems that offer "None of the above".

    A booth with one name in the question always does: only three others are left.
    """
    min_clues: int = Field(default=1, ge=1)
    max_clues: int = Field(default=11, ge=1)
    """Bounds on the number of clues."""
    wordings: Path | None = None
    """The folder of the user's copy of the benchmark; it implies ``style: space2025``.

    That style without this field takes the folder from the environment variable ``SRT_SPACE2025``.
    """

    @model_validator(mode="before")
    @classmethod
    def _wordings_imply_the_style(cls, fields: Any) -> Any:
        return {**fields, "style": "space2025"} if isinstance(fields, dict) and fields.get("wordings") else fields

    @classmethod
    def parse(cls, fields: Mapping[str, object]) -> SampleSpec:
        """The specification of ``fields`` (YAML); a :class:`UserError` names every field that is wrong."""
        return parse_config(cls, fields, "seating")
