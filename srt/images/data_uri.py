"""Pictures as data URIs, as the chat API takes them.

Every check (path, digest, format, size before decoding) is in :mod:`srt.images.open`; what a picture shows is decided
in :mod:`srt.images.shown_file`. Added here is a cache of bounded size by content, because the same picture goes to the
teacher, the reviewer and the checker.
"""

from __future__ import annotations

import asyncio
import base64
from collections import OrderedDict
from pathlib import Path
from typing import Final

from srt.images.shown_file import shown_file
from srt.io.records import Image

CACHE_BYTES: Final = 64 * 2**20


class DataUris:
    """The pictures under ``root``; ``max_side`` scales larger ones down to that many pixels on their longer side."""

    def __init__(self, root: Path, max_side: int | None = None, cache_bytes: int = CACHE_BYTES) -> None:
        self._root = root
        self._max_side = max_side
        self._most = cache_bytes
        self._size = 0
        self._cache: OrderedDict[str, str] = OrderedDict()

    async def load(self, image: Image) -> str:
        """The data URI of ``image``: from the cache, else made in a thread and kept; the least lately used go.

        Raises:
            UserError: as :func:`srt.images.shown_file.shown_file` does.
        """
        if uri := self._cache.get(image.sha256):
            self._cache.move_to_end(image.sha256)
            return uri
        uri = await asyncio.to_thread(self.make, image)
        # Another task may have made it in the meantime.
        if image.sha256 not in self._cache and len(uri) <= self._most:
            self._cache[image.sha256] = uri
            self._size += len(uri)
            while self._size > self._most:
                self._size -= len(self._cache.popitem(last=False)[1])
        return uri

    def make(self, image: Image) -> str:
        """Read, check and encode ``image``; slow, and safe to call from any thread.

        Raises:
            UserError: as :func:`srt.images.shown_file.shown_file` does.
        """
        data, kind = shown_file(self._root, image, self._max_side)
        return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
