"""The pictures of a problem, for the page: only raster pictures under the picture root, up to a size limit."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import PIL.Image

from srt.io.errors import UserError
from srt.io.records import Problem

_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
_MAX_BYTES = 32 * 2**20
_MAX_PIXELS = 64_000_000


def picture_bytes(problem: Problem, number: int, root: Path) -> tuple[bytes, str]:
    """The file of picture ``number`` (from 1) of ``problem``, and its media type.

    Raises:
        UserError: no such picture or file, a path that leaves ``root``, a file with another digest than the problem
            names, not a PNG, JPEG, GIF, WebP or BMP, or too large.
    """
    if not 1 <= number <= len(problem.images):
        raise UserError(f"problem {problem.id}: images: there is no picture {number}, only {len(problem.images)}")
    image = problem.images[number - 1]
    place = f"problem {problem.id}: images.{number}: {image.path!r}"
    try:
        path = (root / image.path).resolve()
        if not path.is_relative_to(root.resolve()):
            raise UserError(f"{place}: is outside the picture folder")
        if not path.is_file():
            raise UserError(f"{place}: no such file in the picture folder")
        size = path.stat().st_size
        data = path.read_bytes() if size <= _MAX_BYTES else b""
    except (OSError, ValueError) as error:
        raise UserError(f"{place}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not data:
        raise UserError(f"{place}: {size:,} bytes; the limit is {_MAX_BYTES:,}")
    if hashlib.sha256(data).hexdigest() != image.sha256:
        raise UserError(f"{place}: not the file that the problem names (its SHA-256 differs)")
    return data, _media_type(data, place)


def _media_type(data: bytes, place: str) -> str:
    try:
        # Reads only the header: nothing is decoded here, whatever size it claims.
        with PIL.Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
            width, height, form = picture.width, picture.height, picture.format
    except (OSError, SyntaxError, ValueError, PIL.Image.DecompressionBombError):
        raise UserError(f"{place}: not a PNG, JPEG, GIF, WebP or BMP, or too many pixels") from None
    if width * height > _MAX_PIXELS or form is None:
        raise UserError(f"{place}: {width} x {height} pixels; the limit is {_MAX_PIXELS:,}")
    return f"image/{form.lower()}"
