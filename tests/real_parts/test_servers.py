"""The back end ``server``, teachers and judges with servers that are not ours: llama.cpp's, and ``transformers serve``.

A model of 135 million weights solves nothing here: what is asked is how a run goes, not how good the answers are.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from eval.run import predict as predict_module
from srt.io.append_log import AppendLog
from srt.io.record_reader import read_records
from srt.io.records import Prediction
from srt.language.text import MARKERS
from tests.real_parts.conftest import ALIAS, free_port, llama_cpp_process

pytestmark = [pytest.mark.slow, pytest.mark.real_server]
TOKENS = 32
LLAMA_CPP = ("--server-type", "llama.cpp")


def ask(srt: Any, url: str, name: str, problems: Path, out: Path, *more: object) -> Any:
    words = ("--backend", "server", "--base-url", url, "--model", name, "--problems", problems, "-o", out)
    return srt("eval", *words, "--in-flight", 2, "--max-new-tokens", TOKENS, "--prompt", "bare", *more)


def predictions(run: Path) -> list[Prediction]:
    return list(read_records(run / "predictions.jsonl", Prediction))


def first_words(text: str) -> set[str]:
    """The words that begin the whole lines of a text that may be cut."""
    return {line.split()[0].rstrip(":：") for line in text.splitlines()[:-1] if line.strip()}


def test_llama_cpp_answers_and_counts(srt: Any, llama_cpp: str, problems: Path, tmp_path: Path) -> None:
    done = ask(srt, llama_cpp, ALIAS, problems, tmp_path / "run", *LLAMA_CPP)
    assert done.status == 0, done.err
    for one in predictions(tmp_path / "run"):
        assert one.finish_reason in ("stop", "length")
        assert one.input_tokens > 40
        assert (one.output_tokens == TOKENS) == (one.finish_reason == "length")
        assert one.text


def test_transformers_serve_answers_without_what_it_does_not_take(
    srt: Any, transformers_serve: str, model: Path, problems: Path, tmp_path: Path
) -> None:
    done = ask(srt, transformers_serve, str(model), problems, tmp_path / "run")
    assert done.status == 0, done.err
    for one in predictions(tmp_path / "run"):
        assert one.finish_reason in ("stop", "length")
        assert 0 < one.output_tokens <= TOKENS
    left_out = json.loads((tmp_path / "run" / "run.json").read_text())["model"]["left_out"]
    assert all(name in left_out for name in ("top_k", "min_p", "repetition_penalty"))


def test_a_grammar_is_kept_and_a_word_is_banned(srt: Any, llama_cpp: str, problems: Path, tmp_path: Path) -> None:
    held = ("--grammar", "trace", "--ban", "INFER")
    done = ask(srt, llama_cpp, ALIAS, problems, tmp_path / "run", *LLAMA_CPP, *held)
    assert done.status == 0, done.err
    texts = [one.text for one in predictions(tmp_path / "run")]
    words = {word for markers in MARKERS.values() for word in markers.values()}
    banned = {markers["INFER"] for markers in MARKERS.values()}
    assert all(any(text.startswith(word) for word in words - banned) for text in texts)
    assert not any(word in text for text in texts for word in banned)


def test_a_server_without_grammars_is_not_taken_for_one(
    srt: Any, transformers_serve: str, model: Path, problems: Path, tmp_path: Path
) -> None:
    """``transformers serve`` refuses the field: the run ends with one line, and nothing is written."""
    done = ask(srt, transformers_serve, str(model), problems, tmp_path / "run", "--grammar", "trace")
    assert done.status == 2
    assert done.err.splitlines()[-1].startswith("srt: ")
    assert "Traceback" not in done.err
    assert not (tmp_path / "run" / "predictions.jsonl").exists() or not predictions(tmp_path / "run")


def test_a_name_that_the_server_does_not_serve(srt: Any, llama_cpp: str, problems: Path, tmp_path: Path) -> None:
    """llama.cpp answers to any name, with the model that it has."""
    done = ask(srt, llama_cpp, "another-model", problems, tmp_path / "run", *LLAMA_CPP)
    assert done.status == 2
    assert "another-model" in done.err
    assert ALIAS in done.err


def test_killed_and_started_again(srt: Any, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server dies when the first answer is on disk; started again, it is asked for the others alone."""
    port, run = free_port(), tmp_path / "run"
    server = llama_cpp_process(tmp_path / "log", port)
    written = AppendLog.append

    def then_it_dies(log: AppendLog, *records: Any) -> None:
        written(log, *records)
        server.kill()

    (tmp_path / "recipe.yaml").write_text("retries: 1\n")
    more = (*LLAMA_CPP, "--config", tmp_path / "recipe.yaml")
    with monkeypatch.context() as dying:
        dying.setattr(predict_module.AppendLog, "append", then_it_dies)
        broken = ask(srt, server.url, ALIAS, problems, run, *more, "--in-flight", 1)
    assert broken.status == 2
    assert "Traceback" not in broken.err
    before = (run / "predictions.jsonl").read_bytes()
    assert before.count(b"\n") == 1
    again = llama_cpp_process(tmp_path / "log", port)
    try:
        done = ask(srt, again.url, ALIAS, problems, run, *more, "--in-flight", 1)
    finally:
        again.kill()
    assert done.status == 0, done.err
    assert (run / "predictions.jsonl").read_bytes().startswith(before)
    assert len({one.key for one in predictions(run)}) == 4


def test_a_teacher(srt: Any, llama_cpp: str, problems: Path, tmp_path: Path) -> None:
    """Every problem ends in a state, and the costs are tokens times prices."""
    roles = {role: {"model": ALIAS, "temperature": 0, "max_tokens": 64} for role in ("teacher", "reviewer", "checker")}
    config = {
        "endpoint": {"base_url": llama_cpp, "in_flight": 2, "timeout_s": 900},
        "models": roles,
        "prices": {ALIAS: {"input": 1.0, "output": 10.0}},
        "rounds": 2,
        "solve_without_solution": True,
    }
    (tmp_path / "teach.yaml").write_text(yaml.safe_dump(config))
    done = srt("teach", problems, "-o", tmp_path / "taught", "--config", tmp_path / "teach.yaml", "--json")
    assert done.status == 0, done.err
    found = orjson.loads(done.out)
    assert found["states"]["pending"] == 0
    assert sum(found["states"].values()) == 4
    assert found["lost"] == 0
    assert found["accounts"]
    for used in found["accounts"]:
        assert used["cost"] == pytest.approx((used["input_tokens"] + 10 * used["output_tokens"]) / 1e6)
    assert found["cost"] == pytest.approx(sum(used["cost"] for used in found["accounts"]))


def test_a_judge(srt: Any, llama_cpp: str, problems: Path, tmp_path: Path) -> None:
    ask(srt, llama_cpp, ALIAS, problems, tmp_path / "run", *LLAMA_CPP)
    config = {
        "endpoint": {"base_url": llama_cpp, "in_flight": 2, "timeout_s": 900},
        "model": {"model": ALIAS, "temperature": 0, "max_tokens": 64},
        "price": {"input": 1.0, "output": 10.0},
    }
    (tmp_path / "judge.yaml").write_text(yaml.safe_dump(config))
    done = srt("ask-judge", tmp_path / "run", "--config", tmp_path / "judge.yaml", "--json")
    assert done.status == 0, done.err
    found = orjson.loads(done.out)
    assert found["asked"] + found["without_text"] == 4
    assert found["judged"] + sum(found["no_judgement"].values()) == found["asked"]


def test_the_environment_of_verifiers(llama_cpp: str, tmp_path: Path) -> None:
    """``vf-eval`` asks the server and pays by our rewards."""
    folder = os.environ.get("SRT_VERIFIERS")
    if folder is None or not Path(folder, "bin", "vf-eval").exists():
        pytest.skip("NOT CHECKED with real parts: SRT_VERIFIERS has no vf-eval; make test-verifiers installs verifiers")
    ran = subprocess.run(
        [
            Path(folder, "bin", "vf-eval").absolute(), "srt-environment", "--env.taskset.world", "routes",
            "--env.taskset.num-tasks", "2", "-n", "2", "-r", "1", "--model", ALIAS,
            "--sampling.max-tokens", "64",
            "--client.base-url", llama_cpp, "--client.api-key-var", "OUR_KEY", "--env.agent.harness.id", "null",
            "--env.agent.runtime.type", "subprocess", "--no-push", "--no-rich", "-o", "out", "--run.dir", "run",
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": f"{Path(folder, 'bin').absolute()}:{os.environ['PATH']}", "PYTHONPATH": "",
             "OUR_KEY": "none", "NO_COLOR": "1"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    lines = (tmp_path / "out" / "run" / "traces.jsonl").read_text().splitlines()
    traces = [trace for line in lines for trace in json.loads(line)["traces"]]
    assert len(traces) == 2
    assert all(0 <= trace["rewards"]["proof"]["score"] <= 1 for trace in traces)
