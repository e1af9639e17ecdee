"""Where a file of problems has its pictures: every path in a records file is relative to the file's own folder.

Pictures in or below that folder are referred to where they are. Others (a data set on a read-only disk, a file of
problems in another folder) are copied beside the file, named by their SHA-256, so that a path never leads out of the
folder: :mod:`srt.images.open` refuses such paths.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from srt.images.open import FORMATS, decode_picture, file_bytes, media_type
from srt.io.atomic_files import temporary_file
from srt.io.errors import UserError
from srt.io.records import Image

_SUFFIX = {media: "." + name.lower().replace("jpeg", "jpg") for name, media in FORMATS.items()}


class CannotCopy(UserError):
    """The folder of copies cannot be written: the picture is not at fault."""


class PictureFolder:
    """Finds paths for the pictures of the records file ``out``; ``copied`` counts the files that were written."""

    def __init__(self, out: Path) -> None:
        self.root = out.parent
        self.copied = 0
        self._whole: set[str] = set()
        self._copies = out.parent / f"{out.stem}-pictures"

    def count(self) -> int:
        """How many copies there are."""
        return sum(len(files) for _, _, files in os.walk(self._copies))

    def refer(self, root: Path, path: str) -> Image:
        """The file ``path`` under the folder ``root``, as the records file refers to it.

        Raises:
            UserError: the picture is not fit to be read (:func:`srt.images.open.describe_picture`), in one line.
            CannotCopy: its copy cannot be written.
        """
        data = file_bytes(root, path)
        # By the real places: a link that leads out of the folder would be refused when the file is read.
        real, here = (root / path).resolve(), self.root.resolve()
        if not real.is_relative_to(here):
            return self.keep(data, f"{root / path}")
        media_type(data, f"{root / path}")
        digest = self._decoded(data, f"{root / path}")
        return Image(path=real.relative_to(here).as_posix(), sha256=digest)

    def keep(self, data: bytes, place: str) -> Image:
        """Write the picture in ``data``, which is not a file yet, to the folder of copies.

        Raises:
            UserError: it is not fit to be read; ``place`` opens the message.
            CannotCopy: it cannot be written.
        """
        kind = media_type(data, place)
        digest = self._decoded(data, place)
        copy = self._copies / digest[:2] / f"{digest}{_SUFFIX[kind]}"
        try:
            # Not synced one by one: a copy that a crash cut short is noticed here next time, and by its digest before.
            if not copy.exists() or copy.read_bytes() != data:
                copy.parent.mkdir(parents=True, exist_ok=True)
                with temporary_file(copy) as (temporary, file):  # several processes may write the same picture
                    file.write(data)
                    file.flush()
                    temporary.replace(copy)
                self.copied += 1
        except OSError as error:
            raise CannotCopy(f"{copy}: cannot be written: {error.strerror}") from None
        return Image(path=copy.relative_to(self.root).as_posix(), sha256=digest)

    def _decoded(self, data: bytes, place: str) -> str:
        """The SHA-256 of ``data``, whose pixels are decoded once: a header alone is there in half a file too."""
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._whole:
            decode_picture(data, place)
            self._whole.add(digest)
        return digest
