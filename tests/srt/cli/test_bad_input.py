"""A fault of the user's: exit 2, one line that says what and where, no traceback, and nothing half-written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from srt.experiment.experiment_folder import claim
from srt.experiment.experiment_reader import load_experiment
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem

ROOT = Path(__file__).resolve().parents[3]

EXPERIMENT: dict[str, Any] = {
    "name": "tiny",
    "output": "runs/tiny",
    "arms": ["base", "srt"],
    "train_problems": [{"world": "seating", "n": 4, "spec": {"scenes": ["booth"], "names": 6}}],
    "test_problems": [{"world": "seating", "n": 2, "spec": {"scenes": ["booth"], "names": 6}}],
    "prompt": "bare",
    "model": {"arch": "llama", "options": {"hidden": 32, "layers": 1, "heads": 2, "vocab": 400}},
    "train": {"steps": 2, "batch_size": 2, "learning_rate": 0.001, "max_length": 300},
    "evaluate": {"max_new_tokens": 8},
}
TRAIN: dict[str, Any] = {
    "model": {"path": "model"},
    "data": "sequences.jsonl",
    "output": "out",
    "steps": 2,
    "batch_size": 2,
    "learning_rate": 0.001,
    "max_length": 300,
}


def spoil(path: Path, line: int, change: Callable[[dict[str, Any]], object] | bytes) -> None:
    """Replace line ``line`` (from 1) by bytes, or change its record."""
    lines = path.read_bytes().splitlines()
    if isinstance(change, bytes):
        lines[line - 1] = change
    else:
        record = orjson.loads(lines[line - 1])
        change(record)
        lines[line - 1] = orjson.dumps(record)
    path.write_bytes(b"\n".join(lines) + b"\n")


# Each command that reads a file of problems (P) or of traces (T), with a place to write that must stay as it was.
READS_PROBLEMS: list[list[str]] = [
    ["solve", "P", "-o", "new.jsonl"],
    ["check", "traces.jsonl", "--problems", "P", "-o", "new.jsonl"],
    ["mutate", "traces.jsonl", "--problems", "P", "-n", "5", "-o", "new.jsonl"],
    ["build", "traces.jsonl", "--problems", "P", "-o", "new"],
]
READS_TRACES: list[list[str]] = [
    ["check", "T", "--problems", "problems.jsonl", "-o", "new.jsonl"],
    ["mutate", "T", "--problems", "problems.jsonl", "-n", "5", "-o", "new.jsonl"],
    ["build", "T", "--problems", "problems.jsonl", "-o", "new"],
]


def ids(command: list[str]) -> str:
    return command[0]


@pytest.mark.parametrize("command", READS_PROBLEMS, ids=ids)
def test_problems(command: list[str], refuses: Callable[..., str], folder: Path) -> None:
    def given(name: str) -> list[str]:
        return [name if word == "P" else word for word in command]

    assert "no.jsonl: " in refuses(*given("no.jsonl"))
    assert ".: " in refuses(*given("."))
    assert "problems.jsonl/x: " in refuses(*given("problems.jsonl/x"))

    (folder / "empty.jsonl").write_bytes(b"\n")
    assert "empty.jsonl: " in refuses(*given("empty.jsonl"))

    good = (folder / "problems.jsonl").read_bytes()
    for change, message in (
        (b'{"id": "p', r"bad\.jsonl:3: .*JSON"),
        (b'{"id": "\xff"}', r"bad\.jsonl:3: .*JSON"),
        (b"[1, 2]", r"bad\.jsonl:3: .*record: "),
        (lambda r: r.update(colour="red"), r"bad\.jsonl:3: .*colour: "),
        (lambda r: r.update(lang="fr"), r"bad\.jsonl:3: .*lang: .*'en' or 'zh'"),
        (lambda r: r.pop("question"), r"bad\.jsonl:3: .*question: "),
        (lambda r: r["answer"].update(value="A"), r"bad\.jsonl:3: .*answer: .*choice_set"),
    ):
        (folder / "bad.jsonl").write_bytes(good)
        spoil(folder / "bad.jsonl", 3, change)
        assert re.search(message, refuses(*given("bad.jsonl")))

    if command[0] != "solve":  # It takes one problem after the other.
        (folder / "twice.jsonl").write_bytes(good + good.splitlines()[1] + b"\n")
        assert re.search(r"twice\.jsonl:9: id: '.*line 2", refuses(*given("twice.jsonl")))


@pytest.mark.parametrize("command", READS_TRACES, ids=ids)
def test_traces(command: list[str], refuses: Callable[..., str], folder: Path) -> None:
    def given(name: str) -> list[str]:
        return [name if word == "T" else word for word in command]

    assert "no.jsonl: " in refuses(*given("no.jsonl"))
    (folder / "empty.jsonl").touch()
    assert re.search(r"empty\.jsonl: ", refuses(*given("empty.jsonl")))

    good = (folder / "traces.jsonl").read_bytes()
    for change, message in (
        (b"{", r"bad\.jsonl:5: .*JSON"),
        (lambda r: r.update(verdict="good"), r"bad\.jsonl:5: .*trace: verdict: "),
        (lambda r: r["steps"][0].update(op="GUESS"), r"bad\.jsonl:5: .*trace: steps\.0\.op: .*'CORRELATE'"),
        (lambda r: r["steps"][0].update(args=["#0"]), r"bad\.jsonl:5: .*trace: steps\.0\.args\.0: "),
    ):
        (folder / "bad.jsonl").write_bytes(good)
        spoil(folder / "bad.jsonl", 5, change)
        assert re.search(message, refuses(*given("bad.jsonl")))


@pytest.mark.parametrize("command", ["check", "mutate", "build"])
def test_traces_of_other_problems(command: str, refuses: Callable[..., str]) -> None:
    said = refuses(command, "traces.jsonl", "--problems", "others.jsonl", "-o", "new")
    assert re.search(r"t-seating-\S+: .*'seating-\S+'", said)


def test_what_stands_there_already_stays(refuses: Callable[..., str], folder: Path) -> None:
    """``refuses`` compares bytes: an output of an earlier run outlives a faulty one."""
    (folder / "empty.jsonl").touch()
    for name in ("kept.jsonl", "kept.refusals.jsonl"):
        (folder / name).write_text("an earlier run\n")
    refuses("check", "empty.jsonl", "--problems", "problems.jsonl", "-o", "kept.jsonl")
    refuses("mutate", "empty.jsonl", "--problems", "problems.jsonl", "-o", "kept.jsonl")
    refuses("solve", "empty.jsonl", "-o", "kept.jsonl")
    refuses("import", "space2025", "empty.jsonl", "-o", "kept.jsonl")
    refuses("generate", "seating", "--split", "best", "-o", "kept.jsonl")
    (folder / "seq").mkdir()
    (folder / "seq" / "sequences.jsonl").write_text("an earlier run\n")
    refuses("build", "empty.jsonl", "--problems", "problems.jsonl", "-o", "seq")


@pytest.mark.parametrize(
    "command",
    [
        "import space2025 items.jsonl -o items.jsonl",
        "import space2025 items.jsonl -o link.jsonl",
        "import space2025 ../work/items.jsonl -o items.jsonl",
        "generate seating -n 2 --exclude problems.jsonl -o problems.jsonl",
        "generate seating -n 2 --spec spec.yaml -o spec.yaml",
        "check traces.jsonl --problems problems.jsonl -o traces.jsonl",
        "check traces.jsonl --problems problems.jsonl -o problems.jsonl",
        "mutate traces.jsonl --problems problems.jsonl -n 2 -o problems.jsonl",
        "build sequences.jsonl --problems problems.jsonl -o .",
        "build traces.jsonl --problems sequences.jsonl -o .",
        "predictions traces.jsonl --problems problems.jsonl -o traces.jsonl",
        "predictions traces.jsonl --problems problems.jsonl -o problems.jsonl",
    ],
)
def test_nothing_is_written_over_its_source(
    command: str, refuses: Callable[..., str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "work").mkdir()
    monkeypatch.chdir(folder / "work")
    for name in ("problems.jsonl", "traces.jsonl"):
        (folder / "work" / name).write_bytes((folder / name).read_bytes())
    item = {"id": "jsi-demo-3", "instruction": "判断。", "text": "他在桌子上面。", "answer": "正确"}
    Path("items.jsonl").write_bytes(orjson.dumps(item))
    Path("link.jsonl").symlink_to("items.jsonl")
    Path("spec.yaml").write_text("scenes: [booth]\n")
    made_from = "traces.jsonl" if command.startswith("build seq") else "problems.jsonl"
    Path("sequences.jsonl").write_bytes(Path(made_from).read_bytes())
    out = command.split()[-1]
    out = "sequences.jsonl" if out == "." else out
    assert f"{out}: " in refuses(*command.split())


def test_nothing_is_added_to_the_folder_that_is_imported(refuses: Callable[..., str], folder: Path) -> None:
    (folder / "corpus").mkdir()
    item = {"id": "jsi-demo-3", "instruction": "判断。", "text": "他在桌子上面。", "answer": "正确"}
    (folder / "corpus" / "items.jsonl").write_bytes(orjson.dumps(item))
    said = refuses("import", "space2025", "corpus", "-o", "corpus/new.jsonl")
    assert "corpus/new.jsonl: " in said
    said = refuses("generate", "seating", "--wordings", "corpus", "-o", "corpus/new.jsonl")
    assert "corpus/new.jsonl: " in said
    # Above all, a run's own predictions.jsonl is not the official file.
    said = refuses("predictions", "corpus", "-o", "corpus/predictions.jsonl")
    assert "corpus/predictions.jsonl: " in said


def test_a_wrong_trace_is_not_trained_on(srt: Any, folder: Path) -> None:
    held = orjson.loads((folder / "traces.jsonl").read_bytes().splitlines()[4])
    for wrong, reason in (("A" if held["answer"] != "A" else "B", "disagrees_with_gold"), ("perhaps", "disagrees")):
        spoil(folder / "traces.jsonl", 5, lambda r, wrong=wrong: r.update(answer=wrong))  # type: ignore[misc]
        build = ["build", "traces.jsonl", "--problems", "problems.jsonl", "-o", "new"]
        assert srt(*build).status == 0
        assert srt(*build, "--strict").status == 1
        (refusal,) = map(orjson.loads, (folder / "new" / "sequences.refusals.jsonl").read_bytes().splitlines())
        assert refusal["trace_id"] == held["id"]
        assert refusal["reason"].startswith(reason)
        assert wrong in refusal["detail"]
        sequences = (folder / "new" / "sequences.jsonl").read_bytes()
        assert held["id"].encode() not in sequences
        assert sequences.count(b"\n") == 7


def test_predictions(refuses: Callable[..., str], folder: Path) -> None:
    assert "traces.jsonl: " in refuses("predictions", "traces.jsonl", "-o", "new.jsonl")
    assert ".: " in refuses("predictions", ".", "-o", "../new.jsonl")

    def message() -> str:
        return refuses("predictions", "traces.jsonl", "--problems", "problems.jsonl", "-o", "new.jsonl")

    assert re.search("problem seating-.*: source: .*'seating'", message())
    good = (folder / "traces.jsonl").read_bytes()
    spoil(folder / "traces.jsonl", 2, lambda r: r.update(answer="Z"))
    assert "traces.jsonl:2: answer: 'Z' is no answer to problem " in message()
    spoil(folder / "traces.jsonl", 1, lambda r: r.update(problem_id="elsewhere"))
    assert "'elsewhere'" in message()
    (folder / "traces.jsonl").write_bytes(good + good.splitlines()[0] + b"\n")
    assert "traces.jsonl:9: problem_id: " in message()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("import space2026 problems.jsonl -o new.jsonl", "'space2026'"),
        ("import space2025 no.jsonl -o new.jsonl", "no.jsonl: "),
        ("import space2025 problems.jsonl -o new.jsonl", "problems.jsonl:1: id: "),
        ("generate chess -n 2 -o new.jsonl", "world 'chess'"),
        ("generate seating -n 2 --split best -o new.jsonl", "split: 'best'"),
        ("generate seating -n 2 --spec no.yaml -o new.jsonl", "no.yaml: "),
        ("generate seating -n 2 --exclude no.jsonl -o new.jsonl", "no.jsonl: "),
        ("generate seating -n 2 --wordings no -o new.jsonl", "no"),
        ("build traces.jsonl --problems problems.jsonl --arm best -o new", "arm 'best'"),
        ("build traces.jsonl --problems problems.jsonl --arm base -o new", "arm 'base'"),
        ("build traces.jsonl --problems problems.jsonl --prompt best -o new", "prompt style 'best'"),
        ("build traces.jsonl --problems problems.jsonl --text best -o new", "text style 'best'"),
        ("generate seating -n 2 -o no/new.jsonl", "no/new.jsonl: "),
        ("solve problems.jsonl -o no/new.jsonl", "no/new.jsonl: "),
        ("check traces.jsonl --problems problems.jsonl -o no/new.jsonl", "no/new.jsonl: "),
        ("mutate traces.jsonl --problems problems.jsonl -n 2 -o no/new.jsonl", "no/new.jsonl: "),
        ("solve problems.jsonl -o problems.jsonl", "problems.jsonl"),
        ("generate seating -n 2 -o .", "srt: .: "),
        ("build traces.jsonl --problems problems.jsonl -o others.jsonl", "others.jsonl: "),
        ("build traces.jsonl --problems problems.jsonl -o others.jsonl/new", "others.jsonl"),
        ("eval --model no --problems problems.jsonl -o new", "no: "),
        ("eval --model no --problems problems.jsonl -o new --prompt best", "prompt style 'best'"),
        ("eval --model no --problems problems.jsonl -o new --ban GUESS", "evaluate: ban: "),
        (
            "init-model gpt9 --data traces.jsonl -o new",
            "architecture 'gpt9'",
        ),
        ("init-model llama --data no.jsonl -o new", "no.jsonl: "),
        ("init-model llama --data traces.jsonl -o new", "traces.jsonl:1: "),
        ("init-model llama --data traces.jsonl -o new --pieces crumbs", "pieces 'crumbs'"),
        ("score no", "no: "),
        ("compare no -o new", "no: "),
        ("train no.yaml", "no.yaml: "),
        ("experiment no.yaml", "no.yaml: "),
        ("experiment .", "srt: .: "),
    ],
)
def test_arguments(command: str, message: str, refuses: Callable[..., str]) -> None:
    assert message in refuses(*command.split())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stepz": 3}, "r.yaml: stepz: "),
        ({"model": {"path": "model", "dtipe": 1}}, "r.yaml: model.dtipe: "),
        ({"steps": 0}, "r.yaml: steps: "),
        ({"steps": None}, "r.yaml: steps, epochs: "),
        ({"extends": "no.yaml"}, "no.yaml: "),
    ],
)
def test_a_training_recipe(change: dict[str, Any], message: str, refuses: Callable[..., str], folder: Path) -> None:
    (folder / "r.yaml").write_text(yaml.safe_dump(TRAIN | change))
    assert message in refuses("train", "r.yaml")


def test_an_accelerate_file_that_is_not_there(refuses: Callable[..., str], folder: Path) -> None:
    (folder / "r.yaml").write_text(yaml.safe_dump(TRAIN))
    assert "no.yaml: " in refuses("train", "r.yaml", "--accelerate", "no.yaml")


SOURCE = EXPERIMENT["train_problems"][0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arm": ["srt"]}, "e.yaml: arm: "),
        ({"arms": ["srt", "best"]}, "e.yaml: arms: "),
        ({"arms": ["srt", "srt"]}, "e.yaml: arms: srt"),
        ({"seeds": [1, 1]}, "e.yaml: seeds: 1"),
        ({"prompt": "best"}, "e.yaml: prompt: "),
        ({"name": None}, "e.yaml: name: "),
        ({"train_problems": []}, "e.yaml: train_problems: "),
        ({"train_problems": [{**SOURCE, "m": 1}]}, "e.yaml: train_problems.0.m: "),
        ({"train_problems": [{"corpus": "space2025"}]}, "e.yaml: train_problems.0.path: "),
        ({"model": {"arch": "llama", "option": {}}}, "e.yaml: model.option: "),
        ({"train": {"data": "x"}}, "e.yaml: train: data: "),
        ({"train": {"model": {"path": "x"}}}, "e.yaml: train: model.path: "),
        ({"train": {**EXPERIMENT["train"], "stepz": 3}}, "train: stepz: "),
        ({"train": {**EXPERIMENT["train"], "extends": "x.yaml"}}, "x.yaml: "),
        ({"evaluate": {"tokens": 3}}, "evaluate: tokens: "),
        ({"evaluate": {"batch_size": 0}}, "evaluate: batch_size: "),
        ({"launch": "no.yaml"}, "launch: no.yaml: "),
        ({"model": "no"}, "model: no: "),
        ({"output": "traces.jsonl"}, "traces.jsonl: output: "),
        ({"output": "."}, "output: "),
        # Found only when the sources are read: the folder goes again.
        ({"train_problems": [{"world": "chess", "n": 4}]}, "world 'chess'"),
        ({"test_problems": [{**SOURCE, "spec": {"scene": "booth"}}]}, "seating: scene: "),
        ({"test_problems": [{"corpus": "best", "path": "problems.jsonl"}]}, "corpus 'best'"),
        ({"test_problems": [{"corpus": "space2025", "path": "no.jsonl"}]}, "no.jsonl: "),
        ({"test_problems": [{**SOURCE, "needs": "SRT_NEVER_SET"}]}, "test_problems: "),
        ({"test_problems": [{**SOURCE, "exclude_test": False}]}, "e.yaml: test_problems: exclude_test: "),
        ({"train_problems": [SOURCE, SOURCE]}, "train_problems: 4 "),
    ],
)
def test_an_experiment(
    change: dict[str, Any], message: str, refuses: Callable[..., str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("srt.cli.experiment_stages._check_init_model", lambda spec: None)
    (folder / "runs").mkdir()
    (folder / "e.yaml").write_text(yaml.safe_dump(EXPERIMENT | change))
    assert message in refuses("experiment", "e.yaml")


def test_an_experiment_whose_test_has_gold_that_no_output_can_meet(
    refuses: Callable[..., str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before anything is trained."""
    monkeypatch.setattr("srt.cli.experiment_stages._check_init_model", lambda spec: None)
    (folder / "runs").mkdir()
    answer = Answer(kind="text", value="Reasoning: 3+4 Answer: 7")
    unmet = Problem(id="q", source="s", split="test", lang="en", question="Who sits left of Omar?", answer=answer)
    write_records(folder / "quoted.jsonl", [unmet])
    (folder / "e.yaml").write_text(yaml.safe_dump(EXPERIMENT | {"test_problems": [{"problems": "quoted.jsonl"}]}))
    assert "test.jsonl:1: answer: " in refuses("experiment", "e.yaml")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"train": {**EXPERIMENT["train"], "learning_rate": "abc"}}, "train: learning_rate: "),
        ({"evaluate": {"tempratur": 1}}, "evaluate: tempratur: "),
        ({"eval_launch": "no.yaml"}, "eval_launch: no.yaml: "),
    ],
)
def test_an_experiment_that_goes_on_with_other_settings(
    change: dict[str, Any], message: str, refuses: Callable[..., str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("srt.cli.experiment_stages._check_init_model", lambda spec: None)
    (folder / "e.yaml").write_text(yaml.safe_dump(EXPERIMENT))
    claim(load_experiment(folder / "e.yaml"))
    (folder / "e.yaml").write_text(yaml.safe_dump(EXPERIMENT | change))
    assert message in refuses("experiment", "e.yaml")


@pytest.mark.parametrize("text", ["arms: [", "- a\n- b\n", "\t", "\xff"])
def test_an_experiment_that_is_no_yaml(text: str, refuses: Callable[..., str], folder: Path) -> None:
    (folder / "e.yaml").write_bytes(text.encode("latin-1"))
    assert "e.yaml: " in refuses("experiment", "e.yaml")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"arch": "gpt9"}, "architecture 'gpt9'"),
        ({"arch": "llama", "options": {"width": 3}}, "model.options: llama: width: no such key"),
        ({"arch": "llama", "options": {"hidden": 33}}, "model.options: hidden: 33"),
        ({"arch": "llama", "options": {"hidden": "wide"}}, "model.options: "),
        ({"arch": "llama", "options": {"pieces": "crumbs"}}, "pieces 'crumbs'"),
    ],
)
def test_an_experiment_with_a_model_that_cannot_be_made(
    model: dict[str, Any], message: str, refuses: Callable[..., str], folder: Path
) -> None:
    (folder / "e.yaml").write_text(yaml.safe_dump(EXPERIMENT | {"model": model}))
    assert message in refuses("experiment", "e.yaml")


def test_an_experiment_in_the_folder_of_another(refuses: Callable[..., str], folder: Path) -> None:
    (folder / "e.yaml").write_text(yaml.safe_dump(EXPERIMENT | {"seeds": [3], "text": "assertions"}))
    (folder / "runs" / "tiny").mkdir(parents=True)
    stamp = folder / "runs" / "tiny" / "experiment.json"
    stamp.write_bytes(orjson.dumps(EXPERIMENT | {"seeds": [0], "text": "claims"}))
    said = refuses("experiment", "e.yaml")
    assert "runs/tiny: " in said
    assert "seeds, " in said
    assert "text" in said
    stamp.write_text("[")
    assert "experiment.json: " in refuses("experiment", "e.yaml")


def test_what_a_record_holds_cannot_steer_a_terminal(refuses: Callable[..., str], folder: Path) -> None:
    spoil(folder / "traces.jsonl", 1, lambda r: r.update(id="a\x1b[2J\nb 乙", problem_id="elsewhere"))
    assert "a\\x1b[2J b 乙: " in refuses("mutate", "traces.jsonl", "--problems", "others.jsonl")


def test_nor_where_the_command_succeeds(srt: Callable[..., Any], folder: Path) -> None:
    def wrong(trace: dict[str, Any]) -> None:
        trace["id"] = "c\x1b[2J\nd"
        trace["steps"][-1]["claim"] = "options = {}"

    spoil(folder / "traces.jsonl", 1, lambda r: r.update(id="a\x1b[2J\nb", problem_id="elsewhere"))
    spoil(folder / "traces.jsonl", 2, wrong)
    for command, shown in (("mutate", "a\\x1b[2J b: "), ("check", "c\\x1b[2J d: ")):
        said = srt(command, "traces.jsonl", "--problems", "problems.jsonl").out
        assert shown in said
        assert "\x1b" not in said


def test_a_real_process(folder: Path) -> None:
    """What the other tests call in this process, once as a shell does."""
    command = [sys.executable, "-c", "from srt.cli import main; main()", "check", "no.jsonl", "--problems", "no.jsonl"]
    ran = subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("srt: no.jsonl: ")
    assert ran.stderr.count("\n") == 1
