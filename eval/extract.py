"""The answer in what a model wrote.

The benchmark's own marker decides (``ANSWER:``, ``答案:``, ``★答案：B★``, the key ``"answer"`` of a JSON object): its
last match after ``</think>``. Only where there is none, and the text ended by itself, do fall-backs speak: a boxed
answer, then "the answer is B", 答案是B, 选B, then a text that is nothing but an answer; fall-backs that disagree make
it ambiguous. Never a random pick.

Letters, truth values and sequences are read here; a number, an expression or a text stays as the model wrote it, for
:mod:`eval.equality` to read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from eval.payloads import boxed, concluded, marked
from srt.answers import Reading, canonical_text, expected_kind, read_answer
from srt.records import Answer, AnswerKind, Problem

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

    ``text`` is what was read: letters in canonical form, anything else as the model wrote it; where nothing could be
    read, what stood in the answer's place, for people to look at.
    """

    answer: Answer | None
    text: str | None
    status: Status


def extract(text: str, problem: Problem, finish_reason: FinishReason = "stop") -> Extraction:
    """The answer that ``text``, a model's output, gives to ``problem``.

    Statuses: ``truncated``: the token budget ended before an answer was whole (a marker's line counts as whole when
    more text follows it); ``no_answer``: none found, or one that is no answer to this problem, such as a letter
    beyond its options; ``ambiguous``: several answers and no decision; ``error``: the generation itself failed.
    """
    if finish_reason == "error":
        return Extraction(None, None, "error")
    kind = expected_kind(problem)
    body = after_reasoning(text.replace("\r\n", "\n").replace("\r", "\n"))
    payload = None if body is None else marked(body, kind)
    if finish_reason == "length" and (payload is None or not payload.whole):
        return Extraction(None, payload.text if payload else None, "truncated")
    if body is None:
        return Extraction(None, None, "no_answer")
    if payload is not None:
        candidates = [payload.text]
        readings = [_read(payload.text, payload.rest, kind, problem)]
        if readings[0].answer is None and not readings[0].ambiguous and kind in ("choice_set", "boolean"):
            candidates, readings = _reread(payload.text, kind, problem, candidates, readings)
    else:
        inside = boxed(body, kind)
        candidates = concluded(body, kind) if inside is None else [inside]
        readings = [_read(candidate, candidate, kind, problem) for candidate in candidates]
    return _decide(candidates, readings)


def after_reasoning(text: str) -> str | None:
    """What stands after the think block; ``None`` where the block was opened and never closed."""
    closed = list(_CLOSES.finditer(text))
    if closed:
        return text[closed[-1].end() :]
    return None if _OPENS.match(text) else text


def trace_text(text: str) -> str:
    """The part of ``text`` that is to be a trace: the output without its think tags and the white space around."""
    opened = re.sub(r"^\s*<think>\s*", "", text)
    return re.sub(r"\s*</think>\s*", "\n", opened).strip()


def _read(text: str, rest: str, kind: AnswerKind, problem: Problem) -> Reading:
    """``text`` as an answer of ``kind``; ``rest`` is all from there on: parts stand on lines of their own."""
    text = _without_number(text, kind, problem)
    if kind in ("choice_set", "boolean"):
        return read_answer(text, kind, problem.choices)
    if kind == "sequence":
        return _read_sequence(text, problem)
    body = _BLANKS.sub("  ", text.strip()[:_LONGEST])
    if kind == "parts":
        body = _all_parts(body, rest[:_LONGEST])
    if not body.strip("*_`$ .。") or (kind != "text" and _NOTHING.match(body)):
        return Reading(None)
    if kind == "text":
        body = body.strip("*_`\"'“”★ ").rstrip(".。").rstrip()
    if kind in ("number", "expression"):
        if not _HAS_VALUE.search(body):
            return Reading(None)
        if kind == "number" and _SEVERAL.search(body):
            return Reading(None, ambiguous=True)
    return Reading(Answer(kind="expression" if kind == "number" else "text" if kind == "parts" else kind, value=body))


def _without_number(text: str, kind: AnswerKind, problem: Problem) -> str:
    """``text`` without the item's own number before the answer: ``7,BD`` of a test sheet."""
    number = problem.meta.get("number")
    if number is not None:
        return re.sub(_FIRST_NUMBER.format(number=re.escape(str(number))), "", text, count=1)
    return _ANY_NUMBER.sub("", text, count=1) if kind in ("boolean", "sequence") else text


def _read_sequence(text: str, problem: Problem) -> Reading:
    """A sequence; where gold's elements are single letters, ``LRRL`` and ``L R R L`` are ones too."""
    read = read_answer(text, "sequence", problem.choices)
    gold = problem.answer.value if problem.answer else []
    if read.answer is None or not all(len(one) == 1 for one in gold):
        return read
    said = [part.strip("()[]\"'") for value in read.answer.value for part in value.split()]
    if len(said) == 1 and said[0].isalpha() and said[0].isascii() and said[0].isupper():
        said = list(said[0])
    return Reading(Answer(kind="sequence", value=said)) if said else Reading(None)


def _all_parts(line: str, rest: str) -> str:
    """The line of the marker, with the lines below it where the answer goes on there, up to an empty one."""
    block = re.split(r"\n\s*\n(?!\s*[(（①-⑳]?\s*\d?\s*[)）.、])", rest.strip(), maxsplit=1)[0].strip()
    inside = boxed(block, "parts")
    if inside is not None:
        return inside
    return block if "\n" in block else line


def _reread(
    text: str, kind: AnswerKind, problem: Problem, candidates: list[str], readings: list[Reading]
) -> tuple[list[str], list[Reading]]:
    """A marker's line that is a sentence: ``ANSWER: The correct option is B``."""
    said = [one for one in concluded(text, kind) if one.strip() != text.strip()]
    if not said:
        return candidates, readings
    return said, [_read(one, one, kind, problem) for one in said]


def _decide(candidates: list[str], readings: list[Reading]) -> Extraction:
    if any(reading.ambiguous for reading in readings):
        return Extraction(None, candidates[-1], "ambiguous")
    answers = [reading.answer for reading in readings if reading.answer is not None]
    if not answers:
        return Extraction(None, candidates[-1] if candidates else None, "no_answer")
    if any(_differ(answer, answers[0]) for answer in answers):
        return Extraction(None, " | ".join(canonical_text(answer) for answer in answers), "ambiguous")
    return Extraction(answers[-1], canonical_text(answers[-1]), "ok")


def _differ(one: Answer, other: Answer) -> bool:
    return one.kind != other.kind or _bare(canonical_text(one)) != _bare(canonical_text(other))


def _bare(text: str) -> str:
    return re.sub(r"[\s$*。.]|\\[,;!]", "", text).casefold()
