"""Writing files of records, JSON Lines or Parquet by their suffixes. A file is whole or absent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from srt.io.atomic_files import open_together
from srt.io.locations import Location
from srt.io.parquet_files import RowWriter, is_parquet
from srt.io.record_lines import dump
from srt.io.records import Record

P = TypeVar("P", bound=Location)


def write_records(path: str | Path, records: Iterable[BaseModel]) -> int:
    """Write ``records``, all of one kind, to ``path`` atomically and return how many there were."""
    rest = iter(records)
    # The first record says what all of them are: a Parquet file needs its columns before any row.
    first = list(islice(rest, 1))
    count = 0
    with open_records({Path(path): type(first[0]) if first else Record}) as (write,):
        for record in chain(first, rest):
            count += 1
            write(dump(record))
    return count


Sink = Callable[[bytes | bytearray], object]
"""Takes lines of records: the ``write`` of a file."""


@contextmanager
def open_records(files: Mapping[P, type[BaseModel]], *, pictures: bool = False) -> Iterator[list[Sink]]:
    """Yield what takes the lines of each of ``files``, which are Parquet or JSON Lines by their suffixes.

    After the block all files are there; after an error in it, none is. With ``pictures``, training rows have them.

    Raises:
        UserError: a file cannot be written.
    """
    with open_together(*files) as opened:
        sinks: list[Sink] = []
        writers: list[RowWriter] = []
        for (path, model), file in zip(files.items(), opened, strict=True):
            if is_parquet(path):
                writers.append(
                    RowWriter(
                        file,
                        model,
                        path.parent if pictures and issubclass(model, Record) and model.training_row else None,
                    )
                )
                sinks.append(writers[-1].write)
            else:
                sinks.append(file.write)
        try:
            yield sinks
            for writer in writers:
                # Inside the block: the footer of a Parquet file must be written before the file is moved into its
                # place.
                writer.close()
        finally:
            for writer in writers:
                # After an error too: pyarrow would write its footer when it is collected, to a file that is gone by
                # then.
                writer.release()
