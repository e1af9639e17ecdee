"""Only the pictures of a problem are served, and only from the picture folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

import PIL.Image
import pytest
from taught_folder import box, picture

from srt.images.open import MAX_BYTES
from srt.io.errors import UserError
from srt.io.records import Image
from srt.review.server import picture_bytes


def named(root: Path, name: str, data: bytes | None = None) -> Image:
    if data is not None:
        (root / name).write_bytes(data)
    there = (root / name).is_file()
    return Image(path=name, sha256=hashlib.sha256((root / name).read_bytes()).hexdigest() if there else "0" * 64)


def test_a_picture_comes_with_its_type(tmp_path: Path) -> None:
    problem = box(images=[picture(tmp_path), picture(tmp_path, "b.jpg")])
    assert picture_bytes(problem, 1, tmp_path / "pictures")[1] == "image/png"
    data, media_type = picture_bytes(problem, 2, tmp_path / "pictures")
    assert (data[:2], media_type) == (b"\xff\xd8", "image/jpeg")


def test_what_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "pictures"
    good = picture(tmp_path)
    (tmp_path / "secret.png").write_bytes((root / good.path).read_bytes())
    (root / "link.png").symlink_to(tmp_path / "secret.png")
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><script>window.hacked=1</script></svg>'
    PIL.Image.new("1", (5000, 4001)).save(root / "wide.png")
    with open(root / "huge.png", "wb") as file:
        file.truncate(MAX_BYTES + 1)
    refused = {
        "stay in it": [
            Image(path=str(tmp_path / "secret.png"), sha256=good.sha256),
            Image(path="../secret.png", sha256=good.sha256),
            Image(path="a\0b", sha256=good.sha256),
        ],
        "leads out": [Image(path="link.png", sha256=good.sha256)],
        "no such file": [named(root, "gone.png")],
        "ordinary file": [Image(path=".", sha256=good.sha256)],
        "sha256": [Image(path=good.path, sha256="0" * 64)],
        "not a PNG": [named(root, "page.png", b"<script>1</script>"), named(root, "drawing.svg", svg)],
        "5000 x 4001 pixels": [named(root, "wide.png")],
        "64 MiB": [Image(path="huge.png", sha256=good.sha256)],
        "cannot be read": [Image(path="x" * 5000, sha256=good.sha256)],
    }
    for why, images in refused.items():
        for image in images:
            with pytest.raises(UserError, match=rf"problem box: images\.1: .*({why})"):
                picture_bytes(box(images=[image]), 1, root)
    for number in (0, 2):
        with pytest.raises(UserError, match=rf"problem box: images: .*{number}"):
            picture_bytes(box(images=[good]), number, root)
