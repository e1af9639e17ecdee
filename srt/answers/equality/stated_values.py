"""The value that a text states: ``V = 36\\pi \\approx 113.1`` and "the volume is 36π" both state 36π.

Only is, are, was, were, equals, 为, 是, 等于, the colon of a heading and the equals sign state a value, and it is all
that follows, up to a reason or a remark: "half of 12", "less than 12" and "1/2 of 12" are not cut to the 12 in them.
What is denied, supposed, or said of a multiple or a power ("V/2 is", "twice the volume is") states nothing here.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from srt.answers.equality.algebra import equal_exactly, is_readable
from srt.answers.equality.forms.brackets import bracketed, interval, is_infinite
from srt.answers.equality.forms.ratios import ratio
from srt.answers.equality.normal_form import plain, top_level, unbraced
from srt.answers.equality.rounded_decimals import decimal
from srt.answers.equality.spelled_numbers import HAN_FRACTION, number_in_words
from srt.answers.equality.units import split_noun
from srt.maths.units.unit_phrases import as_one_unit, phrase_unit, split_unit

_RELATION = re.compile(r"(?<!\s)\s*+(?:(?<![<>!\\:=])=(?!=)|≈)\s*+")
_SAME_AGAIN = re.compile(
    r"\s*+(?:(?:or|i\.e\.|that is|即)\s*+(?:,\s*+)?)?(?:≈|=|(?:about|approximately|approx\.?|roughly|约|大约))\s*", re.I
)
_OPEN_END = re.compile(r"(?:[-+*/^_×÷·√(]|\\(?:times|cdot|div|sqrt)|(?<![A-Za-z])(?:sqrt|sin|cos|tan|log|ln))\s*$")
"""What a value does not end with: its bracket belongs to it."""
_ALTERNATIVE = re.compile(r"\s*(?:or(?![a-z])|或)", re.I)
_ABOUT = re.compile(
    r"^(?:≈|=|(?:is\s+|are\s+)?(?:about|approximately|approx\.?|around|roughly|exactly|precisely|only|simply|just|"
    r"(?:in\s+)?(?:the|a)\s+ratio(?:\s+of)?|the\s+(?:interval|point|set|ratio|range)|(?:in\s+)?(?:a\s+)?total(?:\s+of)?(?=\s*[\d\\])|equal\s+to|给出|总共|一共|大约|共有?|约为?|等于|为|是|得)(?![a-z]))\s*",
    re.I,
)
_LEADS = re.compile(
    r"^(?:(?:it\s++is\s++true\s++that|so|thus|hence|therefore|then|and|finally|altogether|in\s++total|we\s++(?:get|have|obtain|find)(?:\s++that)?"
    r"|i\s++get|let['’]s\s++compute|this\s++gives|giving|yes|no|but)(?![a-z])"
    r"|因此|所以|于是|综上(?:所述)?|可得|得到?|合计|【答案】|答|解|故|即|则|共)\s*+[,，:]?\s*+",
    re.I,
)
_VERB = re.compile(
    r"(?<![A-Za-z\\])(?:(?:(?:should|must|will|would)\s++be|(?:comes?|works?|turns?)\s++out\s++to(?:\s++be)?|is|are|was|were)"
    r"(?:\s++(?:therefore|thus|then|also|again|indeed|now))?(?:\s++(?:equal|equivalent)\s++to)?|equals?)(?![A-Za-z])\s*+:?\s*+"
    r"|(?:等于|应为|应是|约为|约是|(?<![因认作成称视以])为|(?<![但可还于总而])是(?!否)|共有|一共有?|总共有?)"
    r"\s*+[:：]?\s*+"
    r"|(?<![A-Za-z])(?:simplifies|reduces|comes|amounts|adds\s+up|rounds)\s+to(?![A-Za-z])\s*+"
    r"|(?<=[\u4e00-\u9fff])[付花合](?=\s*+[\d\\零一二两三四五六七八九十百])"
    r"|(?<![A-Za-z])(?:consists?\s++of|earned|has|have|had|holds?|contains?|measures?|weighs?|costs?|gets?|pays?|receives?|earns?|saves?|spends?|requires?|needs?|takes?)(?![A-Za-z])\s*+"
    r"|(?<=[大小]值)(?=\s*+[-\d\\])|(?:(?<=[\u4e00-\u9fff])[长宽高重厚深]|(?<!只)有|需要?)(?=\s*+[\d\\])"
    r"|(?<=[A-Za-z]{2})\s*+:\s++|(?<=[\u4e00-\u9fff)])\s*+:\s*+",
    re.I,
)
_WEAK = re.compile(
    r"[a-z]*(?:ha|hold|contain|measure|weigh|cost|get|pay|receive|earn|save|spend|require|need|take)|有|需", re.I
)
_FALSE = re.compile(
    r"(?<![a-z])(?:false|wrong\s+to|nobody|no\s+way|unless|had\s+(?:we|it|they))(?![a-z])|^\s*if\s.*would\s*$"
    r"|不成立|没有人|误认为|误以为|除非|假如|要是",
    re.I,
)
"""What says of a whole sentence that it does not hold."""
_REWRITES = re.compile(r"(?:simplifies|reduces|rounds)\s", re.I)
_OF_A_PART = re.compile(
    r"(?<![A-Za-z])(?:each|every|per|one|first|second|bottom|top|layer|row|column|face|side|base)s?(?![A-Za-z])|[每层排列底先第只还侧]|其中",
    re.I,
)
_REASON = re.compile(
    r"(?<!\s)(?:(?:\s*+[,;:.]\s|\s++)(?:because|since|which|where|rather\s++than|instead\s++of"
    r"|as\s++(?:required|desired|shown|the|it|we))(?![A-Za-z])|\s*+(?:,\s*+when(?![A-Za-z])"
    r"|[,;.]\s*+(?:not|unlike|and\s++not)(?![A-Za-z])|[,;。.]?\s*+(?:因为|由于|其中|而不是|而非|不是))).*$",
    re.I | re.S,
)
_NOT_BUT = re.compile(
    r"(?:(?<![A-Za-z])not\s++(?:[^,;]|,(?=\d)){1,80}?,?\s++but\s++(?:rather\s++)?"
    r"|(?:不是|并非)[^,;]{1,80}?[,;]?\s*+而?是)\s*+",
    re.I,
)
_IN_WORDS = re.compile(
    r"(?<!\s)\s*+(?:long|high|tall|wide|deep|thick|away|apart|altogether"
    r"|in\s++(?:total|all|length|height|width|area|volume|size)|respectively|as\s++well|each"
    r"|(?:(?:are|is)\s++)?(?:needed|required|necessary|possible|left|remaining|now))$|(?<=[米升克])的(?!一半|[倍])[\u4e00-\u9fff]{1,6}$",
    re.I,
)
_DENIED = re.compile(
    r"(?<![A-Za-z])(?:not|never|neither|none|if|unless|false|wrong|let|suppose|suppos(?:ed|ing)|assum(?:e|ing)|whether|when|maybe|perhaps|"
    r"think|guess)(?![A-Za-z])|n['’]t|不(?!规则|同|等|透|可见)|非(?!阴影|负)|若|[设令]|如果|假设|可能|是否|误以?为|至[少多]|[大小多少]于|超过|"
    r"(?<![a-z])(?:at\s+(?:least|most)|(?:less|more|greater|smaller|larger)\s+than)(?![a-z])",
    re.I,
)
_CHANGED = re.compile(
    r"(?<![A-Za-z])(?:(?:half|thirds?|quarters?|twice|thrice|doubled?|tripled?|times|squares?|cubes?|roots?|reciprocal|inverse|"
    r"opposite|negative)\s+(?:of|the|its|that|this|it)|squared|cubed|plus|minus|(?:more|less)\s+than)(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:half|twice|thrice|double|triple)\s*(?:\\angle|∠|(?<=\s)[A-Z]{2,3}(?![A-Za-z])|$)"
    r"|一半|倍|分之|平方根|的平方$|的立方$|倒数|相反数",
    re.I,
)
_OPERATED = re.compile(r"[/^√*+<>=×÷]|\\(?:sqrt|frac|times|cdot|pi)(?![a-z])|(?<![\w.])\d+\s*[A-Za-z]\s*$")
_NAME_IN_FRONT = re.compile(r"((?:the\s+)?[A-Za-z]{3,}(?:\s+[A-Za-z]+){0,3}\s|[\u4e00-\u9fff]{2,8})\s*(?=[\d\\])")
_CHANGING = re.compile(r"(?i:half|twice|than|least|most|times|of|not)|[倍半不大小多少于至超]")
_FUNCTIONS = re.compile(r"\\[A-Za-z]+|(?<![A-Za-z])(?:sqrt|pi|sin|cos|tan)(?![A-Za-z])")
"""Commands and functions, which are no words."""
BOUNDS = (re.compile(r"at\s+least|至少|最少", re.I), re.compile(r"at\s+most|至多|最多", re.I))
"""Words that make a bound of a value."""

_CONCLUDES = re.compile(
    r"[,;]\s*(?:which\s+gives|giving)\s|[,;]\s*(?:(?:so|thus|hence|therefore|then)\s+)?(?:we\s+(?:get|have|obtain|find)(?:\s+that)?\s|(?=一?共|总共|合计)|可得|得到)"
)
_CLAUSE = re.compile(r"[,;，；。]\s*|(?<![A-Za-z])(?:then|so|that|hence|thus|therefore)(?![A-Za-z])\s*|:\s+")
_NAME = re.compile(
    r"(?:\\[A-Za-z]++|[A-Za-z\u4e00-\u9fff∠△⊙|'’′.\s]|_\s*(?:\{[^{}]*\}|\w)|\{[^{}]*\}|(?<=[A-Za-z])\d"
    r"|\^\s*(?:\\prime|\{\s*\\prime\s*\})|[-(),:](?=[^\d]))+"
)
_POINT = re.compile(r"^[A-Z][\d'′]?\s*(?=\()|^[a-z]\s*(?:\\in(?![a-z])|∈)\s*")
_GEOMETRIC = r"(?:(?:\\angle|∠|(?i:angle|segment|side|edge)|线段|边|棱)\s*)?([A-Z]{2,3})(?![A-Za-z])"
_ASKED_NAME = re.compile(
    rf"(?:(?i:length|measure|size|value)\s+of|(?i:find|calculate|determine)|求)\s*(?:the\s+)?{_GEOMETRIC}(?!\s*[-+*/^:])"
)
_NAMED = re.compile(rf"(?:^|(?<==))\s*(?:(?i:so|thus|hence|therefore)[,\s]+)?{_GEOMETRIC}\s*(?:=|is\s|为|是)")
_ANOTHER = re.compile(
    r"(supplement|complement|explement|exterior|remaining|difference|补角|余角|外角|剩余|剩下|之差)[^,;，；。\n]{0,40}?(?:(?<![a-z])(?:is|are|was|equals)(?![a-z])|[=是为]|等于)"
    r"[^,;，；。\n]*$",
    re.I,
)
_SIZES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_COUNTED = re.compile(
    rf"^([-+]?\d{{1,12}}(?:,\d{{3}}){{0,4}}(?:\.\d{{1,12}})?)\s+({'|'.join(_SIZES)})(?![A-Za-z])", re.I
)
_LONGEST_NAME = 80
_LONGEST_SENTENCE = 400


class StatedValue(NamedTuple):
    """``label``: what the value is called, empty if nothing; ``sides``: the value, and what it is set equal to."""

    label: str
    sides: list[str]


def stated_value(text: str) -> StatedValue:
    """What ``text`` (:func:`~srt.answers.equality.normal_form.plain`, one part) states, its label taken off."""
    body, remarks = unbraced(text), []
    if len(body) <= _LONGEST_SENTENCE:
        while (last := _last_bracket(body)) and re.search(r"\d|\\pi", last[0]):
            before, inside = last
            kept = _kept_remark(inside)
            if kept is None or _is_factor(before, inside):
                break
            body = before.strip()
            remarks += [kept] if kept else []
        body = said_value(body)
    pieces = [piece for piece in (unbraced(piece) for piece in top_level(body, _RELATION)) if piece]
    label = ""
    if len(pieces) > 1 and is_label(pieces[0]):
        label, pieces = pieces[0], pieces[1:]
        while len(pieces) > 1 and is_label(pieces[0]) and not pieces[0].strip("{} ").islower():
            pieces = pieces[1:]
    sides = [_value(piece) for piece in [*pieces, *remarks]]
    return StatedValue(label, sides or [""])


def said_value(text: str) -> str:
    """All that follows the last verb that states a value in ``text``, without the reason after it; else ``text``."""
    if not re.search(r"[A-Za-z]{2}|[\u4e00-\u9fff]|:", re.sub(r"\\[A-Za-z]+", "", text)):
        return text
    concluded = _CONCLUDES.split(text)[-1]
    text = concluded if re.search(r"\d|\\", concluded) else text
    but = list(_NOT_BUT.finditer(text))
    if but:
        text = text[but[-1].end() :]
    reason = _REASON.search(text, 1)
    corrected = reason is not None and re.search(r":\s*[-\d\\√]", reason[0])
    if reason and not corrected and re.search(r"\d|\\pi|\\sqrt", text[: reason.start()]):
        text = text[: reason.start()]
    text = _IN_WORDS.sub("", text.strip())
    for verb in reversed(list(_VERB.finditer(text))):
        value = unbraced(text[verb.end() :])
        if value and (re.search(r"\d|\\", value) or number_in_words(value) is not None):
            subject = text[: verb.start()]
            clause = _CLAUSE.split(subject)[-1]
            bare = HAN_FRACTION.sub("", re.sub(r"\([^()]*\)", "", clause)).strip()
            if _WEAK.match(verb[0]) and _OF_A_PART.search(clause):
                return text
            if _FALSE.search(subject) or (reason and _FALSE.search(reason[0])):
                return text
            operated = _OPERATED.search(bare) and not _REWRITES.match(verb[0])
            if _DENIED.search(clause) or _CHANGED.search(bare) or operated or _supposed(subject, clause):
                return text
            return value
    return text


def states_value(text: str) -> bool:
    """Whether ``text``, as a model wrote it, states one value, and nothing in it is left unread."""
    body = plain(text)
    if len(body) > _LONGEST_SENTENCE or r"\boxed" in text:  # A box that is not closed was cut.
        return False
    last = stated_value(body).sides[-1]
    for bound in BOUNDS:
        last = bound.sub(
            "", last
        )  # Whether the question asks for a bound, or for what is named here, is decided later.
    last = last[len(name_in_front(last)) :]
    return bool(re.search(r"\d|\\pi|\\sqrt", last)) and is_value(last)


def is_value(text: str) -> bool:
    """Whether ``text`` is a value as a whole: a number, an expression, a tuple, each with a unit or a counted noun."""
    brackets = bracketed(text) or interval(text)
    if brackets is not None:
        return all(is_infinite(element) or is_value(element) for element in brackets.elements)
    body = split_noun(split_unit(as_one_unit(text))[0], "", any_noun=True)
    return decimal(body) is not None or is_readable(body) or ratio(body) is not None


def name_in_front(text: str) -> str:
    """The name directly in front of a value (``surface area 12``, 表面积12); empty where a word there changes it."""
    match = _NAME_IN_FRONT.match(text)
    return match[0] if match and not _CHANGING.search(match[1]) else ""


def is_label(piece: str) -> bool:
    """Whether the left side of an equation is a name, not a value: ``Volume``, ``S_{1}``, ``\\angle ABC``, 体积."""
    short = len(piece) <= _LONGEST_NAME
    return short and _NAME.fullmatch(piece) is not None and not re.search(r"\\(?:pi|sqrt|frac)", piece)


def is_of_another(given: str, question: str) -> bool:
    """Whether the subject of ``given`` is another angle or length than the asked one: its supplement, or AC for AB."""
    subject = _ANOTHER.search(given)
    if subject is not None and subject[1].casefold() not in question.casefold():
        return True
    named = {min(name, name[::-1]) for name in _NAMED.findall(given)}
    asked = _asked_names(question) if named else frozenset()
    return bool(asked) and not asked & named and {len(one) for one in asked} == {len(one) for one in named}


@lru_cache(maxsize=256)
def _asked_names(question: str) -> frozenset[str]:
    """The angles or lengths that ``question`` asks for by name; AB and BA are one."""
    return frozenset(min(name, name[::-1]) for name in _ASKED_NAME.findall(plain(question)))


def _kept_remark(remark: str) -> str | None:
    """What a remark in brackets repeats ("about 141.4"), empty if it is only words; ``None`` where it is no remark."""
    again = _SAME_AGAIN.match(remark) or _ALTERNATIVE.match(remark)
    if again:
        return remark[again.end() :].strip()
    said = number_in_words(remark.strip())
    if said is not None and is_value(said):
        return said  # ``12 (twelve)``
    words = re.search(r"[A-Za-z]{2}|[\u4e00-\u9fff]", _FUNCTIONS.sub("", remark))
    if not words and re.search(r"[<≤]|\\le(?![a-z])", remark):
        return ""  # where a function is defined
    if not words and "," not in remark and re.search(r"[-+*/×÷=]|\\(?:times|cdot|div)", remark):
        return remark.strip("= ")  # the calculation
    return "" if words and phrase_unit(remark.strip()) is None else None


def _last_bracket(body: str) -> tuple[str, str] | None:
    """What stands before the bracket that ``body`` ends with, and in it."""
    if not body.endswith(")"):
        return None
    depth = 0
    for at in range(len(body) - 1, 0, -1):
        depth += (body[at] == ")") - (body[at] == "(")
        if depth == 0:
            return body[:at], body[at + 1 : -1]
    return None


def _is_factor(before: str, inside: str) -> bool:
    """Whether the bracket behind ``before`` is a factor, an exponent or an argument: ``6(\\sqrt{2}+1)``, ``5^(-2)``.

    A bracket of words, or that begins with "about", "or" or a sign of equality, is none. Behind a blank, one that
    repeats the value before it, ``12 (3 · 4)``, is none either.
    """
    if _SAME_AGAIN.match(inside) or _ALTERNATIVE.match(inside) or inside.startswith("="):
        return False
    if _OPEN_END.search(before):
        return True
    if not is_readable(inside):
        return False
    return not before[-1].isspace() or not equal_exactly(_RELATION.split(before)[-1], inside)


def _supposed(subject: str, clause: str) -> bool:
    """Whether the sentence supposes what ``clause`` says: "if the height is 3", not "if it is 3, the volume is 12"."""
    return subject == clause and re.match(r"\s*(?:if|suppose|let|when|若|如果|假设|设)", subject, re.I) is not None


def _value(piece: str) -> str:
    """``piece`` without words such as "so" and "about", and with digits for a number in words."""
    if piece[:1] in ('"', "“"):
        piece = piece.strip('"“”')
    for pattern in (_LEADS, _LEADS, _ABOUT, _ABOUT):
        piece = pattern.sub("", piece, count=1)
    piece = number_in_words(piece) or _COUNTED.sub(_counted, piece, count=1)
    return _POINT.sub("", piece, count=1)


def _counted(match: re.Match[str]) -> str:
    """``12000`` of "12 thousand"."""
    exact = Fraction(match[1].replace(",", "")) * _SIZES[match[2].casefold()]
    return str(exact.numerator) if exact.denominator == 1 else match[0]
