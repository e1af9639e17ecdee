"""Plain problems: the user's own, as records of ours or in a file whose fields a mapping names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from eval.benchmarks.benchmark import PLAIN, Benchmark
from eval.benchmarks.duplicates import refuse_repeated
from eval.benchmarks.mapping import Form, read_mapped
from eval.benchmarks.rolled import FLIPS, ROLLS, ask_rolled, view_tables
from srt.corpora.item import NotImported, Request, Why
from srt.errors import UserError
from srt.jsonl import read_rows
from srt.language.trace import Trace
from srt.picture_folder import CannotCopy
from srt.records import Image, Problem

_FORM = Form(source="own")


class _NotTaken(Exception):
    def __init__(self, reason: Why, detail: str) -> None:
        self.reason, self.detail = reason, detail


def read(path: Path, request: Request) -> Iterator[Problem | Trace | NotImported]:
    """The problems at ``path``: records of ours (JSONL), else what :func:`~eval.benchmarks.mapping.read_mapped` reads.

    A record that is none, a picture that is missing or not the one of the record, a gold answer that is none of the
    options or cannot be read, and problems that ask the same are refused by name. A record without ``answer`` is taken.

    Raises:
        UserError: no such file, or what the mapping's reader raises.
    """
    return refuse_repeated(_records(path, request) if _holds_records(path) else read_mapped(path, request, _FORM))


def _holds_records(path: Path) -> bool:
    """Whether the first line says ``source`` and ``split``, as records of ours do and hardly another file does."""
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return False
    first = next((row for _, row in read_rows(path)), {})
    return {"source", "split"} <= first.keys()


def _records(path: Path, request: Request) -> Iterator[Problem | NotImported]:
    for number, row in read_rows(path):
        try:
            problem = _problem(row)
            yield problem.model_copy(update={"images": _images(problem, path.parent, request)})
        except _NotTaken as fault:
            item, detail = str(row.get("id") or f"line {number}"), f"{path}:{number}: {fault.detail}"
            yield NotImported(item=item, what="problem", reason=fault.reason, detail=detail)


def _problem(row: dict[str, Any]) -> Problem:
    try:
        problem = Problem.model_validate(row)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"])) or "record"
        message = fault["msg"].removeprefix("Value error, ")
        raise _NotTaken("no_answer" if where.startswith("answer") else "unreadable", f"{where}: {message}") from None
    answer = problem.answer
    if answer is not None and answer.kind == "choice_set" and problem.choices:
        beyond = sorted(set(answer.value) - set(problem.choices))
        if beyond or not answer.value:
            named = ", ".join(beyond) or "no letter"
            raise _NotTaken("answer_is_no_option", f"answer: {named}; the options are {', '.join(problem.choices)}")
    return problem


def _images(problem: Problem, folder: Path, request: Request) -> list[Image]:
    images = []
    for image in problem.images:
        try:
            found = request.pictures.refer(folder, image.path)
        except CannotCopy:
            raise
        except UserError as error:
            raise _NotTaken("picture", f"images: {error}") from None
        if found.sha256 != image.sha256:
            raise _NotTaken("picture", f"images: {folder / image.path}: not the picture of the record: SHA-256 differs")
        images.append(found)
    return images


PROBLEMS = Benchmark(
    name=PLAIN,
    about="problems of your own: records as srt import and srt generate write them, or a file and a mapping",
    read=read,
    ask=ask_rolled,
    options={**ROLLS, **FLIPS},
    tables=view_tables,
)
