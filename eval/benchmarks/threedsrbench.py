"""3DSRBench: spatial questions about photographs, each also asked of the mirrored picture and with its options rolled.

The data are one TSV with ``index, question, A..D, answer, image`` (base64, or the ``index`` of the row that has it) or
``image_path``, ``category`` and ``qid``. Rows of one question share the stem of their ``qid``: ``X`` or ``X-0`` is the
question, ``X-1``... are its options rolled, ``X-flip`` (``X-flip-1``...) the same of the mirrored picture. They become
one problem with its other forms beside it (:class:`eval.benchmarks.definition.variants.Twin`). Rolls that the file has
are asked as they are; where it has none, they are made here. A mirrored row without a picture of its own gets the
mirrored one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eval.benchmarks.definition.benchmark import STEPS, Benchmark, Table
from eval.benchmarks.definition.variants import FLIP, Twin, with_twin
from eval.benchmarks.external.external_images import mirrored, picture_of
from eval.benchmarks.external.external_rows import Row, rows_of
from eval.benchmarks.tables.published_rows import published_rows
from eval.benchmarks.tables.rolled import ask_rolled, breakdown_table, shown_views, view_table
from eval.records.run_records import Run
from srt.answers.written_form import read_answer
from srt.corpora.corpus_reader import ImportRefusal, ImportRequest, ItemRefused, refusing_pictures
from srt.io.errors import UserError
from srt.io.records import Image, Problem

TYPES = ("height", "location", "orientation", "multi_object")
_NEEDED = ("question", "A", "B", "answer", "category", "qid")
_QID = re.compile(r"(?P<stem>.+?)(?:-(?P<first>\d))?(?P<flip>-flip)?(?:-(?P<last>\d))?")


@dataclass
class _Group:
    """The rows of one question: its forms by variant name, ``""`` for the question itself."""

    forms: dict[str, Twin] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    category: str = ""


def read(path: Path, request: ImportRequest) -> Iterator[Problem | ImportRefusal]:
    """One problem for each question of the file, in the order of their first rows, and the questions that are refused.

    A faulty row refuses its whole question: circular accuracy needs all of its rolls.

    Raises:
        UserError: no such file, a column that is missing, a row with the wrong number of cells.
    """
    groups: dict[str, _Group] = {}
    faults: dict[str, ImportRefusal] = {}
    pictures: dict[str, Image] = {}
    for number, row in enumerate(rows_of(path)):
        if number == 0:
            for name in _NEEDED:
                if name not in row.values:
                    raise UserError(f"{row.place}: no column {name!r}; there are {', '.join(list(row.values)[:12])}")
            if "image" not in row.values and "image_path" not in row.values:
                raise UserError(f"{row.place}: neither a column 'image' (base64) nor 'image_path'")
        qid = str(row.values["qid"]).strip()
        stem, name = _name(qid)
        group = groups.setdefault(stem, _Group())
        try:
            if not stem:
                raise ItemRefused("unreadable", "qid: empty")
            if name in group.forms:
                raise ItemRefused("duplicate", f"qid: {qid!r} stands at {group.places[name]} already")
            group.forms[name] = _form(row, name, path.parent, request, pictures)
            group.places[name] = row.place
            group.category = group.category or str(row.values["category"]).strip()
        except ItemRefused as fault:
            ident = stem or f"row {number + 1}"
            faults.setdefault(ident, fault.record(ident, row.place))
    yield from faults.values()
    for stem, group in groups.items():
        if stem and stem not in faults:
            yield _problem(stem, group, request)


def tables(runs: Mapping[str, Run]) -> list[Table]:
    """All views; then each view that was asked by type and by category."""
    views = shown_views(runs)
    # It is not said which view the published figures are: they stand beside the plain one.
    published = [
        row.model_copy(update={"figures": {"vanilla": row.figures["overall"]}})
        for row in published_rows("3dsrbench", "overall")
    ]
    found = [view_table("3DSRBench", runs, views, published)]
    for view in views:
        if view == "average":
            continue
        for name, label, order in (
            ("type", lambda problem: problem.category, TYPES),
            ("category", lambda problem: problem.subcategory, ()),
        ):
            table = breakdown_table(f"3DSRBench: {view} by {name}", runs, label, view, order)
            if table is not None:
                found.append(table)
    return found


def _problem(stem: str, group: _Group, request: ImportRequest) -> Problem | ImportRefusal:
    base = group.forms.get("")
    if base is None:
        name = next(iter(group.forms))
        detail = f"{group.places[name]}: qid: there is {name!r} of it and not the question itself"
        return ImportRefusal(item=stem, what="problem", reason="no_question", detail=detail)
    problem = Problem(
        id=stem,
        source="3dsrbench",
        split="test",
        lang="en",
        question=base.question or "",
        choices=base.choices or {},
        single_choice=True,  # the published file has one letter for each row
        images=base.images or [],
        answer=base.answer,
        category=next((kind for kind in TYPES if group.category.startswith(kind)), group.category),
        subcategory=group.category,
    )
    for name, form in group.forms.items():
        if not name:
            continue
        if not form.images:
            shown = base.images or []
            if name.startswith(FLIP):
                shown = [request.pictures.keep(mirrored(request.pictures.root, one), one.path) for one in shown]
            form = form.model_copy(update={"images": shown})
        problem = with_twin(problem, name, form)
    return problem


def _form(row: Row, name: str, folder: Path, request: ImportRequest, pictures: dict[str, Image]) -> Twin:
    question = str(row.values["question"]).strip()
    if not question:
        raise ItemRefused("no_question", "question: empty")
    choices = {letter: text for letter in "ABCD" if (text := str(row.values.get(letter) or "").strip())}
    if sorted(choices) != [chr(ord("A") + place) for place in range(len(choices))] or len(choices) < 2:
        raise ItemRefused("unreadable", "A to D: two options or more, without a gap, were expected")
    printed = str(row.values["answer"]).strip()
    found = read_answer(printed, "choice_set", choices).answer
    if found is None:
        raise ItemRefused("answer_is_no_option", f"answer: {printed!r:.60} is not one of {', '.join(choices)}")
    with refusing_pictures():
        images = _images(row, folder, request, pictures)
    if not images and not name:
        raise ItemRefused("picture", "image, image_path: empty, and the question is about a picture")
    return Twin(question=question, choices=choices, answer=found, images=images)


def _images(row: Row, folder: Path, request: ImportRequest, pictures: dict[str, Image]) -> list[Image]:
    given, path = (str(row.values.get(name) or "").strip() for name in ("image", "image_path"))
    if given in pictures:
        return [pictures[given]]
    if not given and not path:
        return []
    image = picture_of(given or path, folder, request.pictures, row.place)
    if index := str(row.values.get("index", "")).strip():
        pictures[index] = image
    return [image]


def _name(qid: str) -> tuple[str, str]:
    """Stem and variant of a ``qid``: ``X-flip-2`` is variant ``flip-roll-2`` of ``X``, ``X-0`` the question ``X``."""
    match = _QID.fullmatch(qid)
    if match is None:
        return "", ""
    roll = int(match["last"] or match["first"] or 0)
    rolled = f"roll-{roll}" if roll else ""
    return match["stem"], "-".join(part for part in (FLIP if match["flip"] else "", rolled) if part)


THREEDSRBENCH = Benchmark(
    name="3dsrbench",
    about="3DSRBench: spatial questions about photographs; vanilla, flip, circular and flip-circular accuracy",
    read=read,
    ask=ask_rolled,
    options={"rolls": ("all", "1"), "flip": ("on", "off"), **STEPS},
    tables=tables,
    of_means=lambda means: {**means, "vanilla": means["overall"]},
)
