"""The rows of a split in Parquet files of bounded size, named as hubs name them: ``train-00000-of-00002.parquet``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Final

from pydantic import BaseModel

from srt.io.parquet_files import RowWriter

SHARD_BYTES: Final = 256 * 2**20
"""A shard ends with the rows that make it larger."""


class ParquetShards:
    """Writes lines of records of ``model`` to files in ``folder``, which are named when they are all there.

    With ``root``, pictures are read from there.
    """

    def __init__(
        self, folder: Path, split: str, model: type[BaseModel], root: Path | None, shard_bytes: int = SHARD_BYTES
    ) -> None:
        self._folder, self._split, self._model, self._root = folder, split, model, root
        self._shard_bytes = shard_bytes
        self._paths: list[Path] = []
        self._open: tuple[IO[bytes], RowWriter] | None = None

    def write(self, lines: bytes | bytearray) -> None:
        """Write whole ``lines``."""
        if self._open is None:
            self._paths.append(self._folder / f"{self._split}-{len(self._paths):05d}.parquet")
            new = self._paths[-1].open("wb")
            self._open = new, RowWriter(new, self._model, self._root)
        file, writer = self._open
        writer.write(lines)
        if file.tell() >= self._shard_bytes:
            self._close()

    def finish(self) -> list[Path]:
        """Write what is left, and name the files; returns them in order."""
        self._close()
        count = len(self._paths)
        return [path.rename(path.with_stem(f"{path.stem}-of-{count:05d}")) for path in self._paths]

    def _close(self) -> None:
        if self._open is None:
            return
        file, writer = self._open
        self._open = None
        with file:
            writer.close()
            file.flush()
            os.fsync(file.fileno())
