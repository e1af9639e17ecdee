"""What servers do that others do not: each run ends with the right status and the right counts, or with a line."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from eval.backends.protocol import GenerationSettings, Request
from eval.backends.server_backend import ServerBackend
from eval.records.run_records import read_manifest
from eval.run.predict import predict
from eval.scoring.score import score
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Prediction, Problem, Score
from srt.llm.config import EndpointConfig
from srt.llm.endpoint.client import EndpointClient

HERE = Path(__file__).parent
Serve = Callable[..., Any]


@pytest.fixture
def serve(fake_endpoint: Any, tmp_path: Path) -> Serve:
    """``with serve(faults, answers) as url``: a server with these faults, whose texts ``served_answers`` writes."""

    def start(faults: dict[str, Any], answers: str = "answer") -> Any:
        responder = f"{HERE / 'served_answers.py'}:{answers}"
        return fake_endpoint.fake_process(
            faults=fake_endpoint.Faults(**faults), responder=responder, log=tmp_path / "log", folder=tmp_path
        )

    return start


def backend(url: str, in_flight: int = 8, **options: Any) -> ServerBackend:
    return ServerBackend("m", EndpointConfig(base_url=url, in_flight=in_flight, timeout_s=60, retries=1), **options)


def rows(run: Path) -> list[Prediction]:
    return list(read_records(run / "predictions.jsonl", Prediction))


def statuses(run: Path) -> Counter[str]:
    score(run)
    return Counter(row.status for row in read_records(run / "scores.jsonl", Score))


@pytest.fixture
def six(make_problem: Callable[..., Problem], tmp_path: Path) -> Path:
    """Six problems whose right answer is B."""
    path = tmp_path / "six.jsonl"
    write_records(path, [make_problem(number) for number in (1, 2, 4, 5, 7, 8)])
    return path


CUT = GenerationSettings(max_new_tokens=50)
WHOLE = GenerationSettings(max_new_tokens=200)


@pytest.mark.parametrize("said_by", ["run", "server"])
def test_a_thought_that_the_template_opened(serve: Serve, six: Path, tmp_path: Path, said_by: str) -> None:
    """R1 without a reasoning parser: the draft in a cut thought is no answer."""
    faults = {"tokens": True, "prompt_text": "<|User|>...<|Assistant|><think>\n" if said_by == "server" else None}
    options = {"opens_thought": said_by == "run"}
    with serve(faults, "think") as url:
        predict(six, tmp_path / "cut", backend(url, **options), arm="r1", settings=CUT)
        predict(six, tmp_path / "whole", backend(url, **options), arm="r1", settings=WHOLE)
    assert {(row.finish_reason, row.thinking) for row in rows(tmp_path / "cut")} == {("length", "open")}
    assert statuses(tmp_path / "cut") == {"truncated": 6}
    assert {(row.finish_reason, row.thinking) for row in rows(tmp_path / "whole")} == {("stop", "closed")}
    assert statuses(tmp_path / "whole") == {"ok": 6}
    assert (
        read_manifest(tmp_path / "cut")
        .model["template_opens_thought"]
        .startswith("yes" if said_by == "run" else "where the server")
    )


def test_a_thought_that_nobody_spoke_of(serve: Serve, six: Path, tmp_path: Path) -> None:
    """Texts that close a think block which they did not open show that the template opens it."""
    with serve({"tokens": True}, "think") as url:
        predict(six, tmp_path / "run", backend(url), arm="r1", settings=WHOLE)
    assert statuses(tmp_path / "run") == {"ok": 6}
    mixed = [
        row.model_copy(update={"text": row.text[:200], "finish_reason": "length", "thinking": None}) if at < 2 else row
        for at, row in enumerate(rows(tmp_path / "run"))
    ]
    write_records(tmp_path / "run" / "predictions.jsonl", mixed)
    assert statuses(tmp_path / "run") == {"ok": 4, "truncated": 2}


def test_empty_replies_are_of_one_question_each(serve: Serve, problems_file: Path, tmp_path: Path) -> None:
    with serve({"rates": {"filtered": 0.2, "silent": 0.2}}) as url:
        predict(problems_file, tmp_path / "run", backend(url), arm="m")
        again = predict(problems_file, tmp_path / "run", backend(url), arm="m")
    assert again.generated == 0
    found = rows(tmp_path / "run")
    assert len(found) == 30
    filtered = [row for row in found if row.finish_reason == "error"]
    assert {row.error for row in filtered} == {"finish_reason: content_filter"}
    silent = [row for row in found if row.finish_reason == "stop" and not row.text]
    assert {row.output_tokens for row in silent} == {0}
    assert len(filtered) > 1
    assert len(silent) > 1
    counts = statuses(tmp_path / "run")
    assert counts == {"error": len(filtered), "no_answer": len(silent), "ok": 30 - len(filtered) - len(silent)}


def test_parameters_that_a_server_does_not_take(serve: Serve, problems_file: Path, tmp_path: Path) -> None:
    """Each is left out, one after the other, and the run says which, in the server's words."""
    refuses = {
        "temperature": "Unsupported value: 'temperature' does not support 0 with this model. Only 1 is supported.",
        "top_k": "Unrecognized request arguments supplied: min_p, repetition_penalty, top_k",
        "return_prompt_text": '{"type":"extra_forbidden","loc":["body","return_prompt_text"]}',
    }
    with serve({"refuses": refuses}) as url:
        predict(problems_file, tmp_path / "run", backend(url), arm="m")
    assert Counter(row.finish_reason for row in rows(tmp_path / "run")) == {"stop": 30}
    assert statuses(tmp_path / "run") == {"ok": 30}
    left_out = read_manifest(tmp_path / "run").model["left_out"]
    assert "temperature (status 400: Unsupported value: 'temperature' does not support 0" in left_out
    for name in ("min_p", "repetition_penalty", "return_prompt_text", "top_k"):
        assert f"{name} (" in left_out
    assert "top_p (" not in left_out
    refused = [entry for entry in map(orjson.loads, (tmp_path / "log").read_bytes().splitlines()) if entry.get("fault")]
    assert len(refused) <= 3 * 8, "only those in flight had to find out"


@pytest.mark.parametrize(
    "faults",
    [
        {"refuses": {"temperature": "temperature must be strictly positive"}},
        {"longest": 10},
        {"usage": "none"},
    ],
    ids=["value", "length", "no-counts"],
)
def test_a_server_that_refuses_all_alike(
    serve: Serve, problems_file: Path, tmp_path: Path, faults: dict[str, Any]
) -> None:
    words = {"refuses": "must be strictly positive", "longest": "maximum context length", "usage": "no usage"}
    with serve(faults) as url:
        with pytest.raises(UserError, match=rf"the first \d+ requests were all refused: .*{words[next(iter(faults))]}"):
            predict(problems_file, tmp_path / "run", backend(url), arm="m")
        assert rows(tmp_path / "run") == [], "nothing was written that would be kept"


def test_a_few_that_are_refused_alike(
    serve: Serve, make_problem: Callable[..., Problem], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some too long, among the first too: each is an error; what is left of a run may be just those."""
    path = tmp_path / "problems.jsonl"
    write_records(path, [make_problem(n, question=f"item {n}. " + "x" * (3000 if n < 6 else 10)) for n in range(20)])
    with serve({"longest": 2000}) as url:
        predict(path, tmp_path / "run", backend(url), arm="m")
        found = rows(tmp_path / "run")
        assert Counter(row.finish_reason for row in found) == {"stop": 14, "error": 6}
        write_records(tmp_path / "run" / "predictions.jsonl", [row for row in found if row.finish_reason == "stop"])
        predict(path, tmp_path / "run", backend(url), arm="m")
    assert Counter(row.finish_reason for row in rows(tmp_path / "run")) == {"stop": 14, "error": 6}
    assert all("maximum context length" in row.error for row in rows(tmp_path / "run") if row.error)


def test_no_default_of_the_checkpoint_leaks_in(serve: Serve, six: Path, tmp_path: Path) -> None:
    defaults = {
        "temperature": 0.6,
        "top_p": 0.8,
        "top_k": 20,
        "min_p": 0.05,
        "repetition_penalty": 1.05,
        "presence_penalty": 1.5,
        "frequency_penalty": 0.1,
    }
    with serve({"defaults": defaults}) as url:
        predict(six, tmp_path / "run", backend(url), arm="m")
    assert not any("sampled with" in row.text for row in rows(tmp_path / "run"))
    one = ServerBackend("m", EndpointConfig(base_url="http://127.0.0.1:9/v1"), server_type="llama.cpp")
    body = one.requests.body(Request('{"messages": [], "pictures": 0}'), GenerationSettings(), [])
    assert body["repeat_penalty"] == 1.0
    assert {"repetition_penalty", "return_prompt_text"}.isdisjoint(body)


def test_thinking_beside_the_completion_is_counted(serve: Serve, six: Path, tmp_path: Path) -> None:
    with serve({"usage": "beside"}) as url:
        predict(six, tmp_path / "beside", backend(url), arm="m")
    with serve({}) as url:
        predict(six, tmp_path / "plain", backend(url), arm="m")
    pairs = zip(
        *(sorted(rows(tmp_path / run), key=lambda row: row.problem_id) for run in ("beside", "plain")), strict=True
    )
    for beside, plain in pairs:
        assert beside.output_tokens == plain.output_tokens + 100
        assert (beside.reasoning_tokens, plain.reasoning_tokens) == (100, None)


def test_the_time_out_grows_with_the_answer(fake_endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    config = EndpointConfig(base_url="http://host/v1")
    assert (config.timeout_for(0), config.timeout_for(16_384)) == (120.0, 120 + 1638.4)
    assert config.model_copy(update={"timeout_s": 5.0}).timeout_for(16_384) == 5.0
    waited = []
    monkeypatch.setattr(EndpointConfig, "timeout_for", lambda self, tokens: waited.append(tokens) or 5.0)

    async def run() -> None:
        async with fake_endpoint.FakeEndpoint(faults=fake_endpoint.Faults(token_limit="max_completion_tokens")) as fake:
            client = EndpointClient(EndpointConfig(base_url=fake.url))
            body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "max_tokens": 777}
            await client.complete(body, "key")
            await client.close()

    asyncio.run(run())
    assert waited == [777, 777], "under either name of the budget"


def test_a_think_budget_is_vllms_own(serve: Serve, six: Path, tmp_path: Path) -> None:
    settings = GenerationSettings(max_new_tokens=50, think_budget=20)
    request = Request('{"messages": [], "pictures": 0}')
    assert (
        backend("http://127.0.0.1:9/v1", server_type="vllm").requests.body(request, settings, [])[
            "thinking_token_budget"
        ]
        == 20
    )
    words = "thinking_token_budget is set but reasoning_config is not configured. Please set --reasoning-parser"
    with (
        serve({"refuses": {"thinking_token_budget": words}}) as url,
        pytest.raises(UserError, match="reasoning_config"),
    ):
        predict(six, tmp_path / "run", backend(url, server_type="vllm"), arm="m", settings=settings)
