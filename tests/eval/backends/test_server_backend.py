"""Against the fake endpoint, with faults: every answer is kept, each request is paid for once where it was answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import PIL.Image
import pytest

from eval.backends.protocol import GenerationSettings, Request
from eval.backends.server_backend import ServerBackend
from eval.evaluation import make_backend
from eval.run.eval_recipe import make_eval_recipe
from eval.run.predict import predict
from srt.images.open import describe_picture
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Prediction, Problem
from srt.language.prompts import prompt_messages
from srt.llm.config import EndpointConfig

HERE = Path(__file__).parent


def make(url: str | list[str], opens_thought: bool = False, **settings: Any) -> ServerBackend:
    config = EndpointConfig.model_validate({"base_url": url, "in_flight": 8, "timeout_s": 60, **settings})
    return ServerBackend("some-model", config, opens_thought=opens_thought)


def rows(folder: Path) -> list[Prediction]:
    return list(read_records(folder / "predictions.jsonl", Prediction))


@pytest.fixture
def serve(fake_endpoint: ModuleType, tmp_path: Path) -> Callable[..., Any]:
    """``with serve(faults={...}) as url``; what came is in ``tmp_path / "log.jsonl"``."""

    def start(faults: dict[str, Any] | None = None, delay: float = 0.0, answers: str = "answer") -> Any:
        made = None if faults is None else fake_endpoint.Faults(**faults)
        responder, log = f"{HERE / 'served_answers.py'}:{answers}", tmp_path / "log.jsonl"
        return fake_endpoint.fake_process(delay=delay, faults=made, responder=responder, log=log, folder=tmp_path)

    return start


def answered(log: Path) -> Counter[str]:
    """How often each request was answered, by its content."""
    entries = map(orjson.loads, log.read_bytes().splitlines())
    return Counter(entry["answered"] for entry in entries if "answered" in entry)


def test_a_run_through_faults(serve: Callable[..., Any], problems_file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    rates = {"rate_limit_after": 0.1, "error_500": 0.1, "cut": 0.05, "html": 0.05, "length": 0.1, "refusal": 0.1}
    settings = GenerationSettings(temperature=0.7, top_p=0.9)
    with serve({"rates": rates, "models": ["some-model"]}) as url:  # a list: a page is then a gateway's
        summary = predict(problems_file, run, make(url), arm="served", settings=settings, repeats=2)
        assert (summary.total, summary.generated) == (60, 60)
        again = predict(problems_file, run, make(url), arm="served", settings=settings, repeats=2)
    assert again.generated == 0
    found = rows(run)
    assert len({row.key for row in found}) == 60
    reasons = Counter(row.finish_reason for row in found)
    assert set(reasons) == {"stop", "length", "error"}
    assert all(row.input_tokens and row.output_tokens for row in found), "the server's own counts"
    assert {row.error for row in found if row.finish_reason == "error"} == {"refused: I cannot help with that."}
    whole = [row.text for row in found if row.finish_reason == "stop"]
    assert len(set(whole)) == len(whole), "each sample has a seed of its own"
    assert set(answered(tmp_path / "log.jsonl").values()) == {1}, "no answer was paid for twice"


def test_what_is_missing_is_told_and_asked_for_again(
    serve: Callable[..., Any], problems_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    monkeypatch.setattr("srt.llm.endpoint.client.wait_before", lambda *_: 0.0)
    with serve({"rates": {"error_500": 0.4}}) as url:
        with pytest.raises(UserError, match=r"of 30 .*status 500"):
            predict(problems_file, run, make(url, retries=0), arm="served")
        some = len(rows(run))
        assert 0 < some < 30
        made = predict(problems_file, run, make(url, retries=20), arm="served")
    assert made.generated == 30 - some
    assert len({row.key for row in rows(run)}) == len(rows(run)) == 30
    assert set(answered(tmp_path / "log.jsonl").values()) == {1}


def test_replicas(serve: Callable[..., Any], problems_file: Path, tmp_path: Path, capsys: Any) -> None:
    """One of three is not there, one is sick: nothing is missing; another order of the addresses is the same run."""
    run, gone = tmp_path / "run", "http://127.0.0.1:9/v1"
    with serve({"rates": {"html": 1.0}}, delay=0.02) as sick, serve(delay=0.02) as healthy:
        made = predict(problems_file, run, make([sick, gone, healthy]), arm="served")
        again = predict(problems_file, run, make([healthy, sick, f"{gone}/"]), arm="served")
    assert (made.generated, again.generated) == (30, 0)
    assert {row.finish_reason for row in rows(run)} == {"stop"}
    assert set(answered(tmp_path / "log.jsonl").values()) == {1}
    assert f"answers: {sick} 0 (out once), {gone} 0 (out once), {healthy} 30" in capsys.readouterr().err


def test_pictures_are_sent(serve: Callable[..., Any], make_problem: Callable[..., Problem], tmp_path: Path) -> None:
    PIL.Image.new("RGB", (8, 6), "red").save(tmp_path / "a.png")
    image = describe_picture(tmp_path, "a.png")
    problem = make_problem(1, images=[image])
    backend = make("http://127.0.0.1:9/v1")
    prompt = backend.render(prompt_messages(problem, "full", pictures=True), 1)
    body = backend.requests.body(Request(prompt), GenerationSettings(), ["data:image/png;base64,x"])
    assert [part["type"] for part in body["messages"][0]["content"]] == ["image_url", "text"]
    assert "seed" not in body, "greedy draws nothing"
    write_records(tmp_path / "problems.jsonl", [problem, make_problem(2, images=[image])])
    with serve() as url:
        predict(tmp_path / "problems.jsonl", tmp_path / "run", make(url), arm="served")
        (tmp_path / "a.png").write_bytes(b"no picture")
        with pytest.raises(UserError, match="a\\.png"):
            predict(tmp_path / "problems.jsonl", tmp_path / "other", make(url), arm="served")
    assert [row.finish_reason for row in rows(tmp_path / "run")] == ["stop", "stop"]


def test_faults_of_the_whole_run(serve: Callable[..., Any], problems_file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"127\.0\.0\.1:9"):
        predict(problems_file, tmp_path / "run", make("http://127.0.0.1:9/v1"), arm="served")
    with serve({"models": ["another"]}) as url:
        with pytest.raises(UserError, match="some-model"):
            predict(problems_file, tmp_path / "run2", make(url), arm="served")
        assert rows(tmp_path / "run2") == []
    for setting in ({"think_budget": 5}, {"max_pixels": 99}, {"ban": "INFER"}):
        served = ServerBackend("m", EndpointConfig(base_url="http://127.0.0.1:9/v1"), server_type="sglang")
        with pytest.raises(UserError, match=next(iter(setting))):
            served.plan([], GenerationSettings(**setting))


def test_the_other_name_of_the_budget_and_grammars(
    serve: Callable[..., Any], problems_file: Path, tmp_path: Path
) -> None:
    with serve({"token_limit": "max_completion_tokens"}) as url:
        predict(problems_file, tmp_path / "run", make(url), arm="served")
    assert {row.finish_reason for row in rows(tmp_path / "run")} == {"stop"}
    config, settings = (
        EndpointConfig(base_url="http://127.0.0.1:9/v1"),
        GenerationSettings(grammar="trace", ban="INFER"),
    )
    request = Request('{"messages": [], "pictures": 0}')
    for kind, field in (("vllm", "structured_outputs"), ("sglang", "regex"), ("llama.cpp", "grammar")):
        body = ServerBackend("m", config, server_type=kind).requests.body(request, settings, [])
        held = str(body[field])
        assert "CONSTRAIN" in held
        assert "INFER" not in held


def test_the_stamp_says_what_is_not_known() -> None:
    one, other = make("http://127.0.0.1:9/v1"), make("http://127.0.0.1:8/v1")
    assert one.fingerprint != other.fingerprint
    assert one.description["weights"].startswith("unknown")


def test_pictures_are_scaled_down_where_the_recipe_says_so() -> None:
    given = {"backend": "server", "base_url": "http://h/v1", "model": "m", "problems": "p.jsonl", "output": "o"}
    small, whole = (make_backend(make_eval_recipe(given | more)) for more in ({"max_side": 64}, {}))
    assert isinstance(small, ServerBackend)
    assert small._config.max_side == 64
    assert isinstance(whole, ServerBackend)
    assert small.fingerprint != whole.fingerprint
