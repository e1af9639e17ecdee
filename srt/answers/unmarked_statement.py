"""A final statement without a place of its own: a text that is nothing but an answer, or begins or ends with one.

Each kind of answer has its candidates, in order; the first that can be read is the statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from srt.answers.answer_places import FinalStatement, said_in_words
from srt.answers.beyond_question import said_beyond
from srt.answers.concluding_words import sentences
from srt.answers.equality.parts import leaves
from srt.answers.equality.stated_values import states_value
from srt.answers.final_statement import final_statement
from srt.answers.labels import label_alone
from srt.answers.options import verdicts
from srt.answers.read_statement import form_of, read_statement
from srt.answers.values import concluded_value
from srt.io.records import AnswerKind, Problem

_LONGEST_LINE = 200
_LONGEST_LIST = 400
_FEW_WORDS = 4
_LISTED = re.compile(r"[ \t*#-]*[(（]?([A-Z])[)）.、:：]")
_COURTESY = re.compile(
    r"(?<![a-z])(?:hope|let\s+me\s+know|feel\s+free|happy\s+to|thanks?)(?![a-z])|谢谢|希望|如有", re.I
)
_LETTER_ALONE = re.compile(r"[\s*(（\[]*[A-Z][\s*)）\].。]*")
_FIRST_PART = re.compile(r"(?:^|(?<=\n))[ \t*#]*(?=[(（]1[)）]|①)")
_EXPLAINS = re.compile(
    r"[ \t*#]*(?:explanation|reason(?:ing)?|because|note|justification|解析|解释|理由|说明|分析|因为)", re.I
)


def unmarked_statement(body: str, kind: AnswerKind, problem: Problem) -> FinalStatement | None:
    """The statement of ``body``, in which no place for one was found; ``kind`` is what is looked for."""
    lines = [line.strip() for line in body.splitlines() if line.strip(" \t`*#-_")]
    if not lines:
        return None
    if kind == "parts":
        return _parts(body, problem)
    for text in _candidates(body, lines, kind, problem):
        said = FinalStatement(text, text)
        read = read_statement(said, problem)
        if read.answer is not None or read.ambiguous:
            return said
    return None


def _candidates(body: str, lines: list[str], kind: AnswerKind, problem: Problem) -> Iterator[str]:
    said = _without_courtesies(sentences(body))
    if problem.labels:
        yield from [lines[0]] if label_alone(lines[0], problem.labels) else said[-1:]
    elif kind in ("choice_set", "boolean", "sequence"):
        yield from _short_lines(body, lines, said, kind, problem)
    elif form_of(problem) == "set":
        yield from said[-1:]
    elif kind == "text":
        value = _value(body, lines, said, problem, first=False)
        if value is not None:
            yield value
        elif len(lines) > 1 and _EXPLAINS.match(lines[1]):
            yield lines[0]
        elif len(lines) > 1 or (len(said) > 1 and said_beyond(said[-1], problem.question)):
            yield from said[-1:]
        else:
            yield lines[0]
    else:
        value = _value(body, lines, said, problem, first=True)
        if value is not None:
            yield value


def _short_lines(body: str, lines: list[str], said: list[str], kind: AnswerKind, problem: Problem) -> Iterator[str]:
    """The list that ``body`` ends with, its last line, the last sentence, and the first line before an explanation."""
    if kind == "choice_set":
        yield from filter(None, [verdicts(body, problem)])
    block = re.split(r"\n\s*\n", body.strip())[-1]
    if kind == "sequence" and "\n" in block and len(block) <= _LONGEST_LIST:
        yield block
    first, last = lines[0], lines[-1]
    answered_first = len(lines) > 1 and (
        _EXPLAINS.match(lines[1])
        or re.match(r".*\n\s*\n", body.lstrip())
        or (_LETTER_ALONE.fullmatch(first) and len(lines[1].split()) > 2)
    )
    ending = [] if said and _is_listed(last, lines) and said[-1] in last else said[-1:]
    for line in [last, *ending, *([first] if answered_first else [])]:
        if len(line) <= _LONGEST_LINE and not _is_listed(line, lines):
            yield line


def _parts(body: str, problem: Problem) -> FinalStatement | None:
    """The statements of all parts, where ``body`` labels them; else what it says in words, or its last paragraph."""
    began = _FIRST_PART.search(body)
    labelled = leaves(re.sub(r"\*\*", "", body[began.end() if began else 0 :]).strip())
    if len(labelled) > 1:
        parts = [
            final_statement(leaf, "expression") or _value_of_part(leaf, problem) or _words(leaf) for leaf in labelled
        ]
        joined = "; ".join(f"({number}) {part.text}" for number, part in enumerate(parts, 1) if part is not None)
        return FinalStatement(joined, joined) if None not in parts else None
    in_words = said_in_words(body, "parts")
    ending = re.split(r"\n\s*\n", body.strip())[-1]
    return in_words if in_words is not None else FinalStatement(ending, ending)


def _value_of_part(leaf: str, problem: Problem) -> FinalStatement | None:
    lines = [line.strip() for line in leaf.splitlines() if line.strip()]
    value = _value(leaf, lines, _without_courtesies(sentences(leaf)), problem, first=True)
    return None if value is None else FinalStatement(value, value)


def _words(leaf: str) -> FinalStatement | None:
    """A part without a value that is a few words: ``(1) Triangular prism``."""
    return FinalStatement(leaf, leaf) if "\n" not in leaf and len(leaf.split()) <= _FEW_WORDS else None


def _value(body: str, lines: list[str], said: list[str], problem: Problem, *, first: bool) -> str | None:
    """The ``first`` line, where an explanation follows it and it states a value; else the last sentence that does."""
    if first and len(lines) > 1 and _EXPLAINS.match(lines[1]) and states_value(lines[0]):
        return lines[0]
    if not said or (len(said) == 1 and len(said[0]) > _LONGEST_LINE):
        return None
    text = concluded_value(said[-1], problem.question)
    return next((one for one in (said[-1], text) if states_value(one)), None)


def _without_courtesies(said: list[str]) -> list[str]:
    while len(said) > 1 and _COURTESY.search(said[-1]) and not re.search(r"\d", said[-1]):
        said = said[:-1]
    return said


def _is_listed(line: str, lines: list[str]) -> bool:
    """Whether ``line``, the first or the last of ``lines``, is one of a list of options, as its neighbour is."""
    if len(lines) == 1 or line not in (lines[0], lines[-1]):
        return False
    beside = lines[1] if line == lines[0] else lines[-2]
    own, other = _LISTED.match(line), _LISTED.match(beside)
    return own is not None and other is not None and own[1] != other[1]
