"""Answers in words that name several values: "4 sheets of A and 2 of C", 最多7个，最少5个.

Two are equal if they name the same values and points in the same order, with as many negations, and the words of the
one, in their order, are among those of the other: one may be shorter. "At least 7, at most 5" is not the same as "at
most 7, at least 5".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from srt.answers.equality.normal_form import plain
from srt.answers.equality.rounded_decimals import decimal
from srt.maths.units.unit_phrases import phrase_unit

_TOKEN = re.compile(
    r"\d+(?:\.\d+)?|(?<![A-Za-z])(?:[A-Z]['′]?\d?){1,4}(?![a-z])|[A-Za-z]+(?:\^\{?\d\}?)?|[\u4e00-\u9fff]|%|°"
)
_FORMULA = re.compile(r"\\(?!q?quad)|\^(?!\s*\{?[23])|[√<>≤≥/]|[+*×÷]|\d\s*-")
_NEGATION = frozenset(["not", "no", "never", "neither", "nor", "不", "没", "无", "非"])
_LONGEST = 600
_ARTICLES = re.compile(r"(?<![a-z\\])(?:the|an|a)\s+(?=\w)", re.I)
_IS = re.compile(
    r"^[^.。]{0,80}?(?:(?<![A-Za-z])(?:is|are)(?![A-Za-z])|(?<![A-Za-z])(?:it|that|this)['’]s(?![A-Za-z])|[是为])\s*(?!not\b|n't|不)",
    re.I,
)
_HEADING = re.compile(r"[a-z][a-z ]{1,40}:\s*")
_ONE = re.compile(r"^一[个座种只位](?=[\u4e00-\u9fff])")
_NOT = re.compile(
    r"(?<![a-z])(?:not|maybe|perhaps|possibly|probably|might|may|could|either|or|if)(?![a-z])|n['’]t|[不非或]|可能|也许|大概"
)
"""What denies a sentence, or leaves it open."""
_SENTENCE = re.compile(r"(?:[.!?]\s|[。！？\n])\s*")
_CONDITION = re.compile(
    r"(?<![a-z])(?:if|unless|when|for|suppose|half|twice|double|triple|cannot|never|no)(?![a-z])|如果|假如|[若当设倍]|一半",
    re.I,
)
_CONCLUDING = re.compile(
    r"[:：]\s|→|⇒|\\(?:to|Rightarrow|rightarrow|implies)(?![a-z])|(?<![a-z])(?:obtain|get|gives)(?![a-z])|得到?", re.I
)
_SAYS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,20}\s\S{1,40}\s\S|[\u4e00-\u9fff]{4}")
_COMMA = re.compile(r"[,，;；]\s*")
_CHAIN = re.compile(r"\w\s?(?:<|>|\\lt|\\gt)\s?\w")
_LIST_COMMA = re.compile(
    r"(?<!\s)\s*+(?:[,;、]\s*+(?:and\s)?|(?<=\s)and\s|(?<=[\u4e00-\u9fff])[和与](?=[\u4e00-\u9fff]))\s*+"
)
_LONGEST_WORD = 30
_QUOTES = " \"'“”‘’「」『』.。"


@dataclass(frozen=True)
class Description:
    """``words`` in their order, in lower case; ``values``: numbers with their unit, and names of points."""

    words: tuple[str, ...]
    values: tuple[str | tuple[Fraction, str], ...]


def description(text: str) -> Description | None:
    """``text`` (in plain spelling) as a description; ``None`` where it names no value, or has formulas."""
    if len(text) > _LONGEST or _FORMULA.search(text):
        return None
    words: list[str] = []
    values: list[str | tuple[Fraction, str]] = []
    tokens = _TOKEN.findall(text)
    for at, token in enumerate(tokens):
        number = decimal(token)
        if number is not None:
            unit = phrase_unit(_unit_at(tokens, at + 1))
            values.append((number.value, unit.name if unit is not None else ""))
        elif token.isupper() and token.isascii():
            values.append(token)
        words.append(token.casefold())
    return Description(tuple(words), tuple(values)) if any(isinstance(value, tuple) for value in values) else None


def same_description(gold: Description, given: Description) -> bool:
    """Whether one says what the other says, in as many words or fewer."""
    if gold.values != given.values or _negations(gold) != _negations(given):
        return False
    shorter, longer = sorted((gold.words, given.words), key=len)
    return _is_within(shorter, longer)


def same_words(gold: str, given: str) -> bool:
    """Whether two texts are the same words, without articles and "it is"; what is denied is not."""
    wanted, said = (_ARTICLES.sub("", " ".join(plain(text).casefold().split())) for text in (gold, given))
    if not wanted:
        return False
    if said in (wanted, f"it {wanted}"):
        return True
    sentence = _IS.match(said) or _HEADING.match(said)
    said = said if sentence is None or _NOT.search(said) else said[sentence.end() :]
    return _ONE.sub("", said.strip(_QUOTES)) == wanted.strip(_QUOTES)


def _unit_at(tokens: Sequence[str], at: int) -> str:
    """The unit that begins at ``at``: a word, or Han characters that are one together."""
    run = "".join(tokens[at : at + 4])
    for length in range(min(4, len(run)), 0, -1):
        if not run[:length].isascii() and phrase_unit(run[:length]) is not None:
            return run[:length]
    return tokens[at] if at < len(tokens) else ""


def _negations(one: Description) -> int:
    return sum(word in _NEGATION for word in one.words)


def _is_within(shorter: Sequence[str], longer: Sequence[str]) -> bool:
    rest = iter(longer)
    return all(word in rest for word in shorter)


def listed_words(text: str) -> list[str] | None:
    """The words or phrases, without digits, that commas and "and" part in ``text``, which may be a sentence about them.

    ``None`` for a text that lists nothing, or that denies it or leaves it open.
    """
    said = " ".join(plain(text).casefold().split()).strip(_QUOTES)
    if len(said) > _LONGEST or re.search(r"[\d\\]", said) or _NOT.search(said):
        return None
    sentence = _IS.match(said) or _HEADING.match(said)
    pieces = _LIST_COMMA.split(said if sentence is None else said[sentence.end() :])
    words = [_ARTICLES.sub("", piece.strip(_QUOTES)) for piece in pieces]
    return words if len(words) > 1 and all(0 < len(word) <= _LONGEST_WORD for word in words) else None


def concluded(text: str) -> list[str]:
    """The ends of the last sentence of ``text`` that may be what it concludes, the longest first; at most four.

    They stand behind a colon, an arrow, a word such as "obtain" or 得, and, if they are more than a value, behind the
    last comma; so does a chain of ``<`` between commas. Nothing where the clause denies something, leaves it open, or
    speaks of a half or a multiple.
    """
    last = _SENTENCE.split(text[-_LONGEST:].strip().rstrip(".。!"))[-1]
    if _CONDITION.search(last):
        return []
    starts = {0} if last != text else set()
    starts |= {found[-1].end() for found in [list(_CONCLUDING.finditer(last))] if found}
    starts |= {
        found[-1].end() for found in [list(_COMMA.finditer(last))] if found and _SAYS.search(last[found[-1].end() :])
    }
    ends = [end for start in sorted(starts) if (end := last[start:].strip()) and not _NOT.search(_clause(last, start))]
    return [*ends[:3], *[piece for piece in _COMMA.split(last.replace(": ", ", ")) if _CHAIN.search(piece)][-1:]]


def _clause(sentence: str, start: int) -> str:
    """``sentence`` from the comma before the word at ``start``."""
    comma = max(sentence.rfind(sign, 0, max(start - 1, 0)) for sign in ",，;；")
    return sentence[comma + 1 :]
