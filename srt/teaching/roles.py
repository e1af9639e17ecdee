"""The roles of language models in the teaching loop."""

from __future__ import annotations

from enum import StrEnum


class ModelRole(StrEnum):
    """A role of a model. Tokens and cost are counted by role."""

    TEACHER = "teacher"
    REVIEWER = "reviewer"
    CHECKER = "checker"
    DESCRIBER = "describer"
