"""The YAML file of ``srt teach``: which models play which part, what they cost, and how far the loop goes."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from srt.io.yaml_config import Config, read_config
from srt.llm.config import LlmConfig, ModelChoice
from srt.llm.prompt_templates import PromptTemplates
from srt.teaching.case_store.case_records import ModelRole

Arm = Literal["srt", "cot"]


class Models(Config):
    """The model of each role. ``describer`` is needed only with ``describe: true``."""

    teacher: ModelChoice
    reviewer: ModelChoice
    checker: ModelChoice
    describer: ModelChoice | None = None


class TeachConfig(LlmConfig):
    """One teaching run, over the endpoints, prices and budget of :class:`~srt.llm.config.LlmConfig`.

    Args:
        models: the model of each role.
        rounds: the maximum number of candidates per problem, including the first draft.
        arm: ``srt`` for traces of typed steps, ``cot`` for prose.
        normal_form: whether steps must come in the order CORRELATE, CONSTRAIN, INFER, as in MathSpatial.
        seed: seed of the sample of ``--estimate``.
        prompts: a folder of your own prompts (``en/reviewer.md``); prompts not in it are the built-in ones.
        describe: have the describer put pictures into words for problems without a diagram description.
        solve_without_solution: let the teacher solve problems without an official solution instead of failing them.
    """

    models: Models
    rounds: int = Field(default=3, ge=1, le=20)
    arm: Arm = "srt"
    normal_form: bool = True
    seed: int = Field(default=0, ge=0)
    prompts: Path | None = None
    describe: bool = False
    solve_without_solution: bool = False

    @model_validator(mode="after")
    def _fits_together(self) -> TeachConfig:
        faults, names = [], sorted(self.endpoints_by_name)
        for role, choice in self.choices().items():
            if choice.endpoint is not None and choice.endpoint not in names:
                faults.append(f"models.{role}.endpoint: {choice.endpoint!r} is not one of {', '.join(names)}")
            if choice.endpoint is None and len(names) > 1:
                faults.append(f"models.{role}.endpoint: missing; name one of {', '.join(names)}")
            if choice.model not in self.prices:
                faults.append(
                    f"prices: no price for {choice.model!r} (models.{role}); "
                    "give input and output in money per million tokens, 0 for a model of your own"
                )
        if self.describe and self.models.describer is None:
            faults.append("models.describer: missing; describe: true needs one")
        if self.models.describer is not None and not self.models.describer.pictures:
            faults.append("models.describer.pictures: a describer has to read pictures")
        if faults:
            raise ValueError("; ".join(dict.fromkeys(faults)))
        return self

    def choices(self) -> dict[str, ModelChoice]:
        """The configured models, by role."""
        return {role.value: choice for role in ModelRole if (choice := getattr(self.models, role.value)) is not None}

    def trace_settings(self, templates: PromptTemplates) -> dict[str, str]:
        """All settings that the traces depend on, flat, as text. Endpoints, prices and budget are not among them.

        A folder's manifest has them, and each case names those that it was made with.
        """
        names = ("arm", "rounds", "normal_form", "describe", "solve_without_solution")
        flat: dict[str, Any] = {name: getattr(self, name) for name in names}
        for role, choice in self.choices().items():
            for key, value in choice.model_dump(exclude={"endpoint"}).items():
                if key != "extra_body" or value:
                    flat[f"models.{role}.{key}"] = value
        for name, text in templates.texts.items():
            flat[f"prompts/{name}"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()[:16]
        return {key: str(value) for key, value in flat.items()}


def load_teach_config(path: Path) -> TeachConfig:
    """Read the YAML file ``path``; ``prompts`` is relative to the folder of the file that names it.

    Raises:
        UserError: the file cannot be read, or has faults in keys and values: all of them in one line.
    """
    return read_config(TeachConfig, path, bundled="recipes/teach", relative=("prompts",))
