"""The value that a statement concludes, where it says more: a calculation, a consequence, words of the question.

``AB = 4cos30° = 2√3`` concludes 2√3, "AB² = 12, so AB = 2√3" too, and "we need 24 cubes to build it" 24. What is left
is still text, for :mod:`srt.answers.equality` to compare: sides that contradict each other stay.
"""

from __future__ import annotations

import re

from srt.answers.beyond_question import said_beyond
from srt.answers.clauses import conclusion
from srt.answers.equality import algebra
from srt.answers.equality.forms.ratios import ratio
from srt.answers.equality.normal_form import plain, top_level
from srt.answers.equality.spelled_numbers import number_in_words
from srt.answers.equality.stated_values import is_label, is_value, name_in_front, said_value, stated_value, states_value
from srt.io.records import Problem
from srt.maths.units.unit_phrases import phrase_unit

_EQUALS = re.compile(r"(?<!\s)\s*+(?<![<>!\\:=≤≥≠])=(?!=)\s*+")
_FUNCTION = re.compile(r"(?<![A-Za-z])\\?(?:arc)?(sin|cos|tan|cot|log|ln)(?![a-z])")
_CALLED = re.compile(r"\\?[A-Za-z]{1,4}\s*\(([^()\d]{1,60})\)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_HELPS = re.compile(r"sin|cos|tan|cot|²|\^\s*+\{?2")
_SET_EQUAL = re.compile(r"\s*(?:∠|\\angle\s*)?[A-Za-zα-ωΑ-Ω]{1,4}\s*=")
_GREEK = re.compile(r"^\$?\s*∠?[α-ορ-ωΑ-Ω][₀-₉'′]?\s*=\s*(?=[^=])")
_ASKS_FUNCTION = re.compile(r"(?<![a-z])(?:co)?(?:sine?|tan|tangent)(?![a-z])|cos|[正余]弦|正切", re.I)
_BEGINS = re.compile(r"[-−$\\(]*[\d½⅓⅔¼¾⅕-⅞]|\\?(?:sqrt|frac|pi)|[√π]")
_OPERATED = re.compile(r"\d[\s)°A-Za-z]{0,8}(?:[-+−×÷·*/]|\\(?:times|div|cdot))[\s(A-Za-z]{0,4}[\d\\√(]")
_NAMED_POINT = re.compile(r"^\$?\(x\s*,\s*y(?:\s*,\s*z)?\)\s*=\s*")
_COORDINATES = re.compile(r"(x\s{0,3}=\s{0,3}[^,=\s]{1,40})\s{1,3}and\s{1,3}(y\s{0,3}=)")
_HAS = re.compile(r"(?<![a-z])(?:has|have|having)(?![a-z])", re.I)
_ASKS_RATIO = re.compile(r"ratio|proportion|odds|scale|比", re.I)
_OF_NAMES = re.compile(r"^[^=\d]{0,40}[A-Z]\w{0,3}\s*[:∶]\s*[A-Z]\w{0,3}\s*=")
_LONGEST = 400


def concluded_value(text: str, question: str) -> str:
    """The part of ``text`` that states its value; ``text`` itself where no part does."""
    if len(text) > _LONGEST or r"\boxed" in text:  # A box that is not closed was cut.
        return text
    text = _COORDINATES.sub(r"\1, \2", _NAMED_POINT.sub("", text, count=1))
    text = _without_calculation(_concluding_clause(text, question), question)
    named = name_in_front(stated_value(plain(text)).sides[-1]) or _HAS.search(text)
    if states_value(text) and not named:
        return text
    beyond = said_beyond(text, question)
    return beyond if beyond is not None and states_value(beyond) and _begins_with_value(beyond) else text


def _concluding_clause(text: str, question: str) -> str:
    """The clause of ``text`` that answers: the last one, unless the first does and the last is of something else."""
    concluded = conclusion(text)
    first = text.partition(",")[0]
    if concluded != text:
        several = re.search(r"\sand\s|[和与]", first) is not None  # "8 are in it and 6 are red" answers nothing
        answered = _is_bare(first) or (_said(first, question) and not (several and states_value(concluded)))
        if answered and not _is_bare(concluded) and not _said(concluded, question) and not _again(first, concluded):
            return first  # ``1:8, so the edges are 1:2``
        if states_value(concluded) or _said(concluded, question) or _again(first, concluded):
            text = concluded
    steps, _, ending = text.replace("→", ",").rpartition(",")
    helps = any(_HELPS.search(step.rpartition("=")[0]) for step in steps.split(","))
    if helps and _SET_EQUAL.match(ending) and states_value(_without_greek(ending, question)):
        text = ending.strip()
    return _without_greek(text, question)


def _again(first: str, concluded: str) -> bool:
    """Whether ``concluded`` has the value of ``first`` again, with a unit: ``16 × 2.5 = 40, so it is €40``."""
    numbers = _NUMBER.findall(concluded)
    value = stated_value(plain(first)).sides[-1]
    return bool(numbers) and algebra.equal_exactly(value, numbers[-1]) is True


def _said(clause: str, question: str) -> bool:
    beyond = said_beyond(clause, question)
    return beyond is not None and _begins_with_value(beyond)


def _begins_with_value(text: str) -> bool:
    return _BEGINS.match(text) is not None or number_in_words(text.split()[0]) is not None


def _without_greek(text: str, question: str) -> str:
    """``text`` without ``θ =`` in front, where the question asks for no function of the angle."""
    return text if _ASKS_FUNCTION.search(question) else _GREEK.sub("", text, count=1)


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
    """Whether ``text`` is a value, or a calculation of one, without words."""
    body = plain(text)
    bare = re.sub(r"\\[A-Za-z]+", "", body)
    words = re.search(r"[A-Za-z\u4e00-\u9fff]{2}", bare)
    side, equals, _ = bare.partition("=") if "=" in bare else bare.partition("≈")
    named = equals and re.search(r"[A-Za-zα-ορ-ω]", side)
    return not words and not named and all(map(is_value, stated_value(body).sides))


def _without_calculation(text: str, question: str) -> str:
    """A chain of equal sides without those that only calculate the last one; ``text`` itself where none does."""
    sides = top_level(plain(text), _EQUALS)
    if (
        len(sides) < 2
        or any("," in side for side in sides[1:])
        or not all(map(is_value, stated_value(sides[-1]).sides))
    ):
        return text
    last = stated_value(sides[-1]).sides[0]
    kept = [side for at, side in enumerate(sides[:-1]) if not _only_calculates(side, last, question, first=at == 0)]
    return text if len(kept) == len(sides) - 1 else " = ".join([*kept, sides[-1]])


def _only_calculates(side: str, last: str, question: str, *, first: bool) -> bool:
    functions = _FUNCTION.findall(side)
    if functions:
        # ``cos θ = 1/2`` states a cosine, if that is what is asked for.
        return not first or all(re.search(rf"(?<![a-z]){name}", question, re.I) for name in functions)
    called = _CALLED.fullmatch(side)
    if called is not None:
        return all(word.casefold() in question.casefold() for word in called[1].split())
    said = said_value(side) if first else side
    units = re.findall(r"(?<![A-Za-z\\])[A-Za-z]+(?![A-Za-z])|°", said)
    if _OPERATED.search(said) and units and all(phrase_unit(unit) is not None for unit in units):
        return True  # 45 km ÷ 3 h, which is not understood as a value
    if first and is_label(side):
        return False
    return bool(algebra.names(side)) and (not first or algebra.equal_exactly(side, last) is True)
