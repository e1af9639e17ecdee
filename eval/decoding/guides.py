"""The guides there are. A new one is a class with the members of :class:`~eval.decoding.guide.Guide`."""

from __future__ import annotations

import re

from eval.decoding.guide import LineDraft, Verdict
from srt.answers.extraction import extract
from srt.io.records import Guided
from srt.judging.prefix import judge_prefix
from srt.language.text import TraceSyntaxError, parse_step, step_lang
from srt.language.trace import ClaimCheck
from srt.prose import check_prose
from srt.prose.checking.givens import givens_of

CONTEXT = 2_000
"""So many characters of a text are read, its last ones: a line of a long text takes no longer to check."""
_LINE_END = re.compile(r"\n|[.!?] |[。！？]")


class ProofGuide:
    """Keeps a line if the checker proves it, and a text that ends if it is proved as a whole."""

    marks: tuple[Guided, Guided] = ("proved", "not proved")

    def verdict(self, draft: LineDraft) -> Verdict:
        """The judge's verdict on the prefix."""
        found = judge_prefix(draft.problem, draft.text, ended=draft.ended)
        return Verdict(found.kept, found.whole, found.reason)


class ClaimGuide:
    """Keeps a line unless a claim of the text is refuted with it that was not before: what is unknown is kept."""

    marks: tuple[Guided, Guided] = ("unrefuted", "refuted")

    def verdict(self, draft: LineDraft) -> Verdict:
        """The claims of the line in the light of the problem and of the lines before it."""
        text = "\n".join(_said(line) for line in draft.text.strip().split("\n"))
        if len(text) > CONTEXT:  # Nothing of it where no line begins there: a part of a claim would be another claim.
            cut = _LINE_END.search(text, len(text) - CONTEXT)
            text = "" if cut is None else text[cut.end() :]
        refuted = _refuted(draft, text)
        before = text[: text.rfind("\n") + 1]
        if any(claim.end <= len(before) for claim in refuted):  # A later line can refute an earlier one.
            there = {claim.start for claim in _refuted(draft, before)}
            refuted = [claim for claim in refuted if claim.start not in there]
        if not refuted:
            return Verdict(kept=True, whole=True)
        claim = refuted[0]
        return Verdict(kept=False, reason=f"{claim.claim}: {claim.counterexample or claim.reason}")


def _said(line: str) -> str:
    """``line`` without the operation and the premises of a step: in ``#3 - 4 * 5 = 20`` nothing is subtracted. Nothing
    if it is a step that cannot be read."""
    lang = step_lang(line.strip())
    if lang is None:
        return line
    try:
        _, step = parse_step(line.strip(), 1, lang)
    except TraceSyntaxError:
        return ""
    return "; ".join(part for part in (step.assertion, step.claim) if part)


def _refuted(draft: LineDraft, text: str) -> list[ClaimCheck]:
    checks = check_prose(text, lang=draft.problem.lang, givens=[givens_of(draft.problem).whole])
    return [check for check in checks if check.support == "refuted"]


class AnswerGuide:
    """Refuses nothing, and says what a text states as its answer."""

    marks: tuple[Guided, Guided] = ("majority", "majority")

    def verdict(self, draft: LineDraft) -> Verdict:
        """The answer of a text, in normal form."""
        found = extract(draft.text, draft.problem, "stop" if draft.ended else "length")
        return Verdict(kept=True, whole=True, answer=found.text if found.status == "ok" else None)
