"""How well the Reviewer finds faults: the traces shown, the opinions, and the figures counted from them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import orjson
import pytest

from srt.cli import main
from srt.io.errors import UserError
from srt.io.jsonl import read_records, write_records
from srt.io.problem_files import read_problems
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import Trace
from srt.llm import journaled_client
from srt.llm.exchange import LlmContext, Outcome
from srt.llm.journal import Journal
from srt.llm.llm_errors import BudgetSpent
from srt.llm.prompt_templates import token_of
from srt.llm.request import LlmRequest, Reply
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from srt.teaching.case_store.case_records import Issue
from srt.teaching.loop.reviewer import candidate_text
from srt.teaching.reviewer_agreement import (
    Opinion,
    ShownTrace,
    agreement_figures,
    ask_opinions,
    draw_traces,
    measure_agreement,
    table_rows,
)
from srt.teaching.roles import ModelRole
from srt.teaching.teach_config import load_teach_config
from srt.teaching.teach_prompts import load_teach_prompts

OBJECTOR = Path(__file__).with_name("objector.py")
CONFIG = """
endpoint: {base_url: "http://127.0.0.1:1/v1", in_flight: 4}
models:
  teacher: {model: m}
  reviewer: {model: m}
  checker: {model: m}
prices: {m: {input: 1.0, output: 2.0}}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    generate_file("seating", 8, "train", folder / "p.jsonl", {"scenes": ["booth"]})
    solve_file(folder / "p.jsonl", folder / "t.jsonl")
    (folder / "teach.yaml").write_text(CONFIG)
    return folder


def read(files: Path) -> tuple[list[Trace], dict[str, Problem]]:
    return list(read_records(files / "t.jsonl", Trace)), read_problems(files / "p.jsonl")


def context(files: Path, ask: Callable[[LlmRequest], Any]) -> LlmContext:
    return LlmContext(load_teach_config(files / "teach.yaml").choices(), load_teach_prompts(None), ask)


class Reviewer:
    """Objects to the traces whose text is among ``objectionable``, and counts what it was asked."""

    def __init__(self, problems: dict[str, Problem], objectionable: set[str], fault: str = "does_not_follow") -> None:
        self.problems = problems
        self.objectionable = objectionable
        self.fault = fault
        self.asked = 0

    async def __call__(self, request: LlmRequest) -> Reply:
        assert request.role == ModelRole.REVIEWER
        self.asked += 1
        objects = any(text in request.user for text in self.objectionable)
        issue = {"step": 1, "fault": self.fault, "explanation": "so it seems", "suggested_fix": None}
        answer = {"token": token_of(self.problems[request.problem_id]), "issues": [issue] if objects else []}
        return Reply(
            text=orjson.dumps(answer).decode(), finish_reason="stop", input_tokens=100, output_tokens=10, seconds=0
        )


def test_traces_are_faulty_or_untouched_and_always_the_same(files: Path) -> None:
    traces, problems = read(files)
    shown, table = draw_traces(traces, problems, 40, 5, seed=3)
    controls = [shown_trace for shown_trace in shown if shown_trace.planted is None]
    assert len(controls) == 5
    assert (
        len({shown_trace.trace.id for shown_trace in shown})
        == len(shown)
        == 45 - sum(table.outcomes["accident"].values())
    )
    assert len({shown_trace.planted for shown_trace in shown}) > 15
    assert draw_traces(traces, problems, 40, 5, seed=3)[0] == shown
    assert draw_traces(traces, problems, 40, 5, seed=4)[0] != shown
    by_id = {trace.id: trace for trace in traces}
    assert all(shown_trace.trace == by_id[shown_trace.trace.id] for shown_trace in controls)


def test_both_are_asked_of_every_trace(files: Path) -> None:
    traces, problems = read(files)
    shown, _ = draw_traces(traces, problems, 30, 8, seed=0)
    noticed = {candidate_text(shown_trace.trace) for shown_trace in shown if shown_trace.planted}
    model = Reviewer(problems, noticed)
    found = asyncio.run(ask_opinions(shown, problems, context(files, model), 4))
    assert model.asked == len(shown)
    assert [opinion.trace_id for opinion in found] == [shown_trace.trace.id for shown_trace in shown]
    figures = agreement_figures(found)
    assert figures["total"]["machine"]["found"] == figures["total"]["reviewer"]["found"] == len(noticed)
    assert figures["false_alarms"]["machine"]["found"] == figures["false_alarms"]["reviewer"]["found"] == 0
    assert figures["agreement"]["kappa"] == 1.0
    assert figures["missed_by_both"] == []


def test_a_reviewer_that_cannot_be_understood_is_in_no_figure(files: Path) -> None:
    traces, problems = read(files)
    shown = [ShownTrace(trace=trace) for trace in traces[:3]]

    async def mumbles(request: LlmRequest) -> Reply:
        return Reply(text="hm", finish_reason="stop", input_tokens=1, output_tokens=1, seconds=0)

    figures = agreement_figures(asyncio.run(ask_opinions(shown, problems, context(files, mumbles), 2)))
    assert figures["reviewed"] == 0
    assert figures["without_review"] == {"malformed": 3}
    assert figures["agreement"]["kappa"] is None
    assert figures["false_alarms"]["reviewer"] == {"found": 0, "share": None, "low": 0.0, "high": 1.0}


def test_a_spent_budget_leaves_the_rest_for_the_next_run(files: Path) -> None:
    traces, problems = read(files)
    shown = [ShownTrace(trace=trace) for trace in traces[:6]]
    model = Reviewer(problems, set())

    async def poor(request: LlmRequest) -> Reply:
        if model.asked == 2:
            raise BudgetSpent
        return await model(request)

    found = asyncio.run(ask_opinions(shown, problems, context(files, poor), 1))
    assert [opinion.reviewer for opinion in found] == [(), (), None, None, None, None]
    assert agreement_figures(found)["without_review"] == {"budget spent": 4}


def test_what_concerns_the_whole_run_ends_it(files: Path) -> None:
    traces, problems = read(files)

    async def down(request: LlmRequest) -> Reply:
        raise UserError("the endpoint is down")

    with pytest.raises(UserError, match="the endpoint is down"):
        asyncio.run(ask_opinions([ShownTrace(trace=t) for t in traces], problems, context(files, down), 2))


def opinion(planted: Fault | None, machine: bool, reviewer: bool, named: Fault = Fault.LEAP) -> Opinion:
    def issues(by: Any, there: bool, fault: Fault) -> tuple[Issue, ...]:
        return (Issue(by=by, fault=fault, explanation="so it seems"),) if there else ()

    return Opinion(
        trace_id="t",
        problem_id="p",
        planted=planted,
        machine=issues("machine", machine, Fault.LEAP),
        reviewer=issues("reviewer", reviewer, named),
        outcome=Outcome.OK,
    )


def test_the_figures() -> None:
    found = [
        opinion(Fault.LEAP, True, True),
        opinion(Fault.LEAP, True, False),
        opinion(Fault.LEAP, True, True, Fault.ANOTHER_SEAT),
        opinion(Fault.ANOTHER_SEAT, False, True, Fault.ANOTHER_SEAT),
        opinion(None, False, True),
        opinion(None, False, False),
        opinion(None, False, False),
        opinion(None, False, False),
    ]
    figures = agreement_figures(found)
    leap = figures["classes"]["leap"]
    assert (leap["shown"], leap["named"]) == (3, 1)
    assert leap["machine"]["found"] == 3
    assert leap["reviewer"]["share"] == pytest.approx(2 / 3)
    assert leap["reviewer"]["low"] == pytest.approx(0.0943, abs=1e-4)  # Clopper-Pearson, 2 of 3, from a table.
    assert set(figures["classes"]) == {"leap", "another_seat"}
    assert figures["total"]["reviewer"]["found"] == 3
    assert figures["false_alarms"]["reviewer"]["share"] == 0.25
    counts = {"both": 2, "only_machine": 1, "only_reviewer": 2, "neither": 3}
    assert {name: figures["agreement"][name] for name in counts} == counts
    # p_o = 5/8; p_e = 3/8 * 4/8 + 5/8 * 4/8 = 1/2.
    assert figures["agreement"]["kappa"] == pytest.approx(0.25)
    names = [name for name, _ in table_rows(figures)]
    assert names == [
        "another_seat",
        "truth-changing, all",
        "leap",
        "support-breaking, all",
        "false alarms on untouched traces",
    ]


class FakeClient:
    """Stands for the endpoint: answers from the journal where it can."""

    model: Reviewer

    def __init__(self, spec: Any, journal: Journal, budget: Any, root: Path) -> None:
        self.journal = journal

    async def ask(self, request: LlmRequest) -> Reply:
        reply = self.journal.get(request.key)
        if reply is None:
            reply = await self.model(request)
            self.journal.put(request, reply, 0.0)
        return reply

    async def __aenter__(self) -> FakeClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


def test_a_second_run_pays_for_nothing(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FakeClient.model = Reviewer(read(files)[1], set())
    monkeypatch.setattr(journaled_client, "JournaledClient", FakeClient)

    def run() -> dict[str, Any]:
        return measure_agreement(
            files / "t.jsonl", files / "p.jsonl", files / "teach.yaml", tmp_path / "out", n=10, controls=3, seed=0
        )

    first = run()
    paid = FakeClient.model.asked
    assert paid == first["shown"] == first["reviewed"]
    assert run() == first
    assert FakeClient.model.asked == paid
    assert orjson.loads((tmp_path / "out/agreement.json").read_bytes()) == first
    assert len(list(read_records(tmp_path / "out/opinions.jsonl", Opinion))) == paid


def test_the_command_against_an_endpoint(
    files: Path,
    tmp_path: Path,
    fake_endpoint: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = tmp_path / "log.jsonl"
    out = tmp_path / "out"
    arguments = ["agreement", files / "t.jsonl", "--problems", files / "p.jsonl", "--config", tmp_path / "teach.yaml"]
    arguments += ["-o", out, "-n", 20, "--controls", 4]
    with fake_endpoint.fake_process(responder=f"{OBJECTOR}:objects", log=log) as url:
        (tmp_path / "teach.yaml").write_text(CONFIG.replace("http://127.0.0.1:1/v1", url))
        for more in ([], ["--json"]):
            monkeypatch.setattr(sys, "argv", ["srt", *map(str, arguments), *more])
            capsys.readouterr()
            with pytest.raises(SystemExit) as end:
                main()
            assert not end.value.code
            told = capsys.readouterr().out
            if not more:
                assert "truth-changing, all" in told
                assert "Cohen's kappa" in told
                sent = log.read_bytes().count(b'"key"')
    figures = orjson.loads(told)
    assert figures["shown"] == figures["reviewed"] == sent
    assert log.read_bytes().count(b'"key"') == sent  # The second run asked for nothing.
    assert figures["spent"]["m"]["requests"] == sent
    assert figures["spent"]["m"]["cost"] > 0
    assert figures["false_alarms"]["reviewer"]["found"] == 0


def test_bad_input(files: Path, tmp_path: Path) -> None:
    def run(traces: Path, config: Path, out: Path) -> None:
        measure_agreement(traces, files / "p.jsonl", config, out, n=2, controls=1, seed=0)

    stranger = read(files)[0][0].model_copy(update={"problem_id": "nobody"})
    write_records(tmp_path / "t.jsonl", [stranger])
    with pytest.raises(UserError, match="problem_id: 'nobody'"):
        run(tmp_path / "t.jsonl", files / "teach.yaml", tmp_path)
    broken = read(files)[0][0].model_copy(update={"answer": "E"})
    write_records(tmp_path / "t.jsonl", [broken])
    with pytest.raises(UserError, match=r"t\.jsonl"):
        run(tmp_path / "t.jsonl", files / "teach.yaml", tmp_path)
    with pytest.raises(UserError, match=r"t\.jsonl"):
        run(files / "t.jsonl", files / "teach.yaml", tmp_path / "t.jsonl")
    (tmp_path / "taken" / "opinions.jsonl").mkdir(parents=True)
    with pytest.raises(UserError, match=r"opinions\.jsonl"):
        run(files / "t.jsonl", files / "teach.yaml", tmp_path / "taken")
    write_records(tmp_path / "empty.jsonl", [])
    with pytest.raises(UserError, match=r"empty\.jsonl"):
        run(tmp_path / "empty.jsonl", files / "teach.yaml", tmp_path / "out")
    with pytest.raises(UserError, match="-n and --controls"):
        measure_agreement(
            files / "t.jsonl", files / "p.jsonl", files / "teach.yaml", tmp_path / "out", n=0, controls=0, seed=0
        )
    with pytest.raises(UserError, match=r"no\.yaml"):
        run(files / "t.jsonl", tmp_path / "no.yaml", tmp_path / "out")
