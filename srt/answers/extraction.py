"""The answer in what a model wrote.

The benchmark's own marker decides (``ANSWER:``, ``答案:``, ``★答案：B★``, the key ``"answer"`` of a JSON object): its
last match after ``</think>``. Fallbacks count only where there is no marker and the text ended by itself: a boxed
answer, then "the answer is B", 答案是B, 选B, then a text that is nothing but an answer. Fallbacks that disagree make
the answer ambiguous. Nothing is picked at random.

Letters, truth values and sequences are read here; a number, an expression or a text stays as the model wrote it, for
:mod:`srt.answers.equality` to read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from srt.answers.markers import boxed, concluded, marked
from srt.answers.written_form import ReadAnswer, canonical_text, expected_kind, read_answer
from srt.io.records import Answer, AnswerKind, Problem

Status = Literal["ok", "no_answer", "ambiguous", "truncated", "error"]
FinishReason = Literal["stop", "length", "error"]

_LONGEST = 4_000
"""Characters of an answer that are read: real ones have a few hundred at most."""
_BLANKS = re.compile(r"[^\S\n]{3,}")
_OPENS = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_CLOSES = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_FIRST_NUMBER = r"^\W*{number}\s*[,，、:：.\s]\s*"
_ANY_NUMBER = re.compile(r"^\W*\d{1,3}\s*[,，、:：.]\s*(?=[A-Za-z\u4e00-\u9fff])")
_HAS_VALUE = re.compile(
    r"\d|\\(?:pi|sqrt|frac|infty|emptyset|[a-z]+)|[π√∞½⅓⅔¼¾一二三四五六七八九十零两]|(?<![A-Za-z])[b-zB-HJ-Z](?![A-Za-z'’])|"
    r"(?<![a-z])(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty)(?![a-z])",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"^\W*(?:unknown|undetermined|n/?a|none|null|nothing|(?:i|we)\s+(?:do\s*n.t|do\s+not|cannot|can.t)\b.*|"
    r"(?:it\s+)?can(?:not|.t)\s+(?:be\s+)?.*|not\s+(?:sure|known|enough|given).*|"
    r"无法.*|不能.*|不知道.*|不确定.*|未知)\W*$",
    re.IGNORECASE | re.DOTALL,
)
_SEVERAL = re.compile(
    r"[\d}\])π]\s*(?:[A-Za-z\u4e00-\u9fff°^{}\d]{0,12}\s+)?(?:or|或者?)\s*[-+]?[\d\\(√π]", re.IGNORECASE
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
    body = after_reasoning(text.replace("\r\n", "\n").replace("\r", "\n"))
    behind_marker = None if body is None else marked(body, kind)
    if finish_reason == "length" and (behind_marker is None or not behind_marker.whole):
        return Extraction(None, behind_marker.text if behind_marker else None, "truncated")
    if body is None:
        return Extraction(None, None, "no_answer")
    if behind_marker is not None:
        candidates = [behind_marker.text]
        readings = [_read(behind_marker.text, behind_marker.rest, kind, problem)]
        if readings[0].answer is None and not readings[0].ambiguous and kind in ("choice_set", "boolean"):
            # The marker's line may be a sentence: ``ANSWER: The correct option is B``.
            said = [one for one in concluded(behind_marker.text, kind) if one.strip() != behind_marker.text.strip()]
            if said:
                candidates, readings = said, [_read(one, one, kind, problem) for one in said]
    else:
        inside = boxed(body, kind)
        candidates = concluded(body, kind) if inside is None else [inside]
        readings = [_read(candidate, candidate, kind, problem) for candidate in candidates]
    return _decide(candidates, readings)


def after_reasoning(text: str) -> str | None:
    """What follows the think block; ``None`` where the block was opened and never closed."""
    closed = list(_CLOSES.finditer(text))
    if closed:
        return text[closed[-1].end() :]
    return None if _OPENS.match(text) else text


def without_think_tags(text: str) -> str:
    """``text`` without its think tags and the white space around it: what may be a trace."""
    opened = re.sub(r"^\s*<think>\s*", "", text)
    return re.sub(r"\s*</think>\s*", "\n", opened).strip()


def _read(text: str, rest: str, kind: AnswerKind, problem: Problem) -> ReadAnswer:
    """``text`` as an answer of ``kind``. ``rest`` is all the text from there on: parts are on separate lines."""
    text = _without_number(text, kind, problem)
    if kind in ("choice_set", "boolean"):
        return read_answer(text, kind, problem.choices)
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
    block = re.split(r"\n\s*\n(?!\s*[(（①-⑳]?\s*\d?\s*[)）.、])", rest.strip(), maxsplit=1)[0].strip()
    inside = boxed(block, "parts")
    if inside is not None:
        return inside
    return block if "\n" in block else line


def _decide(candidates: list[str], readings: list[ReadAnswer]) -> Extraction:
    if any(reading.ambiguous for reading in readings):
        return Extraction(None, candidates[-1], "ambiguous")
    answers = [reading.answer for reading in readings if reading.answer is not None]
    if not answers:
        return Extraction(None, candidates[-1] if candidates else None, "no_answer")
    if len({(answer.kind, _bare(canonical_text(answer))) for answer in answers}) > 1:
        return Extraction(None, " | ".join(canonical_text(answer) for answer in answers), "ambiguous")
    return Extraction(answers[-1], canonical_text(answers[-1]), "ok")


def _bare(text: str) -> str:
    return re.sub(r"[\s$*。.]|\\[,;!]", "", text).casefold()
