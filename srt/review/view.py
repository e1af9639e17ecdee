"""What the page is told: plain data, texts in pieces that it shows as they are. Nothing here is HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from srt.answers import canonical_text
from srt.language.faults import Fault
from srt.language.premises import localize
from srt.language.trace import OPERATIONS, ClaimCheck, Step, StepCheck, Trace, TraceCheck
from srt.records import Problem
from srt.review.decisions import digest, shown_trace
from srt.review.diff import diff_lines
from srt.review.draft import DraftFault
from srt.review.judge import Judgement, judge
from srt.review.session import Item, ReviewSession
from srt.teaching.records import Decision, Issue, Round

_LATEX = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)
_GRAVEST: tuple[str, ...] = ("refuted", "consistent", "unchecked", "proved")


def session_view(session: ReviewSession) -> dict[str, Any]:
    """The list at the left, and what the page needs once."""
    return {
        "folder": session.folder.resolve().name,
        "where": session.where,
        "who": session.who,
        "operations": OPERATIONS,
        "faults": [{"name": f.value, "explanation": f.explanation} for f in Fault],
        "cases": [summary(item) for item in session.items],
    }


def summary(item: Item) -> dict[str, Any]:
    """One line of the list."""
    case, last = item.case, item.standing.last
    return {
        "id": case.problem_id,
        "category": case.category or item.problem.category or "none",
        "state": case.state.value,
        "faults": sorted({issue.fault.value for issue in _last_issues(item)}),
        "question": item.problem.question[:120],
        "decided": last.action if last else None,
    }


def case_view(item: Item) -> dict[str, Any]:
    """One case, whole, with the machine's verdicts on its trace as it is now."""
    trace = item.standing.trace
    judgement = judge(item.problem, trace) if trace else None
    seen = trace is not None and digest(trace) == digest(shown_trace(item.case))
    return {
        **summary(item),
        "reason": item.case.reason,
        "problem": _problem(item),
        "kind": item.kind,
        "digest": digest(trace),
        "trace": _trace(trace, judgement.audit.checks) if trace and judgement else None,
        "verdict": verdict_view(judgement) if judgement else None,
        # What was said of the loop's trace says nothing of one that a person has written since.
        "issues": [_issue(i) for i in _last_issues(item) if i.by == "reviewer"] if seen else [],
        "rounds": _rounds(item),
        "history": [_decision(decision) for decision in item.history],
    }


def verdict_view(judgement: Judgement) -> dict[str, Any]:
    """The machine's part: verdicts by step, what it holds against the trace, and what bars it from being saved."""
    checks = judgement.audit.checks
    return {
        "steps": [_verdict(step) for step in checks.steps],
        "prose": [_claim(claim) for claim in checks.prose],
        "answer": _verdict(checks.answer),
        "gold": judgement.audit.gold,
        "issues": [_issue(issue) for issue in judgement.audit.issues],
        "barred": [_issue(issue) for issue in judgement.barred],
    }


def fault_view(faults: Sequence[DraftFault]) -> list[dict[str, Any]]:
    """What keeps a draft from being a trace."""
    return [{"step": fault.step, "field": fault.field, "message": fault.message} for fault in faults]


def pieces(text: str, claims: Sequence[ClaimCheck] = ()) -> list[dict[str, Any]]:
    """``text`` cut where LaTeX or a claim begins or ends: ``[{text, latex, support, why}]``; joined, it is whole.

    Where claims overlap, the gravest verdict is given, and why; outside of claims both are ``None``. The cuts are made
    here because characters are counted differently in a browser.
    """
    latex = [match.span() for match in _LATEX.finditer(text)]
    inside = [c for c in claims if 0 <= c.start < c.end <= len(text)]
    cuts = {0, len(text), *(at for span in latex for at in span), *(at for c in inside for at in (c.start, c.end))}
    ends = sorted(cuts)
    found = []
    for start, end in pairwise(ends):
        here = [claim for claim in inside if claim.start <= start and end <= claim.end]
        gravest = min(here, key=lambda claim: _GRAVEST.index(claim.support), default=None)
        found.append(
            {
                "text": text[start:end],
                "latex": any(a <= start and end <= b for a, b in latex),
                "support": gravest.support if gravest else None,
                "why": (gravest.counterexample or gravest.reason) if gravest else None,
            }
        )
    return found


def _problem(item: Item) -> dict[str, Any]:
    problem: Problem = item.problem
    gold = problem.answer
    return {
        "instruction": problem.instruction,
        "question": pieces(problem.question),
        "choices": [
            {
                "letter": letter,
                "text": pieces(text),
                "gold": gold is not None and gold.kind == "choice_set" and letter in gold.value,
            }
            for letter, text in problem.choices.items()
        ],
        "pictures": len(problem.images),
        "description": pieces(problem.diagram_description or item.case.diagram_description or ""),
        "gold": canonical_text(gold) if gold else None,
        "solution": pieces(problem.solution or ""),
        "lang": problem.lang,
        "source": problem.source,
    }


def _trace(trace: Trace, checks: TraceCheck) -> dict[str, Any]:
    return {
        "steps": [
            {
                "op": step.op,
                "premises": [localize(word, trace.lang) for word in step.args],
                "text": _said(step),
                "pieces": pieces(_said(step), verdict.claims),
            }
            for step, verdict in zip(trace.steps, checks.steps, strict=True)
        ],
        "text": trace.text,
        "pieces": pieces(trace.text or "", checks.prose),
        "answer": trace.answer,
        "teacher": trace.teacher,
    }


def _verdict(check: StepCheck) -> dict[str, Any]:
    return {
        "support": check.support,
        "truth": check.truth,
        "reason": check.reason,
        "counterexample": check.counterexample,
        "witness": check.witness,
        "claims": [_claim(claim) for claim in check.claims],
    }


def _claim(claim: ClaimCheck) -> dict[str, Any]:
    return claim.model_dump(mode="json")


def _issue(issue: Issue) -> dict[str, Any]:
    return {**issue.model_dump(mode="json"), "meaning": issue.fault.explanation}


def _decision(decision: Decision) -> dict[str, Any]:
    return decision.model_dump(mode="json", include={"action", "fault", "note", "who", "when"})


def _last_issues(item: Item) -> tuple[Issue, ...]:
    return next((one.issues for one in reversed(item.case.rounds) if one.trace is not None), ())


def _rounds(item: Item) -> list[dict[str, Any]]:
    """Every round; each with a trace has what changed since the last one that had, and the person's edit comes last."""
    found: list[dict[str, Any]] = []
    before: list[str] | None = None
    for number, one in enumerate(item.case.rounds, 1):
        after = _lines(one.trace) if one.trace else None
        found.append({"number": number, **_round(one), "diff": _diff(before, after)})
        before = after or before
    last = item.standing.trace
    if last is not None and any(decision.action == "edit" for decision in item.standing.decisions):
        edit = {"number": len(found) + 1, "made_by": "person", "outcome": "ok", "issues": [], "overruled": []}
        found.append({**edit, "reviewed": False, "diff": _diff(before, _lines(last))})
    return found


def _round(one: Round) -> dict[str, Any]:
    return {
        "made_by": one.made_by,
        "outcome": one.outcome.value,
        "reviewed": one.reviewed,
        "issues": [_issue(issue) for issue in one.issues],
        "overruled": [_issue(issue) for issue in one.overruled],
    }


def _diff(before: list[str] | None, after: list[str] | None) -> list[dict[str, Any]] | None:
    if before is None or after is None:
        return None
    return [
        {"change": line.change, "old": line.old, "new": line.new, "words": line.words}
        for line in diff_lines(before, after)
    ]


def _lines(trace: Trace) -> list[str]:
    steps = [
        f"{' '.join([step.op, *(localize(word, trace.lang) for word in step.args)])}: {_said(step)}"
        for step in trace.steps
    ]
    return [*(trace.text.split("\n") if trace.text else steps), f"ANSWER: {trace.answer}"]


def _said(step: Step) -> str:
    return step.assertion or step.claim or ""
