"""What the Reviewer is worth: exhibits, opinions, and the figures that come of them."""

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
from srt.endpoint.errors import BudgetSpent
from srt.endpoint.journal import Journal
from srt.endpoint.messages import Reply, Request, Role
from srt.errors import UserError
from srt.generate import generate_file
from srt.jsonl import read_records, write_records
from srt.language.faults import Fault
from srt.language.trace import Trace
from srt.problems import read_problems
from srt.records import Problem
from srt.solve import solve_file
from srt.teaching import opening
from srt.teaching.agreement import Agreement, Exhibit, Opinion, cohen_kappa, exhibits, measure_file, opinions, rows
from srt.teaching.candidate import token_of
from srt.teaching.config import load_config
from srt.teaching.exchange import Desk
from srt.teaching.records import Issue, Outcome
from srt.teaching.reviewing import candidate_text
from srt.teaching.templates import load_templates

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


def desk(files: Path, ask: Callable[[Request], Any]) -> Desk:
    return Desk(load_config(files / "teach.yaml"), load_templates(None), ask)


class Reviewer:
    """Objects to the exhibits whose text is among ``objectionable``, and counts what it was asked."""

    def __init__(self, problems: dict[str, Problem], objectionable: set[str], fault: str = "does_not_follow") -> None:
        self.problems = problems
        self.objectionable = objectionable
        self.fault = fault
        self.asked = 0

    async def __call__(self, request: Request) -> Reply:
        assert request.role is Role.REVIEWER
        self.asked += 1
        objects = any(text in request.user for text in self.objectionable)
        issue = {"step": 1, "fault": self.fault, "explanation": "so it seems", "suggested_fix": None}
        answer = {"token": token_of(self.problems[request.problem_id]), "issues": [issue] if objects else []}
        return Reply(
            text=orjson.dumps(answer).decode(), finish_reason="stop", input_tokens=100, output_tokens=10, seconds=0
        )


def test_exhibits_are_faulty_or_untouched_and_always_the_same(files: Path) -> None:
    traces, problems = read(files)
    shown, table = exhibits(traces, problems, 40, 5, seed=3)
    controls = [exhibit for exhibit in shown if exhibit.planted is None]
    assert len(controls) == 5
    assert len({exhibit.trace.id for exhibit in shown}) == len(shown) == 45 - sum(table.outcomes["accident"].values())
    assert len({exhibit.planted for exhibit in shown}) > 15
    assert exhibits(traces, problems, 40, 5, seed=3)[0] == shown
    assert exhibits(traces, problems, 40, 5, seed=4)[0] != shown
    by_id = {trace.id: trace for trace in traces}
    assert all(exhibit.trace == by_id[exhibit.trace.id] for exhibit in controls)


def test_both_are_asked_of_every_exhibit(files: Path) -> None:
    traces, problems = read(files)
    shown, _ = exhibits(traces, problems, 30, 8, seed=0)
    noticed = {candidate_text(exhibit.trace) for exhibit in shown if exhibit.planted}
    model = Reviewer(problems, noticed)
    found = asyncio.run(opinions(shown, problems, desk(files, model), 4))
    assert model.asked == len(shown)
    assert [opinion.trace_id for opinion in found] == [exhibit.trace.id for exhibit in shown]
    figures = Agreement(found).as_dict()
    assert figures["total"]["machine"]["found"] == figures["total"]["reviewer"]["found"] == len(noticed)
    assert figures["false_alarms"]["machine"]["found"] == figures["false_alarms"]["reviewer"]["found"] == 0
    assert figures["agreement"]["kappa"] == 1.0
    assert figures["missed_by_both"] == []


def test_a_reviewer_that_cannot_be_understood_is_in_no_figure(files: Path) -> None:
    traces, problems = read(files)
    shown = [Exhibit(trace=trace) for trace in traces[:3]]

    async def mumbles(request: Request) -> Reply:
        return Reply(text="hm", finish_reason="stop", input_tokens=1, output_tokens=1, seconds=0)

    figures = Agreement(asyncio.run(opinions(shown, problems, desk(files, mumbles), 2))).as_dict()
    assert figures["reviewed"] == 0
    assert figures["without_review"] == {"malformed": 3}
    assert figures["agreement"]["kappa"] is None
    assert figures["false_alarms"]["reviewer"] == {"found": 0, "share": None, "low": 0.0, "high": 1.0}


def test_a_spent_budget_leaves_the_rest_for_the_next_run(files: Path) -> None:
    traces, problems = read(files)
    shown = [Exhibit(trace=trace) for trace in traces[:6]]
    model = Reviewer(problems, set())

    async def poor(request: Request) -> Reply:
        if model.asked == 2:
            raise BudgetSpent
        return await model(request)

    found = asyncio.run(opinions(shown, problems, desk(files, poor), 1))
    assert [opinion.reviewer for opinion in found] == [(), (), None, None, None, None]
    assert Agreement(found).as_dict()["without_review"] == {"budget spent": 4}


def test_what_concerns_the_whole_run_ends_it(files: Path) -> None:
    traces, problems = read(files)

    async def down(request: Request) -> Reply:
        raise UserError("the endpoint is down")

    with pytest.raises(UserError, match="down"):
        asyncio.run(opinions([Exhibit(trace=t) for t in traces], problems, desk(files, down), 2))


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
    figures = Agreement(found, accidents=2).as_dict()
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
    assert figures["accidents_left_out"] == 2
    names = [name for name, _ in rows(figures)]
    assert names == [
        "another_seat",
        "truth-changing, all",
        "leap",
        "support-breaking, all",
        "false alarms on untouched traces",
    ]


@pytest.mark.parametrize(
    ("counts", "kappa"),
    [((0, 0, 0, 0), None), ((3, 0, 0, 0), None), ((2, 0, 0, 2), 1.0), ((0, 2, 2, 0), -1.0), ((1, 1, 1, 1), 0.0)],
)
def test_kappa(counts: tuple[int, int, int, int], kappa: float | None) -> None:
    assert cohen_kappa(*counts) == kappa


class FakeEndpoint:
    """Stands for the endpoint: answers from the journal where it can."""

    model: Reviewer

    def __init__(self, spec: Any, journal: Journal, budget: Any, root: Path) -> None:
        self.journal = journal

    async def ask(self, request: Request) -> Reply:
        reply = self.journal.get(request.key)
        if reply is None:
            reply = await self.model(request)
            await self.journal.put(request, reply, 0.0)
        return reply

    async def __aenter__(self) -> FakeEndpoint:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


def test_a_second_run_pays_for_nothing(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FakeEndpoint.model = Reviewer(read(files)[1], set())
    monkeypatch.setattr(opening, "Endpoint", FakeEndpoint)

    def run() -> dict[str, Any]:
        return measure_file(
            files / "t.jsonl", files / "p.jsonl", files / "teach.yaml", tmp_path / "out", n=10, controls=3, seed=0
        )

    first = run()
    paid = FakeEndpoint.model.asked
    assert paid == first["exhibits"] == first["reviewed"]
    assert run() == first
    assert FakeEndpoint.model.asked == paid
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
    assert figures["exhibits"] == figures["reviewed"] == sent
    assert log.read_bytes().count(b'"key"') == sent  # The second run asked for nothing.
    assert figures["spent"]["m"]["requests"] == sent
    assert figures["spent"]["m"]["cost"] > 0
    assert figures["false_alarms"]["reviewer"]["found"] == 0


def test_bad_input(files: Path, tmp_path: Path) -> None:
    def run(traces: Path, config: Path, out: Path) -> None:
        measure_file(traces, files / "p.jsonl", config, out, n=2, controls=1, seed=0)

    stranger = read(files)[0][0].model_copy(update={"problem_id": "nobody"})
    write_records(tmp_path / "t.jsonl", [stranger])
    with pytest.raises(UserError, match="'nobody' is not in the problems file"):
        run(tmp_path / "t.jsonl", files / "teach.yaml", tmp_path)
    broken = read(files)[0][0].model_copy(update={"answer": "E"})
    write_records(tmp_path / "t.jsonl", [broken])
    with pytest.raises(UserError, match="no valid trace"):
        run(tmp_path / "t.jsonl", files / "teach.yaml", tmp_path)
    with pytest.raises(UserError, match="a folder was expected, this is a file"):
        run(files / "t.jsonl", files / "teach.yaml", tmp_path / "t.jsonl")
    (tmp_path / "taken" / "opinions.jsonl").mkdir(parents=True)
    with pytest.raises(UserError, match=r"opinions\.jsonl: a file was expected, this is a folder"):
        run(files / "t.jsonl", files / "teach.yaml", tmp_path / "taken")
    write_records(tmp_path / "empty.jsonl", [])
    with pytest.raises(UserError, match="no trace in this file"):
        run(tmp_path / "empty.jsonl", files / "teach.yaml", tmp_path / "out")
    with pytest.raises(UserError, match="both 0"):
        measure_file(
            files / "t.jsonl", files / "p.jsonl", files / "teach.yaml", tmp_path / "out", n=0, controls=0, seed=0
        )
    with pytest.raises(UserError, match=r"no\.yaml: no such file"):
        run(files / "t.jsonl", tmp_path / "no.yaml", tmp_path / "out")
