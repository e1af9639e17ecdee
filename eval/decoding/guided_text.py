"""One text while it is written under a guide: lines that were kept, the line that is drawn, and what was spent.

It knows neither the model nor the guide: tokens and verdicts come in, and it says what comes next.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import accumulate, chain

from eval.decoding.decode_settings import Redrawing
from eval.decoding.guide import Verdict
from eval.decoding.text import Break, RefusedIds

TAKEN_BACK = "taken back: no line after it was kept"
"""Why a line is gone that had been kept."""


class GuidedText:
    """The ids of a text, line by line.

    A line ends with a token that writes a line break, or with one of ``ends``. At most ``longest`` ids stand at a time;
    ``budget`` (``options.tokens``, by default ``longest``) are generated in all. ``drawn`` counts those, ``redrawn``
    the lines that were drawn again, ``taken_back`` the lines that had been kept.

    ``may_be_cut``: a text is whole as well if it is cut off, at ``longest`` or by the budget, and all lines in it that
    ended were kept. Otherwise one that gets too long goes on with another line.
    """

    def __init__(self, options: Redrawing, longest: int, ends: Set[int], *, may_be_cut: bool = False) -> None:
        self._options, self._longest, self._ends, self._may_be_cut = options, longest, ends, may_be_cut
        self.budget = options.tokens or longest
        self.drawn = self.redrawn = self.taken_back = self.draws = 0
        self.finished = self.whole = False
        self.draft: list[int] = []
        self._kept: list[list[int]] = []
        self._best: list[list[int]] = []
        self._best_is_refused = False
        self._tries = 0
        self._opened = False
        self._gone: list[tuple[int, RefusedIds]] = []
        self._stuck_at, self._back = -1, options.back
        # Before these ids the likeliest line is known to lead nowhere: a line there has to be sampled.
        self._left_behind: set[tuple[int, ...]] = set()

    @property
    def ids(self) -> list[int]:
        """The ids that stand now, those of the line that is drawn included."""
        return [*chain.from_iterable(self._kept), *self.draft]

    @property
    def line(self) -> int:
        """The number of the line that is drawn, from 0."""
        return len(self._kept)

    @property
    def refused(self) -> list[RefusedIds]:
        """The lines that were refused or taken back, in the order in which they went."""
        begins = [0, *accumulate(map(len, self._kept))]
        return [one._replace(before=begins[line] if line <= self.line else len(self.ids)) for line, one in self._gone]

    @property
    def sampled(self) -> bool:
        """Whether this line must be sampled, for a greedy draw would be the one that led nowhere."""
        return bool(self._left_behind) and self._before() in self._left_behind

    @property
    def tries_left(self) -> int:
        """How often this line may be drawn before lines are taken back."""
        return self._options.tries + 1 - self._tries

    def add(self, token: int, breaks: Break) -> bool:
        """Add a token, which ``breaks`` the line or not; returns whether the guide must now judge the draft."""
        self.draft.append(token)
        self.drawn += 1
        self._opened = breaks == "opens"
        # A token that opens this very line ends none: the one before it was judged without it.
        if token in self._ends or breaks == "ends" or (self._opened and len(self.draft) > 1):
            return True
        if self.drawn == self.budget:
            self._give_up()
        elif self._may_be_cut and len(self.ids) == self._longest:
            self.finished = self.whole = True
        elif len(self.ids) == self._longest:
            self._note(self.line, self.draft, f"the text would have more than {self._longest} tokens")
            self._refuse()
        return False

    def judged(self, verdict: Verdict) -> None:
        """What the guide says of the draft."""
        ended = self.draft[-1] in self._ends
        if verdict.kept:
            # Of a token that opens the next line, another may be drawn with that line.
            line, self.draft = (self.draft[:-1], self.draft[-1:]) if self._opened else (self.draft, [])
            self._kept += [line] if line else []
            self._tries = 0
            self.draws += 1
            if self.line > self._stuck_at:
                self._stuck_at, self._back = -1, self._options.back
            if len(self._kept) > len(self._best):
                self._best, self._best_is_refused = list(self._kept), False
            if ended:
                self.finished, self.whole = True, verdict.whole
                return
        else:
            self._note(self.line, self.draft[:-1] if self._opened else self.draft, verdict.reason)
            if ended and self.line >= len(self._best):
                # It has an answer, though it is not what was looked for.
                self._best, self._best_is_refused = [*self._kept, self.draft], True
            self.draft = []
        if self.drawn == self.budget:
            self._give_up()
        elif not verdict.kept:
            self._refuse()
        elif self._may_be_cut and len(self.ids) == self._longest:
            self.finished = self.whole = True
        elif len(self.ids) == self._longest:
            self._take_back()

    def spend(self, tokens: int) -> None:
        """Count ``tokens`` that were generated beside those that were added: of lines that are not needed."""
        self.drawn += tokens
        if not self.finished and self.drawn >= self.budget:
            self._give_up()

    def _refuse(self) -> None:
        """Draw the line again, or take lines back."""
        self.draft = []
        self.draws += 1
        self._left_behind.add(self._before())
        self.redrawn += 1
        self._tries += 1
        if self._tries > self._options.tries:
            self._take_back()

    def _take_back(self) -> None:
        self._tries, self.draft = 0, []
        self._stuck_at = max(self._stuck_at, self.line)
        count = min(self._back, self.line)
        self._back += self._options.back
        for line in range(self.line - count, self.line):
            self._note(line, self._kept[line], TAKEN_BACK)
        del self._kept[self.line - count :]
        self.taken_back += count
        self._left_behind.add(self._before())

    def _give_up(self) -> None:
        """End with the longest text that was kept; of the line that was drawn when the budget ended, as it stands."""
        self.finished, self.whole = True, self._may_be_cut
        if len(self._best) > self.line:
            self._kept, self.draft = self._best, []
            self.whole = self._may_be_cut and not self._best_is_refused

    def _note(self, line: int, ids: Sequence[int], reason: str | None) -> None:
        last = tuple(self._kept[line - 1][-1:]) if line else ()
        self._gone.append((line, RefusedIds(0, last, tuple(ids), reason)))

    def _before(self) -> tuple[int, ...]:
        return tuple(chain.from_iterable(self._kept))
