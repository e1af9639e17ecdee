"""The guides there are. A new one is a class with the members of :class:`~eval.decoding.guide.Guide`."""

from __future__ import annotations

from eval.decoding.guide import LineDraft, Verdict
from srt.answers.extraction import extract
from srt.io.records import Guided
from srt.judging.prefix import judge_prefix


class ProofGuide:
    """Keeps a line if the checker proves it, and a text that ends if it is proved as a whole."""

    marks: tuple[Guided, Guided] = ("proved", "not proved")

    def verdict(self, draft: LineDraft) -> Verdict:
        """The judge's verdict on the prefix."""
        found = judge_prefix(draft.problem, draft.text, ended=draft.ended)
        return Verdict(found.kept, found.whole, found.reason)


class AnswerGuide:
    """Refuses nothing, and says what a text states as its answer."""

    marks: tuple[Guided, Guided] = ("majority", "majority")

    def verdict(self, draft: LineDraft) -> Verdict:
        """The answer of a text, in normal form."""
        found = extract(draft.text, draft.problem, "stop" if draft.ended else "length")
        return Verdict(kept=True, whole=True, answer=found.text if found.status == "ok" else None)
