"""The value that a statement concludes, where it says more than the value: a calculation, a consequence, the question.

``AB = 4cos30° = 2√3`` concludes 2√3, "AB² = 12, so AB = 2√3" too, and "we need 24 cubes to build it" 24. What is left is
still text, for :mod:`srt.answers.equality` to compare: sides that contradict each other stay.
"""

from __future__ import annotations

import re

from srt.answers.beyond_question import conclusion, said_beyond
from srt.answers.equality import algebra
from srt.answers.equality.forms.ratios import ratio
from srt.answers.equality.normal_form import plain, top_level
from srt.answers.equality.stated_values import is_label, is_value, name_in_front, stated_value, states_value
from srt.io.records import Problem

_EQUALS = re.compile(r"(?<!\s)\s*+(?<![<>!\\:=≤≥≠])=(?!=)\s*+")
_FUNCTION = re.compile(r"(?<![A-Za-z])\\?(?:arc)?(?:sin|cos|tan|cot|log|ln)(?![a-z])")
_CALLED = re.compile(r"\\?[A-Za-z]{1,4}\s*\(([^()\d]{1,60})\)")
_HELPS = re.compile(r"(?:sin|cos|tan|cot|²|\^\s*\{?2\}?)[^,]*=")
_SET_EQUAL = re.compile(r"\s*(?:∠|\\angle\s*)?[A-Za-zα-ωΑ-Ω]{1,4}\s*=")
_GREEK = re.compile(r"^\$?\s*∠?[α-ορ-ωΑ-Ω][₀-₉'′]?\s*=\s*(?=[^=])")
_HAS = re.compile(r"(?<![a-z])(?:has|have|having)(?![a-z])", re.I)
_ASKS_RATIO = re.compile(r"ratio|proportion|odds|scale|比", re.I)
_OF_NAMES = re.compile(r"^[^=\d]{0,40}[A-Z]\w{0,3}\s*[:∶]\s*[A-Z]\w{0,3}\s*=")
_LONGEST = 400


def concluded_value(text: str, question: str) -> str:
    """The part of ``text`` that states its value; ``text`` itself where no part does."""
    if len(text) > _LONGEST or r"\boxed" in text:  # A box that is not closed was cut.
        return text
    concluded = conclusion(text)
    first = text.partition(",")[0]
    if concluded != text and _is_bare(first) and not _is_bare(concluded):
        text = first  # ``1:8, so the edges are 1:2``: what follows a bare value is of something else.
    elif concluded != text and (states_value(concluded) or said_beyond(concluded, question)):
        text = concluded
    steps, _, ending = text.rpartition(",")
    if _HELPS.search(steps) and _SET_EQUAL.match(ending) and states_value(_GREEK.sub("", ending)):
        text = ending.strip()
    text = _without_calculation(_GREEK.sub("", text), question)
    named = name_in_front(stated_value(plain(text)).sides[-1]) or _HAS.search(text)
    if states_value(text) and not named:
        return text
    beyond = said_beyond(text, question)
    return beyond if beyond is not None and states_value(beyond) else text


def is_unasked_ratio(text: str, problem: Problem) -> bool:
    """Whether ``text`` states a ratio where a value is asked for: ``1:2`` or ``AB:BC = 2`` for a length."""
    gold = problem.answer
    if _ASKS_RATIO.search(problem.question) or len(text) > _LONGEST or ":" not in text.replace("∶", ":"):
        return False
    if gold is not None and ratio(stated_value(plain(str(gold.value))).sides[-1]) is not None:
        return False
    body = plain(text)
    return _OF_NAMES.match(body) is not None or ratio(stated_value(body).sides[-1]) is not None


def _is_bare(text: str) -> bool:
    return is_value(plain(text))


def _without_calculation(text: str, question: str) -> str:
    """A chain of equal sides without those that only calculate the last one; ``text`` itself where none does."""
    sides = top_level(plain(text), _EQUALS)
    if len(sides) < 2 or not all(map(is_value, stated_value(sides[-1]).sides)):
        return text
    last = stated_value(sides[-1]).sides[0]
    kept = [side for at, side in enumerate(sides[:-1]) if not _only_calculates(side, last, question, first=at == 0)]
    return text if len(kept) == len(sides) - 1 else " = ".join([*kept, sides[-1]])


def _only_calculates(side: str, last: str, question: str, *, first: bool) -> bool:
    called = _CALLED.fullmatch(side)
    if called is not None:
        return all(word.casefold() in question.casefold() for word in called[1].split())
    if first and (is_label(side) or not algebra.names(side)):
        return False
    if _FUNCTION.search(side):
        return True
    return bool(algebra.names(side)) and (not first or algebra.equal_exactly(side, last) is True)
