"""What of a model's output is a trace, and where.

Models write more than they were asked for: a thought around the trace or before it, "Sure! Here it is:", a code fence,
a sentence after the answer. That is passed over. Between the first step and the answer nothing is: a line that is no
step ends what is read, and what stands before it is still judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile

from srt.answers.extraction import extract
from srt.answers.groups import groups
from srt.answers.written_form import expected_kind, read_answer
from srt.checking.size_limits import MOST_STEPS
from srt.io.records import FinishReason, Lang, Problem
from srt.language.prompts import THINK_OPENS
from srt.language.text import TraceSyntaxError, parse_prose, parse_step, read_answer_line, step_lang
from srt.language.trace import Step, TraceKind

LONGEST_OUTPUT = 400_000
"""Characters of an output, thoughts included: a model that thinks for 64,000 tokens writes about 250,000."""
LONGEST_BODY = 40_000
"""Characters after the thought, blank lines included."""

# Tokens that end a turn are in the texts of servers that do not take them off.
_BREAK = re.compile(r"</?think(?:ing)?>|</s>|<\|(?:im_end|eot_id|endoftext|end_of_text)\|>|\n", re.IGNORECASE)
_LIST_MARK = re.compile(r"(?:[-*•>]|\(?\d{1,3}[.)]|step \d{1,3}:) +", re.IGNORECASE)
_LETTER = re.compile(r"(?<![A-Za-z])[A-Z](?![A-Za-z'’])")
_SHORT = 24
"""Characters of a line that can only be an answer where it names an option: ``No, B.``"""
FENCE = re.compile(r"`{3,}[a-z]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
Span = tuple[int, int]


@dataclass(frozen=True)
class Output:
    """What was read of an output.

    ``kind`` is ``None`` where it has no steps, and no prose with an answer. ``steps`` end before the first line that is
    not a step; their characters ``[start, end)`` in the output are in ``spans``. ``text`` is the prose of a cot trace.
    ``stated`` is the answer that the output as a whole states, in normal form, and ``answer`` the same as it stands
    behind the steps; ``restated``: another is stated after the last answer line. ``fault`` says why the output is not a
    whole trace. ``too_large`` says which limit it exceeds; nothing of it is then read.
    """

    kind: TraceKind | None = None
    lang: Lang = "en"
    steps: tuple[Step, ...] = ()
    spans: tuple[Span, ...] = ()
    text: str | None = None
    answer: str | None = None
    stated: str | None = None
    restated: bool = False
    fault: str | None = None
    too_large: str | None = None


@dataclass(frozen=True)
class _Line:
    """A line of an output without the white space, or the mark of a list, around it; ``number`` counts from 1."""

    number: int
    text: str
    start: int

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
    thought = thought_end(text)
    if len(text) - thought > LONGEST_BODY:
        return Output(too_large=_larger("text after the thought", len(text) - thought, LONGEST_BODY))
    lines = _lines(text)
    body = [line for line in lines if line.start >= thought]
    if finish_reason == "length" and lines and not text.endswith("\n") and read_answer_line(lines[-1].text) is None:
        lines, body = lines[:-1], body[:-1]
    stated = extract(f"{THINK_OPENS}{text}" if thinking_open else text, problem, finish_reason)
    answer = stated.text if stated.status == "ok" else None
    opened = open_thought(text)
    restated = answer is not None and _is_restated(body, answer, problem)
    for part in (body, lines):  # A model that thinks in steps writes only the answer after its thought.
        steps = list(dropwhile(lambda line: step_lang(line.text) is None, part))
        if steps:
            read = _read_steps(steps, answer, problem, part[: len(part) - len(steps)], opened)
            return replace(read, restated=restated)
    read = _read_prose([line for line in body if line.start < opened], answer, problem)
    return replace(read, restated=restated)


def thought_end(text: str) -> int:
    """The character of ``text`` after its last thought that is closed; 0 where there is none."""
    return max((match.end() for match in _BREAK.finditer(text) if match[0].lower().startswith("</t")), default=0)


def open_thought(text: str) -> int:
    """The character at which a think block begins that ``text`` opens and does not close; else the text's length."""
    tags = [match for match in _BREAK.finditer(text) if match[0].lower().startswith(("<t", "</t"))]
    return tags[-1].start() if tags and not tags[-1][0].startswith("</") else len(text)


def _larger(what: str, length: int, most: int) -> str:
    return f"the {what} has {length:,} characters; at most {most:,} are read"


def _lines(text: str) -> list[_Line]:
    """The lines of ``text`` that say something; think tags and the end of a turn end a line too."""
    found, start = list[_Line](), 0
    breaks = [*(match.span() for match in _BREAK.finditer(text)), (len(text), len(text))]
    for number, (end, after) in enumerate(breaks, 1):
        # A byte order mark, which begins the text of some servers, is no white space to Python.
        said = text[start:end].strip().removeprefix("\ufeff").lstrip()
        if said and not FENCE.fullmatch(said):
            at = text.index(said[0], start)
            mark = _LIST_MARK.match(said)
            # Only before a step: an answer may begin with a number.
            if mark is not None and step_lang(said[mark.end() :]) is not None:
                said, at = said[mark.end() :], at + mark.end()
            found.append(_Line(number, said, at))
        start = after
    return found


def read_prefix(text: str) -> Output:
    """Read ``text``, whole lines of a trace that is still being written: its steps, and no answer.

    ``fault`` names the first line that says something and is no step.
    """
    text = _SURROGATE.sub("\ufffd", text)
    thought = thought_end(text)
    lines = _lines(text)
    # After a thought, its steps count as long as no others follow: so they do when the whole is read.
    lines = [line for line in lines if line.start >= thought] or lines
    if not lines:
        return Output()
    read = _steps_of(lines)
    fault = read.fault
    if fault is None and len(read.steps) < len(lines):
        fault = f"line {lines[len(read.steps)].number}: no step"
    return replace(read, fault=fault)


def _read_steps(
    lines: Sequence[_Line], stated: str | None, problem: Problem, before: Sequence[_Line], opened: int
) -> Output:
    """``lines`` begin with a step. What follows the last step states the answer, which the whole states as ``stated``.

    ``before`` are the lines before the first step. A thought that is never closed begins at the character ``opened``:
    steps in it count, an answer in it does not.
    """
    read = _steps_of(lines)
    answer, fault = None, read.fault
    if fault is None and len(read.steps) <= MOST_STEPS:
        rest = [line for line in lines[len(read.steps) :] if line.start < opened or step_lang(line.text) is not None]
        answer, fault = _answer_after_steps(rest, read.lang, stated, problem)
        if early := next((line for line in before if read_answer_line(line.text)), None):
            fault = f"line {early.number}: an answer stands before the steps"
    return replace(read, answer=answer, stated=stated, fault=fault)


def _steps_of(lines: Sequence[_Line]) -> Output:
    """The steps that ``lines`` begin with, in the language of the first; ``fault`` if one of them is malformed."""
    lang = step_lang(lines[0].text) or "en"
    kind: TraceKind | None = None
    steps, spans, fault = list[Step](), list[Span](), None
    for line in lines:
        # More steps than are checked are refused anyway: the rest need not be read.
        if step_lang(line.text) is None or len(steps) > MOST_STEPS:
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
    return Output(kind, lang, tuple(steps), tuple(spans), fault=fault)


def _answer_after_steps(
    rest: Sequence[_Line], lang: Lang, stated: str | None, problem: Problem
) -> tuple[str | None, str | None]:
    """The answer that the lines after the last step state, and what keeps them from being the answer to the steps."""
    if again := next((line for line in rest if step_lang(line.text) is not None), None):
        return None, f"line {again.number}: another step follows, after a line that is not a step"
    if not rest or stated is None:
        return None, None
    first = read_answer_line(rest[0].text)
    if first is not None and first[0] != lang:
        return None, f"line {rest[0].number}: the answer line is in another language than the steps"
    # What a step says is not what the output states: the answer must stand behind the steps, and nothing against it.
    head = rest[:1] if first is not None else rest
    answer = extract(_joined(head), problem).text
    others = [stated, *_stated_after(rest[len(head) :], problem)]
    if answer is not None and len(groups([answer, *others], problem)) > 1:
        return answer, f"line {rest[0].number}: another answer is stated, too"
    if first is None or answer is None:
        return answer, None
    # A checker reads letters: the value of an option is its letter there.
    kind = expected_kind(problem)
    by_value = kind == "choice_set" and read_answer(first[1], kind, problem.choices).answer is None
    return (answer if by_value else first[1]), None


def _is_restated(lines: Sequence[_Line], stated: str, problem: Problem) -> bool:
    """Whether what follows the last answer line states another answer than ``stated``."""
    at = next((at for at in reversed(range(len(lines))) if read_answer_line(lines[at].text)), None)
    after = [] if at is None else [line for line in lines[at + 1 :] if line.text.strip()]
    return bool(after) and len(groups([stated, *_stated_after(after, problem)], problem)) > 1


def _stated_after(lines: Sequence[_Line], problem: Problem) -> Iterator[str]:
    """The answers that ``lines``, which follow an answer line, state beside it: "wait, it is B"."""
    stated = extract(_joined(lines), problem).text
    # Where an answer may be any text, a courtesy would be one.
    if stated is not None and (expected_kind(problem) != "text" or re.search(r"\d", stated)):
        yield stated
    for line in lines:
        named = set(_LETTER.findall(line.text)) & set(problem.choices)
        if len(line.text) <= _SHORT and len(named) == 1:
            yield named.pop()


def _joined(lines: Sequence[_Line]) -> str:
    return "\n".join(line.text for line in lines)


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
