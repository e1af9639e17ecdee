"""The loop on one problem: draft, machine, Reviewer, Checker, machine, ... until a trace is accepted or given up.

A candidate in which the machine finds an issue goes straight to the Checker (a review would cost money and add
nothing); one that passes goes to the Reviewer, whose issues count unless the machine overrules them. Given the same
replies the loop does the same: after a kill it takes the replies from the journal and gets to where it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal, TypeVar

from srt.io.records import Problem
from srt.language.trace import Trace, TraceKind
from srt.llm.exchange import Answered, LlmContext, Outcome, Unusable, ask_usable
from srt.llm.fence import Own
from srt.llm.prompt_templates import NONE, official_solution, problem_fields
from srt.llm.request import JsonSchema, closed_object, within
from srt.teaching.case_store.case_records import Issue, ModelRole, Round, State, TeachingCase
from srt.teaching.loop.candidate import Candidate, form_of, kind_of, read_candidate, schema_of, storable
from srt.teaching.loop.machine_audit import MachineAudit
from srt.teaching.loop.objection_text import issue_lines, verdict_lines
from srt.teaching.loop.reviewer import candidate_text, review
from srt.teaching.teach_config import TeachConfig
from srt.teaching.teach_prompts import form_text

T = TypeVar("T")
Audit = Callable[[Problem, Trace], Awaitable[MachineAudit]]

LONGEST_REASON = 400
_DESCRIPTION = closed_object({"token": {"type": "string"}, "description": {"type": "string"}})
DESCRIPTION_SCHEMA = JsonSchema(
    name="description", definition=_DESCRIPTION, bounded=within(_DESCRIPTION, {"token": 32, "description": 4000})
)


async def teach_problem(problem: Problem, config: TeachConfig, context: LlmContext, audit: Audit) -> TeachingCase:
    """Run the loop on ``problem``.

    The case is pending if a model was not available; otherwise it has ended. Raises what ``context.ask`` raises
    about the whole run (:class:`~srt.llm.llm_errors.BudgetSpent`, :class:`~srt.llm.llm_errors.EndpointFault`).
    """
    return await _Loop(problem, config, context, audit).run()


class _Loop:
    """The loop on one problem, with what has happened so far."""

    def __init__(self, problem: Problem, config: TeachConfig, context: LlmContext, audit: Audit) -> None:
        self.problem = problem
        self.config = config
        self.context = context
        self.audit = audit
        self.form = form_of(problem, config.arm)
        self.rounds: list[Round] = []
        self.outcomes: dict[ModelRole, Counter[Outcome]] = {}

    async def run(self) -> TeachingCase:
        return await self._prepare() or await self._write_candidates()

    async def _prepare(self) -> TeachingCase | None:
        """Describe the pictures if needed; the final case if the problem lacks what the loop needs."""
        problem, config = self.problem, self.config
        # Before any request: without gold nothing can be accepted, and every candidate would be paid for in vain.
        if problem.answer is None:
            return self._end(State.FAILED, "no gold answer")
        if not (problem.solution or "").strip() and not config.solve_without_solution:
            return self._end(State.FAILED, "no solution (solve_without_solution: true lets the teacher solve it)")
        if not problem.images or problem.diagram_description:
            return None
        blind = [role for role, choice in config.choices().items() if not choice.pictures]
        if config.describe:
            described = await self._ask(
                ModelRole.DESCRIBER, "describer", problem_fields(problem), DESCRIPTION_SCHEMA, read_description
            )
            self.problem = problem.model_copy(update={"diagram_description": described.value})
            # Where all models read pictures, the loop goes on without a description.
            if described.outcome is Outcome.UNAVAILABLE or (described.value is None and blind):
                return self._give_up(ModelRole.DESCRIBER, described)
        elif blind:
            why = f"no diagram description, but the {blind[0]} reads no pictures (describe: true makes one)"
            return self._end(State.FAILED, why)
        return None

    async def _write_candidates(self) -> TeachingCase:
        """Write, check and review candidates until one is accepted or the rounds are used up."""
        last: Trace | None = None
        issues: tuple[Issue, ...] = ()
        for number in range(1, self.config.rounds + 1):
            made_by: Literal["teacher", "checker"] = "teacher" if last is None else "checker"
            answered = await self._write(ModelRole(made_by), number, last, issues)
            if answered.value is None:
                self.rounds.append(Round(made_by=made_by, outcome=answered.outcome))
                return self._give_up(ModelRole(made_by), answered, last)
            machine = await self.audit(self.problem, answered.value.trace)
            trace = answered.value.trace.model_copy(update={"checks": machine.checks})
            found = answered.value.issues + machine.issues
            # No review: it would cost money, and the candidate is written again anyway.
            if found:
                self.rounds.append(Round(made_by=made_by, outcome=Outcome.OK, trace=trace, issues=found))
            else:
                reviewed = await review(self.problem, trace, self.context, machine.doubt)
                self._count(ModelRole.REVIEWER, reviewed.asked)
                raised = reviewed.value or ()
                overruled = tuple(issue for issue in raised if machine.overrules(issue))
                found = tuple(issue for issue in raised if issue not in overruled)
                self.rounds.append(
                    Round(
                        made_by=made_by,
                        outcome=Outcome.OK,
                        trace=trace,
                        issues=found,
                        overruled=overruled,
                        reviewed=reviewed.value is not None,
                        doubt=machine.doubt,
                    )
                )
                if reviewed.value is None:
                    return self._give_up(ModelRole.REVIEWER, reviewed, trace)
                if not found:
                    return self._end(State.ACCEPTED if number == 1 else State.REPAIRED, None, trace)
            # Further questions about a candidate that an earlier round had would get the same answers.
            earlier = (past.trace for past in self.rounds[:-1] if past.trace)
            if any((old.steps, old.text, old.answer) == (trace.steps, trace.text, trace.answer) for old in earlier):
                why = f"the Checker repeated an earlier candidate: {_first(found, trace.kind)}"
                return self._end(State.HUMAN, why, trace)
            last, issues = trace, found
        return self._end(State.HUMAN, f"after {len(self.rounds)} rounds: {_first(issues, kind_of(self.form))}", last)

    async def _write(
        self, role: ModelRole, number: int, last: Trace | None, issues: Iterable[Issue]
    ) -> Answered[Candidate]:
        """The teacher's draft, or the Checker's rewrite of ``last`` given its ``issues``."""
        problem, templates, form = self.problem, self.context.templates, self.form
        fields = problem_fields(problem)
        fields["form"] = form_text(templates, form, problem.lang, fields["token"], self.config.normal_form)
        prompt = f"teacher_{form}"
        if last is not None:
            prompt = "checker"
            fields |= {"candidate": candidate_text(last), "issues": issue_lines(issues, last.kind, problem.lang)}
            fields["verdicts"] = Own(verdict_lines(last.checks, problem.lang) if last.checks else NONE[problem.lang])
            fields["solution"] = official_solution(problem)
        read = partial(
            read_candidate,
            problem=problem,
            form=form,
            trace_id=f"{problem.id}:{self.config.arm}:{number}",
            teacher=self.context.models[role].model,
        )
        return await self._ask(role, prompt, fields, schema_of(form, problem), read)

    async def _ask(
        self,
        role: ModelRole,
        prompt: str,
        fields: Mapping[str, str],
        schema: JsonSchema,
        read: Callable[[Mapping[str, Any]], T],
    ) -> Answered[T]:
        answered = await ask_usable(self.context, role, self.problem, prompt, fields, schema, read)
        self._count(role, answered.asked)
        return answered

    def _count(self, role: ModelRole, asked: Counter[Outcome]) -> None:
        self.outcomes.setdefault(role, Counter()).update(asked)

    def _give_up(self, role: ModelRole, answered: Answered[Any], trace: Trace | None = None) -> TeachingCase:
        """End without a usable answer of ``role``: a person can still correct a ``trace`` that there is."""
        # Declined or moderated: no other wording of ours will help, and a person can look. Unavailable: the next run
        # asks again.
        special = {Outcome.REFUSAL: State.HUMAN, Outcome.BLOCKED: State.HUMAN, Outcome.UNAVAILABLE: State.PENDING}
        state = special.get(answered.outcome, State.FAILED if trace is None else State.HUMAN)
        return self._end(state, f"{role.value}: {answered.outcome.value}: {answered.why}", trace)

    def _end(self, state: State, reason: str | None, trace: Trace | None = None) -> TeachingCase:
        return TeachingCase(
            problem_id=self.problem.id,
            category=self.problem.category,
            state=state,
            rounds=tuple(self.rounds),
            trace=trace,
            diagram_description=self.problem.diagram_description,
            outcomes={role: dict(counts) for role, counts in self.outcomes.items()},
            reason=None if reason is None else " ".join(reason.split())[:LONGEST_REASON],
        )


def read_description(payload: Mapping[str, Any]) -> str:
    """The description in a describer's answer; :class:`~srt.llm.exchange.Unusable` where there is none."""
    text = payload.get("description")
    if not isinstance(text, str):
        raise Unusable(Outcome.MALFORMED, '"description" is not text')
    text = storable(text).strip()
    if not text:
        raise Unusable(Outcome.EMPTY, "its description is empty")
    return text


def _first(issues: tuple[Issue, ...], kind: TraceKind) -> str:
    """The first of ``issues``, as the reason of a case."""
    more = f" (and {len(issues) - 1} more)" if len(issues) > 1 else ""
    return issue_lines(issues[:1], kind, "en").removeprefix("- ") + more
