"""One picture of each kind that decoders disagree about, with the pixels that everyone is to see.

The pixels are known from how a picture was made, not from any code of ours: each is drawn upright, and then stored as
the kind has it. What JPEG loses is allowed for by decoding the stored file without its EXIF data and turning it here.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import PIL.Image
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

_STORED: Final[dict[int, Callable[[Pixels], Pixels]]] = {
    1: lambda shown: shown,
    2: lambda shown: shown[:, ::-1],
    3: lambda shown: shown[::-1, ::-1],
    4: lambda shown: shown[::-1],
    5: lambda shown: shown.transpose(1, 0, 2),
    6: lambda shown: np.rot90(shown, 1),
    7: lambda shown: shown[::-1, ::-1].transpose(1, 0, 2),
    8: lambda shown: np.rot90(shown, -1),
}
"""How the sensor lay: what each orientation, applied, undoes (EXIF 2.32, tag 0x0112)."""
_SHOWN: Final = _STORED | {6: _STORED[8], 8: _STORED[6]}
"""From what is stored to what is shown: each is its own inverse but the two quarter turns."""


def plant(folder: Path) -> dict[str, tuple[str, Pixels]]:
    """Write the pictures to ``folder``; for each kind the name of its file, and its pixels (height, width, RGB)."""
    planted: dict[str, tuple[str, Pixels]] = {}

    def put(kind: str, data: bytes, pixels: Pixels, suffix: str) -> None:
        name = f"{kind.replace(' ', '-').replace(':', '-')}.{suffix}"
        (folder / name).write_bytes(data)
        planted[kind] = name, np.ascontiguousarray(pixels)

    drawn = _drawing(60, 40)
    put("plain PNG", _saved(drawn, "PNG"), drawn, "png")
    for orientation, stored in _STORED.items():
        data = _saved(stored(drawn), "JPEG", exif=_exif(orientation), quality=95)
        put(f"EXIF {orientation}", data, _SHOWN[orientation](_decoded(data)), "jpg")
    late = _with_late_exif(_saved(_STORED[6](drawn), "PNG"), 6)
    put("EXIF after pixels", late, drawn, "png")
    behind = [PIL.Image.new("RGB", (30, 20))]
    camera = _saved(_STORED[6](drawn), "MPO", exif=_exif(6), quality=95, save_all=True, append_images=behind)
    put("MPO", camera, _SHOWN[6](_decoded(camera)), "jpg")
    steps = np.repeat(np.linspace(0, 0xFFFF, 40).astype(np.uint16)[None], 10, axis=0)
    put("16 bit grey", _saved(steps, "PNG"), np.repeat((steps >> 8).astype(np.uint8)[..., None], 3, axis=2), "png")
    put("16 bit RGB", _deep_png(drawn), drawn, "png")
    # Black lines on nothing: all black where the transparency is dropped.
    lines = np.zeros((40, 60, 4), np.uint8)
    lines[10:14, :, 3] = 255
    on_white = np.where(lines[..., 3:] == 255, 0, 255).astype(np.uint8).repeat(3, axis=2)
    put("alpha", _saved(lines, "PNG"), on_white, "png")
    put("alpha WebP", _saved(lines, "WEBP", lossless=True), on_white, "webp")
    grey = PIL.Image.fromarray(lines).convert("LA")
    put("grey alpha", _file(grey, "PNG"), on_white, "png")
    palette = _palette((on_white[..., 0] > 0).astype(np.uint8))
    put("palette", _file(palette, "PNG"), np.where(on_white == 0, 0, (200, 30, 30)).astype(np.uint8), "png")
    put("palette, clear", _file(palette, "PNG", transparency=1), on_white, "png")
    put("GIF, clear", _file(palette, "GIF", transparency=1), on_white, "gif")
    ink = PIL.Image.fromarray(drawn).convert("CMYK")
    printed = _file(ink, "JPEG", quality=95)
    with PIL.Image.open(io.BytesIO(printed)) as stored_ink:
        put("CMYK", printed, np.asarray(stored_ink.convert("RGB")), "jpg")
    frames = [_palette(np.full((10, 10), index, np.uint8)) for index in (0, 1)]
    moving = _file(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=100, loop=0)
    put("animated GIF", moving, np.zeros((10, 10, 3), np.uint8), "gif")
    put("1 pixel", _saved(drawn[:1, :1], "PNG"), drawn[:1, :1], "png")
    long = _drawing(500, 10)
    put("50:1", _saved(long, "PNG"), long, "png")
    return planted


def naive_pixels(data: bytes) -> Pixels:
    """What a decoder sees that ignores EXIF data and transparency, and cuts 16 bits off, as some servers' do.

    It returns the last frame of an animation, so that a test sees the difference from the first, and the first picture
    of an MPO, which such decoders read as a JPEG.
    """
    with PIL.Image.open(io.BytesIO(data)) as picture:
        if picture.format != "MPO":
            picture.seek(getattr(picture, "n_frames", 1) - 1)
        return np.asarray(picture.convert("RGB"))


def _drawing(width: int, height: int) -> Pixels:
    """No two corners are alike, so that each turn and mirror of it shows."""
    pixels = np.full((height, width, 3), 255, np.uint8)
    pixels[: height // 2, : width // 2] = (200, 0, 0)
    pixels[height // 2 :, : width // 2] = (0, 160, 0)
    pixels[: height // 4, -width // 4 :] = (0, 0, 220)
    return pixels


def _saved(pixels: NDArray[Any], form: str, **how: Any) -> bytes:
    return _file(PIL.Image.fromarray(np.ascontiguousarray(pixels)), form, **how)


def _file(picture: PIL.Image.Image, form: str, **how: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, form, **how)
    return file.getvalue()


def _decoded(data: bytes) -> Pixels:
    with PIL.Image.open(io.BytesIO(data)) as picture:
        return np.asarray(picture.convert("RGB"))


def _exif(orientation: int) -> PIL.Image.Exif:
    exif = PIL.Image.Exif()
    exif[0x0112] = orientation
    return exif


def _palette(indices: NDArray[np.uint8]) -> PIL.Image.Image:
    """Index 0 is black, 1 is red."""
    picture = PIL.Image.new("P", (indices.shape[1], indices.shape[0]))
    picture.putpalette([0, 0, 0, 200, 30, 30])
    picture.putdata(indices.ravel().tolist())
    return picture


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _with_late_exif(png: bytes, orientation: int) -> bytes:
    """The EXIF chunk behind the pixels, where the PNG specification allows it, too."""
    exif = _exif(orientation).tobytes().removeprefix(b"Exif\0\0")
    return png[:-12] + _chunk(b"eXIf", exif) + png[-12:]


def _deep_png(pixels: Pixels) -> bytes:
    """RGB of 16 bits, whose low bytes round up where a decoder does not simply drop them."""
    height, width, _ = pixels.shape
    deep = (pixels.astype(">u2") << 8) | np.where(pixels == 255, 255, 0xC0).astype(">u2")
    rows = b"".join(b"\0" + deep[row].astype(">u2").tobytes() for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")
