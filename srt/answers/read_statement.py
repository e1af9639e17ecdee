"""A statement read as an answer of the kind that is asked for, by the same rules wherever the statement stood.

Letters, truth values, labels, orders and sets are read here; a number, an expression or a text stays as the model wrote
it, for :mod:`srt.answers.equality` to read, without the words around it.
"""

from __future__ import annotations

import re
from typing import Literal

from srt.answers.answer_places import FinalStatement
from srt.answers.beyond_question import said_beyond
from srt.answers.boxes import boxed
from srt.answers.clauses import conclusion, is_open, without_reason
from srt.answers.concluding_words import sentences
from srt.answers.equality.forms.brackets import bracketed
from srt.answers.equality.forms.orders import names_as_asked, order, order_said
from srt.answers.equality.normal_form import plain
from srt.answers.labels import read_label
from srt.answers.options import read_options
from srt.answers.stated_set import set_said
from srt.answers.values import concluded_value, is_unasked_ratio
from srt.answers.written_form import ReadAnswer, expected_kind, read_answer, undecorated
from srt.answers.yes_or_no import yes_or_no
from srt.io.records import Answer, AnswerKind, Problem

Form = Literal["yes or no", "order", "set"]
"""What a gold answer of words is, where it is no name."""

_LONGEST = 4_000
"""Characters of an answer that are read: real ones have a few hundred at most."""
_BLANKS = re.compile(r"[^\S\n]{3,}")
_FIRST_NUMBER = r"^\W*{number}\s*[,，、:：.\s]\s*"
_ANY_NUMBER = re.compile(r"^\W*\d{1,3}\s*[,，、:：.]\s*(?=[A-Za-z\u4e00-\u9fff])")
_HAS_VALUE = re.compile(
    r"\d|\\(?:pi|sqrt|frac|infty|emptyset|[a-z]+)|[π√∞½⅓⅔¼¾一二三四五六七八九十零两]|(?<![A-Za-z])[b-zB-HJ-Z](?![A-Za-z'’])|"
    r"(?<![a-z])(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]{3,5}teen|[a-z]{3,5}ty)(?![a-z])",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"^\W*(?:unknown|undetermined|n/?a|none|null|nothing|(?:i|we)\s+(?:do\s*n.t|do\s+not|cannot|can.t)\b.*|"
    r"(?:it\s+)?can(?:not|.t)\s+(?:be\s+)?.*|not\s+(?:sure|known|enough|given).*|"
    r"无法.*|不能.*|不知道.*|不确定.*|未知)\W*$",
    re.IGNORECASE | re.DOTALL,
)
_SEVERAL = re.compile(
    r"[\d}\])π]\s*+(?:[A-Za-z\u4e00-\u9fff°^{}\d]{0,12}\s++)?(?:or|或者?)\s*+[-+]?[\d\\(√π]", re.IGNORECASE
)
_FORMULA = re.compile(r"[\\=<>\d^]")
_EMPTY_LINES = re.compile(r"\n\s*\n")
_NEXT_PART = re.compile(r"\s*+[(（①-⑳]?\s*+\d?\s*+[)）.、]")
_OF_A_PART = re.compile(
    r"^\W*(?:the|its|each|one)\s+(?:\w+\s+)?(?:base|face|top|bottom|side|section|cross-section|part|half|layer|lid)s?\s+(?:is|are)(?![a-z])"
    r"|^(?:上面|下面|底面|侧面|截面|上半|下半|其中)",
    re.I,
)


def form_of(problem: Problem) -> Form | None:
    """What the gold answer of ``problem`` is, where it is a text and yes or no, an order or a set."""
    gold = problem.answer
    if gold is None or gold.kind != "text" or problem.labels:
        return None
    if (read_answer(gold.value, "boolean", {}).answer is not None and len(gold.value) > 1) or gold.value in "是否":
        return "yes or no"
    body = plain(gold.value)
    brackets = bracketed(body)
    if brackets is not None and brackets.opens == "{":
        return "set"
    return "order" if order(body) is not None else None


def place_kind(problem: Problem) -> AnswerKind:
    """The kind of answer that is looked for in a text: yes or no, an order or a set where gold is one in words."""
    places: dict[Form | None, AnswerKind] = {"yes or no": "boolean", "order": "sequence", "set": "expression"}
    return places.get(form_of(problem), expected_kind(problem))


def read_statement(said: FinalStatement, problem: Problem) -> ReadAnswer:
    """``said`` as the answer to ``problem``."""
    if problem.labels:
        label = read_label(sentences(said.text)[0] if sentences(said.text) else "", problem.labels)
        return ReadAnswer(None if label is None else Answer(kind="text", value=label))
    kind, form = expected_kind(problem), form_of(problem)
    text = _without_number(said.text, kind, problem)
    if kind == "choice_set":
        return read_options(said, text, problem)
    if kind == "boolean" or form == "yes or no":
        return _yes_or_no(text, kind, problem)
    if kind == "sequence":
        return _sequence(text, problem)
    if form == "order" or form == "set":
        return _order_or_set(text, form, problem)
    if kind == "text":
        return _text(text, problem)
    return _value(text, said.rest, kind, problem)


def _yes_or_no(text: str, kind: AnswerKind, problem: Problem) -> ReadAnswer:
    read = read_answer(text, "boolean", {})
    if read.answer is not None:
        return read if kind == "boolean" else ReadAnswer(Answer(kind="text", value=undecorated(text).strip(".。!！ ")))
    truth = yes_or_no(text, problem.question)
    if truth is None:
        return ReadAnswer(None)
    word = Answer(kind="text", value="yes" if truth else "no")
    return ReadAnswer(Answer(kind="boolean", value=truth) if kind == "boolean" else word)


def _sequence(text: str, problem: Problem) -> ReadAnswer:
    """A sequence; where gold's elements are single letters, ``LRRL`` and ``L R R L`` are sequences too."""
    gold = problem.answer.value if problem.answer else []
    told = order_said(text)
    if told is not None and len(told.names) == len(gold):
        return ReadAnswer(Answer(kind="sequence", value=[*names_as_asked(told, problem.question)]))
    read = read_answer(text, "sequence", problem.choices)
    if read.answer is None or not all(len(one) == 1 for one in gold):
        return read
    said = [part.strip("()[]\"'") for value in read.answer.value for part in value.split()]
    if len(said) == 1 and said[0].isalpha() and said[0].isascii() and said[0].isupper():
        said = list(said[0])
    return ReadAnswer(Answer(kind="sequence", value=said)) if said else ReadAnswer(None)


def _order_or_set(text: str, form: Form, problem: Problem) -> ReadAnswer:
    """An order with its direction, or a set in braces; text that is neither stays as it is."""
    if form == "order":
        said = order_said(text)
        return _text(text, problem) if said is None else ReadAnswer(Answer(kind="text", value=str(said)))
    values = set_said(text)
    if values is None:
        return _text(text, problem)
    return ReadAnswer(Answer(kind="text", value=rf"\{{{', '.join(values)}\}}"))


def _text(text: str, problem: Problem) -> ReadAnswer:
    body = _BLANKS.sub("  ", text.strip()[:_LONGEST])
    body = body.strip("*_`\"'“”★ ").rstrip(".。").rstrip()
    if not body.strip("*_`$ .。"):
        return ReadAnswer(None)
    if is_unasked_ratio(body, problem):
        return ReadAnswer(None)
    bare = without_reason(body)
    body = body if _FORMULA.search(bare) else bare
    if _FORMULA.search(body):
        return ReadAnswer(Answer(kind="text", value=concluded_value(body, problem.question)))
    gold = "" if problem.answer is None else str(problem.answer.value)
    if _OF_A_PART.match(body) or (is_open(conclusion(body)) and not is_open(gold)):
        return ReadAnswer(None)
    return ReadAnswer(Answer(kind="text", value=said_beyond(body, problem.question) or without_reason(body)))


def _value(text: str, rest: str, kind: AnswerKind, problem: Problem) -> ReadAnswer:
    body = _BLANKS.sub("  ", text.strip()[:_LONGEST])
    if kind == "parts":
        body = _all_parts(body, rest[:_LONGEST])
    if not body.strip("*_`$ .。") or _NOTHING.match(body):
        return ReadAnswer(None)
    if kind == "parts":
        return ReadAnswer(Answer(kind="text", value=body))
    if not _HAS_VALUE.search(body) or is_unasked_ratio(body, problem):
        return ReadAnswer(None)
    if kind == "number" and _SEVERAL.search(body):
        return ReadAnswer(None, ambiguous=True)
    return ReadAnswer(Answer(kind="expression", value=concluded_value(body, problem.question)))


def _without_number(text: str, kind: AnswerKind, problem: Problem) -> str:
    """``text`` without the item's own number before the answer: ``7,BD`` of a test sheet."""
    number = problem.meta.get("number")
    if number is not None:
        return re.sub(_FIRST_NUMBER.format(number=re.escape(str(number))), "", text, count=1)
    return _ANY_NUMBER.sub("", text, count=1) if kind in ("boolean", "sequence") else text


def _all_parts(line: str, rest: str) -> str:
    """The marker's line, with the lines below it where the answer continues there, up to an empty one.

    An empty line before the number of a part ends nothing.
    """
    rest = rest.strip()
    ends = (gap.start() for gap in _EMPTY_LINES.finditer(rest) if not _NEXT_PART.match(rest, gap.end()))
    block = rest[: next(ends, len(rest))]
    inside = boxed(block, "parts")
    if inside is not None:
        return inside
    return block if "\n" in block else line
