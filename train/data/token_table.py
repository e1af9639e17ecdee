"""The examples of a run as an Arrow table, which is memory-mapped: a process holds a few numbers for each of them.

    column          content
    problem_id      text
    arm             text
    input_ids       tokens of prompt and completion
    roles           of each token (:class:`~train.data.examples.Role`); the labels follow from them
    pictures        path, size and tokens of each; their pixels are read in the workers of the data loader
    length, trained_tokens, picture_tokens          how many tokens there are in all, with a label, and of pictures

``datasets.Dataset.from_file`` opens such a file too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from srt.io.errors import UserError
from srt.io.records import Record
from train.data.examples import IGNORED, Example, Role
from train.data.image_tokens import Picture

_PICTURE = {
    "path": pa.string(),
    "sha256": pa.string(),
    "width": pa.int32(),
    "height": pa.int32(),
    "tokens": pa.int32(),
    "trace_id": pa.string(),
    "file_size": pa.int64(),
}
SCHEMA = pa.schema(
    {
        "problem_id": pa.string(),
        "arm": pa.string(),
        "input_ids": pa.list_(pa.int32()),
        "roles": pa.list_(pa.int8()),
        "pictures": pa.list_(pa.struct(_PICTURE)),
        "length": pa.int32(),
        "trained_tokens": pa.int32(),
        "picture_tokens": pa.int32(),
    }
)


class _Rows(NamedTuple):
    """The columns of one record batch; arrays of its buffers, not copies."""

    problem_id: pa.StringArray
    tokens: npt.NDArray[np.int32]
    roles: npt.NDArray[np.int8]
    bounds: npt.NDArray[np.int32]  # of the rows in ``tokens`` and ``roles``
    pictures: pa.ListArray
    picture_bounds: npt.NDArray[np.int32]  # of the rows in the values of ``pictures``


class DroppedProblem(Record):
    """A problem that is left out, with so many ``sequences``: its longest, in the file ``data``, has ``tokens``."""

    problem_id: str
    sequences: int
    tokens: int
    data: str


class TokenizedExamples(Sequence[Example]):
    """The examples of a run. Each is made when it is asked for; its tokens are those of the mapped file.

    Args:
        table: of :data:`SCHEMA`.
        root: the folder that the paths of pictures are relative to.
        rows: the rows of the table that are examples, in order; by default all.
        dropped: the problems whose rows have been left out.
        sizes: how many of the examples each stage or file of the run has, in their order; by default there is one.

    Attributes:
        lengths, trained_tokens, picture_tokens: how many tokens of each kind each example has.
        rows_each: how many rows of a batch an example is.
    """

    rows_each = 1

    def __init__(
        self,
        table: pa.Table,
        root: Path,
        rows: npt.NDArray[np.int64] | None = None,
        dropped: Sequence[DroppedProblem] = (),
        sizes: Sequence[int] | None = None,
    ) -> None:
        self._table, self._root, self._selected, self.dropped = table, root, rows, dropped
        batches = [batch for batch in table.to_batches() if batch.num_rows]
        self._batches = [_rows_of(batch) for batch in batches]
        self._starts = np.cumsum([0, *(batch.num_rows for batch in batches)]).tolist()
        self.lengths = self._numbers("length")
        self.trained_tokens = self._numbers("trained_tokens")
        self.picture_tokens = self._numbers("picture_tokens")
        self.sizes = tuple(sizes or (len(self.lengths),))
        self._longest = self.lengths

    @classmethod
    def joined(cls, parts: Sequence[TokenizedExamples]) -> TokenizedExamples:
        """The examples of ``parts`` one after the other.

        Raises:
            UserError: they have pictures in different folders.
        """
        first = parts[0]
        if len(parts) == 1:
            return first
        roots = {part._root for part in parts if any(True for _ in part.pictures())}
        if len(roots) > 1:
            raise UserError(
                f"stages, mix: data with pictures must be in one folder, not {' and '.join(map(str, roots))}"
            )
        tables = [part._table for part in parts]
        before = np.cumsum([0, *(len(table) for table in tables)])
        rows = [
            start + (np.arange(len(part)) if part._selected is None else part._selected)
            for part, start in zip(parts, before, strict=False)
        ]
        dropped = [problem for part in parts for problem in part.dropped]
        root = next(iter(roots), first._root)
        return cls(pa.concat_tables(tables), root, np.concatenate(rows), dropped, [len(part) for part in parts])

    def by_part(self) -> list[TokenizedExamples]:
        """The examples of each stage, or of each file of a mix."""
        part = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return [self] if len(self.sizes) == 1 else [self.select(part == at, ()) for at in range(len(self.sizes))]

    @property
    def longest(self) -> npt.NDArray[np.int32]:
        """The length of the longest row of each example."""
        return self._longest

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[Example]:
        return (self[at] for at in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> list[Example]: ...
    def __getitem__(self, index: int | slice) -> Example | list[Example]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        rows, at = self._locate(index)
        part = slice(*rows.bounds[at : at + 2])
        tokens, roles = rows.tokens[part], rows.roles[part]
        labels = np.where(roles == Role.PROMPT, np.int32(IGNORED), tokens)
        pictures: tuple[Picture, ...] = ()
        if rows.picture_bounds[at] < rows.picture_bounds[at + 1]:  # Arrow values are slow to read
            pictures = tuple(Picture(root=self._root, **fields) for fields in rows.pictures[at].as_py())
        return Example(rows.problem_id[at].as_py(), tokens, labels, roles, pictures)

    def problem_id(self, index: int) -> str:
        """The problem of the example at ``index``."""
        rows, at = self._locate(index)
        return str(rows.problem_id[at])

    @cached_property
    def column(self) -> dict[str, pa.ChunkedArray]:
        """The columns of the table by name, of these examples only."""
        table = self._table if self._selected is None else self._table.take(self._selected)
        return {name: table.column(name) for name in SCHEMA.names}

    def select(self, keep: npt.NDArray[np.bool_], dropped: Sequence[DroppedProblem]) -> TokenizedExamples:
        """The examples for which ``keep`` is true; the others are those of ``dropped``."""
        rows = np.flatnonzero(keep)
        rows = rows if self._selected is None else self._selected[rows]
        return TokenizedExamples(self._table, self._root, rows, [*self.dropped, *dropped])

    def tokens_by_role(self) -> npt.NDArray[np.int64]:
        """How many tokens each role has."""
        counts = np.zeros(len(Role), dtype=np.int64)
        for chunk in self.column["roles"].chunks:
            counts += np.bincount(chunk.flatten().to_numpy(), minlength=len(Role))
        return counts

    def pictures(self) -> Iterator[dict[str, Any]]:
        """The fields of every picture, but for its root."""
        for chunk in self.column["pictures"].chunks:
            yield from chunk.flatten().to_pylist()

    def _numbers(self, name: str) -> npt.NDArray[np.int32]:
        numbers: npt.NDArray[np.int32] = self._table.column(name).to_numpy()
        return numbers if self._selected is None else numbers[self._selected]

    def _locate(self, index: int) -> tuple[_Rows, int]:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index = int(index) % len(self)
        row = index if self._selected is None else int(self._selected[index])
        batch = bisect_right(self._starts, row) - 1
        return self._batches[batch], row - self._starts[batch]


def make_batch(examples: Iterable[tuple[str, Example]]) -> pa.RecordBatch:
    """The record batch of some examples, each with its arm."""
    columns: dict[str, list[Any]] = {name: [] for name in SCHEMA.names}
    for arm, example in examples:
        columns["problem_id"].append(example.problem_id)
        columns["arm"].append(arm)
        columns["input_ids"].append(example.input_ids)
        columns["roles"].append(example.roles)
        columns["pictures"].append([{name: getattr(p, name) for name in _PICTURE} for p in example.pictures])
        columns["length"].append(len(example.input_ids))
        columns["trained_tokens"].append(example.trained_tokens)
        columns["picture_tokens"].append(example.picture_tokens)
    arrays = [pa.array(columns[field.name], type=field.type) for field in SCHEMA]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _rows_of(batch: pa.RecordBatch) -> _Rows:
    tokens, roles = batch.column("input_ids"), batch.column("roles")
    # The batch may be a slice: its offsets then count from the start of the whole array, and flatten() from its own.
    return _Rows(
        problem_id=batch.column("problem_id"),
        tokens=tokens.flatten().to_numpy(),
        roles=roles.flatten().to_numpy(),
        bounds=tokens.offsets.to_numpy() - tokens.offsets[0].as_py(),
        pictures=batch.column("pictures"),
        picture_bounds=batch.column("pictures").offsets.to_numpy(),
    )
