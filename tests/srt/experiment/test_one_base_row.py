"""Three seeds against the weights that all of them start from: those are evaluated once, and all are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from eval.evaluation import run_evaluation
from eval.run.eval_recipe import make_eval_recipe
from srt.cli.experiment_stages import TrainAndEval
from srt.experiment.model_stages import Evaluation, LearningCost
from srt.io.problem_files import read_problems
from tests.srt.experiment.fake_stages import FakeStages, make, run

RIGHT = {"base-0": 2, "srt-0": 6, "srt-1": 5, "srt-2": 7}
"""How many of the eight test problems each run answers rightly."""


class PlayedModels(FakeStages):
    """Training is played; answers are those of ``RIGHT``, scored and compared by the real stages."""

    def evaluate(self, evaluation: Evaluation) -> None:
        out = evaluation.out
        self._call(f"evaluate {out.name}")
        problems = list(read_problems(evaluation.problems).values())
        rows = []
        for number, problem in enumerate(problems):
            assert problem.answer is not None
            letter = "".join(map(str, problem.answer.value)) if number < RIGHT[out.name] else "none"
            rows.append({"id": problem.id, "prediction": f"ANSWER: {letter}", "output_tokens": 10})
        out.parent.mkdir(parents=True, exist_ok=True)
        file = out.with_name(f"{out.name}.jsonl")
        file.write_bytes(b"\n".join(map(orjson.dumps, rows)))
        run_evaluation(
            make_eval_recipe(
                {
                    "backend": "file",
                    "predictions": file,
                    "model": str(evaluation.trained.model),
                    "problems": evaluation.problems,
                    "output": out,
                    "arm": evaluation.arm,
                }
            )
        )

    def compare(
        self,
        runs: list[Path],
        out: Path,
        title: str,
        reporting: Mapping[str, Any],
        warning: str | None,
        learning: Sequence[LearningCost],
    ) -> str:
        super().compare(runs, out, title, reporting, warning, learning)
        return TrainAndEval().compare(runs, out, title, reporting, warning, learning)


@pytest.mark.long
def test_three_seeds_are_compared_with_one_base(tmp_path: Path) -> None:
    given = tmp_path / "model"
    given.mkdir()
    (given / "weights").touch()
    test = {"world": "seating", "n": 8, "spec": {"names": 6}}
    done, calls, _ = run(
        make(tmp_path, arms=["base", "srt"], seeds=[0, 1, 2], model=str(given), test_problems=[test]), PlayedModels()
    )
    assert [call for call in calls if call.startswith("evaluate")] == [f"evaluate {name}" for name in RIGHT]
    comparison = orjson.loads((tmp_path / "out" / "report" / "comparison.json").read_bytes())
    assert {arm: len(runs) for arm, runs in comparison["runs"].items()} == {"base": 1, "srt": 3}
    [row] = comparison["differences"]
    assert (row["arm"], row["reference"], row["test"]) == ("srt", "base", "t")
    assert row["difference"] == (6 + 5 + 7) / 24 - 2 / 8
    assert "(+50.0 points" in done.summaries[0]
