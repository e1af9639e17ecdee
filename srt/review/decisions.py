"""What people decided, read off the list that only grows, and the traces that follow from it.

Nothing is ever erased from ``decisions.jsonl``: an ``undo`` is one more line. A decision counts only for the trace that
the person saw (its digest): where the loop has made another trace since, the decision is passed over and the case is
open again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from srt.errors import UserError
from srt.jsonl import parse_record, read_records, write_records
from srt.language.trace import Trace
from srt.teaching.records import Case, Decision, State

DECISIONS = "decisions.jsonl"
CASES = "cases.jsonl"
TRACES = "traces.jsonl"


@dataclass(frozen=True)
class Standing:
    """Where a case stands with people: its trace as it is now, and the decisions that hold, the oldest first."""

    trace: Trace | None
    decisions: tuple[Decision, ...] = ()

    @property
    def last(self) -> Decision | None:
        """The decision that holds; ``None`` where the case is open."""
        return self.decisions[-1] if self.decisions else None


def standing(case: Case, decisions: Iterable[Decision]) -> Standing:
    """What ``decisions`` (on this problem, in the order they were taken) amount to for ``case`` as it is now."""
    where = "queue" if case.state is State.PEOPLE else "audit"
    traces = [shown_trace(case)]
    held: list[Decision] = []
    for decision in decisions:
        if decision.where != where or decision.digest != digest(traces[-1]):
            continue
        if decision.action != "undo":
            held.append(decision)
            traces.append(decision.trace if decision.action == "edit" else traces[-1])
        elif held:
            held.pop()
            traces.pop()
    return Standing(traces[-1], tuple(held))


def shown_trace(case: Case) -> Trace | None:
    """The trace of ``case`` that a person is shown: what the loop ended with, else its last candidate."""
    candidates = (one.trace for one in reversed(case.rounds) if one.trace is not None)
    return case.trace or next(candidates, None)


def digest(trace: Trace | None) -> str:
    """SHA-256 (hex) of what ``trace`` says. The verdicts on it are left out: a better checker makes no other trace."""
    said = None if trace is None else trace.model_dump(mode="json", exclude={"checks"})
    return hashlib.sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS)).hexdigest()


def final_traces(cases: Iterable[Case], decisions: Iterable[Decision]) -> Iterator[Trace]:
    """The traces that a folder ends with, in the order of ``cases``, of which one is held at a time.

    Of accepted and repaired cases: the trace, unless an audit rejected it (left out) or edited it (the edited one). Of
    cases with people: the trace that a person accepted or edited. Of all others: none.
    """
    of_problem = by_problem(decisions)
    for case in cases:
        if case.state not in (State.ACCEPTED, State.REPAIRED, State.PEOPLE):
            continue
        stands = standing(case, of_problem.get(case.problem_id, ()))
        action = stands.last.action if stands.last else None
        kept = action in ("accept", "edit") if case.state is State.PEOPLE else action != "reject"
        if kept and stands.trace is not None:
            yield stands.trace


def by_problem(decisions: Iterable[Decision]) -> dict[str, list[Decision]]:
    """``decisions`` by problem id, each list in the order they were taken."""
    found: dict[str, list[Decision]] = {}
    for decision in decisions:
        found.setdefault(decision.problem_id, []).append(decision)
    return found


def read_decisions(folder: Path) -> list[Decision]:
    """The decisions in ``folder``, the oldest first; none where nobody has decided anything.

    A torn last line (a kill in mid-write) was never answered as saved and is passed over.

    Raises:
        UserError: the file cannot be read, or a line is no decision; the message names file, line and field.
    """
    path = folder / DECISIONS
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    lines = data[: data.rfind(b"\n") + 1].splitlines()
    return [parse_record(line, Decision, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]


def apply_decisions(folder: Path) -> int:
    """Write ``traces.jsonl`` of ``folder`` anew from its cases and decisions; the number of traces. Atomic."""
    decisions = read_decisions(folder)
    return write_records(folder / TRACES, final_traces(read_records(folder / CASES, Case), decisions))
