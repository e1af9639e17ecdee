"""The claims of any text that are refuted, whatever its lines are taken for."""

from __future__ import annotations

from srt.io.records import Problem
from srt.judging.output_text import FENCE
from srt.language.text import TraceSyntaxError, parse_step, step_lang
from srt.language.trace import ClaimCheck
from srt.prose import check_prose
from srt.prose.checking.givens import givens_of


def refuted_claims(problem: Problem, text: str) -> list[ClaimCheck]:
    """The claims of ``text`` that are refuted, in the light of what ``problem`` gives; their places are in ``text``."""
    checks = check_prose(text, lang=problem.lang, givens=[givens_of(problem).whole])
    return [check for check in checks if check.support == "refuted"]


def claims_alone(text: str) -> str:
    """``text`` without the operations and premises of steps: in ``#3 - 4 * 5 = 20`` nothing is subtracted.

    A step that cannot be read leaves an empty line, and so does a code fence: the judge reads what stands inside.
    """
    return "\n".join(_said(line) for line in text.strip().split("\n"))


def _said(line: str) -> str:
    if FENCE.fullmatch(line.strip()):
        return ""
    lang = step_lang(line.strip())
    if lang is None:
        return line
    try:
        _, step = parse_step(line.strip(), 1, lang)
    except TraceSyntaxError:
        return ""
    return "; ".join(part for part in (step.assertion, step.claim) if part)
