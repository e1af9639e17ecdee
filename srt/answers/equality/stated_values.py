"""The value that a text states: ``V = 36\\pi \\approx 113.1`` and "the volume is 36π" both state 36π."""

from __future__ import annotations

import re
from typing import NamedTuple

from srt.answers.equality.algebra import is_readable
from srt.answers.equality.normal_form import top_level, unbraced

_RELATION = re.compile(r"\s*(?:(?<![<>!\\:=])=(?!=)|≈)\s*")
_APPROXIMATELY = re.compile(
    r"\(\s*(?:(?:or|i\.e\.|that is|即)\s*,?\s*)?(?:≈|about|approximately|approx\.?|roughly|约|大约)\s*([^()]*)\)$"
)
_ABOUT = re.compile(
    r"^(?:≈|(?:is\s+)?(?:about|approximately|approx\.?|around|roughly|exactly|a total of|总共|大约|共有?|约|为|是))\s*",
    re.I,
)
_VERB = re.compile(
    r"(?:(?<![A-Za-z])(?:is|are|was|were|equals|equal to|be|has|have|of|to|total(?:s|ing)?)(?![A-Za-z])"
    r"|[为是有到]|等于|需要|:)\s*",
    re.I,
)
_DENIED = re.compile(
    r"(?<![A-Za-z])(?:not|never|neither|if|unless|less|more|least|most)(?![A-Za-z])|n't|[不非若]|如果|至[多少]|大于|小于|超过",
    re.I,
)
_NAME = re.compile(
    r"(?:\\[A-Za-z]+|[A-Za-z\u4e00-\u9fff∠△⊙|'’′.\s]|_\s*(?:\{[^{}]*\}|\w)|\{[^{}]*\}|(?<=[A-Za-z])\d"
    r"|\^\s*(?:\\prime|\{\s*\\prime\s*\})|[-(),](?=[^\d]))+"
)
_LONGEST_NAME = 80
_LONGEST_VALUE = 80
_ENGLISH = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_WORDS_OF = {
    word: str(number) for words in (_ENGLISH, "零一二三四五六七八九十") for number, word in enumerate(words)
} | {"两": "2"}


class StatedValue(NamedTuple):
    """``label``: what the value is called, empty if nothing; ``sides``: the value, and what it is set equal to."""

    label: str
    sides: list[str]


def stated_value(text: str) -> StatedValue:
    """What ``text`` (:func:`~srt.answers.equality.normal_form.plain`, one part) states, its label taken off."""
    body, remark = unbraced(text), []
    repeated = _APPROXIMATELY.search(body)
    if repeated:  # a remark in brackets at the end, which repeats the value
        body, remark = body[: repeated.start()].strip(), [repeated[1].strip()]
    pieces = [piece for piece in (unbraced(piece) for piece in top_level(body, _RELATION)) if piece]
    label = ""
    if len(pieces) > 1 and is_label(pieces[0]):
        label, pieces = pieces[0], pieces[1:]
        while len(pieces) > 1 and is_label(pieces[0]) and not pieces[0].strip("{} ").islower():
            pieces = pieces[1:]
    sides = [_value(piece) for piece in [*pieces, *remark]]
    return StatedValue(label, sides or [""])


def is_label(piece: str) -> bool:
    """Whether the left side of an equation is a name, not a value: ``Volume``, ``S_{1}``, ``\\angle ABC``, 体积."""
    short = len(piece) <= _LONGEST_NAME
    return short and _NAME.fullmatch(piece) is not None and not re.search(r"\\(?:pi|sqrt|frac)", piece)


def _value(piece: str) -> str:
    """The value in ``piece``: itself, or what follows the verb of a sentence."""
    piece = _ABOUT.sub("", piece, count=1)
    word = _WORDS_OF.get(piece.casefold())
    if word is not None:
        return word
    if not re.search(r"[A-Za-z\u4e00-\u9fff]{2}|:", re.sub(r"\\[A-Za-z]+", "", piece)):
        return piece
    for verb in reversed(list(_VERB.finditer(piece))):
        value = _ABOUT.sub("", unbraced(piece[verb.end() :]), count=1)
        if _DENIED.search(piece[: verb.end()]):
            break
        if value and len(value) <= _LONGEST_VALUE and re.match(r"[-+\d.\\√(|{]", value) and _begins_value(value):
            return value
    return piece


def _begins_value(value: str) -> bool:
    """Whether ``value`` is an expression, up to the words behind it, which may be its unit."""
    head = re.split(r"(?<![\\A-Za-z])[A-Za-z\u4e00-\u9fff°%]", value, maxsplit=1)[0].strip().rstrip("(")
    return bool(head) and is_readable(head)
