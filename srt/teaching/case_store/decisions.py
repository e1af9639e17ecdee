"""The decisions of people in ``decisions.jsonl``, and the traces that follow from them.

The file only grows: an ``undo`` is one more line. A decision counts only for the trace that the person saw (its
digest). If the loop has made another trace since, the decision is ignored and the case is open again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from srt.io.errors import UserError
from srt.io.record_lines import parse_record
from srt.language.trace import Trace
from srt.teaching.case_store.case_records import Decision, State, TeachingCase

DECISIONS = "decisions.jsonl"
CASES = "cases.jsonl"
TRACES = "traces.jsonl"


@dataclass(frozen=True)
class ReviewState:
    """The trace of a case after review, and the decisions in effect, oldest first."""

    trace: Trace | None
    decisions: tuple[Decision, ...] = ()

    @property
    def last(self) -> Decision | None:
        """The decision in effect; ``None`` if the case is open."""
        return self.decisions[-1] if self.decisions else None


def review_state(case: TeachingCase, decisions: Iterable[Decision]) -> ReviewState:
    """The result of ``decisions`` (on this problem, in the order they were made) for ``case`` as it is now."""
    return replay(case.state, latest_trace(case), decisions)


def replay(state: State, trace: Trace | None, decisions: Iterable[Decision]) -> ReviewState:
    """As :func:`review_state`, for a case in ``state`` of which a person was first shown ``trace``."""
    where = "queue" if state is State.HUMAN else "audit"
    traces = [trace]
    in_effect: list[Decision] = []
    for decision in decisions:
        # Made on another trace than the one that stands here now: the loop, or another edit, has changed it since.
        if decision.where != where or decision.digest != digest(traces[-1]):
            continue
        if decision.action != "undo":
            in_effect.append(decision)
            traces.append(decision.trace if decision.action == "edit" else traces[-1])
        # An undo takes back the latest decision that counts; one whose trace has changed since was skipped above.
        elif in_effect:
            in_effect.pop()
            traces.pop()
    return ReviewState(traces[-1], tuple(in_effect))


def latest_trace(case: TeachingCase) -> Trace | None:
    """The trace of ``case`` that a person sees: the one that the loop ended with, else its last candidate."""
    candidates = (each.trace for each in reversed(case.rounds) if each.trace is not None)
    return case.trace or next(candidates, None)


def digest(trace: Trace | None) -> str:
    """SHA-256 (hex) of ``trace`` without its verdicts: a better checker does not make it another trace."""
    content = None if trace is None else trace.model_dump(mode="json", exclude={"checks"})
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()


def final_traces(cases: Iterable[TeachingCase], decisions: Iterable[Decision]) -> Iterator[Trace]:
    """The final traces of a folder, in the order of ``cases``; one case is held in memory at a time.

    Accepted and repaired cases give their trace, unless an audit rejected it (left out) or edited it (the edited one).
    Cases in the state ``human`` give the trace that a person accepted or edited. All others give nothing.
    """
    of_problem = by_problem(decisions)
    for case in cases:
        if case.state not in (State.ACCEPTED, State.REPAIRED, State.HUMAN):
            continue
        review = review_state(case, of_problem.get(case.problem_id, ()))
        action = review.last.action if review.last else None
        kept = action in ("accept", "edit") if case.state is State.HUMAN else action != "reject"
        if kept and review.trace is not None:
            yield review.trace


def by_problem(decisions: Iterable[Decision]) -> dict[str, list[Decision]]:
    """``decisions`` by problem id, each list in the order they were made."""
    found: dict[str, list[Decision]] = {}
    for decision in decisions:
        found.setdefault(decision.problem_id, []).append(decision)
    return found


def read_decisions(folder: Path) -> list[Decision]:
    """The decisions in ``folder``, oldest first; empty if there is no such file.

    A torn last line (a kill during a write) was never confirmed as saved and is ignored.

    Raises:
        UserError: the file cannot be read, or a line is not a decision; the message names file, line and field.
    """
    path = folder / DECISIONS
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    # Up to the last complete line.
    lines = data[: data.rfind(b"\n") + 1].splitlines()
    return [parse_record(line, Decision, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]
