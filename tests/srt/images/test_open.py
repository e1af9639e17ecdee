"""Pictures from hostile data: every fault is one line, and nothing is decoded before its size is known."""

from __future__ import annotations

import os
import struct
import time
import zlib
from pathlib import Path

import PIL.Image
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from srt.images.normalise import shown_picture
from srt.images.open import MAX_BYTES, describe_picture, media_type, picture_size, read_picture
from srt.images.store import PictureFolder
from srt.io.errors import UserError
from srt.io.records import Image


def png(width: int, height: int) -> bytes:
    """A PNG whose header says ``width`` x ``height`` and whose pixels are not there."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"0")) + chunk(b"IEND", b"")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "data" / "images").mkdir(parents=True)
    PIL.Image.new("RGB", (30, 20), "red").save(tmp_path / "data" / "images" / "red.png")
    PIL.Image.new("RGB", (3, 2)).save(tmp_path / "secret.png")
    return tmp_path / "data"


def test_a_good_picture(root: Path) -> None:
    image = describe_picture(root, "images/red.png")
    data = read_picture(root, image)
    assert data == (root / "images/red.png").read_bytes()
    assert (picture_size(data, "x"), media_type(data, "x")) == ((30, 20), "image/png")
    assert shown_picture(root, image).getpixel((0, 0)) == (255, 0, 0)


@pytest.mark.parametrize(
    "path", ["../secret.png", "images/../../secret.png", "..\\secret.png", "C:\\x.png", "/etc/passwd", "", "a\0b"]
)
def test_paths_stay_in_the_folder(root: Path, path: str) -> None:
    with pytest.raises(UserError) as caught:
        describe_picture(root, path)
    assert repr(path) in str(caught.value)
    assert str(root) in str(caught.value)


def test_links_pipes_folders_and_loops(root: Path) -> None:
    os.symlink("../secret.png", root / "out.png")
    os.symlink("images/red.png", root / "in.png")
    os.symlink("loop.png", root / "loop.png")
    os.mkfifo(root / "pipe.png")
    for path in ("out.png", "loop.png", "pipe.png", "images", "missing.png", "x" * 5000):
        with pytest.raises(UserError, match=f"{path}: "):
            describe_picture(root, path)
    assert describe_picture(root, "in.png").sha256 == describe_picture(root, "images/red.png").sha256


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (png(50_000, 10), "50000 x 10.*16,384 pixels a side"),
        (png(4473, 4473), "4473 x 4473 pixels.*20 megapixels"),
        (png(60_000, 60_000), "far more than 20 megapixels"),
        (png(0, 5), "PNG"),
        (b"", "PNG"),
        (b"%PDF-1.4", "PNG"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "PNG"),
    ],
)
def test_hostile_bytes(root: Path, data: bytes, named: str) -> None:
    (root / "x.png").write_bytes(data)
    start = time.process_time()
    with pytest.raises(UserError, match=rf"x\.png: .*{named}") as caught:
        describe_picture(root, "x.png")
    assert "\n" not in str(caught.value)
    assert time.process_time() - start < 1


def test_the_largest_picture_is_read(root: Path) -> None:
    (root / "x.png").write_bytes(png(5000, 4000))
    assert picture_size((root / "x.png").read_bytes(), "x") == (5000, 4000)


def test_a_picture_without_pixels_and_one_that_was_changed(root: Path) -> None:
    (root / "x.png").write_bytes(png(300, 300))
    with pytest.raises(UserError, match=r"x\.png"):
        shown_picture(root, describe_picture(root, "x.png"))
    with pytest.raises(UserError, match="sha256"):
        read_picture(root, Image(path="images/red.png", sha256="0" * 64))


def test_a_file_that_is_too_large_is_not_read_whole(root: Path) -> None:
    with open(root / "x.png", "wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(UserError, match=r"x\.png: .*64 MiB"):
        describe_picture(root, "x.png")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.binary(max_size=60),
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\xff\xd8\xff\xe0", b"RIFF\x10\0\0\0WEBPVP8 "]),
)
def test_no_bytes_escape_as_another_error(root: Path, body: bytes, magic: bytes) -> None:
    (root / "x.png").write_bytes(magic + body)
    try:
        shown_picture(root, describe_picture(root, "x.png"))
    except UserError as error:
        assert "\n" not in str(error)  # noqa: PT017 (either outcome is right)


def test_pictures_below_the_file_stay_and_others_are_copied(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    near = PictureFolder(root / "p.jsonl").refer(root / "images", "red.png")
    folder = PictureFolder(tmp_path / "elsewhere" / "p.jsonl")
    far = folder.refer(root, "images/red.png")
    assert (near.path, near.sha256) == ("images/red.png", far.sha256)
    assert far.path == f"p-pictures/{far.sha256[:2]}/{far.sha256}.png"
    assert read_picture(tmp_path / "elsewhere", far) == (root / "images/red.png").read_bytes()
    folder.refer(root, "images/red.png")
    assert folder.copied == 1
    (tmp_path / "elsewhere" / far.path).write_bytes(b"torn")
    folder.refer(root, "images/red.png")
    assert read_picture(tmp_path / "elsewhere", far), "a torn copy is written again"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_half_a_picture_is_not_imported(kind: str, tmp_path: Path) -> None:
    noise = PIL.Image.effect_noise((90, 90), 80.0)
    noise.save(tmp_path / "whole", kind)
    half = (tmp_path / "whole").read_bytes()
    half = half[: len(half) // 2]
    (tmp_path / "half").write_bytes(half)
    folder = PictureFolder(tmp_path / "out" / "p.jsonl")
    folder.refer(tmp_path, "whole")
    with pytest.raises(UserError):
        folder.refer(tmp_path, "half")
    with pytest.raises(UserError):
        folder.keep(half, "p.csv:2")
    assert folder.count() == 1
