"""The taskset in the hands of verifiers' own commands, in an environment of its own: ``make test-verifiers``."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from srt.rewards import reward
from tests.environments.teacher import SETTINGS, TASKS, problems, reply
from tests.fake_endpoint import fake_process

pytestmark = pytest.mark.slow
A_WORLD = pytest.mark.parametrize("world", SETTINGS)


def command(name: str) -> str:
    folder = os.environ.get("SRT_VERIFIERS")
    path = Path(folder or "", "bin", name).absolute()
    if folder is None or not path.exists():
        pytest.skip("no environment of verifiers: make test-verifiers makes it")
    return str(path)


def run(*words: str, at: Path) -> str:
    """What one of verifiers' commands prints; ``uv``, with which it starts its chat program, is beside it."""
    path = f"{Path(words[0]).parent}:{os.environ['PATH']}"
    ours = {"PATH": path, "PYTHONPATH": "", "OUR_KEY": "none", "NO_COLOR": "1"}
    ran = subprocess.run(words, cwd=at, env={**os.environ, **ours}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    return ran.stdout


def which(world: str, taskset: str) -> list[str]:
    """The problems of the teacher; ``taskset`` is the option that leads to our configuration."""
    settings = json.dumps(SETTINGS[world])
    options = {"world": world, "num-tasks": str(TASKS), "settings": settings}
    return ["srt-environment", *(word for name, value in options.items() for word in (f"{taskset}.{name}", value))]


@A_WORLD
def test_the_evaluator_pays_what_we_pay(world: str, tmp_path: Path) -> None:
    evaluator = command("vf-eval")
    with fake_process(responder="tests.environments.teacher:respond") as url:
        run(
            evaluator, *which(world, "--env.taskset"), "-n", str(TASKS), "-r", "2", "--model", "teacher",
            "--client.base-url", url, "--client.api-key-var", "OUR_KEY",
            "--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess",
            "--no-push", "--no-rich", "-o", "out", "--run.dir", "run",
            at=tmp_path,
        )  # fmt: skip
    lines = (tmp_path / "out" / "run" / "traces.jsonl").read_text().splitlines()
    traces = [trace for line in lines for trace in json.loads(line)["traces"]]
    assert len(traces) == 2 * TASKS
    known = {problem.id: (number, problem) for number, problem in problems().values()}
    for trace in traces:
        number, problem = known[trace["task"]["data"]["id"]]
        paid = reward(problem, reply(number, problem))
        assert trace["rewards"]["proof"]["value"] == pytest.approx(paid.value)
        assert trace["metrics"]["prefix"] == pytest.approx(paid.prefix)
        assert paid.proved_and_right == (number % 3 < 2)


@A_WORLD
def test_the_exact_teacher_earns_it_all_and_an_empty_text_nothing(world: str, tmp_path: Path) -> None:
    run(
        command("vf-validate"), *which(world, "--taskset"), "-n", str(TASKS), "--runtime.type", "subprocess",
        "--no-rich", "-o", "out", "--run.dir", "run", at=tmp_path,
    )  # fmt: skip
    summary = json.loads((tmp_path / "out" / "run" / "summary.json").read_text())
    assert (summary["valid_rate"], summary["outcomes"]["valid"], summary["total"]) == (1.0, TASKS, TASKS)
