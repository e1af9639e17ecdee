"""Human labels of wrong predictions: a sheet drawn at random, and the filled sheet read back."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from pathlib import Path

from eval.errors.error_taxonomies import TAXONOMIES, TAXONOMY_NAMES, TaxonomyName
from eval.records.run_records import Run, problems_path
from eval.records.run_rows import RowId, RunRow
from srt.answers.written_form import canonical_text
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.output_paths import keep_apart
from srt.io.parquet_files import record_place
from srt.io.record_reader import read_unique


class HumanLabel(RunRow):
    """One line of a sheet: a prediction, the classes that an annotator gives it, and what the annotator needs to see.

    A line without a class is not filled in yet. The sheet never shows the labels of machine or judge.
    """

    mathspatial: str | None = None
    hst: str | None = None
    by: str | None = None
    question: str | None = None
    pictures: tuple[str, ...] = ()
    answer: str | None = None
    output: str | None = None

    def of(self, taxonomy: TaxonomyName) -> str | None:
        """The class in ``taxonomy``."""
        return self.mathspatial if taxonomy == "mathspatial" else self.hst


def draw_sheet(run: Run, wrong: Sequence[RowId], path: Path, count: int, seed: int) -> int:
    """Write ``count`` of the predictions ``wrong`` of ``run``, drawn at random, to ``path``; returns how many.

    Raises:
        UserError: there is a file at ``path`` already (it may have been filled in), or no prediction is wrong.
    """
    keep_apart(path, problems_path(run))
    # Before anything is drawn: hours of an annotator's work may stand in this file.
    if path.exists():
        raise UserError(f"{path}: this file exists and may have been filled in; pass another path")
    if not wrong:
        raise UserError(f"{run.folder}: this run has no error of reasoning to label")
    lines = []
    # A seed made of text: its numbers are the same in every version of Python.
    for key in sorted(random.Random(f"{seed}").sample(wrong, min(count, len(wrong)))):
        problem = run.questions[key[:2]]
        row = HumanLabel(
            problem_id=key[0],
            variant=key[1],
            repeat=key[2],
            question="\n".join([problem.question, *(f"{letter}. {text}" for letter, text in problem.choices.items())]),
            pictures=tuple(str((problems_path(run).parent / image.path).absolute()) for image in problem.images),
            answer=canonical_text(problem.answer) if problem.answer else None,
            output=run.predictions[key].read().text,
        )
        # Empty fields are written too: they are to be filled in.
        lines.append(row.model_dump_json().encode() + b"\n")
    write_atomically(path, lines)
    return len(lines)


def read_labels(path: Path, wrong: Collection[RowId]) -> dict[RowId, HumanLabel]:
    """The labels in ``path`` of the predictions ``wrong``; lines that are not filled in are left out.

    Raises:
        UserError: a line whose prediction is not among ``wrong``, a second line for one, or an unknown class.
    """
    labels: dict[RowId, HumanLabel] = {}
    for number, label in read_unique(path, HumanLabel, "id"):
        if label.id not in wrong:
            raise UserError(
                f"{record_place(path, number)}: problem_id {label.problem_id!r}: not a wrong prediction of this run"
            )
        for taxonomy in TAXONOMY_NAMES:
            known = TAXONOMIES[taxonomy].classes
            if (word := label.of(taxonomy)) is not None and word not in known:
                raise UserError(f"{record_place(path, number)}: {taxonomy}: {word!r} is not one of {', '.join(known)}")
        if label.mathspatial or label.hst:
            labels[label.id] = label
    return labels
