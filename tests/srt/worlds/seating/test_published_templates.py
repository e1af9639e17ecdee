"""The benchmark's wordings, mined from a copy of it, can be spoken. Nothing of them stands here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from srt.io.errors import UserError
from srt.worlds.seating.reading.problem_reader import read_problem
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample
from srt.worlds.seating.scenes import SCENES, scene_name
from srt.worlds.seating.writing.published_templates import published_templates

MADE_UP = {
    "id": "x-1",
    "instruction": "Pick one.",
    "text": "Booth: Ann, Bob, Cal, Dee.\n(1)Ann is left of Bob;\n(2)Cal's left neighbour is Dee.",
    "question": "() faces Ann.",
    "options": {"A": "Bob", "B": "Cal", "C": "Dee", "D": "None of the above"},
    "answer": ["B"],
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_scene_can_be_spoken_of_as_the_benchmark_does(lang: str, space2025: Path) -> None:
    for scene in SCENES:
        spec = SampleSpec.parse(
            {"lang": lang, "style": "space2025", "scenes": [scene_name(scene)], "wordings": space2025}
        )
        for index in range(20):
            problem = sample(spec, index)  # proves by itself that the text reads back as drawn
            assert problem.meta["wordings"] == "space2025"
            assert problem.instruction
            assert read_problem(problem).scene == scene


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_wordings_hold_no_names(lang: str, space2025: Path) -> None:
    templates = published_templates(space2025, lang)  # type: ignore[arg-type]
    names = {name for pool in templates.names.values() for name in pool}
    for table in (templates.clues, templates.questions):
        texts = {text for wordings in table.values() for wording in wordings for text in wording.texts}
        assert len(texts) > 100
        assert not {text for text in texts for name in names if name in text}


def test_mining_masks_names_and_keeps_the_rest(tmp_path: Path) -> None:
    # A line that speaks as our own templates does: the published ones are not for this repository.
    row = {**MADE_UP, "text": MADE_UP["text"].replace("Booth: Ann, Bob, Cal, Dee.", "Ann, Bob, Cal, Dee sat down.")}  # type: ignore[attr-defined]
    (tmp_path / "spr_en_train.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"spr_en_train\.jsonl: "):
        published_templates(tmp_path, "en")


def test_a_missing_copy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SRT_SPACE2025", raising=False)
    with pytest.raises(UserError, match="SRT_SPACE2025"):
        published_templates(None, "en")
    with pytest.raises(UserError, match=r"nowhere: .*SRT_SPACE2025"):
        published_templates(tmp_path / "nowhere", "en")
    with pytest.raises(UserError, match=r"spr_zh_train\.jsonl: "):
        published_templates(tmp_path, "zh")
    (tmp_path / "spr_en_train.jsonl").write_text('{"id": "x"}\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"spr_en_train\.jsonl:1: text: "):
        published_templates(tmp_path, "en")
