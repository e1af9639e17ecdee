from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml

from srt.io.errors import UserError
from srt.io.yaml_config import ConfigFaults
from train.data.batches import plan_batches
from train.data.examples import Example
from train.data.token_table import TokenizedExamples
from train.recipe_reader import examine_recipe, load_recipe, make_recipe

WHOLE = """
model: {path: m}
data: d.jsonl
output: out
steps: 10
batch_size: 8
learning_rate: 1e-3
max_length: 100
logging: {report_to: none}
"""


def write(folder: Path, text: str, name: str = "r.yaml", base: str | None = None) -> Path:
    if base is not None:
        (folder / "base.yaml").write_text(base, encoding="utf-8")
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_a_recipe_that_is_not_there_is_named_with_the_file_that_extends_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"over\.yaml: extends: smal: .*'small'.*llama-3-8b-lora"):
        load_recipe(write(tmp_path, "extends: smal\n", "over.yaml"))


@pytest.mark.parametrize("name", ["llama-3-8b-lora", "llama-3-8b-lora.yaml", "train/llama-3-8b-lora.yaml"])
def test_a_recipe_of_the_toolkit_is_extended_by_its_name(name: str, tmp_path: Path) -> None:
    recipe = load_recipe(write(tmp_path, f"extends: {name}\noutput: mine\n", "mine.yaml"))
    assert recipe.lora is not None
    assert (recipe.output, recipe.model.hub_id) == ("mine", "meta-llama/Meta-Llama-3-8B-Instruct")


def test_extends_merges_key_by_key(tmp_path: Path) -> None:
    write(tmp_path, WHOLE + "lora: {r: 4}\n", "base.yaml")
    recipe = load_recipe(
        write(tmp_path, "extends: base.yaml\nmodel: {attn: eager}\nsteps: null\nepochs: 2\nlora: null\n")
    )
    assert (recipe.model.path, recipe.model.attn) == ("m", "eager")
    assert (recipe.steps, recipe.epochs, recipe.lora) == (None, 2.0, None)
    assert recipe.learning_rate == 1e-3
    assert recipe.logging.report_to == ()


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
    ("change", "fault"),
    [
        ("attn=eager", "attn: no such key, did you mean model.attn?"),
        ("r=4", "r: no such key, did you mean lora.r?"),
        ("lora.targets=q_proj", "lora.targets: a list was expected, not 'q_proj'"),
        ("steps=1.5", "steps: a whole number was expected, not 1.5"),
        ("seed=x", "seed: a whole number was expected, not 'x'"),
        ("seed=true", "seed: a number was expected, not True"),
        ("neftune=true", "neftune: a number was expected, not True"),
        ("learning_rate=fast", "learning_rate: a number was expected, not 'fast'"),
        ("think=perhaps", "think: true or false was expected, not 'perhaps'"),
        ("hub=3", "hub: a text was expected, not 3"),
    ],
)
def test_a_fault_is_said_in_words(change: str, fault: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigFaults) as caught:
        load_recipe(write(tmp_path, WHOLE), [change])
    assert caught.value.faults == [fault]


def test_a_key_outside_its_block_is_not_known(tmp_path: Path) -> None:
    read = examine_recipe(write(tmp_path, WHOLE), ["attn=segments"])
    assert not read.knows("model.attn")
    assert read.knows("model.path", "data")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (WHOLE + "epochs: 2", "steps, epochs: "),
        (WHOLE.replace("steps: 10", ""), "steps, epochs: "),
        (WHOLE.replace("8", "0"), "batch_size: .*0"),
        (WHOLE + "learning_rate: 1e-4", "learning_rate"),
    ],
)
def test_one_fault(tmp_path: Path, text: str, key: str) -> None:
    with pytest.raises(UserError, match=key):
        load_recipe(write(tmp_path, text))


@pytest.mark.parametrize(
    "change", ["learning_rate=.inf", "loss.infer=.inf", "seed=4294967296", "output=''", "steps=2024-13-45"]
)
def test_a_value_that_no_run_can_have(tmp_path: Path, change: str) -> None:
    with pytest.raises(UserError, match=change.partition("=")[0].replace(".", r"\.")):
        load_recipe(write(tmp_path, WHOLE), [change])


@pytest.mark.parametrize("old", ["tune: {projector: full}\n", "loss: {between: 0.5}\n"])
def test_old_names_are_read(tmp_path: Path, old: str) -> None:
    new = old.replace("tune", "trainable").replace("between", "other")
    today = load_recipe(write(tmp_path, WHOLE + new, "new.yaml"))
    assert load_recipe(write(tmp_path, WHOLE + old)) == today
    # As well in a file that is extended, in a change on the command line, and in values from elsewhere.
    over = "extends: base.yaml\ntrainable: {vision: full}\nloss: {infer: 2}\n"
    mixed = load_recipe(write(tmp_path, over, base=WHOLE + old))
    assert (mixed.trainable.projector, mixed.loss.other) == (today.trainable.projector, today.loss.other)
    assert (mixed.trainable.vision, mixed.loss.infer) == ("full", 2)
    assert load_recipe(tmp_path / "new.yaml", ["tune.vision=full"]).trainable.vision == "full"
    values = yaml.safe_load(WHOLE + old)
    assert make_recipe(values) == today
    assert values == yaml.safe_load(WHOLE + old)


@pytest.mark.parametrize(
    ("text", "key"),
    [("tune: {}\ntrainable: {}\n", r"trainable: .* tune"), ("loss: {between: 1, other: 1}\n", r"loss\.other: ")],
)
def test_both_names_at_once(tmp_path: Path, text: str, key: str) -> None:
    with pytest.raises(UserError, match=rf"r\.yaml: {key}"):
        load_recipe(write(tmp_path, WHOLE + text))


def test_micro_batch_must_divide(tmp_path: Path, tokenized: Callable[[list[Example]], TokenizedExamples]) -> None:
    recipe = load_recipe(write(tmp_path, WHOLE + "micro_batch: 4\n"))
    examples = tokenized([Example("p", np.zeros(3, np.int32), np.zeros(3, np.int32), np.zeros(3, np.int8))])
    with pytest.raises(UserError, match=r"batch_size: 8 .* micro_batch x processes = 4 x 3"):
        plan_batches(recipe, examples, 3)
    assert set(map(len, plan_batches(load_recipe(write(tmp_path, WHOLE)), examples, 2).micro_batches)) == {4}


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("pack: 100\nmicro_batch: 4", ["pack, micro_batch: "]),
        ("pack: 99", ["max_length: 100 ", "pack = 99"]),
        ("eval_data: d.jsonl", ["eval_data, eval_steps: "]),
        ("load_best_model_at_end: true", ["load_best_model_at_end: ", "eval_data"]),
        ("early_stopping: {patience: 2}", ["early_stopping: ", "eval_data"]),
        ("generations: {problems: p.jsonl}", ["generations: ", "eval_data"]),
        (
            "eval_data: d.jsonl\neval_steps: 4\ngenerations: {problems: p.jsonl, steps: 6}",
            ["generations.steps: 6 ", "eval_steps = 4"],
        ),
        ("logging: {group: arms, report_to: trackio}", ["logging.group: ", "wandb"]),
        ("micro_batch: 3", ["batch_size: 8 ", "micro_batch = 3"]),
        ("model: {path: m, quantize: nf4}", ["model.quantize: nf4 ", "lora"]),
        (
            "lora: {}\nmodel: {path: m, quantize: nf4}\ntrainable: {language: full, vision: lora}",
            ["trainable.language: full ", "model.quantize"],
        ),
        ("trainable: {language: lora}", ["trainable.language: lora", "lora block"]),
        (
            "trainable: {vision: lora, projector: lora}",
            ["trainable.vision and trainable.projector: lora", "lora block"],
        ),
        ("lora: {}\ntrainable: {language: full}", ["lora: ", "trainable.language: lora"]),
        ("lora: {targets: [q_proj]}\ntrainable: {language: frozen, vision: lora}", ["lora.targets: ", "frozen"]),
        ("trainable: {language: frozen}", ["trainable: ", "frozen"]),
        ("pictures: {min_pixels: 9, max_pixels: 8}", ["pictures.min_pixels: 9 ", "pictures.max_pixels = 8"]),
        ("loss: {correlate: 0, constrain: 0, infer: 0, answer: 0, other: 0}", ["loss: ", "0"]),
    ],
)
def test_a_contradiction(tmp_path: Path, text: str, keys: list[str]) -> None:
    with pytest.raises(ConfigFaults) as caught:
        load_recipe(write(tmp_path, "extends: base.yaml\n" + text, "over.yaml", base=WHOLE))
    assert len(caught.value.faults) == 1, caught.value.faults
    assert caught.value.faults[0].startswith(keys[0])
    assert all(key in caught.value.faults[0] for key in keys)


def test_contradictions_are_found_beside_faulty_keys(tmp_path: Path) -> None:
    text = WHOLE.replace("batch_size: 8", "batch_size: many") + "seeed: 1\npack: 50\nloss: {infre: 0}\nlora: 3\n"
    with pytest.raises(ConfigFaults) as caught:
        load_recipe(write(tmp_path, text + "pictures: {min_pixels: 9, max_pixels: 8}\n"))
    assert len(caught.value.faults) == 6
    for part in ("batch_size", "seeed", "infre", "lora: ", "max_length: 100 ", "min_pixels: 9"):
        assert sum(part in fault for fault in caught.value.faults) == 1
    assert "; ".join(caught.value.faults) in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE.replace("steps: 10", "stpes: 10"),  # it is most likely the steps that are missing
        WHOLE.replace("steps: 10", "steps: ten"),
        WHOLE + "trainable: {vision: lora}\nlora: [3]\n",
        WHOLE + "lora: {targets: [q_proj, 3]}\ntrainable: {language: frozen, vision: lora}\n",
        WHOLE + "loss: {correlate: 0, constrain: 0, infer: 0, answer: 0, other: x}\n",
    ],
)
def test_no_contradiction_is_made_up_from_a_faulty_key(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigFaults) as caught:
        load_recipe(write(tmp_path, text))
    assert len(caught.value.faults) == 1, caught.value.faults


def test_a_folder_for_the_model_is_model_path(tmp_path: Path) -> None:
    with pytest.raises(ConfigFaults, match=r"model: .*--set model\.path=models/mine") as caught:
        load_recipe(write(tmp_path, WHOLE), ["model=models/mine"])
    assert len(caught.value.faults) == 1


def test_what_can_be_read_is_read_beside_the_faults(tmp_path: Path) -> None:
    text = WHOLE.replace("steps: 10", "stpes: 10").replace("model: {path: m}", "model: 3")
    read = examine_recipe(write(tmp_path, text + "loss: {infer: x}\n"))
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


@pytest.mark.parametrize(
    ("block", "key"),
    [("early_stopping: {patience: 0}", "early_stopping.patience"), ("generations: {count: 2}", "generations.problems")],
)
def test_a_fault_in_a_key_that_its_block_needs_is_one_line(tmp_path: Path, block: str, key: str) -> None:
    with pytest.raises(ConfigFaults) as raised:
        load_recipe(write(tmp_path, f"{WHOLE}\n{block}\n"))
    assert [line.partition(":")[0] for line in raised.value.faults] == [key]
