"""Repeated problems: only the first is kept, and none if their gold answers differ, since one of them is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

from srt.answers.written_form import canonical_text
from srt.corpora.corpus_reader import ImportRefusal
from srt.io.records import Problem


def refuse_repeated(items: Iterable[Problem | ImportRefusal]) -> Iterator[Problem | ImportRefusal]:
    """``items``, with a refusal instead of each problem that repeats an earlier one under another id.

    Problems repeat each other if question, options, description and pictures are the same. Near duplicates are left to
    ``srt curate``.
    """
    read = list(items)
    same: dict[bytes, list[Problem]] = {}
    for item in read:
        if isinstance(item, Problem):
            same.setdefault(_content(item), []).append(item)
    for item in read:
        if isinstance(item, Problem) and (fault := _fault(item, same[_content(item)])):
            yield ImportRefusal(item=item.id, what="problem", reason="duplicate", detail=fault)
        else:
            yield item


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
