"""The loop around one problem: draft, machine, Reviewer, Checker, machine, ... until it is accepted or given up.

The machine speaks first and last. A candidate that it holds anything against goes straight to the Checker (the Reviewer
costs money and would be told nothing new); one that it lets pass goes to the Reviewer, whose issues stand unless the
machine knows them to be wrong. Given the same replies the loop does the same: a run that was killed takes its requests
from the journal and comes to where it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any

from srt.endpoint.messages import JsonSchema, Role
from srt.language.trace import Trace
from srt.records import Problem
from srt.teaching.candidate import Candidate, Unusable, closed, form_of, read_candidate, schema_of
from srt.teaching.exchange import Answered, Desk, ask_usable, official_solution, problem_fields
from srt.teaching.machine import MachineAudit, knows
from srt.teaching.policy import state_after
from srt.teaching.records import Case, Issue, Outcome, Round, State
from srt.teaching.reviewing import candidate_text, review

Audit = Callable[[Problem, Trace], Awaitable[MachineAudit]]

LONGEST_REASON = 400
DESCRIPTION_SCHEMA = JsonSchema(
    name="description", definition=closed({"token": {"type": "string"}, "description": {"type": "string"}})
)


async def teach_problem(problem: Problem, desk: Desk, audit: Audit) -> Case:
    """Take ``problem`` through the loop.

    The case is pending where a model was not available; otherwise it has ended. Raises what ``desk.ask`` raises about
    the whole run (:class:`~srt.endpoint.errors.BudgetSpent`, :class:`~srt.endpoint.errors.EndpointFault`).
    """
    return await _Loop(problem, desk, audit).run()


class _Loop:
    """One problem on its way; what it has been through is collected for the case."""

    def __init__(self, problem: Problem, desk: Desk, audit: Audit) -> None:
        self.problem = problem
        self.desk = desk
        self.audit = audit
        self.form = form_of(problem, desk.config.arm)
        self.rounds: list[Round] = []
        self.outcomes: dict[Role, Counter[Outcome]] = {}

    async def run(self) -> Case:
        """The case that the loop ends with."""
        return await self._prepare() or await self._rounds()

    async def _prepare(self) -> Case | None:
        """See that there is something to work from; the case where there is not."""
        problem, config = self.problem, self.desk.config
        if problem.answer is None:
            return self._end(State.FAILED, "no gold answer to hold a trace to")
        if not (problem.solution or "").strip() and not config.solve_without_solution:
            return self._end(State.FAILED, "no solution (solve_without_solution: true has the teacher solve)")
        if not problem.images or problem.diagram_description:
            return None
        blind = [role.value for role, choice in config.choices().items() if not choice.pictures]
        if config.describe:
            described = await self._describe()
            self.problem = problem.model_copy(update={"diagram_description": described.value})
            if described.outcome is Outcome.UNAVAILABLE or (described.value is None and blind):
                state = state_after(described.outcome, has_trace=False)
                return self._end(state, f"describer: {described.outcome.value}: {described.why}")
        elif blind:
            why = f"no diagram description, and the {blind[0]} reads no pictures (describe: true makes one)"
            return self._end(State.FAILED, why)
        return None

    async def _rounds(self) -> Case:
        """Candidates until one is accepted, or the rounds are spent."""
        last: Trace | None = None
        issues: tuple[Issue, ...] = ()
        for number in range(1, self.desk.config.rounds + 1):
            made_by = Role.TEACHER if last is None else Role.CHECKER
            answered = await self._write(made_by, number, last, issues)
            if answered.value is None:
                self._round(made_by, answered.outcome)
                state = state_after(answered.outcome, has_trace=last is not None)
                return self._end(state, f"{made_by.value}: {answered.outcome.value}: {answered.why}", last)
            machine = await self.audit(self.problem, answered.value.trace)
            trace = answered.value.trace.model_copy(update={"checks": machine.checks})
            found = answered.value.issues + machine.issues
            if found:
                self._round(made_by, Outcome.OK, trace, found)
            else:
                said = await review(self.problem, trace, self.desk, machine.doubt)
                self._count(Role.REVIEWER, said.asked)
                overruled = tuple(issue for issue in said.issues if knows(issue, machine))
                found = tuple(issue for issue in said.issues if issue not in overruled)
                reviewed = said.outcome is Outcome.OK
                self._round(made_by, Outcome.OK, trace, found, overruled, reviewed, machine.doubt)
                if not reviewed:
                    state = state_after(said.outcome, has_trace=True)
                    return self._end(state, f"reviewer: {said.outcome.value}: {said.why}", trace)
                if not found:
                    return self._end(State.ACCEPTED if number == 1 else State.REPAIRED, None, trace)
            if self._seen_before(trace):
                return self._end(State.PEOPLE, f"the Checker gave back what was found wrong: {_first(found)}", trace)
            last, issues = trace, found
        return self._end(State.PEOPLE, f"after {len(self.rounds)} rounds: {_first(issues)}", last)

    async def _describe(self) -> Answered[str]:
        fields = problem_fields(self.problem)
        answered = await ask_usable(
            self.desk, Role.DESCRIBER, self.problem, "describer", fields, DESCRIPTION_SCHEMA, _read_description
        )
        self._count(Role.DESCRIBER, answered.asked)
        return answered

    async def _write(self, role: Role, number: int, last: Trace | None, issues: Iterable[Issue]) -> Answered[Candidate]:
        """The teacher's draft, or the Checker's rewriting of ``last`` in the light of ``issues``."""
        problem, templates, form = self.problem, self.desk.templates, self.form
        fields = problem_fields(problem)
        fields["form"] = templates.piece(f"form_{form}", problem.lang, {"token": fields["token"]})
        prompt = f"teacher_{form}"
        if last is not None:
            prompt = "checker"
            fields |= {"candidate": candidate_text(last), "issues": "\n".join(map(issue_line, issues))}
            fields["solution"] = official_solution(problem)
        read = partial(
            read_candidate,
            problem=problem,
            form=form,
            trace_id=f"{problem.id}:{self.desk.config.arm}:{number}",
            teacher=self.desk.config.models.of(role).model,
        )
        answered = await ask_usable(self.desk, role, problem, prompt, fields, schema_of(form), read)
        self._count(role, answered.asked)
        return answered

    def _round(
        self,
        made_by: Role,
        outcome: Outcome,
        trace: Trace | None = None,
        issues: tuple[Issue, ...] = (),
        overruled: tuple[Issue, ...] = (),
        reviewed: bool = False,
        doubt: str | None = None,
    ) -> None:
        self.rounds.append(
            Round(
                made_by="teacher" if made_by is Role.TEACHER else "checker",
                outcome=outcome,
                trace=trace,
                issues=issues,
                overruled=overruled,
                reviewed=reviewed,
                doubt=doubt,
            )
        )

    def _seen_before(self, trace: Trace) -> bool:
        """Whether an earlier round had the same candidate: to ask on would buy the same answers."""
        earlier = (past.trace for past in self.rounds[:-1] if past.trace)
        return any((past.steps, past.text, past.answer) == (trace.steps, trace.text, trace.answer) for past in earlier)

    def _count(self, role: Role, asked: Counter[Outcome]) -> None:
        self.outcomes.setdefault(role, Counter()).update(asked)

    def _end(self, state: State, reason: str | None, trace: Trace | None = None) -> Case:
        return Case(
            problem_id=self.problem.id,
            category=self.problem.category,
            state=state,
            rounds=tuple(self.rounds),
            trace=trace,
            diagram_description=self.problem.diagram_description,
            outcomes={role: dict(counts) for role, counts in self.outcomes.items()},
            reason=None if reason is None else " ".join(reason.split())[:LONGEST_REASON],
        )


def issue_line(issue: Issue) -> str:
    """One issue as the Checker reads it: who says it, where, which class, and why."""
    where = "the whole" if issue.step is None else f"step {issue.step}"
    fix = f" Suggested: {issue.suggested_fix}" if issue.suggested_fix else ""
    return f"- {issue.by}, {where}, {issue.fault.value}: {issue.explanation}{fix}"


def _read_description(payload: Mapping[str, Any]) -> str:
    text = payload.get("description")
    if not isinstance(text, str):
        raise Unusable(Outcome.MALFORMED, '"description" is no text')
    text = text.encode("utf-8", "replace").decode("utf-8").strip()
    if not text:
        raise Unusable(Outcome.EMPTY, "its description is empty")
    return text


def _first(issues: tuple[Issue, ...]) -> str:
    """The first of ``issues`` in short, as a reason."""
    more = f" (and {len(issues) - 1} more)" if len(issues) > 1 else ""
    return issue_line(issues[0]).removeprefix("- ") + more
