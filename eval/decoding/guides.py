"""The guides there are. A new one is a class with the members of :class:`~eval.decoding.guide.Guide`."""

from __future__ import annotations

import re

from eval.decoding.guide import LineDraft, Verdict
from srt.answers.extraction import extract
from srt.io.records import Guided
from srt.judging.prefix import judge_prefix
from srt.judging.refuted_claims import claims_alone, refuted_claims

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
        text = claims_alone(draft.text)
        if len(text) > CONTEXT:  # Nothing of it where no line begins there: a part of a claim would be another claim.
            cut = _LINE_END.search(text, len(text) - CONTEXT)
            text = "" if cut is None else text[cut.end() :]
        refuted = refuted_claims(draft.problem, text)
        before = text[: text.rfind("\n") + 1]
        if any(claim.end <= len(before) for claim in refuted):  # A later line can refute an earlier one.
            there = {claim.start for claim in refuted_claims(draft.problem, before)}
            refuted = [claim for claim in refuted if claim.start not in there]
        if not refuted:
            return Verdict(kept=True, whole=True)
        claim = refuted[0]
        return Verdict(kept=False, reason=f"{claim.claim}: {claim.counterexample or claim.reason}")


class AnswerGuide:
    """Refuses nothing, and says what a text states as its answer."""

    marks: tuple[Guided, Guided] = ("majority", "majority")

    def verdict(self, draft: LineDraft) -> Verdict:
        """The answer of a text, in normal form."""
        found = extract(draft.text, draft.problem, "stop" if draft.ended else "length")
        return Verdict(kept=True, whole=True, answer=found.text if found.status == "ok" else None)
