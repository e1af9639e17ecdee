"""What commands print, and what they exit with when nothing is wrong with the input."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from srt import __version__
from srt.cli.command_table import COMMANDS
from srt.cli.lazy_commands import load_command
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem, Sequence
from srt.language.trace import Trace

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_shows_an_example(name: str, srt: Any) -> None:
    ran = srt(name, "--help")
    assert ran.status == 0
    assert f"Example: srt {name} " in ran.out
    parameters = [p for p in load_command(name).params if p.param_type_name in ("option", "argument")]
    assert parameters
    assert all(p.help for p in parameters)
    # No type of Python: what a value is called has no brackets, and the words to choose from are words.
    assert not re.search(r"<(str|int|float|[Pp]ath|list|bool)|\bNone\b", ran.out)
    with_value = [p for p in parameters if p.param_type_name == "option" and not p.is_flag]
    forms = re.compile(r"[A-Z=]+( [A-Z]+)*|[\w.-]+(\|[\w.-]+)*|(NAME=SHARE|FIELD=COLUMN),\.\.\.")
    assert all(forms.fullmatch(p.metavar) for p in with_value)


def examples() -> list[str]:
    found: list[str] = []
    for name in COMMANDS:
        paragraphs = load_command(name).help.split("\n\n")
        found += [" ".join(p.split()) for p in paragraphs if p.startswith("Example: ")]
    return [example.removeprefix("Example: ") for example in found]


@pytest.mark.parametrize("example", examples())
def test_an_example_can_be_copied(example: str, srt: Any) -> None:
    """It is on one line of the help, its options exist, and so do the files that come with the toolkit."""
    words = shlex.split(example)
    name, *arguments = words[words.index("srt") + 1 :]
    assert f"Example: {example}\n" in srt(name, "--help").out
    command = load_command(name)
    with command.make_context(name, list(arguments)) as context:
        assert context.params
    ours = [word for word in words if word.startswith(("recipes/", "configs/"))]
    assert all((ROOT / word).is_file() for word in ours), ours


def test_the_examples_run_one_after_another(srt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that need nothing but what the ones before have made; with smaller numbers."""
    monkeypatch.chdir(tmp_path)
    by_name = {shlex.split(example)[1]: shlex.split(example)[2:] for example in examples()}
    for name in ("generate", "gallery", "split", "curate", "solve", "check", "mutate", "build", "env", "benchmarks"):
        smaller = [{"1000": "40", "10000": "40", "24": "3"}.get(word, word) for word in by_name[name]]
        done = srt(name, *smaller)
        assert done.status == 0, (name, done.err)


def test_help_groups_all_commands_by_stage_and_cuts_nothing_off(srt: Any) -> None:
    ran = srt("--help")
    assert ran.status == 0
    stages: dict[str, list[str]] = {}
    for line in ran.out.split("\n\n", 2)[2].splitlines():
        assert len(line) < 80
        if line and not line.startswith(" "):
            stages[line] = []
        elif line and not line.startswith("   "):
            name, summary = line.split(maxsplit=1)
            stages[list(stages)[-1]].append(name)
            if name.startswith("--"):
                continue
            assert summary == COMMANDS[name].summary
            assert summary.endswith(".")
    assert {stage: " ".join(names) for stage, names in stages.items()} == {
        "Options:": "--version --install-completion --show-completion --help",
        "Problems:": "import generate gallery curate split",
        "Traces:": "solve check mutate lift show build",
        "Language-model teachers:": "teach review agreement",
        "Training:": "init-model preflight train harvest pairs merge",
        "Evaluation:": "eval score backends human predictions totals benchmarks",
        "Comparison:": "compare errors ask-judge power export",
        "All stages:": "dataset experiment",
        "This installation:": "env",
    }


def test_version(srt: Any) -> None:
    assert srt("--version").out == f"srt {__version__}\n"


def test_click_s_own_refusals(srt: Any, folder: Path) -> None:
    before = sorted(folder.iterdir())
    for arguments in (["solve"], ["generate", "seating", "-n", "many", "-o", "x"], ["nonsense"], ["check", "--best"]):
        ran = srt(*arguments)
        assert ran.status == 2
        assert "Traceback" not in ran.err
    assert sorted(folder.iterdir()) == before


def test_from_problems_to_sequences(srt: Any, folder: Path) -> None:
    ran = srt("generate", "seating", "-n", 5, "--split", "dev", "-o", "p.jsonl", "--json")
    assert ran.status == 0
    assert orjson.loads(ran.out)["problems"] == 5
    ran = srt("solve", "p.jsonl", "-o", "t.jsonl", "--json")
    assert ran.status == 0
    summary = orjson.loads(ran.out)
    assert (summary["problems"], summary["solved"], summary["refused"], summary["agreement"]) == (5, 5, {}, 1.0)
    ran = srt("check", "t.jsonl", "--problems", "p.jsonl", "-o", "c.jsonl", "--json")
    assert ran.status == 0
    summary = orjson.loads(ran.out)
    assert (summary["traces"], summary["proved"], summary["refuted"], summary["coverage"]) == (5, 5, 0, 1.0)
    assert all(trace.checks is not None and trace.checks.proved for trace in read_records("c.jsonl", Trace))
    ran = srt("mutate", "t.jsonl", "--problems", "p.jsonl", "-n", 30, "--json")
    assert ran.status == 0
    assert orjson.loads(ran.out)["total"]["made"] == 30
    ran = srt("build", "c.jsonl", "--problems", "p.jsonl", "--arm", "answer", "-o", "d", "--json")
    assert ran.status == 0
    summary = orjson.loads(ran.out)
    assert summary == {"file": "d/sequences.jsonl", "arm": "answer", "sequences": 5}
    assert len(list(read_records(summary["file"], Sequence))) == 5


def test_without_json_a_table(srt: Any, folder: Path) -> None:
    ran = srt("check", "traces.jsonl", "--problems", "problems.jsonl")
    assert ran.status == 0
    assert "support: proved" in ran.out
    assert not ran.out.startswith("{")


def test_a_refuted_step_is_exit_1_and_shown(srt: Any, folder: Path) -> None:
    traces = list(read_records("traces.jsonl", Trace))
    wrong = "A" if traces[2].answer != "A" else "B"
    traces[2] = traces[2].model_copy(update={"answer": wrong})
    write_records("bad.jsonl", traces)
    ran = srt("check", "bad.jsonl", "--problems", "problems.jsonl", "-o", "c.jsonl")
    assert ran.status == 1
    assert traces[2].id in ran.out
    assert "the answer is refuted: " in ran.out
    assert len(list(read_records("c.jsonl", Trace))) == len(traces)
    ran = srt("check", "bad.jsonl", "--problems", "problems.jsonl", "--json", "--show", 0)
    assert ran.status == 1
    assert orjson.loads(ran.out)["refuted"] == 1
    assert orjson.loads(ran.out)["fault"] == {}


def test_strict_makes_a_refusal_exit_1(srt: Any, folder: Path) -> None:
    problems = list(read_records("problems.jsonl", Problem))
    problems[0] = problems[0].model_copy(update={"question": "How many edges has a cube?"})
    write_records("p.jsonl", problems)
    assert srt("solve", "p.jsonl", "-o", "t.jsonl").status == 0
    ran = srt("solve", "p.jsonl", "-o", "t.jsonl", "--strict", "--json")
    assert ran.status == 1
    assert orjson.loads(ran.out)["refused"] == {"no_world": 1}
    assert (folder / "t.refusals.jsonl").read_bytes().count(b"\n") == 1
    assert srt("solve", "problems.jsonl", "-o", "t.jsonl", "--strict").status == 0


def without_gold() -> None:
    """``items.jsonl``: the eight problems as items of the benchmark whose answers are kept back."""
    items = [
        p.model_copy(update={"source": "space2025", "category": "SPR"}) for p in read_records("problems.jsonl", Problem)
    ]
    write_records("items.jsonl", [p.model_copy(update={"answer": None}) for p in items])


def official(path: str) -> dict[str, Any]:
    return {row["id"]: row["answer"] for row in map(orjson.loads, Path(path).read_bytes().splitlines())}


def test_predictions_from_traces(srt: Any, folder: Path) -> None:
    without_gold()
    traces = list(read_records("traces.jsonl", Trace))
    write_records("some.jsonl", traces[:5])
    ran = srt("predictions", "some.jsonl", "--problems", "items.jsonl", "-o", "official.jsonl", "--json")
    assert orjson.loads(ran.out) == {"file": "official.jsonl", "problems": 8, "answered": 5}
    gold = {p.id: p.answer.value for p in read_records("problems.jsonl", Problem) if p.answer}
    answered = {trace.problem_id for trace in traces[:5]}
    assert official("official.jsonl") == {name: gold[name] if name in answered else [] for name in gold}


def test_a_run_without_gold_is_predicted_and_not_scored(
    srt: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.fake_backend import FakeBackend

    without_gold()
    replies = iter(["ANSWER: A", "ANSWER: A, C", "I do not know"] + ["ANSWER: B"] * 5)
    backend = FakeBackend(lambda prompt: next(replies))
    module = SimpleNamespace(TransformersBackend=lambda model, adapter, **settings: backend)
    monkeypatch.setitem(sys.modules, "eval.backends.transformers_backend", module)
    (folder / "any").mkdir()
    ran = srt("eval", "--model", "any", "--problems", "items.jsonl", "-o", "run", "--json")
    assert (ran.status, orjson.loads(ran.out)) == (0, {"predictions": 8, "scored": 0})
    assert "no problem has a gold answer: there is nothing to score\n" in ran.err
    assert not (folder / "run" / "scores.jsonl").exists()

    ran = srt("predictions", "run", "-o", "official.jsonl", "--json")
    assert orjson.loads(ran.out) == {"file": "official.jsonl", "problems": 8, "answered": 7}
    names = [p.id for p in read_records("items.jsonl", Problem)]
    by_name = official("official.jsonl")
    assert list(by_name) == names
    assert sorted(by_name.values()) == [[], ["A"], ["A", "C"], *[["B"]] * 5]


@pytest.mark.long
def test_compare_takes_a_reference(srt: Any, folder: Path) -> None:
    from eval.run.predict import predict
    from eval.scoring.score import score
    from tests.fake_backend import FakeBackend

    for arm, reply in (("base", "ANSWER: A"), ("answer", "ANSWER: B"), ("srt", "ANSWER: C")):
        predict("problems.jsonl", arm, FakeBackend(lambda prompt, reply=reply: reply, model=arm), arm=arm)
        score(arm)

    def references(*more: str) -> set[tuple[str, str]]:
        ran = srt("compare", "srt", "base", "answer", "-o", "report", "--json", *more)
        assert ran.status == 0, ran.err
        return {(row["arm"], row["reference"]) for row in orjson.loads(ran.out)["differences"]}

    assert references() == {("srt", "base"), ("answer", "base"), ("srt", "answer")}
    assert references("--reference", "answer") == {("srt", "answer"), ("base", "answer")}


def tiny_recipe(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recipe whose model and data are there, in the working folder."""
    monkeypatch.chdir(folder)
    (folder / "m").mkdir()
    (folder / "d").touch()
    (folder / "e").touch()
    recipe = folder / "r.yaml"
    recipe.write_text(
        "{model: {path: m}, data: d, output: o, steps: 1, batch_size: 1, learning_rate: 1, max_length: 9}"
    )
    return recipe


def test_train_passes_on_what_differs_and_whether_to_resume(
    srt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr("srt.cli.training_commands.run_training", lambda *arguments: asked.append(arguments) or 0)
    recipe = tiny_recipe(tmp_path, monkeypatch)
    assert srt("train", recipe, "--set", "data=e", "--set", "lora.r=4", "--resume").status == 0
    assert asked.pop() == (recipe, None, ["--resume", "--set", "data=e", "--set", "lora.r=4"], [])
    config = Path(__file__).parents[3] / "configs/cpu.yaml"
    assert srt("train", recipe, "--accelerate", config, "--", "--machine_rank", "1").status == 0
    assert asked.pop() == (recipe, config, [], ["--machine_rank", "1"])
    for fault, message in [("date=e", "date"), ("data", "KEY=VALUE"), ("a=[", "a=[")]:
        ran = srt("train", recipe, "--set", fault)
        assert ran.status == 2
        assert message in ran.err
    assert "--accelerate" in srt("train", recipe, "--", "--machine_rank", "1").err
    assert asked == [], "a fault is reported before anything is started"


@pytest.mark.parametrize(("status", "said"), [(132, "SIGILL"), (137, "SIGKILL"), (143, ""), (2, "")])
def test_train_names_the_signal_that_killed_it(
    srt: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, said: str
) -> None:
    monkeypatch.setattr("srt.cli.training_commands.run_training", lambda *_: status)
    ran = srt("train", tiny_recipe(tmp_path, monkeypatch))
    assert ran.status == status
    assert said in ran.err
    assert bool(ran.err) == bool(said)


def test_several_files_are_excluded(srt: Any, tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text("{scenes: [booth], names: 6}")
    options = ["generate", "seating", "-n", "20", "--split", "train", "--spec", str(spec), "--workers", "1"]
    first, second, third = (tmp_path / f"{name}.jsonl" for name in ("first", "second", "third"))
    assert srt(*options, "-o", str(first)).status == 0
    assert srt(*options, "-o", str(second), "--exclude", str(first)).status == 0
    both = ["--exclude", str(first), "--exclude", str(second)]
    assert srt(*options, "-o", str(third), *both).status == 0
    groups = [{problem.group_id for problem in read_records(file, Problem)} for file in (first, second, third)]
    assert not groups[2] & (groups[0] | groups[1])
