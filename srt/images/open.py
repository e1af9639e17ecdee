"""Pictures of problems, opened with care: the data may be hostile.

This is the only place where a picture's path becomes a file. The path stays inside the folder of the records file (no
``..``, not absolute, no symbolic link that leads out), the file is an ordinary one of bounded size, its bytes have the
SHA-256 of the record, and its header has a known format and bounded sides *before* anything is decoded.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import BinaryIO, Final

import PIL.Image

from srt.io.errors import UserError
from srt.io.records import Image

FORMATS: Final = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "GIF": "image/gif"}
"""The formats that are read, in Pillow's names, and their media types: those that model servers take."""
_MPO: Final = "MPO"
"""What Pillow calls a JPEG that a camera wrote further pictures behind (CIPA DC-007); other decoders see the first."""

MAX_SIDE: Final = 16_384
MAX_PIXELS: Final = 20_000_000
"""Of one picture: 80 MB once it is decoded with four channels, and a few times that while it is converted."""
MAX_BYTES: Final = 64 * 2**20
_LIMITS: Final = f"{MAX_PIXELS // 10**6} megapixels and {MAX_SIDE:,} pixels a side"


def read_picture(root: Path, image: Image) -> bytes:
    """The checked bytes of ``image``, whose path is relative to the folder ``root``.

    Nothing is decoded: only the header is read, whose sides and area are bounded by :data:`MAX_SIDE` (pixels) and
    :data:`MAX_PIXELS`.

    Raises:
        UserError: the path leads out of ``root``, there is no such file, it is too large, it is not a picture in one of
            the :data:`FORMATS`, or its SHA-256 differs. One line that begins with the file.
    """
    data, place = file_bytes(root, image.path), f"{root / image.path}"
    digest = hashlib.sha256(data).hexdigest()
    if digest != image.sha256.lower():
        raise UserError(f"{place}: sha256: the file has {digest[:12]}..., the record says {image.sha256[:12]}...")
    _header(data, place)
    return data


def describe_picture(root: Path, path: str) -> Image:
    """The :class:`~srt.io.records.Image` of the file ``path`` under ``root``, as a record refers to it.

    Raises:
        UserError: as :func:`read_picture` does, but for the digest.
    """
    data = file_bytes(root, path)
    _header(data, f"{root / path}")
    return Image(path=path, sha256=hashlib.sha256(data).hexdigest())


def opened_header(data: bytes, place: str) -> AbstractContextManager[PIL.Image.Image]:
    """The picture in ``data``, of which only the header is read; ``place`` opens the message of a
    :class:`UserError`."""
    return _opened(io.BytesIO(data), place)


@contextmanager
def picture_header(root: Path, path: str) -> Iterator[PIL.Image.Image]:
    """The picture at ``path`` under the folder ``root``, of which only the header is read.

    Raises:
        UserError: as :func:`read_picture` does, but for the digest.
    """
    with _ordinary_file(root, path) as file, _opened(file, f"{root / path}") as picture:
        yield picture


def picture_size(data: bytes, place: str) -> tuple[int, int]:
    """Width and height in pixels from the header of ``data``; ``place`` opens the message of a :class:`UserError`."""
    return _header(data, place)[1]


def media_type(data: bytes, place: str) -> str:
    """``image/png`` and the like, from the header of ``data`` (never from a file name)."""
    return FORMATS[_header(data, place)[0]]


def decode_picture(data: bytes, place: str) -> PIL.Image.Image:
    """The first frame of the picture in ``data``, whose header was checked; :class:`UserError` if it is broken."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            picture = PIL.Image.open(io.BytesIO(data), formats=tuple(FORMATS))
            picture.load()
    except Exception as error:  # hostile bytes: decoders raise what they like
        raise UserError(f"{place}: the picture cannot be decoded: {_why(error)}") from None
    return picture


def file_bytes(root: Path, path: str) -> bytes:
    """The bytes of the ordinary file ``path`` in the folder ``root``, of at most :data:`MAX_BYTES`; not yet a picture.

    Raises:
        UserError: the path leads out of ``root``, or there is no such file, in one line.
    """
    place = f"{root / path}"
    with _ordinary_file(root, path) as file:
        try:
            data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise UserError(f"{place}: cannot be read: {_why(error)}") from None
    if len(data) > MAX_BYTES:
        raise UserError(f"{place}: a file of more than {MAX_BYTES // 2**20} MiB")
    return data


@contextmanager
def _ordinary_file(root: Path, path: str) -> Iterator[BinaryIO]:
    """The ordinary file ``path`` in the folder ``root``, open for reading."""
    place = f"{root / path}"
    parts = {*PurePosixPath(path).parts, *PureWindowsPath(path).parts}
    if not path or "\0" in path or ".." in parts or PurePosixPath(path).is_absolute() or PureWindowsPath(path).anchor:
        raise UserError(f"{path!r}: the path must be relative to the folder {root} and stay in it")
    try:
        real = (root / path).resolve(strict=True)
        if not real.is_relative_to(root.resolve()):
            raise UserError(f"{place}: a link that leads out of the folder {root}")
        # Opened without waiting, looked at after opening: a pipe or a device must neither block nor be read.
        descriptor = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise UserError(f"{place}: no such file") from None
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        raise UserError(f"{place}: cannot be read: {_why(error)}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UserError(f"{place}: an ordinary file was expected")
    with open(descriptor, "rb") as file:
        yield file


def _header(data: bytes, place: str) -> tuple[str, tuple[int, int]]:
    """Format and size in the header of ``data``."""
    with opened_header(data, place) as picture:
        return "JPEG" if picture.format == _MPO else str(picture.format), picture.size


@contextmanager
def _opened(file: BinaryIO, place: str) -> Iterator[PIL.Image.Image]:
    """The picture in ``file``, whose header has a known format and bounded sides. Pillow reads no pixel yet."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # our own bound, below, takes the place of Pillow's
            picture = PIL.Image.open(file, formats=tuple(FORMATS))
    except PIL.Image.DecompressionBombError:
        raise UserError(f"{place}: a picture of far more than {_LIMITS}") from None
    except Exception as error:  # hostile bytes: decoders raise what they like
        raise UserError(f"{place}: not a {', '.join(FORMATS)} picture ({_why(error)})") from None
    with picture:
        width, height = picture.size
        if width < 1 or height < 1 or max(width, height) > MAX_SIDE or width * height > MAX_PIXELS:
            raise UserError(f"{place}: {width} x {height} pixels; a picture has at most {_LIMITS}")
        yield picture


def _why(error: Exception) -> str:
    """The error in a few words; Pillow's own text names an object in memory."""
    if isinstance(error, PIL.UnidentifiedImageError):
        return "the bytes are of another kind"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return " ".join(str(error).split())[:120] or type(error).__name__
