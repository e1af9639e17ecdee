"""What of a model's output is a trace, and where.

Models write more than they were asked for: a thought around the trace or before it, "Sure! Here it is:", a code fence,
a sentence after the answer. That is passed over. Between the first step and the answer nothing is: a line that is no
step ends what is read, and what stands before it is still judged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile

from srt.answers.extraction import extract
from srt.answers.groups import groups
from srt.checking.size_limits import MOST_STEPS
from srt.io.records import FinishReason, Lang, Problem
from srt.language.prompts import THINK_OPENS
from srt.language.text import TraceSyntaxError, parse_prose, parse_step, read_answer_line, step_lang
from srt.language.trace import Step, TraceKind

LONGEST_OUTPUT = 400_000
"""Characters of an output, thoughts included: a model that thinks for 64,000 tokens writes about 250,000."""
LONGEST_BODY = 40_000
"""Characters after the thought."""

_BREAK = re.compile(r"</?think(?:ing)?>|\n", re.IGNORECASE)
_FENCE = re.compile(r"`{3,}[a-z]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
Span = tuple[int, int]


@dataclass(frozen=True)
class Output:
    """What was read of an output.

    ``kind`` is ``None`` where it has no steps, and no prose with an answer. ``steps`` are those up to the first line
    that is none; their characters ``[start, end)`` in the output are in ``spans``. ``text`` is the prose of a cot
    trace. ``stated`` is the answer that the output as a whole states, in normal form, and ``answer`` the same as it
    stands behind the steps. ``fault`` says why the output is not a whole trace. ``too_large`` says which limit it
    exceeds; nothing of it is then read.
    """

    kind: TraceKind | None = None
    lang: Lang = "en"
    steps: tuple[Step, ...] = ()
    spans: tuple[Span, ...] = ()
    text: str | None = None
    answer: str | None = None
    stated: str | None = None
    fault: str | None = None
    too_large: str | None = None


@dataclass(frozen=True)
class _Line:
    """A line of an output without the white space around it; ``number`` counts from 1, think tags end a line too."""

    number: int
    text: str
    start: int
    thought: bool

    @property
    def span(self) -> Span:
        return self.start, self.start + len(self.text)


def read_output(
    problem: Problem, text: str, finish_reason: FinishReason = "stop", *, thinking_open: bool = False
) -> Output:
    """Read ``text``, a model's output for ``problem``.

    With the ``finish_reason`` ``length``, the last line may be cut off: it is read only if a newline ends it.
    ``thinking_open``: the prompt ended with an open think block, and the text does not close it.
    """
    # A character without a meaning in UTF-8 cannot stand in a record. The length stays, and so do all places.
    text = _SURROGATE.sub("\ufffd", text)
    if len(text) > LONGEST_OUTPUT:
        return Output(too_large=_larger("output", len(text), LONGEST_OUTPUT))
    lines = _lines(text)
    body = [line for line in lines if not line.thought]
    if (length := sum(len(line.text) for line in body)) > LONGEST_BODY:
        return Output(too_large=_larger("text after the thought", length, LONGEST_BODY))
    if finish_reason == "length" and lines and not text.endswith("\n") and read_answer_line(lines[-1].text) is None:
        lines, body = lines[:-1], body[:-1]
    stated = extract(f"{THINK_OPENS}{text}" if thinking_open else text, problem, finish_reason)
    answer = stated.text if stated.status == "ok" else None
    for part in (body, lines):  # A model that thinks in steps writes only the answer after its thought.
        steps = list(dropwhile(lambda line: step_lang(line.text) is None, part))
        if steps:
            return _read_steps(steps, answer, problem)
    return _read_prose(body, answer, problem)


def _larger(what: str, length: int, most: int) -> str:
    return f"the {what} has {length:,} characters; at most {most:,} are read"


def _lines(text: str) -> list[_Line]:
    """The lines of ``text`` that say something. All before the last ``</think>`` belong to the thought."""
    closed = [match.end() for match in _BREAK.finditer(text) if match[0].startswith("</")]
    found, start = list[_Line](), 0
    for number, (end, after) in enumerate([*(match.span() for match in _BREAK.finditer(text)), (len(text),) * 2], 1):
        said = text[start:end].strip()
        if said and not _FENCE.fullmatch(said):
            at = text.index(said[0], start)
            found.append(_Line(number, said, at, thought=bool(closed) and at < closed[-1]))
        start = after
    return found


def _read_steps(lines: Sequence[_Line], stated: str | None, problem: Problem) -> Output:
    """``lines`` begin with a step. What follows the last step states the answer, which is ``stated``, if any."""
    lang = step_lang(lines[0].text) or "en"
    kind: TraceKind | None = None
    steps, spans, fault = list[Step](), list[Span](), None
    for line in lines:
        if step_lang(line.text) is None:
            break
        if len(steps) > MOST_STEPS:  # So many are refused anyway: the rest need not be read.
            break
        try:
            of_kind, step = parse_step(line.text, line.number, lang)
        except TraceSyntaxError as error:
            fault = str(error)
            break
        kind = kind or of_kind
        if of_kind != kind:
            fault = f"line {line.number}: a {of_kind} step in a {kind} trace"
            break
        steps.append(step)
        spans.append(line.span)
    rest = lines[len(steps) :]
    if fault is None and len(steps) <= MOST_STEPS:
        fault = _after_steps_fault(rest, lang, stated, problem)
    written = read_answer_line(rest[0].text) if rest else None
    answer = written[1] if written is not None and stated is not None else stated
    return Output(kind, lang, tuple(steps), tuple(spans), answer=answer, stated=stated, fault=fault)


def _after_steps_fault(rest: Sequence[_Line], lang: Lang, stated: str | None, problem: Problem) -> str | None:
    """What keeps the lines after the last step from being the answer to the steps before them."""
    if again := next((line for line in rest if step_lang(line.text) is not None), None):
        return f"line {again.number}: a step after a line that is none"
    written = read_answer_line(rest[0].text) if rest else None
    if written is None:
        return None
    if written[0] != lang:
        return f"line {rest[0].number}: the answer line is in another language than the steps"
    if stated is not None and len(rest) > 1:
        first = extract(rest[0].text, problem).text
        if first is None or len(groups([first, stated], problem)) > 1:
            return f"line {rest[0].number}: another answer follows this one"
    return None


def _read_prose(lines: Sequence[_Line], stated: str | None, problem: Problem) -> Output:
    """An output without a step: prose with an answer, or an answer alone, or nothing."""
    if stated is None:
        return Output()
    at = next((at for at in reversed(range(len(lines))) if read_answer_line(lines[at].text)), None)
    written = None if at is None else read_answer_line(lines[at].text)
    lang, answer = written or (problem.lang, stated)
    said = [line.text for line in lines[:at]]
    if not said:
        return Output(None, lang, answer=answer, stated=stated, fault="no step and no text stands before the answer")
    try:
        return Output("cot", lang, text=parse_prose(said), answer=answer, stated=stated)
    except TraceSyntaxError as error:
        return Output("cot", lang, answer=answer, stated=stated, fault=str(error))
