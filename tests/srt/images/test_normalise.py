"""What a model is shown: upright, in plain RGB, on white; and its size is known from the header."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from srt.images.normalise import shown_picture, shown_size
from srt.images.open import describe_picture
from srt.io.errors import UserError
from srt.io.records import Image

WHITE, BLACK, RED = (255, 255, 255), (0, 0, 0), (255, 0, 0)


def show(folder: Path, name: str) -> PIL.Image.Image:
    picture = shown_picture(folder, describe_picture(folder, name))
    assert picture.mode == "RGB"
    assert picture.size == shown_size(folder, name)
    return picture


@pytest.mark.parametrize("kind", ["jpg", "webp", "png"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_that_lies_on_its_side_is_turned(kind: str, orientation: int, tmp_path: Path) -> None:
    upright = PIL.Image.new("RGB", (40, 20), "white")
    upright.paste("red", (0, 0, 8, 8))
    turns = PIL.Image.Transpose
    # How the sensor lay: what the orientation, applied, undoes (EXIF 2.32, tag 0x0112).
    stored = {
        1: upright,
        2: upright.transpose(turns.FLIP_LEFT_RIGHT),
        3: upright.transpose(turns.ROTATE_180),
        4: upright.transpose(turns.FLIP_TOP_BOTTOM),
        5: upright.transpose(turns.TRANSPOSE),
        6: upright.transpose(turns.ROTATE_90),
        7: upright.transpose(turns.TRANSVERSE),
        8: upright.transpose(turns.ROTATE_270),
    }[orientation]
    exif = PIL.Image.Exif()
    exif[0x0112] = orientation
    stored.save(tmp_path / f"a.{kind}", exif=exif, quality=100)
    picture = show(tmp_path, f"a.{kind}")
    assert picture.size == (40, 20)
    assert np.abs(np.asarray(picture).astype(int) - np.asarray(upright)).mean() < 5


def test_transparency_lies_on_white(tmp_path: Path) -> None:
    nothing = PIL.Image.new("RGBA", (4, 4), (0, 0, 0, 0))
    nothing.putpixel((0, 0), (0, 0, 0, 255))
    nothing.putpixel((1, 0), (255, 0, 0, 128))
    nothing.save(tmp_path / "rgba.png")
    palette = PIL.Image.new("P", (4, 4), 0)
    palette.putpalette([0, 0, 0, 255, 0, 0])
    palette.putpixel((0, 0), 1)
    palette.save(tmp_path / "palette.gif", transparency=0)
    palette.save(tmp_path / "palette.png", transparency=0)
    PIL.Image.new("LA", (4, 4), (0, 0)).save(tmp_path / "gray.png")
    rgba = show(tmp_path, "rgba.png")
    assert [rgba.getpixel((x, 0)) for x in range(3)] == [BLACK, (255, 127, 127), WHITE]
    for name in ("palette.gif", "palette.png"):
        picture = show(tmp_path, name)
        assert (picture.getpixel((0, 0)), picture.getpixel((3, 3))) == (RED, WHITE)
    assert show(tmp_path, "gray.png").getpixel((0, 0)) == WHITE


def test_other_modes(tmp_path: Path) -> None:
    PIL.Image.new("1", (4, 4), 1).save(tmp_path / "bits.png")
    PIL.Image.new("CMYK", (8, 8), (0, 255, 255, 0)).save(tmp_path / "print.jpg", quality=100)
    steps = np.array([[0, 0x4000, 0x8000, 0xFFFF]], dtype=np.uint16)
    PIL.Image.fromarray(steps).save(tmp_path / "deep.png")
    assert show(tmp_path, "bits.png").getpixel((0, 0)) == WHITE
    red, green, blue = np.asarray(show(tmp_path, "print.jpg"))[4, 4]
    assert red > 240
    assert max(green, blue) < 15
    assert np.asarray(show(tmp_path, "deep.png"))[0, :, 0].tolist() == [0, 0x40, 0x80, 0xFF]


def test_unreadable_exif_data_turn_nothing(tmp_path: Path) -> None:
    PIL.Image.new("RGB", (40, 20)).save(tmp_path / "a.jpg", exif=b"Exif\0\0II*\0\xff\xff\xff\xff")
    assert show(tmp_path, "a.jpg").size == (40, 20)


def test_only_the_header_is_read_for_the_size(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    PIL.Image.fromarray(np.random.default_rng(0).integers(0, 256, (300, 200, 3), dtype=np.uint8)).save(buffer, "PNG")
    (tmp_path / "torn.png").write_bytes(buffer.getvalue()[:200])
    assert shown_size(tmp_path, "torn.png") == (200, 300)
    image = describe_picture(tmp_path, "torn.png")
    with pytest.raises(UserError, match=r"torn\.png"):
        shown_picture(tmp_path, image)


def test_a_bomb_is_refused_by_its_header(tmp_path: Path) -> None:
    header = struct.pack(">IIBBBBB", 16_000, 16_000, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(10))), (b"IEND", b"")]
    body = b"".join(struct.pack(">I", len(b)) + n + b + struct.pack(">I", zlib.crc32(n + b)) for n, b in chunks)
    (tmp_path / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    with pytest.raises(UserError, match=r"bomb\.png: .*pixels"):
        shown_size(tmp_path, "bomb.png")
    with pytest.raises(UserError, match=r"bomb\.png: "):
        shown_picture(tmp_path, Image(path="bomb.png", sha256="0" * 64))
