"""Files of training sequences: JSON Lines, or Parquet, which ``datasets`` and TRL read as they are.

A Parquet file has a column for each field of :class:`~srt.io.records.Sequence`; ``images`` only where there are
pictures (TRL takes a file that has this column for one of a vision model). Its cells have the form that ``datasets``
decodes, bytes and path, so that the file alone is enough for other tools. ``srt train`` opens the pictures at these
paths, beside the file, as it does for JSON Lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from srt.io.errors import UserError, cannot_read
from srt.io.jsonl import Line, count_lines, open_together, parse_record, read_lines
from srt.io.records import Sequence

_ROWS = 100  # in memory at a time, with their pictures


def read_sequences(path: Path) -> Iterator[Sequence]:
    """The sequences of ``path``.

    Raises:
        UserError: the file cannot be read.
        RecordError: a line or row is not a sequence.
    """
    for line in sequence_lines(path):
        yield parse_record(line.data, Sequence, line.place)


def sequence_lines(path: Path) -> Iterator[Line]:
    """The lines or rows of ``path``, not parsed yet; without blank ones; the place of a row is ``file: row N``.

    Raises:
        UserError: the file cannot be read.
    """
    if path.suffix == ".parquet":
        yield from _rows(path)
    else:
        yield from read_lines(path)


def count_sequences(path: Path) -> int:
    """About how many sequences ``path`` has: rows, or line ends; raises as :func:`sequence_lines` does."""
    if path.suffix == ".parquet":
        with _opened(path) as file:
            return int(file.metadata.num_rows)
    return count_lines(path)


@contextmanager
def open_sequences(path: Path, *, pictures: bool) -> Iterator[Callable[[bytes | bytearray], object]]:
    """Yield what takes lines of sequences, to write them to ``path``; after an error in the block, nothing is there.

    A Parquet file has the column ``images`` if they may have ``pictures``.
    """
    with open_together(path) as (file,):
        if path.suffix != ".parquet":
            yield file.write
            return
        import pyarrow.parquet

        schema = _schema(pictures)
        waiting: list[bytes] = []
        with pyarrow.parquet.ParquetWriter(file, schema) as writer:

            def write_rows(count: int) -> None:
                rows = [_row(line, path.parent) for line in waiting[:count]]
                writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
                del waiting[:count]

            def write(lines: bytes | bytearray) -> None:
                waiting.extend(bytes(lines).splitlines())
                while len(waiting) >= _ROWS:
                    write_rows(_ROWS)

            yield write
            if waiting:
                write_rows(len(waiting))


def _schema(pictures: bool) -> Any:
    """The schema of a file; where there are ``pictures``, with the note by which ``datasets`` decodes them."""
    import pyarrow

    text, number = pyarrow.string(), pyarrow.int64()
    messages = pyarrow.list_(pyarrow.struct({"role": text, "content": text}))
    columns = {
        **dict.fromkeys(("problem_id", "trace_id", "arm", "lang"), text),
        "prompt": messages,
        "completion": messages,
        "spans": pyarrow.list_(pyarrow.struct({"start": number, "end": number, "label": text})),
    }
    if not pictures:
        return pyarrow.schema(columns)
    columns["images"] = pyarrow.list_(pyarrow.struct({"bytes": pyarrow.binary(), "path": text}))
    features = {name: _feature(kind) for name, kind in columns.items()}
    features["images"]["feature"] = {"_type": "Image"}
    return pyarrow.schema(columns, metadata={"huggingface": orjson.dumps({"info": {"features": features}})})


def _feature(kind: Any) -> dict[str, Any]:
    """A type of Arrow as ``datasets`` (from version 4) writes it in the note; a file that has one needs all of them."""
    import pyarrow

    if pyarrow.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    if pyarrow.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    return {"dtype": str(kind), "_type": "Value"}


def _row(line: bytes, folder: Path) -> dict[str, Any]:
    values: dict[str, Any] = {"spans": [], "images": []} | orjson.loads(line)
    images = [{"bytes": (folder / image["path"]).read_bytes(), "path": image["path"]} for image in values["images"]]
    return values | {"images": images}


def _rows(path: Path) -> Iterator[Line]:
    import pyarrow

    number = 0
    with _opened(path) as file:
        try:
            for table in file.iter_batches(batch_size=_ROWS):
                for row in table.to_pylist():
                    number += 1
                    yield Line(f"{path}: row {number}", number, orjson.dumps(row | _images(row), default=str))
        except (OSError, pyarrow.ArrowException) as error:
            raise UserError(f"{path}: cannot be read after row {number}: {' '.join(str(error).split())}") from None


def _images(row: dict[str, Any]) -> dict[str, Any]:
    """The pictures of a row as records name them, by path and hash; what has another form is left to the record."""
    if "images" not in row:
        return {}
    return {
        "images": [
            {"path": one["path"], "sha256": hashlib.sha256(one["bytes"]).hexdigest()}
            if isinstance(one, dict) and isinstance(one.get("bytes"), bytes) and "path" in one
            else str(one)
            for one in row["images"] or ()
        ]
    }


def _opened(path: Path) -> Any:
    import pyarrow.parquet

    try:
        path.open("rb").close()  # Python's error says more than pyarrow's
        return pyarrow.parquet.ParquetFile(path)
    except pyarrow.ArrowException as error:
        raise UserError(f"{path}: not a Parquet file: {' '.join(str(error).split())}") from None
    except OSError as error:
        raise cannot_read(path, error) from None
