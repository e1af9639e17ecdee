"""Finds where a text states an answer, and returns what it says there.

There are three ranks; within a rank the last statement counts:

1. an explicit place: a tag (``<answer>``, ``<CONCLUSION>``), a key of JSON (``"answer"``, ``"choice"``), a marker at
   the start of a line (``ANSWER:``, 【答案】, ``[Answer]``, ``★答案：B★``, a heading), or a last line after ``####``;
2. a box, with the unit after it;
3. words within a sentence: "the answer is B", "so the answer: 5", 故选B.

A marker that is quoted (the prompt, repeated), or that stands for an answer (``ANSWER: X``), does not count; neither
does a sentence that asks, or only considers ("maybe the answer is B").
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from srt.answers.boxes import boxed
from srt.answers.concluding_words import ADJECTIVES, letters_called_right, letters_or_value_said, sentences
from srt.io.records import AnswerKind


@dataclass(frozen=True)
class FinalStatement:
    """``text`` is the answer as it was written; ``rest`` all that follows its beginning (parts take several lines).

    ``marked``: it stands in an explicit place. ``whole``: more text follows, so that the token budget did not cut it.
    ``before`` and ``after``: what its sentence says before it, and the sentence that follows, where it is in words.
    """

    text: str
    rest: str
    marked: bool = False
    whole: bool = True
    before: str = ""
    after: str = ""


_CHOICES = r"(?:options?|choices?|letters?|statements?)"
_MARKED_NOUN = (
    rf"(?:(?:the\s++)?{ADJECTIVES}(?:answers?(?:\s+key)?|ans\.?|result|conclusion|solution\s+set)|"
    rf"(?:the\s+)?(?:(?:final|correct|right|best|my|selected|chosen)\s++){{1,6}}{_CHOICES}|correct|selected|final)"
)
_MARKED_HAN = (
    r"(?:本题|因此|所以|综上|故)?(?:(?:最终|正确|最后的?|参考|修正后的?|更正后的?|更正|我的)*(?:答案|结论|结果|答)|"
    r"(?:最终|正确|我)的?(?:选项|选择)|多选)"
)
_BEHIND_NOUN = r"[\"'”’*_\s]*(?:[(（][^()（）\n]{0,30}[)）]\s*)?(?:[:：=]|\s{0,2}(?:→|->|=>)|\s[-–—](?=\s))"
_LIST_BELOW = (
    rf"(?i:the\s+{ADJECTIVES}(?:answers?|{_CHOICES})\s+(?:is|are))|(?:答案|正确的?(?:选项|说法|答案)?)[是为有]"
)
_LINE_START = r"(?:^|(?<=\n))[ \t>#*_•\"'“-]{0,12}(?:\(?\d{1,2}[.)]\s+)?"
_LINE_MARKER = re.compile(
    rf"{_LINE_START}(?:"
    rf"(?i:(?:(?:so|thus|hence|therefore|and)[ ,]+)?{_MARKED_NOUN}|{_MARKED_HAN}){_BEHIND_NOUN}"
    r"|\[(?i:(?:final\s++)?answer)\][ \t]*+[:：]?"
    r"|(?i:(?:final\s++)?answer\s++is|ans\.)[ \t]++(?=\S)"
    rf"|(?:{_LIST_BELOW})\s*+[:：][*_ \t]*\n(?=\s*+\S)"
    r"|(?i:final\s++answer|answer|最终答案|答案)[*_ \t]*+(?:[:：][*_ \t]*+)?\n(?=\s*+\S)"
    r"|(?i:result|conclusion|结论|结果)[*_ \t]*\n(?=\s*+\S[^\n]*\s*+\Z))"
    r"|[【\[](?:最终|参考|正确)?答案[】\]][ \t]*+[:：]?"
    r"|★\s*+(?i:answer|答案)\s*+[:：]"
)
_LAST_LINE_MARKER = re.compile(r"(?:^|(?<=\n))####[ \t]*(?=[^\s#][^\n]*\s*\Z)")
_LETTER_MARKER = re.compile(
    rf"{_LINE_START}"
    rf"(?:(?i:(?:the\s++)?{ADJECTIVES}(?:choice|option|response|selection|letter)|(?:最终|正确|我的)*选[择项])"
    rf"{_BEHIND_NOUN}|(?i:{ADJECTIVES}ans(?:wer|\.)|答案)\s++(?=\(?[A-Z]\)?[.。]?\s*+(?:\n|$)))"
)
_INLINE_MARKER = re.compile(
    rf"(?<![A-Za-z])(?i:{ADJECTIVES}answers?)(?![A-Za-z]){_BEHIND_NOUN}"
    rf"|(?:最终|正确|最后的?|参考)?答案{_BEHIND_NOUN}"
)
_OTHER_ANSWERS = re.compile(
    r"(?:each|every|any|some|possible|for|of|this|that|these|wrong|incorrect|candidate|which|other|typical|no|not"
    r"|[a-z]{2,12}['’]s|example)\s+(?:the\s+)?$|的$|错误?$|学生$",
    re.IGNORECASE,
)
_QUOTES = "\"'“‘「『`《"
_BLANK = re.compile(r"[\s*_`]+")
_DISPLAY = re.compile(r"\s*(?:\\\[|\$\$)(.{0,2000}?)(?:\\\]|\$\$)", re.DOTALL)
_FENCE = re.compile(r"\s*```[A-Za-z]*\n")
_PLACE = re.compile(
    r"[\s\[<{(_*`'\"“]{0,40}(?:X|x|Y|letters?|your answer|the answer|final answer|option letters?|number,\s*letters|"
    r"字母|选项|选项字母|你的答案|答案|最终答案|\.{2,200}|…{1,200}|_{1,200})[\s\]>})_*`'\"”.。]{0,40}",
    re.IGNORECASE,
)
_TAG_NAME = r"(?:final_?answer|answer|final|conclusion|choice|答案)"
_TAG = re.compile(rf"<{_TAG_NAME}>(.{{0,2000}}?)(?:</{_TAG_NAME}>|\Z)", re.IGNORECASE | re.DOTALL)
_JSON_KEY = re.compile(
    r"""(["'])(?:(?:final|correct|selected|predicted|my)[_ ]?)*(?:answers?|choice|option|prediction|答案|选项)"""
    r"""\\?\1\s*[:：]\s*""",
    re.IGNORECASE,
)
_PYTHON_VALUE = re.compile(r"'([^'\n]{0,200})'|\[([^\[\]\n]{0,200})\]")
_PART = re.compile(r"\([12]\)|[①②]")
_LONGEST_SENTENCE = 500
"""Characters after a marker in which a sentence is looked for that states the answer."""
_NEAR = 60
"""Characters before a marker in which stands whose answer it is."""
_NOT_SAID = re.compile(
    r"(?<![a-z])(?:(?:never|not|cannot)|[a-z]{2,6}n[’']t)\s+(?:say|claim|conclude|argue)\s+(?:that\s+)?"
    r"(?:the|my)\s+(?:\w{1,20}\s+)?(?:answer|option|choice)(?![a-z])",
    re.IGNORECASE,
)
"""A sentence in which an answer is named only to be rejected: "I would never say that the answer is B"."""
MOST_TRIED = 32
"""Markers and sentences that are tried, from the last: a text with more of them quotes or repeats itself."""


def stated_last(body: str, kind: AnswerKind) -> FinalStatement | None:
    """The last answer that ``body`` states in a place of the highest rank that it has, to be read as ``kind``."""
    found = _explicit(body, kind)
    if found is not None:
        return found
    inside = boxed(body, kind)
    if inside is not None:
        return FinalStatement(inside, inside)
    # Each part may have its own sentence; the last of them is not the answer.
    return None if kind == "parts" else said_in_words(body, kind)


def said_in_words(body: str, kind: AnswerKind) -> FinalStatement | None:
    """What the last sentence says that states an answer in words, or has a marker within it."""
    right: list[str] = []
    said_last = sentences(body)[-8 * MOST_TRIED :]
    for sentence, after in zip(reversed(said_last), ["", *reversed(said_last)], strict=False):
        if _NOT_SAID.search(sentence):
            continue
        markers = reversed(list(_INLINE_MARKER.finditer(sentence)))
        inline = next((match for match in markers if _is_own(sentence, match.start())), None)
        text = sentence[inline.end() :].strip() if inline else ""
        said = text if text and not _PLACE.fullmatch(text) else letters_or_value_said(sentence, kind)
        if said is not None:
            before = sentence[: -len(said)] if sentence.endswith(said) else ""
            return FinalStatement(said, said, before=before, after=after)
        if kind == "choice_set":
            right += letters_called_right(sentence)
    return FinalStatement(", ".join(right), "") if right else None


def answer_line_start(text: str) -> int | None:
    """Where the line with the last marker of ``text`` begins: what precedes it is not part of the answer."""
    last = None
    for pattern in (_LINE_MARKER, _INLINE_MARKER):
        for match in pattern.finditer(text):
            if not _is_quoted(text, match.start()):
                last = max(last or 0, match.start())
    if last is None:
        return None
    while text[last] == "\n":
        last += 1
    return text.rfind("\n", 0, last) + 1


def _explicit(body: str, kind: AnswerKind) -> FinalStatement | None:
    """What stands in the last tag, after the last JSON key or the last marker at the start of a line."""
    keys = [(match.start(), match.end()) for match in _JSON_KEY.finditer(body)][-MOST_TRIED:]
    places = [(match.start(), match.end(), "key") for match in _JSON_KEY.finditer(body)]
    places += [(match.start(), match.end(), "tag") for match in _TAG.finditer(body)]
    if "####" in body:
        places += [(match.start(), match.end(), "line") for match in _LAST_LINE_MARKER.finditer(body)]
    for match in _markers(body, kind):
        if not any(start <= match.end() <= end for start, end in keys):
            places.append((match.start(), match.end(), "line"))
    for start, end, place in sorted(places, reverse=True)[:MOST_TRIED]:
        found: FinalStatement | None
        if place == "key":
            found = _json_value(body, end)
        elif place == "tag":
            found = _tagged(body, start, kind)
        elif _is_quoted(body, start):
            continue
        else:
            found = _behind(body, end, kind)
        if found is not None and not _PLACE.fullmatch(found.text) and (found.text or not found.rest.strip()):
            return found
    return None


def _tagged(body: str, start: int, kind: AnswerKind) -> FinalStatement:
    """The content of the tag at ``start``, with those before it on the same line: ``<answer>A</answer> or ...``."""
    tags = [match for match in _TAG.finditer(body[: start + 2100]) if match.start() <= start]
    text = tags[-1][1].strip()
    for before, tag in zip(tags[-2::-1], tags[:0:-1], strict=False):
        between = body[before.end() : tag.start()]
        if "\n" in between or len(between) > 30:
            break
        text = f"{before[1].strip()} {between.strip() or ','} {text}"
    return FinalStatement(_inner(text, kind), text, True, tags[-1][0].endswith(">"))


def _markers(body: str, kind: AnswerKind) -> Iterator[re.Match[str]]:
    yield from _LINE_MARKER.finditer(body)
    if kind == "choice_set":
        yield from _LETTER_MARKER.finditer(body)


def _is_own(sentence: str, start: int) -> bool:
    """Whether the marker within a sentence is of the answer that is given, not quoted and not of others."""
    return not _is_quoted(sentence, start) and not _OTHER_ANSWERS.search(sentence[max(0, start - _NEAR) : start])


def _behind(body: str, end: int, kind: AnswerKind) -> FinalStatement:
    """What follows a marker that ends at ``end``: to the end of its line, or the display formula below it."""
    fence = _FENCE.match(body, end)
    end = fence.end() if fence else end
    display = _DISPLAY.match(body, end)
    if display is not None:
        inside = boxed(body[end:], kind) if r"\boxed" in display[0] else display[1].strip()
        return FinalStatement(inside or "", body[end:], True)
    blank = _BLANK.match(body, end)
    end = blank.end() if blank else end
    line, newline, _ = body[end:].partition("\n")
    starred = line.partition("★")
    if starred[1]:
        line, newline = starred[0], "\n"
    if kind == "choice_set":
        line = re.split(r"</(?!b>|i>|strong>|em>)|<br", line)[0]
    return FinalStatement(
        _inner(line.strip().rstrip("`").strip(), kind), body[end:].replace("★", ""), True, bool(newline)
    )


def _inner(text: str, kind: AnswerKind) -> str:
    """What is boxed in ``text``, if anything is; else the value that a sentence in it calls the answer."""
    inside = boxed(text, kind)
    if inside is None and kind != "choice_set" and len(text) <= _LONGEST_SENTENCE and not _PART.search(text):
        said = said_in_words(text, kind)
        inside = said.text if said is not None else None
    return text if inside is None else inside


def _is_quoted(body: str, start: int) -> bool:
    """Whether the marker at ``start`` is quoted within a sentence, as a prompt quotes it."""
    while start < len(body) and body[start] in " \t\n#*_":
        start += 1
    line = body[body.rfind("\n", 0, start) + 1 : start].rstrip("*_★ ")
    return bool(line) and line[-1] in _QUOTES and bool(line[:-1].strip(" \t*_>" + _QUOTES))


def _json_value(body: str, start: int) -> FinalStatement | None:
    """The JSON value (or Python's way to write one) at ``start``, a list as ``A, C``; ``None`` where there is none."""
    try:
        written = body[start : start + 2000]
        # An escaped quote opens it where the object is itself a string, the arguments of a call.
        value = json.JSONDecoder().raw_decode(written.replace('\\"', '"') if written[:1] == "\\" else written)[0]
    except (json.JSONDecodeError, RecursionError):
        match = _PYTHON_VALUE.match(body, start)
        value = (match[1] or match[2]) if match else None
    if isinstance(value, list):
        value = ", ".join(str(one) for one in value)
    elif isinstance(value, bool):
        value = "true" if value else "false"
    elif isinstance(value, dict) and "value" in value:
        value = f"{value['value']} {value.get('unit') or ''}".strip()
    if value is None or isinstance(value, dict):
        return None
    return FinalStatement(str(value), str(value), True)
