"""Arms x seeds of one experiment by several commands: each run is made once, and the last command compares."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from srt.experiment.experiment_recipe import Experiment
from srt.experiment.portion import Portion
from srt.experiment.run_experiment import run_experiment
from srt.io.errors import UserError
from tests.srt.experiment.fake_stages import FakeStages, make, run


def part(experiment: Experiment, stages: FakeStages, **chosen: Any) -> list[str]:
    """What the stages are asked for by one command."""
    begun = len(stages.calls)
    run_experiment(experiment, stages, lambda line: None, Portion(**chosen))
    return stages.calls[begun:]


def test_one_run_at_a_time_and_a_comparison(tmp_path: Path) -> None:
    experiment, stages = make(tmp_path, seeds=[0, 1]), FakeStages()
    assert part(experiment, stages, arms=["srt"], seeds=[1]) == [
        "check",
        "init 1",
        "train srt-1",
        "evaluate srt-1 with runs/srt-1/model",
    ]
    assert part(experiment, stages, arms=["srt"], seeds=[1]) == ["check"], "it is done"
    assert part(experiment, stages, arms=["base"], seeds=[0]) == ["check", "init 0", "evaluate base-0 with init-0"]
    begun = len(stages.calls)
    done, _, _ = run(experiment, stages)
    assert stages.calls[begun:] == [
        "check",
        "train answer-0",
        "train srt-0",
        "train answer-1",
        "evaluate base-1 with init-1",
        "evaluate answer-0 with runs/answer-0/model",
        "evaluate answer-1 with runs/answer-1/model",
        "evaluate srt-0 with runs/srt-0/model",
        "compare base-0 base-1 answer-0 answer-1 srt-0 srt-1",
    ]
    assert done.files == [tmp_path / "out" / "report" / "report.html"]


def test_what_it_says_is_what_was_evaluated(tmp_path: Path) -> None:
    done = run_experiment(make(tmp_path, seeds=[0, 1]), FakeStages(), lambda line: None, Portion(["srt"], [1]))
    assert done.files == [tmp_path / "out" / "tested" / "test"]
    assert "srt-1" in done.summaries[0]
    assert not (tmp_path / "out" / "result.json").exists()


def test_all_runs_at_the_same_time_in_an_empty_folder(tmp_path: Path) -> None:
    experiment = make(tmp_path, seeds=[0, 1])
    commands = [FakeStages() for _ in range(6)]
    runs = [(arm, seed) for arm in experiment.arms for seed in experiment.seeds]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda at: part(experiment, commands[at], arms=[runs[at][0]], seeds=[runs[at][1]]), range(6)))
    calls = [call for stages in commands for call in stages.calls if call != "check"]
    assert sorted(calls) == sorted(
        [
            *(f"init {seed}" for seed in (0, 1)),
            *(f"train {arm}-{seed}" for arm in ("answer", "srt") for seed in (0, 1)),
            *(f"evaluate base-{seed} with init-{seed}" for seed in (0, 1)),
            *(f"evaluate {arm}-{seed} with runs/{arm}-{seed}/model" for arm in ("answer", "srt") for seed in (0, 1)),
        ]
    )
    _, last, _ = run(experiment)
    assert last == ["check", "compare base-0 base-1 answer-0 answer-1 srt-0 srt-1"]
    assert not list((tmp_path / "out").rglob(".*.lock"))


def test_two_commands_with_the_same_run(tmp_path: Path) -> None:
    experiment = make(tmp_path, arms=["srt", "srt-ban-INFER"])
    training, waited_for = Event(), Event()

    class Slow(FakeStages):
        def train(
            self, recipe: Path, launch: Path | None, say: Callable[[str], None], until: int | None = None
        ) -> None:
            training.set()
            assert waited_for.wait(60)
            super().train(recipe, launch, say)

    def say(line: str) -> None:
        if line.startswith("waiting for another process, which trains srt, seed 0"):
            waited_for.set()

    first, second = Slow(), FakeStages()
    with ThreadPoolExecutor() as pool:
        one = pool.submit(run_experiment, experiment, first, lambda line: None, Portion(["srt"]))
        assert training.wait(60)
        run_experiment(experiment, second, say, Portion(["srt-ban-INFER"]))
        one.result()
    assert "train srt-0" in first.calls
    assert second.calls == ["check", "evaluate srt-ban-INFER-0 with runs/srt-0/model"]


def test_the_commands_that_can_run_side_by_side(tmp_path: Path) -> None:
    experiment = make(tmp_path, arms=["base", "srt", "cot", "srt-ban-INFER"], seeds=[3, 5])
    assert Portion().calls(experiment) == [
        "--arm base --seed 3",
        "--arm srt --arm srt-ban-INFER --seed 3",
        "--arm cot --seed 3",
        "--arm base --seed 5",
        "--arm srt --arm srt-ban-INFER --seed 5",
        "--arm cot --seed 5",
    ]
    (tmp_path / "m").mkdir()
    given = make(tmp_path, arms=["base", "srt"], seeds=[3, 5], model=str(tmp_path / "m"))
    assert Portion().calls(given) == ["--arm base --seed 3", "--arm srt --seed 3", "--arm srt --seed 5"]
    assert Portion(seeds=[5]).calls(given) == ["--arm srt --seed 5"]


def test_preparing_trains_nothing_and_is_done_once(tmp_path: Path) -> None:
    experiment, stages = make(tmp_path, seeds=[0, 1]), FakeStages()
    assert part(experiment, stages, prepare=True) == ["check", "init 0", "init 1"]
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "data").rglob("*")}
    part(experiment, stages, arms=["srt"], seeds=[0])
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "data").rglob("*")} == before


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"arms": ["cot"]}, "--arm: cot is not one of base, answer, srt"),
        ({"seeds": [7]}, "--seed: 7 is not one of 0"),
        ({"items": 100}, "--items .* no curve"),
    ],
)
def test_what_the_experiment_does_not_have(chosen: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=said):
        part(make(tmp_path), FakeStages(), **chosen)
    assert not (tmp_path / "out").exists()
