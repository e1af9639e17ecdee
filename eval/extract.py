"""The answer in what a model wrote.

The benchmark's own marker decides (``ANSWER:``, ``答案:``, with either colon): its last match after ``</think>``. Only
where there is none, and the text ended by itself, do fall-backs speak: a boxed answer, then "the answer is B", 答案是B,
选B, then a text that is nothing but an answer; fall-backs that disagree make it ambiguous. Never a random pick.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from srt.answers import Reading, canonical_text, read_answer
from srt.records import Answer, AnswerKind, Problem

Status = Literal["ok", "no_answer", "ambiguous", "truncated", "error"]
FinishReason = Literal["stop", "length", "error"]

_MARKER = re.compile(r"(?:(?<![A-Za-z])ANSWER(?![A-Za-z])|答案)[\s*]*[:：][\s*]*", re.IGNORECASE)
_LETTER_LIST = r"[(\"'*]*[A-Z][)\"'*]*(?:\s*(?:,|、|,?\s*and\s|,?\s*or\s|和|或)\s*[(\"'*]*[A-Z](?![A-Za-z])[)\"'*]*)*"
_PHRASES = (
    re.compile(
        r"(?i:(?<![a-z])(?:the|my)\s+(?:(?:correct|right|final|best)\s+)?(?:answer|option|choice)s?\s+(?:is|are)\s*:?\s+"
        rf"(?:(?:option|choice)s?\s+)?)({_LETTER_LIST})(?![A-Za-z'’])(?=[ \t]*(?:$|[^ \tA-Za-z]|because|since))"
    ),
    re.compile(rf"(?:答案(?:应该|应)?[是为选]|(?<![不未])选择?)\s*[:：]?\s*({_LETTER_LIST})(?![A-Za-z])"),
)


@dataclass(frozen=True)
class Extraction:
    """``answer`` is set exactly where ``status`` is ``ok``; ``text`` is what was read, for people to look at."""

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
    kind: AnswerKind = problem.answer.kind if problem.answer else ("choice_set" if problem.choices else "text")
    body = text.rpartition("</think>")[2]
    payload, closed = _after_marker(body)
    if finish_reason == "length" and not closed:
        return Extraction(None, payload, "truncated")
    candidates = [payload] if payload is not None else _fall_backs(body, kind)
    readings = [read_answer(candidate, kind, problem.choices) for candidate in candidates]
    return _decide(candidates, readings)


def trace_text(text: str) -> str:
    """The part of ``text`` that is to be a trace: the output without its think tags and the white space around."""
    opened = re.sub(r"^\s*<think>\s*", "", text)
    return re.sub(r"\s*</think>\s*", "\n", opened).strip()


def _after_marker(body: str) -> tuple[str | None, bool]:
    """What follows the last marker to the end of its line, and whether a further line shows that line to be whole."""
    matches = list(_MARKER.finditer(body))
    if not matches:
        return None, False
    line, newline, _ = body[matches[-1].end() :].partition("\n")
    return line.strip(), bool(newline)


def _fall_backs(body: str, kind: AnswerKind) -> list[str]:
    boxed = _last_boxed(body)
    if boxed is not None:
        return [boxed]
    if kind == "choice_set":
        found = [match[1] for phrase in _PHRASES for match in phrase.finditer(body)]
        if found:
            return found
    lines = [line for line in body.splitlines() if line.strip()]
    return lines if len(lines) == 1 else []


def _last_boxed(body: str) -> str | None:
    start = body.rfind("\\boxed{")
    if start < 0:
        return None
    depth = 0
    for at in range(start + len("\\boxed"), len(body)):
        depth += {"{": 1, "}": -1}.get(body[at], 0)
        if depth == 0:
            return body[start + len("\\boxed{") : at]
    return None


def _decide(candidates: list[str], readings: list[Reading]) -> Extraction:
    if any(reading.ambiguous for reading in readings):
        return Extraction(None, candidates[-1], "ambiguous")
    answers = [reading.answer for reading in readings if reading.answer is not None]
    if not answers:
        return Extraction(None, candidates[-1] if candidates else None, "no_answer")
    if any(answer != answers[0] for answer in answers):
        return Extraction(None, " | ".join(canonical_text(answer) for answer in answers), "ambiguous")
    return Extraction(answers[0], canonical_text(answers[0]), "ok")
