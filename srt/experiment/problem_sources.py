"""Where an experiment's problems come from: an exact world, a published corpus, or a file; and its curriculum."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, Field, Tag

from srt.io.records import Lang
from srt.io.yaml_config import Config


class WorldProblems(Config):
    """``n`` problems of an exact world; ``spec`` as ``srt generate --spec`` reads it."""

    world: str
    n: int = Field(gt=0)
    spec: dict[str, Any] = Field(default_factory=dict)


class SampledSource(WorldProblems):
    """Problems of an exact world; ``needs`` and ``exclude_test`` as in :class:`CorpusSource`."""

    needs: str | None = None
    exclude_test: bool = True


class CorpusSource(Config):
    """A corpus as it was published, in whatever ``srt import`` reads; ``lang`` for one that has both languages.

    Its problems are filtered by their fields or their ``meta`` (``where: {scene: booth}``); ``n`` takes the first so
    many of them. ``needs`` names an environment variable with the corpus's folder: where it is not set, the source is
    left out, and the run says so.

    ``exclude_test``, of a source of training problems: nothing with the content or the split key of a test problem is
    trained on. It is set to false where the test asks for new words and not for new puzzles.
    """

    corpus: str
    path: str
    lang: Lang | None = None
    where: dict[str, str] = Field(default_factory=dict)
    n: int | None = Field(default=None, gt=0)
    needs: str | None = None
    exclude_test: bool = True


class FileSource(Config):
    """A file of problems, as ``srt import``, ``curate``, ``split`` and ``teach`` write it; the other keys as above."""

    problems: str
    where: dict[str, str] = Field(default_factory=dict)
    n: int | None = Field(default=None, gt=0)
    needs: str | None = None
    exclude_test: bool = True


def _source_form(value: Any) -> str:
    """The form of a source, by its key: otherwise a fault in one form would be reported as faults in every other."""
    forms: tuple[tuple[str, type[Config]], ...] = (("corpus", CorpusSource), ("problems", FileSource))
    for key, form in forms:
        if isinstance(value, form) or (isinstance(value, dict) and key in value):
            return f"({key})"
    return "(sampled)"


def _has_a_form(value: Any) -> Any:
    if isinstance(value, dict) and not {"world", "corpus", "problems"} & value.keys():
        raise ValueError(f"one of the keys world, corpus, problems was expected, not {', '.join(map(str, value))}")
    return value


Source = Annotated[
    Annotated[SampledSource, Tag("(sampled)")]
    | Annotated[CorpusSource, Tag("(corpus)")]
    | Annotated[FileSource, Tag("(problems)")],
    Discriminator(_source_form),
    BeforeValidator(_has_a_form),
]


class TrainingStage(Config):
    """A stage of a curriculum: it trains on ``items`` sequences of the problems of its sources."""

    name: str = Field(pattern=r"^[\w-]+$")
    train_problems: list[Source] = Field(min_length=1)
    items: int = Field(ge=1)
