from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import struct
import zlib
from pathlib import Path

import PIL.Image
import pytest

from srt.images.data_uri import DataUris
from srt.io.errors import UserError
from srt.io.records import Image


def kept(folder: Path, data: bytes, name: str = "a.png") -> Image:
    (folder / name).write_bytes(data)
    return Image(path=name, sha256=hashlib.sha256(data).hexdigest())


def drawn(size: tuple[int, int] = (40, 30), mode: str = "RGB", form: str = "PNG") -> bytes:
    out = io.BytesIO()
    PIL.Image.new(mode, size).save(out, format=form)
    return out.getvalue()


def decoded(uri: str) -> PIL.Image.Image:
    return PIL.Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2])))


def bomb(width: int, height: int) -> bytes:
    """A PNG whose header promises more than its few bytes hold."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize(("form", "kind"), [("PNG", "png"), ("JPEG", "jpeg"), ("WEBP", "webp"), ("GIF", "gif")])
def test_the_bytes_go_as_they_are(tmp_path: Path, form: str, kind: str) -> None:
    data = drawn(form=form)
    uri = DataUris(tmp_path).make(kept(tmp_path, data, "named.bin"))  # the header tells the format, not the name
    assert uri == f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


@pytest.mark.parametrize("path", ["../a.png", "/etc/passwd", "in/../../a.png", "link.png", "", "gone.png", "C:\\a.png"])
def test_hostile_paths(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    outside = kept(tmp_path, drawn())
    (root / "link.png").symlink_to(tmp_path / "a.png")
    with pytest.raises(UserError) as caught:
        DataUris(root).make(Image(path=path, sha256=outside.sha256))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("size", [(50_000, 10), (10, 50_000), (60_000, 60_000), (16_000, 16_000)])
def test_a_huge_picture_is_refused_before_it_is_decoded(tmp_path: Path, size: tuple[int, int]) -> None:
    with pytest.raises(UserError, match="pixels") as caught:
        DataUris(tmp_path, max_side=100).make(kept(tmp_path, bomb(*size)))
    assert "\n" not in str(caught.value)


def test_another_content_than_the_record_says(tmp_path: Path) -> None:
    kept(tmp_path, drawn())
    with pytest.raises(UserError, match="sha256"):
        DataUris(tmp_path).make(Image(path="a.png", sha256="0" * 64))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "1", "CMYK"])
def test_scaled_down(tmp_path: Path, mode: str) -> None:
    form = "JPEG" if mode == "CMYK" else "PNG"
    image = kept(tmp_path, drawn((400, 100), mode, form))
    assert decoded(DataUris(tmp_path, max_side=200).make(image)).size == (200, 50)
    assert decoded(DataUris(tmp_path, max_side=400).make(image)).size == (400, 100)


def test_a_torn_picture_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a\.png"):
        DataUris(tmp_path, max_side=32).make(kept(tmp_path, bomb(100, 100)))


def test_the_cache_is_bounded_and_keeps_what_was_used_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    sizes = {"a": 40, "b": 40, "c": 40, "large": 101}
    monkeypatch.setattr(DataUris, "make", lambda self, image: made.append(image.path) or "x" * sizes[image.path])
    uris = DataUris(tmp_path, cache_bytes=100)

    async def load(*names: str) -> None:
        for name in names:
            assert len(await uris.load(Image(path=name, sha256=name))) == sizes[name]

    asyncio.run(load("a", "b", "a", "c"))  # the third takes the place of b
    assert made == ["a", "b", "c"]
    asyncio.run(load("a", "c", "b", "large", "large"))
    assert made == ["a", "b", "c", "b", "large", "large"]
