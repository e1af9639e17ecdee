"""Which way up a picture is, from its EXIF data, without decoding it."""

from __future__ import annotations

from typing import IO, Final

import PIL.Image

_ORIENTATION: Final = 0x0112  # EXIF 2.32, tag Orientation
_AHEAD: Final = {"exif", "Raw profile type exif", "xmp"}
"""Where Pillow has the EXIF data of a PNG that stand before its pixels."""
_SIGNATURE: Final = 8
_LONGEST: Final = 2**20
"""Bytes of EXIF data that are read: a JPEG holds at most 64 KiB of it, and what is behind the first tags is no tag."""


def orientation(picture: PIL.Image.Image) -> int:
    """The EXIF orientation of ``picture``, of which only the header was read: 1 to 8, and 1 where there is none."""
    try:
        if picture.format != "PNG" or _AHEAD & picture.info.keys():
            return int(picture.getexif().get(_ORIENTATION, 1))
        # Pillow would decode a whole PNG to look for EXIF data behind its pixels.
        exif = PIL.Image.Exif()
        exif.load(_exif_behind(picture.fp))  # type: ignore[attr-defined]
        return int(exif.get(_ORIENTATION, 1))
    except Exception:  # unreadable EXIF data turn nothing
        return 1


def _exif_behind(file: IO[bytes]) -> bytes:
    """The body of the chunk eXIf, wherever in a PNG it stands (PNG specification, third edition, 5.3 and 11.3.3.2)."""
    here = file.tell()
    try:
        file.seek(_SIGNATURE)
        while len(head := file.read(8)) == 8:
            length = int.from_bytes(head[:4], "big")
            if head[4:] == b"eXIf":
                return b"Exif\0\0" + file.read(min(length, _LONGEST))
            file.seek(length + 4, 1)  # 4: the checksum
        return b""
    finally:
        file.seek(here)
