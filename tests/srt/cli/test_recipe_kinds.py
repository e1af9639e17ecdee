"""A config of one command that is given to another is named as what it is."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import yaml

from srt.cli.recipe_kinds import _KINDS, require_kind
from srt.io.errors import UserError

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = {
    "train": ROOT / "recipes/train/r1-distill-qwen-7b-lora.yaml",
    "eval": ROOT / "recipes/eval/server.yaml",
    "experiment": ROOT / "recipes/demo.yaml",
    "teach": ROOT / "recipes/teach/openai.yaml",
    "judge": ROOT / "recipes/judge/openai.yaml",
    "dataset": ROOT / "recipes/dataset/seating.yaml",
    "launch": ROOT / "configs/ddp_8gpu.yaml",
}


def test_every_kind_has_an_example() -> None:
    assert set(SHIPPED) == set(_KINDS)


@pytest.mark.parametrize(("wanted", "given"), itertools.product(SHIPPED, SHIPPED))
def test_each_shipped_kind_to_each_command(wanted: str, given: str) -> None:
    if wanted == given:
        require_kind(SHIPPED[given], wanted)
        return
    with pytest.raises(UserError, match=r"this is a file for .*; for .* there are examples in ") as refused:
        require_kind(SHIPPED[given], wanted)
    assert f"this is a file for {_KINDS[given].taken_by};" in str(refused.value)


@pytest.mark.parametrize("kind", SHIPPED)
def test_every_shipped_file_is_of_its_kind(kind: str) -> None:
    for file in (ROOT / _KINDS[kind].folder).glob("*.yaml"):
        require_kind(file, kind)


def test_a_single_wrong_key_is_left_to_the_reader(tmp_path: Path) -> None:
    values = yaml.safe_load(SHIPPED["teach"].read_text())
    (tmp_path / "typo.yaml").write_text(yaml.safe_dump(values | {"buget": 3}))
    (tmp_path / "empty.yaml").touch()
    for name in ("typo.yaml", "empty.yaml", "none.yaml"):
        require_kind(tmp_path / name, "teach")
