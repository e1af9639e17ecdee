"""The recipes and launch files that the repository comes with: each is read by what will read it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from accelerate.commands.config.config_args import load_config_from_file
from typer.testing import CliRunner

from srt.cli import make_app
from train.recipe import Recipe
from train.recipe_reader import load_recipe

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "recipes" / "train"
FAMILIES = ("qwen2.5-vl-3b", "qwen2.5-vl-7b", "r1-distill-qwen-7b", "llama-3-8b", "internvl3-8b")
WAYS = ("full", "lora", "qlora", "dora")
# The rest of the ways are a key each.
OF_TODAY = ("qwen3-8b", "qwen3-vl-8b", "internvl3.5-8b", "gemma-4-e2b", "qwen3.5-4b")


def written(name: str) -> dict[str, Any]:
    """What the file says itself, without what it extends."""
    return dict(yaml.safe_load((RECIPES / f"{name}.yaml").read_text("utf-8")))


def flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for key, value in values.items():
        leaves |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return leaves


def recipe(name: str) -> Recipe:
    return load_recipe(RECIPES / f"{name}.yaml")


def test_every_family_in_every_way_and_nothing_else() -> None:
    expected = {f"{family}-{way}" for family in FAMILIES for way in WAYS} | {"base", "small"}
    expected |= {f"{family}-{way}" for family in OF_TODAY for way in WAYS[:2]}
    expected |= {"small-grpo", "r1-distill-qwen-7b-grpo"}
    assert {path.stem for path in RECIPES.iterdir()} == expected


@pytest.mark.parametrize("family", FAMILIES)
def test_a_recipe_names_what_differs_from_the_one_it_extends(family: str) -> None:
    full, lora, qlora, dora = (recipe(f"{family}-{way}") for way in WAYS)
    # The paper's setting.
    assert (full.batch_size, full.learning_rate, full.epochs) == (128, 1e-5, 5)
    assert full.lora is None
    assert lora.lora is not None
    assert lora.learning_rate == 1e-4
    assert (lora.model.quantize, qlora.model.quantize) == (None, "nf4")
    assert dora.lora is not None
    assert (lora.lora.dora, dora.lora.dora) == (False, True)
    assert len({chosen.output for chosen in (full, lora, qlora, dora)}) == 4
    for way in WAYS:
        own = written(f"{family}-{way}")
        base = {"full": "base", "lora": f"{family}-full"}.get(way, f"{family}-lora")
        assert own["extends"] == f"{base}.yaml"
        assert len(flat(own)) <= 12
        inherited = flat(load_recipe(RECIPES / own["extends"], ["model.path=m", "output=o"]).model_dump(mode="json"))
        changed = flat(own).keys() - {"extends", "model.path", "output"}
        # A key that only repeats what is there already is not a difference.
        assert not [key for key in changed if inherited.get(key) == flat(own)[key] and "lora." not in key]


@pytest.mark.parametrize("family", OF_TODAY)
def test_a_model_of_today_in_full_and_with_an_adapter(family: str) -> None:
    full, lora = recipe(f"{family}-full"), recipe(f"{family}-lora")
    assert (full.lora, full.learning_rate, full.output) == (None, 1e-5, f"runs/{family}-full/srt")
    assert lora.lora is not None
    assert (lora.learning_rate, lora.output) == (1e-4, f"runs/{family}-lora/srt")
    assert lora.chat_template_kwargs == full.chat_template_kwargs
    assert written(f"{family}-full")["extends"] == "base.yaml"
    assert written(f"{family}-lora")["extends"] == f"{family}-full.yaml"


def test_vision_recipes_read_pictures_and_text_recipes_none() -> None:
    for family in (*FAMILIES, *OF_TODAY):
        chosen = recipe(f"{family}-full")
        sees = family.startswith(("qwen2.5-vl", "internvl", "qwen3-vl", "qwen3.5"))
        assert ("pictures" in chosen.data) == sees
        assert chosen.trainable.projector == ("full" if sees else "frozen")
        assert chosen.trainable.vision == "frozen"


def test_an_arm_is_told_on_the_command_line() -> None:
    path = RECIPES / "llama-3-8b-lora.yaml"
    cot = load_recipe(path, ["data=data/cot/sequences.jsonl", "output=runs/cot", "lora.r=4"])
    plain = recipe("llama-3-8b-lora").model_dump()
    assert cot.model_dump() == plain | {
        "data": "data/cot/sequences.jsonl",
        "output": "runs/cot",
        "lora": plain["lora"] | {"r": 4},
    }


@pytest.mark.long
def test_a_small_model_is_made_and_trained_as_its_recipe_says(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = recipe("small")
    Path(chosen.data).parent.mkdir(parents=True)
    shutil.copy(data, chosen.data)
    comments = (RECIPES / "small.yaml").read_text("utf-8").splitlines()
    commands = [line.removeprefix("#   srt ").split() for line in comments if line.startswith("#   srt ")]
    assert [command[0] for command in commands] == ["init-model", "train"]
    commands[1] += ["--set", "epochs=null", "--set", "steps=2", "--set", "threads=1"]
    for command in commands:
        assert CliRunner().invoke(make_app(), [find(part) for part in command], catch_exceptions=False).exit_code == 0
    assert (Path(chosen.output) / "model.safetensors").is_file()


def find(part: str) -> str:
    return str(ROOT / part) if part.startswith("recipes/") else part


CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_accelerate_reads_every_launch_file(path: Path) -> None:
    config = load_config_from_file(str(path))
    # The recipe decides the precision, and nothing beside it.
    assert config.mixed_precision == "no"
    comments = path.read_text("utf-8").split("compute_environment")[0]
    assert f"accelerate launch --config_file configs/{path.name} " in comments
    assert config.use_cpu == path.stem.startswith("cpu")
    if eight := re.search(r"_(\d)gpu", path.stem):
        assert (config.num_processes, config.num_machines) == (int(eight[1]), 1)
    kind = next((kind for kind in ("fsdp", "zero") if kind in path.stem), None)
    if kind == "fsdp":
        assert config.distributed_type == "FSDP"
        assert config.fsdp_config["fsdp_version"] == 2
        assert config.fsdp_config["fsdp_state_dict_type"] == "SHARDED_STATE_DICT"
    if kind == "zero":
        stage = int(re.findall(r"zero(\d)", path.stem)[0])
        assert config.distributed_type == "DEEPSPEED"
        assert config.deepspeed_config["zero_stage"] == stage
        assert config.deepspeed_config["zero3_init_flag"] == (stage == 3)
        offloaded = "cpu" if "offload" in path.stem else "none"
        assert config.deepspeed_config["offload_param_device"] == offloaded
        assert stage < 3 or config.deepspeed_config["zero3_save_16bit_model"]


@pytest.mark.parametrize(
    ("tested", "meant"),
    [
        ("cpu", "one_gpu"),
        ("cpu_ddp", "ddp_8gpu"),
        ("cpu_fsdp2", "fsdp2_8gpu"),
        ("cpu_fsdp2", "two_nodes"),
        ("cpu_zero2", "zero2_8gpu"),
        ("cpu_zero3", "zero3_8gpu"),
    ],
)
def test_launch_files_for_cpus_and_gpus_differ_in_devices_alone(tested: str, meant: str) -> None:
    """What the equivalence tests show of the first holds for the second only then."""
    one, other = (yaml.safe_load((ROOT / "configs" / f"{name}.yaml").read_text("utf-8")) for name in (tested, meant))
    devices = {
        "use_cpu",
        "gpu_ids",
        "num_processes",
        "num_machines",
        "main_process_port",
        "rdzv_backend",
        "same_network",
    }
    devices |= {"rdzv_backend", "same_network"}  # of two machines
    differ = {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}
    assert differ <= devices


def test_the_launch_files_that_are_promised() -> None:
    gpu = {"one_gpu", "ddp_8gpu", "fsdp2_8gpu", "zero2_8gpu", "zero3_8gpu", "zero3_offload_8gpu", "two_nodes"}
    assert gpu <= {path.stem for path in CONFIGS}
    two = load_config_from_file(str(ROOT / "configs" / "two_nodes.yaml"))
    assert (two.num_machines, two.num_processes) == (2, 16)


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*-*.yaml")), ids=lambda path: path.stem)
def test_the_command_in_a_recipe_names_files_that_are_there(path: Path) -> None:
    command = path.read_text("utf-8").split("extends:")[0]
    found = re.search(r"srt train (\S+) --accelerate (\S+)", command)
    assert found is not None
    assert ROOT / found[1] == path
    assert (ROOT / found[2]).is_file()
