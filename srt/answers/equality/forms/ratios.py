"""Ratios: ``1:8``, "1 to 8", 1比8 in two or more terms, compared term by term up to a common factor.

A ratio is no single number: the answer 64 does not meet gold 1:64. A written fraction does: 1/64.
"""

from __future__ import annotations

import re
from itertools import pairwise

from srt.answers.equality.algebra import equal_exactly, is_readable
from srt.answers.equality.normal_form import closing, top_level
from srt.answers.equality.spelled_numbers import number_in_words
from srt.maths.units.unit_phrases import split_unit

_BETWEEN = re.compile(r":|比|(?<![A-Za-z])to(?![A-Za-z])")
_FRACTION = re.compile(r"\\frac\s*\{(?P<a>[^{}]+)\}\s*\{(?P<b>[^{}]+)\}|(?P<c>\d+)\s*/\s*(?P<d>\d+)")
_LOWEST_TERMS = re.compile(r"(?:lowest|simplest)\s+(?:terms|form|whole|ratio)|simplif|最简|化简", re.I)
_RATIO = re.compile(r"ratio|proportion|scale|compar|similar|[比:]", re.I)
_LONGEST = 200


def ratio(text: str) -> list[str] | None:
    """The terms of a ratio in plain spelling; ``None`` where ``text`` is no ratio as a whole."""
    if len(text) > _LONGEST or not _BETWEEN.search(text):
        return None
    if text[0] == "(" and closing(text, 0) == len(text) - 1:
        text = text[1:-1]
    terms = [number_in_words(term) or term for term in top_level(text, _BETWEEN)]
    if len(terms) < 2 or not all(term and is_readable(term) for term in terms):
        return None
    measured = [split_unit(term)[1] is not None for term in terms]
    return None if any(measured) and not all(measured) else terms  # ``4:5 cm`` is none.


def asks_ratio(question: str) -> bool:
    """Whether ``question`` may be answered by a ratio; one that is not known may."""
    return not question or _RATIO.search(question) is not None


def fraction(text: str) -> list[str] | None:
    """Both terms of a value that is written as one fraction."""
    match = _FRACTION.fullmatch(text)
    return [one for one in match.groups() if one is not None] if match else None


def same_ratio(gold: list[str], given: list[str], question: str) -> bool | None:
    """Whether two lists of terms are proportional; ``None``: it is not decided.

    Where the question asks for lowest terms, the terms must be the same.
    """
    if len(gold) != len(given):
        return False
    if _LOWEST_TERMS.search(question):
        outcomes = [equal_exactly(one, other) for one, other in zip(gold, given, strict=True)]
    else:
        pairs = zip(pairwise(gold), pairwise(given), strict=True)
        outcomes = [equal_exactly(f"({a})/({b})", f"({c})/({d})") for (a, b), (c, d) in pairs]
    return False if False in outcomes else None if None in outcomes else True
