"""The guides by name. A new one is a class with the members of :class:`~eval.decoding.guide.Guide` and an entry."""

from __future__ import annotations

from collections.abc import Callable

from eval.decoding.guide import Guide, LineDraft, Verdict
from srt.io.records import Guided
from srt.judging.prefix import judge_prefix


class ProofGuide:
    """Keeps a line if the checker proves it, and a text that ends if it is proved as a whole."""

    marks: tuple[Guided, Guided] = ("proved", "not proved")

    def verdict(self, draft: LineDraft) -> Verdict:
        """The judge's verdict on the prefix."""
        found = judge_prefix(draft.problem, draft.text, ended=draft.ended)
        return Verdict(found.kept, found.whole, found.reason)


GUIDES: dict[str, Callable[[], Guide]] = {"proved": ProofGuide}
