"""Whether what stands before a value is what the question asks for: ``h^2 = 16`` states no height.

An equation states its value for its left side alone. A power, a multiple, a ratio or a function of something is the
answer only if the question asks for that very thing, in the same signs or with the same word. What is in doubt is taken
as something else.
"""

from __future__ import annotations

import re

from srt.answers.equality.normal_form import plain
from srt.maths.units.unit_phrases import split_unit
from srt.prose.checking.conclusion.question_words import asked_names, asked_part, asked_unit
from srt.prose.claims.named_dimension import asked as powers_asked
from srt.prose.claims.named_dimension import of_name, of_words

_YIELDS = re.compile(
    r"^.*(?:\b(?:get|gets|obtain|gives?|has|have|that|so|with|find)\b|[得有由即])", re.IGNORECASE | re.DOTALL
)
_OF = re.compile(r"\b(?:of|to|from|between|and)\s*$", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|equals?)\b|等于|[为是]", re.IGNORECASE)
_FUNCTIONS = {
    "sin": re.compile(r"(?<![A-Za-z])(?:arc)?sin(?![a-z])|(?i:\bsines?\b)|正弦"),
    "cos": re.compile(r"(?<![A-Za-z])(?:arc)?cos(?![a-z])|(?i:\bcosines?\b)|余弦"),
    "tan": re.compile(r"(?<![A-Za-z])(?:arc)?tan(?![a-z])|(?i:\btangent of\b)|正切"),
    "power": re.compile(
        r"(?i:\b(?:square of|squared|cube of|cubed)\b)|平方(?![毫厘分千公]?米)|立方(?![体毫厘分千公米])"
    ),
    "root": re.compile(r"(?i:\broot\b)|方根"),
    "multiple": re.compile(
        r"(?i:\b(?:twice|thrice|double|triple|times|half|(?:third|quarter|fifth)s? of|reciprocal)\b)|倍|一半|分之|倒数"
    ),
}
"""What is done to a quantity, by how it is said."""
_BARE = r"(?:\\[a-z]++|[A-Za-zα-ωΑ-Ω]++['′\d]*+)"
_CHANGED = {
    "sin": re.compile(r"\|?\\?(?:arc)?sin(?![a-z])[^=^+*×/÷]*"),
    "cos": re.compile(r"\|?\\?(?:arc)?cos(?![a-z])[^=^+*×/÷]*"),
    "tan": re.compile(r"\|?\\?(?:arc)?tan(?![a-z])[^=^+*×/÷]*"),
    "power": re.compile(rf"(?<![A-Za-zα-ωΑ-Ω]){_BARE}\s*+\^\s*+\{{?[23]\}}?"),
    "root": re.compile(rf"(?:√|\\sqrt)\s*+[{{(]?\s*+{_BARE}[}})]?"),
    "multiple": re.compile(rf"\d\s*+(?:\*|×|·|\\cdot|\\times)?\s*+{_BARE}"),
}
"""The same, in signs, done to one name."""
_PLAIN_RATIO = re.compile(
    r"\bratios?\b|比(?!较)|[:：/]|\\d?frac|\b(?:fraction|part|percent\w*|times)\b|分之|倍|%", re.IGNORECASE
)
_ANGLE = re.compile(r"\bangles?\b|角|[θφαβγ∠]|\\(?:theta|varphi|phi|alpha|beta|gamma|angle)(?![a-z])", re.IGNORECASE)
_OPERATOR = re.compile(r"[+*×·/÷:：√^²³⁴]|\\(?:d?frac|sqrt|cdot|times|div)(?![a-z])|(?<![A-Z])-|-(?![A-Z])")
_LETTER = re.compile(
    r"(?<![A-Za-z\\])[A-Za-z](?![a-z])|[α-ωΑ-Ω]|\\(?:theta|varphi|phi|alpha|beta|gamma|lambda|mu)(?![a-z])"
)
_MULTIPLIED = re.compile(r"\d\s*(?:[A-Za-zα-ω|]|\\[a-z])")
_SUBSCRIPT = re.compile(r"_\{[^{}]*\}|_\w")
_PI = re.compile(r"\\pi(?![a-z])|π")
_OF_FORMULA = re.compile(
    r"[^A-Za-z\u4e00-\u9fff\s\\]|\\(?:[A-Za-z]++|(?![A-Za-z]))|\b(?:sin|cos|tan)|[A-Z]"
    r"|(?<![a-z])(?!(?:of|to|we|so|by|in|at|an|as|be|it|or|is)\b)[a-z]{1,2}(?![a-z])"
    r"|(?<=[A-Za-z])[\u4e00-\u9fff](?=[\s:：/]|$)|\s(?![\u4e00-\u9fff])"
)
"""One sign or name of a formula."""
_FRACTION = re.compile(r"\\d?frac\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
_BETWEEN_TERMS = re.compile(r"\bto\b|\band\b|[与和跟同:：/]")
_TOKENS = re.compile(r"[A-Za-z]+|[\u4e00-\u9fff]|\d+")
_STOPS = frozenset({"the", "a", "an", "of", "that", "is", "ratio", *"之的比体积面表高长"})


def is_asked(subject: str, question: str) -> bool:
    """Whether a value of ``subject``, all that stands before it in its clause, may be what ``question`` asks for."""
    asked = asked_part(question)
    left = _left_side(subject)
    subject = _IS.split(subject)[0] if left is None else left
    if left and _same_signs(left, asked):
        return True
    order = _ratio_order(subject, left is not None, asked)
    if order is False:
        return False
    meant, wanted = _functions(subject), _functions(asked)
    if not meant <= wanted or (not meant and wanted & {"sin", "cos", "tan"} and _ANGLE.search(subject)):
        return False
    if left is None:
        named = of_words(subject, len(subject))
        return named is None or _asked_power(named.power, asked)
    if _is_changed(left):
        as_asked = any(_CHANGED[kind].fullmatch(left) for kind in wanted)
        return as_asked or order is True
    name = re.sub(r"[\\{}_|\s]", "", left)
    names = asked_names(asked)
    if names and re.fullmatch(r"[A-Za-zα-ω][\w'′]{0,4}", name) and not {name, name[::-1]} & names:
        return False
    power = of_name(left, "area")
    return power is None or _asked_power(power.power, asked)


def in_unit_asked(value: str, answer: str, question: str) -> bool:
    """Whether ``value`` is not in another unit than the one that ``question`` asks ``answer``, which has none, in."""
    wanted = asked_unit(asked_part(question))
    _, unit = split_unit(plain(value))
    if wanted is None or unit is None or split_unit(plain(answer))[1] is not None:
        return True
    return unit.dimension != wanted.dimension or unit.scale == wanted.scale


def _left_side(subject: str) -> str | None:
    """The formula on the left of an equation; ``None`` where words say what it is, as in ``the distance is ...``."""
    head = plain(subject).strip(" ,，:：")
    if not head or _IS.search(head):
        return None
    formula = _formula_at_end(head)
    if formula and _OF.search(head[: -len(formula)]):
        return None
    formula = _formula_at_end(_YIELDS.sub("", head).strip())
    return formula.strip() if _LETTER.search(_PI.sub("", formula)) else None


def _formula_at_end(text: str) -> str:
    """The longest end of ``text`` that is a formula: found from the front, in one pass; empty where there is none."""
    begins = end = 0
    for match in _OF_FORMULA.finditer(text):
        if match.start() > end:
            begins = match.start()
        end = match.end()
    return text[begins:] if end == len(text) else ""


def _functions(text: str) -> frozenset[str]:
    return frozenset(kind for kind, pattern in _FUNCTIONS.items() if pattern.search(text))


def _asked_power(power: int, asked: str) -> bool:
    wanted = powers_asked("求" + re.sub(r"[.,，。;；?？]", " ", asked))
    return not wanted or power in wanted


def _is_changed(left: str) -> bool:
    """Whether ``left`` computes with names, so that its value is not theirs."""
    bare = _PI.sub("", _SUBSCRIPT.sub("", left))
    return bool(_OPERATOR.search(bare) or _MULTIPLIED.search(bare) or _functions(bare) & {"sin", "cos", "tan"})


def _same_signs(left: str, asked: str) -> bool:
    """Whether the question asks for ``left`` in the same signs, and does not say what it is."""
    signs = r"[\s{}]*".join(re.escape(sign) for sign in re.sub(r"[\s{}]", "", left))
    alone = rf"(?<![A-Za-z\d_^+*×·/:：\\-]){signs}(?!\s*[A-Za-z\d_^+*×·/:：]|[\s}}]*=\s*[\d\\√])"
    return re.search(alone, plain(asked)) is not None


def _ratio_order(subject: str, in_signs: bool, asked: str) -> bool | None:
    """Whether a ratio is of the terms asked for, in their order; ``None`` if it is no ratio, or of no order."""
    terms = _terms(subject, in_signs)
    if terms is None:
        return None
    if not _PLAIN_RATIO.search(asked):
        return False
    wanted = _terms(asked, True)
    if wanted is None:
        return True
    (first, second), (one, other) = terms, wanted
    crossed = first & other or second & one
    return not crossed and bool(first & one or second & other)


def _terms(text: str, in_signs: bool) -> tuple[frozenset[str], frozenset[str]] | None:
    """What only the first, and what only the second term of a ratio in ``text`` has; ``None`` if there is no ratio.

    ``in_signs``: it may be written with a sign, ``AB : CD``, not only with the word.
    """
    said = text.replace("÷", "/")
    if in_signs and (fraction := _FRACTION.search(said)):
        parts = [fraction[1], fraction[2]]
    elif "ratio" in said.lower() or "比" in said:
        said = re.split(r"\bratio\b", said, maxsplit=1, flags=re.IGNORECASE)[-1]
        parts = _BETWEEN_TERMS.split(said[: said.rindex("比")] if "比" in said else said, maxsplit=1)
    elif in_signs:
        parts = re.split(r"[:：/]", said, maxsplit=1)
    else:
        return None
    if len(parts) != 2:
        return None
    first, second = (frozenset(_TOKENS.findall(_split_name(part))) - _STOPS for part in parts)
    return first - second, second - first


def _split_name(part: str) -> str:
    """``V_P``, ``V甲`` and ``V1`` as the name and what tells it from others."""
    return re.sub(r"([A-Za-z])([\d\u4e00-\u9fff])", r"\1 \2", re.sub(r"[_{}$]", " ", part))
