"""What the cases of a folder add up to: the figures of the report, of ``--status`` and of the summary on the terminal.

Cases are counted one by one and not kept. Shares are of the problems that have ended; pending ones are told apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import Field

from srt.records import Problem, Record
from srt.review.decisions import by_problem, standing
from srt.review.sample import AuditSample
from srt.teaching.bounds import clopper_pearson
from srt.teaching.cases import Read
from srt.teaching.machine import coverage
from srt.teaching.records import Case, Decision, Issue, Round, State

PUBLISHED = {"accepted": 0.90, "repaired": 0.07, "people": 0.03}
"""The rates that MathSpatial's authors report for their corpus; its residual error is given as under 1%."""

PASSED = (State.ACCEPTED, State.REPAIRED)
NO_CATEGORY = "(no category)"


class Account(Record):
    """What one role spent on one model, in the folder's currency.

    ``lost`` is the most that requests without an answer may have cost: lost on their way, cut off by a kill, or in
    flight at this moment; it is not in ``cost``.
    """

    role: str
    model: str
    requests: int
    input_tokens: int
    output_tokens: int
    cost: float
    lost: float = 0.0


class Caught(Record):
    """How many candidates each stage held back, and what became of the Reviewer's objections.

    ``machine`` and ``reviewer`` count candidates with at least one issue that stood; the Reviewer sees only what the
    machine lets pass. ``overruled`` are single issues of the Reviewer that the machine knew to be wrong.
    """

    drafts: int = 0
    drafts_machine: int = 0
    drafts_reviewer: int = 0
    rewrites: int = 0
    rewrites_machine: int = 0
    rewrites_reviewer: int = 0
    reviews: int = 0
    overruled: int = 0


class Residual(Record):
    """Errors that people found in a random sample of passed traces, with Clopper-Pearson bounds of 95%.

    ``upper`` is one-sided, ``low`` and ``high`` are two-sided. A trace that was edited or rejected had an error. They
    bound the error of the folder only where all that were ``drawn`` have been decided, and nothing has passed since:
    ``population`` had passed at the draw. Both are 0 where ``audit.json`` is gone.
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

    ``made_with`` are the settings that the traces depend on, as in ``folder.json``, without the prompts' digests.
    ``answers_by_reviewer`` are passed traces of which the Reviewer alone says that their answer means the gold answer.
    """

    problems: int
    made_with: dict[str, str] = Field(default_factory=dict)
    states: dict[str, int]
    shares: dict[str, float]
    published: dict[str, float] = Field(default_factory=lambda: dict(PUBLISHED))
    by_category: dict[str, dict[str, int]]
    reasons: dict[str, int]
    issues: dict[str, dict[str, int]]
    overruled: dict[str, int]
    caught: Caught
    outcomes: dict[str, dict[str, int]]
    coverage: dict[str, int]
    answers_by_reviewer: int
    accounts: list[Account]
    cost: float
    lost: float
    currency: str
    people: dict[str, int]
    residual: Residual | None

    @property
    def balanced(self) -> bool:
        """The invariant: problems in = accepted + repaired + people + failed + pending."""
        return self.problems == sum(self.states.values())


class Tally:
    """Counts cases. ``decisions`` are what people decided in this folder, the oldest first; ``sample`` is its audit."""

    def __init__(self, decisions: Iterable[Decision] = (), sample: AuditSample | None = None) -> None:
        self._decisions = by_problem(decisions)
        self._sample = sample
        self._problems = 0
        self._states: Counter[str] = Counter({state.value: 0 for state in State})
        self._by_category: dict[str, Counter[str]] = {}
        self._reasons: Counter[str] = Counter()
        self._issues: dict[str, Counter[str]] = {}
        self._overruled: Counter[str] = Counter()
        self._caught: Counter[str] = Counter()
        self._outcomes: dict[str, Counter[str]] = {}
        self._coverage: Counter[str] = Counter()
        self._people: Counter[str] = Counter()
        self._audited = self._wrong = self._answers_by_reviewer = 0

    def add(self, problem: Problem, case: Case) -> None:
        """Count ``case``, which is that of ``problem``."""
        self._problems += 1
        self._states[case.state.value] += 1
        self._by_category.setdefault(problem.category or NO_CATEGORY, Counter())[case.state.value] += 1
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

    def summary(self, accounts: Sequence[Account], currency: str, decides: Mapping[str, str] | None = None) -> Summary:
        """The figures so far. ``decides`` is that of the folder's stamp."""
        ended = self._problems - self._states[State.PENDING.value]
        shares = {s: n / ended if ended else 0.0 for s, n in self._states.items() if s != State.PENDING.value}
        return Summary(
            problems=self._problems,
            made_with={key: value for key, value in (decides or {}).items() if not key.startswith("prompts/")},
            states=dict(self._states),
            shares=shares,
            by_category={name: dict(counts) for name, counts in sorted(self._by_category.items())},
            reasons=dict(self._reasons.most_common()),
            issues={by: dict(counts.most_common()) for by, counts in sorted(self._issues.items())},
            overruled=dict(self._overruled.most_common()),
            caught=Caught.model_validate(self._caught),
            outcomes={role: dict(counts.most_common()) for role, counts in sorted(self._outcomes.items())},
            coverage=dict(sorted(self._coverage.items())),
            answers_by_reviewer=self._answers_by_reviewer,
            accounts=list(accounts),
            cost=sum(account.cost for account in accounts),
            lost=sum(account.lost for account in accounts),
            currency=currency,
            people=dict(self._people),
            residual=self._residual(),
        )

    def _round(self, each: Round) -> None:
        if each.trace is None:
            return
        which = "drafts" if each.made_by == "teacher" else "rewrites"
        self._caught[which] += 1
        if each.issues:
            self._caught[f"{which}_{each.issues[0].by}"] += 1
        self._caught["reviews"] += each.reviewed
        self._caught["overruled"] += len(each.overruled)
        self._name(each.issues)
        self._overruled.update(issue.fault.value for issue in each.overruled)

    def _name(self, issues: Iterable[Issue]) -> None:
        for issue in issues:
            self._issues.setdefault(issue.by, Counter())[issue.fault.value] += 1

    def _decided(self, case: Case) -> None:
        taken = self._decisions.get(case.problem_id)
        last = standing(case, taken).last if taken else None
        if last is None:
            return
        if case.state in PASSED:
            self._audited += 1
            self._wrong += last.action != "accept"
        elif case.state is State.PEOPLE:
            self._people[last.action] += 1

    def _residual(self) -> Residual | None:
        if not self._audited:
            return None
        bounds = clopper_pearson(self._wrong, self._audited)
        return Residual(
            audited=self._audited,
            wrong=self._wrong,
            upper=bounds.upper_one_sided,
            low=bounds.low,
            high=bounds.high,
            drawn=len(self._sample.problems) if self._sample else 0,
            population=self._sample.population if self._sample else 0,
        )


def accounts(read: Read) -> list[Account]:
    """What the journal says was spent, by role and model. ``read`` runs a query on it."""
    rows = read(
        "SELECT role, model, SUM(requests), SUM(input), SUM(output), SUM(cost), SUM(lost) FROM ("
        " SELECT role, model, 1 AS requests, input_tokens AS input, output_tokens AS output, cost, 0.0 AS lost"
        " FROM requests UNION ALL SELECT role, model, 0, 0, 0, 0.0, cost FROM at_risk"
        ") GROUP BY role, model ORDER BY role, model"
    )
    return [Account.model_validate(dict(zip(Account.model_fields, row, strict=True))) for row in rows]


def short_reason(reason: str) -> str:
    """A reason without what is particular to one problem, so that it can be counted."""
    parts = reason.split(": ")
    if parts[0].startswith("after ") and len(parts) > 1:
        return f"{parts[0].replace('1 rounds', '1 round')}: {' '.join(parts[1].split(', ')[::2])}"
    if len(parts) > 1 and parts[0] in ("teacher", "reviewer", "checker", "describer"):
        return f"{parts[0]}: {parts[1]}"
    return parts[0].split(" (")[0]


def shown(summary: Summary) -> Mapping[str, Any]:
    """The rows that the terminal shows; ``report.json`` has all."""
    rows: dict[str, Any] = {"problems": summary.problems, **summary.states}
    rows["share of ended"] = {
        name: f"{share:.1%}" + (f" (published {PUBLISHED[name]:.0%})" if name in PUBLISHED else "")
        for name, share in summary.shares.items()
    }
    rows["reason"] = dict(list(summary.reasons.items())[:8])
    rows["in passed traces"] = {what: _covered(summary.coverage, what) for what in ("steps", "claims")}
    if summary.answers_by_reviewer:
        rows["in passed traces"]["answers"] = f"{summary.answers_by_reviewer} rest on the Reviewer's word alone"
    rows["cost"] = {
        f"{account.role} ({account.model})": f"{account.cost:.4f} {summary.currency}, {account.requests} requests, "
        f"{account.input_tokens} + {account.output_tokens} tokens"
        for account in summary.accounts
    }
    rows["total cost"] = f"{summary.cost:.4f} {summary.currency}"
    if summary.lost:
        rows["total cost"] += f", and at most {summary.lost:.4f} for answers that have not come"
    if summary.residual:
        r = summary.residual
        rows["audit"] = f"{r.wrong} of {r.audited} wrong: at most {r.upper:.2%} (one-sided 95%)"
        if r.audited < r.drawn:
            rows["audit"] += f"; {r.drawn - r.audited} of the {r.drawn} drawn are not decided yet: no bound before that"
    return rows


def _covered(coverage: Mapping[str, int], what: str) -> str:
    """The share behind each verdict, also where it is none: what a machine did not check is never left unsaid."""
    if not coverage.get(what):
        return "none"
    verdicts = ("proved", "refuted", "consistent", "unchecked")
    shares = (f"{verdict} {coverage.get(f'{what} {verdict}', 0) / coverage[what]:.1%}" for verdict in verdicts)
    return f"{', '.join(shares)} of {coverage[what]}"
