"""The pictures of training rows: beside their file, such that every trainer that opens them sees the same pixels."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from srt.images.shown_file import shown_file
from srt.images.store import PictureFolder
from srt.io.errors import UserError
from srt.io.records import Image


def shown_beside(file: Path, root: Path, images: Iterable[Image]) -> list[Image]:
    """``images``, which lie in ``root``, as the rows of ``file`` refer to them.

    One that decoders do not agree about (on its side, transparent, of 16 bits) is copied as a PNG of what is shown.

    Raises:
        UserError: one cannot be read, or is not the one that the problem names.
        CannotCopy: a copy cannot be written.
    """
    folder, taught = PictureFolder(file), (root / "cases.jsonl").is_file()
    try:
        # All are read before any is copied.
        shown = [(image, shown_file(root, image)[0]) for image in images]
    except UserError as error:
        where = "; the pictures are beside the file that srt teach was given: pass that one" if taught else ""
        raise UserError(f"{error}{where}") from None
    return [
        folder.refer(root, image.path)
        if hashlib.sha256(data).hexdigest() == image.sha256.lower()
        else folder.keep(data, f"{root / image.path}")
        for image, data in shown
    ]
