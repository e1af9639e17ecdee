"""Pictures as files for those who decode them by themselves: a server, a teacher, a judge, a browser.

Decoders differ in what they make of a file: SGLang, llama.cpp and ollama ignore its EXIF data, others put transparency
on black or cut 16 bits off at 255. So only a file that leaves nothing to decide goes out as it is.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

import PIL.Image

from srt.images.normalise import scaled_down, shown_pixels
from srt.images.open import media_type, opened_header, picture_size, read_picture
from srt.images.orientation import orientation
from srt.io.errors import UserError
from srt.io.records import Image

_PLAIN_MODES: Final = frozenset({"1", "L", "P", "RGB"})
_PNG_DEPTH: Final = 24
"""The byte of a PNG that has the bits a channel (PNG specification, 11.2.1: in the first chunk)."""
_COMPRESSION: Final = 3
"""Of the PNG files that are made: one of 12 megapixels took 2.3 seconds; at Pillow's 6 it took 14, with 11% fewer
bytes."""


def shown_file(root: Path, image: Image, max_side: int | None = None) -> tuple[bytes, str]:
    """A file from which any decoder gets the pixels of :func:`srt.images.normalise.shown_picture`, and its media type.

    It is the file of ``image``, byte for byte, where that is upright, opaque, of 8 bits a channel and of one frame;
    otherwise a PNG. ``max_side`` scales a larger picture down to that many pixels on its longer side.

    Raises:
        UserError: as :func:`srt.images.open.read_picture` does, also where a picture that must be decoded cannot be.
    """
    data, place = read_picture(root, image), f"{root / image.path}"
    if max_side is not None and max(picture_size(data, place)) > max_side:
        return _png(scaled_down(shown_pixels(data, place), max_side)), "image/png"
    if _leaves_nothing_to_decide(data, place):
        return data, media_type(data, place)
    return _png(shown_pixels(data, place)), "image/png"


def _png(picture: PIL.Image.Image) -> bytes:
    """Not JPEG, from which thin lines and labels suffer."""
    file = io.BytesIO()
    picture.save(file, format="PNG", compress_level=_COMPRESSION)
    return file.getvalue()


def _leaves_nothing_to_decide(data: bytes, place: str) -> bool:
    try:
        with opened_header(data, place) as picture:
            if picture.format == "PNG" and data[_PNG_DEPTH] == 16:
                return False
            # An MPO has further pictures, but every decoder of JPEG stops at the end of the first.
            one_frame = picture.format == "MPO" or not getattr(picture, "is_animated", False)
            opaque = picture.mode in _PLAIN_MODES and not picture.has_transparency_data
            return opaque and one_frame and orientation(picture) == 1
    except UserError:
        raise
    except Exception:  # hostile bytes after the header: to decode them tells what is wrong
        return False
