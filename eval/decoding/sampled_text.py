"""Whole samples of one text, one after the other, and a choice among them: no more are drawn than the choice needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from eval.decoding.decode_settings import Samples
from eval.decoding.guide import Verdict
from eval.decoding.text import Break
from srt.answers.groups import groups
from srt.io.records import Problem

Choose = Callable[[Sequence[Verdict], int], int | None]
"""Which of the samples is taken, by the verdicts on those that were drawn and how many more may be; ``None`` if more
are needed. Where no more may be drawn it chooses."""


class SampledText:
    """The ids of up to ``options.samples`` texts of ``longest`` ids at most, and of one of them in the end.

    The members are those of :class:`~eval.decoding.guided_text.GuidedText`; a sample is one line.
    """

    line = taken_back = 0
    refused = ()

    def __init__(self, options: Samples, longest: int, ends: Set[int], choose: Choose) -> None:
        self._options, self._longest, self._ends, self._choose = options, longest, ends, choose
        self.budget = options.samples * longest
        self.drawn = 0
        self.finished = self.whole = False
        self.ids: list[int] = []
        self._samples: list[list[int]] = []
        self._verdicts: list[Verdict] = []

    @property
    def draws(self) -> int:
        """The samples that are whole."""
        return len(self._samples)

    @property
    def redrawn(self) -> int:
        """The samples after the first."""
        return max(0, self.draws - 1)

    @property
    def sampled(self) -> bool:
        """Whether this sample must be sampled: greedily it would be the first."""
        return bool(self._samples)

    def add(self, token: int, breaks: Break) -> bool:
        """Add a token; returns whether the sample is whole."""
        self.ids.append(token)
        self.drawn += 1
        return token in self._ends or len(self.ids) == self._longest

    def judged(self, verdict: Verdict) -> None:
        """What the guide says of the sample."""
        self._samples.append(self.ids)
        self._verdicts.append(verdict)
        self.ids = []
        choice = self._choose(self._verdicts, self._options.samples - self.draws)
        if choice is not None:
            self.finished, self.ids, self.whole = True, self._samples[choice], self._verdicts[choice].whole


def first_whole(verdicts: Sequence[Verdict], left: int) -> int | None:
    """The first sample that has what the guide looks for; in the end the first sample."""
    found = next((place for place, verdict in enumerate(verdicts) if verdict.whole), None)
    return 0 if found is None and not left else found


def most_frequent(problem: Problem) -> Choose:
    """The first sample with the most frequent answer, once no other answer can reach it; of a tie, the first answer.

    Samples without an answer do not vote; if none has one, the first sample is taken.
    """

    def choose(verdicts: Sequence[Verdict], left: int) -> int | None:
        voters = [(place, verdict.answer) for place, verdict in enumerate(verdicts) if verdict.answer is not None]
        alike = groups([answer for _, answer in voters], problem)
        votes = sorted(((-len(each), min(each)) for each in alike), key=lambda vote: vote)
        if left and (not votes or -votes[0][0] <= (-votes[1][0] if len(votes) > 1 else 0) + left):
            return None
        return voters[votes[0][1]][0] if votes else 0

    return choose
