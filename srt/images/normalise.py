"""Pictures as everyone is shown them, models and people: upright, in plain RGB, on white, the first frame.

There is more to a file than its pixels: a camera's picture may be stored on its side, with the rotation in its EXIF
data; a diagram may be black lines on a transparent ground (black on black once the transparency is dropped); a scan may
have 16 bits a pixel. Who takes pixels calls :func:`shown_picture`; who takes a file gets the same pixels from
:func:`srt.images.shown_file.shown_file`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import PIL.ImageOps

from srt.images.open import decode_picture, picture_header, read_picture
from srt.images.orientation import orientation
from srt.io.errors import UserError
from srt.io.records import Image


def shown_size(root: Path, path: str) -> tuple[int, int]:
    """Width and height in pixels of the picture ``path`` under ``root`` as it is shown. Only its header is read.

    Raises:
        UserError: as :func:`srt.images.open.picture_header` does.
    """
    with picture_header(root, path) as picture:
        width, height = picture.size
        sideways = 5 <= orientation(picture) <= 8
        return (height, width) if sideways else (width, height)


def shown_picture(root: Path, image: Image) -> PIL.Image.Image:
    """The checked picture ``image``, relative to the folder ``root``, as RGB of 8 bits.

    Raises:
        UserError: as :func:`srt.images.open.read_picture` does, also where it does not decode.
    """
    return shown_pixels(read_picture(root, image), f"{root / image.path}")


def shown_pixels(data: bytes, place: str) -> PIL.Image.Image:
    """The picture in ``data``, whose header was checked, as RGB of 8 bits.

    Raises:
        UserError: it does not decode; ``place`` opens the message.
    """
    picture = decode_picture(data, place)
    try:
        return _on_white(PIL.ImageOps.exif_transpose(picture))
    except Exception as error:  # hostile EXIF data or palettes: Pillow raises what it likes
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise UserError(f"{place}: the picture cannot be converted to RGB: {reason}") from None


def _on_white(picture: PIL.Image.Image) -> PIL.Image.Image:
    """``picture`` as RGB of 8 bits, its transparent parts white."""
    picture = _eight_bits(picture)
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    white = PIL.Image.new("RGBA", picture.size, "white")
    return PIL.Image.alpha_composite(white, picture.convert("RGBA")).convert("RGB")


def _eight_bits(picture: PIL.Image.Image) -> PIL.Image.Image:
    """``picture`` with 8 bits a channel: Pillow itself would cut 16 bits off at 255, and nearly all would be white."""
    if not picture.mode.startswith("I"):
        return picture
    return PIL.Image.fromarray((np.asarray(picture).clip(0, 0xFFFF) >> 8).astype(np.uint8))


def scaled_down(
    picture: PIL.Image.Image,
    max_side: int,
    resampling: PIL.Image.Resampling = PIL.Image.Resampling.LANCZOS,
) -> PIL.Image.Image:
    """``picture``, as it is shown, with at most ``max_side`` pixels on its longer side.

    A smaller picture keeps its size. The given picture is not changed.
    """
    scaled = picture.copy()
    scaled.thumbnail((max_side, max_side), resampling)
    return scaled
