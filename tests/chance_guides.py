"""Guides that ask no checker. They are here by themselves, because processes that judge import their module."""

from __future__ import annotations

import random

from eval.decoding.guide import LineDraft, Verdict
from srt.io.records import Guided


class Yes:
    marks: tuple[Guided, Guided] = ("proved", "not proved")

    def verdict(self, draft: LineDraft) -> Verdict:
        return Verdict(kept=True, whole=draft.ended)


class No(Yes):
    def verdict(self, draft: LineDraft) -> Verdict:
        return Verdict(kept=False)


class Coin(Yes):
    """Refuses half of the lines, by what they say and by the draw."""

    def verdict(self, draft: LineDraft) -> Verdict:
        kept = random.Random(f"{draft.seed} {draft.draw} {draft.text}").random() < 0.5
        return Verdict(kept, whole=kept and draft.ended)
