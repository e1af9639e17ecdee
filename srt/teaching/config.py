"""The YAML file of ``srt teach``: which models play which part, what they cost, and how far the loop goes.

Keys that do not exist are refused, with the nearest one that does; all faults are told at once, in one line.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from srt.endpoint.config import EndpointConfig, Price
from srt.endpoint.messages import Role
from srt.errors import UserError
from srt.teaching.templates import Templates

Arm = Literal["srt", "cot"]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelChoice(_Closed):
    """The model that plays one part.

    Args:
        model: its name at the endpoint.
        endpoint: one of the names in ``endpoints``; may be left out where there is one.
        temperature: left to the server where it is not set (some models refuse any).
        max_tokens: the most that one answer may have; an answer that is cut off is asked for once more with twice it.
        pictures: whether it reads pictures. If not, it is given the problem's diagram description in their place.
    """

    model: str = Field(min_length=1)
    endpoint: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int = Field(default=4096, gt=0)
    pictures: bool = True


class Models(_Closed):
    """Who plays which part. ``describer`` is needed only with ``describe: true``."""

    teacher: ModelChoice
    reviewer: ModelChoice
    checker: ModelChoice
    describer: ModelChoice | None = None

    def of(self, role: Role) -> ModelChoice:
        """The model of ``role``; a config with ``describe`` has a describer."""
        choice: ModelChoice | None = getattr(self, role.value)
        assert choice is not None
        return choice


class TeachConfig(_Closed):
    """One teaching run.

    Args:
        endpoints: by a name of your own; ``endpoint`` is short for a single one.
        prices: money per million tokens, by model; every model needs one.
        currency: what prices and budget are in, for people.
        budget: the most that the folder may cost, over all its runs; no limit where it is not set.
        rounds: the most candidates of a problem, the first draft included.
        arm: ``srt`` for traces of typed steps, ``cot`` for prose.
        seed: draws the sample of ``--estimate``.
        prompts: a folder with prompts of one's own (``en/reviewer.md``); what is not in it is ours.
        describe: have a describer put the pictures of each problem that has no description into words.
        solve_without_solution: let the teacher solve what has no official solution, instead of failing it.
    """

    endpoints: dict[str, EndpointConfig] = Field(min_length=1)
    models: Models
    prices: dict[str, Price]
    currency: str = "USD"
    budget: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    rounds: int = Field(default=3, ge=1, le=20)
    arm: Arm = "srt"
    seed: int = Field(default=0, ge=0)
    prompts: Path | None = None
    describe: bool = False
    solve_without_solution: bool = False

    @model_validator(mode="before")
    @classmethod
    def _one_endpoint(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and "endpoint" in data:
            if "endpoints" in data:
                raise ValueError("give either endpoint or endpoints")
            data = {**data, "endpoints": {"default": data["endpoint"]}}
            del data["endpoint"]
        return data

    @model_validator(mode="after")
    def _fits_together(self) -> TeachConfig:
        for role, choice in self.choices().items():
            if choice.endpoint is not None and choice.endpoint not in self.endpoints:
                raise ValueError(
                    f"models.{role}.endpoint: {choice.endpoint!r} is none of {', '.join(sorted(self.endpoints))}"
                )
            if choice.endpoint is None and len(self.endpoints) > 1:
                raise ValueError(f"models.{role}.endpoint: name one of {', '.join(sorted(self.endpoints))}")
            if choice.model not in self.prices:
                raise ValueError(
                    f"prices: there is none for {choice.model!r} (models.{role}); "
                    "give input and output in money per million tokens, 0 for a model of your own"
                )
        if self.describe and self.models.describer is None:
            raise ValueError("models.describer: is needed with describe: true")
        if self.models.describer is not None and not self.models.describer.pictures:
            raise ValueError("models.describer.pictures: a describer has to read pictures")
        return self

    def choices(self) -> dict[Role, ModelChoice]:
        """The models that play a part, by role."""
        return {role: choice for role in Role if (choice := getattr(self.models, role.value)) is not None}

    def endpoint_of(self, role: Role) -> str:
        """The name of the endpoint that ``role`` is asked at."""
        return self.models.of(role).endpoint or next(iter(self.endpoints))

    def what_decides(self, templates: Templates) -> dict[str, str]:
        """All that the traces depend on, flat, as text: a folder keeps to it. Endpoints and money are not in it."""
        decides = {"arm": self.arm, "rounds": self.rounds, "describe": self.describe}
        flat: dict[str, Any] = {**decides, "solve_without_solution": self.solve_without_solution}
        for role, choice in self.choices().items():
            for key, value in choice.model_dump(exclude={"endpoint"}).items():
                flat[f"models.{role}.{key}"] = value
        for name, text in templates.texts.items():
            flat[f"prompts/{name}"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()[:16]
        return {key: str(value) for key, value in flat.items()}


def load_config(path: Path) -> TeachConfig:
    """Read the YAML file ``path``. ``prompts`` is relative to the folder that holds it.

    Raises:
        UserError: no such file, not YAML, or faults in keys and values: all of them in one line.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _OneOfEachKey)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise UserError(f"{path}: a file was expected, this is a folder") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: no such day, a number of 5,000 digits
        raise UserError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict):
        raise UserError(f"{path}: a mapping of keys was expected")
    try:
        config = TeachConfig.model_validate(data)
    except ValidationError as error:
        faults = "; ".join(_told(dict(fault)) for fault in error.errors(include_url=False))
        raise UserError(f"{path}: {faults}") from None
    if config.prompts is None:
        return config
    return config.model_copy(update={"prompts": path.parent / config.prompts})


class _OneOfEachKey(yaml.SafeLoader):
    """YAML's safe loader, but of two budgets in one file it does not silently take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} stands twice", key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


def _told(fault: dict[str, Any]) -> str:
    place = ".".join(str(part) for part in fault["loc"]).replace("endpoints.default", "endpoint")
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(fault["loc"][-1]), _keys_at(fault["loc"][:-1]), n=1)
        message = "no such key" + (f"; did you mean {near[0]!r}?" if near else "")
    if fault["type"] in ("model_type", "dict_type"):
        message = "a mapping of keys was expected"
    return f"{place}: {message}" if place else message


def _keys_at(place: tuple[Any, ...]) -> list[str]:
    """The keys that stand where ``place`` leads."""
    if not place:
        return [*TeachConfig.model_fields, "endpoint"]
    first: type[BaseModel] | None = {
        "models": Models if len(place) == 1 else ModelChoice,
        "prices": Price,
        "endpoints": EndpointConfig,
    }.get(str(place[0]))
    return list(first.model_fields) if first else []
