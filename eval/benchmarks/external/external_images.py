"""Pictures of external files: paths or base64 become files that :mod:`srt.images.open` reads; and mirrors."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import PIL.ImageOps

from srt.images.normalise import shown_picture
from srt.images.open import MAX_BYTES
from srt.images.store import PictureFolder
from srt.io.errors import UserError
from srt.io.records import Image

_DATA_URI = re.compile(r"data:image/[a-z.+-]+;base64,")
_LONGEST_PATH = 1024
_HEADS = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")
"""How base64 of PNG, JPEG, GIF and WebP begins; no real path begins so without a full stop in it."""


def picture_of(given: str, root: Path, folder: PictureFolder, place: str) -> Image:
    """The picture that a cell gives, as the file of problems refers to it.

    ``given``: a path relative to ``root`` (with either separator), a data URI, or bare base64, which is known by how it
    begins, or by being longer than any path.

    Raises:
        UserError: the file or the bytes cannot be read; ``place`` opens the message about bytes.
        CannotCopy: the folder of pictures cannot be written.
    """
    uri = _DATA_URI.match(given)
    bare = len(given) > _LONGEST_PATH or (given.startswith(_HEADS) and "." not in given)
    if uri is None and not bare:
        return folder.refer(root, given.strip().replace("\\", "/"))
    text = given[uri.end() :] if uri else given
    if len(text) > MAX_BYTES * 4 // 3 + 4:
        raise UserError(f"{place}: a picture in base64 of more than {MAX_BYTES // 2**20} MiB")
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except ValueError:
        raise UserError(f"{place}: neither a path nor base64") from None
    return folder.keep(data, place)


def mirrored(root: Path, image: Image) -> bytes:
    """``image``, a path under ``root``, as it is shown, mirrored left to right, as PNG.

    Raises:
        UserError: it cannot be read.
    """
    buffer = io.BytesIO()
    PIL.ImageOps.mirror(shown_picture(root, image)).save(buffer, format="PNG")
    return buffer.getvalue()
