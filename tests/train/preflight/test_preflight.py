"""`srt preflight`, the whole command: every fault at once, nothing written, and one real step."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

import train.data.examples
from srt.cli import make_app
from srt.io.errors import UserError
from srt.io.record_writer import write_records
from srt.io.records import Sequence
from srt.language.arm import Completion
from train.data.token_cache import read_examples
from train.loop.generations import choose_problems
from train.models.model_files import load_tokenizer_and_processor
from train.preflight.evaluations import with_generations
from train.preflight.memory_estimate import MemoryEstimate
from train.preflight.report_figures import format_bytes
from train.recipe import Recipe

ROOT = Path(__file__).parents[3]


def preflight(recipe: Recipe | dict[str, Any], folder: Path, *options: str) -> Result:
    values = recipe if isinstance(recipe, dict) else recipe.model_dump(mode="json", exclude_none=True)
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(values), encoding="utf-8")
    return CliRunner().invoke(make_app(), ["preflight", str(path), *options])


def faults(result: Result) -> list[str]:
    assert result.exit_code == 2, result.output
    return [line.removeprefix("fault: ") for line in result.stderr.splitlines() if line.startswith("fault: ")]


@pytest.mark.parametrize("lora", [None, pytest.param({"r": 4}, marks=pytest.mark.slow)])
def test_a_sound_text_run(lora: Any, recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    chosen = recipe(lora=lora)
    result = preflight(chosen, tmp_path, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["faults"] == []
    assert found["run"]["steps"] == 6
    assert found["data"]["sequences"] == 40
    step = found["step"]
    assert step["measured"]["weights"] == step["estimated"]["weights"] == found["memory"]["weights"]
    assert 0 < step["loss"] < 20
    assert not Path(chosen.output).exists()


def test_a_sound_vision_run_and_its_labels(vision_recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    result = preflight(vision_recipe(pack=800, lora={"r": 4}), tmp_path)
    assert result.exit_code == 0, result.output
    assert "[picture: " in result.stdout
    assert "{INFER INFER #1" in result.stdout
    assert "<|im_end|>}" in result.stdout
    assert "rows of pack filled" in result.stdout
    assert "no fault was found" in result.stdout


def test_a_schedule_that_the_trial_step_has_no_room_for(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    schedule = {"scheduler": "constant", "warmup": 2, "decay": 3}
    assert preflight(recipe(steps=6, **schedule), tmp_path).exit_code == 0
    (fault,) = faults(preflight(recipe(steps=None, epochs=0.3, **schedule), tmp_path))
    assert fault.startswith("decay: 3 steps")


def test_held_out_data(
    recipe: Callable[..., Recipe], held_out: dict[str, Any], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = preflight(recipe(**held_out, eval_steps=4), tmp_path, "--no-step")
    assert result.exit_code == 0, result.output
    for line in (r"evaluations +2, of 11 sequences", r"generations +2 times 5, of at most 60 tokens", r"held-out data"):
        assert re.search(line, result.stdout), line
    assert "problems are in data too" not in result.stdout
    tables = json.loads(preflight(recipe(**held_out, eval_steps=4), tmp_path, "--no-step", "--json").stdout)
    assert (tables["data"]["sequences"], tables["held-out data"]["sequences"]) == (40, 11)
    result = preflight(recipe(eval_data=str(data), eval_steps=4), tmp_path, "--no-step")
    assert "note: eval_data: 40 of its 40 problems are in data too" in result.stdout

    problems = {"problems": held_out["generations"]["problems"]}
    (found,) = faults(preflight(recipe(eval_data=str(data), eval_steps=4, generations=problems), tmp_path))
    assert re.search(r"generations\.problems: .*: problem p\d+ of .* is not in it", found)

    (tmp_path / "bad.jsonl").write_text(data.read_text("utf-8").partition("\n")[0] + "\n{", encoding="utf-8")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    files = {"eval_data": str(tmp_path / "bad.jsonl"), "generations": {"problems": "none.jsonl"}}
    found = faults(preflight(recipe(**files, eval_steps=4, logging={"report_to": "trackio"}), tmp_path))
    assert len(found) == 3
    for part in ("generations.problems: no such file: none.jsonl", "trackio needs the package", "bad.jsonl:2: "):
        assert sum(part in line for line in found) == 1, part


def test_memory_of_generations(recipe: Callable[..., Recipe], held_out: dict[str, Any]) -> None:
    few, many = (
        recipe(**{**held_out, "eval_steps": 4, "generations": {**held_out["generations"], "max_new_tokens": tokens}})
        for tokens in (10, 10_000_000)
    )
    tokenizer, _ = load_tokenizer_and_processor(few.model.path)
    examples = read_examples(few.model_copy(update={"data": few.eval_data}), tokenizer)
    plain = MemoryEstimate(weights=100, gradients=50, optimizer=200, communication=10, overhead=1000, peak=10**6)
    assert with_generations(plain, few, examples, 1) == plain
    # Two layers of two heads of 16 numbers, keys and values, in float32, of three of the five problems.
    per_token = 2 * 2 * 2 * 16 * 4 * 3
    longest = max(len(e.input_ids) - e.trained_tokens for e in choose_problems(examples, 5))
    assert with_generations(plain, many, examples, 2).peak == 1310 + per_token * (longest + 10_000_000)


def test_five_faults_of_five_sorts_are_five_lines(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    values = recipe().model_dump(mode="json", exclude_none=True)
    values |= {"sede": 1, "pack": 50, "data": str(tmp_path / "none.jsonl")}
    values["model"]["path"] = str(tmp_path / "no_model")
    found = faults(preflight(values, tmp_path, "--accelerate", "configs/none.yaml"))
    assert len(found) == 5
    for part in ("did you mean seed?", "max_length: 200", "none.jsonl", "no_model", "no such accelerate file"):
        assert sum(part in line for line in found) == 1, part


def test_what_is_wrong_with_records_is_counted(recipe: Callable[..., Recipe], data: Path, tmp_path: Path) -> None:
    lines = data.read_text("utf-8").splitlines()
    (tmp_path / "data.jsonl").write_text("\n".join([*lines, "{", '{"a": 1}', lines[0]]), encoding="utf-8")
    found = faults(preflight(recipe(data=str(tmp_path / "data.jsonl"), max_length=30), tmp_path))
    assert len(found) == 2
    assert "data.jsonl:41: not a line of JSON" in found[0]
    assert "first of 2 invalid lines" in found[0]
    assert "max_length: 41 of 41 sequences" in found[1]


def test_pictures_that_are_missing_or_others(
    vision_recipe: Callable[..., Recipe], vision_data: Path, tmp_path: Path
) -> None:
    shutil.copytree(vision_data.parent, tmp_path / "data")
    for name in ("2-0.png", "2-1.png"):
        (tmp_path / "data" / "pictures" / name).unlink()
    (tmp_path / "data" / "pictures" / "4-0.png").write_bytes((tmp_path / "data/pictures/4-1.png").read_bytes())
    found = faults(preflight(vision_recipe(data=str(tmp_path / "data" / "srt.jsonl")), tmp_path, "--no-step"))
    assert len(found) == 2
    assert "2-0.png: no such file" in found[0]
    assert "4-0.png: sha256: " in found[1]


def test_a_template_that_takes_the_trace_away_is_noticed(
    recipe: Callable[..., Recipe], models: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R1-Distill's own template deletes everything before `</think>` in an assistant turn."""
    from train.models.model_files import load_tokenizer

    tokenizer = load_tokenizer(str(models["r1-distill"]))
    render = train.data.examples.render_completion

    def through_the_template(prompt_text: str, sequence: Sequence, *, think: bool = False) -> Completion:
        whole = render(prompt_text, sequence, think=think)
        turn = {"role": "assistant", "content": whole.text}
        rendered = tokenizer.apply_chat_template([turn], tokenize=False)
        return Completion(rendered.rpartition("<｜Assistant｜>")[2].removesuffix("<｜end▁of▁sentence｜>"), whole.spans)

    monkeypatch.setattr(train.data.examples, "render_completion", through_the_template)
    monkeypatch.setattr(tokenizer, "chat_template", DELETES)
    found = faults(preflight(recipe(model={"path": str(models["r1-distill"])}), tmp_path, "--no-step"))
    assert "its CORRELATE" in found[0]
    assert "is not in the tokens that are trained on" in found[0]
    assert "first of 40 sequences that lose an operation" in found[0]


def templated(model: Path, folder: Path, template: str | None = None) -> str:
    """A copy of `model` with another template, or with a switch in its own."""
    shutil.copytree(model, folder / "model")
    file = folder / "model" / "chat_template.jinja"
    switch = "{% if enable_thinking is defined and enable_thinking is false %}</think>{% endif %}"
    file.write_text(template or file.read_text("utf-8") + switch, encoding="utf-8")
    return str(folder / "model")


@pytest.mark.parametrize(
    ("template", "kwargs", "said"),
    [
        ("hello", {}, "text of the user's turn"),
        (None, {"enable_thinkng": False}, "chat_template_kwargs.enable_thinkng"),
        (None, {"range": 3}, "chat_template_kwargs.range"),
    ],
)
def test_a_template_that_does_not_do_what_is_asked_is_one_fault(
    template: str | None,
    kwargs: dict[str, Any],
    said: str,
    recipe: Callable[..., Recipe],
    models: dict[str, Path],
    tmp_path: Path,
) -> None:
    chosen = recipe(model={"path": templated(models["minimal"], tmp_path, template)}, chat_template_kwargs=kwargs)
    (found,) = faults(preflight(chosen, tmp_path, "--no-step"))
    assert said in found
    with pytest.raises(UserError, match=re.escape(said)):
        read_examples(chosen, load_tokenizer_and_processor(chosen.model.path)[0])


@pytest.mark.parametrize(("value", "noted"), [("no", True), (False, False)])
def test_a_switch_that_changes_nothing_is_a_note(
    value: Any, noted: bool, recipe: Callable[..., Recipe], models: dict[str, Path], tmp_path: Path
) -> None:
    path = templated(models["minimal"], tmp_path)
    chosen = recipe(model={"path": path}, chat_template_kwargs={"enable_thinking": value})
    result = preflight(chosen, tmp_path, "--no-step")
    assert result.exit_code == 0, result.output
    assert ("note: chat_template_kwargs.enable_thinking: 'no'" in result.output) == noted


def test_a_damaged_model_folder_is_a_fault_without_a_step(
    recipe: Callable[..., Recipe], models: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(models["minimal"], tmp_path / "model")
    config = json.loads((tmp_path / "model" / "config.json").read_text("utf-8"))
    (tmp_path / "model" / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 3}), encoding="utf-8")
    (found,) = faults(preflight(recipe(model={"path": str(tmp_path / "model")}), tmp_path, "--no-step"))
    assert "model.layers.2." in found


# What DeepSeek's tokenizer_config.json does with an assistant turn.
DELETES = (
    "{% for m in messages %}{% set content = m['content'] %}{% if '</think>' in content %}"
    "{% set content = content.split('</think>')[-1] %}{% endif %}{{ '<｜Assistant｜>' + content }}{% endfor %}"
)


def test_missing_memory_brings_fallback_plans(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    result = preflight(recipe(), tmp_path, "--accelerate", str(ROOT / "configs/ddp_8gpu.yaml"), "--gpu-memory", "1")
    found = faults(result)
    assert len(found) == 1
    assert re.match(r"memory: about 1\.5 GB .* 1\.0", found[0])
    assert "gradient_checkpointing: true" in result.stderr
    assert "nf4" in result.stderr


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch_size": 12}, "batch_size: 12 "),
        ({"output": "pyproject.toml/run"}, "output must be a folder"),
        ({"lora": {"r": 4, "targets": ["lm_head"]}}, "lora.targets: lm_head"),
    ],
)
def test_one_fault(changes: dict[str, Any], message: str, recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    found = faults(
        preflight(recipe(**changes), tmp_path, "--accelerate", str(ROOT / "configs/ddp_8gpu.yaml"), "--no-step")
    )
    assert len(found) == 1
    assert message in found[0]


def test_an_output_folder_in_use(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").touch()
    found = faults(preflight(recipe(), tmp_path, "--no-step"))
    assert len(found) == 1
    assert "run: output holds files" in found[0]


def test_a_hub_that_cannot_be_uploaded_to(
    recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("train.run.hub.get_token", lambda: None)
    found = faults(preflight(recipe(hub="nobody"), tmp_path, "--no-step"))
    assert len(found) == 2
    assert "OWNER/NAME was expected" in found[0]
    assert "no token to upload with" in found[1]


def test_too_little_disk(recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9 - 10**5, 10**5))
    found = faults(preflight(recipe(save_steps=2), tmp_path, "--no-step"))
    assert len(found) == 1
    assert "will be written to" in found[0]


def test_an_empty_file_and_a_recipe_that_is_not_yaml(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    write_records(tmp_path / "empty.jsonl", [])
    assert "no sequence to train on" in faults(preflight(recipe(data=str(tmp_path / "empty.jsonl")), tmp_path))[0]
    (tmp_path / "broken.yaml").write_text("a: [1")
    result = CliRunner().invoke(make_app(), ["preflight", str(tmp_path / "broken.yaml")])
    assert "not YAML" in str(result.exception)


def test_sizes() -> None:
    assert [format_bytes(size) for size in (1234, 5_600_000, 15.4e9)] == ["1.23 kB", "5.6 MB", "15.4 GB"]
