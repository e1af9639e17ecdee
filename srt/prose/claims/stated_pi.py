"""The value that a problem or a solution takes for pi: ``π取3``, ``take π as 3.14``, ``use 22/7 for π``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

_PI = re.compile(r"π|𝜋|∏|\\pi(?![a-zA-Z])|(?<![a-zA-Z\\])[Pp]i(?![a-zA-Z])|圆周率")
_VALUE = (
    r"(?:(22)\s*/\s*7|\\[dt]?frac\s*\{?(22)\}?\s*\{?7\}?|(3(?:\.\d{1,8})?))"
    r"(?![\d/^²³]|\.\d|\s*[+×*·÷/^]|\s*\\(?:times|cdot|div))"
)
_AFTER = re.compile(rf"([^\d.;。；]{{1,40}}?){_VALUE}")
_BEFORE = re.compile(rf"{_VALUE}([^\d.;。；]{{1,40}})$")
_VERB = re.compile(
    r"取|为|按|用|以|是|作|代|替|=|＝|≈|≒|\\approx|\b(?:as|is|be|at|by|for|take|use)\b|equals?|taken|using"
)
_FILLER = re.compile(
    r"(?:(?:to|as|is|be|at|by|for|take|taken|use|using|with|the|a|of|in|we|here|value|number|constant|equals?|equal|"
    r"about|approximately|approximated|rounded|where|and|let|assume|that)\b|"
    r"[取为按用以是作代替的值看当约大近似等于计算直接一般都均=＝≈≒\s$~,，(（){}]|\\approx|\\text|\\mathrm|\\left|\\right)*",
    re.IGNORECASE,
)
_OPERAND = re.compile(r"[\w)}²³^×*·÷/+-]\s*+\$?\s*+$")
_WORD = re.compile(r"(?:[A-Za-z]{2}|[\u3000-\u9fff])\s{0,20}\$?\s{0,20}$")
_REACH = 64
_FAR_DIGITS = "31415926535"


def stated_pi(text: str) -> frozenset[Fraction]:
    """The values that ``text`` takes for pi: those that round or truncate it, and 22/7. Linear in the length."""
    return frozenset(value for value in _values(text) if value is not None)


def _values(text: str) -> Iterator[Fraction | None]:
    for pi in _PI.finditer(text):
        before, after = text[max(0, pi.start() - _REACH) : pi.start()], text[pi.end() : pi.end() + _REACH]
        found = _AFTER.match(after)
        # ``2π = 6`` and ``r²π = 3`` are equations about something else.
        alone = _OPERAND.search(before) is None or _WORD.search(before) is not None
        if found and alone and _links(found[1]):
            yield _value(found.groups()[1:])
        found = _BEFORE.search(before)
        if found and _links(found[4]) and "=" not in found[4]:
            yield _value(found.groups()[:3])


def _links(words: str) -> bool:
    """Whether ``words``, between pi and a number, say that the one is the other."""
    return _VERB.search(words) is not None and _FILLER.fullmatch(words) is not None


def _value(groups: tuple[str | None, ...]) -> Fraction | None:
    fraction, latex, decimal = groups
    if fraction or latex:
        return Fraction(22, 7)
    digits = (decimal or "").replace(".", "")
    kept = int(_FAR_DIGITS[: len(digits)])
    rounded = kept + (_FAR_DIGITS[len(digits)] >= "5")
    return Fraction(decimal or "3") if int(digits) in (kept, rounded) else None
