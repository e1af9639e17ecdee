"""How texts are decoded, beside sampling: the recipe key ``decode``."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from srt.io.records import Record
from srt.io.yaml_config import one_by_name

REDRAW_TEMPERATURE = 0.7
"""That of lines which are drawn again where decoding is greedy."""


class Redrawing(Record):
    """What happens to a line that its guide refuses.

    It is drawn again up to ``tries`` times; then ``back`` lines before it are taken back as well, and as many more each
    time that the text comes no further than that. All this ends after ``tokens`` generated tokens a problem, those that
    were taken back included; by default that is ``max_new_tokens``, which is how long the text itself may get.
    """

    tries: int = Field(default=6, ge=0, le=10_000, strict=True)
    back: int = Field(default=1, ge=1, le=10_000, strict=True)
    tokens: int | None = Field(default=None, ge=1, le=10_000_000, strict=True)


class Samples(Record):
    """How many whole texts are sampled at most; the first is greedy where the temperature is 0."""

    samples: int = Field(ge=2, le=10_000, strict=True)


class Decode(Record):
    """One way to decode (:data:`eval.decoding.ways.WAYS`), as ``proved`` or ``{proved: {tries: 6}}``."""

    proved: Redrawing | None = Field(default=None, exclude_if=lambda given: given is None)
    unrefuted: Redrawing | None = Field(default=None, exclude_if=lambda given: given is None)
    best: Samples | None = Field(default=None, exclude_if=lambda given: given is None)
    majority: Samples | None = Field(default=None, exclude_if=lambda given: given is None)

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, given: Any) -> Any:
        return one_by_name(given, list(cls.model_fields), "decode: proved")

    @property
    def way(self) -> str:
        """The name of the way."""
        return next(name for name in type(self).model_fields if getattr(self, name) is not None)

    def __str__(self) -> str:
        """The way and its options, as a report names them: ``best (samples 4)``."""
        options = getattr(self, self.way).model_dump(exclude_none=True)
        return f"{self.way} ({', '.join(f'{name} {value}' for name, value in options.items())})"
