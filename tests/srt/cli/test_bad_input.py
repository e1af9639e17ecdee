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


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file with its bytes, every folder."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture
def refuses(srt: Any, folder: Path) -> Callable[..., str]:
    def check(*arguments: object) -> str:
        before = tree(folder)
        ran = srt(*arguments)
        assert ran.status == 2, (ran.out, ran.err)
        assert ran.err.startswith("srt: "), ran.err
        assert ran.err.count("\n") == 1, ran.err
        assert ran.err.endswith("\n")
        assert "Traceback" not in ran.out + ran.err
        assert tree(folder) == before
        return str(ran.err)

    return check


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

    assert "no.jsonl: no such file" in refuses(*given("no.jsonl"))
    assert "a file was expected, this is a folder" in refuses(*given("."))
    assert "problems.jsonl/x: cannot be read" in refuses(*given("problems.jsonl/x"))

    (folder / "empty.jsonl").write_bytes(b"\n")
    assert "empty.jsonl: there is no problem in it" in refuses(*given("empty.jsonl"))

    good = (folder / "problems.jsonl").read_bytes()
    for change, told in (
        (b'{"id": "p', r"bad\.jsonl:3: not a line of JSON"),
        (b'{"id": "\xff"}', r"bad\.jsonl:3: not a line of JSON"),
        (b"[1, 2]", r"bad\.jsonl:3: not a problem: record: "),
        (lambda r: r.update(colour="red"), r"bad\.jsonl:3: not a problem: colour: "),
        (lambda r: r.update(lang="fr"), r"bad\.jsonl:3: not a problem: lang: .*'en' or 'zh'"),
        (lambda r: r.pop("question"), r"bad\.jsonl:3: not a problem: question: "),
        (lambda r: r["answer"].update(value="A"), r"bad\.jsonl:3: not a problem: answer: .*list of capital letters"),
    ):
        (folder / "bad.jsonl").write_bytes(good)
        spoil(folder / "bad.jsonl", 3, change)
        assert re.search(told, refuses(*given("bad.jsonl")))

    if command[0] != "solve":  # It takes one problem after the other.
        (folder / "twice.jsonl").write_bytes(good + good.splitlines()[1] + b"\n")
        assert re.search(r"twice\.jsonl:9: id: '.*' stands on line 2 already", refuses(*given("twice.jsonl")))


@pytest.mark.parametrize("command", READS_TRACES, ids=ids)
def test_traces(command: list[str], refuses: Callable[..., str], folder: Path) -> None:
    def given(name: str) -> list[str]:
        return [name if word == "T" else word for word in command]

    assert "no.jsonl: no such file" in refuses(*given("no.jsonl"))
    (folder / "empty.jsonl").touch()
    assert re.search(r"empty\.jsonl: no (valid )?trace", refuses(*given("empty.jsonl")))

    good = (folder / "traces.jsonl").read_bytes()
    for change, told in (
        (b"{", r"bad\.jsonl:5: not a line of JSON"),
        (lambda r: r.update(verdict="good"), r"bad\.jsonl:5: not a trace: verdict: "),
        (lambda r: r["steps"][0].update(op="GUESS"), r"bad\.jsonl:5: not a trace: steps\.0\.op: .*'CORRELATE'"),
        (lambda r: r["steps"][0].update(args=["#0"]), r"bad\.jsonl:5: not a trace: steps\.0\.args\.0: "),
        (lambda r: r.update(problem_id="elsewhere"), r"trace .*'elsewhere' is not in the problems file"),
    ):
        (folder / "bad.jsonl").write_bytes(good)
        spoil(folder / "bad.jsonl", 5, change)
        assert re.search(told, refuses(*given("bad.jsonl")))


@pytest.mark.parametrize("command", ["check", "mutate", "build"])
def test_traces_of_other_problems(command: str, refuses: Callable[..., str]) -> None:
    said = refuses(command, "traces.jsonl", "--problems", "others.jsonl", "-o", "new")
    assert re.search(r"trace t-seating-\S+: its problem 'seating-\S+' is not in the problems file", said)


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
    assert "would be written over what it is made from" in refuses(*command.split())


def test_nothing_is_added_to_the_folder_that_is_imported(refuses: Callable[..., str], folder: Path) -> None:
    (folder / "corpus").mkdir()
    item = {"id": "jsi-demo-3", "instruction": "判断。", "text": "他在桌子上面。", "answer": "正确"}
    (folder / "corpus" / "items.jsonl").write_bytes(orjson.dumps(item))
    said = refuses("import", "space2025", "corpus", "-o", "corpus/new.jsonl")
    assert "corpus/new.jsonl: lies in corpus, which it is made from" in said
    said = refuses("generate", "seating", "--wordings", "corpus", "-o", "corpus/new.jsonl")
    assert "corpus/new.jsonl: lies in corpus, which it is made from" in said
    # Above all, a run's own predictions.jsonl is not the official file.
    said = refuses("predictions", "corpus", "-o", "corpus/predictions.jsonl")
    assert "corpus/predictions.jsonl: lies in corpus, which it is made from" in said


def test_a_wrong_trace_is_not_trained_on(refuses: Callable[..., str], folder: Path) -> None:
    held = orjson.loads((folder / "traces.jsonl").read_bytes().splitlines()[4])
    wrong = "A" if held["answer"] != "A" else "B"
    spoil(folder / "traces.jsonl", 5, lambda r: r.update(answer=wrong))
    said = refuses("build", "traces.jsonl", "--problems", "problems.jsonl", "-o", "new")
    assert (
        f"trace {held['id']}: its answer is '{wrong}', but the gold answer of problem {held['problem_id']} is " in said
    )
    assert f"'{held['answer']}'" in said
    spoil(folder / "traces.jsonl", 5, lambda r: r.update(answer="perhaps"))
    assert "its answer is 'perhaps'" in refuses("build", "traces.jsonl", "--problems", "problems.jsonl", "-o", "new")


def test_predictions(refuses: Callable[..., str], folder: Path) -> None:
    assert "needs --problems too" in refuses("predictions", "traces.jsonl", "-o", "new.jsonl")
    assert ".: no run here: run.json is missing" in refuses("predictions", ".", "-o", "../new.jsonl")

    def told() -> str:
        return refuses("predictions", "traces.jsonl", "--problems", "problems.jsonl", "-o", "new.jsonl")

    assert re.search("problem seating-.*: source: space2025 was expected, not 'seating'", told())
    good = (folder / "traces.jsonl").read_bytes()
    spoil(folder / "traces.jsonl", 2, lambda r: r.update(answer="Z"))
    assert "traces.jsonl:2: answer: 'Z' is no answer to problem " in told()
    spoil(folder / "traces.jsonl", 1, lambda r: r.update(problem_id="elsewhere"))
    assert "its problem 'elsewhere' is not in the problems file" in told()
    (folder / "traces.jsonl").write_bytes(good + good.splitlines()[0] + b"\n")
    assert "traces.jsonl:9: problem_id: a second trace of problem " in told()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("import space2026 problems.jsonl -o new.jsonl", "unknown corpus 'space2026': the corpora are mathspatial, so"),
        ("import space2025 no.jsonl -o new.jsonl", "no.jsonl: no such file"),
        ("import space2025 problems.jsonl -o new.jsonl", "problems.jsonl:1: id: "),
        ("generate chess -n 2 -o new.jsonl", "no world is called 'chess'; there are: seating"),
        ("generate seating -n 2 --split best -o new.jsonl", "split: 'best' is none of train, dev, test"),
        ("generate seating -n 2 --spec no.yaml -o new.jsonl", "no.yaml: no such file"),
        ("generate seating -n 2 --exclude no.jsonl -o new.jsonl", "no.jsonl: no such file"),
        ("generate seating -n 2 --wordings no -o new.jsonl", "no"),
        ("build traces.jsonl --problems problems.jsonl --arm best -o new", "unknown arm 'best': the arms are base, "),
        ("build traces.jsonl --problems problems.jsonl --arm base -o new", "arm 'base' trains on nothing"),
        ("build traces.jsonl --problems problems.jsonl --prompt best -o new", "unknown prompt style 'best': "),
        ("build traces.jsonl --problems problems.jsonl --text best -o new", "unknown text style 'best': "),
        ("generate seating -n 2 -o no/new.jsonl", "no/new.jsonl: the folder no does not exist"),
        ("solve problems.jsonl -o no/new.jsonl", "no/new.jsonl: the folder no does not exist"),
        ("check traces.jsonl --problems problems.jsonl -o no/new.jsonl", "no/new.jsonl: the folder no does not exist"),
        ("mutate traces.jsonl --problems problems.jsonl -n 2 -o no/new.jsonl", "the folder no does not exist"),
        ("solve problems.jsonl -o problems.jsonl", "must be three different files"),
        ("generate seating -n 2 -o .", "a file was expected, this is a folder"),
        ("build traces.jsonl --problems problems.jsonl -o others.jsonl", "others.jsonl: a folder was expected"),
        ("build traces.jsonl --problems problems.jsonl -o others.jsonl/new", "a folder was expected"),
        ("eval --model no --problems problems.jsonl -o new", "no: no such model folder"),
        ("eval --model no --problems problems.jsonl -o new --prompt best", "unknown prompt style 'best': full, bare"),
        ("eval --model no --problems problems.jsonl -o new --ban GUESS", "evaluate: ban: "),
        (
            "init-model gpt9 --data traces.jsonl -o new",
            "unknown architecture 'gpt9': qwen2, llama, qwen2_5_vl, internvl are known",
        ),
        ("init-model llama --data no.jsonl -o new", "no.jsonl: no such file"),
        ("init-model llama --data traces.jsonl -o new", "traces.jsonl:1: not a sequence: "),
        ("init-model llama --data traces.jsonl -o new --pieces crumbs", "unknown kind of pieces 'crumbs'"),
        ("score no", "no: no run here: run.json is missing"),
        ("compare no -o new", "no: no run here: run.json is missing"),
        ("train no.yaml", "no.yaml: no such file"),
        ("experiment no.yaml", "no.yaml: no such file"),
        ("experiment .", "a file was expected, this is a folder"),
    ],
)
def test_arguments(command: str, told: str, refuses: Callable[..., str]) -> None:
    assert told in refuses(*command.split())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"stepz": 3}, "r.yaml: stepz: no such key, did you mean steps?"),
        ({"model": {"path": "model", "dtipe": 1}}, "r.yaml: model.dtipe: no such key, did you mean dtype?"),
        ({"steps": 0}, "r.yaml: steps: "),
        ({"steps": None}, "r.yaml: give either steps or epochs"),
        ({"extends": "no.yaml"}, "no.yaml: no such file"),
    ],
)
def test_a_training_recipe(change: dict[str, Any], told: str, refuses: Callable[..., str], folder: Path) -> None:
    (folder / "r.yaml").write_text(yaml.safe_dump(TRAIN | change))
    assert told in refuses("train", "r.yaml")


def test_an_accelerate_file_that_is_not_there(refuses: Callable[..., str], folder: Path) -> None:
    (folder / "r.yaml").write_text(yaml.safe_dump(TRAIN))
    assert "no.yaml: no such accelerate file" in refuses("train", "r.yaml", "--accelerate", "no.yaml")


SOURCE = EXPERIMENT["train_problems"][0]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"arm": ["srt"]}, "e.yaml: arm: no such key, did you mean arms?"),
        ({"arms": ["srt", "best"]}, "e.yaml: arms: unknown arm 'best': the arms are base, answer, "),
        ({"arms": ["srt", "srt"]}, "e.yaml: arms: srt stands there more than once"),
        ({"seeds": [1, 1]}, "e.yaml: seeds: 1 stands there more than once"),
        ({"prompt": "best"}, "e.yaml: prompt: "),
        ({"name": None}, "e.yaml: name: "),
        ({"train_problems": []}, "e.yaml: train_problems: "),
        ({"train_problems": [{**SOURCE, "m": 1}]}, "e.yaml: train_problems.0.m: no such key, known are world, n, "),
        ({"train_problems": [{"corpus": "space2025"}]}, "e.yaml: train_problems.0.path: Field required\n"),
        ({"model": {"arch": "llama", "option": {}}}, "e.yaml: model.option: no such key, did you mean options?"),
        ({"train": {"data": "x"}}, "e.yaml: train: data: left out here"),
        ({"train": {"model": {"path": "x"}}}, "e.yaml: train: model.path: left out here"),
        ({"train": {**EXPERIMENT["train"], "stepz": 3}}, "train: stepz: no such key, did you mean steps?"),
        ({"train": {**EXPERIMENT["train"], "extends": "x.yaml"}}, "x.yaml: no such file"),
        ({"evaluate": {"tokens": 3}}, "evaluate: tokens: no such key, known are max_new_tokens, "),
        ({"evaluate": {"batch_size": 0}}, "evaluate: batch_size: Input should be greater than or equal to 1"),
        ({"launch": "no.yaml"}, "launch: no.yaml: no such accelerate file"),
        ({"model": "no"}, "model: no: no such folder"),
        ({"output": "traces.jsonl"}, "traces.jsonl: output: a folder was expected, this is a file"),
        ({"output": "."}, "output: this folder holds files that are of no experiment"),
        # Found only when the sources are read: the folder goes again.
        ({"train_problems": [{"world": "chess", "n": 4}]}, "no world is called 'chess'"),
        ({"test_problems": [{**SOURCE, "spec": {"scene": "booth"}}]}, "seating: scene: "),
        ({"test_problems": [{"corpus": "best", "path": "problems.jsonl"}]}, "unknown corpus 'best'"),
        ({"test_problems": [{"corpus": "space2025", "path": "no.jsonl"}]}, "no.jsonl: no such file"),
        ({"test_problems": [{**SOURCE, "needs": "SRT_NEVER_SET"}]}, "test_problems: no source gave a problem"),
        ({"test_problems": [{**SOURCE, "exclude_test": False}]}, "e.yaml: test_problems: exclude_test: is said of "),
        ({"train_problems": [SOURCE, SOURCE]}, "train_problems: 4 problems come from two sources"),
    ],
)
def test_an_experiment(
    change: dict[str, Any], told: str, refuses: Callable[..., str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("srt.cli.experiment._check_init_model", lambda spec: None)
    (folder / "runs").mkdir()
    (folder / "e.yaml").write_text(yaml.safe_dump(EXPERIMENT | change))
    assert told in refuses("experiment", "e.yaml")


@pytest.mark.parametrize("text", ["arms: [", "- a\n- b\n", "\t", "\xff"])
def test_an_experiment_that_is_no_yaml(text: str, refuses: Callable[..., str], folder: Path) -> None:
    (folder / "e.yaml").write_bytes(text.encode("latin-1"))
    assert "e.yaml: " in refuses("experiment", "e.yaml")


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ({"arch": "gpt9"}, "unknown architecture 'gpt9': qwen2, llama, qwen2_5_vl, internvl are known"),
        ({"arch": "llama", "options": {"width": 3}}, "unknown key in model.options 'width': hidden, layers, "),
        ({"arch": "llama", "options": {"hidden": 33}}, "model.options: hidden: 33 must be a multiple"),
        ({"arch": "llama", "options": {"hidden": "wide"}}, "model.options: "),
        ({"arch": "llama", "options": {"pieces": "crumbs"}}, "unknown kind of pieces 'crumbs': words, phrases"),
    ],
)
def test_an_experiment_with_a_model_that_cannot_be_made(
    model: dict[str, Any], told: str, refuses: Callable[..., str], folder: Path
) -> None:
    (folder / "e.yaml").write_text(yaml.safe_dump(EXPERIMENT | {"model": model}))
    assert told in refuses("experiment", "e.yaml")


def test_an_experiment_in_the_folder_of_another(refuses: Callable[..., str], folder: Path) -> None:
    (folder / "e.yaml").write_text(yaml.safe_dump(EXPERIMENT | {"seeds": [3], "text": "assertions"}))
    (folder / "runs" / "tiny").mkdir(parents=True)
    stamp = folder / "runs" / "tiny" / "experiment.json"
    stamp.write_bytes(orjson.dumps(EXPERIMENT | {"seeds": [0], "text": "claims"}))
    said = refuses("experiment", "e.yaml")
    assert "runs/tiny: this folder holds an experiment with other settings of " in said
    assert "seeds, " in said
    assert "text" in said
    stamp.write_text("[")
    assert "experiment.json: not the settings of an experiment" in refuses("experiment", "e.yaml")


def test_what_a_record_holds_cannot_steer_a_terminal(refuses: Callable[..., str], folder: Path) -> None:
    spoil(folder / "traces.jsonl", 1, lambda r: r.update(id="a\x1b[2J\nb 乙", problem_id="elsewhere"))
    assert "trace a\\x1b[2J b 乙: " in refuses("check", "traces.jsonl", "--problems", "problems.jsonl")


def test_a_real_process(folder: Path) -> None:
    """What the other tests call in this process, once as a shell does."""
    command = [sys.executable, "-c", "from srt.cli import main; main()", "check", "no.jsonl", "--problems", "no.jsonl"]
    ran = subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", "srt: no.jsonl: no such file\n")
