"""The figures of a folder and its page: what is counted, what people decided, and that data stays text."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from scipy.stats import beta

from srt.language.faults import Fault
from srt.language.trace import ClaimCheck, Step, StepCheck, Trace, TraceCheck
from srt.llm.accounts import ModelUsage
from srt.llm.exchange import Outcome
from srt.llm.journal import NO_COUNT, NO_REPLY
from srt.teaching.case_store.audit_sample import AuditSample
from srt.teaching.case_store.case_records import Decision, Issue, Round, State, TeachingCase
from srt.teaching.case_store.decisions import digest
from srt.teaching.case_store.folder_files import report_page
from srt.teaching.case_store.teaching_summary import Tally, short_reason, summary_rows

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">{{ 7*7 }}"


def trace(number: int, *supports: str) -> Trace:
    verdicts = tuple(
        StepCheck(support=support, claims=(ClaimCheck(claim="a = 3", start=0, end=5, support=support),))  # type: ignore[arg-type]
        for support in supports
    )
    return Trace(
        id=f"t{number}",
        problem_id=f"cube-{number}",
        kind="free",
        lang="en",
        steps=tuple(Step(op="INFER", assertion="a = 3") for _ in supports),
        answer="27",
        checks=TraceCheck(steps=verdicts, answer=StepCheck(support="computed")),
    )


def case(number: int, state: State, reason: str | None = None, *supports: str) -> TeachingCase:
    made = trace(number, *supports) if supports else None
    rounds = (Round(made_by="teacher", outcome=Outcome.OK, trace=made, reviewed=True),) if made else ()
    return TeachingCase(problem_id=f"cube-{number}", state=state, rounds=rounds, trace=made, reason=reason)


def decided(number: int, action: str, where: str = "audit", *supports: str) -> Decision:
    return Decision.model_validate(
        {
            "problem_id": f"cube-{number}",
            "where": where,
            "action": action,
            "trace": trace(number, "computed") if action == "edit" else None,
            "who": "ann",
            "when": "2026-01-01T00:00:00Z",
            "digest": digest(trace(number, *(supports or ("computed",)))),
        }
    )


def test_shares_are_of_what_has_ended_and_coverage_of_what_passed(cubes: ModuleType) -> None:
    tally = Tally()
    for number, each in enumerate(
        [
            case(0, State.ACCEPTED, None, "computed", "unchecked"),
            case(1, State.REPAIRED, None, "computed", "consistent"),
            case(2, State.HUMAN, "after 3 rounds: machine (computed), step 1, false_claim: 1 = 2", "refuted"),
            case(3, State.FAILED, "no solution (x)"),
            case(4, State.PENDING),
        ]
    ):
        tally.add(cubes.problem(number, category=None if number else "solids"), each)
    summary = tally.summary(
        [ModelUsage(role="teacher", model="m", requests=1, input_tokens=2, output_tokens=3, cost=4)], "EUR"
    )
    assert summary.problems == 5
    assert summary.states == {"accepted": 1, "repaired": 1, "human": 1, "failed": 1, "pending": 1}
    assert set(summary.shares.values()) == {0.25}
    assert summary.coverage["steps"] == 4
    assert summary.coverage["claims computed"] == 2
    assert "steps refuted" not in summary.coverage
    assert summary.by_category["solids"] == {"accepted": 1}
    assert summary.residual is None
    assert summary.cost == 4


def test_what_is_not_certain_is_named(cubes: ModuleType) -> None:
    tally = Tally()
    tally.add(cubes.problem(0), case(0, State.ACCEPTED, None))
    sure = ModelUsage(role="checker", model="m", requests=1, input_tokens=2, output_tokens=3, cost=4)
    unsure = sure.model_copy(update={"role": "teacher", "lost": 0.5, "doubts": {NO_REPLY: 3, NO_COUNT: 2}})
    summary = tally.summary([sure, unsure], "EUR")
    rows = summary_rows(summary)
    assert rows["not certain"] == {"teacher (m)": f"at most 0.5000 EUR: 3 {NO_REPLY}, 2 {NO_COUNT}"}
    assert "0.5000" in rows["total cost"]
    assert "0.5000 EUR more" in report_page(summary)
    assert "not certain" not in summary_rows(tally.summary([sure], "EUR"))


def test_a_case_of_version_0_1_is_counted_as_computed_beside_what_is_proved(cubes: ModuleType) -> None:
    """It called prose ``proved``, too; a trace of a world keeps the word."""
    new = case(0, State.ACCEPTED, None, "computed", "computed")
    old = TeachingCase.model_validate_json(new.model_dump_json().replace('"computed"', '"proved"'))
    assert old.trace == new.trace
    proved = StepCheck(support="proved")
    step = Step(op="INFER", claim="James@N1")
    world = Trace(
        id="w", problem_id="cube-1", kind="world", lang="en", steps=(step,), answer="A",
        checks=TraceCheck(steps=(proved,), answer=proved),
    )  # fmt: skip
    tally = Tally()
    tally.add(cubes.problem(0), old)
    rounds = (Round(made_by="teacher", outcome=Outcome.OK, trace=world, reviewed=True),)
    tally.add(cubes.problem(1), TeachingCase(problem_id="cube-1", state=State.ACCEPTED, rounds=rounds, trace=world))
    summary = tally.summary([], "EUR")
    assert summary.coverage == {
        "claims": 2, "claims computed": 2, "steps": 3, "steps computed": 2, "steps proved": 1,
    }  # fmt: skip
    told = summary_rows(summary)["in passed traces"]["steps"]
    assert told == "proved 33.3%, computed 66.7%, refuted 0.0%, consistent 0.0%, unchecked 0.0% of 3"
    page = report_page(summary)
    assert "<th>proved %</th><th>computed %</th>" in page
    assert "<td>steps</td><td>3</td><td>33.3</td><td>66.7</td>" in page


def test_the_audit_bounds_the_residual_error(cubes: ModuleType) -> None:
    actions = ["accept"] * 8 + ["reject", "edit"]
    decisions = [decided(n, action) for n, action in enumerate(actions)]
    decisions += [decided(10, "accept", "queue")]
    tally = Tally(decisions)
    for n in range(10):
        tally.add(cubes.problem(n), case(n, State.ACCEPTED, None, "computed"))
    tally.add(cubes.problem(10), case(10, State.HUMAN, "after 3 rounds: x", "computed"))
    summary = tally.summary([], "EUR")
    assert summary.residual is not None
    assert (summary.residual.audited, summary.residual.wrong) == (10, 2)
    assert summary.residual.upper == pytest.approx(beta.ppf(0.95, 3, 8))
    assert summary.human_decisions == {"accept": 1}


def test_an_audit_that_is_not_done_says_so(cubes: ModuleType) -> None:
    sample = AuditSample(seed=0, population=2, problems=("cube-0", "cube-1"))
    for done, told in ((1, True), (2, False)):
        tally = Tally([decided(n, "accept") for n in range(done)], sample)
        for n in range(3):
            tally.add(cubes.problem(n), case(n, State.ACCEPTED, None, "computed"))
        summary = tally.summary([], "EUR")
        assert summary.residual is not None
        assert (summary.residual.drawn, summary.residual.population) == (2, 2)
        assert ("1 of the 2 drawn" in summary_rows(summary)["audit"]) == told
        assert ("1 of the 2 traces drawn for the audit" in report_page(summary)) == told
        assert "drawn when 2 traces had passed; now 3 have" in report_page(summary)


def test_the_page_has_shares_by_category_and_what_made_them(cubes: ModuleType) -> None:
    tally = Tally()
    for n, state in enumerate([State.ACCEPTED, State.ACCEPTED, State.REPAIRED, State.PENDING]):
        tally.add(cubes.problem(n, category="solids"), case(n, state, None, *(["computed"] if n < 3 else [])))
    decides = {"arm": "cot", "rounds": "3", "models.teacher.model": "big", "prompts/en/again": "sha256:0"}
    summary = tally.summary([], "EUR", decides)
    assert "prompts/en/again" not in summary.made_with
    text = report_page(summary)
    assert "Arm cot, at most 3 candidates a problem; teacher big." in text
    row = re.sub(r"<[^>]+>|\s+", " ", text[text.index("<td>solids") : text.index('<tr class="total">')])
    assert row.split() == ["solids", "4", "66.7", "(2)", "33.3", "(1)", "0.0", "(0)", "0.0", "(0)", "1"]


def test_a_decision_on_another_trace_does_not_count(cubes: ModuleType) -> None:
    tally = Tally([decided(0, "reject", "audit", "computed", "computed")])
    tally.add(cubes.problem(0), case(0, State.ACCEPTED, None, "computed"))
    assert tally.summary([], "EUR").residual is None


def test_what_each_stage_held_back(cubes: ModuleType) -> None:
    machine = Issue(by="machine", step=1, fault=Fault.FALSE_CLAIM, explanation="x")
    reviewer = Issue(by="reviewer", step=1, fault=Fault.LEAP, explanation="x")
    made = trace(0, "computed")
    rounds = (
        Round(made_by="teacher", outcome=Outcome.OK, trace=made, issues=(machine, machine)),
        Round(
            made_by="checker", outcome=Outcome.OK, trace=made, issues=(reviewer,), overruled=(reviewer,), reviewed=True
        ),
        Round(made_by="checker", outcome=Outcome.MALFORMED),
    )
    tally = Tally()
    tally.add(
        cubes.problem(0),
        TeachingCase(problem_id="cube-0", state=State.HUMAN, rounds=rounds, reason="checker: malformed: x"),
    )
    summary = tally.summary([], "EUR")
    assert summary.caught.model_dump(exclude_defaults=True) == {
        "drafts": 1, "drafts_machine": 1, "rewrites": 1, "rewrites_reviewer": 1, "reviews": 1, "overruled": 1,
    }  # fmt: skip
    assert summary.issues == {"machine": {"false_claim": 2}, "reviewer": {"leap": 1}}
    assert summary.overruled == {"leap": 1}
    assert summary.reasons == {"human: checker: malformed": 1}


@pytest.mark.parametrize(
    ("reason", "short"),
    [
        (
            "after 3 rounds: machine (computed), step 1, leap: 1 = 2, as : said",
            "after 3 rounds: machine (computed) leap",
        ),
        ("after 1 rounds: reviewer, the whole, leap: x (and 2 more)", "after 1 round: reviewer leap"),
        ("the Checker repeated an earlier candidate: y", "the Checker repeated an earlier candidate"),
        ("teacher: malformed: it was empty", "teacher: malformed"),
        ("no gold answer", "no gold answer"),
        ("no solution (solve_without_solution: true lets the teacher solve it)", "no solution"),
    ],
)
def test_reasons_are_counted_without_their_details(reason: str, short: str) -> None:
    assert short_reason(reason) == short


@pytest.fixture
def hostile_page(cubes: ModuleType, tmp_path: Path) -> Path:
    tally = Tally()
    tally.add(cubes.problem(0, category=HOSTILE), case(0, State.FAILED, HOSTILE))
    account = ModelUsage(role="teacher", model=HOSTILE, requests=1, input_tokens=1, output_tokens=1, cost=1.0)
    path = tmp_path / "report.html"
    path.write_text(report_page(tally.summary([account], HOSTILE)), encoding="utf-8")
    return path


def test_the_page_needs_nothing_but_itself(hostile_page: Path) -> None:
    text = hostile_page.read_text()
    assert "<script" not in text
    assert "<img" not in text
    assert "{{ 7*7 }}" in text
    assert "default-src 'none'" in text
    assert not re.search(r'(?:src|href)="', text)


@pytest.mark.browser
def test_hostile_text_is_shown_as_text(hostile_page: Path, tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("NOT CHECKED: no chromium on this machine, so the page was not opened in a browser")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--virtual-time-budget=3000", "--dump-dom", f"file://{hostile_page}"]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    assert "<title>SRT teaching report" in dom
    assert "<script" not in dom
    assert "&lt;script&gt;document.title='owned'" in dom
