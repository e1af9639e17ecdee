"""The one reader of YAML configs; what it refuses is tested with training recipes (``tests/train/test_recipe.py``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from srt.io.yaml_config import read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("2E+6", 2e6),
        ("1.e-3", 0.001),
        ("1.0e-3", 0.001),
        ("-1e3", -1e3),
        ("e-3", "e-3"),
        ("'1e-3'", "1e-3"),
    ],
)
def test_a_number_with_an_exponent_is_a_number(tmp_path: Path, text: str, value: float | str) -> None:
    """As in YAML 1.2. A text would make an experiment that was set ``1e-3`` another one than that with ``0.001``."""
    file = tmp_path / "recipe.yaml"
    file.write_text(f"rate: {text}\n")
    assert read_yaml(file)["rate"] == value
    assert read_yaml(file, [f"rate={text}"])["rate"] == value
