"""The linear text of a trace, and the way back.

``parse(linearize(t))`` returns exactly the kind, language, steps and answer of ``t``. :func:`parse` raises nothing but
:class:`TraceSyntaxError`, which names the place. One line per step, then the answer::

    CORRELATE (1): right(Robert) = Mary          a world step: operation, premises, colon, claim
    INFER #2 - h is 4 [claim: h = 4]             a free step: a dash, prose, and the claim found in it, if any
    ANSWER: C

A cot text is prose and an answer line; a prose line that begins with a marker is written with a backslash before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from srt.io.errors import UserError
from srt.io.records import Lang
from srt.language.premises import canonical, localize, parse_premise
from srt.language.trace import CLAIM_OPENS, OPERATIONS, Operation, Step, Trace, TraceKind, one_line, prose

MARKERS: dict[Lang, dict[str, str]] = {
    "en": {"CORRELATE": "CORRELATE", "CONSTRAIN": "CONSTRAIN", "INFER": "INFER", "ANSWER": "ANSWER"},
    "zh": {"CORRELATE": "关联", "CONSTRAIN": "约束", "INFER": "推断", "ANSWER": "答案"},
}
_OPERATION_OF: dict[str, tuple[Lang, Operation]] = {
    MARKERS[lang][op]: (lang, op) for lang in MARKERS for op in OPERATIONS
}
_ANSWER_LINE = re.compile(rf"({MARKERS['en']['ANSWER']}|{MARKERS['zh']['ANSWER']}): (.*)")
_ANSWER_LANG: dict[str, Lang] = {MARKERS[lang]["ANSWER"]: lang for lang in MARKERS}
_MARKER = "|".join(word for words in MARKERS.values() for word in words.values())
# With any backslashes that are there already: each such line gets one more, so that taking one off is the way back.
_TO_ESCAPE = re.compile(rf"\\*(?:{_MARKER})")
# The whole word: a line of prose may begin with INFERENCE.
_STEP_WORD = re.compile(rf"({'|'.join(_OPERATION_OF)})(?=[ :]|$)")
_BARE_PREMISE = re.compile(r"[^\s:\"]+")


class TraceSyntaxError(UserError):
    """Text that is not a trace. ``line`` and ``column`` count from 1."""

    def __init__(self, message: str, line: int, column: int = 1) -> None:
        super().__init__(f"line {line}, column {column}: {message}")
        self.line = line
        self.column = column


@dataclass(frozen=True)
class ParsedTrace:
    """The content of a trace's text; the fields are those of :class:`~srt.language.trace.Trace`."""

    kind: TraceKind
    lang: Lang
    steps: tuple[Step, ...]
    text: str | None
    answer: str

    def trace(self, id: str, problem_id: str) -> Trace:
        """The trace that the text is, under ``id``, of the problem ``problem_id``."""
        return Trace(id=id, problem_id=problem_id, **vars(self))


def linearize(trace: Trace) -> str:
    """The text of ``trace``, without a newline at its end."""
    prose_lines = trace.text.split("\n") if trace.text else []
    lines = ["\\" + line if _TO_ESCAPE.match(line) else line for line in prose_lines]
    lines += [step_line(step, trace.lang) for step in trace.steps]
    return "\n".join([*lines, answer_line(trace.answer, trace.lang)])


def step_line(step: Step, lang: Lang) -> str:
    """One step as one line."""
    head = " ".join([MARKERS[lang][step.op], *(localize(word, lang) for word in step.args)])
    if step.assertion is None:
        return f"{head}: {step.claim}"
    # An assertion that ends like a claim is followed by an empty one, so that it is not read as a claim.
    ends_like_a_claim = step.assertion.endswith("]") and CLAIM_OPENS in step.assertion
    claim = step.claim or ("" if ends_like_a_claim else None)
    return f"{head} - {step.assertion}" + ("" if claim is None else f"{CLAIM_OPENS}{claim}]")


def answer_line(answer: str, lang: Lang) -> str:
    """The last line of every arm."""
    return f"{MARKERS[lang]['ANSWER']}: {answer}"


def parse(text: str) -> ParsedTrace:
    """Read the text of a trace.

    Raises:
        TraceSyntaxError: with the line and column of the first fault.
    """
    lines = text.rstrip("\n").split("\n")
    last = read_answer_line(lines[-1])
    if last is None:
        raise TraceSyntaxError("the last line must be the answer, as in 'ANSWER: C'", len(lines))
    lang, answer = last
    body = lines[:-1]
    # What begins with a step is a trace of steps, and every line must be one; anything else is prose.
    if body and not _STEP_WORD.match(body[0]):
        return ParsedTrace("cot", lang, (), parse_prose(body), answer)
    parsed = [parse_step(line, number, lang) for number, line in enumerate(body, 1)]
    if not parsed:
        raise TraceSyntaxError("no step before the answer", 1)
    kind = parsed[0][0]
    for number, (other, _) in enumerate(parsed, 1):
        if other != kind:
            raise TraceSyntaxError(f"a {other} step in a {kind} trace", number)
    return ParsedTrace(kind, lang, tuple(step for _, step in parsed), None, answer)


def step_lang(line: str) -> Lang | None:
    """The language of the operation that ``line`` begins with; ``None`` for a line that is no step."""
    match = _STEP_WORD.match(line)
    return None if match is None else _OPERATION_OF[match[1]][0]


def read_answer_line(line: str) -> tuple[Lang, str] | None:
    """The language and the text of an answer line; ``None`` for any other line."""
    match = _ANSWER_LINE.fullmatch(line)
    answer = "" if match is None else one_line(match[2])
    return (_ANSWER_LANG[match[1]], answer) if match is not None and answer else None


def parse_prose(lines: Sequence[str]) -> str:
    """The text of a cot trace that was written as these lines, with its escapes taken off.

    Raises:
        TraceSyntaxError: a step or an answer stands between them, or they are all empty.
    """
    for number, line in enumerate(lines, 1):
        if re.match(_MARKER, line) and (_STEP_WORD.match(line) or _ANSWER_LINE.fullmatch(line)):
            raise TraceSyntaxError("a step or an answer between lines of prose", number)
    text = prose("\n".join(line[1:] if line.startswith("\\") and _TO_ESCAPE.match(line) else line for line in lines))
    if not text:
        raise TraceSyntaxError("no text before the answer", 1)
    return text


def parse_step(line: str, number: int, lang: Lang) -> tuple[TraceKind, Step]:
    """The step that is written as ``line``, and the kind of trace that it belongs to.

    Raises:
        TraceSyntaxError: with ``number`` as the line; it is no step, or one in another language than ``lang``.
    """
    match = _STEP_WORD.match(line)
    if match is None:
        raise TraceSyntaxError("a step must begin with CORRELATE, CONSTRAIN or INFER", number)
    of_step, op = _OPERATION_OF[match[1]]
    if of_step != lang:
        raise TraceSyntaxError(f"{match[1]!r} in a trace whose answer line is in another language", number)
    args, kind, at = _parse_premises(line, match.end(), number, lang)
    body = one_line(line[at:])
    assertion, claim = (None, body) if kind == "world" else _split_claim(body)
    try:
        step = Step(op=op, args=args, claim=claim, assertion=assertion)
    except ValidationError as error:
        message = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise TraceSyntaxError(message, number, at + 1) from None
    return kind, step


def _parse_premises(line: str, at: int, number: int, lang: Lang) -> tuple[tuple[str, ...], TraceKind, int]:
    """Premises from column ``at``; returns them, the kind of step by its separator, and the start of its body."""
    args: list[str] = []
    while True:
        if line.startswith(": ", at):
            return tuple(args), "world", at + 2
        if line.startswith(" - ", at):
            return tuple(args), "free", at + 3
        if not line.startswith(" ", at):
            raise TraceSyntaxError("a premise, ': claim' or ' - assertion' was expected", number, at + 1)
        at += 1
        if line.startswith('"', at):
            try:
                # A quoted name may hold blanks, colons and dashes, so only a reader of JSON knows where it ends.
                _, end = json.JSONDecoder().raw_decode(line, at)
            except (ValueError, RecursionError):
                raise TraceSyntaxError("a quoted name without closing quote", number, at + 1) from None
        else:
            bare = _BARE_PREMISE.match(line, at)
            end = bare.end() if bare else at
        word = canonical(line[at:end], lang)
        try:
            parse_premise(word)
        except ValueError as error:
            raise TraceSyntaxError(str(error), number, at + 1) from None
        args.append(word)
        at = end


def _split_claim(body: str) -> tuple[str, str | None]:
    # The last one: an assertion may hold the same characters, a claim may not.
    at = body.rfind(CLAIM_OPENS) if body.endswith("]") else -1
    if at < 0:
        return body, None
    return body[:at], body[at + len(CLAIM_OPENS) : -1] or None
