"""Pictures as a model is shown them, in training and in evaluation: upright, in plain RGB, on white.

There is more to a file than its pixels: a camera's picture may be stored on its side, with the rotation in its EXIF
data; a diagram may be black lines on a transparent ground (black on black once the transparency is dropped); a scan may
have 16 bits a pixel.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import PIL.ImageOps

from srt.images.open import open_picture, picture_header
from srt.io.errors import UserError
from srt.io.records import Image

_ORIENTATION = 0x0112  # the EXIF tag


def shown_size(root: Path, path: str) -> tuple[int, int]:
    """Width and height in pixels of the picture ``path`` under ``root`` as it is shown. Only its header is read.

    Raises:
        UserError: as :func:`srt.images.open.picture_header` does.
    """
    with picture_header(root, path) as picture:
        width, height = picture.size
        sideways = 5 <= _orientation(picture) <= 8
        return (height, width) if sideways else (width, height)


def shown_picture(root: Path, image: Image) -> PIL.Image.Image:
    """The checked picture ``image``, relative to the folder ``root``, as RGB of 8 bits.

    Raises:
        UserError: as :func:`srt.images.open.open_picture` does.
    """
    picture = open_picture(root, image)
    try:
        return on_white(PIL.ImageOps.exif_transpose(picture))
    except Exception as error:  # hostile EXIF data or palettes: Pillow raises what it likes
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise UserError(f"{root / image.path}: the picture cannot be converted to RGB: {reason}") from None


def on_white(picture: PIL.Image.Image) -> PIL.Image.Image:
    """``picture`` as RGB of 8 bits, its transparent parts white."""
    picture = eight_bits(picture)
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    white = PIL.Image.new("RGBA", picture.size, "white")
    return PIL.Image.alpha_composite(white, picture.convert("RGBA")).convert("RGB")


def eight_bits(picture: PIL.Image.Image) -> PIL.Image.Image:
    """``picture`` with 8 bits a channel: Pillow itself would cut 16 bits off at 255, and nearly all would be white."""
    if not picture.mode.startswith("I"):
        return picture
    return PIL.Image.fromarray((np.asarray(picture).clip(0, 0xFFFF) >> 8).astype(np.uint8))


def scaled_down(
    picture: PIL.Image.Image,
    max_side: int,
    resampling: PIL.Image.Resampling = PIL.Image.Resampling.LANCZOS,
) -> PIL.Image.Image:
    """``picture`` with at most ``max_side`` pixels on its longer side, in RGB, RGBA or grey of 8 bits.

    Transparency is kept, and a smaller picture keeps its size. The given picture is not changed.
    """
    picture = eight_bits(picture)
    mode = "RGBA" if picture.has_transparency_data else "RGB"
    scaled = picture.copy() if picture.mode in ("RGB", "RGBA", "L") else picture.convert(mode)
    scaled.thumbnail((max_side, max_side), resampling)
    return scaled


def _orientation(picture: PIL.Image.Image) -> int:
    # Pillow would decode a whole PNG to look for EXIF data after its pixels. Where there are some, the size turns out
    # to be another one when the picture is opened.
    if picture.format == "PNG" and not {"exif", "Raw profile type exif"} & picture.info.keys():
        return 1
    try:
        return int(picture.getexif().get(_ORIENTATION, 1))
    except Exception:  # unreadable EXIF data turn nothing
        return 1
