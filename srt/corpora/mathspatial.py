"""MathSpatial (Bench and Corpus): school problems of spatial reasoning with pictures, read from its published folders.

The data are CC BY-NC-SA 4.0 and are not part of this repository: pass the folder ``benchmark`` or ``corpus``, or the
one that holds both. Each problem is a folder ``questionXXXXX`` with ``data.json`` and ``images/``.

``question`` is Chinese; ``question_en`` is missing in 1 to 2% of the problems, which are refused where English is asked
for. Options and solution are published in Chinese only. Most options are placeholders (the option is in the picture);
they stay as they are, with the note ``placeholder_choices``. The options of a fill-in problem are left out of the
problem and kept in ``meta``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
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
from srt.corpora.gold_answers import is_letter, read_gold
from srt.corpora.mathspatial_traces import published_trace
from srt.images.open import file_bytes
from srt.io.errors import UserError
from srt.io.records import Image, Problem
from srt.io.strict_json import JsonFault, load_json
from srt.language.trace import Trace

SPLITS = {"benchmark": "test", "corpus": "train"}
"""Published folder and the split it is: Bench is for evaluation, Corpus for training."""

# Code of a subcategory: its category, and its names in the datasheet and in Chinese ones that mean the same.
_SUBCATEGORIES = {
    "CR": ("Holistic Recognition", "Cross-section Recognition", "截面识别"),
    "3VM": ("Holistic Recognition", "3-View Matching", "Three-View Matching", "三视图匹配"),
    "IVI": ("Holistic Recognition", "Isometric View Identification", "轴测图识别", "等轴测图识别", "立体图识别"),
    "C3M": (
        "Holistic Recognition", "Combine 3-View Matching", "Combined 3-View Matching",
        "组合三视图匹配", "组合体三视图匹配",
    ),
    "PRA": (
        "Generative Inference", "Projection Reasoning & Analysis", "Projection Reasoning and Analysis",
        "投影推理与分析", "投影推理分析",
    ),
    "MVC": ("Generative Inference", "Multi-View Construction", "多视图构建", "多视图构造"),
    "VT": ("Generative Inference", "View Transformation", "视图变换", "视图转换"),
    "PPCD": (
        "Abstract Deduction", "Planar Path & Cutting Deduction", "Planar Path and Cutting Deduction",
        "平面路径与切割推理",
    ),
    "FPBI": (
        "Abstract Deduction", "Folding Pattern & Box Inference", "Folding Pattern and Box Inference",
        "折叠图案与盒子推断", "折叠与盒子推理",
    ),
    "SCP": (
        "Abstract Deduction", "Shadow & Cross-section Projection", "Shadow and Cross-section Projection",
        "阴影与截面投影",
    ),
    "GPC": ("Abstract Deduction", "Geometric Property Calculation", "几何性质计算", "几何属性计算"),
}  # fmt: skip
CATEGORIES = {code: category for code, (category, *_) in _SUBCATEGORIES.items()}


def _folded(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


# Compared without case, spaces and punctuation.
_CODES = {_folded(name): code for code, (_, *names) in _SUBCATEGORIES.items() for name in (code, *names)}
_LARGEST = 4 * 2**20


def read(path: Path, request: ImportRequest) -> Iterator[Problem | Trace | ImportRefusal]:
    """The problems of a published folder in the order of their names, each followed by its published trace.

    Raises:
        UserError: ``path`` is neither ``benchmark`` nor ``corpus`` nor holds one of them.
    """
    for part, split in _parts(path):
        for folder in sorted(part.glob("question*")):
            if folder.is_dir():
                yield from _read_one(folder, part.name.lower(), split, request)


def _parts(path: Path) -> list[tuple[Path, str]]:
    here = [path] if path.name.lower() in SPLITS else sorted(path.iterdir()) if path.is_dir() else []
    parts = [(part, SPLITS[part.name.lower()]) for part in here if part.name.lower() in SPLITS and part.is_dir()]
    if not parts:
        raise UserError(f"{path}: MathSpatial's folder benchmark or corpus was expected, or the folder that holds them")
    return parts


def _read_one(folder: Path, part: str, split: str, request: ImportRequest) -> Iterator[Problem | Trace | ImportRefusal]:
    group = f"mathspatial-{part}-{folder.name.removeprefix('question')}"
    try:
        row = _row(folder)
        problem = _problem(row, folder, group, split, request)
    except ItemRefused as fault:
        yield fault.record(group)
        return
    yield problem
    if request.traces:
        yield published_trace(row, problem)


def _row(folder: Path) -> dict[str, Any]:
    try:
        data = file_bytes(folder, "data.json")
        row = load_json(data) if len(data) <= _LARGEST else None
    except UserError as error:
        raise ItemRefused("unreadable", str(error)) from None
    except JsonFault as error:
        raise ItemRefused("unreadable", f"{folder / 'data.json'}: {error}") from None
    if not isinstance(row, dict):
        raise ItemRefused("unreadable", f"{folder / 'data.json'}: a JSON object of at most 4 MiB was expected")
    return row


def _problem(row: dict[str, Any], folder: Path, group: str, split: str, request: ImportRequest) -> Problem:
    question = _text(row, "question_en" if request.lang == "en" else "question")
    if question is None and request.lang == "en":
        raise ItemRefused("no_translation", f"{folder / 'data.json'}: question_en: missing")
    if question is None:
        raise ItemRefused("no_question", f"{folder / 'data.json'}: question: missing")
    if len(question) > LONGEST_TEXT:
        raise ItemRefused("unreadable", f"{folder / 'data.json'}: question: more than {LONGEST_TEXT} characters")
    printed = row.get("answer")
    is_number = isinstance(printed, int | float) and not isinstance(printed, bool)
    printed = str(printed) if is_number else _text(row, "answer")
    if printed is None:
        raise ItemRefused("no_answer", f"{folder / 'data.json'}: answer: missing")
    offered = _choices(row.get("choices"))
    choice = _text(row, "question_type") in ("选择题", "choice", "multiple choice") or bool(
        offered and is_letter(printed)
    )
    choices = offered if choice else {}
    gold = read_gold(printed, choices, choice=choice, question=question)
    if gold.answer is None:
        raise ItemRefused(
            "answer_is_no_option" if choice else "no_answer",
            f"{folder / 'data.json'}: answer: {printed[:80]!r} is not read as an answer",
        )
    notes = ["placeholder_choices"] if any(_is_placeholder(*option) for option in choices.items()) else []
    printed_code = _text(row, "sub_category") or ""
    code = _CODES.get(_folded(printed_code))
    if code is None:
        notes.append(f"unknown_subcategory: {printed_code[:60] or 'none'}")
    return Problem(
        id=f"{group}-{request.lang}",
        source="mathspatial",
        split=split,
        lang=request.lang,
        question=question,
        choices=choices,
        # The datasheet (section 4.1): the answers of multiple-choice problems are single letters.
        single_choice=choice,
        images=_images(row.get("images"), folder, request),
        answer=gold.answer,
        solution=_text(row, "analysis") or gold.explanation,
        category=CATEGORIES[code] if code else _text(row, "main_category"),
        subcategory=code or printed_code or None,
        group_id=group,
        meta={"answer": printed, "notes": notes, **({"choices": offered} if offered and not choices else {})},
    )


def _choices(value: Any) -> dict[str, str]:
    """The published options, if their keys are letters; one that is not a text becomes an empty one (a placeholder)."""
    if not isinstance(value, dict) or not all(re.fullmatch("[A-Z]", letter) for letter in value):
        return {}
    return {letter: text.strip() if isinstance(text, str) else "" for letter, text in sorted(value.items())}


def _is_placeholder(letter: str, text: str) -> bool:
    """The option is in the picture: its text is empty, its own letter, or a word for a picture."""
    # What is left of "选项A见图" or "image A" is the letter.
    body = re.sub(r"[\W_]|选项|option|图片?|image|picture|见", "", text, flags=re.I)
    return body.upper() in ("", letter)


def _images(paths: Any, folder: Path, request: ImportRequest) -> list[Image]:
    """The pictures, whose paths are relative to the problem's folder (or begin with its name)."""
    if paths is None:
        return []
    images = []
    for path in picture_paths(paths, f"{folder / 'data.json'}: images"):
        path = path.removeprefix("./")
        # Some paths begin with the problem's folder, some with images/, some with neither.
        if f"/{folder.name}/" in f"/{path}":
            path = path.rpartition(f"{folder.name}/")[2]
        if "/" not in path:
            path = f"images/{path}"
        with refusing_pictures():
            images.append(request.pictures.refer(folder, path))
    return images


def _text(row: dict[str, Any], field: str) -> str | None:
    value = row.get(field)
    return value.strip() if isinstance(value, str) and value.strip() else None
