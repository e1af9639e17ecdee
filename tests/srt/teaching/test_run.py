"""Whole runs against the fake endpoint: every problem ends in a named state, and nothing is paid for twice."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

import srt.teaching.teach_problems
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Image, Problem
from srt.language.trace import Trace
from srt.llm.journal import read_only
from srt.teaching.case_store.case_records import Decision, State, TeachingCase
from srt.teaching.case_store.decisions import digest
from srt.teaching.case_store.folder_files import folder_status, write_files
from srt.teaching.case_store.manifest import picture_root
from srt.teaching.loop.machine_audit import MachineAudit, audit
from srt.teaching.teach_problems import TeachRun
from tests import fake_endpoint
from tests.srt.teaching import cubes
from tests.srt.teaching.teaching_folder import TeachingFolder

pytestmark = pytest.mark.usefixtures("in_process_audits")


class Bench(TeachingFolder):
    """A teaching folder with a fake endpoint for each run."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.counts: dict[str, int] = {}
        self.outcomes: dict[str, int] = {}

    def run(
        self, extra: str = "", *, url: str | None = None, retries: int = 4, timeout_s: float = 60, **how: Any
    ) -> TeachRun:
        """One run; ``faults`` and ``responder`` are the fake's."""
        fake = fake_endpoint.FakeEndpoint(
            faults=fake_endpoint.Faults(**how.pop("faults", {})),
            responder=how.pop("responder", cubes.respond),
            seed=how.pop("seed", 0),
        )

        def config(address: str) -> Path:
            return cubes.config(self.place / "c.yaml", url or address, extra, retries=retries, timeout_s=timeout_s)

        try:
            return self.teach(fake, config, **how)
        finally:
            self.counts, self.outcomes = dict(fake.counts), dict(fake.outcomes)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_every_problem_ends_as_it_must(bench: Bench) -> None:
    ran = bench.run()
    assert (ran.stopped, ran.fault, bench.observer.total) == (None, None, 20)
    assert bench.states() == {"accepted": 12, "repaired": 4, "human": 4}
    cases = {case.problem_id: case for case in read_records(bench.out / "cases.jsonl", TeachingCase)}
    assert list(cases) == [f"cube-{edge}" for edge in range(10, 30)]
    by_kind = {0: "accepted", 1: "repaired", 2: "repaired", 3: "human", 4: "human", 5: "accepted"}
    for edge in range(10, 30):
        assert cases[f"cube-{edge}"].state.value == by_kind.get(edge % 10, "accepted"), edge
    assert cases["cube-15"].rounds[0].overruled
    traces = list(read_records(bench.out / "traces.jsonl", Trace))
    assert len(traces) == 16
    assert not any(trace.checks is None or trace.checks.refuted for trace in traces)
    report = orjson.loads((bench.out / "report.json").read_bytes())
    assert report["caught"] == {
        "drafts": 20, "drafts_machine": 4, "drafts_reviewer": 4, "rewrites": 12, "rewrites_machine": 4,
        "rewrites_reviewer": 4, "reviews": 24, "overruled": 2,
    }  # fmt: skip
    assert report["cost"] == pytest.approx(sum(account["cost"] for account in report["accounts"]))
    assert {account["role"] for account in report["accounts"]} == {"teacher", "reviewer", "checker"}
    assert "passed at once" in (bench.out / "report.html").read_text()


def test_a_second_run_asks_nothing(bench: Bench) -> None:
    bench.run()
    before = (bench.out / "cases.jsonl").read_bytes()
    bench.run()
    assert bench.counts == {}
    assert bench.observer.total == 0
    assert (bench.out / "cases.jsonl").read_bytes() == before


def test_a_limit_and_the_rest_later(bench: Bench) -> None:
    bench.run(limit=7)
    assert sum(bench.states().values()) == 20
    assert bench.states()["pending"] == 13
    first = bench.counts
    bench.run()
    assert "pending" not in bench.states()
    assert not set(first) & set(bench.counts)


def test_the_budget_ends_a_run_in_an_orderly_way_and_a_larger_one_goes_on(bench: Bench) -> None:
    ran = bench.run("budget: 0.05\n")
    assert ran.stopped is not None
    assert "budget" in ran.stopped
    assert bench.states()["pending"] > 0
    summary = folder_status(bench.out)
    assert 0 < summary.cost + summary.lost <= 0.05
    first = bench.counts
    ran = bench.run("budget: 50\n")
    assert ran.stopped is None
    assert bench.states() == {"accepted": 12, "repaired": 4, "human": 4}
    assert not set(first) & set(bench.counts)


def test_a_folder_keeps_to_its_arm(bench: Bench) -> None:
    bench.run(limit=1)
    with pytest.raises(UserError, match=r"arm = srt \(now cot\)"):
        bench.run("arm: cot\n")


@pytest.mark.parametrize(
    ("extra", "changed"),
    [("rounds: 2\n", ["rounds = 3 (now 2)"]), ("prompts: mine\n", ["prompts/en/again"]), ("budget: 9\n", [])],
)
def test_another_recipe_is_pointed_out(bench: Bench, extra: str, changed: list[str]) -> None:
    (bench.place / "mine" / "en").mkdir(parents=True)
    (bench.place / "mine" / "en" / "again.md").write_text("Once more: {reason}")
    bench.run(limit=1)
    bench.run(extra, limit=1)
    assert [part in line for part, line in zip(changed, bench.observer.notices, strict=True)] == [True] * len(changed)


def test_a_folder_keeps_to_its_problems(bench: Bench) -> None:
    bench.run(limit=1)
    cubes.problems(bench.problems, 21)
    with pytest.raises(UserError, match=r"out: .*20.*problems\.jsonl.* 21"):
        bench.run()
    cubes.problems(bench.problems, 20, first=11)
    with pytest.raises(UserError, match=r"out: .*problems\.jsonl"):
        bench.run()


def test_folders_that_are_not_for_us(bench: Bench) -> None:
    bench.out.mkdir()
    (bench.out / "thesis.tex").write_text("x")
    with pytest.raises(UserError, match=r"'thesis\.tex'"):
        bench.run()
    assert sorted(path.name for path in bench.out.iterdir()) == ["thesis.tex"]
    (bench.out / "thesis.tex").unlink()
    bench.problems = bench.problems.rename(bench.out / "problems.jsonl")
    with pytest.raises(UserError, match=r"problems\.jsonl"):
        bench.run()


@pytest.mark.parametrize(
    ("faults", "message"),
    [({"api_key": "secret"}, "key"), ({"models": ["fake-teacher-2"]}, "fake-teacher"), ({}, "127.0.0.1:9")],
)
def test_what_fails_the_whole_run_is_one_line_and_nothing_is_lost(
    bench: Bench, faults: dict[str, Any], message: str
) -> None:
    ran = bench.run(faults=faults, url=None if faults else "http://127.0.0.1:9/v1", retries=0)
    assert ran.fault is not None
    assert message in str(ran.fault)
    assert "\n" not in str(ran.fault)
    assert not any(message in line for line in bench.observer.stops)  # the command says it, once
    assert bench.states() == {"pending": 20}
    bench.run()
    assert "pending" not in bench.states()


def test_faulty_replies_of_every_kind(bench: Bench, cubes: ModuleType) -> None:
    cubes.problems(bench.problems, 60)
    paid = ("broken_json", "empty", "length", "refusal", "swap")
    unpaid = ("rate_limit", "rate_limit_after", "error_500", "cut", "torn", "html")
    rates = dict.fromkeys(paid, 0.03) | dict.fromkeys(unpaid, 0.01)
    bench.run(faults={"rates": rates, "retry_after_s": 0.01})
    states = bench.states()
    assert sum(states.values()) == 60
    outcomes = folder_status(bench.out).outcomes
    seen = {outcome for counts in outcomes.values() for outcome in counts}
    assert seen >= {"ok", "malformed", "empty", "length", "refusal"}
    assert {kind for kind in bench.outcomes if kind in unpaid}


def test_what_is_not_available_now_is_taken_up_later(bench: Bench) -> None:
    bench.run(faults={"rates": {"error_500": 0.5}}, retries=0)
    states = bench.states()
    assert 0 < states.get("pending", 0) < 20
    assert "pending: teacher: unavailable" in folder_status(bench.out).reasons
    bench.run()
    assert bench.states() == {"accepted": 12, "repaired": 4, "human": 4}


def test_a_picture_that_cannot_be_sent_fails_its_problem_alone(bench: Bench, cubes: ModuleType) -> None:
    pictures = [
        [],
        [Image(path="none.png", sha256="0" * 64)],
        [Image(path="../../etc/passwd", sha256="0" * 64)],
    ]
    write_records(bench.problems, [cubes.problem(10 + 10 * n, images=images) for n, images in enumerate(pictures)])
    bench.run()
    cases = list(read_records(bench.out / "cases.jsonl", TeachingCase))
    assert [case.state for case in cases] == [State.ACCEPTED, State.FAILED, State.FAILED]
    assert all("\n" not in (case.reason or "") for case in cases)
    assert "none.png" in (cases[1].reason or "")


def test_pictures_and_descriptions_are_kept_with_the_problems(
    bench: Bench, cubes: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import Image as Pixels

    Pixels.new("RGB", (8, 8), "white").save(bench.place / "a.png")
    import hashlib

    sha256 = hashlib.sha256((bench.place / "a.png").read_bytes()).hexdigest()
    drawn = cubes.problem(10, images=[Image(path="a.png", sha256=sha256)])
    write_records(bench.problems, [drawn, cubes.problem(20)])
    describer = "models:\n  describer: {{model: fake-teacher, max_tokens: 50}}\n"
    monkeypatch.setattr(cubes, "CONFIG", cubes.CONFIG.replace("models:\n", describer))

    def check() -> None:
        bench.run("describe: true\n")
        kept = list(read_records(bench.out / "problems.jsonl", Problem))
        assert [problem.diagram_description for problem in kept] == ["A cube with the edge 10.", None]
        (picture,) = kept[0].images
        assert picture.sha256 == sha256
        # Relative to the file that names it, as in every file of problems: the folder may be moved.
        assert hashlib.sha256((bench.out / picture.path).read_bytes()).hexdigest() == sha256
        assert (bench.out / picture.path).resolve().is_relative_to(bench.out.resolve())
        assert picture_root(bench.out) == bench.out.resolve()
        assert bench.states() == {"accepted": 2}

    check()
    # A folder of an older version has the paths of the file that it was given; its next run puts that right.
    described = drawn.model_copy(update={"diagram_description": "A cube with the edge 10."})
    write_records(bench.out / "problems.jsonl", [described, cubes.problem(20)])
    manifest = bench.out / "folder.json"
    manifest.write_text(manifest.read_text().replace('"pictures": "."', '"pictures": ".."'))
    assert picture_root(bench.out) == bench.place.resolve()
    check()


def test_what_people_decided_stays_when_the_files_are_written_again(bench: Bench) -> None:
    bench.run()
    case = next(c for c in read_records(bench.out / "cases.jsonl", TeachingCase) if c.state is State.HUMAN)
    assert case.trace is not None
    message = {"where": "queue", "action": "accept", "who": "ann", "when": "2026-01-01T00:00:00Z"}
    decision = Decision.model_validate({"problem_id": case.problem_id, "digest": digest(case.trace), **message})
    write_records(bench.out / "decisions.jsonl", [decision])
    bench.run(limit=0)
    assert bench.counts == {}
    traces = {trace.problem_id for trace in read_records(bench.out / "traces.jsonl", Trace)}
    assert len(traces) == 17
    assert case.problem_id in traces
    assert folder_status(bench.out).human_decisions == {"accept": 1}


def test_prose(bench: Bench) -> None:
    bench.run("arm: cot\n")
    states = bench.states()
    assert states["repaired"] == 2
    assert sum(states.values()) == 20
    traces = list(read_records(bench.out / "traces.jsonl", Trace))
    assert {trace.kind for trace in traces} == {"cot"}
    assert not any(trace.checks is None or trace.checks.refuted for trace in traces)


def test_a_case_that_belongs_to_no_problem_is_noticed(bench: Bench) -> None:
    bench.run(limit=3)
    lines = (bench.out / "problems.jsonl").read_bytes().splitlines(keepends=True)
    (bench.out / "problems.jsonl").write_bytes(b"".join([lines[1], lines[0], *lines[2:]]))
    with pytest.raises(UserError, match="case 'cube-10'"):
        bench.states()
    (bench.out / "problems.jsonl").write_bytes(b"".join(lines[:2]))
    with pytest.raises(UserError, match="case 'cube-12'"):
        bench.states()
    (bench.out / "problems.jsonl").write_bytes(b"".join(lines[:19]))
    with pytest.raises(UserError, match=r"problems\.jsonl: .*19.*20"):
        bench.states()


def test_a_defect_of_ours_leaves_its_problem_pending_and_many_end_the_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_process = srt.teaching.teach_problems.Auditors

    class Breaks(in_process):  # type: ignore[valid-type,misc]
        on = "cube-17"

        async def audit(self, problem: Problem, trace: Trace) -> MachineAudit:
            if problem.id.startswith(self.on):
                raise ZeroDivisionError("one\nby zero")
            return audit(problem, trace)

    monkeypatch.setattr(srt.teaching.teach_problems, "Auditors", Breaks)
    bench.run()
    assert bench.states() == {"accepted": 11, "repaired": 4, "human": 4, "pending": 1}
    assert folder_status(bench.out).reasons["pending: internal error"] == 1
    reasons = [case.reason for case in read_records(bench.out / "cases.jsonl", TeachingCase)]
    assert "internal error: ZeroDivisionError: one by zero" in reasons
    monkeypatch.setattr(srt.teaching.teach_problems, "Auditors", in_process)
    bench.run()
    assert bench.states() == {"accepted": 12, "repaired": 4, "human": 4}
    bench.out = bench.place / "another"
    monkeypatch.setattr(Breaks, "on", "cube")
    monkeypatch.setattr(srt.teaching.teach_problems, "Auditors", Breaks)
    with pytest.raises(ExceptionGroup) as raised:
        bench.run()
    assert raised.group_contains(ZeroDivisionError)


def test_two_runs_at_once_are_refused(bench: Bench) -> None:
    from srt.io.folder_lock import hold_folder

    with hold_folder(bench.out), pytest.raises(UserError, match="out"):
        bench.run()


def test_the_files_are_written_from_the_journal_alone(bench: Bench) -> None:
    bench.run()
    before = {path.name: path.read_bytes() for path in bench.out.iterdir() if path.suffix in (".jsonl", ".html")}
    for name in ("cases.jsonl", "traces.jsonl", "report.html", "report.json"):
        (bench.out / name).unlink()
    with read_only(bench.out / "teach.sqlite") as connection:
        write_files(bench.out, bench.problems, connection.execute)
    assert {name: (bench.out / name).read_bytes() for name in before} == before
