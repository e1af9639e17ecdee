"""The one reader of YAML configs; what it refuses is tested with training recipes (``tests/train/test_recipe.py``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from srt.io.errors import UserError
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


def doubled(first: str, rest: str, levels: int) -> str:
    """``first``, then ``levels`` of ``rest``, in which each level names the one before it several times."""
    return "".join([first, *(rest.format(new=n, old=n - 1) for n in range(1, levels + 1))])


MERGES = ("a0: &a0 {k: 1, l: 2}\n", "a{new}: &a{new} {{<<: [*a{old}, *a{old}, *a{old}]}}\n")
LISTS = ("a0: &a0 [x, x, x]\n", "a{new}: &a{new} [*a{old}, *a{old}, *a{old}]\n")
VALUES = ("a0: &a0 {k: 1, l: 2}\n", "a{new}: &a{new} {{k: *a{old}, l: *a{old}, m: *a{old}}}\n")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        # Each of these is refused by its size; read to the end, it would take longer than this test suite, or a day.
        (doubled(*MERGES, levels=30), "line 8: more than 20,000 keys and values"),
        (doubled(*LISTS, levels=30), "more than 20,000 keys and values"),
        (doubled(*VALUES, levels=30), "more than 20,000 keys and values"),
        ("a: &a {k: 1}\nb: [" + "*a, " * 20_000 + "]", "line 2: more than 20,000 keys and values"),
        ("".join(f"k{n}: 1\n" for n in range(20_000)), "line 10000: more than 20,000 keys and values"),
        ("a: 1" + ":59" * 100, "line 1: a number or a date of more than 100 digits"),
        ("a: 1" + ":59" * 300 + ".5", "line 1: a number or a date of more than 100 digits"),
        ("a: " + "9" * 5000, "line 1: a number or a date of more than 100 digits"),
        ("a: 2024-13-45", "month must be in 1..12"),
        ("# " + "x" * 1_000_000, "more than 1,000,000 bytes"),
        ("a: &a {<<: *a}", "contains itself"),
        ("[" * 60, "nested deeper than 50 levels"),
    ],
)
def test_what_a_file_may_come_to_is_bounded(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(text)
    with pytest.raises(UserError) as raised:
        read_yaml(file)
    assert str(raised.value).startswith(f"{file}: ")
    assert named in str(raised.value)
    assert "\n" not in str(raised.value)


def test_aliases_and_merges_within_the_bounds_are_read(tmp_path: Path) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(doubled(*MERGES, levels=4) + "b: {<<: *a4, l: 3}\nc: [" + "*a0, " * 1000 + "]\nd: " + "9" * 100)
    values = read_yaml(file)
    assert values["b"] == {"k": 1, "l": 3}
    assert values["c"] == [{"k": 1, "l": 2}] * 1000
    assert read_yaml(file, ["e={<<: {k: 1}}"])["e"] == {"k": 1}
    with pytest.raises(UserError, match="--set e="):
        read_yaml(file, [f"e=[{'[x, x, x], ' * 20_000}]"])
