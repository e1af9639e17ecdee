"""An experiment whose stages outside the core library are played: which were called, in which order."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import yaml

from srt.corpora import import_file
from srt.experiment.experiment_blocks import BenchmarkTest, InitModel
from srt.experiment.experiment_reader import load_experiment
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.model_stages import Evaluation, LearningCost
from srt.experiment.run_experiment import ExperimentResult, run_experiment
from srt.io.errors import UserError
from srt.io.records import Lang

ROOT = Path(__file__).resolve().parents[3]


BOOTHS: dict[str, Any] = {"world": "seating", "n": 6, "spec": {"scenes": ["booth"], "names": 6}}


class FakeStages:
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
        self.learning: Sequence[LearningCost] = ()

    def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
        self._call("check")
        assert (experiment.output / "data").exists() <= (experiment.output / "experiment.json").exists()
        keys = {*experiment.train, "data", "output", "seed", "model", "logging"}
        assert set(recipe) - {"other_arms", "eval_data"} == keys

    def check_launch(self, launch: Path) -> None:
        if not launch.is_file():
            raise UserError(f"{launch}: no such accelerate file")

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
        self._report(evaluation.settings)
        if not (out / "scores").exists():
            self._call(f"evaluate {out.name} with {evaluation.trained.model.relative_to(out.parents[2])}")
            out.mkdir(parents=True)
            (out / "scores").touch()

    def compare(
        self,
        runs: list[Path],
        out: Path,
        title: str,
        reporting: Mapping[str, Any],
        warning: str | None,
        learning: Sequence[LearningCost],
    ) -> str:
        self._report(reporting)
        self.learning = learning
        self._call(f"compare {' '.join(run.name for run in runs)}")
        return title

    def _report(self, settings: Mapping[str, Any]) -> None:
        self.reported.append({key: value for key, value in settings.items() if key != "batch_size"})

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


def run(experiment: Experiment, stages: FakeStages | None = None) -> tuple[ExperimentResult, list[str], list[str]]:
    """What came out, what the stages were asked for, and what was said."""
    stages = stages or FakeStages()
    said: list[str] = []
    return run_experiment(experiment, stages, said.append), stages.calls, said
