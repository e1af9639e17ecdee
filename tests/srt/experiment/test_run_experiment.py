"""``srt experiment``: every stage once, a folder for one experiment alone, and a kill that changes nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

import srt.experiment.arm_sequences
import srt.experiment.gather_problems
from srt.corpora import import_file
from srt.experiment.experiment_recipe import BenchmarkTest, Experiment, InitModel, load_experiment
from srt.experiment.model_stages import Evaluation, TrainedModel
from srt.experiment.run_experiment import ExperimentResult, run_experiment
from srt.io.errors import UserError
from srt.io.jsonl import read_records, write_records
from srt.io.records import Lang, Problem, Sequence
from srt.language.trace import Trace
from srt.pipeline.check import CheckSummary, check_file
from srt.pipeline.generate import generate_file, split_key

ROOT = Path(__file__).resolve().parents[3]
BOOTHS: dict[str, Any] = {"world": "seating", "n": 6, "spec": {"scenes": ["booth"], "names": 6}}


class Stages:
    """``train`` and ``eval`` as files that say what was asked for; each keeps what it finished, as the real ones do."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.texts: list[str] = []
        self.at_once = 0
        self.most_at_once = 0
        self.lock = threading.Lock()
        self.dies_at = ""
        self.reported: list[dict[str, Any]] = []  # of evaluations and comparisons, to W&B
        self.faults: dict[str, list[str]] = {}

    def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
        self._call("check")
        assert not (experiment.output / "data").exists()
        keys = {*experiment.train, "data", "output", "seed", "model", "logging"}
        assert set(recipe) - {"other_arms", "eval_data"} == keys

    def init_model(self, spec: InitModel, texts: Iterator[str], seed: int, out: Path) -> None:
        out.mkdir()
        (out / "half").touch()
        self._call(f"init {seed}")
        self.texts = list(texts)
        (out / "half").rename(out / "weights")

    def train(self, recipe: Path, launch: Path | None, say: Callable[[str], None], until: int | None = None) -> None:
        settings = yaml.safe_load(recipe.read_text())
        output = Path(settings["output"])
        with self.lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if not (output / "train.json").exists():
                assert (Path(settings["model"]["path"]) / "weights").exists()
                assert Path(settings["data"]).exists()
                self._call(f"train {output.parent.name}")
                time.sleep(0.05)
                say("step 1/1")
                output.mkdir(parents=True)
                (output / "train.json").write_bytes(orjson.dumps(settings))
        finally:
            with self.lock:
                self.at_once -= 1

    def reads_pictures(self, model: Path | InitModel) -> bool:
        return False

    def import_problems(self, corpus: str, path: Path, out: Path, lang: Lang | None) -> None:
        import_file(corpus, path, out, lang=lang)

    def check_test(self, experiment: Experiment, problems: Path, benchmark: BenchmarkTest | None) -> None:
        assert problems.exists()

    def preflight(self, recipe: Path, launch: Path | None) -> list[str]:
        return self.faults.get(recipe.parent.name, [])

    def evaluate(self, evaluation: Evaluation) -> None:
        out = evaluation.out
        self.reported.append({key: value for key, value in evaluation.settings.items() if key != "batch_size"})
        if not (out / "scores").exists():
            self._call(f"evaluate {out.name} with {evaluation.trained.model.relative_to(out.parents[2])}")
            out.mkdir(parents=True)
            (out / "scores").touch()

    def compare(
        self, runs: list[Path], out: Path, title: str, reporting: Mapping[str, Any], warning: str | None
    ) -> str:
        self.reported.append(dict(reporting))
        self._call(f"compare {' '.join(run.name for run in runs)}")
        return title

    def _call(self, name: str) -> None:
        with self.lock:
            self.calls.append(name)
        if name == self.dies_at:
            raise KeyboardInterrupt(name)


def make(tmp_path: Path, **changes: Any) -> Experiment:
    values: dict[str, Any] = {
        "name": "fake",
        "output": str(tmp_path / "out"),
        "arms": ["base", "answer", "srt"],
        "train_problems": [BOOTHS],
        "test_problems": [{**BOOTHS, "n": 3}],
        "prompt": "bare",
        "model": {"arch": "llama"},
        "train": {"steps": 1},
    }
    path = tmp_path / "experiment.yaml"
    path.write_text(yaml.safe_dump(values | changes))
    return load_experiment(path)


def run(experiment: Experiment, stages: Stages | None = None) -> tuple[ExperimentResult, list[str], list[str]]:
    """What came out, what the stages were asked for, and what was said."""
    stages = stages or Stages()
    said: list[str] = []
    return run_experiment(experiment, stages, said.append), stages.calls, said


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
    stages = Stages()
    done, calls, said = run(experiment, stages)
    out = tmp_path / "out"
    assert calls == ALL_CALLS
    assert done == ExperimentResult(["fake: llama from random weights"], [out / "report" / "report.html"])
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


def test_what_is_done_is_skipped(tmp_path: Path) -> None:
    run(make(tmp_path))
    out = tmp_path / "out"
    files = {path: path.stat().st_mtime_ns for path in [*out.rglob("*.jsonl"), *out.rglob("*.counts.json")]}
    assert len(files) >= 8
    _done, calls, said = run(make(tmp_path))
    assert calls == ["compare base-0 answer-0 srt-0"]
    assert {path: path.stat().st_mtime_ns for path in files} == files
    assert not [line for line in said if line.startswith(("build", "init", "train: so", "preflight"))]


@pytest.mark.parametrize("dies_at", ALL_CALLS)
def test_it_goes_on_where_it_died(dies_at: str, tmp_path: Path) -> None:
    stages = Stages()
    stages.dies_at = dies_at
    with pytest.raises(KeyboardInterrupt):
        run(make(tmp_path), stages)
    stages.dies_at = ""
    begun = len(stages.calls)
    run(make(tmp_path), stages)
    assert stages.calls[begun:] == ALL_CALLS[ALL_CALLS.index(dies_at) :]


def test_half_an_initial_model_is_made_again(tmp_path: Path) -> None:
    stages = Stages()
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
    run(make(tmp_path, evaluate={**wandb, "batch_size": 4}, arms=["base", "srt"], seeds=[0]), stages := Stages())
    assert stages.reported == [
        {**wandb, "group": "fake", "run_name": f"fake/{name}"} for name in ("base/0", "srt/0", "report")
    ]
    (tmp_path / "quiet").mkdir()
    run(make(tmp_path / "quiet", arms=["srt"]), quiet := Stages())
    assert quiet.reported == [{}, {}]


class _Named(Stages):
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
    stages = Stages()
    _, calls, _ = run(make(tmp_path, arms=arms, parallel=parallel), stages)
    assert sorted(call for call in calls if call.startswith("train")) == sorted(f"train {arm}-0" for arm in arms)
    assert 1 <= stages.most_at_once <= parallel
    assert parallel == 1 or stages.most_at_once > 1
    assert calls[-1] == f"compare {' '.join(f'{arm}-0' for arm in arms)}", "the order is that of the arms"


def test_a_training_that_fails_is_told(tmp_path: Path) -> None:
    class Failing(Stages):
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


def test_a_folder_of_other_settings_is_refused(tmp_path: Path) -> None:
    run(make(tmp_path))
    before = sorted((tmp_path / "out").rglob("*"))
    stages = Stages()
    with pytest.raises(UserError, match=r"out: .*seeds, train"):
        run(make(tmp_path, seeds=[1], train={"steps": 2}), stages)
    assert stages.calls == []
    assert sorted((tmp_path / "out").rglob("*")) == before


def test_a_folder_that_was_moved_and_other_haste_are_no_other_settings(tmp_path: Path) -> None:
    run(make(tmp_path))
    (tmp_path / "out").rename(tmp_path / "moved")
    _, calls, _ = run(make(tmp_path, output=str(tmp_path / "moved"), parallel=2))
    assert calls == ["compare base-0 answer-0 srt-0"]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out" / "data").mkdir(parents=True)
    (tmp_path / "out" / "data" / "thesis.txt").touch()
    with pytest.raises(UserError, match="out: output: "):
        run(make(tmp_path, train_problems=[{"world": "chess", "n": 1}]))
    assert (tmp_path / "out" / "data" / "thesis.txt").exists()
    assert not (tmp_path / "out" / "experiment.json").exists()


def test_settings_that_are_refused_leave_no_folder(tmp_path: Path) -> None:
    class Refusing(Stages):
        def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
            raise UserError("train: stepz: no such key")

    with pytest.raises(UserError, match="stepz"):
        run(make(tmp_path), Refusing())
    with pytest.raises(UserError, match="chess"):
        run(make(tmp_path, test_problems=[{"world": "chess", "n": 1}]))
    assert not (tmp_path / "out").exists()
    run(make(tmp_path))


def test_a_fault_in_the_sources_of_a_resumed_run_removes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages = Stages()
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


def test_a_source_that_needs_what_is_not_set_is_left_out_aloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SRT_TEST_CORPUS", raising=False)
    sources = [BOOTHS, {"corpus": "space2025", "path": "$SRT_TEST_CORPUS/booths.jsonl", "needs": "SRT_TEST_CORPUS"}]
    _, _, said = run(make(tmp_path, train_problems=sources))
    assert "train: source 2 is left out: SRT_TEST_CORPUS is not set" in said
    assert len(list(read_records(tmp_path / "out" / "data" / "train.jsonl", Problem))) == 6


def test_items_of_a_corpus_are_filtered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRT_TEST_CORPUS", str(tmp_path))
    made = {"booth": 2, "shelf": 1}

    def imported(_: Stages, name: str, path: Path, out: Path, lang: Lang | None) -> None:
        assert (name, path) == ("space2025", tmp_path / "items.jsonl")
        problems = []
        for scene, n in made.items():
            generate_file("seating", n, "train", out, {"scenes": [scene]})
            problems += [p.model_copy(update={"meta": {"scene": scene}}) for p in read_records(out, Problem)]
        write_records(out, problems)

    monkeypatch.setattr(Stages, "import_problems", imported)
    source = {"corpus": "space2025", "path": "$SRT_TEST_CORPUS/items.jsonl", "where": {"scene": "shelf"}}
    run(make(tmp_path, train_problems=[source]))
    held = list(read_records(tmp_path / "out" / "data" / "train.jsonl", Problem))
    assert [problem.meta["scene"] for problem in held] == ["shelf"]


def items_of(monkeypatch: pytest.MonkeyPatch, split: str, n: int) -> dict[str, Any]:
    """A source: a corpus of ``n`` sampled booths of ``split``, under ids and groups of its own, as a published one."""

    def imported(_: Stages, name: str, path: Path, out: Path, lang: Lang | None) -> None:
        generate_file("seating", n, split, out, BOOTHS["spec"])
        items = list(read_records(out, Problem))
        write_records(out, [p.model_copy(update={"id": f"i{i}", "group_id": None}) for i, p in enumerate(items)])

    monkeypatch.setattr(Stages, "import_problems", imported)
    return {"corpus": "space2025", "path": "items.jsonl"}


def keys_of(path: Path) -> set[str | None]:
    return {split_key(problem) for problem in read_records(path, Problem)}


@pytest.mark.parametrize("exclude", [True, False])
def test_sampled_problems_are_kept_apart_from_a_test_that_was_not(
    exclude: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = items_of(monkeypatch, "train", 40)
    source = {**BOOTHS, "n": 60, "exclude_test": exclude}
    _, _, said = run(make(tmp_path, train_problems=[source], test_problems=[corpus]))
    data = tmp_path / "out" / "data"
    counts = orjson.loads((data / "train.counts.json").read_bytes())
    assert counts["problems"] == 60
    assert counts["keys"] == len(keys_of(data / "train.jsonl"))
    assert (counts["dropped"] > 0) == exclude
    assert bool(keys_of(data / "train.jsonl") & keys_of(data / "test.jsonl")) != exclude
    assert (f"train: source 1: {counts['dropped']} problems are in the test and were dropped" in said) == exclude


@pytest.mark.parametrize("exclude", [True, False])
def test_items_of_a_corpus_are_kept_apart_from_the_test(
    exclude: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = items_of(monkeypatch, "test", 60)
    sources = [{**corpus, "exclude_test": exclude}, BOOTHS]
    run(make(tmp_path, train_problems=sources, test_problems=[{**BOOTHS, "n": 5}]))
    data = tmp_path / "out" / "data"
    counts = orjson.loads((data / "train.counts.json").read_bytes())
    assert (counts["dropped"] >= 5) == exclude
    assert counts["problems"] == 60 + 6 - counts["dropped"]
    assert counts["keys"] == len(keys_of(data / "train.jsonl"))
    assert bool(keys_of(data / "train.jsonl") & keys_of(data / "test.jsonl")) != exclude


def test_a_test_without_gold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def imported(_: Stages, name: str, path: Path, out: Path, lang: Lang | None) -> None:
        generate_file("seating", 2, "test", out, BOOTHS["spec"])
        write_records(out, [p.model_copy(update={"answer": None}) for p in list(read_records(out, Problem))])

    monkeypatch.setattr(Stages, "import_problems", imported)
    with pytest.raises(UserError, match="test_problems: "):
        run(make(tmp_path, test_problems=[{"corpus": "space2025", "path": "items.jsonl"}]))
    assert not (tmp_path / "out").exists()


def test_traces_that_are_not_proved_stop_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def corrupting(traces: Path, problems: Path) -> CheckSummary:
        held = list(read_records(traces, Trace))
        held[1] = held[1].model_copy(update={"answer": "A" if held[1].answer != "A" else "B"})
        write_records(traces, held)
        return check_file(traces, problems)

    monkeypatch.setattr(srt.experiment.arm_sequences, "check_file", corrupting)
    stages = Stages()
    with pytest.raises(UserError, match=r"train: 1 .* t-seating-.*: .*answer"):
        run(make(tmp_path), stages)
    assert stages.calls == ["check"]
    assert not (tmp_path / "out" / "data" / "solved.counts.json").exists()
    assert (tmp_path / "out" / "data" / "solved.jsonl").exists(), "the evidence stays"


def test_train_extends_a_training_recipe(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(
        "seed: 3\nmodel: {path: m, hub_id: me/m, dtype: bfloat16}\nlora: {r: 8, alpha: 4}\n"
    )
    (tmp_path / "r.yaml").write_text("extends: base.yaml\ndata: d\noutput: o\nsteps: 5\n")
    experiment = {
        "name": "e",
        "output": "out",
        "arms": ["srt"],
        "train_problems": [{"world": "seating", "n": 1}],
        "test_problems": [{"world": "seating", "n": 1}],
        "model": "m",
        "train": {"extends": "r.yaml", "steps": 7, "model": {"attn": "eager"}},
    }
    path = tmp_path / "e.yaml"
    path.write_text(yaml.safe_dump(experiment))
    expected = {"model": {"dtype": "bfloat16", "attn": "eager"}, "lora": {"r": 8, "alpha": 4}, "steps": 7}
    assert load_experiment(path).train == expected
    path.write_text(yaml.safe_dump(experiment | {"train": {"extends": "gone.yaml"}}))
    with pytest.raises(UserError, match=r"gone.yaml"):
        load_experiment(path)


def test_the_experiments_of_the_repository_are_read() -> None:
    recipes = Path(__file__).parents[3] / "recipes"
    read = {path.stem: load_experiment(path) for path in recipes.glob("*.yaml")}
    seven = read["r1-distill-seating"]
    assert seven.train["lora"] == {"r": 16, "alpha": 32}
    for launch in (seven.launch, seven.eval_launch):
        assert launch is not None
        assert (recipes.parent / launch).is_file()


def test_all_weights_by_one_override() -> None:
    """As the recipe's head says."""
    path = Path(__file__).parents[3] / "recipes" / "r1-distill-seating.yaml"
    full = load_experiment(path, ["train.extends=train/r1-distill-qwen-7b-full.yaml", "seeds=[4]"])
    assert "lora" not in full.train
    assert full.train["learning_rate"] == 1e-5
    assert full.seeds == [4]


def test_an_arm_with_a_ban_is_trained_once(tmp_path: Path) -> None:
    _, calls, _ = run(make(tmp_path, arms=["srt", "srt-ban-INFER"]))
    assert [call for call in calls if call.startswith(("train", "evaluate"))] == [
        "train srt-0",
        "evaluate srt-0 with runs/srt-0/model",
        "evaluate srt-ban-INFER-0 with runs/srt-0/model",
    ]


def test_what_a_training_would_refuse_is_found_before_the_first_one(tmp_path: Path) -> None:
    stages = Stages()
    stages.faults = {"srt-0": ["sequences are too long: 3"]}
    with pytest.raises(UserError, match=r"^srt: cannot be trained; srt: sequences are too long: 3$"):
        run(make(tmp_path), stages)
    assert not [call for call in stages.calls if call.startswith("train")]


def test_a_test_that_cannot_be_asked_is_found_before_anything_is_made(tmp_path: Path) -> None:
    class Refusing(Stages):
        def check_test(self, experiment: Experiment, problems: Path, benchmark: BenchmarkTest | None) -> None:
            raise UserError("problem 7 has a picture and no description")

    with pytest.raises(UserError, match="problem 7"):
        run(make(tmp_path), Refusing())
    assert not (tmp_path / "out").exists()


def test_benchmarks_are_tests_with_reports_of_their_own(tmp_path: Path) -> None:
    """Beside ``test_problems``, and instead of them; their problems are not trained on either."""
    generate_file("seating", 5, "test", tmp_path / "copy.jsonl", BOOTHS["spec"])
    asked: list[tuple[str, str | None, dict[str, str]]] = []

    class Importing(Stages):
        def import_problems(self, corpus: str, path: Path, out: Path, lang: Lang | None) -> None:
            assert (corpus, lang) == ("solidgeo", "en")
            write_records(out, read_records(path, Problem))

        def evaluate(self, evaluation: Evaluation) -> None:
            name = evaluation.benchmark and evaluation.benchmark.benchmark
            options = evaluation.benchmark.options if evaluation.benchmark else {}
            asked.append(("/".join(evaluation.out.parts[-3:]), name, options))

    bench = {"benchmark": "solidgeo", "data": str(tmp_path / "copy.jsonl"), "lang": "en", "options": {"steps": "on"}}
    away = {"benchmark": "hst", "data": "$SRT_NEVER_SET/hst", "needs": "SRT_NEVER_SET"}
    changes: dict[str, Any] = {"arms": ["srt"], "benchmarks": [bench, {**bench, "name": "again"}, away]}
    source = {**BOOTHS, "n": 60}
    done, _, said = run(make(tmp_path, train_problems=[source], **changes), Importing())
    assert asked == [
        ("tested/test/srt-0", None, {}),
        ("tested/solidgeo/srt-0", "solidgeo", {"steps": "on"}),
        ("tested/again/srt-0", "solidgeo", {"steps": "on"}),
    ]
    pages = [page.relative_to(tmp_path / "out" / "report").parts[0] for page in done.pages]
    assert pages == ["test", "solidgeo", "again"]
    assert "hst: is left out: SRT_NEVER_SET is not set" in said
    data = tmp_path / "out" / "data"
    assert not keys_of(data / "train.jsonl") & keys_of(data / "solidgeo.jsonl")
    only = make(tmp_path, output=str(tmp_path / "two"), test_problems=[], arms=["srt"], benchmarks=[bench])
    done, _, _ = run(only, Importing())
    assert done.pages == [tmp_path / "two" / "report" / "report.html"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"test_problems": []}, "test_problems, benchmarks: at least one"),
        ({"arms": ["srt"], "traces": {"cot": "taught"}}, "traces: cot: no arm"),
        ({"traces": {"answer": {"teach": "openai"}}}, "traces.answer: srt teach writes"),
        ({"train": {"steps": 1, "eval_steps": 5}}, "train: eval_steps: needs held_out"),
        ({"train": {"eval_data": "x"}}, "eval_data: must be left out"),
        ({"benchmarks": [{"benchmark": "hst", "data": "x"}] * 2}, "hst is listed more than once; give each a name"),
        ({"benchmarks": [{"benchmark": "hst", "data": "x", "name": "train"}]}, "train and test are taken"),
        ({"traces": {"srt": "no/such"}}, r"traces.srt: no/such: no such file; srt teach"),
    ],
)
def test_what_does_not_fit_together_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        run(make(tmp_path, **changes))
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
