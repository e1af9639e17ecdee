"""SolidGeo: solid geometry with pictures and official solutions, English and Chinese, read from its published file.

The data are CC BY-NC 4.0 and are not part of this repository: pass ``SolidGeo.json`` or its folder, pictures beside it.

Peculiarities of the published file: picture paths with Windows separators; ``<ImageHere>`` and ``<image1>`` in the
text; options in the text or in the picture and not in ``choices``; an explanation after the answer (``[Analysis]``,
【解析】); answers that are whole solutions; items whose question is in the picture.

Items that are not independent share a ``group_id``, the id of the first of them. Those with the same text and the same
pictures are one problem. Rows 0 to 356 are 119 problems of MathVerse in three of its five forms, from text that repeats
the picture to a picture that has all of the text: row and row + 119 and row + 238 belong together. They are recognised
by their ``qa_id``, which is MathVerse's index of samples: there the five forms of a problem follow each other, from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from srt.corpora.corpus_reader import (
    LONGEST_TEXT,
    ImportRefusal,
    ImportRequest,
    ItemRefused,
    picture_paths,
    refusing_pictures,
)
from srt.corpora.gold_answers import read_gold
from srt.images.open import file_bytes
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.io.strict_json import JsonFault, load_json

_PLACE = "<ImageHere>"
_LOST_PICTURE = re.compile(r"[ \t]*<(?:img|image)_\d+>")
_OPTION = re.compile(r"(?:^|(?<=\s))([A-H])[.．、][ \t]*(.*?)\s*(?=\s[A-H][.．、]|\Z)", re.S)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def read(path: Path, request: ImportRequest) -> Iterator[Problem | ImportRefusal]:
    """The problems of ``SolidGeo.json`` (or of the folder that has it), in its order, and the items that are refused.

    Raises:
        UserError: there is no such file, or it is not the published mapping (or list) of items.
    """
    file = path / "SolidGeo.json" if path.is_dir() else path
    found: list[Problem | ImportRefusal] = []
    for key, row in _rows(file):
        try:
            found.append(_problem(key, row, file.parent, request))
        except ItemRefused as fault:
            found.append(fault.record(f"solidgeo-{key}"))
    groups = _groups([item for item in found if isinstance(item, Problem)])
    for item in found:
        group = groups.get(item.id) if isinstance(item, Problem) else None
        yield item if group is None else item.model_copy(update={"group_id": group})


def _rows(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        data = load_json(file_bytes(file.parent, file.name))
    except JsonFault as error:
        raise UserError(f"{file}: {error}") from None
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else None
    if items is None:
        raise UserError(f"{file}: a JSON object of items was expected, not {type(data).__name__}")
    for key, row in items:
        if not isinstance(row, dict):
            raise UserError(f"{file}: item {key}: a JSON object was expected, not {type(row).__name__}")
        yield str(key), row


def _problem(key: str, row: dict[str, Any], folder: Path, request: ImportRequest) -> Problem:
    question, printed = row.get("question"), row.get("answer")
    if not isinstance(question, str) or not isinstance(printed, str):
        raise ItemRefused("unreadable", "question, answer: a text was expected in each")
    if len(question) > LONGEST_TEXT:
        raise ItemRefused("unreadable", f"question: {len(question)} characters; at most {LONGEST_TEXT} are read")
    paths = picture_paths(row.get("image"), "image")
    with refusing_pictures():
        images = [request.pictures.refer(folder, path) for path in paths]
    notes = []
    if not question.strip():
        if not images:
            raise ItemRefused("no_question", "question: empty, and there is no picture")
        notes.append("question_in_picture")
    question = _numbered(question.strip().removesuffix("##").strip(), len(images))
    choice = row.get("answer_type") == "choice"
    question, choices = _options(question, row.get("choices"), choice)
    if any(_is_placeholder(letter, text) for letter, text in choices.items()):
        notes.append("placeholder_choices")
    gold = read_gold(printed, choices, choice=choice, question=question)
    if gold.answer is None:
        why = f"answer: {printed[:80]!r} is not read as an answer"
        raise ItemRefused("answer_is_no_option" if choice else "no_answer", why)
    solution = _solution(row.get("solution")) or gold.explanation
    types = [kind for kind in row.get("problem_type") or () if isinstance(kind, str)]
    return Problem(
        id=f"solidgeo-{key}",
        source="solidgeo",
        split="test",
        lang="zh" if len(_CHINESE.findall(question + (solution or ""))) > 2 else "en",
        question=question,
        choices=choices,
        # The answer type ``choice`` of the published file is that of exercises with one right option: of its 969 items,
        # the 963 whose answer can be read name one letter each.
        single_choice=choice,
        images=images,
        answer=gold.answer,
        solution=solution,
        category=types[0] if types else None,
        meta={
            "answer": printed,
            **{field: row[field] for field in ("qa_id", "source", "complexity_level", "answer_type") if field in row},
            "problem_type": types,
            "notes": notes,
        },
    )


def _groups(problems: Sequence[Problem]) -> dict[str, str]:
    """The group of each problem that is not alone in one: the id of the group's first problem."""
    # Union of sets: what shares a trait with a member of a group joins the whole group.
    group = {problem.id: problem.id for problem in problems}
    members: dict[str, list[str]] = {problem.id: [problem.id] for problem in problems}
    seen: dict[tuple[str, ...], str] = {}
    for problem in problems:
        for trait in _traits(problem):
            first, second = group[seen.setdefault(trait, problem.id)], group[problem.id]
            if first != second:
                moved = members.pop(second)
                members[first] += moved
                group.update(dict.fromkeys(moved, first))
    return {ident: first for ident, first in group.items() if len(members[first]) > 1}


_FORMS = 5
"""Forms of each problem in MathVerse: text dominant, text lite, vision intensive, vision dominant, vision only."""


def _traits(problem: Problem) -> Iterator[tuple[str, ...]]:
    """What no two independent problems have in common."""
    yield "text and pictures", " ".join(problem.question.split()), *(image.sha256 for image in problem.images)
    number = problem.meta.get("qa_id")
    if problem.meta.get("source") == "MathVerse" and isinstance(number, int):
        # The samples count from 1, five to a problem.
        yield "MathVerse", str((number - 1) // _FORMS)


def _numbered(question: str, pictures: int) -> str:
    """``<ImageHere>`` as ``<image1>``, ``<image2>``, ...: as the other items of the corpus name their pictures."""
    parts = question.split(_PLACE)
    if len(parts) - 1 > pictures:
        return question
    return parts[0] + "".join(f"<image{number}>{part}" for number, part in enumerate(parts[1:], 1))


def _options(question: str, listed: Any, choice: bool) -> tuple[str, dict[str, str]]:
    """The question without the options that end it, and the options: as listed, else as the text says them."""
    found = _options_in(question)
    if isinstance(listed, list) and len(listed) > 1 and all(isinstance(text, str) for text in listed):
        choices = {chr(ord("A") + number): text.strip() for number, text in enumerate(listed[:26])}
        return (found[0] if found and found[1].keys() == choices.keys() else question), choices
    return found if choice and found else (question, {})


def _options_in(question: str) -> tuple[str, dict[str, str]] | None:
    """The stem and the options that follow it; ``None`` unless they are A, B, C... in order, to the end."""
    start = re.search(r"(?:^|\s)A[.．、]", question)
    if start is None:
        return None
    options = _OPTION.findall(question[start.start() :].strip())
    letters = [letter for letter, _ in options]
    if len(letters) < 3 or letters != [chr(ord("A") + number) for number in range(len(letters))]:
        return None
    # An option on several lines, or cut out of a LaTeX table, is one that was not understood.
    if any("\n" in text.strip() or text.count("{") != text.count("}") for _, text in options):
        return None
    return question[: start.start()].strip(), {letter: text.strip() for letter, text in options}


def _is_placeholder(letter: str, text: str) -> bool:
    """The option is in the picture: its text is empty, its own letter, or the name of a picture."""
    return text in ("", letter, r"$\qquad$") or re.fullmatch(r"<image\d+>", text) is not None


def _solution(parts: Any) -> str | None:
    if not isinstance(parts, list):
        return None
    text = "\n\n".join(part.strip() for part in parts if isinstance(part, str))
    return _LOST_PICTURE.sub("", text).strip() or None
