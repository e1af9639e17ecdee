"""What the Checker reads: what a machine proved, computed, or says by rules of thumb has three names."""

from __future__ import annotations

from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import Trace
from srt.teaching.case_store.case_records import Issue
from srt.teaching.loop.machine_audit import audit
from srt.teaching.loop.objection_text import issue_lines, verdict_lines

ISSUES = [
    Issue(by="machine", step=2, fault=Fault.FALSE_CLAIM, explanation="2 = 3 is wrong", suggested_fix="2 = 2"),
    Issue(by="machine", step=3, fault=Fault.HALLUCINATED_ENTITY, explanation="Q is no point"),
    Issue(by="reviewer", fault=Fault.WRONG_ANSWER, explanation="it is 4"),
]


def test_who_says_it_and_how_sure_it_is() -> None:
    assert issue_lines(ISSUES, "free", "en").split("\n") == [
        "- machine (computed), step 2, false_claim: 2 = 3 is wrong Suggested: 2 = 2",
        "- machine (heuristic), step 3, hallucinated_entity: Q is no point",
        "- reviewer, the whole, wrong_answer: it is 4",
    ]
    assert issue_lines(ISSUES[1:], "free", "zh").split("\n") == [
        "- 机器（经验规则），第 3 步，hallucinated_entity: Q is no point",
        "- 审查者，整个推理，wrong_answer: it is 4",
    ]
    # The checker of an exact world proves all that it says.
    assert "machine (proved), step 3" in issue_lines(ISSUES, "world", "en")


def test_verdicts_by_their_names(hand_written: list[tuple[Problem, Trace]]) -> None:
    problem, trace = next(case for case in hand_written if case[0].id == "hidden-groove")
    checks = audit(problem, trace).checks
    assert verdict_lines(checks, "en") == "- computed: #4 #5 #6\n- unchecked: #1 #2 #3"
    assert verdict_lines(checks.model_copy(update={"steps": ()}), "zh") == "（无）"
