"""Files of records for who works in memory: what kind a file has need not be known, and pictures come along."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from srt.images.store import PictureFolder
from srt.io.errors import UserError
from srt.io.record_lines import parse_record
from srt.io.record_reader import read_lines, read_records
from srt.io.record_writer import write_records
from srt.io.records import Prediction, Problem, Record, Score, Sequence
from srt.io.strict_json import JsonFault, load_json
from srt.language.trace import Trace
from srt.pipeline.generate import with_picture
from srt.worlds.world_registry import world_of

_KINDS: tuple[type[Record], ...] = (Problem, Trace, Sequence, Prediction, Score)


def read_any(path: Path, kind: type[Record] | None) -> list[Any]:
    """The records of ``path``; without a ``kind``, of that which its first record has.

    Raises:
        UserError: the file cannot be read, or holds something else.
    """
    kind = kind or _kind_of(path)
    return [] if kind is None else list(read_records(path, kind))


def write_all(path: Path, records: Iterable[Record], folder: Path | None) -> int:
    """Write ``records``, all of one kind, with their pictures, which are found in ``folder``; returns how many.

    A problem of a world that shows a picture, and has none yet, gets it drawn.

    Raises:
        UserError: records of several kinds, a picture that is not there, or a file that cannot be written.
    """
    rows = [] if isinstance(records, Record) else list(records)
    if isinstance(records, Record) or not all(isinstance(row, Record) for row in rows):
        raise UserError(f"{path}: a list of records was expected, as in write(path, [problem])")
    if others := {type(row).__name__ for row in rows}.difference([type(row).__name__ for row in rows[:1]]):
        raise UserError(
            f"{path}: a file has records of one kind: here is a {type(rows[0]).__name__} and a {min(others)}"
        )
    return write_records(path, _with_pictures(rows, path, folder))


def _with_pictures(rows: list[Record], path: Path, folder: Path | None) -> Iterator[Record]:
    store = PictureFolder(path)
    for row in rows:
        if isinstance(row, Problem) and not row.images and (world := world_of(row)) is not None:
            row = with_picture(row, world, store)
        elif isinstance(row, Problem | Sequence) and row.images:
            name = row.id if isinstance(row, Problem) else row.problem_id
            for image in row.images:
                if folder is None and not (path.parent / image.path).is_file():
                    raise UserError(
                        f"problem {name}: images: {image.path} is not beside {path}; name the folder of the file that "
                        'it was read from: write(..., folder="data")'
                    )
            row = row.model_copy(
                update={"images": [store.refer(folder or path.parent, image.path) for image in row.images]}
            )
        yield row


def _kind_of(path: Path) -> type[Record] | None:
    """The kind of the first record of ``path``; ``None`` if there is no record."""
    first = next(read_lines(path, Record), None)
    if first is None:
        return None
    try:
        values = load_json(first.data, "a line of JSON")
    except JsonFault as error:
        raise UserError(f"{first.place}: {error}") from None
    keys = values.keys() if isinstance(values, dict) else set()
    for kind in _KINDS:
        if kind.must_have() <= keys <= kind.model_fields.keys():
            return kind
    # The nearest kind says best what is missing.
    nearest = max(_KINDS, key=lambda kind: len(keys & kind.must_have()) / len(kind.must_have()))
    parse_record(first.data, nearest, first.place)
    return nearest
