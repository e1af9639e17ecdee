"""Guides that say what the checker's verdicts are worth: chance, one operation's verdicts, the model's own word.

Each has the members of :class:`eval.decoding.guide.Guide`. None proves anything, so none marks a text as proved; what
came of a text is judged afterwards. ``srt eval --decode`` does not know them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from eval.decoding.guide import LineDraft, Verdict
from eval.decoding.guides import ProofGuide
from srt.checking import check
from srt.io.records import Guided
from srt.judging.judge import judge, trace_of
from srt.judging.output_text import read_prefix
from srt.language.text import MARKERS
from srt.language.trace import Operation

UNPROVED: tuple[Guided, Guided] = ("not proved", "not proved")


@dataclass(frozen=True)
class Noted(Verdict):
    """A verdict with the line's mean log probability (nats a token)."""

    log_probability: float = 0.0


class NotingProofGuide(ProofGuide):
    """The checker's verdicts, noted beside what the model thought of the line: what controls are tuned on."""

    def verdict(self, draft: LineDraft) -> Noted:
        """The judge's verdict on the prefix."""
        found = super().verdict(draft)
        return Noted(found.kept, found.whole, found.reason, log_probability=draft.log_probability)


@dataclass(frozen=True)
class CoinGuide:
    """Refuses a line with the probability ``refusal``, whatever it says; with 0 decoding is plain."""

    refusal: float

    @property
    def marks(self) -> tuple[Guided, Guided]:
        """Nothing is proved."""
        return UNPROVED

    def verdict(self, draft: LineDraft) -> Verdict:
        """The same in every run: from the sample's seed and the number of the draw."""
        return Verdict(kept=random.Random(f"{draft.seed} {draft.draw}").random() >= self.refusal)


@dataclass(frozen=True)
class LikelyGuide:
    """Refuses a line whose mean log probability (nats a token) is below ``threshold``."""

    threshold: float

    @property
    def marks(self) -> tuple[Guided, Guided]:
        """Nothing is proved."""
        return UNPROVED

    def verdict(self, draft: LineDraft) -> Verdict:
        """By the draft's log probability alone."""
        return Verdict(kept=draft.log_probability >= self.threshold)


@dataclass(frozen=True)
class OperationGuide:
    """Refuses a line of ``operation`` that is not proved, and keeps every other line unjudged, the answer too.

    A line is judged with the steps before it, which need not be proved. Behind a line that is no step nothing is
    proved.
    """

    operation: Operation

    @property
    def marks(self) -> tuple[Guided, Guided]:
        """Not every step is proved."""
        return UNPROVED

    def verdict(self, draft: LineDraft) -> Verdict:
        """The checker's verdict on the last line alone."""
        last = draft.text.rstrip("\n").rpartition("\n")[2].strip()
        if not any(last.startswith(words[self.operation]) for words in MARKERS.values()):
            return Verdict(kept=True)
        read = read_prefix(draft.text)
        trace = None if read.fault else trace_of(read, draft.problem)
        if trace is None or trace.kind != "world":
            return Verdict(kept=False, reason=read.fault or "no step of a world")
        step = check(draft.problem, trace).steps[-1]
        return Verdict(step.support == "proved", reason=step.reason)


class CertificateGuide:
    """Refuses nothing, and looks for a text whose last plan is certified (:attr:`srt.judging.judgement.Judgement`)."""

    @property
    def marks(self) -> tuple[Guided, Guided]:
        """A plan that fits is no proof."""
        return UNPROVED

    def verdict(self, draft: LineDraft) -> Verdict:
        """Whether the text is certified."""
        return Verdict(kept=True, whole=judge(draft.problem, draft.text).certified is True)
