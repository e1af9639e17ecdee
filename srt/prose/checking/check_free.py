"""The verdicts on traces in prose: free traces step by step, cot traces claim by claim."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from srt.io.records import Lang, Problem
from srt.language.faults import Fault
from srt.language.trace import ClaimCheck, Step, StepCheck, Trace, TraceCheck
from srt.maths.work import MOST_WORK, TooMuchWork, WorkBudget, budget
from srt.prose.checking.citations import premises_of, taken_as_true
from srt.prose.checking.conclusion.answer_support import AnswerSupport, not_last_in_prose
from srt.prose.checking.conclusion.conclusions import Conclusion, conclude
from srt.prose.checking.form_faults import form_faults
from srt.prose.checking.formulas.formula_check import FormulaCheck
from srt.prose.checking.formulas.spoken_formulas import SpokenFormulas
from srt.prose.checking.givens import Givens, givens_of
from srt.prose.checking.numbers.number_sources import NumberSources
from srt.prose.checking.operations import wrong_operation

LONGEST_PROSE = 20_000
"""Characters of a cot trace: what is longer is checked so far, and the verdict on its answer says so."""
MOST_READ = 60_000
"""Characters of steps and of what they cite, over a whole trace in prose."""
MOST_CLAIMS = 300
"""Claims found in a whole free trace; each may need an exact proof."""
_TOO_MUCH = StepCheck(
    support="unchecked", fault=Fault.TOO_LARGE, reason="it takes more work than is done on one trace to check so far"
)
_NAMED = re.compile(r"[^\W\d][^\s=<>+*/^|≤≥≠≈()]*\s*=")


def check_free(problem: Problem, trace: Trace) -> TraceCheck:
    """The verdicts on a free or a cot ``trace``.

    A step of a free trace is ``refuted`` if one of the claims found in it is. It is ``computed`` if there are claims,
    all of them hold by the texts of the premises that the step cites, and every number in the step has a source: those
    texts, a calculation in the step, or a formula (the result of a calculation may be named: ``V = 3 * 4 = 12``).
    A named quantity, such as a volume, must be calculated by a formula of it. The step is ``consistent`` if it falls
    short of that, and ``unchecked`` if no claim was found or none could be decided. So ``computed`` is about what the
    step *calculates*, not about what else it says in words.

    With one of these faults a step is at most ``consistent``: it cites nothing, or what does not exist; it rests on the
    answer; it names a point that the problem does not have; its operation is plainly the wrong one; it is in another
    language than the trace; a number in it has no source; what it calculates as a named
    quantity is an instance of no formula of it.
    """
    with budget(MOST_WORK) as work:
        if trace.kind == "cot":
            return _check_prose(problem, trace, work)
        givens, spoken, steps = givens_of(problem), SpokenFormulas(), list[StepCheck]()
        sources = NumberSources(problem, trace, givens, spoken)
        formulas = FormulaCheck(problem, trace, givens, spoken)
        with suppress(TooMuchWork):
            steps.extend(_check_steps(problem, trace, givens, sources, formulas, work))
        steps += [_TOO_MUCH] * (len(trace.steps) - len(steps))
        said = [" ".join(part for part in (step.assertion, step.claim) if part) for step in trace.steps]
        support = AnswerSupport(problem, trace, steps, sources, formulas)
        conclusion = _conclude(problem, trace, said, work, support.lacks)
        return TraceCheck(steps=tuple(steps), unused=_unused(trace, conclusion.rests_on), answer=conclusion.verdict)


def _check_prose(problem: Problem, trace: Trace, work: WorkBudget) -> TraceCheck:
    text = trace.text or ""
    claims = _claims(text[:LONGEST_PROSE], trace.lang, (givens_of(problem).whole,))
    if len(text) > LONGEST_PROSE:
        reason = f"the text has {len(text):,} characters; only the first {LONGEST_PROSE:,} were checked"
        return TraceCheck(
            steps=(), answer=StepCheck(support="unchecked", fault=Fault.TOO_LARGE, reason=reason), prose=claims
        )
    last_line = text[text.rfind("\n") + 1 :]
    conclusion = _conclude(problem, trace, [last_line], work, lambda: not_last_in_prose(problem, trace, claims))
    return TraceCheck(steps=(), answer=conclusion.verdict, prose=claims)


def _conclude(
    problem: Problem, trace: Trace, said: Sequence[str], work: WorkBudget, lacks: Callable[[], str | None]
) -> Conclusion:
    """Whether the answer is the one that is ``said``; ``lacks`` tells what keeps it from being computed."""
    with suppress(TooMuchWork):
        found = conclude(problem, trace, said)
        if found.verdict.support == "computed" and (why := lacks()):
            found = Conclusion(StepCheck(support="consistent", reason=why), found.rests_on)
        if not work.used_up:
            return found
    return Conclusion(_TOO_MUCH, frozenset())


def _check_steps(
    problem: Problem,
    trace: Trace,
    givens: Givens,
    sources: NumberSources,
    formulas: FormulaCheck,
    work: WorkBudget,
) -> Iterator[StepCheck]:
    """The verdicts on the steps, in order. Raises :class:`TooMuchWork` at the first for which too little is left."""
    faults = {bad.step: (bad.fault, bad.message) for bad in reversed(form_faults(problem, trace, givens))}
    found = read = 0
    for number, step in enumerate(trace.steps, 1):
        known = taken_as_true(problem, step, trace.steps[: number - 1], givens)
        read += sum(map(len, known)) + len(step.assertion or "") + len(step.claim or "")
        if found > MOST_CLAIMS or read > MOST_READ:
            most = f"{MOST_CLAIMS} claims" if found > MOST_CLAIMS else f"{MOST_READ:,} characters of steps and premises"
            reason = f"the steps before it use up the {most} that are checked of a trace"
            yield StepCheck(support="unchecked", fault=Fault.TOO_LARGE, reason=reason)
            continue
        claims = _step_claims(step, trace.lang, known)
        found += len(claims)
        fault: tuple[Fault | None, str] | None = faults.get(number)
        if fault is None and (wrong := wrong_operation(problem, step, claims)):
            fault = (Fault.MISLABELLED, wrong)
        # Also of a step with another fault: later steps may use the numbers that have a source in this one, and what
        # it calculates.
        unsupported, unnamed = sources.check(number, claims), formulas.check(number, claims)
        if work.used_up:
            raise TooMuchWork
        yield _step(claims, fault or unsupported or unnamed)


def _step(claims: tuple[ClaimCheck, ...], flaw: tuple[Fault | None, str] | None) -> StepCheck:
    """The verdict on a step with these ``claims``; ``flaw`` keeps it from being computed."""
    refuted = next((claim for claim in claims if claim.support == "refuted"), None)
    if refuted is not None:
        reason = f"{refuted.claim}: {refuted.reason}" if refuted.reason else f"{refuted.claim} is wrong"
        return StepCheck(support="refuted", reason=reason, counterexample=refuted.counterexample, claims=claims)
    fault, reason = flaw or (None, "")
    decided = [claim for claim in claims if claim.support != "unchecked"]
    if not decided:
        reason = reason or ("no claim in it could be decided" if claims else "a machine finds no claim in it")
        return StepCheck(support="unchecked", fault=fault, reason=reason, claims=claims)
    if flaw:
        return StepCheck(support="consistent", fault=fault, reason=reason, claims=claims)
    open_claim = next(
        (claim for claim in claims if claim.support != "computed" and not _only_names(claim, claims)), None
    )
    if open_claim is not None:
        reason = f"{open_claim.claim}: {open_claim.reason or 'what the step cites does not decide it'}"
        return StepCheck(support="consistent", reason=reason, claims=claims)
    return StepCheck(support="computed", claims=claims)


def _only_names(claim: ClaimCheck, claims: Sequence[ClaimCheck]) -> bool:
    """Whether ``claim`` is the ``V = 3 * 4`` of ``V = 3 * 4 = 12``: it names a calculation that holds."""
    if claim.support != "consistent" or not _NAMED.match(claim.claim):
        return False
    return any(other.support == "computed" and claim.start < other.start < claim.end <= other.end for other in claims)


def _step_claims(step: Step, lang: Lang, known: Sequence[str]) -> tuple[ClaimCheck, ...]:
    """The claims in the assertion, and those of the step's ``claim`` that are not in the assertion.

    The latter are placed at the end of the assertion with zero length.
    """
    assertion = step.assertion or ""
    found = _claims(assertion, lang, known)
    if not step.claim:
        return found
    said = {_bare(claim.claim) for claim in found} | {_bare(assertion[claim.start : claim.end]) for claim in found}
    end = {"start": len(assertion), "end": len(assertion)}
    beside = _claims(step.claim, lang, known)
    return (*found, *(claim.model_copy(update=end) for claim in beside if _bare(claim.claim) not in said))


def _unused(trace: Trace, rests_on: frozenset[int]) -> tuple[int, ...]:
    used = set(rests_on)
    for number, step in enumerate(trace.steps, 1):
        used |= {p.number for p in premises_of(step) if p.kind == "step" and p.number != number}
    return tuple(number for number in range(1, len(trace.steps) + 1) if number not in used)


def _claims(text: str, lang: Lang, known: Sequence[str]) -> tuple[ClaimCheck, ...]:
    # Imported here: exact algebra is slow to load, and traces of exact worlds do not need it.
    from srt.prose import check_prose

    return check_prose(text, lang=lang, givens=known)


def _bare(claim: str) -> str:
    return re.sub(r"\s|\\[,;! ]|[*·×$]", "", claim)
