"""Servers that do not do what they are asked: the run ends with one line, or its manifest says what was served."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from eval.backends.protocol import Generation, GenerationSettings
from eval.backends.server_backend import ServerBackend
from eval.backends.server_replies import NotBelieved, require_counts
from eval.backends.trace_grammar import follows_grammar
from eval.records.run_records import read_manifest
from eval.run.predict import predict
from eval.scoring.score import score
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Prediction, Problem
from srt.llm.config import EndpointConfig
from srt.llm.llm_errors import RequestBlocked, RequestRejected
from srt.llm.request import Reply

HERE = Path(__file__).parent
Serve = Callable[..., Any]
TRACE = GenerationSettings(max_new_tokens=200, grammar="trace")


@pytest.fixture
def serve(fake_endpoint: Any, tmp_path: Path) -> Serve:
    """``with serve(faults, answers) as url``: a server with these faults, whose texts ``served_answers`` writes."""

    def start(faults: dict[str, Any], answers: str = "answer") -> Any:
        responder = f"{HERE / 'served_answers.py'}:{answers}"
        return fake_endpoint.fake_process(
            faults=fake_endpoint.Faults(**faults), responder=responder, log=tmp_path / "log", folder=tmp_path
        )

    return start


@pytest.fixture
def few(make_problem: Callable[..., Problem], tmp_path: Path) -> Path:
    """Six problems whose right answer is B."""
    path = tmp_path / "few.jsonl"
    write_records(path, [make_problem(number) for number in (1, 2, 4, 5, 7, 8)])
    return path


def backend(url: str, in_flight: int = 8, *, ends: dict[str, Any] | None = None, **options: Any) -> ServerBackend:
    config = EndpointConfig(base_url=url, in_flight=in_flight, timeout_s=60, retries=1, finish_reasons=ends or {})
    return ServerBackend("m", config, **options)


def rows(run: Path) -> list[Prediction]:
    return list(read_records(run / "predictions.jsonl", Prediction))


@pytest.mark.parametrize("settings", [TRACE, TRACE.model_copy(update={"max_new_tokens": 3})], ids=["whole", "cut"])
def test_a_grammar_that_is_ignored_ends_the_run(
    serve: Serve, few: Path, tmp_path: Path, settings: GenerationSettings
) -> None:
    with serve({"tokens": True}, "prose") as url, pytest.raises(UserError, match=r"grammar: .*server_type"):
        predict(few, tmp_path / "run", backend(url, server_type="vllm"), arm="m", settings=settings)
    assert rows(tmp_path / "run") == []


def test_a_ban_that_is_ignored_ends_the_run(serve: Serve, few: Path, tmp_path: Path) -> None:
    with serve({}, "trace") as url:
        predict(few, tmp_path / "free", backend(url, server_type="vllm"), arm="m", settings=TRACE)
        banned = TRACE.model_copy(update={"ban": "INFER"})
        with pytest.raises(UserError, match="grammar: "):
            predict(few, tmp_path / "banned", backend(url, server_type="vllm"), arm="m", settings=banned)
    assert len(rows(tmp_path / "free")) == 6
    assert rows(tmp_path / "banned") == []


@pytest.mark.parametrize(
    ("owner", "field"), [("vllm", "structured_outputs"), ("sglang", "regex"), ("llamacpp", "grammar")]
)
def test_the_server_says_what_it_is(serve: Serve, few: Path, tmp_path: Path, owner: str, field: str) -> None:
    with serve({"models": ["m"], "owned_by": owner}, "trace") as url:
        made = backend(url)
        predict(few, tmp_path / "run", made, arm="m", settings=TRACE)
    assert read_manifest(tmp_path / "run").model["server_type"].replace(".", "") == owner
    assert field in made.requests.body(_request(), TRACE, [])


def _request() -> Any:
    from eval.backends.protocol import Request

    return Request('{"messages": [], "pictures": 0}')


def test_a_server_that_does_not_say_what_it_is(serve: Serve, few: Path, tmp_path: Path) -> None:
    with serve({}, "trace") as url:
        with pytest.raises(UserError, match=r"grammar: .*server_type"):
            predict(few, tmp_path / "run", backend(url), arm="m", settings=TRACE)
        predict(few, tmp_path / "plain", backend(url), arm="m")
    assert len(rows(tmp_path / "plain")) == 6


def test_the_model_is_checked_and_recorded(serve: Serve, few: Path, tmp_path: Path, capsys: Any) -> None:
    with serve({"models": ["another"]}) as url, pytest.raises(UserError, match="serves another, not m"):
        predict(few, tmp_path / "run", backend(url), arm="m")
    with serve({"named": "m-2026-11-01"}) as url:
        predict(few, tmp_path / "dated", backend(url), arm="m")
    with serve({}) as url:
        predict(few, tmp_path / "same", backend(url), arm="m")
    dated, same = (read_manifest(tmp_path / run).model for run in ("dated", "same"))
    assert dated["served"] == "m-2026-11-01"
    assert "m-2026-11-01" in dated["warning"]
    assert "m-2026-11-01" in capsys.readouterr().err
    assert same["served"] == "m"
    assert "warning" not in same


@pytest.mark.parametrize("in_flight", [1, 8])
@pytest.mark.parametrize("count", [1, 6])
def test_nothing_refused_is_a_score(serve: Serve, few: Path, tmp_path: Path, in_flight: int, count: int) -> None:
    write_records(few, list(read_records(few, Problem))[:count])
    with serve({"longest": 1}) as url, pytest.raises(UserError, match=r"refused.*maximum context length"):
        predict(few, tmp_path / "run", backend(url, in_flight), arm="m")
    assert rows(tmp_path / "run") == []


@pytest.mark.parametrize(
    ("outcomes", "errors", "ends"),
    [
        ("aab", 1, False),
        ("a" + "b" * 7, 7, False),
        ("a" + "b" * 8, 0, True),
        ("ab" * 8, 8, False),
        ("abrb" * 4, 12, False),
    ],
)
def test_a_key_that_is_withdrawn_is_no_moderation(
    monkeypatch: pytest.MonkeyPatch, outcomes: str, errors: int, ends: bool
) -> None:
    """A few requests with 403 are errors; many in a row, to which nothing else came, are asked again."""
    kinds = {
        "a": lambda _: Generation("ANSWER: B", 40, 4, "stop", 0.1),
        "b": lambda number: RequestBlocked(f"m: status 403: not allowed (request {number})"),
        "r": lambda _: RequestRejected("m: status 400: too long"),
    }

    async def come(*_: Any) -> AsyncIterator[tuple[int, Any]]:
        for number, kind in enumerate(outcomes):
            yield number, kinds[kind](number)

    made = backend("http://host/v1")
    monkeypatch.setattr(made, "_outcomes", come)
    seen: Counter[str] = Counter()
    with pytest.raises(UserError, match="403") if ends else nullcontext():
        for _, (one,) in made.generate_batches([[_request()]] * len(outcomes), GenerationSettings()):
            seen[one.finish_reason] += 1
    assert seen == Counter(stop=outcomes.count("a"), error=errors)


def test_a_run_of_errors_has_no_score(serve: Serve, few: Path, tmp_path: Path) -> None:
    with serve({"rates": {"filtered": 1.0}}) as url:
        predict(few, tmp_path / "run", backend(url), arm="m")
    with pytest.raises(UserError, match=r"no score.*content_filter"):
        score(tmp_path / "run")


@pytest.mark.parametrize("word", ["eos_token", "STOP", "null"])
def test_words_for_stop(serve: Serve, few: Path, tmp_path: Path, word: str) -> None:
    with serve({"ends": word}) as url:
        predict(few, tmp_path / "run", backend(url), arm="m")
    assert Counter(row.finish_reason for row in rows(tmp_path / "run")) == {"stop": 6}


def test_a_word_that_nobody_knows(serve: Serve, few: Path, tmp_path: Path) -> None:
    with serve({"ends": "done"}) as url:
        with pytest.raises(UserError, match=r"finish_reasons: \{done: stop\}"):
            predict(few, tmp_path / "run", backend(url), arm="m")
        assert rows(tmp_path / "run") == []
        predict(few, tmp_path / "run", backend(url, ends={"done": "stop"}), arm="m")
    assert Counter(row.finish_reason for row in rows(tmp_path / "run")) == {"stop": 6}


def test_a_text_that_comes_as_a_thought_alone(serve: Serve, few: Path, tmp_path: Path) -> None:
    """It is read, and no tag is invented; where it is cut, it is an open thought."""
    with serve({"thought": True, "tokens": True}) as url:
        predict(few, tmp_path / "whole", backend(url), arm="m")
        cut = GenerationSettings(max_new_tokens=5)
        predict(few, tmp_path / "cut", backend(url), arm="m", settings=cut)
    assert {row.thinking for row in rows(tmp_path / "whole")} == {None}
    assert not any("think>" in row.text for row in rows(tmp_path / "whole"))
    assert score(tmp_path / "whole").accuracy.share == 1.0
    assert {(row.thinking, row.finish_reason) for row in rows(tmp_path / "cut")} == {("open", "length")}


def test_counts_that_cannot_be(serve: Serve, few: Path, tmp_path: Path) -> None:
    with serve({"usage": "few"}) as url, pytest.raises(UserError, match="usage counts 1 tokens"):
        predict(few, tmp_path / "run", backend(url), arm="m")


@pytest.mark.parametrize(
    ("text", "options", "follows"),
    [
        ("INFER #1: a\nANSWER: B", {}, True),
        ("INFER #1 - so it is\nANSWER: B\n", {}, True),
        ('CONSTRAIN (1) scene "Monthly Rose": a\nANSWER: B', {}, True),
        ("INFER #1: a\nSo.\nANSWER: B", {}, False),
        ("INFER #1: a\nINFER #1 - a\nANSWER: B", {}, False),
        ("INFER #1: a", {}, False),
        ("ANSWER: B", {}, False),
        ("", {}, False),
        ("INFER #1: a\nANSWER: B", {"ban": "INFER"}, False),
        ("CONSTRAIN #1: a\nINF", {"cut": True}, True),
        ("CONSTRAIN #1: a\nINF", {"cut": True, "ban": "INFER"}, False),
        ("CONSTRAIN #1: a\n", {"cut": True}, True),
        ("So the", {"cut": True}, False),
        ("INFER #1: a\n", {"line": True}, True),
        ("ANSWER: B", {"line": True}, True),
        ("So", {"line": True}, False),
        ("INFER " + "scene " * 5000 + "!", {}, False),
    ],
)
def test_what_follows_the_grammar(text: str, options: dict[str, Any], follows: bool) -> None:
    assert follows_grammar(text, **options) == follows


def test_a_prompt_without_tokens_and_a_text_beyond_its_limit() -> None:
    with pytest.raises(RequestRejected, match="prompt_tokens"):
        require_counts(reply_of(input_tokens=0), 16)
    with pytest.raises(NotBelieved, match="max_new_tokens"):
        require_counts(reply_of(output_tokens=100_000), 16)
    require_counts(reply_of(output_tokens=17), 16)
    require_counts(reply_of(output_tokens=500, reasoning_tokens=490), 16)  # thoughts beside what was asked for


def reply_of(**changes: Any) -> Reply:
    values: dict[str, Any] = {"text": "ANSWER: A", "input_tokens": 40, "output_tokens": 4, "finish_reason": "stop"}
    return Reply(**{**values, "counted": True, "seconds": 0.1, **changes})
