"""Pictures as data URIs, as the chat API takes them.

Every check (path, digest, format, size before decoding) is :mod:`srt.pictures`'. What is added here: a cache of bounded
size by content, because the same picture goes to the teacher, the reviewer and the checker, and scaling down.
"""

from __future__ import annotations

import base64
import io
from collections import OrderedDict
from pathlib import Path
from typing import Final

import PIL.Image

from srt.pictures import decode_picture, media_type, picture_size, read_picture
from srt.records import Image

CACHE_BYTES: Final = 64 * 2**20


class DataUris:
    """The pictures under ``root``; ``max_side`` scales larger ones down to that many pixels on their longer side."""

    def __init__(self, root: Path, max_side: int | None = None, cache_bytes: int = CACHE_BYTES) -> None:
        self._root = root
        self._max_side = max_side
        self._most = cache_bytes
        self._size = 0
        self._cache: OrderedDict[str, str] = OrderedDict()

    def cached(self, image: Image) -> str | None:
        """The data URI of ``image`` if a picture of that content was made before and is still kept."""
        found = self._cache.get(image.sha256)
        if found is not None:
            self._cache.move_to_end(image.sha256)
        return found

    def make(self, image: Image) -> str:
        """Read, check and encode ``image``; slow, and safe to call from any thread.

        Raises:
            UserError: as :func:`srt.pictures.read_picture` does.
        """
        data = read_picture(self._root, image)
        place = f"{self._root / image.path}"
        if self._max_side is not None and max(picture_size(data, place)) > self._max_side:
            data = _scaled(data, place, self._max_side)
        return f"data:{media_type(data, place)};base64,{base64.b64encode(data).decode('ascii')}"

    def keep(self, image: Image, uri: str) -> None:
        """Keep ``uri`` for :meth:`cached`; the least lately used go when the cache is full."""
        if image.sha256 in self._cache or len(uri) > self._most:
            return
        self._cache[image.sha256] = uri
        self._size += len(uri)
        while self._size > self._most:
            self._size -= len(self._cache.popitem(last=False)[1])


def _scaled(data: bytes, place: str, max_side: int) -> bytes:
    """As PNG: drawings with thin lines and labels suffer from JPEG."""
    picture = decode_picture(data, place)
    if picture.mode not in ("RGB", "RGBA", "L"):
        picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    picture.thumbnail((max_side, max_side), PIL.Image.Resampling.LANCZOS)
    out = io.BytesIO()
    picture.save(out, format="PNG")
    return out.getvalue()
