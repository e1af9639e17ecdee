"""The steps of a proved trace that add nothing to what its earlier steps say, and what can be cited instead of them.

A step adds nothing if it

- reads a clue that a cited step has read;
- says of named entities what an earlier step says of them, or less, or puts together what several say;
- says of the blank what follows can be derived from without it, and not in simpler words.

Whether the steps that cite it can do without it is asked of the checker, step by step.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from srt.io.records import Problem
from srt.language.trace import Trace
from srt.worlds.seating.checker.check_seating import CheckedSteps
from srt.worlds.seating.checker.claim_sets import Meaning
from srt.worlds.seating.checker.reading.problem_text import read_seating_problem
from srt.worlds.seating.checker.repetition import says_the_same

Instead = tuple[str, ...]
_MOST_TRIED = 4
"""Ways to do without one step."""


def left_out(problem: Problem, trace: Trace) -> Iterator[tuple[int, Instead]] | None:
    """See :data:`srt.worlds.world_registry.LeftOut`."""
    read = read_seating_problem(problem)
    return None if read is None else _Search(trace, CheckedSteps(read, trace.steps)).found()


class _Search:
    """Looks for steps of one trace that can be left out, as far as the steps that cite them go."""

    def __init__(self, trace: Trace, checked: CheckedSteps) -> None:
        self.steps = trace.steps
        self.checked = checked
        self.citing: dict[int, list[int]] = {}
        for number, step in enumerate(trace.steps, 1):
            for word in step.args:
                if word.startswith("#"):
                    self.citing.setdefault(int(word[1:]), []).append(number)

    def found(self) -> Iterator[tuple[int, Instead]]:
        """The steps, the last first: with it, those go that were made for it alone."""
        for number in sorted(self.citing, reverse=True):
            for instead in islice(dict.fromkeys(self._instead_of(number)), _MOST_TRIED):
                if all(self._proved_with(citing, f"#{number}", instead) for citing in self.citing[number]):
                    yield number, instead

    def _proved_with(self, number: int, word: str, instead: Instead) -> bool:
        args = dict.fromkeys(new for old in self.steps[number - 1].args for new in (instead if old == word else (old,)))
        return self.checked.proved_with(number, tuple(args))

    def _instead_of(self, number: int) -> Iterator[Instead]:
        """The steps that might be cited instead of step ``number``."""
        claim = self.checked.claims[number - 1]
        if claim is None or claim.letters is not None:
            return
        if number in self.checked.readings:
            yield from self._readings_before(number)
        elif claim.blank:
            yield from self._asked_before(number, claim)
        else:
            yield from self._said_before(number, claim)

    def _readings_before(self, number: int) -> Iterator[Instead]:
        args = self.steps[number - 1].args
        for n in sorted(self.checked.readings):
            if n < number and n in self.citing and self.steps[n - 1].args == args:
                yield (f"#{n}",)

    def _asked_before(self, number: int, claim: Meaning) -> Iterator[Instead]:
        for word in self.steps[number - 1].args:
            cited = self.checked.claims[int(word[1:]) - 1] if word.startswith("#") else None
            if cited is not None and cited.blank and not says_the_same(claim, cited, self.checked.language):
                yield (word,)

    def _said_before(self, number: int, claim: Meaning) -> Iterator[Instead]:
        # Two lists are joined because a step may cite one only, also where a longer list has been made of both.
        if " | " in claim.masked and sum(word.startswith("#") for word in self.steps[number - 1].args) > 1:
            return
        alone = self._saying(number, claim)
        yield from ((f"#{n}",) for n in alone)
        if alone or " | " in claim.masked or " & " not in claim.masked:
            return
        parts = [self.checked.language.meaning(atom) for atom in claim.masked.split(" & ")]
        saying = [self._saying(number, part)[:1] for part in parts if part is not None]
        steps = {n for said in saying for n in said}
        # What is put together from steps that nothing else uses is all that is known: a plan that takes up a seat.
        elsewhere = [n for n in steps if self.citing[n] != [number]]
        if all(saying) and len(elsewhere) >= len(steps) - 1:
            yield from ((f"#{n}",) for n in sorted(steps) if steps - {n} <= {*elsewhere})

    def _saying(self, number: int, claim: Meaning) -> list[int]:
        """The earlier steps that alone say what ``claim`` does, or more, the last first."""
        return [n for n in range(number - 1, 0, -1) if n in self.citing and self._says(n, claim)]

    def _says(self, number: int, claim: Meaning) -> bool:
        said = self.checked.claims[number - 1]
        if said is None or said.letters is not None or said.blank or not claim.form.tokens <= said.form.tokens:
            return False
        # A seat that all alternatives of a list have in common is found by comparing them: that is a step.
        if " | " in said.masked and " | " not in claim.masked:
            return False
        return not said.tied[0] & ~claim.tied[0] and not says_the_same(claim, said, self.checked.language)
