"""What a list of decisions amounts to, and the traces that follow from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from taught_folder import RIGHT_BOX, WRONG_BOX, box, case_of, trace_of

from srt.io.append_log import AppendLog
from srt.io.errors import RecordError
from srt.io.record_reader import read_records
from srt.language.trace import StepCheck, Trace, TraceCheck
from srt.teaching.case_store.case_records import Decision, State, TeachingCase
from srt.teaching.case_store.decisions import (
    DECISIONS,
    digest,
    final_traces,
    latest_trace,
    read_decisions,
    review_state,
)
from srt.teaching.case_store.folder_files import apply_decisions

PROBLEM = box()
WRONG, RIGHT = trace_of(PROBLEM, WRONG_BOX), trace_of(PROBLEM, RIGHT_BOX)
WAITING = case_of(PROBLEM, WRONG_BOX)
PASSED = case_of(PROBLEM, RIGHT_BOX, state=State.ACCEPTED)


def decision(action: str, seen: Trace | None, where: str = "queue", **fields: object) -> Decision:
    return Decision.model_validate(
        {
            "problem_id": PROBLEM.id,
            "where": where,
            "action": action,
            "who": "ada",
            "when": "2026-01-01T00:00:00+00:00",
            "digest": digest(seen),
            **fields,
        }
    )


def test_the_last_decision_holds_and_an_undo_brings_back_the_one_before() -> None:
    taken = [decision("reject", WRONG, note="no"), decision("edit", WRONG, trace=RIGHT), decision("accept", RIGHT)]
    assert review_state(WAITING, taken).trace == RIGHT
    taken.append(decision("undo", RIGHT))
    assert [one.action for one in review_state(WAITING, taken).decisions] == ["reject", "edit"]
    taken.append(decision("undo", RIGHT))
    stands = review_state(WAITING, taken)
    assert stands.trace == WRONG
    assert stands.last is not None
    assert stands.last.action == "reject"
    taken.append(decision("undo", WRONG))
    assert review_state(WAITING, taken).last is None


def test_a_decision_on_another_trace_or_in_another_place_does_not_count() -> None:
    other = RIGHT.model_copy(update={"answer": "25"})
    assert review_state(WAITING, [decision("accept", other)]).last is None
    assert review_state(WAITING, [decision("accept", WRONG, where="audit")]).last is None
    assert review_state(PASSED, [decision("reject", RIGHT, where="queue", note="n")]).last is None
    # The undo of a decision that no longer counts takes back nothing else.
    taken = [decision("accept", WRONG), decision("accept", other), decision("undo", other)]
    assert review_state(WAITING, taken).last is not None


def test_new_verdicts_do_not_make_another_trace() -> None:
    verdict = StepCheck(support="proved")
    checks = TraceCheck(steps=(verdict,) * 3, answer=verdict)
    assert digest(RIGHT.model_copy(update={"checks": checks})) == digest(RIGHT)
    assert digest(RIGHT) != digest(WRONG) != digest(None)


@pytest.mark.parametrize(
    ("case", "taken", "final"),
    [
        (WAITING, [], []),
        (WAITING, [decision("accept", WRONG)], [WRONG]),
        (WAITING, [decision("edit", WRONG, trace=RIGHT)], [RIGHT]),
        (WAITING, [decision("reject", WRONG, note="n")], []),
        (WAITING, [decision("edit", WRONG, trace=RIGHT), decision("reject", RIGHT, note="n")], []),
        (WAITING, [decision("edit", WRONG, trace=RIGHT), decision("undo", RIGHT)], []),
        (PASSED, [], [RIGHT]),
        (PASSED, [decision("accept", RIGHT, where="audit")], [RIGHT]),
        (PASSED, [decision("reject", RIGHT, where="audit", note="n")], []),
        (PASSED, [decision("edit", RIGHT, where="audit", trace=WRONG)], [WRONG]),
        (case_of(PROBLEM, RIGHT_BOX, state=State.FAILED), [decision("accept", RIGHT)], []),
        (TeachingCase(problem_id=PROBLEM.id, state=State.PENDING), [], []),
    ],
)
def test_final_traces(case: TeachingCase, taken: list[Decision], final: list[Trace]) -> None:
    assert list(final_traces([case], taken)) == final


def test_the_trace_that_is_shown_is_the_last_candidate() -> None:
    case = case_of(PROBLEM, WRONG_BOX, RIGHT_BOX, None)
    assert case.trace is None
    assert latest_trace(case) == RIGHT
    assert latest_trace(case_of(PROBLEM, None)) is None


def test_a_torn_last_line_is_passed_over_and_a_bad_line_is_named(tmp_path: Path) -> None:
    assert read_decisions(tmp_path) == []
    path = tmp_path / DECISIONS
    with AppendLog(path) as log:
        log.append(decision("accept", WRONG))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    assert len(read_decisions(tmp_path)) == 1
    path.write_bytes(whole + b'{"problem_id": "box"}\n')
    with pytest.raises(RecordError, match=r"decisions\.jsonl:2: .*where"):
        read_decisions(tmp_path)


def test_apply_writes_the_traces_anew(folder: Path) -> None:
    assert apply_decisions(folder) == 6
    cases = {case.problem_id: case for case in read_records(folder / "cases.jsonl", TeachingCase)}
    waiting, passed = cases["box-right"], cases["passed-0"]
    with AppendLog(folder / DECISIONS) as log:
        for case, action, where in ((waiting, "accept", "queue"), (passed, "reject", "audit")):
            log.append(decision(action, case.trace, where=where, problem_id=case.problem_id, note="n"))
    assert apply_decisions(folder) == 6
    ids = [trace.problem_id for trace in read_records(folder / "traces.jsonl", Trace)]
    assert ids == ["box-right", *(f"passed-{n}" for n in range(1, 6))]
