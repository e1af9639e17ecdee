"""``srt experiment RECIPE --tiny``: every recipe of a large model is rehearsed here, from import to report."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import PIL.Image
import pytest

from srt.corpora import import_file
from srt.experiment.experiment_blocks import BenchmarkTest, InitModel
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_reader import load_experiment
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.model_stages import Evaluation, LearningCost, RunFigures, TrainedTokens
from srt.experiment.rehearsal.drawn_mathspatial import draw_mathspatial
from srt.experiment.rehearsal.tiny_experiment import tiny_experiment
from srt.experiment.run_experiment import run_experiment
from srt.experiment.stand_in_teacher import STAND_IN
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Lang, Problem
from srt.io.records import Sequence as TrainingSequence
from srt.language.trace import Trace
from train.recipe_reader import make_recipe

ROOT = Path(__file__).resolve().parents[3]
LARGE = ("r1-distill-seating", "r1-distill-mathspatial", "qwen2.5-vl-mathspatial")


class DataOnly:
    """Stages that train nothing and ask nothing."""

    def __init__(self) -> None:
        self.warning: str | None = None
        self.evaluated: list[Evaluation] = []

    def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
        assert make_recipe(recipe, "train").steps in range(1, 11)
        assert "hub" not in recipe or recipe["hub"] is None

    def check_launch(self, launch: Path) -> None:
        pass

    def reads_pictures(self, model: Path | InitModel) -> bool:
        return isinstance(model, InitModel) and model.arch == "qwen2_5_vl"

    def import_problems(self, corpus: str, path: Path, out: Path, lang: Lang | None) -> None:
        import_file(corpus, path, out, lang=lang)

    def check_test(self, experiment: Experiment, problems: Path, benchmark: BenchmarkTest | None) -> None:
        pass

    def init_model(self, spec: InitModel, texts: Iterator[str], seed: int, out: Path) -> None:
        assert any(texts)
        out.mkdir()

    def preflight(self, recipe: Path, launch: Path | None) -> list[str]:
        assert launch is None
        return []

    def train(self, recipe: Path, launch: Path | None, say: Callable[[str], None], until: int | None = None) -> None:
        assert launch is None

    def tokens_until(self, recipe: Path, steps: Sequence[int]) -> list[TrainedTokens]:
        raise AssertionError("no curve")

    def figures(self, run: Path) -> RunFigures:
        assert run.parent.name == "probe"
        return RunFigures("0", 1.0, 0.0, 0.0, {})

    def evaluate(self, evaluation: Evaluation) -> None:
        self.evaluated.append(evaluation)

    def compare(
        self,
        runs: list[Path],
        out: Path,
        title: str,
        reporting: Mapping[str, Any],
        warning: str | None,
        learning: Sequence[LearningCost],
    ) -> str:
        assert not reporting
        self.warning = warning
        return title


@pytest.fixture(autouse=True)
def nothing_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, without a corpus, a model or a key."""
    monkeypatch.chdir(tmp_path)
    for name in ("MATHSPATIAL", "SRT_SPACE2025", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def rehearsed(name: str, *changes: str) -> tuple[DataOnly, ExperimentFolder, str]:
    experiment = tiny_experiment(load_experiment(Path(name), changes))
    stages = DataOnly()
    done = run_experiment(experiment, stages, lambda line: None, tiny=True)
    return stages, ExperimentFolder(experiment.output), done.summaries[0]


def built(folder: ExperimentFolder, arm: str) -> list[TrainingSequence]:
    return list(read_records(folder.sequences(arm), TrainingSequence))


@pytest.mark.parametrize("name", LARGE)
def test_the_data_of_every_large_recipe(name: str) -> None:
    stages, folder, title = rehearsed(name)
    arms = ["answer", "cot", "srt", *(f"srt-drop-{op}" for op in ("CORRELATE", "CONSTRAIN", "INFER"))]
    ids = {arm: [one.problem_id for one in built(folder, arm)] for arm in arms}
    assert len(ids["srt"]) == 24
    assert all(ids[arm] == ids["srt"] for arm in arms)
    assert [one.arm for one in stages.evaluated] == ["base", *arms]
    assert title.startswith("TINY REHEARSAL, figures mean nothing: ")
    assert "No figure here means anything" in str(stages.warning)
    assert folder.root == Path("runs") / f"{name}-tiny"
    assert len(list(read_records(stages.evaluated[0].problems, Problem))) == 8
    for arm in ("srt", "cot") if "mathspatial" in name else ():
        taught = list(read_records(folder.taught(arm) / "traces.jsonl", Trace))
        assert {trace.teacher for trace in taught} == {STAND_IN}


def test_a_model_that_reads_no_pictures_gets_them_in_words() -> None:
    stages, folder, _ = rehearsed("r1-distill-mathspatial")
    assert all(STAND_IN in one.prompt[0].content and not one.images for one in built(folder, "srt"))
    tested = list(read_records(stages.evaluated[0].problems, Problem))
    assert all(problem.images and STAND_IN in str(problem.diagram_description) for problem in tested)


def test_a_vision_model_gets_the_pictures() -> None:
    stages, folder, _ = rehearsed("qwen2.5-vl-mathspatial")
    # The base is asked within the limits that the others were trained with.
    assert {one.settings["max_pixels"] for one in stages.evaluated} == {802816}
    for one in built(folder, "srt"):
        assert STAND_IN not in one.prompt[0].content
        assert len(one.images) == 2
        assert all((folder.data / image.path).is_file() for image in one.images)


def test_what_an_exact_world_solves_is_not_taught() -> None:
    stages, folder, _ = rehearsed("qwen2.5-vl-views-mathspatial")
    teachers = {one.problem_id: one.trace_id for one in built(folder, "srt")}
    assert len(teachers) == 48
    for arm in ("srt", "cot"):
        taught = {trace.problem_id for trace in read_records(folder.taught(arm) / "traces.jsonl", Trace)}
        assert len(taught) == 24
        assert not [name for name in taught if name.startswith("views")]
        assert {one.problem_id for one in built(folder, arm)} == {*taught, *(n for n in teachers if "views" in n)}
    assert {one.problems.stem for one in stages.evaluated} == {"test", "mathspatial"}
    assert all(one.images for one in built(folder, "answer"))


@pytest.mark.parametrize("name", ["views-demo", "views-one-gpu"])
def test_the_data_of_a_recipe_of_views(name: str) -> None:
    stages, folder, _ = rehearsed(name)
    assert [one.out.name for one in stages.evaluated] == ["answer-0", "base-0", "answer-0", "cot-0", "srt-0"]
    # Pictures are not made smaller: a square stays a token.
    largest = stages.evaluated[1].settings.get("max_pixels", 64 * 28 * 28)
    for one in (*built(folder, "srt"), *built(folder, "probe")):
        width, height = PIL.Image.open(folder.data / one.images[0].path).size
        assert width * height <= largest
        assert width % 28 == height % 28 == 0


def test_what_is_there_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own copy instead of drawn problems, and traces that were taught."""
    draw_mathspatial(tmp_path / "copy", {"corpus": 5, "benchmark": 3})
    row = tmp_path / "copy" / "corpus" / "question00001" / "data.json"
    row.write_bytes(orjson.dumps(orjson.loads(row.read_bytes()) | {"question": "我自己的题：体积是____。"}))
    monkeypatch.setenv("MATHSPATIAL", str(tmp_path / "copy"))
    stages, folder, _ = rehearsed("qwen2.5-vl-mathspatial")
    assert "我自己的题" in built(folder, "cot")[0].prompt[0].content
    assert len(list(read_records(stages.evaluated[0].problems, Problem))) == 3
    assert not list(tmp_path.rglob("*-drawn"))
    taught = folder.taught("srt").rename(tmp_path / "mine")
    other = ["output=runs/again", f"traces.srt=[{taught}]", "traces.cot=not/there"]
    _, again, _ = rehearsed("qwen2.5-vl-mathspatial", *other)
    assert built(again, "srt") == built(folder, "srt")
    assert not again.taught("srt").exists()
    assert again.taught("cot").exists()


def test_a_model_that_is_not_there_must_be_named() -> None:
    with pytest.raises(UserError, match=r"tiny.model: models/.* is not there.*arch: qwen2"):
        tiny_experiment(load_experiment(Path("r1-distill-seating"), ["tiny.model=null"]))
    Path("m").mkdir()
    Path("m/config.json").write_text('{"model_type": "llama"}')
    tiny = tiny_experiment(load_experiment(Path("r1-distill-seating"), ["tiny.model=null", "model=m"]))
    assert isinstance(tiny.model, InitModel)
    assert tiny.model.arch == "llama"


def test_a_real_run_asks_for_the_key_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATHSPATIAL", str(tmp_path / "MathSpatial"))
    for part in ("corpus", "benchmark"):
        (tmp_path / "MathSpatial" / part).mkdir(parents=True)
    Path("models/Qwen2.5-VL-7B-Instruct").mkdir(parents=True)
    experiment = load_experiment(Path("qwen2.5-vl-mathspatial"))
    stages = DataOnly()
    stages.check = lambda *_: None  # type: ignore[method-assign]
    with pytest.raises(UserError, match="OPENAI_API_KEY is not set"):
        run_experiment(experiment, stages, lambda line: None)
    assert not experiment.output.exists()


def really(name: str, *options: str) -> str:
    command = [sys.executable, "-c", "from srt.cli import main; main()", "experiment", name, "--tiny", *options]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.slow
def test_one_for_real() -> None:
    """Pictures, LoRA, a stand-in's traces, a benchmark: all stages as a user runs them, with two arms."""
    said = really("qwen2.5-vl-mathspatial", "--set", "arms=[base, cot, srt-drop-INFER]", "--set", "tiny.train.steps=2")
    assert "# TINY REHEARSAL, figures mean nothing: qwen2.5-vl-mathspatial" in said
    page = Path("runs/qwen2.5-vl-mathspatial-tiny/report/report.html").read_text()
    assert 'class="warning"' in page
    assert "MathSpatial-Bench" in page
    # Again: nothing is done twice.
    assert "step 1" not in really(
        "qwen2.5-vl-mathspatial", "--set", "arms=[base, cot, srt-drop-INFER]", "--set", "tiny.train.steps=2"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", [*LARGE, "qwen2.5-vl-views-mathspatial", "demo", "views-demo", "views-one-gpu"])
def test_every_recipe_for_real(name: str) -> None:
    assert "TINY REHEARSAL" in really(name)
    pages = list(Path(f"runs/{name}-tiny/report").rglob("report.html"))  # with several tests, one for each
    assert pages
    removed = "srt-drop-INFER" in load_experiment(Path(name)).arms
    assert {"What each part of a trace is worth" in page.read_text() for page in pages} == {removed}


@pytest.mark.slow
def test_all_weights_for_real() -> None:
    assert "TINY REHEARSAL" in really(
        "qwen2.5-vl-mathspatial",
        "--set",
        "train.extends=train/qwen2.5-vl-7b-full.yaml",
        "--set",
        "arms=[base, cot, srt]",
    )
