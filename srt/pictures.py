"""Pictures of problems, opened with care: whoever made the data may mean harm.

The one place where a picture's path becomes a file. The path stays inside the folder of the records file (no ``..``,
not absolute, no symbolic link that leads out), the file is an ordinary one of bounded size, its bytes have the SHA-256
that the record gives, and its header says a known format and bounded sides *before* anything is decoded.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import BinaryIO, Final

import PIL.Image

from srt.errors import UserError
from srt.records import Image

FORMATS: Final = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "GIF": "image/gif"}
"""The formats that are read, in Pillow's names, and their media types: those that model servers take."""

MAX_SIDE: Final = 16_384
MAX_PIXELS: Final = 100_000_000
MAX_BYTES: Final = 64 * 2**20


def read_picture(root: Path, image: Image, max_side: int = MAX_SIDE, max_pixels: int = MAX_PIXELS) -> bytes:
    """The checked bytes of ``image``, whose path is relative to the folder ``root``.

    Nothing is decoded: only the header is read. ``max_side`` is in pixels, ``max_pixels`` bounds width x height.

    Raises:
        UserError: the path leads out of ``root``, there is no such file, it is too large, it is no picture of the
            :data:`FORMATS`, or its SHA-256 is another one. One line that begins with the file.
    """
    data = file_bytes(root, image.path)
    digest = hashlib.sha256(data).hexdigest()
    if digest != image.sha256.lower():
        raise UserError(
            f"{root / image.path}: sha256: the file has {digest[:12]}..., the record says {image.sha256[:12]}..."
        )
    _header(data, f"{root / image.path}", max_side, max_pixels)
    return data


def describe_picture(root: Path, path: str) -> Image:
    """The :class:`~srt.records.Image` of the file ``path`` under ``root``, as a record refers to it.

    Raises:
        UserError: as :func:`read_picture` does, but for the digest.
    """
    data = file_bytes(root, path)
    _header(data, f"{root / path}", MAX_SIDE, MAX_PIXELS)
    return Image(path=path, sha256=hashlib.sha256(data).hexdigest())


@contextmanager
def picture_header(
    root: Path, path: str, max_side: int = MAX_SIDE, max_pixels: int = MAX_PIXELS
) -> Iterator[PIL.Image.Image]:
    """The picture at ``path`` under the folder ``root`` with its header alone read: no pixel is, and no digest taken.

    Raises:
        UserError: as :func:`read_picture` does, but for the digest.
    """
    place = f"{root / path}"
    with _ordinary_file(root, path) as file, _opened(file, place, max_side, max_pixels) as picture:
        yield picture


def picture_size(data: bytes, place: str, max_side: int = MAX_SIDE, max_pixels: int = MAX_PIXELS) -> tuple[int, int]:
    """Width and height in pixels from the header of ``data``; ``place`` opens the message of a :class:`UserError`."""
    return _header(data, place, max_side, max_pixels)[1]


def media_type(data: bytes, place: str) -> str:
    """``image/png`` and the like, from the header of ``data`` (never from a file name)."""
    return FORMATS[_header(data, place, MAX_SIDE, MAX_PIXELS)[0]]


def open_picture(root: Path, image: Image, max_side: int = MAX_SIDE, max_pixels: int = MAX_PIXELS) -> PIL.Image.Image:
    """``image`` decoded, its first frame only; raises as :func:`read_picture` does, also where it does not decode."""
    return _decoded(read_picture(root, image, max_side, max_pixels), f"{root / image.path}")


def decode_picture(data: bytes, place: str, max_side: int = MAX_SIDE, max_pixels: int = MAX_PIXELS) -> PIL.Image.Image:
    """The first frame of the picture in ``data``; :class:`UserError` where the header or the pixels are at fault."""
    _header(data, place, max_side, max_pixels)
    return _decoded(data, place)


def _decoded(data: bytes, place: str) -> PIL.Image.Image:
    """The pixels of ``data``, whose header was checked."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            picture = PIL.Image.open(io.BytesIO(data), formats=tuple(FORMATS))
            picture.load()
    except Exception as error:  # hostile bytes: decoders raise what they like
        raise UserError(f"{place}: a picture that does not decode: {_why(error)}") from None
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
        raise UserError(f"{path!r}: a path is relative to the folder {root} and stays in it")
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


def _header(data: bytes, place: str, max_side: int, max_pixels: int) -> tuple[str, tuple[int, int]]:
    """Format and size as the header of ``data`` says them."""
    with _opened(io.BytesIO(data), place, max_side, max_pixels) as picture:
        return str(picture.format), picture.size


@contextmanager
def _opened(file: BinaryIO, place: str, max_side: int, max_pixels: int) -> Iterator[PIL.Image.Image]:
    """The picture in ``file``, whose header says a known format and bounded sides. Pillow reads no pixel by itself."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # our own bound, below, speaks for Pillow's
            picture = PIL.Image.open(file, formats=tuple(FORMATS))
    except PIL.Image.DecompressionBombError:
        raise UserError(f"{place}: a picture of far more than {max_pixels} pixels") from None
    except Exception as error:  # hostile bytes: decoders raise what they like
        raise UserError(f"{place}: not a {', '.join(FORMATS)} picture ({_why(error)})") from None
    with picture:
        width, height = picture.size
        if width < 1 or height < 1 or max(width, height) > max_side or width * height > max_pixels:
            raise UserError(
                f"{place}: {width} x {height} pixels; at most {max_side} a side and {max_pixels} in all are read"
            )
        yield picture


def _why(error: Exception) -> str:
    """The error in a few words; Pillow's name the object in memory."""
    if isinstance(error, PIL.UnidentifiedImageError):
        return "the bytes are of another kind"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return " ".join(str(error).split())[:120] or type(error).__name__
