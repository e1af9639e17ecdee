"""The pictures of a problem, for the page: only files under the picture root, only raster pictures of a sane size."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import PIL.Image

from srt.errors import UserError
from srt.records import Problem

_TYPES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "GIF": "image/gif",
    "WEBP": "image/webp",
    "BMP": "image/bmp",
}
_MOST_BYTES = 32 * 2**20
_MOST_PIXELS = 64_000_000


def picture_bytes(problem: Problem, number: int, root: Path) -> tuple[bytes, str]:
    """The file of picture ``number`` (from 1) of ``problem``, and its media type.

    Raises:
        UserError: no such picture, a path that leaves ``root``, no file, another file than the problem names, no PNG,
            JPEG, GIF, WebP or BMP, or one that is too large.
    """
    if not 1 <= number <= len(problem.images):
        raise UserError(f"problem {problem.id}: images: there is no picture {number}, it has {len(problem.images)}")
    image = problem.images[number - 1]
    place = f"problem {problem.id}: images.{number}: {image.path!r}"
    try:
        path = (root / image.path).resolve()
        if not path.is_relative_to(root.resolve()):
            raise UserError(f"{place} leaves the picture folder")
        if not path.is_file():
            raise UserError(f"{place}: no such file in the picture folder")
        size = path.stat().st_size
        data = path.read_bytes() if size <= _MOST_BYTES else b""
    except (OSError, ValueError) as error:
        raise UserError(f"{place}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not data:
        raise UserError(f"{place}: {size:,} bytes; at most {_MOST_BYTES:,} are shown")
    if hashlib.sha256(data).hexdigest() != image.sha256:
        raise UserError(f"{place}: is another file than the problem names (its SHA-256 differs)")
    return data, _media_type(data, place)


def _media_type(data: bytes, place: str) -> str:
    try:
        # Reads the header alone: nothing is decoded here, whatever size it claims.
        with PIL.Image.open(io.BytesIO(data), formats=tuple(_TYPES)) as picture:
            width, height, form = picture.width, picture.height, picture.format
    except (OSError, SyntaxError, ValueError, PIL.Image.DecompressionBombError):
        raise UserError(f"{place}: is no PNG, JPEG, GIF, WebP or BMP picture of a sane size") from None
    if width * height > _MOST_PIXELS or form is None:
        raise UserError(f"{place}: {width} x {height} pixels; at most {_MOST_PIXELS:,} are shown")
    return _TYPES[form]
