from __future__ import annotations

from pathlib import Path

import pytest

from srt.errors import UserError
from train.recipe import load_recipe

WHOLE = """
model: {path: m}
data: d.jsonl
output: out
steps: 10
batch_size: 8
learning_rate: 1e-3
max_length: 100
logging: {wandb: off}
"""


def write(folder: Path, text: str, name: str = "r.yaml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_extends_merges_key_by_key(tmp_path: Path) -> None:
    write(tmp_path, WHOLE + "lora: {r: 4}\n", "base.yaml")
    recipe = load_recipe(
        write(tmp_path, "extends: base.yaml\nmodel: {attn: eager}\nsteps: null\nepochs: 2\nlora: null\n")
    )
    assert (recipe.model.path, recipe.model.attn) == ("m", "eager")
    assert (recipe.steps, recipe.epochs, recipe.lora) == (None, 2.0, None)
    assert recipe.learning_rate == 1e-3
    assert recipe.logging.wandb == "off"


def test_all_faults_at_once_with_the_nearest_key(tmp_path: Path) -> None:
    path = write(tmp_path, WHOLE.replace("batch_size: 8", "batch_sise: 8") + "lora: {alhpa: 3, r: 0}\nseed: x\n")
    with pytest.raises(UserError) as caught:
        load_recipe(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path}: ")
    for part in ("batch_size: missing", "did you mean batch_size?", "lora.alhpa", "alpha?", "lora.r: ", "seed: "):
        assert part in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (WHOLE + "epochs: 2", "either steps or epochs"),
        (WHOLE.replace("steps: 10", ""), "either steps or epochs"),
        (WHOLE.replace("8", "0"), "batch_size: .*not 0"),
        ("- a list", "a mapping"),
        ("a: [1", "not YAML"),
        ("extends: r.yaml", "extends itself"),
        ("extends: gone.yaml", r"gone.yaml: no such file \(extended by"),
        ("extends: 3", "one path"),
    ],
)
def test_one_fault(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        load_recipe(write(tmp_path, text))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.yaml: no such file"):
        load_recipe(tmp_path / "none.yaml")


def test_micro_batch_must_divide(tmp_path: Path) -> None:
    recipe = load_recipe(write(tmp_path, WHOLE + "micro_batch: 3\n"))
    with pytest.raises(UserError, match=r"batch_size: 8 is no multiple of micro_batch x processes = 3 x 1"):
        recipe.micro_batch_for(1)
    assert load_recipe(write(tmp_path, WHOLE)).micro_batch_for(2) == 4
