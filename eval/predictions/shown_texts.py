"""What a system was shown, compared with the problems: whose question, and whose options, are in it.

Texts are compared word by word: prompts differ in blanks, case, punctuation and the marks of pictures. Problems that
share a question and differ in their pictures are told apart by their options; a prompt without options identifies none
of them. A text that all rows share, such as ``See the picture.``, identifies no problem.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from eval.predictions.foreign_row import ForeignRow
from srt.io.records import Problem

_MARKS: Final = re.compile(r"<image(?: \d+)?>|\\n")
_TOKEN: Final = re.compile(r"[a-z]+|\d+(?:[.,]\d+)*|[^\s.,:;!?'\"`*_$(){}\[\]\\，。：；！？、（）“”‘’]")
_LETTER_A: Final = re.compile(r"(?:^|[\s(])A[.):]")
_LETTER_B: Final = re.compile(r"[\s(]B[.):]")
_FEWEST_WORDS: Final = 3
"""A text with fewer is an id, an answer or a name, and no question."""


class ShownText(NamedTuple):
    """What one row was shown: its words, its lines (each whole, and what stands after a colon), and what it says.

    ``telling``: it has a text of its own, in which the question was expected. ``listed``: it lists options.
    """

    words: str
    lines: list[list[tuple[str, str]]]
    telling: bool
    listed: bool


def shown_texts(rows: Sequence[ForeignRow]) -> list[ShownText]:
    """What each of ``rows`` was shown."""
    shared = set(rows[0].shown) if rows else set()
    for row in rows:
        shared.intersection_update(row.shown)
    return [
        ShownText(
            "|".join(map(_bare, row.shown)),
            [[(_bare(line), _bare(line.partition(":")[2])) for line in _lines(text)] for text in row.shown],
            any(text not in shared and _is_sentence(text) for text in row.shown),
            any(map(_lists_options, row.shown)),
        )
        for row in rows
    ]


class ProblemTexts:
    """The questions and options of ``problems``."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self._questions: dict[str, str] = {}
        self._options: dict[str, tuple[str, ...]] = {}
        self._by_id: dict[str, Problem] = {}
        self._sharing: dict[str, list[str]] = defaultdict(list)
        self._with: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
        self._by_word: dict[str, dict[str, list[tuple[str, ...]]]] = {}
        # How many lines the questions have that begin with this one.
        self._lengths: dict[str, set[int]] = defaultdict(set)
        for problem in problems:
            question = self._questions[problem.id] = _bare(problem.question)
            options = tuple(bare for text in problem.choices.values() if (bare := _bare(text)))
            self._by_id[problem.id], self._options[problem.id] = problem, options
            self._sharing[question].append(problem.id)
            self._with[question, options].append(problem.id)
            if lines := [_bare(line) for line in _lines(problem.question)]:
                self._lengths[lines[0]].add(len(lines))

    def asked(self, shown: ShownText) -> Problem | None:
        """The one problem whose question is a text that was shown, or lines of one; ``None`` where it is uncertain."""
        for question in self._found(shown):
            if len(left := self._left(question, shown)) == 1:
                return self._by_id[left[0]]
        return None

    def agree(self, shown: ShownText, problem: Problem, asked: Problem | None) -> bool | None:
        """Whether ``shown``, which is about ``asked``, is about ``problem``; ``None`` where it does not say."""
        question = self._questions[problem.id]
        if not question:
            return None
        if question not in shown.words:
            return False if shown.telling or asked is not None else None
        if asked is not None and asked is not problem and question in self._questions[asked.id]:
            return False
        left = self._left(question, shown)
        if problem.id not in left:
            return False
        return True if len(left) == 1 else None

    def _found(self, shown: ShownText) -> Iterator[str]:
        """Questions that are lines of ``shown``, the last of a text first: examples stand before the question."""
        for lines in shown.lines:
            for start in reversed(range(len(lines))):
                for first in dict.fromkeys(lines[start]):
                    for count in sorted(self._lengths.get(first, ()), reverse=True):
                        rest = [whole for whole, _ in lines[start + 1 : start + count]]
                        if (question := _joined([first, *rest])) in self._sharing:
                            yield question

    def _left(self, question: str, shown: ShownText) -> list[str]:
        """The ids of the problems with this question that ``shown`` may be about, by their options."""
        sharing = self._sharing[question]
        if len(sharing) == 1:
            return sharing
        lists = self._lists(question)
        near = [options for word in set(shown.words.split()) for options in lists.get(word, ())]
        fitting = [options for options in near if _all_in(options, shown.words)]
        if fitting:
            best = [options for options in fitting if _in_order(options, shown.words)] or fitting
            return [one for options in best for one in self._with[question, options]]
        return self._with[question, ()] if shown.listed else sharing

    def _lists(self, question: str) -> Mapping[str, list[tuple[str, ...]]]:
        """The lists of options of this question, by their rarest word: not each is compared with each row."""
        if (known := self._by_word.get(question)) is None:
            every = list(dict.fromkeys(self._options[one] for one in self._sharing[question]))
            words = [dict.fromkeys(" ".join(options).split()) for options in every]
            counts = Counter(word for one in words for word in one)
            known = self._by_word[question] = defaultdict(list)
            for options, one in zip(every, words, strict=True):
                if one:
                    known[min(one, key=lambda word: counts[word])].append(options)
        return known


def _all_in(options: Sequence[str], words: str) -> bool:
    return all(option in words for option in options)


def _in_order(options: Sequence[str], words: str) -> bool:
    place = 0
    for option in options:
        place = words.find(option, place)
        if place < 0:
            return False
        place += len(option) - 1
    return True


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if _bare(line)]


def _bare(text: str) -> str:
    """The words of ``text``, with a blank around each; empty if there is none."""
    words = " ".join(_TOKEN.findall(_MARKS.sub(" ", text.casefold())))
    return f" {words} " if words else ""


def _joined(parts: Iterable[str]) -> str:
    words = " ".join(part.strip() for part in parts)
    return f" {words} " if words else ""


def _lists_options(text: str) -> bool:
    """Whether options stand in ``text`` with their letters."""
    first = _LETTER_A.search(text)
    return first is not None and _LETTER_B.search(text, first.end()) is not None


def _is_sentence(text: str) -> bool:
    # Chinese has no blanks between words.
    return len(text.split()) >= _FEWEST_WORDS or sum(not letter.isascii() for letter in text) >= 2 * _FEWEST_WORDS
