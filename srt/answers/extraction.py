"""The answer in what a model wrote: the final statement of the text, read as an answer of the kind that is asked for.

Where the final statement is, is decided by :mod:`srt.answers.final_statement`. A text without one may still be nothing
but an answer, begin or end with a line that is one, or end with a sentence that states a value. Nothing is picked at
random, and no part of a statement is taken for the whole.

Letters, truth values, labels and sequences are read here; a number, an expression or a text stays as the model wrote
it, for :mod:`srt.answers.equality` to read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from srt.answers.boxes import boxed
from srt.answers.concluding_words import sentences
from srt.answers.equality.parts import leaves
from srt.answers.equality.stated_values import states_value
from srt.answers.final_statement import FinalStatement, final_statement, first_answers, said_in_words
from srt.answers.labels import label_alone, read_label
from srt.answers.written_form import FONT, ReadAnswer, canonical_text, expected_kind, read_answer, same_option
from srt.io.records import Answer, AnswerKind, FinishReason, Problem

Status = Literal["ok", "no_answer", "ambiguous", "truncated", "error"]

_LONGEST = 4_000
"""Characters of an answer that are read: real ones have a few hundred at most."""
_BLANKS = re.compile(r"[^\S\n]{3,}")
_OPENS = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_CLOSES = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_LONGEST_LINE = 200
_LISTED = re.compile(r"[ \t*#-]*[(（]?([A-Z])[)）.、:：]")
_COURTESY = re.compile(
    r"(?<![a-z])(?:hope|let\s+me\s+know|feel\s+free|happy\s+to|thanks?)(?![a-z])|谢谢|希望|如有", re.I
)
_LISTED_OPTION = re.compile(
    r"[ \t>*#•-]*+(?:\d{1,2}[.)]\s+)?([(（\[*]*[A-Z](?![A-Za-z])[)）\]*]*)(?:\s*[.、．:：)]\s*(.*)|\s*)$"
)
_LETTER_ALONE = re.compile(r"[\s*(（\[]*[A-Z][\s*)）\].。]*")
_WIDE = {
    code: code - 0xFEE0
    for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B), 0xFF08, 0xFF09, 0xFF3B, 0xFF3D)
}
_BOX_TOKENS = re.compile(r"<\|begin_of_box\|>(.{0,2000}?)<\|end_of_box\|>", re.DOTALL)
_FIRST_PART = re.compile(r"(?:^|(?<=\n))[ \t*#]*(?=[(（]1[)）]|①)")
_CONCLUDES = re.compile(
    r"(?:[,;，；]\s*|^)(?:and\s+)?(?:(?:so|thus|hence|therefore)(?![a-z])|所以|因此|因而|故|于是|得到?(?=[A-Za-z]))[,，]?\s*",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"[ \t*#]*(?:explanation|reason(?:ing)?|because|note|justification|解析|解释|理由|说明|分析|因为)", re.I
)
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


@dataclass(frozen=True)
class Extraction:
    """``answer`` is set exactly where ``status`` is ``ok``.

    ``text`` is what was read: letters in canonical form, anything else as the model wrote it. Where nothing could be
    read, it is what was found in the answer's place, for people to look at.
    """

    answer: Answer | None
    text: str | None
    status: Status


def extract(text: str, problem: Problem, finish_reason: FinishReason = "stop") -> Extraction:
    """The answer that ``text``, a model's output, gives to ``problem``.

    Statuses: ``truncated``: the token budget ended before an answer was whole (a marker's line counts as whole when
    more text follows it); ``no_answer``: none was found, or one that cannot answer this problem, such as a letter
    beyond its options; ``ambiguous``: several answers and no decision; ``error``: the generation itself failed.
    """
    if finish_reason == "error":
        return Extraction(None, None, "error")
    kind = expected_kind(problem)
    body = after_reasoning(_one_spelling(text))
    found, ran_on = None, False
    for part in () if body is None else first_answers(body):
        found = final_statement(part, kind) or _statement_alone(part, kind, problem)
        if found is not None:
            ran_on = len(part) < len(body or "")
            break
    if finish_reason == "length" and not (found is not None and found.marked and (found.whole or ran_on)):
        return Extraction(None, found.text if found is not None and found.marked else None, "truncated")
    if found is None:
        return Extraction(None, None, "no_answer")
    read = _read(found.text, found.rest, kind, problem)
    if read.answer is None and not read.ambiguous and kind in ("choice_set", "boolean"):
        # The marker's line may be a sentence: ``ANSWER: The correct option is B``.
        within = final_statement(found.text, kind)
        read = read if within is None else _read(within.text, within.rest, kind, problem)
    if read.ambiguous:
        return Extraction(None, found.text, "ambiguous")
    if read.answer is None:
        return Extraction(None, found.text, "no_answer")
    return Extraction(read.answer, canonical_text(read.answer), "ok")


def after_reasoning(text: str) -> str | None:
    """What follows the think block; ``None`` where the block was opened and never closed."""
    closed = list(_CLOSES.finditer(text))
    if closed:
        text = text[closed[-1].end() :]
    opened = _OPENS.search(text)
    if opened is None:
        return text
    return text[: opened.start()] if text[: opened.start()].strip() else None


def _one_spelling(text: str) -> str:
    """``text`` with one spelling of line ends, letters and digits, boxes, and of a marker within a font."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = text.translate(_WIDE)
    if "<|begin_of_box|>" in text:
        text = _BOX_TOKENS.sub(r"\\boxed{\1}", text)
    if "\\text" in text:
        text = FONT.sub(lambda match: match[1] if re.search("[:：]", match[1]) else match[0], text)
    return text


def _statement_alone(body: str, kind: AnswerKind, problem: Problem) -> FinalStatement | None:
    """A statement without a place of its own: a line that is nothing but an answer, or a last sentence that is one."""
    lines = [line for line in body.splitlines() if line.strip(" \t`*#-_")]
    if not lines:
        return None
    first, last = (line.strip() for line in (lines[0], lines[-1]))
    said = sentences(body)
    if problem.labels:
        tried = [first] if label_alone(first, problem.labels) else said[-1:]
    elif kind in ("choice_set", "boolean", "sequence"):
        answered_first = len(lines) > 1 and (
            _EXPLAINS.match(lines[1])
            or re.match(r".*\n\s*\n", body.lstrip())
            or (_LETTER_ALONE.fullmatch(first) and len(lines[1].split()) > 2)
        )
        tried = [last, *([first] if answered_first else [])]
        tried = [line for line in tried if len(line) <= _LONGEST_LINE and not _is_listed(line, lines)]
    elif kind == "parts":
        began = _FIRST_PART.search(body)
        labelled = leaves(re.sub(r"\*\*", "", body[began.end() if began else 0 :]).strip())
        if len(labelled) > 1:
            parts = [final_statement(leaf, "expression") or _first_or_last_value(leaf) for leaf in labelled]
            joined = "; ".join(f"({number}) {part.text}" for number, part in enumerate(parts, 1) if part is not None)
            return FinalStatement(joined, joined) if None not in parts else None
        in_words = said_in_words(body, kind)
        if in_words is not None:
            return in_words
        tried = [re.split(r"\n\s*\n", body.strip())[-1]]
    elif kind == "text":
        ending = _last_value(body)
        tried = [ending.text] if ending is not None else said[-1:] if len(lines) > 1 else [first]
    else:
        ending = _first_or_last_value(body)
        tried = [ending.text] if ending is not None else []
    for text in tried:
        read = _read(text, text, kind, problem)
        if read.answer is not None or read.ambiguous:
            return FinalStatement(text, text)
    return None


def _first_or_last_value(body: str) -> FinalStatement | None:
    """The first line where an explanation follows it and it states a value; else the last sentence that does."""
    lines = [line.strip() for line in body.splitlines() if line.strip()]
    if len(lines) > 1 and _EXPLAINS.match(lines[1]) and states_value(lines[0]):
        return FinalStatement(lines[0], lines[0])
    return _last_value(body)


def _last_value(body: str) -> FinalStatement | None:
    """The last sentence, if it or what it concludes states a value; the text as a whole, if that is one line."""
    said = sentences(body)
    while len(said) > 1 and _COURTESY.search(said[-1]) and not re.search(r"\d", said[-1]):
        said.pop()
    if not said or (len(said) == 1 and len(said[0]) > _LONGEST_LINE):
        return None
    for text in (said[-1], _CONCLUDES.split(said[-1])[-1]):
        if states_value(text):
            return FinalStatement(text, text)
    return None


def _is_listed(line: str, lines: list[str]) -> bool:
    """Whether ``line``, the first or the last of ``lines``, is one of a list of options, as its neighbour is."""
    if len(lines) == 1:
        return False
    beside = lines[1] if line == lines[0].strip() else lines[-2]
    own, other = _LISTED.match(line), _LISTED.match(beside)
    return own is not None and other is not None and own[1] != other[1]


def _read(text: str, rest: str, kind: AnswerKind, problem: Problem) -> ReadAnswer:
    """``text`` as an answer of ``kind``. ``rest`` is all the text from there on: parts are on separate lines."""
    if problem.labels:
        label = read_label(sentences(text)[0] if sentences(text) else "", problem.labels)
        return ReadAnswer(None if label is None else Answer(kind="text", value=label))
    text = _without_number(text, kind, problem)
    if kind in ("choice_set", "boolean"):
        listed = _listed_options(rest, problem) if kind == "choice_set" else None
        return read_answer(text, kind, problem.choices) if listed is None else listed
    if kind == "sequence":
        return _read_sequence(text, problem)
    body = _BLANKS.sub("  ", text.strip()[:_LONGEST])
    if kind == "parts":
        body = _all_parts(body, rest[:_LONGEST])
    if not body.strip("*_`$ .。") or (kind != "text" and _NOTHING.match(body)):
        return ReadAnswer(None)
    if kind == "text":
        body = body.strip("*_`\"'“”★ ").rstrip(".。").rstrip()
    if kind in ("number", "expression"):
        if not _HAS_VALUE.search(body):
            return ReadAnswer(None)
        if kind == "number" and _SEVERAL.search(body):
            return ReadAnswer(None, ambiguous=True)
    return ReadAnswer(
        Answer(kind="expression" if kind == "number" else "text" if kind == "parts" else kind, value=body)
    )


def _listed_options(rest: str, problem: Problem) -> ReadAnswer | None:
    """All letters of the list of options that ``rest`` begins with; ``None`` where it begins with none.

    Either letters alone, or each with its option's text; a list that says more of an option is ambiguous.
    """
    found = []
    for line in rest.strip().splitlines():
        match = _LISTED_OPTION.match(line)
        if match is None:
            break
        found.append((match[1].strip("()（）[]* "), (match[2] or "").strip("* ")))
    if len({letter for letter, _ in found}) < 2 or len({bool(words) for _, words in found}) > 1:
        return None
    if any(words and not same_option(words, problem.choices.get(letter, words)) for letter, words in found):
        return ReadAnswer(None, ambiguous=True)
    return read_answer(", ".join(letter for letter, _ in found), "choice_set", problem.choices)


def _without_number(text: str, kind: AnswerKind, problem: Problem) -> str:
    """``text`` without the item's own number before the answer: ``7,BD`` of a test sheet."""
    number = problem.meta.get("number")
    if number is not None:
        return re.sub(_FIRST_NUMBER.format(number=re.escape(str(number))), "", text, count=1)
    return _ANY_NUMBER.sub("", text, count=1) if kind in ("boolean", "sequence") else text


def _read_sequence(text: str, problem: Problem) -> ReadAnswer:
    """A sequence; where gold's elements are single letters, ``LRRL`` and ``L R R L`` are sequences too."""
    read = read_answer(text, "sequence", problem.choices)
    gold = problem.answer.value if problem.answer else []
    if read.answer is None or not all(len(one) == 1 for one in gold):
        return read
    said = [part.strip("()[]\"'") for value in read.answer.value for part in value.split()]
    if len(said) == 1 and said[0].isalpha() and said[0].isascii() and said[0].isupper():
        said = list(said[0])
    return ReadAnswer(Answer(kind="sequence", value=said)) if said else ReadAnswer(None)


def _all_parts(line: str, rest: str) -> str:
    """The marker's line, with the lines below it where the answer continues there, up to an empty one."""
    block = re.split(r"\n\s*\n(?!\s*+[(（①-⑳]?\s*+\d?\s*+[)）.、])", rest.strip(), maxsplit=1)[0].strip()
    inside = boxed(block, "parts")
    if inside is not None:
        return inside
    return block if "\n" in block else line
