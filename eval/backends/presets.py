"""Generation presets: how each family of models generates, unless the user says otherwise.

The family is recognised from the folder's configuration and chat template, without loading anything. The effective
settings, from the preset and the user, are in the manifest of the run. A text that is unfinished at its token budget
counts as wrong, with the status ``truncated``, whatever the family.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Required, TypedDict

from pydantic import ValidationError

from eval.backends.adapters import MERGED, TRAINING_MANIFESTS
from eval.backends.protocol import GenerationSettings
from srt.io.errors import UserError
from srt.io.record_lines import validation_fault

_TRAINED = (*TRAINING_MANIFESTS, MERGED)
"""Files in a folder that was trained here, or merged from one that was."""

ANSWER_ROOM = 1024
"""Tokens that are left for the answer when a think block is closed at its budget."""


class PresetSettings(TypedDict, total=False):
    """The fields of :class:`~eval.backends.protocol.GenerationSettings` that a preset can set."""

    max_new_tokens: Required[int]
    temperature: float
    top_p: float
    think_budget: int
    max_pixels: int


@dataclass(frozen=True, kw_only=True)
class GenerationPreset:
    """The settings of one family.

    Attributes:
        family: its name, in ``run.json``.
        model_types: the ``model_type`` of its ``config.json``.
        settings: what is set unless the user says otherwise.
        template_marker: text that its chat template contains, if the ``model_type`` is not enough.
    """

    family: str
    model_types: tuple[str, ...]
    settings: PresetSettings
    template_marker: str = ""


PRESETS: tuple[GenerationPreset, ...] = (
    # Temperature and top-p: the DeepSeek-R1 model card, which warns of endless repetition when greedy. It measured with
    # 32,768 tokens; half of that is a compromise with time, and no thought is cut without an answer.
    GenerationPreset(
        family="r1-distill",
        model_types=("qwen2", "llama"),
        template_marker="<｜Assistant｜>",
        settings={
            "temperature": 0.6,
            "top_p": 0.95,
            "max_new_tokens": 16_384,
            "think_budget": 16_384 - ANSWER_ROOM,
        },
    ),
    # Practically greedy in its own generation_config.json (temperature 1e-6). Its processor lets a picture take 16,384
    # tokens; its model card advises 1,280 (of 28 x 28 pixels).
    GenerationPreset(
        family="qwen2.5-vl",
        model_types=("qwen2_5_vl",),
        settings={"max_new_tokens": 2048, "max_pixels": 1280 * 28 * 28},
    ),
    # The limit of its processor, 12 tiles of 448 x 448 pixels, is that of its published figures.
    GenerationPreset(family="internvl", model_types=("internvl",), settings={"max_new_tokens": 2048}),
    GenerationPreset(family="llama", model_types=("llama",), settings={"max_new_tokens": 2048}),
    GenerationPreset(family="qwen2", model_types=("qwen2",), settings={"max_new_tokens": 2048}),
)
"""The first one that matches is used. Another family is one more entry here."""

OTHER = GenerationPreset(family="other", model_types=(), settings={"max_new_tokens": 2048})
"""The preset of every other model."""


def find_preset(folder: str | Path) -> GenerationPreset:
    """The preset for the model in ``folder``, by its ``model_type`` and its chat template."""
    folder = Path(folder)
    model_type = _json(folder / "config.json").get("model_type")
    for preset in PRESETS:
        if model_type in preset.model_types and preset.template_marker in _template(folder):
            return preset
    return OTHER


def family_of(folder: str | Path) -> str:
    """The name of the family of the model in ``folder``."""
    return find_preset(folder).family


def preset_for(folder: str | Path, adapter: str | Path | None = None) -> dict[str, Any]:
    """The preset settings for the model in ``folder``, reduced to what it can do.

    At most as many new tokens as half of its positions. No picture limit if the processor's own is lower, or if the
    model or its adapter was trained here: it keeps the limits that it was trained with.
    """
    folder = Path(folder)
    preset: dict[str, Any] = {**find_preset(folder).settings}
    config = _json(folder / "config.json")
    positions = {**config, **(config.get("text_config") or {})}.get("max_position_embeddings")
    if isinstance(positions, int) and preset["max_new_tokens"] > positions // 2:
        preset["max_new_tokens"] = positions // 2
        if "think_budget" in preset:
            preset["think_budget"] = max(1, preset["max_new_tokens"] - min(ANSWER_ROOM, positions // 8))
    trained = any((Path(path) / mark).is_file() for path in (folder, adapter) if path is not None for mark in _TRAINED)
    own = _most_pixels(folder)
    if "max_pixels" in preset and (trained or (own is not None and own <= preset["max_pixels"])):
        del preset["max_pixels"]
    return preset


def effective_settings(
    folder: str | Path, adapter: str | Path | None = None, **given: int | float | str | None
) -> GenerationSettings:
    """The settings of a run: what is ``given`` (and not ``None``), else the preset, else the protocol's default.

    The think budget of the preset is reduced by a lower ``max_new_tokens`` and dropped with a grammar or a guide;
    ``think_budget`` 0 means no budget.

    Raises:
        UserError: a value is out of its range, or contradicts another.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    settings: dict[str, Any] = {**preset_for(folder, adapter), **chosen}
    without = settings.get("grammar") is not None or settings.get("decode") is not None
    if settings.get("think_budget") == 0 or ("think_budget" not in chosen and without):
        settings["think_budget"] = None
    elif "think_budget" in settings and "think_budget" not in chosen:
        room = settings["max_new_tokens"] - ANSWER_ROOM
        settings["think_budget"] = min(settings["think_budget"], room) if room > 0 else None
    try:
        return GenerationSettings.model_validate(settings)
    except ValidationError as error:
        raise UserError(validation_fault(error).removeprefix("record: ")) from None


def _template(folder: Path) -> str:
    for name in ("chat_template.jinja", "chat_template.json", "tokenizer_config.json"):
        if (folder / name).is_file():
            text = (folder / name).read_text("utf-8", errors="replace")
            if name.endswith(".jinja"):
                return text
            found = _json(folder / name).get("chat_template")
            if found is not None:
                return json.dumps(found, ensure_ascii=False)
    return ""


def _most_pixels(folder: Path) -> int | None:
    """The most pixels of a picture that the processor in ``folder`` allows, in either format of its file."""
    for file in ("processor_config.json", "preprocessor_config.json"):
        config = _json(folder / file)
        images: Any = config.get("image_processor")
        images = images if isinstance(images, dict) else config
        size = images["size"] if isinstance(images.get("size"), dict) else {}
        for value in (size.get("longest_edge"), images.get("max_pixels")):
            if isinstance(value, int):
                return value
    return None


def _json(file: Path) -> dict[str, Any]:
    """The contents of ``file``; empty if it cannot be read, which is reported when the model is loaded."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
