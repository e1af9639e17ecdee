"""The answer in what a model wrote: the final statement of the text, read as an answer of the kind that is asked for.

Where the final statement is, is decided by :mod:`srt.answers.final_statement`, and for a text without a place for it by
:mod:`srt.answers.unmarked_statement`; what it says, by :mod:`srt.answers.read_statement`, the same for every place. So
the answer counts, and not the voice that it is given in. Nothing is picked at random, and no part of a statement is
taken for the whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from srt.answers.final_statement import final_statement, first_answers
from srt.answers.read_statement import place_kind, read_statement
from srt.answers.tables_and_quotes import without_layout
from srt.answers.unmarked_statement import unmarked_statement
from srt.answers.written_form import FONT, canonical_text
from srt.io.records import Answer, FinishReason, Problem

Status = Literal["ok", "no_answer", "ambiguous", "truncated", "error"]

_OPENS = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_CLOSES = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_WIDE = {
    code: code - 0xFEE0
    for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B), 0xFF08, 0xFF09, 0xFF3B, 0xFF3D)
}
_BOX_TOKENS = re.compile(r"<\|begin_of_box\|>(.{0,2000}?)<\|end_of_box\|>", re.DOTALL)


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
    kind = place_kind(problem)
    body = after_reasoning(_one_spelling(text))
    found, ran_on = None, False
    for part in () if body is None else first_answers(without_layout(body)):
        found = final_statement(part, kind) or unmarked_statement(part, kind, problem)
        if found is not None:
            ran_on = len(part) < len(body or "")
            break
    if finish_reason == "length" and not (found is not None and found.marked and (found.whole or ran_on)):
        return Extraction(None, found.text if found is not None and found.marked else None, "truncated")
    if found is None:
        return Extraction(None, None, "no_answer")
    read = read_statement(found, problem)
    if read.answer is None and not read.ambiguous and kind in ("choice_set", "boolean"):
        # The marker's line may be a sentence: ``ANSWER: The correct option is B``.
        within = final_statement(found.text, kind)
        read = read if within is None else read_statement(within, problem)
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
    text = text.replace("\\$", "$")
    if "<|begin_of_box|>" in text:
        text = _BOX_TOKENS.sub(r"\\boxed{\1}", text)
    if "\\text" in text:
        text = FONT.sub(lambda match: match[1] if re.search("[:：]", match[1]) else match[0], text)
    return text
