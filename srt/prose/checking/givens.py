"""The givens of a problem, for premises like ``(2)``: its numbered clues, or its sentences and quantities."""

from __future__ import annotations

import re
from dataclasses import dataclass

from srt.io.records import Problem

_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_MARK = re.compile(
    rf"(?<![\w\\}}])[(（]\s*(\d{{1,2}})\s*[)）]|([{_CIRCLED}])|(?:^|\n)[^\S\n]*(\d{{1,2}})[.、](?=\s|\D)"
)
_ASKS = re.compile(r"[?？求]|证明|\b(?:find|prove|show|calculate|determine|what|which|how|work out)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[。；;!?！？\n]+|\.(?=\s|$)")
_CLAUSE_END = re.compile(r"[,，、。；;!?！？\n]+|\.(?=\s|$)|\band\b")
_SAYS = re.compile(r"[^\W_]")
_QUANTITY = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Givens:
    """What ``(k)`` can mean in one problem.

    ``whole`` is the text of the problem, ``numbered`` its numbered clues (none if the numbers are those of questions),
    ``context`` the text before the first of them. Without numbered clues, people and models count sentences, clauses or
    quantities: ``counted`` has the texts that ``k`` may mean in each way of counting. ``count`` is the largest ``k``;
    ``None`` if it is unknown, because the givens are in a picture without a description.
    """

    whole: str
    context: str
    numbered: tuple[str, ...]
    counted: tuple[tuple[str, ...], ...]
    count: int | None

    def text_of(self, k: int) -> tuple[str, ...]:
        """What a step that cites ``(k)`` may take as true: all that ``k`` may mean."""
        if self.numbered:
            return (self.context, self.numbered[k - 1]) if k <= len(self.numbered) else ()
        if self.count is None:
            return (self.whole,)
        return tuple(dict.fromkeys(texts[k - 1] for texts in self.counted if k <= len(texts)))


def givens_of(problem: Problem) -> Givens:
    """The givens of ``problem``, from its question and the description of its diagram."""
    whole = "\n".join(part for part in (problem.question, problem.diagram_description or "") if part.strip())
    context, numbered = _numbered(problem.question)
    if numbered:
        return Givens(whole, context, numbered, (), len(numbered))
    if problem.images and not problem.diagram_description:
        return Givens(whole, whole, (), (), None)
    clauses = _parts(_CLAUSE_END, whole)
    quantities = tuple(clause for clause in clauses for _ in _QUANTITY.findall(clause))
    counted = (_parts(_SENTENCE_END, whole), clauses, quantities)
    return Givens(whole, whole, (), counted, max(map(len, counted)))


def _parts(end: re.Pattern[str], text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in end.split(text) if _SAYS.search(part))


def _numbered(question: str) -> tuple[str, tuple[str, ...]]:
    """The text before the first numbered clue, and the clues; marks count only if they run 1, 2, 3, ..."""
    marks: list[re.Match[str]] = []
    for match in _MARK.finditer(question):
        number = _CIRCLED.index(match[2]) + 1 if match[2] else int(match[1] or match[3])
        if number == len(marks) + 1:
            marks.append(match)
    if not marks:
        return question, ()
    ends = [*(mark.start() for mark in marks[1:]), len(question)]
    clues = tuple(question[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True))
    # In the last item a clue may be followed by the question; an earlier item with a question mark is a question.
    if any(_ASKS.search(clue) for clue in clues[:-1]) or (len(clues) == 1 and _ASKS.search(clues[0])):
        return question, ()
    return question[: marks[0].start()].strip(), clues
