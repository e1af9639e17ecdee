"""The JSON that the page gets. Texts come in pieces that it inserts as text or draws as formulas; nothing is HTML."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from srt.answers.written_form import canonical_text
from srt.io.records import Problem
from srt.language.premises import localize
from srt.language.trace import OPERATIONS, ClaimCheck, Step, Trace, TraceCheck
from srt.review.formulas import Drawing, FormulaSpan, find_formulas
from srt.review.machine_verdict import MachineVerdict, machine_verdict
from srt.review.session import ListedCase, ReviewItem, ReviewSession
from srt.review.trace_diff import LineDiff, diff_lines
from srt.teaching.case_store.case_records import Issue
from srt.teaching.case_store.decisions import digest, latest_trace
from srt.worlds.world_registry import fault_classes

_GRAVEST: tuple[str, ...] = ("refuted", "consistent", "unchecked", "computed", "proved")


def session_view(session: ReviewSession) -> dict[str, Any]:
    """The list of cases, and what the page needs only once."""
    return {
        "folder": session.folder.resolve().name,
        "where": session.where,
        "who": session.who,
        "operations": OPERATIONS,
        "faults": [{"name": name, "explanation": fault.explanation} for name, fault in fault_classes().items()],
        "cases": [case_summary(listed) for listed in session.cases],
    }


def case_summary(listed: ListedCase) -> dict[str, Any]:
    """One line of the list."""
    case = listed.queued
    return {
        "id": case.problem_id,
        "category": case.category,
        "state": case.state.value,
        "faults": case.faults,
        "question": case.question,
        "decided": listed.last.action if listed.last else None,
    }


def case_view(item: ReviewItem) -> dict[str, Any]:
    """One case in full, with the machine's verdicts on its current trace."""
    trace = item.review.trace
    verdict = machine_verdict(item.problem, trace) if trace else None
    drawing = Drawing()
    seen = trace is not None and digest(trace) == digest(latest_trace(item.case))
    return {
        **case_summary(item.listed),
        "decided": item.review.last.action if item.review.last else None,
        "reason": item.case.reason,
        "problem": _problem(item, drawing),
        "kind": item.kind,
        "digest": digest(trace),
        "trace": _trace(trace, verdict.audit.checks, drawing) if trace and verdict else None,
        "verdict": verdict_view(verdict, drawing) if verdict else None,
        # The Reviewer saw the loop's trace, not one that a person has written since.
        "issues": [_issue(i, drawing) for i in _last_issues(item) if i.by == "reviewer"] if seen else [],
        "rounds": _rounds(item, drawing),
        "history": [
            decision.model_dump(mode="json", include={"action", "fault", "note", "who", "when"})
            for decision in item.history
        ],
    }


def verdict_view(verdict: MachineVerdict, drawing: Drawing) -> dict[str, Any]:
    """The verdict by step, the issues, and those that keep the trace from being saved."""
    checks = verdict.audit.checks
    return {
        "proved": checks.proved,
        "computed": checks.computed,
        "steps": [step.model_dump(mode="json") for step in checks.steps],
        "prose": [claim.model_dump(mode="json") for claim in checks.prose],
        "answer": checks.answer.model_dump(mode="json"),
        "gold": verdict.audit.gold,
        "issues": [_issue(issue, drawing) for issue in verdict.audit.issues],
        "blocking": [_issue(issue, drawing) for issue in verdict.blocking],
    }


def pieces(text: str, claims: Sequence[ClaimCheck], drawing: Drawing) -> list[dict[str, Any]]:
    """``text`` split where a formula or a claim begins or ends, as ``[{text, math, display, support, why}]``.

    ``math`` is what the browser draws instead of a formula (:mod:`srt.review.formulas`); a formula is one piece, unless
    it cannot be drawn. Where claims overlap, ``support`` and ``why`` are those of the gravest verdict; outside of
    claims they are ``None``. The text is split here because a browser counts characters differently.
    """
    inside = [claim for claim in claims if 0 <= claim.start < claim.end <= len(text)]
    cuts = {0, len(text), *(at for claim in inside for at in (claim.start, claim.end))}
    drawn: dict[int, tuple[FormulaSpan, list[Any]]] = {}
    for one in find_formulas(text):
        if (math := drawing.draw(one.body, one.display)) is not None:
            drawn[one.start] = one, math
    # A claim that begins inside a formula: the formula stays whole, and has its verdict.
    covered = {at for one, _ in drawn.values() for at in range(one.start + 1, one.end)}
    cuts = (cuts - covered) | {at for one, _ in drawn.values() for at in (one.start, one.end)}
    found = []
    for start, end in pairwise(sorted(cuts)):
        formula, math = drawn.get(start, (None, None))
        here = [claim for claim in inside if claim.start < end and start < claim.end]
        # A refuted claim inside a proved one must not be hidden by it.
        gravest = min(here, key=lambda claim: _GRAVEST.index(claim.support), default=None)
        found.append(
            {
                "text": text[start:end],
                "math": math,
                "display": formula is not None and formula.display,
                "support": gravest.support if gravest else None,
                "why": (gravest.counterexample or gravest.reason) if gravest else None,
            }
        )
    return found


def _problem(item: ReviewItem, drawing: Drawing) -> dict[str, Any]:
    problem: Problem = item.problem
    gold = problem.answer
    return {
        "instruction": problem.instruction,
        "question": pieces(problem.question, (), drawing),
        "choices": [
            {
                "letter": letter,
                "text": pieces(text, (), drawing),
                "gold": gold is not None and gold.kind == "choice_set" and letter in gold.value,
            }
            for letter, text in problem.choices.items()
        ],
        "pictures": len(problem.images),
        "description": pieces(problem.diagram_description or item.case.diagram_description or "", (), drawing),
        "gold": pieces(canonical_text(gold), (), drawing) if gold else None,
        "solution": pieces(problem.solution or "", (), drawing),
        "lang": problem.lang,
        "source": problem.source,
    }


def _trace(trace: Trace, checks: TraceCheck, drawing: Drawing) -> dict[str, Any]:
    return {
        "steps": [
            {
                "op": step.op,
                "premises": [localize(word, trace.lang) for word in step.args],
                "text": _content(step),
                "pieces": pieces(_content(step), verdict.claims, drawing),
            }
            for step, verdict in zip(trace.steps, checks.steps, strict=True)
        ],
        "text": trace.text,
        "pieces": pieces(trace.text or "", checks.prose, drawing),
        "answer": trace.answer,
        "answer_pieces": pieces(trace.answer, (), drawing),
        "teacher": trace.teacher,
    }


def _issue(issue: Issue, drawing: Drawing) -> dict[str, Any]:
    return {
        "by": issue.by,
        "step": issue.step,
        "fault": str(issue.fault),
        "meaning": meant.explanation if (meant := fault_classes().get(issue.fault)) else "",
        "explanation": pieces(issue.explanation, (), drawing),
        "suggested_fix": pieces(issue.suggested_fix or "", (), drawing),
    }


def _last_issues(item: ReviewItem) -> tuple[Issue, ...]:
    return next((one.issues for one in reversed(item.case.rounds) if one.trace is not None), ())


def _rounds(item: ReviewItem, drawing: Drawing) -> list[dict[str, Any]]:
    """Every round, each trace with its difference from the one before; a person's edit is the last."""
    found: list[dict[str, Any]] = []
    before: list[str] | None = None
    for number, each in enumerate(item.case.rounds, 1):
        after = _lines(each.trace) if each.trace else None
        found.append(
            {
                "number": number,
                "made_by": each.made_by,
                "outcome": each.outcome.value,
                "reviewed": each.reviewed,
                "issues": [_issue(issue, drawing) for issue in each.issues],
                "overruled": [_issue(issue, drawing) for issue in each.overruled],
                "diff": _diff(before, after),
            }
        )
        before = after or before
    last = item.review.trace
    if last is not None and any(decision.action == "edit" for decision in item.review.decisions):
        edit = {"number": len(found) + 1, "made_by": "person", "outcome": "ok", "issues": [], "overruled": []}
        found.append({**edit, "reviewed": False, "diff": _diff(before, _lines(last))})
    return found


def _diff(before: list[str] | None, after: list[str] | None) -> list[LineDiff] | None:
    return None if before is None or after is None else diff_lines(before, after)


def _lines(trace: Trace) -> list[str]:
    steps = [
        f"{' '.join([step.op, *(localize(word, trace.lang) for word in step.args)])}: {_content(step)}"
        for step in trace.steps
    ]
    return [*(trace.text.split("\n") if trace.text else steps), f"ANSWER: {trace.answer}"]


def _content(step: Step) -> str:
    return step.assertion or step.claim or ""
