"""``srt experiment``: every stage once, a folder for one experiment alone, and a stop that changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import orjson
import pytest
import yaml

import srt.experiment.arm_sequences
import srt.experiment.gather_problems
from srt.experiment.experiment_blocks import BenchmarkTest, InitModel
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.model_stages import Evaluation, TrainedModel
from srt.experiment.run_experiment import ExperimentResult, run_experiment
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem, Sequence
from srt.language.trace import Trace
from srt.pipeline.check import CheckSummary, check_file
from tests.srt.experiment.fake_stages import FakeStages, make, run

ALL_CALLS = [
    "check",
    "init 0",
    "train answer-0",
    "train srt-0",
    "evaluate base-0 with init-0",
    "evaluate answer-0 with runs/answer-0/model",
    "evaluate srt-0 with runs/srt-0/model",
    "compare base-0 answer-0 srt-0",
]


def test_every_stage_once(tmp_path: Path) -> None:
    experiment = make(tmp_path)
    stages = FakeStages()
    done, calls, said = run(experiment, stages)
    out = tmp_path / "out"
    assert calls == ALL_CALLS
    assert done == ExperimentResult(
        summaries=["fake: llama from random weights"], files=[out / "report" / "report.html"]
    )
    assert orjson.loads((out / "data" / "train.counts.json").read_bytes()) == {
        "problems": 6,
        "keys": len({p.group_id for p in read_records(out / "data" / "train.jsonl", Problem)}),
        "dropped": 0,
    }
    solved = orjson.loads((out / "data" / "solved.counts.json").read_bytes())
    assert solved == {"problems": 6, "traces": 6, "refused": {}}
    # The tokenizer sees the sequences of all arms that are trained, prompts included.
    sequences = [
        s for arm in ("answer", "srt") for s in read_records(out / "data" / f"{arm}.sequences.jsonl", Sequence)
    ]
    assert stages.texts == [m.content for s in sequences for m in (*s.prompt, *s.completion)]
    # The arms share all but the text.
    recipes = [yaml.safe_load((out / "runs" / f"{arm}-0" / "recipe.yaml").read_text()) for arm in ("answer", "srt")]
    assert {key for key in recipes[0] if recipes[0][key] != recipes[1][key]} == {"data", "output", "logging"}
    assert "answer, seed 0: step 1/1" in said
    assert not {p.id for p in read_records(out / "data" / "train.jsonl", Problem)} & {
        p.id for p in read_records(out / "data" / "test.jsonl", Problem)
    }


def test_a_finished_experiment_answers_at_once(tmp_path: Path) -> None:
    first, _, _ = run(make(tmp_path))
    done, calls, said = run(make(tmp_path))
    assert (done, calls, len(said)) == (first, [], 1)


@pytest.mark.parametrize(
    "change", ["report/report.html", "tested/test/srt-0/scores", "runs/srt-0/model/train.json", "data/test.jsonl"]
)
def test_a_file_that_was_touched_is_looked_at(change: str, tmp_path: Path) -> None:
    run(make(tmp_path))
    (tmp_path / "out" / change).parent.mkdir(exist_ok=True)
    (tmp_path / "out" / change).touch()
    _, calls, _ = run(make(tmp_path))
    assert calls == ["check", "compare base-0 answer-0 srt-0"]


def test_another_version_looks_at_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(make(tmp_path))
    monkeypatch.setattr("srt.__version__", "99")
    _, calls, _ = run(make(tmp_path))
    assert calls == ["check", "compare base-0 answer-0 srt-0"]


def test_what_is_done_is_skipped(tmp_path: Path) -> None:
    run(make(tmp_path))
    out = tmp_path / "out"
    (out / "result.json").unlink()
    files = {path: path.stat().st_mtime_ns for path in [*out.rglob("*.jsonl"), *out.rglob("*.counts.json")]}
    assert len(files) >= 8
    _done, calls, said = run(make(tmp_path))
    assert calls == ["check", "compare base-0 answer-0 srt-0"]
    assert {path: path.stat().st_mtime_ns for path in files} == files
    assert not [line for line in said if line.startswith(("build", "init", "train: so", "preflight"))]


@pytest.mark.parametrize("dies_at", ALL_CALLS)
def test_it_goes_on_where_it_died(dies_at: str, tmp_path: Path) -> None:
    stages = FakeStages()
    stages.dies_at = dies_at
    with pytest.raises(KeyboardInterrupt):
        run(make(tmp_path), stages)
    stages.dies_at = ""
    begun = len(stages.calls)
    run(make(tmp_path), stages)
    assert stages.calls[begun:] == ["check", *ALL_CALLS[max(ALL_CALLS.index(dies_at), 1) :]]


def test_half_an_initial_model_is_made_again(tmp_path: Path) -> None:
    stages = FakeStages()
    stages.dies_at = "init 0"
    with pytest.raises(KeyboardInterrupt):
        run(make(tmp_path), stages)
    assert not (tmp_path / "out" / "init-0").exists()
    run(make(tmp_path))
    assert [path.name for path in (tmp_path / "out" / "init-0").iterdir()] == ["weights"]
    assert not list((tmp_path / "out").glob(".init*"))


def test_seeds_and_a_model_that_is_given(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "weights").touch()
    experiment = make(tmp_path, model=str(tmp_path / "model"), seeds=[3, 5], arms=["base", "srt"])
    _, calls, _ = run(experiment, relative := _Named())
    assert calls[0] == "check"
    assert sorted(calls[1:3]) == ["train srt-3", "train srt-5"]
    assert relative.models == [
        ("base-3", TrainedModel(tmp_path / "model")),
        ("srt-3", TrainedModel(tmp_path / "out" / "runs" / "srt-3" / "model")),
        ("srt-5", TrainedModel(tmp_path / "out" / "runs" / "srt-5" / "model")),
    ]


def test_what_lora_trains_is_an_adapter_of_the_start(tmp_path: Path) -> None:
    run(make(tmp_path, train={"steps": 1, "lora": {"r": 4}}, arms=["base", "srt"]), relative := _Named())
    start = tmp_path / "out" / "init-0"
    assert relative.models == [
        ("base-0", TrainedModel(start)),
        ("srt-0", TrainedModel(start, adapter=tmp_path / "out" / "runs" / "srt-0" / "model")),
    ]


def test_what_is_too_long_for_an_arm_is_left_out_of_all(tmp_path: Path) -> None:
    run(make(tmp_path, train={"steps": 1, "too_long": "drop"}, arms=["base", "srt", "cot", "answer"]))
    out = tmp_path / "out"
    recipes = {arm: yaml.safe_load((out / "runs" / f"{arm}-0" / "recipe.yaml").read_text()) for arm in ("srt", "cot")}
    for arm, others in (("srt", ("cot", "answer")), ("cot", ("srt", "answer"))):
        assert recipes[arm]["data"] == str(out / "data" / f"{arm}.sequences.jsonl")
        assert recipes[arm]["other_arms"] == [str(out / "data" / f"{other}.sequences.jsonl") for other in others]


@pytest.mark.parametrize("report_to", ["wandb", ["tensorboard", "wandb"], "tensorboard"])
def test_runs_are_named_for_who_watches_them(report_to: object, tmp_path: Path) -> None:
    logging = {"report_to": report_to, "project": "booths"}
    run(make(tmp_path, train={"steps": 1, "logging": logging}, arms=["srt"], seeds=[0, 3]))
    recipe = yaml.safe_load((tmp_path / "out" / "runs" / "srt-3" / "recipe.yaml").read_text())
    group = {} if report_to == "tensorboard" else {"group": "fake"}
    assert recipe["logging"] == {**logging, **group, "name": "fake/srt/3"}


def test_evaluations_and_the_comparison_are_named_too(tmp_path: Path) -> None:
    wandb = {"report_to": "wandb", "project": "booths"}
    run(make(tmp_path, evaluate={**wandb, "batch_size": 4}, arms=["base", "srt"], seeds=[0]), stages := FakeStages())
    assert stages.reported == [
        {**wandb, "group": "fake", "run_name": f"fake/{name}"} for name in ("base/0", "srt/0", "report")
    ]
    (tmp_path / "quiet").mkdir()
    run(make(tmp_path / "quiet", arms=["srt"]), quiet := FakeStages())
    assert quiet.reported == [{}, {}]


class _Named(FakeStages):
    """Keeps which model was evaluated as which run."""

    def __init__(self) -> None:
        super().__init__()
        self.models: list[tuple[str, TrainedModel]] = []

    def evaluate(self, evaluation: Evaluation) -> None:
        assert evaluation.out.name.startswith(evaluation.arm)
        self.models.append((evaluation.out.name, evaluation.trained))


@pytest.mark.parametrize("parallel", [1, 2, 8])
def test_parallel_training_calls_each_recipe_once(parallel: int, tmp_path: Path) -> None:
    arms = ["answer", "cot", "cot-terse", "srt", "srt-unlabelled", "srt-drop-INFER"]
    stages = FakeStages()
    _, calls, _ = run(make(tmp_path, arms=arms, parallel=parallel), stages)
    assert sorted(call for call in calls if call.startswith("train")) == sorted(f"train {arm}-0" for arm in arms)
    assert 1 <= stages.most_at_once <= parallel
    assert parallel == 1 or stages.most_at_once > 1
    assert calls[-1] == f"compare {' '.join(f'{arm}-0' for arm in arms)}", "the order is that of the arms"


def test_a_training_that_fails_is_told(tmp_path: Path) -> None:
    class Failing(FakeStages):
        def train(
            self, recipe: Path, launch: Path | None, say: Callable[[str], None], until: int | None = None
        ) -> None:
            if "srt-0" in str(recipe):
                raise UserError("no memory")
            super().train(recipe, launch, say)

    stages = Failing()
    with pytest.raises(UserError, match="no memory"):
        run(make(tmp_path, arms=["answer", "srt", "cot"]), stages)
    # What was trained stays, nothing more is begun.
    assert stages.calls == ["check", "init 0", "train answer-0"]
    assert (tmp_path / "out" / "runs" / "answer-0" / "model" / "train.json").exists()


def test_a_second_process_waits_until_the_data_are_made(tmp_path: Path) -> None:
    experiment = make(tmp_path)
    preparing, prepared = Event(), Event()

    class Slow(FakeStages):
        def init_model(self, spec: InitModel, texts: Iterator[str], seed: int, out: Path) -> None:
            preparing.set()
            assert prepared.wait(60)
            super().init_model(spec, texts, seed, out)

        def preflight(self, recipe: Path, launch: Path | None) -> list[str]:
            raise UserError("the first process ends here")

    def say(line: str) -> None:
        said.append(line)
        if line.startswith("waiting"):
            prepared.set()

    said: list[str] = []
    first, second = Slow(), FakeStages()
    with ThreadPoolExecutor() as pool:
        pool.submit(run_experiment, experiment, first, lambda line: None)
        assert preparing.wait(60)
        pool.submit(run_experiment, experiment, second, say).result()
    assert said[0].startswith("waiting")
    assert "init 0" in first.calls
    assert "init 0" not in second.calls


def test_a_folder_of_other_settings_is_refused(tmp_path: Path) -> None:
    run(make(tmp_path))
    before = sorted((tmp_path / "out").rglob("*"))
    stages = FakeStages()
    with pytest.raises(UserError, match=r"out: .*seeds, train"):
        run(make(tmp_path, seeds=[1], train={"steps": 2}), stages)
    assert stages.calls == []
    assert sorted((tmp_path / "out").rglob("*")) == before


def test_a_folder_that_was_moved_and_other_haste_are_no_other_settings(tmp_path: Path) -> None:
    run(make(tmp_path))
    (tmp_path / "out").rename(tmp_path / "moved")
    done, calls, _ = run(make(tmp_path, output=str(tmp_path / "moved"), parallel=2))
    assert (done.files, calls) == ([tmp_path / "moved" / "report" / "report.html"], [])


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out" / "data").mkdir(parents=True)
    (tmp_path / "out" / "data" / "thesis.txt").touch()
    with pytest.raises(UserError, match="out: output: "):
        run(make(tmp_path, train_problems=[{"world": "chess", "n": 1}]))
    assert (tmp_path / "out" / "data" / "thesis.txt").exists()
    assert not (tmp_path / "out" / "experiment.json").exists()


def test_a_fault_in_the_sources_of_a_resumed_run_removes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages = FakeStages()
    stages.dies_at = "train srt-0"
    with pytest.raises(KeyboardInterrupt):
        run(make(tmp_path), stages)
    (tmp_path / "out" / "data" / "test.jsonl").unlink()
    before = sorted((tmp_path / "out").rglob("*"))

    def broken(*_: object, **__: object) -> None:
        raise UserError("the corpus is gone")

    monkeypatch.setattr(srt.experiment.gather_problems, "generate_file", broken)
    with pytest.raises(UserError, match="the corpus is gone"):
        run(make(tmp_path))
    assert sorted((tmp_path / "out").rglob("*")) == before


def test_a_trace_that_is_refuted_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def corrupting(traces: Path, problems: Path, out: Path) -> CheckSummary:
        held = list(read_records(traces, Trace))
        held[1] = held[1].model_copy(update={"answer": "A" if held[1].answer != "A" else "B"})
        write_records(traces, held)
        return check_file(traces, problems, out)

    monkeypatch.setattr(srt.experiment.arm_sequences, "check_file", corrupting)
    stages = FakeStages()
    with pytest.raises(UserError, match=r"train: a trace is refuted: t-seating-.*: .*answer"):
        run(make(tmp_path), stages)
    assert stages.calls == ["check"]
    assert not (tmp_path / "out" / "data" / "solved.counts.json").exists()
    assert (tmp_path / "out" / "data" / "solved.parts" / "0" / "traces.jsonl").exists(), "the evidence stays"


def test_arms_that_only_generate_otherwise_are_trained_once(tmp_path: Path) -> None:
    _, calls, _ = run(make(tmp_path, arms=["srt", "srt-ban-INFER", "srt+proved"]))
    assert [call for call in calls if call.startswith(("train", "evaluate"))] == [
        "train srt-0",
        "evaluate srt-0 with runs/srt-0/model",
        "evaluate srt-ban-INFER-0 with runs/srt-0/model",
        "evaluate srt+proved-0 with runs/srt-0/model",
    ]


def test_worked_examples_are_those_of_an_arm_and_shown_to_one_alone(tmp_path: Path) -> None:
    shown: dict[str, tuple[object, object]] = {}

    class Watching(FakeStages):
        def evaluate(self, evaluation: Evaluation) -> None:
            shown[evaluation.arm] = evaluation.settings.get("shots"), evaluation.settings.get("shots_from")
            super().evaluate(evaluation)

    arms = {"arms": ["base", "base+srt-shots", "srt"]}
    run(make(tmp_path, **arms, evaluate={"shots": 3}), Watching())
    file = tmp_path / "out" / "data" / "srt.sequences.jsonl"
    assert shown == {"base": (None, None), "base+srt-shots": (3, file), "srt": (None, None)}
    (tmp_path / "few").mkdir()
    few = FakeStages()
    with pytest.raises(UserError, match=r"^evaluate: shots: 7 .*srt\.sequences\.jsonl has 6 training problems$"):
        run(make(tmp_path / "few", **arms, evaluate={"shots": 7}), few)
    assert not [call for call in few.calls if call.startswith("train")]


def test_what_a_training_would_refuse_is_found_before_the_first_one(tmp_path: Path) -> None:
    stages = FakeStages()
    stages.faults = {"srt-0": ["sequences are too long: 3"]}
    with pytest.raises(UserError, match=r"^srt: cannot be trained; srt: sequences are too long: 3$"):
        run(make(tmp_path), stages)
    assert not [call for call in stages.calls if call.startswith("train")]


def test_a_test_that_cannot_be_asked_is_found_before_anything_is_made(tmp_path: Path) -> None:
    class Refusing(FakeStages):
        def check_test(self, experiment: Experiment, problems: Path, benchmark: BenchmarkTest | None) -> None:
            raise UserError("problem 7 has a picture and no description")

    with pytest.raises(UserError, match="problem 7"):
        run(make(tmp_path), Refusing())
    assert not (tmp_path / "out").exists()


def test_held_out_sequences_are_the_eval_data_of_each_arm(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"held_out": 2, "train": {"steps": 1, "eval_steps": 1, "generations": {"count": 2}}}
    run(make(tmp_path, arms=["answer", "srt"], **changes))
    data = tmp_path / "out" / "data"
    for arm in ("answer", "srt"):
        recipe = yaml.safe_load((tmp_path / "out" / "runs" / f"{arm}-0" / "recipe.yaml").read_text())
        assert recipe["eval_data"] == str(data / f"{arm}.held_out.jsonl")
        assert recipe["generations"] == {"count": 2, "problems": str(data / "train.jsonl")}
        held = {one.problem_id for one in read_records(data / f"{arm}.held_out.jsonl", Sequence)}
        assert len(held) >= 2
        assert not held & {one.problem_id for one in read_records(data / f"{arm}.sequences.jsonl", Sequence)}


def test_problems_of_few_groups_are_told_before_anything_is_trained(tmp_path: Path) -> None:
    turns = {"world": "routes", "n": 12, "spec": {"kinds": ["facing"], "legs": [1, 2], "longest": 0}}
    _, _, said = run(make(tmp_path, test_problems=[turns]), FakeStages())
    told = [at for at, line in enumerate(said) if "test_problems" in line and "groups" in line]
    trained = next(at for at, line in enumerate(said) if "train: " in line and "seed" in line)
    assert len(told) == 1
    assert told[0] < trained


@pytest.mark.parametrize("arm", ["cot-free", "srt-free"])
def test_a_world_without_a_free_form_is_told_before_anything_is_made(arm: str, tmp_path: Path) -> None:
    walks = {"world": "routes", "n": 4, "spec": {}}
    experiment = make(tmp_path, arms=["base", arm], train_problems=[walks], test_problems=[walks])
    with pytest.raises(UserError, match=f"arms: {arm}"):
        run(experiment, FakeStages())
    assert not (tmp_path / "out" / "data").exists()
