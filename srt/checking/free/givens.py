"""What the text of a problem gives: its numbered clues, or its sentences and quantities, for premises like ``(2)``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from srt.records import Problem

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

    ``whole`` is the text that the problem gives, ``numbered`` its numbered clues (none where the numbers are those of
    questions), ``context`` what stands before the first of them. ``count`` is the largest ``k`` there is; ``None``
    where nobody can tell, because the givens are in a picture that nothing describes.
    """

    whole: str
    context: str
    numbered: tuple[str, ...]
    count: int | None

    def text_of(self, k: int) -> tuple[str, ...]:
        """What a step that cites ``(k)`` may take as true.

        Without numbered clues that is the whole text: people and models count sentences, clauses or quantities, and
        which of them ``k`` counts cannot be told.
        """
        if not self.numbered:
            return (self.whole,)
        return (self.context, self.numbered[k - 1]) if k <= len(self.numbered) else ()


def givens_of(problem: Problem) -> Givens:
    """Read what ``problem`` gives off its question and the description of its diagram."""
    whole = "\n".join(part for part in (problem.question, problem.diagram_description or "") if part.strip())
    context, numbered = _numbered(problem.question)
    if numbered:
        return Givens(whole, context, numbered, len(numbered))
    if problem.images and not problem.diagram_description:
        return Givens(whole, whole, (), None)
    clauses = sum(bool(_SAYS.search(part)) for part in _CLAUSE_END.split(whole))
    sentences = sum(bool(_SAYS.search(part)) for part in _SENTENCE_END.split(whole))
    return Givens(whole, whole, (), max(clauses, sentences, len(_QUANTITY.findall(whole))))


def _numbered(question: str) -> tuple[str, tuple[str, ...]]:
    """What stands before the first numbered clue, and the clues; marks count only where they run 1, 2, 3, ..."""
    marks: list[re.Match[str]] = []
    for match in _MARK.finditer(question):
        if _number(match) == len(marks) + 1:
            marks.append(match)
    if not marks:
        return question, ()
    ends = [*(mark.start() for mark in marks[1:]), len(question)]
    clues = tuple(question[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True))
    # A clue may be followed by the question, in the last item; an earlier item that asks is a question of its own.
    if any(_ASKS.search(clue) for clue in clues[:-1]) or (len(clues) == 1 and _ASKS.search(clues[0])):
        return question, ()
    return question[: marks[0].start()].strip(), clues


def _number(mark: re.Match[str]) -> int:
    return _CIRCLED.index(mark[2]) + 1 if mark[2] else int(mark[1] or mark[3])
