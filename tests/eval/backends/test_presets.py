"""How each family generates, what the user may change, and the effective settings of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.backends.presets import ANSWER_ROOM, effective_settings, family_of, preset_for
from eval.backends.protocol import GenerationSettings
from srt.io.errors import UserError


def make_folder(
    folder: Path, kind: str, template: str = "", positions: int = 131_072, pixels: int | None = None
) -> Path:
    """A folder that has what presets look at, and no weights."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"model_type": kind, "max_position_embeddings": positions}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}))
    if pixels is not None:
        (folder / "preprocessor_config.json").write_text(json.dumps({"size": {"longest_edge": pixels}}))
    return folder


def test_families_are_told_from_folders(r1: Path, model: Path, tmp_path: Path) -> None:
    assert family_of(r1) == "r1-distill"
    assert family_of(model) == "qwen2"
    assert family_of(make_folder(tmp_path / "a", "llama", "<｜User｜><｜Assistant｜>")) == "r1-distill"
    assert family_of(make_folder(tmp_path / "a", "llama", "<|eot_id|>")) == "llama"
    assert family_of(make_folder(tmp_path / "a", "qwen2_5_vl")) == "qwen2.5-vl"
    assert family_of(make_folder(tmp_path / "a", "internvl")) == "internvl"
    assert family_of(make_folder(tmp_path / "a", "mistral")) == "other"
    assert family_of(tmp_path / "nowhere") == "other"


def test_r1_samples_and_thinks_within_a_budget(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "r1", "qwen2", "<｜Assistant｜>")
    settings = effective_settings(folder)
    assert (settings.temperature, settings.top_p) == (0.6, 0.95)
    assert settings.think_budget == settings.max_new_tokens - ANSWER_ROOM
    short = effective_settings(folder, max_new_tokens=4096, temperature=0.0)
    assert (short.temperature, short.think_budget) == (0.0, 4096 - ANSWER_ROOM)
    assert effective_settings(folder, max_new_tokens=512).think_budget is None
    assert effective_settings(folder, think_budget=0).think_budget is None
    assert effective_settings(folder, think_budget=99, top_p=None).think_budget == 99
    small = effective_settings(make_folder(tmp_path / "r1", "qwen2", "<｜Assistant｜>", positions=4096))
    assert small.max_new_tokens == 2048
    assert small.think_budget is not None


def test_pictures_have_a_limit_where_there_is_no_lower_one(tmp_path: Path) -> None:
    most = 1280 * 28 * 28
    folder = make_folder(tmp_path / "vl", "qwen2_5_vl", pixels=12_845_056)
    assert effective_settings(folder).max_pixels == most
    assert effective_settings(folder, max_pixels=5000).max_pixels == 5000
    assert "max_pixels" not in preset_for(make_folder(tmp_path / "vl", "qwen2_5_vl", pixels=50_000))
    make_folder(tmp_path / "vl", "qwen2_5_vl", pixels=12_845_056)
    adapter = make_folder(tmp_path / "adapter", "")
    assert preset_for(folder, adapter)["max_pixels"] == most
    (adapter / "manifest.json").write_text("{}")
    assert "max_pixels" not in preset_for(folder, adapter), "what was trained here keeps its own limits"
    (folder / "merge.json").write_text("{}")
    assert "max_pixels" not in preset_for(folder), "also when it was merged"


def test_what_contradicts_is_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "r1", "qwen2", "<｜Assistant｜>")
    with pytest.raises(UserError, match=r"think_budget 600.*max_new_tokens"):
        effective_settings(folder, think_budget=600, max_new_tokens=600)
    with pytest.raises(UserError, match="top_p"):
        effective_settings(folder, top_p=3.0)
    with pytest.raises(ValueError, match="think_budget"):
        GenerationSettings(max_new_tokens=5, think_budget=9)
