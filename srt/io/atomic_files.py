"""Files that are whole or absent, whenever the process is killed: written beside their place, fsync, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TypeVar

from srt.io.errors import UserError, name_file
from srt.io.locations import Location, move_into_place, temporary_place
from srt.io.output_paths import check_place

P = TypeVar("P", bound=Location)


def write_atomically(path: str | Location, chunks: Iterable[bytes]) -> None:
    """Write ``chunks`` to ``path``: a reader sees the old file or the complete new one, never a part."""
    write_together({Path(path) if isinstance(path, str) else path: chunks})


def write_together(files: Mapping[P, Iterable[bytes]]) -> None:
    """Write several files, each as :func:`write_atomically` does, and none before all of them are on disk."""
    with open_together(*files) as opened:
        for file, chunks in zip(opened, files.values(), strict=True):
            file.writelines(chunks)


@contextmanager
def open_together(*paths: Location) -> Iterator[list[IO[bytes]]]:
    """Files to write to, all of which are at ``paths`` after the block; after an error in it, none is.

    Raises:
        UserError: a file cannot be written.
    """
    for path in paths:
        # All places are checked first, so that a fault of the second path does not cost the work on the first.
        if isinstance(path, Path):
            check_place(path)
    # In the folder of the file itself: a rename is atomic within one file system only.
    temporary = {path: temporary_place(path) for path in paths}
    try:
        with ExitStack() as stack:
            files: list[IO[bytes]] = []
            for path in paths:
                try:
                    files.append(stack.enter_context(open(temporary[path], "wb")))
                except OSError as error:
                    raise UserError(f"{path}: cannot be written: {error.strerror}") from None
            yield files
            for file in files:
                # Before any rename: after a power cut, a file system may know the new name and not the bytes.
                file.flush()
                os.fsync(file.fileno())
        for path in paths:
            # Every byte is on disk now; what is left takes no room, so a full disk cannot leave half of the files.
            move_into_place(temporary[path], path)
    except OSError as error:
        name_file(error, next(iter(paths), None))
        raise
    finally:
        for unfinished in temporary.values():
            # A file that was moved is no longer at its temporary place.
            unfinished.unlink(missing_ok=True)
