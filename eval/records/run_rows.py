"""The rows of a run's files. Long texts stay on disk: in memory are figures, and where the rest is.

A run of 8,000 outputs of 25 kB has 200 MB of text, of which tables need nothing and a page needs a few hundred rows.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from srt.io.errors import UserError
from srt.io.record_offsets import read_at, read_offsets
from srt.io.records import Prediction, Record, Score, Status
from srt.judging.judgement import Code, Judgement
from srt.language.trace import Support, TraceCheck, TraceKind

RowId = tuple[str, str, int]
"""Problem, variant and repeat: what identifies a row within a run."""


class RunRow(Record):
    """A row of a run's file that belongs to one prediction."""

    problem_id: str
    variant: str = "plain"
    repeat: int = 0

    @property
    def id(self) -> RowId:
        """What identifies the prediction within the run."""
        return self.problem_id, self.variant, self.repeat


class Checked(RunRow):
    """The trace language's and the checker's results on one prediction; they never count towards accuracy.

    ``code`` is the judgement on the whole text (:data:`srt.judging.judgement.Code`; ``None`` in runs that were scored
    by version 0.1), and ``certified`` what the judgement says of its last plan. ``kind`` is what the text was read as,
    ``fault`` why it is no whole trace. ``check`` holds the verdicts on its steps up to that place, and ``spans`` their
    characters in the text; ``refusal`` says why it was not checked.
    """

    code: Code | None = None
    certified: bool | None = None
    kind: TraceKind | None = None
    fault: str | None = None
    check: TraceCheck | None = None
    spans: tuple[tuple[int, int], ...] = ()
    refusal: str | None = None

    @classmethod
    def of(cls, judged: Judgement, prediction: Prediction) -> Checked:
        """The row of ``prediction``, of which ``judged`` is known."""
        too_large = judged.code == "too_large"
        # A trace of another form has a verdict, which says so.
        fault = None if too_large or (judged.code == "another_form" and judged.check) else judged.reason
        return cls(
            problem_id=prediction.problem_id,
            variant=prediction.variant,
            repeat=prediction.repeat,
            code=judged.code,
            certified=judged.certified,
            kind=judged.kind,
            fault=fault or (None if judged.answer is not None else "it states no answer"),
            check=judged.check,
            spans=judged.spans,
            refusal=judged.reason if too_large else None,
        )

    @property
    def has_steps(self) -> bool:
        """Whether the text is a whole trace with steps (prose with an answer line is not)."""
        return self.kind in ("world", "free") and self.fault is None

    @property
    def proved(self) -> bool:
        """Whether the checker proved the whole trace, without padding (runs of version 0.1 do not tell)."""
        return self.code == "proved" if self.code is not None else self.check is not None and self.check.proved

    @property
    def computed(self) -> bool:
        """Whether the trace is in prose, and all that the checker could decide in it is right."""
        return self.check is not None and self.check.computed


_NO_STEPS: Mapping[Support, int] = {}

R = TypeVar("R", Prediction, Score, Checked)


@dataclass(frozen=True, slots=True)
class StoredPrediction:
    """The token counts of a prediction, as in the record; :meth:`read` gives the record with its text."""

    input_tokens: int | None
    image_tokens: int
    output_tokens: int | None
    reasoning_tokens: int | None
    kept_tokens: int | None
    tries: int | None
    lines_back: int | None
    path: Path
    offset: int

    @property
    def is_refused(self) -> bool:
        """Whether nothing was generated: a request that a server refused has no tokens, not even of its prompt."""
        return self.input_tokens == 0 and not self.output_tokens

    def read(self) -> Prediction:
        """The whole record, from its file."""
        return read_at(self.path, self.offset, Prediction)


@dataclass(frozen=True, slots=True)
class StoredScore:
    """A score (:class:`srt.io.records.Score`, whose fields these are) in a quarter of the record's memory."""

    problem_id: str
    variant: str
    repeat: int
    value: float
    extracted: str | None
    status: Status
    how: str | None
    policy: Literal["strict", "lenient"]
    other_value: float | None
    reference_tokens: int | None
    reference_tokenizer: str | None


@dataclass(frozen=True, slots=True)
class StoredCheck:
    """The figures of a checked prediction; :meth:`read` gives the record with every verdict and reason.

    ``provable``: it was judged as a trace of an exact world. ``steps`` counts the verdicts on the steps. ``true``: by
    the solver every step is; ``None`` if it says so of no step (there are none, or it does not cover the problem).
    """

    has_steps: bool
    provable: bool
    proved: bool
    computed: bool
    certified: bool | None
    refused: bool
    true: bool | None
    steps: Mapping[Support, int]
    path: Path
    offset: int

    def read(self) -> Checked:
        """The whole record, from its file."""
        return read_at(self.path, self.offset, Checked)


def read_rows(path: Path, model: type[R], questions: Collection[tuple[str, str]]) -> Iterator[tuple[RowId, R, int]]:
    """The rows of a run's file: what identifies each, the row, and its offset in the file (bytes).

    Raises:
        UserError: a row that comes twice, or that is of no question of the run.
    """
    seen: set[RowId] = set()
    asked: dict[tuple[str, str], tuple[str, str]] = {question: question for question in questions}
    for offset, row in read_offsets(path, model):
        # The words of the question itself: thousands of rows then share them.
        question = asked.get((row.problem_id, row.variant))
        if question is None:
            raise UserError(
                f"{path}: problem {row.problem_id!r}, variant {row.variant!r}: not among the questions of the run"
            )
        key = question[0], question[1], row.repeat
        if key in seen:
            raise UserError(f"{path}: two rows for problem {key[0]!r}, variant {key[1]!r}, repeat {key[2]}")
        seen.add(key)
        yield key, row, offset


def stored_predictions(path: Path, questions: Collection[tuple[str, str]]) -> dict[RowId, StoredPrediction]:
    """The predictions in ``path``; raises as :func:`read_rows` does."""
    return {
        key: StoredPrediction(
            row.input_tokens,
            row.image_tokens,
            row.output_tokens,
            row.reasoning_tokens,
            row.kept_tokens,
            row.tries,
            row.lines_back,
            path,
            offset,
        )
        for key, row, offset in read_rows(path, Prediction, questions)
    }


def stored_scores(path: Path, questions: Collection[tuple[str, str]]) -> dict[RowId, StoredScore]:
    """The scores in ``path``; raises as :func:`read_rows` does."""
    return {
        key: StoredScore(
            problem_id=key[0],
            variant=key[1],
            repeat=key[2],
            value=row.value,
            extracted=row.extracted and sys.intern(row.extracted),
            status=row.status,
            how=row.how and sys.intern(row.how),
            policy=row.policy,
            other_value=row.other_value,
            reference_tokens=row.reference_tokens,
            reference_tokenizer=row.reference_tokenizer and sys.intern(row.reference_tokenizer),
        )
        for key, row, _ in read_rows(path, Score, questions)
    }


def stored_checks(path: Path, questions: Collection[tuple[str, str]]) -> dict[RowId, StoredCheck]:
    """What was checked, in ``path``; raises as :func:`read_rows` does."""
    found = {}
    for key, row, offset in read_rows(path, Checked, questions):
        steps = row.check.steps if row.check else ()
        known = any(step.truth != "unknown" for step in steps)
        found[key] = StoredCheck(
            has_steps=row.has_steps,
            provable=row.kind == "world" and row.check is not None,
            proved=row.proved,
            computed=row.computed,
            certified=row.certified,
            refused=row.refusal is not None,
            true=all(step.truth == "true" for step in steps) if known else None,
            steps=dict(Counter(step.support for step in steps)) or _NO_STEPS,
            path=path,
            offset=offset,
        )
    return found
