"""What people say of wrong predictions: a sheet drawn at random, and the filled sheet read back."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from pathlib import Path

from eval.error_taxonomies import TAXONOMIES, TAXONOMY_NAMES, TaxonomyName
from eval.runs import RowId, Run, problems_path
from srt.answers import canonical_text
from srt.errors import UserError
from srt.jsonl import keep_apart, read_numbered, write_atomically
from srt.records import Record


class PersonLabel(Record):
    """One line of a sheet: which prediction, the classes that a person gives it, and what the person needs to see.

    A line without a class is one that was not filled in yet. Who labels never sees what machine or judge say.
    """

    problem_id: str
    variant: str = "plain"
    repeat: int = 0
    mathspatial: str | None = None
    hst: str | None = None
    by: str | None = None
    question: str | None = None
    pictures: tuple[str, ...] = ()
    answer: str | None = None
    output: str | None = None

    @property
    def id(self) -> RowId:
        """What identifies the prediction within the run."""
        return self.problem_id, self.variant, self.repeat

    def of(self, taxonomy: TaxonomyName) -> str | None:
        """The class in ``taxonomy``."""
        return self.mathspatial if taxonomy == "mathspatial" else self.hst


def draw_sheet(run: Run, wrong: Sequence[RowId], path: Path, count: int, seed: int) -> int:
    """Write ``count`` of the predictions ``wrong`` of ``run``, drawn at random, to ``path``; returns how many.

    Raises:
        UserError: there is a file at ``path`` already (it may have been filled in), or none is wrong.
    """
    keep_apart(path, problems_path(run))
    if path.exists():
        raise UserError(f"{path}: is there already, and may have been filled in: name another file")
    if not wrong:
        raise UserError(f"{run.folder}: there is no error of reasoning to label")
    lines = []
    for key in sorted(random.Random(f"{seed}").sample(wrong, min(count, len(wrong)))):
        problem = run.questions[key[:2]]
        row = PersonLabel(
            problem_id=key[0],
            variant=key[1],
            repeat=key[2],
            question="\n".join([problem.question, *(f"{letter}. {text}" for letter, text in problem.choices.items())]),
            pictures=tuple(str((problems_path(run).parent / image.path).absolute()) for image in problem.images),
            answer=canonical_text(problem.answer) if problem.answer else None,
            output=run.predictions[key].text,
        )
        # With the empty fields: they are to be filled in.
        lines.append(row.model_dump_json().encode() + b"\n")
    write_atomically(path, lines)
    return len(lines)


def read_labels(path: Path, wrong: Collection[RowId]) -> dict[RowId, PersonLabel]:
    """The labels in ``path`` of the predictions ``wrong``; lines that nobody has filled in are left out.

    Raises:
        UserError: a line of what is not among ``wrong``, that stands twice, or with a class that does not exist.
    """
    labels: dict[RowId, PersonLabel] = {}
    seen: set[RowId] = set()
    for number, label in read_numbered(path, PersonLabel):
        if label.id not in wrong:
            raise UserError(f"{path}:{number}: problem_id {label.problem_id!r}: no wrong prediction of this run")
        if label.id in seen:
            raise UserError(f"{path}:{number}: problem_id {label.problem_id!r}: a second line for one prediction")
        seen.add(label.id)
        for taxonomy in TAXONOMY_NAMES:
            known = TAXONOMIES[taxonomy].classes
            if (word := label.of(taxonomy)) is not None and word not in known:
                raise UserError(f"{path}:{number}: {taxonomy}: {word!r} is no class; there are {', '.join(known)}")
        if label.mathspatial or label.hst:
            labels[label.id] = label
    return labels
