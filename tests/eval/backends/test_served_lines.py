"""``--decode proved`` with a server: a scripted teacher whose third line is wrong at first; nothing goes uncounted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from eval.backends.protocol import GenerationSettings, Request
from eval.backends.server_backend import ServerBackend
from eval.backends.trace_grammar import trace_gbnf, trace_regex
from eval.decoding import verdicts
from eval.decoding.served_lines import LinesAsked
from eval.run.predict import predict
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Prediction
from srt.llm.config import EndpointConfig
from tests.eval.backends.served_answers import OPENS, SLIP, lessons

Run = Callable[..., list[Prediction]]


@pytest.fixture(autouse=True)
def _one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "cores_at_hand", lambda: 1)


@pytest.fixture
def run(fake_endpoint: ModuleType, tmp_path: Path) -> Run:
    """``run(answers)``: the predictions; ``keep``: so many of them are kept, and it is run again."""
    problems, path = tmp_path / "problems.jsonl", tmp_path / "run" / "predictions.jsonl"
    write_records(problems, [problem for problem, _ in lessons()])

    def start(answers: str, kind: str = "vllm", keep: int | None = None, **given: Any) -> list[Prediction]:
        faults = fake_endpoint.Faults(**{"prompt_text": "{asked}" + OPENS, **given.pop("faults", {})})
        settings = {"decode": {"proved": {"tokens": 2000}}, "max_new_tokens": 900, **given}
        with fake_endpoint.fake_process(
            responder=f"{Path(__file__).parent / 'served_answers.py'}:{answers}",
            log=tmp_path / "log",
            faults=faults,
            folder=tmp_path,
        ) as url:
            config = EndpointConfig.model_validate({"base_url": url, "in_flight": 8})
            backend = ServerBackend("m", config, reads_pictures=False, server_type=kind)  # type: ignore[arg-type]
            made = GenerationSettings.model_validate(settings)
            predict(problems, tmp_path / "run", backend, arm="srt", settings=made)
            if keep is not None:
                lines = path.read_bytes().splitlines(keepends=True)
                path.write_bytes(b"".join(lines[:keep]))
                predict(problems, tmp_path / "run", backend, arm="srt", settings=made)
        return list(read_records(path, Prediction))

    return start


def written(row: Prediction) -> int:
    assert row.output_tokens is not None
    return row.output_tokens


def answered(folder: Path) -> list[int]:
    """The server's own count of what it wrote, of each request."""
    entries = map(orjson.loads, (folder / "log").read_bytes().splitlines())
    return [entry["usage"]["completion_tokens"] for entry in entries if "answered" in entry]


@pytest.mark.parametrize("kind", ["vllm", "llama.cpp"])
def test_a_wrong_line_is_drawn_again(run: Run, tmp_path: Path, kind: str) -> None:
    rows = run("teach", kind)
    traces = [trace for _, trace in lessons()]
    assert {row.text for row in rows} == set(traces)
    assert {row.guided for row in rows} == {"proved"}
    counts = answered(tmp_path)
    assert sum(written(row) for row in rows) == sum(counts)
    again = 2 if kind == "vllm" else 1  # of several candidates in one request the first is wrong, too
    assert [row.tries for row in rows] == [again] * 4
    for row in rows:
        (gone,) = row.refused
        assert (gone.line, gone.times, row.text[: gone.at].count("\n")) == (SLIP, again, 2)
        assert gone.reason
    assert len(counts) == sum(trace.count("\n") + 2 for trace in traces), "a request for each line, and for one again"
    assert all((row.kept_tokens or 0) < written(row) for row in rows)


@pytest.mark.parametrize("kind", ["vllm", "llama.cpp"])
def test_the_budget_bounds_tokens_and_requests(run: Run, tmp_path: Path, kind: str) -> None:
    rows = run("stutter", kind, decode={"proved": {"tokens": 150}})
    counts = answered(tmp_path)
    assert {(row.guided, row.finish_reason) for row in rows} == {("not proved", "length")}
    assert all(written(row) <= 150 for row in rows)
    assert sum(written(row) for row in rows) == sum(counts)
    assert len(counts) <= 4 * 150


def test_what_is_written_is_not_asked_for_again(run: Run, tmp_path: Path) -> None:
    rows = run("teach", "llama.cpp", keep=3)
    assert {row.text for row in rows} == {trace for _, trace in lessons()}
    again = sum(answered(tmp_path)) - sum(written(row) for row in rows)
    assert again in {written(row) for row in rows}, "one problem was asked twice, from its beginning"


def test_a_server_that_shows_no_prompt_is_refused(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="return_prompt_text"):
        run("teach", faults={"prompt_text": None})
    assert len(answered(tmp_path)) == 4, "one request a problem"


@pytest.mark.parametrize(
    ("kind", "settings", "named"),
    [
        ("sglang", {}, "sglang"),
        ("vllm", {"decode": {"best": {"samples": 4}}}, "proved"),
    ],
)
def test_what_a_server_cannot_be_asked_for(run: Run, kind: str, settings: dict[str, Any], named: str) -> None:
    with pytest.raises(UserError, match=named):
        run("teach", kind, **settings)


@pytest.mark.parametrize("kind", ["vllm", "llama.cpp"])
def test_each_request_is_held_to_the_grammar_of_a_line(kind: str) -> None:
    config = EndpointConfig.model_validate({"base_url": "http://127.0.0.1:1/v1"})
    backend = ServerBackend("m", config, server_type=kind)  # type: ignore[arg-type]
    settings = GenerationSettings.model_validate({"grammar": "trace", "ban": "INFER", "decode": "proved"})
    request = Request(orjson.dumps({"messages": [{"role": "user", "content": "?"}]}).decode(), seed=5)
    first = backend.requests.line_body(request, settings, LinesAsked(0, "", 1, 50, sampled=False), None)
    later = backend.requests.line_body(request, settings, LinesAsked(1, "A\n", 3, 20, sampled=True), "?" + OPENS)
    for body in (first, later):
        if kind == "vllm":
            assert body["structured_outputs"] == {"regex": trace_regex(ban="INFER", line=True)}
        else:
            assert body["grammar"] == trace_gbnf(ban="INFER", line=True)
    assert (first["temperature"], later["temperature"]) == (0, 0.7)
    assert "seed" not in first
    assert later["seed"] != 5
    assert (later["prompt"], later["n"], later["max_tokens"]) == (f"?{OPENS}A\n", 3, 20)
    assert "messages" not in later
    assert later.get("add_special_tokens") is (False if kind == "vllm" else None)
