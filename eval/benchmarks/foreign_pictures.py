"""Pictures of files that are none of ours: paths or base64 become files that :mod:`srt.pictures` reads; and mirrors."""

from __future__ import annotations

import base64
import binascii
import io
import re
from pathlib import Path

import PIL.Image
import PIL.ImageOps

from srt.errors import UserError
from srt.picture_folder import PictureFolder
from srt.pictures import MAX_BYTES, open_picture
from srt.records import Image

_DATA_URI = re.compile(r"data:image/[a-z.+-]+;base64,")
_LONGEST_PATH = 1024
_HEADS = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")
"""How base64 of PNG, JPEG, GIF and WebP begins; a path that begins so and has no full stop is not met with."""


def picture_of(given: str, root: Path, folder: PictureFolder, place: str) -> Image:
    """The picture that a cell gives, as the file of problems refers to it.

    ``given``: a path relative to ``root`` (with either separator), a data URI, or bare base64, which is known by how it
    begins, or by being longer than any path.

    Raises:
        UserError: the file or the bytes are not fit to be read; ``place`` opens the message about bytes.
        CannotCopy: the folder of pictures cannot be written.
    """
    uri = _DATA_URI.match(given)
    bare = len(given) > _LONGEST_PATH or (given.startswith(_HEADS) and "." not in given)
    if uri is None and not bare:
        return folder.refer(root, given.strip().replace("\\", "/"))
    return folder.keep(_decoded(given[uri.end() :] if uri else given, place), place)


def mirrored(root: Path, image: Image) -> bytes:
    """``image``, a path under ``root``, left and right exchanged, as PNG; upright as its EXIF orientation says.

    Raises:
        UserError: it cannot be read.
    """
    upright = PIL.ImageOps.exif_transpose(open_picture(root, image))
    kept = upright if upright.mode in ("1", "L", "LA", "P", "RGB", "RGBA") else upright.convert("RGB")
    buffer = io.BytesIO()
    PIL.ImageOps.mirror(kept).save(buffer, format="PNG")
    return buffer.getvalue()


def _decoded(text: str, place: str) -> bytes:
    if len(text) > MAX_BYTES * 4 // 3 + 4:
        raise UserError(f"{place}: a picture in base64 of more than {MAX_BYTES // 2**20} MiB")
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise UserError(f"{place}: neither a path nor base64") from None
