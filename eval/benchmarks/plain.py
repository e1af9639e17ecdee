"""Plain problems: the user's own, as records of ours or in a file whose fields a mapping names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from eval.benchmarks.definition.benchmark import PLAIN, STEPS, Benchmark
from eval.benchmarks.external.json_rows import json_lines
from eval.benchmarks.external.mapped_reader import Form, read_mapped
from eval.benchmarks.external.repeated_problems import refuse_repeated
from eval.benchmarks.external.row import BadRow, Row
from eval.benchmarks.tables.rolled import FLIPS, ROLLS, ask_rolled, view_tables
from srt.corpora.corpus_reader import ImportRefusal, ImportRequest, ItemRefused, refusing_pictures
from srt.io.record_lines import validation_fault
from srt.io.records import FROM_FILE, Image, Problem


def read(path: Path, request: ImportRequest) -> Iterator[Problem | ImportRefusal]:
    """The problems at ``path``: records of ours (JSONL), else what
    :func:`~eval.benchmarks.external.mapped_reader.read_mapped` reads.

    A record that is none, a picture that is missing or not the one of the record, a gold answer that is none of the
    options or cannot be read, and problems that ask the same are refused by name. A record without ``answer`` is taken.

    Raises:
        UserError: no such file, or what the mapping's reader raises.
    """
    first: Row | None = None
    if path.suffix.lower() == ".jsonl" and path.is_file():
        first = next((row for row in json_lines(path) if isinstance(row, Row)), None)
    # Records of ours have source and split, and hardly another file does.
    ours = first is not None and {"source", "split"} <= first.values.keys()
    return refuse_repeated(
        _records(path, request) if ours else read_mapped(path, request, Form(source="own", layouts=True))
    )


def _records(path: Path, request: ImportRequest) -> Iterator[Problem | ImportRefusal]:
    for row in json_lines(path):
        line = f"line {row.place.rpartition(':')[2]}"
        if isinstance(row, BadRow):
            yield ItemRefused("unreadable", row.fault).record(line, row.place)
            continue
        try:
            problem = _problem(row.values)
            yield problem.model_copy(update={"images": _images(problem, path.parent, request)})
        except ItemRefused as fault:
            yield fault.record(str(row.values.get("id") or line), row.place)


def _problem(row: dict[str, Any]) -> Problem:
    try:
        problem = Problem.model_validate(row, context=FROM_FILE)
    except ValidationError as error:
        fault = validation_fault(error)
        raise ItemRefused("no_answer" if fault.startswith("answer") else "unreadable", fault) from None
    answer = problem.answer
    if answer is not None and answer.kind == "choice_set" and problem.choices:
        beyond = sorted(set(answer.value) - set(problem.choices))
        if beyond or not answer.value:
            named = ", ".join(beyond) or "no letter"
            raise ItemRefused("answer_is_no_option", f"answer: {named}; the options are {', '.join(problem.choices)}")
    return problem


def _images(problem: Problem, folder: Path, request: ImportRequest) -> list[Image]:
    images = []
    for image in problem.images:
        with refusing_pictures("images"):
            found = request.pictures.refer(folder, image.path)
        if found.sha256 != image.sha256:
            detail = f"images: {folder / image.path}: not the picture of the record: SHA-256 differs"
            raise ItemRefused("picture", detail)
        images.append(found)
    return images


PROBLEMS = Benchmark(
    name=PLAIN,
    mapped=True,
    about="problems of your own: records as srt import and srt generate write them, or a file and a mapping",
    read=read,
    ask=ask_rolled,
    options={**ROLLS, **FLIPS, **STEPS},
    tables=view_tables,
)
