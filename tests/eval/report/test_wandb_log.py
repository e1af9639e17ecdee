"""What W&B is sent of scores and comparisons: read back from real offline runs."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import eval.evaluation
from eval.backends.protocol import GenerationSettings
from eval.report.compare import compare
from eval.report.wandb_log import EXAMPLES, log_scores
from eval.run.eval_recipe import make_eval_recipe
from eval.run.scored_run import read_run
from eval.run.wandb_settings import WandbSettings
from eval.scoring.score import score
from srt.cli import make_app
from srt.io.errors import UserError
from srt.io.record_writer import write_records
from tests.fake_backend import FakeBackend
from tests.wandb_offline import OfflineRun, read_offline_run

MakeRun = Callable[..., Path]

PROVED = "INFER A: options = {B}\nANSWER: B"
OFFLINE = WandbSettings(report_to="wandb", project="booths", group="e", run_name="e/srt/0", wandb_mode="offline")


def answers(number: int) -> str:
    return PROVED if number % 2 else "ANSWER: A"


def as_rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]


def test_scores_tables_and_examples_with_their_verdicts(make_run: MakeRun) -> None:
    folder = make_run("srt", answers)
    summary = score(folder)
    log_scores(OFFLINE, read_run(folder), summary)
    sent = read_offline_run(folder)
    named = (sent.run.project, sent.run.run_group, sent.run.display_name, sent.run.job_type)
    assert named == ("booths", "e", "e/srt/0", "eval")
    (row,) = sent.rows
    assert row["accuracy"] == summary.accuracy.share
    assert row["output_tokens/mean"] == summary.output_tokens.mean
    assert row["traces/proved"] == summary.traces.proved.share
    assert row["traces/computed"] == summary.traces.computed.share
    assert row["by/scene/hexagon"] == summary.by["scene"]["hexagon"].share
    examples = as_rows(sent.tables["examples"])
    assert [each["problem"] for each in examples] == [f"made-{number}" for number in range(30)]
    assert examples[1]["output"] == PROVED
    assert (examples[1]["gold"], examples[1]["answer"], examples[1]["score"]) == ("B", "B", 1.0)
    assert "item 1." in examples[1]["question"]
    assert examples[1]["verdicts"]
    assert examples[0]["verdicts"] == ""


def test_a_comparison(make_run: MakeRun, tmp_path: Path) -> None:
    folders = [make_run("base", lambda number: "ANSWER: D"), make_run("srt", answers)]
    made = compare(folders, tmp_path / "report", wandb=OFFLINE.model_copy(update={"run_name": None}))
    sent = read_offline_run(tmp_path / "report")
    assert (sent.run.display_name, sent.run.job_type) == ("report", "compare")
    arms = as_rows(sent.tables["arms"])
    assert [(each["arm"], each["accuracy"]) for each in arms] == [(a.arm, a.accuracy.share) for a in made.arms]
    (difference,) = as_rows(sent.tables["differences"])
    assert (difference["arm"], difference["points"]) == ("srt", 100 * made.differences[0].difference)
    examples = as_rows(sent.tables["examples"])
    assert {each["arm"] for each in examples} == {"base", "srt"}
    assert sent.rows[0]["srt/accuracy"] == made.arms[1].accuracy.share


def test_many_problems_are_not_all_shown(make_run: MakeRun, make_problem: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    write_records(file, [make_problem(number) for number in range(EXAMPLES + 7)])
    folder = make_run("srt", answers, problems=file)
    log_scores(OFFLINE, read_run(folder), score(folder))
    assert len(read_offline_run(folder).tables["examples"]["data"]) == EXAMPLES


def test_the_commands(make_run: MakeRun, tmp_path: Path) -> None:
    run: OfflineRun
    out = tmp_path / "report"
    asked = ["compare", str(make_run("srt", answers)), "-o", str(out), "--report-to", "wandb", "--run-name", "e/all"]
    result = CliRunner().invoke(make_app(), [*asked, "--wandb-mode", "offline", "--project", "p", "--group", "e"])
    assert result.exit_code == 0, result.output
    run = read_offline_run(out)
    assert (run.run.project, run.run.run_group, run.run.display_name) == ("p", "e", "e/all")


def test_an_evaluation_is_reported(problems_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval.evaluation, "make_backend", lambda recipe: FakeBackend(lambda prompt: PROVED))
    monkeypatch.setattr(eval.evaluation, "_settings", lambda recipe: GenerationSettings(max_new_tokens=100))
    wandb = {"report_to": "wandb", "wandb_mode": "offline", "group": "e", "run_name": "e/srt/0"}
    (tmp_path / "m").mkdir()
    model = str(tmp_path / "m")
    recipe = make_eval_recipe({"model": model, "problems": problems_file, "output": tmp_path / "run", **wandb})
    eval.evaluation.run_evaluation(recipe)
    sent = read_offline_run(tmp_path / "run")
    assert (sent.run.run_group, sent.run.display_name) == ("e", "e/srt/0")
    assert len(sent.tables["examples"]["data"]) == 30


def test_nothing_is_sent_unless_asked(make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import wandb

    monkeypatch.setattr(wandb, "init", lambda **_: pytest.fail("nobody asked"))
    folder = make_run("srt", answers)
    compare([folder], tmp_path / "report")
    recipe = {"model": "m", "problems": "p", "output": "o"}
    assert make_eval_recipe(recipe).report_to is None


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"project": "p"}, "project: read only with report_to: wandb"),
        ({"report_to": "mlflow"}, "report_to: 'wandb' was expected, not 'mlflow'"),
        ({"report_to": "wandb", "wandb_mode": "sometimes"}, "wandb_mode: .*'online' or 'offline'"),
    ],
)
def test_faults_are_found_before_anything_is_generated(given: dict[str, str], fault: str) -> None:
    with pytest.raises(UserError, match=fault):
        make_eval_recipe({"model": "m", "problems": "p", "output": "o", **given})


def test_without_the_package_or_a_login(make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import wandb

    folder = make_run("srt", answers)

    def refuse(**_: Any) -> None:
        raise wandb.errors.UsageError("No API key configured.\nUse `wandb login` to log in.")

    monkeypatch.setattr(wandb, "init", refuse)
    with pytest.raises(UserError, match=r"No API key .*complete in .*report.*wandb_mode: offline"):
        compare([folder], tmp_path / "report", wandb=WandbSettings(report_to="wandb"))
    assert (tmp_path / "report" / "report.html").exists()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="pip install wandb"):
        compare([folder], tmp_path / "other", wandb=WandbSettings(report_to="wandb"))
    assert not (tmp_path / "other").exists()
