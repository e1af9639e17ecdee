"""Problems that ask the same: the first is taken; where their gold answers differ, none, for one of them is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

from srt.answers import canonical_text
from srt.corpora.item import NotImported
from srt.language.trace import Trace
from srt.records import Problem


def refuse_repeated(items: Iterable[Problem | Trace | NotImported]) -> Iterator[Problem | Trace | NotImported]:
    """``items``, with a refusal in place of each problem that repeats an earlier one under another id.

    The same: question, options, description and the very pictures. Near duplicates are for ``srt curate``.
    """
    read = list(items)
    same: dict[bytes, list[Problem]] = {}
    for item in read:
        if isinstance(item, Problem):
            same.setdefault(_content(item), []).append(item)
    for item in read:
        fault = _fault(item, same[_content(item)]) if isinstance(item, Problem) else None
        if fault is None:
            yield item
        elif isinstance(item, Problem):
            yield NotImported(item=item.id, what="problem", reason="duplicate", detail=fault)


def _fault(problem: Problem, same: list[Problem]) -> str | None:
    answers = {canonical_text(one.answer): one.id for one in same if one.answer is not None}
    if len(answers) > 1:
        named = ", ".join(f"{ident!r} {answer}" for answer, ident in answers.items())
        return f"answer: problems that ask the same have different ones: {named}"
    if problem is same[0]:
        return None
    return f"question: asks the same as {same[0].id!r}, which is taken"


def _content(problem: Problem) -> bytes:
    pictures = [image.sha256 for image in problem.images]
    text = " ".join(problem.question.split())
    return orjson.dumps([text, sorted(problem.choices.items()), problem.diagram_description, pictures])
