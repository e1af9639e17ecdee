"""Pictures as a model is shown them, in training and in evaluation: upright, in plain RGB, on white.

Files say more than their pixels: a camera's picture may lie on its side and carry the turn in its EXIF data, a diagram
may be black lines on nothing at all (black on black once its transparency is dropped), a scan may have 16 bits a pixel.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import PIL.ImageOps

from srt.errors import UserError
from srt.pictures import open_picture, picture_header
from srt.records import Image

_ORIENTATION = 0x0112  # the EXIF tag; its values 5 to 8 swap width and height
_SIDEWAYS = range(5, 9)


def shown_size(root: Path, path: str) -> tuple[int, int]:
    """Width and height in pixels of the picture ``path`` under ``root`` as it is shown. Only its header is read.

    Raises:
        UserError: as :func:`srt.pictures.picture_header` does.
    """
    with picture_header(root, path) as picture:
        width, height = picture.size
        return (height, width) if _orientation(picture) in _SIDEWAYS else (width, height)


def shown_picture(root: Path, image: Image) -> PIL.Image.Image:
    """The checked picture ``image``, relative to the folder ``root``, as RGB of 8 bits.

    Raises:
        UserError: as :func:`srt.pictures.open_picture` does.
    """
    picture = open_picture(root, image)
    try:
        return _rgb(PIL.ImageOps.exif_transpose(picture))
    except Exception as error:  # hostile EXIF data or palettes: Pillow raises what it likes
        told = " ".join(str(error).split())[:120] or type(error).__name__
        raise UserError(f"{root / image.path}: a picture that cannot be shown: {told}") from None


def _orientation(picture: PIL.Image.Image) -> int:
    # Pillow would decode a whole PNG to look for EXIF data behind its pixels. Where they stand there, the size is found
    # to be another one when the picture is opened.
    if picture.format == "PNG" and not {"exif", "Raw profile type exif"} & picture.info.keys():
        return 1
    try:
        return int(picture.getexif().get(_ORIENTATION, 1))
    except Exception:  # unreadable EXIF data turn nothing
        return 1


def _rgb(picture: PIL.Image.Image) -> PIL.Image.Image:
    if picture.mode.startswith("I"):  # Pillow would cut 16 bits off at 255, and nearly all would be white
        return PIL.Image.fromarray((np.asarray(picture).clip(0, 0xFFFF) >> 8).astype(np.uint8)).convert("RGB")
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    visible = picture.convert("RGBA")
    white = PIL.Image.new("RGBA", visible.size, "white")
    return PIL.Image.alpha_composite(white, visible).convert("RGB")
