from __future__ import annotations

from pathlib import Path

import pytest

from srt.errors import UserError
from train.recipe import examine_recipe, load_recipe
from train.recipe_faults import RecipeFaults

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


def write(folder: Path, text: str, name: str = "r.yaml", base: str | None = None) -> Path:
    if base is not None:
        (folder / "base.yaml").write_text(base, encoding="utf-8")
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("learning_rate=.inf", "learning_rate: input should be a finite number"),
        ("loss.infer=.inf", "loss.infer: input should be a finite number"),
        ("seed=4294967296", "seed: input should be less than 4294967296"),
        ("output=''", "output: string should have at least 1 character"),
        ("steps=2024-13-45", "the value is not YAML"),
    ],
)
def test_a_value_that_no_run_can_have(tmp_path: Path, change: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        load_recipe(write(tmp_path, WHOLE), [change])


def test_a_date_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not YAML: month must be in"):
        load_recipe(write(tmp_path, WHOLE + "\nhub: 2024-13-45"))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.yaml: no such file"):
        load_recipe(tmp_path / "none.yaml")


def test_micro_batch_must_divide(tmp_path: Path) -> None:
    recipe = load_recipe(write(tmp_path, WHOLE + "micro_batch: 4\n"))
    with pytest.raises(UserError, match=r"batch_size: 8 is no multiple of micro_batch x processes = 4 x 3"):
        recipe.micro_batch_for(3)
    assert load_recipe(write(tmp_path, WHOLE)).micro_batch_for(2) == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pack: 100\nmicro_batch: 4", "pack and micro_batch"),
        ("pack: 99", "max_length: 100 tokens do not fit in a row of pack = 99"),
        ("micro_batch: 3", "batch_size: 8 is no multiple of micro_batch = 3"),
        ("model: {path: m, quantize: nf4}", "model.quantize: nf4 holds frozen weights only"),
        (
            "lora: {}\nmodel: {path: m, quantize: nf4}\ntune: {language: full, vision: lora}",
            "tune.language: full cannot",
        ),
        ("tune: {language: lora}", "tune.language: lora, but there is no lora block"),
        ("tune: {vision: lora, projector: lora}", "tune.vision and tune.projector: lora, but there is no lora block"),
        ("lora: {}\ntune: {language: full}", "lora: no part of tune is lora"),
        (
            "lora: {targets: [q_proj]}\ntune: {language: frozen, vision: lora}",
            "lora.targets: are of the language model",
        ),
        ("tune: {language: frozen}", "every part is frozen"),
        ("pictures: {min_pixels: 9, max_pixels: 8}", "pictures.min_pixels: 9 is more than"),
        ("loss: {correlate: 0, constrain: 0, infer: 0, answer: 0, between: 0}", "loss: every weight is 0"),
    ],
)
def test_a_contradiction(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RecipeFaults) as caught:
        load_recipe(write(tmp_path, "extends: base.yaml\n" + text, "over.yaml", base=WHOLE))
    assert len(caught.value.faults) == 1, caught.value.faults
    assert message in caught.value.faults[0]


def test_contradictions_are_found_beside_faulty_keys(tmp_path: Path) -> None:
    text = WHOLE.replace("batch_size: 8", "batch_size: many") + "seeed: 1\npack: 50\nloss: {infre: 0}\nlora: 3\n"
    with pytest.raises(RecipeFaults) as caught:
        load_recipe(write(tmp_path, text + "pictures: {min_pixels: 9, max_pixels: 8}\n"))
    assert len(caught.value.faults) == 6
    for part in ("batch_size", "seeed", "infre", "lora: ", "max_length: 100 tokens do not fit", "min_pixels: 9"):
        assert sum(part in fault for fault in caught.value.faults) == 1
    assert "; ".join(caught.value.faults) in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE.replace("steps: 10", "stpes: 10"),  # it is most likely the steps that are missing
        WHOLE.replace("steps: 10", "steps: ten"),
        WHOLE + "tune: {vision: lora}\nlora: [3]\n",
        WHOLE + "lora: {targets: [q_proj, 3]}\ntune: {language: frozen, vision: lora}\n",
        WHOLE + "loss: {correlate: 0, constrain: 0, infer: 0, answer: 0, between: x}\n",
    ],
)
def test_no_contradiction_is_made_up_from_a_faulty_key(tmp_path: Path, text: str) -> None:
    with pytest.raises(RecipeFaults) as caught:
        load_recipe(write(tmp_path, text))
    assert len(caught.value.faults) == 1, caught.value.faults


def test_what_can_be_read_is_read_beside_the_faults(tmp_path: Path) -> None:
    read = examine_recipe(write(tmp_path, WHOLE.replace("steps: 10", "stpes: 10") + "loss: {infer: x}\nmodel: 3\n"))
    assert len(read.faults) == 3
    assert (read.recipe.data, read.recipe.batch_size) == ("d.jsonl", 8)
    assert read.knows("data", "batch_size", "loss.answer")
    assert not read.knows("model.path")
    assert not read.knows("steps")
    assert not read.knows("loss.infer")
    whole = examine_recipe(write(tmp_path, WHOLE + "pack: 50\n"))
    assert len(whole.faults) == 1
    assert whole.recipe.pack == 50
    assert whole.knows("pack", "max_length")
