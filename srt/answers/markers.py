"""Where in a text the answer is: after the benchmark's marker, in a box, or after words that conclude.

A marker that is quoted (the prompt, repeated), or that stands for an answer (``ANSWER: X``), does not count.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass

from srt.io.records import AnswerKind


@dataclass(frozen=True)
class MarkedAnswer:
    """The answer's text. ``whole``: more text follows, so the token budget did not cut it.

    ``rest`` is everything from there to the end of the text: an answer of several parts takes several lines.
    """

    text: str
    whole: bool
    rest: str


_MARKER = re.compile(
    r"(?<![A-Za-z])(?:(?:final|correct|my)\s+)?answers?(?![A-Za-z])[\"'”’*_\s]*(?:\([^()\n]{0,30}\)\s*)?[:：]"
    r"|(?:最终|正确|最后的?|参考)?答案[\"'”’*_\s]*[:：]"
    r"|(?:^|\n)[#*_ \t]*(?:final\s+answer|answer|最终答案|答案)[*_\s]*\n(?=\s*\S)",
    re.IGNORECASE,
)
_QUOTES = "\"'“‘「『`《"
_BLANK = re.compile(r"[\s*_`]+")
_DISPLAY = re.compile(r"\s*(?:\\\[|\$\$)(.{0,2000}?)(?:\\\]|\$\$)", re.DOTALL)
_FENCE = re.compile(r"\s*```[A-Za-z]*\n")
_PLACE = re.compile(
    r"[\s\[<{(_*`'\"“]*(?:X|x|Y|letters?|your answer|the answer|final answer|option letters?|number,\s*letters|"
    r"字母|选项|选项字母|你的答案|答案|最终答案|\.{2,}|…+|_+)[\s\]>})_*`'\"”.。]*",
    re.IGNORECASE,
)
_JSON_KEY = re.compile(r"""(["'])(?:final_?|correct_?)?(?:answer|答案)s?\1\s*:\s*""", re.IGNORECASE)
_PYTHON_VALUE = re.compile(r"'([^'\n]{0,200})'|\[([^\[\]\n]{0,200})\]")
_LETTER_LIST = (  # Repeats are bounded: a text of brackets or of letters alone must not cost its length squared.
    r"[(\"'*\[{]{0,4}[A-Z][)\"'*\]}]{0,4}"
    r"(?:\s{0,4}(?:,|、|,?\s?and\s|,?\s?or\s|和|或|&|/)\s{0,4}[(\"'*\[]{0,4}[A-Z](?![A-Za-z])[)\"'*\]]{0,4}){0,25}"
)
_END = r"(?![A-Za-z'’])(?=[ \t]*(?:$|[^ \tA-Za-z]|because|since|as\s|\n))"
_THE_ANSWER = (
    r"(?:the|my)\s+(?:(?:correct|right|final|best|only)\s+)*(?:answer|option|choice|letter)s?\s+"
    r"(?:is|are|should\s+be|must\s+be|would\s+be|will\s+be)\s*:?\s+"
)
_NOT_BUT = r"(?:not\s+[(\"'*]*[A-Z][)\"'*]*,?\s+but\s+(?:rather\s+)?)?"
_LETTERS_SAID = (
    re.compile(rf"(?i:(?<![a-z]){_THE_ANSWER}{_NOT_BUT}(?:(?:option|choice)s?\s+)?)({_LETTER_LIST}){_END}"),
    re.compile(
        rf"(?i:(?<![a-z])(?:options?|choices?)\s+)({_LETTER_LIST})(?i:\s+(?:is|are)\s+(?:the\s+)?(?:correct|right)(?!\s+side))"
    ),
    re.compile(
        rf"(?<![A-Za-z])({_LETTER_LIST})(?i:\s+(?:is|are)\s+the\s+(?:correct|right)\s+(?:answer|option|choice)s?)"
    ),
    re.compile(
        rf"(?i:(?<![a-z])(?:i\s+(?:would\s+)?(?:choose|pick|select)|we\s+choose)\s+(?:options?\s+)?)({_LETTER_LIST}){_END}"
    ),
    re.compile(
        r"(?:答案(?:就|应该|应)?[是为选]|正确的?(?:选项|答案)(?:就|应该|应)?[是为有]|(?<![不未可])选择?(?:项)?[是为]?)\s*[:：]?\s*"
        rf"(?:不是\s*[A-Z]\s*[,，]?\s*而?是\s*)?(?:选项?\s*)?({_LETTER_LIST})(?![A-Za-z])(?!\s*(?:不|错|是错|项?[是为]?错|项?不))"
    ),
    re.compile(
        rf"(?:选项\s*)?(?<![A-Za-z])({_LETTER_LIST})\s*(?:选?项)?(?:[是为]|才是)正确(?:的?(?:选项|答案)|的)?(?![A-Za-z])"
    ),
)
_VALUE_SAID = (
    re.compile(
        rf"(?<![A-Za-z]){_THE_ANSWER}(.{{1,200}}?)(?:\.(?=\s|$)|\n|$|,\s(?:because|since|as|so)\s)", re.IGNORECASE
    ),
    re.compile(r"(?<!的)(?:最终|正确)?答案(?:就|应该|应)?[是为]\s*[:：]?\s*(.{1,200}?)(?:[。；，]|,\s|\n|$)"),
)
_BOXED = re.compile(r"\\(?:f?boxed|fbox)\s*\{|\\boxed\s+(?=\w)")
_LONGEST_LINE = 200
_LONGEST_CONCLUSION = 20_000
_MOST_TRIED = 32
"""Markers that are tried, from the last: a text with more of them quotes or repeats itself."""


def marked(body: str, kind: AnswerKind) -> MarkedAnswer | None:
    """The answer after the last marker of ``body``; ``None`` without a marker."""
    places = [(match.start(), match.end()) for match in _MARKER.finditer(body)][-_MOST_TRIED:]
    keys = {(match.start(), match.end()) for match in [*_JSON_KEY.finditer(body)][-_MOST_TRIED:]}
    for start, end in sorted({*places, *keys}, reverse=True)[:_MOST_TRIED]:
        if (start, end) in keys:
            found = _json_value(body, end)
            if found is not None:
                return found
            continue
        if any(key_start <= start <= key_end for key_start, key_end in keys) or _is_quoted(body, start):
            continue
        found = _behind(body, end, kind)
        if not _PLACE.fullmatch(found.text) or not found.text:
            return found
    return None


def boxed(body: str, kind: AnswerKind) -> str | None:
    """The content of the last box of ``body`` (of all of them, for an answer of several parts)."""
    contents = []
    at = 0
    while (match := _BOXED.search(body, at)) is not None:
        at = match.end()
        if not match[0].endswith("{"):
            contents.append(re.compile(r"\w+").match(body, at)[0])  # type: ignore[index]
            continue
        depth = 1
        for end in range(at, len(body)):
            depth += {"{": 1, "}": -1}.get(body[end], 0)
            if depth == 0:
                contents.append(body[at:end])
                at = end
                break
        else:
            break  # Never closed; neither is anything behind it.
    if not contents:
        return None
    if kind == "parts" and len(contents) > 1:
        return "; ".join(contents)
    return contents[-1].strip()


def concluded(body: str, kind: AnswerKind) -> list[str]:
    """What the text says the answer is, in words, each time it says so; else its one line, if it has only one."""
    patterns: tuple[re.Pattern[str], ...] = _VALUE_SAID
    body = body[-_LONGEST_CONCLUSION:]
    if kind == "choice_set":
        patterns, body = _LETTERS_SAID, unicodedata.normalize("NFKC", body)
    found = sorted((match.start(1), match[1].strip()) for pattern in patterns for match in pattern.finditer(body))
    if found:
        return [text for _, text in found]
    lines = [line for line in body.splitlines() if line.strip(" \t`*#")]
    return lines if len(lines) == 1 and len(lines[0]) <= _LONGEST_LINE else []


def _behind(body: str, end: int, kind: AnswerKind) -> MarkedAnswer:
    """What follows a marker that ends at ``end``: to the end of its line, or the display formula below it."""
    fence = _FENCE.match(body, end)
    end = fence.end() if fence else end
    display = _DISPLAY.match(body, end)
    if display is not None:
        return MarkedAnswer(_inner(display[1].strip(), kind), True, body[end:])
    blank = _BLANK.match(body, end)
    end = blank.end() if blank else end
    line, newline, _ = body[end:].partition("\n")
    starred = line.partition("★")
    if starred[1]:
        line, newline = starred[0], "\n"
    if kind == "choice_set":
        line = re.split(r"</(?!b>|i>|strong>|em>)|<br", line)[0]
    return MarkedAnswer(_inner(line.strip().rstrip("`").strip(), kind), bool(newline), body[end:].replace("★", ""))


def _inner(text: str, kind: AnswerKind) -> str:
    """What is boxed in ``text``, if anything is."""
    inside = boxed(text, kind)
    return text if inside is None else inside


def _is_quoted(body: str, start: int) -> bool:
    """Whether the marker at ``start`` is quoted within a sentence, as a prompt quotes it."""
    while start < len(body) and body[start] in " \t\n#*_":
        start += 1
    line = body[body.rfind("\n", 0, start) + 1 : start].rstrip("*_★ ")
    return bool(line) and line[-1] in _QUOTES and bool(line[:-1].strip(" \t*_>" + _QUOTES))


def _json_value(body: str, start: int) -> MarkedAnswer | None:
    """The JSON value (or Python's way to write one) at ``start``, a list as ``A, C``; ``None`` where there is none."""
    try:
        value = json.JSONDecoder().raw_decode(body[start : start + 2000])[0]
    except (json.JSONDecodeError, RecursionError):
        match = _PYTHON_VALUE.match(body, start)
        value = (match[1] or match[2]) if match else None
    if isinstance(value, list):
        value = ", ".join(str(one) for one in value)
    elif isinstance(value, bool):
        value = "true" if value else "false"
    if value is None or isinstance(value, dict):
        return None
    text = str(value)
    return None if _PLACE.fullmatch(text) else MarkedAnswer(text, True, text)


def answer_line_start(text: str) -> int | None:
    """Where the line with the last marker of ``text`` begins: what precedes it is not part of the answer."""
    last = None
    for match in _MARKER.finditer(text):
        at = match.start() + match[0].startswith("\n")
        if not _is_quoted(text, at):
            last = at
    return None if last is None else text.rfind("\n", 0, last) + 1
