"""The two published taxonomies of errors, and the labels that a wrong prediction gets in each.

MathSpatial's six classes were made for problems with views; in problems in words a clue takes the place of a view: a
representation that is read correctly or not. HST's four were made for problems in words. Published shares are of the
errors of the models in each paper; HST publishes one share for its last two classes together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from srt.io.records import Record

MathSpatialClass = Literal["projection", "feature", "scale", "geometry_violation", "reasoning_gap", "deduction_failure"]
HstClass = Literal["fabricated_condition", "insufficient_knowledge", "process_deviation", "relation_confusion"]
TaxonomyName = Literal["mathspatial", "hst"]
TAXONOMY_NAMES: tuple[TaxonomyName, ...] = ("mathspatial", "hst")


class Labels(Record):
    """The class of one wrong prediction in each taxonomy; ``None`` where nobody labelled it, or none fits."""

    mathspatial: MathSpatialClass | None = None
    hst: HstClass | None = None

    def of(self, taxonomy: TaxonomyName) -> str | None:
        """The class in ``taxonomy``."""
        return self.mathspatial if taxonomy == "mathspatial" else self.hst


@dataclass(frozen=True)
class Taxonomy:
    """``classes``: name -> one line of explanation. ``published``: share of errors, by names joined with ``+``."""

    title: str
    classes: Mapping[str, str]
    published: Mapping[str, float]
    source: str


TAXONOMIES: dict[TaxonomyName, Taxonomy] = {
    "mathspatial": Taxonomy(
        "MathSpatial",
        {
            "projection": "a view (or a clue) is misread",
            "feature": "a small part is left out, or an edge, a point or a thing is made up",
            "scale": "relative sizes are not kept",
            "geometry_violation": "rules of projection, visibility or of the scene are broken",
            "reasoning_gap": "the chain is incomplete or inconsistent",
            "deduction_failure": "what was found is right, but not brought together",
        },
        {
            "projection": 0.126,
            "feature": 0.105,
            "scale": 0.072,
            "geometry_violation": 0.330,
            "reasoning_gap": 0.344,
            "deduction_failure": 0.023,
        },
        "Do MLLMs Really Understand Space? A Mathematical Reasoning Evaluation",
    ),
    "hst": Taxonomy(
        "HST-bench",
        {
            "fabricated_condition": "a condition that is not given is used, or one that is given is misread",
            "insufficient_knowledge": "knowledge is missing: a wrong rule, formula or concept of space or of a field",
            "process_deviation": "relative motion, a reference frame or a process goes wrong; a step does not follow",
            "relation_confusion": "elementary geometry or direction: one relation is taken for another (left, right)",
        },
        {
            "fabricated_condition": 0.109,
            "insufficient_knowledge": 0.222,
            # As published: one share for both classes, which cannot be taken apart afterwards.
            "process_deviation+relation_confusion": 0.668,
        },
        "HST-bench",
    ),
}
