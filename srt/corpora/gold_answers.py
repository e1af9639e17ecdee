"""Gold answers as corpora print them, read with caution: LaTeX, labels, units, alternatives, an explanation after it.

Whatever is not clearly a letter, a number, an expression or a list of these stays ``text``: a wrong kind would make a
right answer wrong. The caller keeps the answer as it was printed.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from srt.answers.equality.currency_signs import with_currency_words
from srt.answers.equality.normal_form import balanced, closing, plain
from srt.answers.equality.parts import SEE_ELSEWHERE, without_proofs
from srt.answers.equality.spelled_numbers import number_in_words
from srt.io.records import Answer
from srt.maths.asked_letters import asked_letters
from srt.maths.units.unit_phrases import as_one_unit, split_unit

LONGEST = 300
"""An answer of more characters is a whole solution."""

_TAIL = re.compile(
    r"[\[【]\s*(?:Analysis|Detailed\s+Explanation|Explanation|Solution|分析|解析|详解|解答|点睛|点评)\s*[\]】]",
    re.I,
)
# What a worked solution ends with: GSM8K's `#### 18`, and 故答案为: 18.
_FINAL = re.compile(r"(?:(?<=\s)|^)####\s*(?=\S)|故答案(?:为|是)?\s*[:：]\s*(?=\S)")
_HEADING = re.compile(r"^\s*【答案】\s*(?:解\s*[:：]\s*)?")
_QUOTES = {"“": "”", "‘": "’", "「": "」", "『": "』", '"': '"', "'": "'"}
_DIGITS = 16
"""Characters of a number that a float still holds exactly; a longer number becomes an expression."""
_ALTERNATIVE = re.compile(r"\\# ?\\#|##")
_LINE = re.compile(r"\$?\s*y\s*=[^=a-wzA-Z]*x[^=a-wzA-Z]*\$?")
"""``y = 2x - 3`` is an equation: y is no name of a value."""
_LABEL = re.compile(r"\$?\s*(?:[A-Za-z][A-Za-z .'_{}\\]{0,40}?)\s*\$?\s*(?<![<>\\])=\s*(?=[^=]+$)")
_LETTERS = re.compile(r"[(（]?\s*([A-H](?:\s*[,，、]?\s*[A-H])*)\s*[)）]?")
_WRAPPED = re.compile(r"\\(?:mathrm|mathbf|mathit|text|textbf|boxed|rm)\s*\{([^{}]*)\}")
_PART = re.compile(r"[(（]\s*([1-9])\s*[)）]")
_NUMBER = re.compile(r"[-+−]?\s*(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[-+−]?\.\d+")
_COUNTED = re.compile(r"(?P<value>[\d.,]+)\s*(?P<unit>[个块条种面根张次])")
_COUNT = re.compile(r"\d+\s*[个块条种面根张次]?")
_LEADS = re.compile(r"^(?:解|答案?)\s*[:：,，]?\s*(?=[-\d\\$({√π(（])")
# `24. cm`: a full stop that somebody typed between number and unit.
_DOT_BEFORE_UNIT = re.compile(r"(?<=\d)\.(?=\s*(?:\\[,;! ]\s*)?(?:\\(?:mathrm|text|rm)(?![A-Za-z])|[A-Za-z]))")
# 30°15': degrees with minutes have no one unit.
_MINUTES = re.compile(r"(?:\\circ|°)\s*\}?\s*\d")
_SET = re.compile(r"\$?\s*\{[^{}\\]*,[^{}\\]*\}\s*\$?")
"""``{2, 5}``, whose braces LaTeX would not print."""
_ASKS_SEVERAL = re.compile(
    r"(?<![a-z])(?:both|respectively|and\s+(?:its|the|their|how)|two\s+(?:numbers|values|weights|lengths))(?![a-z])|"
    r"分别|各(?=[是为有重长多])|和.{0,12}各|两个",
    re.I,
)
_FEW_WORDS = re.compile(r"[A-Za-z]{3,}(?: [A-Za-z]{3,})?|[\u4e00-\u9fff]{2,8}")
_STATEMENTS = re.compile(r"[(（]\s*\d\s*[)）].*|.*\d\s+\d.*", re.S)
# Nothing but commands, signs, numbers and single small letters: words make an answer a text.
_MATHS = re.compile(
    r"(?:\\(?:[dt]?frac|sqrt|pi|times|cdot|left|right|circ|pm|sin|cos|tan|arcsin|arccos|arctan|quad|[,;! ])"
    r"|[\d\s.+\-−*/^_{}()\[\]π√×÷·²³]|(?<![A-Za-z\\])[a-z](?![A-Za-z]))+"
)
_SPLIT = re.compile(r"\s*(?:\\q?quad|[;；])\s*")
# Not the comma of 1,000; one without a space counts where the question asks for several.
_COMMAS = re.compile(r"\s*(?:，|、|,\s+|,(?!\d{3}(?!\d)))\s*")
_AND = re.compile(r"\s*(?:[和与及]|(?<![a-z])and(?![a-z]))\s*")
_ANY_COMMA = re.compile(r"\s*[,，、]\s*")


@dataclass(frozen=True)
class Gold:
    """A printed answer taken apart: the answer, if it is one, and the ``explanation`` that followed it."""

    answer: Answer | None
    explanation: str | None = None


def read_gold(printed: str, choices: dict[str, str], *, choice: bool, question: str = "") -> Gold:
    """Take the answer ``printed`` apart. ``choice``: the item asks for letters (of ``choices``, where those are known).

    ``question`` says whether ``220,330`` is one number or two.

    Of alternatives (``10 cm ## 10 cm``) the first counts; of a worked solution, what stands behind its final mark
    (``#### 18``, 故答案为: 18). A choice item whose answer is not a letter has no answer.
    """
    head, explanation = printed_answer(printed), _cut_tail(printed)[1]  # runs of blanks make the patterns below slow
    if not head or len(head) > LONGEST or SEE_ELSEWHERE.fullmatch(head):
        return Gold(None, explanation or (head if len(head) > LONGEST else None))
    if choice or choices:
        letters = _letters(head)
        if letters and (not choices or set(letters) <= set(choices)):
            return Gold(Answer(kind="choice_set", value=letters), explanation)
        if choice:
            short = {letter: text for letter, text in choices.items() if len(text) <= LONGEST}
            named = [letter for letter, text in short.items() if _plain(text) == _plain(head)]
            return Gold(Answer(kind="choice_set", value=named) if len(named) == 1 else None, explanation)
    if _SET.fullmatch(head):
        return Gold(Answer(kind="text", value=rf"\{{{head.strip('$ ')[1:-1].strip()}\}}"), explanation)
    head = with_currency_words(head)
    head = balanced(_DOT_BEFORE_UNIT.sub(" ", _LEADS.sub("", head)))
    return Gold(_parts(head, question) or _single(head, question), explanation)


def printed_answer(printed: str) -> str:
    """The answer as it is printed, without explanation, heading and quotation marks; of alternatives the first."""
    return _unquoted(" ".join(_ALTERNATIVE.split(_HEADING.sub("", _cut_tail(printed)[0], count=1))[0].split()))


def asks_several(question: str) -> bool:
    """Whether ``question`` asks for several answers: ``2,5`` may be two of them."""
    return _ASKS_SEVERAL.search(question) is not None


def is_letter(printed: str) -> bool:
    """Whether the answer is a single option letter and nothing else."""
    head = printed_answer(printed)
    return len(head) <= LONGEST and len(_letters(head) or ()) == 1


def _cut_tail(printed: str) -> tuple[str, str | None]:
    """The answer, and the explanation that follows it, or that leads to its final mark."""
    match = _TAIL.search(printed)
    head, explanation = (printed, None) if match is None else (printed[: match.start()], printed[match.end() :].strip())
    finals = list(_FINAL.finditer(head))
    if finals:
        head, explanation = head[finals[-1].end() :], explanation or head[: finals[-1].start()].strip()
    return head, explanation or None


def _unquoted(text: str) -> str:
    """``text`` without the quotation marks around the whole: the mark on the face is 国, not “国”."""
    close, inside = _QUOTES.get(text[:1]), text[1:-1]
    if close is None or not text.endswith(close) or not inside or {text[0], close} & set(inside):
        return text
    return inside.strip()


def _letters(head: str) -> list[str] | None:
    body = _bare(balanced(_WRAPPED.sub(r"\1", head))).rstrip(".。 ")
    match = _LETTERS.fullmatch(body)
    if match is None:
        return None
    letters = re.findall("[A-H]", match[1])
    return letters if letters == sorted(set(letters)) else None


def _parts(head: str, question: str) -> Answer | None:
    """``(1) ...; (2) ...``, or readable pieces between semicolons, quads or commas; ``None`` where it is one answer."""
    # f(1), A(1) and the like are no numbers of parts.
    marks = [m for m in _PART.finditer(head) if not re.search(r"[A-Za-z)）=]\s*$", head[: m.start()])]
    if len(marks) > 1 and marks[0].start() == 0 and [int(m[1]) for m in marks] == list(range(1, len(marks) + 1)):
        ends = [m.start() for m in marks[1:]] + [len(head)]
        pieces = [head[m.end() : end].strip().strip(";；,，. \n") for m, end in zip(marks, ends, strict=True)]
        return _joined([_single(piece, question) for piece in without_proofs(pieces)]) if all(pieces) else None
    several = _ANY_COMMA if asks_several(question) else _COMMAS
    # The strongest separator first: a comma inside (1; 2, 3) divides less than the semicolon.
    for separator in (_SPLIT, several, _AND):
        pieces = [piece for piece in separator.split(_bare(head)) if piece]
        if len(pieces) > 1 and all(map(_closed, pieces)):  # A comma of ``(1, 2, 0)`` parts no answers.
            read = [_single(piece, question) for piece in without_proofs(pieces)]
            if all(map(_is_part, read)) and any(one.kind != "text" for one in read):
                return _joined(read)
    return None


def _is_part(answer: Answer) -> bool:
    """Whether it may be one of several: a value, or one or two words without digits (``hexagon, 6``)."""
    return answer.kind != "text" or _FEW_WORDS.fullmatch(answer.value) is not None


def _joined(answers: list[Answer]) -> Answer:
    if len(answers) == 1:
        return answers[0]
    return Answer(kind="parts", value=[answer.model_dump() for answer in answers])


def _single(head: str, question: str) -> Answer:
    """One answer: a number or an expression, with its unit, or text."""
    labelled = _LABEL.match(head) and not _LINE.fullmatch(head)
    body = _bare(_LABEL.sub("", head, count=1) if labelled else head).rstrip("。.;；,， ")
    in_words = number_in_words(body)
    if in_words is not None and _COUNT.fullmatch(in_words):
        body = in_words
    value, unit = _cut_unit(body, question)
    if value and len(value) <= _DIGITS and _NUMBER.fullmatch(value):
        number = float(re.sub(r"[,\s]", "", value).replace("−", "-"))
        return Answer(kind="number", value=int(number) if number.is_integer() else number, unit=unit)
    if (
        value
        and _MATHS.fullmatch(value)
        and not _STATEMENTS.fullmatch(value)
        and re.search(r"\d|\\pi|π|^[a-z]$", value)
    ):
        return Answer(kind="expression", value=value, unit=unit)
    return Answer(kind="text", value=" ".join(head.split()))


def _cut_unit(body: str, question: str) -> tuple[str, str | None]:
    """Value and unit of ``24 \\pi \\mathrm{cm}^{2}``; the unit as ``cm^2``, one in Chinese as printed.

    ``2hr`` is no number of hours where ``question`` asks for an expression in r and h.
    """
    if _MINUTES.search(body) or len(body) > LONGEST:
        return body, None
    written = plain(body)
    # Two units in one length: it is read as a whole when answers are compared.
    if as_one_unit(written) != written:
        return body, None  # 1 m 20 cm
    counted = _COUNTED.fullmatch(written)
    if counted:
        return counted["value"], counted["unit"]
    value, unit = split_unit(written, asked_letters(question))
    if unit is None:
        return body, None
    printed = written[len(value) :].strip(" ()")
    return value, unit.name if printed.isascii() else printed


def _bare(text: str) -> str:
    """Without dollar signs, and without braces around the whole."""
    text = text.replace("\\(", "").replace("\\)", "").replace("$", "").strip()
    while text.startswith("{"):
        body = text.rstrip(".。")
        if closing(body, 0) != len(body) - 1:
            break
        text = body[1:-1].strip()
    return text


def _closed(text: str) -> bool:
    """Whether as many brackets close as open, of whatever kind: an interval is ``[0, 2)``."""
    return sum(text.count(sign) for sign in "([{") == sum(text.count(sign) for sign in ")]}")


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", _bare(text)).casefold().split()).rstrip(".")
