"""The verdicts on traces in prose: free traces step by step, cot traces claim by claim."""

from __future__ import annotations

import re
from collections.abc import Sequence

from srt.checking.free.citations import citation_faults, premises_of, taken_as_true
from srt.checking.free.conclusions import Passage, conclude
from srt.checking.free.entities import unknown_entities
from srt.checking.free.givens import givens_of
from srt.checking.free.operations import wrong_operation
from srt.io.records import Lang, Problem
from srt.language.trace import ClaimCheck, Step, StepCheck, Trace, TraceCheck

_NUMBER = re.compile(r"(?<![A-Za-z_#\d.])\d+(?:\.\d+)?(?!\d)|[√π]|\\(?:sqrt|pi)\b")
_REFERENCE = re.compile(r"#\s?\d+|\b[Ss]teps?\s+\d+(?:\s*(?:,|and)\s*\d+)*|第\s*\d+\s*步|步骤\s*\d+|[(（]\d{1,2}[)）]")
_NAMED = re.compile(r"[^\W\d][^\s=<>+*/^|≤≥≠≈()]*\s*=")
_NUMBER_WORDS: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twice|half|double|triple|third|quarter)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"[两三四五六七八九十百千半倍](?![棱角边])"),
}


def check_free(problem: Problem, trace: Trace) -> TraceCheck:
    """The verdicts on a free or a cot ``trace``.

    A step of a free trace is ``refuted`` if one of the claims found in it is. It is ``proved`` if there are claims, all
    of them are proved from the texts of the premises that the step cites, and every other number in the step is in
    those texts (the result of a calculation may be named: ``V = 3 * 4 = 12``). It is ``consistent`` if it falls short
    of that, and ``unchecked`` if no claim was found or none could be decided. So ``proved`` is about what the step
    *calculates*: it does not show that the calculation is the right one for this solid, nor what the step says in
    words.

    With a reference that does not exist, a point that the problem does not have, or an operation that is plainly the
    wrong one, a step is at most ``consistent``. ``unused`` is empty if no step of the trace cites anything.
    """
    if trace.kind == "cot":
        text = trace.text or ""
        claims = _claims(text, trace.lang, (givens_of(problem).whole,))
        at = text.rfind("\n") + 1
        last_line = Passage(text[at:], [claim for claim in claims if claim.start >= at])
        return TraceCheck(steps=(), answer=conclude(problem, trace, [last_line]).verdict, prose=claims)
    givens = givens_of(problem)
    faults: dict[int, str] = {}
    for bad in citation_faults(problem, trace, givens):
        faults.setdefault(bad.step, bad.message)
    for unknown in unknown_entities(problem, trace):
        faults.setdefault(unknown.step, unknown.message)
    steps = []
    for number, step in enumerate(trace.steps, 1):
        known = taken_as_true(problem, step, trace.steps[: number - 1], givens)
        claims = _step_claims(step, trace.lang, known)
        fault = faults.get(number) or wrong_operation(problem, step, claims)
        steps.append(_step(step, claims, trace.lang, known, fault))
    said = [
        Passage(" ".join(part for part in (step.assertion, step.claim) if part), verdict.claims)
        for step, verdict in zip(trace.steps, steps, strict=True)
    ]
    conclusion = conclude(problem, trace, said)
    return TraceCheck(steps=tuple(steps), unused=_unused(trace, conclusion.rests_on), answer=conclusion.verdict)


def _step(step: Step, claims: tuple[ClaimCheck, ...], lang: Lang, known: Sequence[str], fault: str | None) -> StepCheck:
    refuted = next((claim for claim in claims if claim.support == "refuted"), None)
    if refuted is not None:
        reason = f"{refuted.claim}: {refuted.reason}" if refuted.reason else f"{refuted.claim} is wrong"
        return StepCheck(support="refuted", reason=reason, counterexample=refuted.counterexample, claims=claims)
    decided = [claim for claim in claims if claim.support != "unchecked"]
    if not decided:
        reason = fault or ("no claim in it could be decided" if claims else "a machine finds no claim in it")
        return StepCheck(support="unchecked", reason=reason, claims=claims)
    if fault:
        return StepCheck(support="consistent", reason=fault, claims=claims)
    open_claim = next((claim for claim in claims if claim.support != "proved" and not _only_names(claim, claims)), None)
    if open_claim is not None:
        reason = f"{open_claim.claim}: {open_claim.reason or 'what the step cites does not decide it'}"
        return StepCheck(support="consistent", reason=reason, claims=claims)
    if beside := _said_beside(step.assertion or "", claims, lang, known):
        return StepCheck(support="consistent", reason=f"it also speaks of {beside}: not shown", claims=claims)
    return StepCheck(support="proved", claims=claims)


def _only_names(claim: ClaimCheck, claims: Sequence[ClaimCheck]) -> bool:
    """Whether ``claim`` is the ``V = 3 * 4`` of ``V = 3 * 4 = 12``: it names a calculation that is proved."""
    if claim.support != "consistent" or not _NAMED.match(claim.claim):
        return False
    return any(other.support == "proved" and claim.start < other.start < claim.end <= other.end for other in claims)


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


def _said_beside(assertion: str, claims: Sequence[ClaimCheck], lang: Lang, known: Sequence[str]) -> str | None:
    """A number in ``assertion`` that is outside its claims and in no text of ``known``."""
    outside = list(assertion)
    for claim in claims:
        outside[claim.start : claim.end] = " " * (claim.end - claim.start)
    rest = _REFERENCE.sub(" ", "".join(outside))
    there = " ".join(known).casefold()
    numbers = set(_NUMBER.findall(there))
    for number in _NUMBER.findall(rest):
        if number not in numbers:
            return str(number)
    words = [match[0] for match in _NUMBER_WORDS[lang].finditer(rest)]
    return next((word for word in words if word.casefold() not in there), None)


def _unused(trace: Trace, rests_on: frozenset[int]) -> tuple[int, ...]:
    if not any(step.args for step in trace.steps):
        return ()
    used = set(rests_on)
    for number, step in enumerate(trace.steps, 1):
        used |= {p.number for p in premises_of(step) if p.kind == "step" and p.number != number}
    return tuple(number for number in range(1, len(trace.steps) + 1) if number not in used)


def _claims(text: str, lang: Lang, known: Sequence[str]) -> tuple[ClaimCheck, ...]:
    # Imported here: exact algebra is slow to load, and traces of exact worlds do not need it.
    from srt.claims import check_prose

    return check_prose(text, lang=lang, givens=known)


def _bare(claim: str) -> str:
    return re.sub(r"\s|\\[,;! ]|[*·×$]", "", claim)
