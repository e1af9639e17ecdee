"""The figures of a folder, counted from its cases: for the report, ``--status`` and the summary on the terminal.

Cases are counted one at a time and not kept. Shares are of the problems that have ended; pending ones are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from pydantic import AliasChoices, Field

from srt.io.records import Problem, Record
from srt.language.trace import Support, TraceCheck
from srt.llm.accounts import ModelUsage, describe_doubts
from srt.statistics.clopper_pearson import clopper_pearson
from srt.teaching.case_store.audit_sample import AuditSample
from srt.teaching.case_store.case_records import Decision, Round, State, TeachingCase
from srt.teaching.case_store.decisions import by_problem, review_state

PUBLISHED = {State.ACCEPTED: 0.90, State.REPAIRED: 0.07, State.HUMAN: 0.03}
"""The rates that MathSpatial's authors report for their corpus. They give its residual error as under 1%."""

PASSED = (State.ACCEPTED, State.REPAIRED)
NO_CATEGORY = "(no category)"


class StageCounts(Record):
    """How many candidates each stage held back, and how many of the Reviewer's issues were overruled.

    ``machine`` and ``reviewer`` count candidates with at least one issue that was not overruled; the Reviewer sees only
    candidates that the machine passes. ``overruled`` counts single issues of the Reviewer that the machine refutes.
    """

    drafts: int = 0
    drafts_machine: int = 0
    drafts_reviewer: int = 0
    rewrites: int = 0
    rewrites_machine: int = 0
    rewrites_reviewer: int = 0
    reviews: int = 0
    overruled: int = 0


class ResidualError(Record):
    """Errors that people found in a random sample of passed traces, with 95% Clopper-Pearson bounds.

    ``upper`` is one-sided; ``low`` and ``high`` are two-sided. A trace that was edited or rejected counts as an error.
    The bounds hold for the folder only if all ``drawn`` traces have been decided and no trace has passed since the
    draw, when ``population`` had passed. ``drawn`` and ``population`` are 0 if ``audit.json`` is missing.
    """

    audited: int
    wrong: int
    upper: float
    low: float
    high: float
    drawn: int = 0
    population: int = 0


class Summary(Record):
    """All figures of a folder. ``states`` has every state; ``shares`` are of the problems that have ended.

    ``made_with`` holds the settings that the traces depend on, as in ``folder.json``, without the prompts' digests.
    ``answers_by_reviewer`` counts passed traces whose answer only the Reviewer held equal to gold. ``human_decisions``
    counts, by action, what people decided on the cases in the state ``human``. ``recipes`` counts the cases that ended
    under each of the recipes in ``folder.json``, where there are several; ``left_out`` is that of ``folder.json``.
    """

    problems: int
    recipes: dict[str, int] = Field(default_factory=dict)
    left_out: dict[str, dict[str, str]] = Field(default_factory=dict)
    made_with: dict[str, str] = Field(default_factory=dict)
    states: dict[State, int]
    shares: dict[State, float]
    published: dict[State, float] = Field(default_factory=lambda: dict(PUBLISHED))
    by_category: dict[str, dict[State, int]]
    reasons: dict[str, int]
    issues: dict[str, dict[str, int]]
    overruled: dict[str, int]
    caught: StageCounts
    outcomes: dict[str, dict[str, int]]
    coverage: dict[str, int]
    answers_by_reviewer: int
    accounts: list[ModelUsage]
    cost: float
    lost: float
    currency: str
    human_decisions: dict[str, int] = Field(validation_alias=AliasChoices("human_decisions", "people"))
    residual: ResidualError | None


class Tally:
    """Counts cases. ``decisions`` are those of the folder, oldest first; ``sample`` is its audit sample."""

    def __init__(self, decisions: Iterable[Decision] = (), sample: AuditSample | None = None) -> None:
        self._decisions = by_problem(decisions)
        self._sample = sample
        self._states: Counter[State] = Counter(dict.fromkeys(State, 0))
        self._by_category: dict[str, Counter[State]] = {}
        self._reasons: Counter[str] = Counter()
        self._issues: dict[str, Counter[str]] = {}
        self._overruled: Counter[str] = Counter()
        self._caught: Counter[str] = Counter()
        self._outcomes: dict[str, Counter[str]] = {}
        self._coverage: Counter[str] = Counter()
        self._human_decisions: Counter[str] = Counter()
        self._recipes: Counter[str] = Counter()
        self._audited = self._wrong = self._answers_by_reviewer = 0

    def add(self, problem: Problem, case: TeachingCase) -> None:
        """Count ``case``, the case of ``problem``."""
        self._states[case.state] += 1
        if case.state is not State.PENDING:
            self._recipes[case.recipe or "(not recorded)"] += 1
        self._by_category.setdefault(problem.category or NO_CATEGORY, Counter())[case.state] += 1
        if case.reason and case.state not in PASSED:
            self._reasons[f"{case.state.value}: {short_reason(case.reason)}"] += 1
        for role, counts in case.outcomes.items():
            self._outcomes.setdefault(role.value, Counter()).update({o.value: n for o, n in counts.items()})
        for each in case.rounds:
            self._round(each)
        if case.state in PASSED and case.trace is not None and case.trace.checks is not None:
            self._coverage.update(coverage(case.trace.checks))
            self._answers_by_reviewer += case.rounds[-1].doubt is not None
        self._decided(case)

    def summary(
        self,
        accounts: Sequence[ModelUsage],
        currency: str,
        settings: Mapping[str, str] | None = None,
        left_out: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Summary:
        """The figures so far. ``settings`` and ``left_out`` are those of the folder's manifest."""
        problems = self._states.total()
        ended = problems - self._states[State.PENDING]
        shares = {s: n / ended if ended else 0.0 for s, n in self._states.items() if s is not State.PENDING}
        return Summary(
            problems=problems,
            recipes=dict(self._recipes.most_common()) if len(self._recipes) > 1 else {},
            left_out={model: dict(names) for model, names in (left_out or {}).items()},
            made_with={key: value for key, value in (settings or {}).items() if not key.startswith("prompts/")},
            states=dict(self._states),
            shares=shares,
            by_category={name: dict(counts) for name, counts in sorted(self._by_category.items())},
            reasons=dict(self._reasons.most_common()),
            issues={by: dict(counts.most_common()) for by, counts in sorted(self._issues.items())},
            overruled=dict(self._overruled.most_common()),
            caught=StageCounts.model_validate(self._caught),
            outcomes={role: dict(counts.most_common()) for role, counts in sorted(self._outcomes.items())},
            coverage=dict(sorted(self._coverage.items())),
            answers_by_reviewer=self._answers_by_reviewer,
            accounts=list(accounts),
            cost=sum(account.cost for account in accounts),
            lost=sum(account.lost for account in accounts),
            currency=currency,
            human_decisions=dict(self._human_decisions),
            residual=self._residual(),
        )

    def _round(self, each: Round) -> None:
        if each.trace is None:
            return
        which = "drafts" if each.made_by == "teacher" else "rewrites"
        self._caught[which] += 1
        if each.issues:
            # The first speaks for all: a candidate that the machine objects to is not reviewed.
            self._caught[f"{which}_{each.issues[0].by}"] += 1
        self._caught["reviews"] += each.reviewed
        self._caught["overruled"] += len(each.overruled)
        for issue in each.issues:
            self._issues.setdefault(issue.by, Counter())[str(issue.fault)] += 1
        self._overruled.update(str(issue.fault) for issue in each.overruled)

    def _decided(self, case: TeachingCase) -> None:
        taken = self._decisions.get(case.problem_id)
        last = review_state(case, taken).last if taken else None
        if last is None:
            return
        if case.state in PASSED:
            self._audited += 1
            # Edited is wrong, too: somebody had to correct it.
            self._wrong += last.action != "accept"
        elif case.state is State.HUMAN:
            self._human_decisions[last.action] += 1

    def _residual(self) -> ResidualError | None:
        if not self._audited:
            return None
        bounds = clopper_pearson(self._wrong, self._audited)
        return ResidualError(
            audited=self._audited,
            wrong=self._wrong,
            upper=bounds.upper_one_sided,
            low=bounds.low,
            high=bounds.high,
            drawn=len(self._sample.problems) if self._sample else 0,
            population=self._sample.population if self._sample else 0,
        )


def short_reason(reason: str) -> str:
    """``reason`` without the details of one problem, so that equal ones can be counted."""
    parts = reason.split(": ")
    if parts[0].startswith("after ") and len(parts) > 1:
        return f"{parts[0].replace('1 rounds', '1 round')}: {' '.join(parts[1].split(', ')[::2])}"
    if len(parts) > 1 and parts[0] in ("teacher", "reviewer", "checker", "describer"):
        return f"{parts[0]}: {parts[1]}"
    return parts[0].split(" (")[0]


def summary_rows(summary: Summary) -> Mapping[str, Any]:
    """The rows that the terminal shows; ``report.json`` has all figures."""
    rows: dict[str, Any] = {"problems": summary.problems, **{state.value: n for state, n in summary.states.items()}}
    if summary.recipes:
        rows["recipes"] = {recipe: f"{count} cases" for recipe, count in summary.recipes.items()}
    for model, names in summary.left_out.items():
        rows.setdefault("left out", {})[model] = "; ".join(f"{name} ({why})" for name, why in names.items())
    if summary.problems > summary.states[State.PENDING]:  # of none there is no share to lay beside a published one
        rows["share of ended"] = {
            name: f"{share:.1%}" + (f" (published {PUBLISHED[name]:.0%})" if name in PUBLISHED else "")
            for name, share in summary.shares.items()
        }
    rows["reason"] = dict(list(summary.reasons.items())[:8])
    rows["in passed traces"] = {what: _covered(summary.coverage, what) for what in ("steps", "claims")}
    if summary.answers_by_reviewer:
        rows["in passed traces"]["answers"] = f"{summary.answers_by_reviewer} held equal to gold by the Reviewer alone"
    rows["cost"] = {
        f"{account.role} ({account.model})": f"{account.cost:.4f} {summary.currency}, {account.requests} requests, "
        f"{account.input_tokens} + {account.output_tokens} tokens"
        for account in summary.accounts
    }
    rows["total cost"] = f"{summary.cost:.4f} {summary.currency}"
    if summary.lost:
        rows["total cost"] += f", plus at most {summary.lost:.4f} that is not certain"
        rows["not certain"] = {
            f"{account.role} ({account.model})": describe_doubts(account, summary.currency)
            for account in summary.accounts
            if account.doubts
        }
    if dearer := [account for account in summary.accounts if account.dearness > 1]:
        rows["prices"] = {
            f"{account.role} ({account.model})": f"too low: the server's own cost was up to {account.dearness:.2f}"
            " times what they give, and is booked"
            for account in dearer
        }
    if summary.residual:
        r = summary.residual
        rows["audit"] = f"{r.wrong} of {r.audited} wrong: at most {r.upper:.2%} (one-sided 95%)"
        if r.audited < r.drawn:
            rows["audit"] += f"; not a bound yet: {r.drawn - r.audited} of the {r.drawn} drawn are undecided"
    return rows


def _covered(coverage: Mapping[str, int], what: str) -> str:
    """The share of each verdict, zeros included, so that what no machine checked is never hidden."""
    if not coverage.get(what):
        return "none"
    shares = (f"{word} {coverage.get(f'{what} {word}', 0) / coverage[what]:.1%}" for word in get_args(Support))
    return f"{', '.join(shares)} of {coverage[what]}"


def coverage(checks: TraceCheck) -> Counter[str]:
    """Counts of ``steps`` and ``claims``, and of each verdict on them (``claims computed``)."""
    counts = Counter({"steps": len(checks.steps), "claims": len(checks.claims)})
    counts.update(f"steps {step.support}" for step in checks.steps)
    counts.update(f"claims {claim.support}" for claim in checks.claims)
    return counts
