"""How each family of models is asked to generate, unless the user says otherwise.

The family is told from the folder's configuration and chat template, without loading anything. What a preset sets, and
what the user changed in it, stands in the stamp of the run: its settings are the effective ones. A text that is still
unfinished at its token budget counts as wrong, with the status ``truncated``, whatever the family.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from eval.backends.adapters import TRAINING_STAMP
from eval.backends.protocol import GenerationSettings
from srt.errors import UserError

Family = Literal["r1-distill", "qwen2.5-vl", "internvl", "llama", "qwen2", "other"]

_TRAINED = (TRAINING_STAMP, "merge.json")
"""What a folder holds that was trained here, or merged from what was."""

ANSWER_ROOM = 1024
"""Tokens that are left for the answer when a think block is closed at its budget."""

PRESETS: dict[Family, dict[str, Any]] = {
    # Temperature and top-p: the DeepSeek-R1 model card, which warns of endless repetition when greedy. It measured with
    # 32,768 tokens; half of that is a compromise with time, and no thought is cut without an answer.
    "r1-distill": {
        "temperature": 0.6,
        "top_p": 0.95,
        "max_new_tokens": 16_384,
        "think_budget": 16_384 - ANSWER_ROOM,
    },
    # Greedy in all but name in its own generation_config.json (temperature 1e-6). Its processor lets a picture take
    # 16,384 tokens; 1,280 (of 28 x 28 pixels) are what its model card advises.
    "qwen2.5-vl": {"max_new_tokens": 2048, "max_pixels": 1280 * 28 * 28},
    # Its own processor's limit, 12 tiles of 448 x 448 pixels, is that of its published figures.
    "internvl": {"max_new_tokens": 2048},
    "llama": {"max_new_tokens": 2048},
    "qwen2": {"max_new_tokens": 2048},
    "other": {"max_new_tokens": 2048},
}


def family_of(folder: str | Path) -> Family:
    """The family of the model in ``folder``, by its ``model_type`` and the marks of its chat template."""
    folder = Path(folder)
    kind = _json(folder / "config.json").get("model_type")
    if kind in ("qwen2", "llama") and "<｜Assistant｜>" in _template(folder):
        return "r1-distill"
    families: dict[Any, Family] = {
        "qwen2_5_vl": "qwen2.5-vl",
        "internvl": "internvl",
        "llama": "llama",
        "qwen2": "qwen2",
    }
    return families.get(kind, "other")


def preset_for(folder: str | Path, adapter: str | Path | None = None) -> dict[str, Any]:
    """The settings of :data:`PRESETS` for the model in ``folder``, cut to what it can do.

    No more new tokens than half of its positions. No limit of pictures where the processor's own is lower, or where the
    model or its adapter was trained here: it keeps the limits that it was trained with.
    """
    folder = Path(folder)
    preset = dict(PRESETS[family_of(folder)])
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

    A think budget of the preset gives way to a lower ``max_new_tokens`` and to a grammar; ``think_budget`` 0 means
    none.

    Raises:
        UserError: a value that is out of its range, or that contradicts another.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    settings: dict[str, Any] = {**preset_for(folder, adapter), **chosen}
    if settings.get("think_budget") == 0 or ("think_budget" not in chosen and settings.get("grammar") is not None):
        settings["think_budget"] = None
    elif "think_budget" in settings and "think_budget" not in chosen:
        room = settings["max_new_tokens"] - ANSWER_ROOM
        settings["think_budget"] = min(settings["think_budget"], room) if room > 0 else None
    try:
        return GenerationSettings.model_validate(settings)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"]))
        message = fault["msg"].removeprefix("Value error, ")
        raise UserError(f"{place}: {message}" if place else message) from None


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
    """The most pixels that the processor in ``folder`` leaves of a picture, in either spelling of its file."""
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
    """What ``file`` holds; empty where it cannot be read: whoever loads the model says what is wrong with it."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
