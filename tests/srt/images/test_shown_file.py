"""A file goes out as it is where any decoder sees the same in it; what differs by decoder is decided here."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from srt.images.normalise import shown_picture, shown_size
from srt.images.open import describe_picture
from srt.images.shown_file import shown_file
from srt.images.store import PictureFolder
from srt.io.errors import UserError
from srt.io.records import Image
from tests.planted_pictures import naive_pixels, plant
from tests.srt.images.test_data_uri import bomb

AS_THEY_ARE = {"plain PNG", "EXIF 1", "palette", "1 pixel", "50:1"}


def test_only_what_is_plain_goes_as_it_is(tmp_path: Path) -> None:
    for kind, (name, _) in plant(tmp_path).items():
        data, media = shown_file(tmp_path, describe_picture(tmp_path, name))
        assert (data == (tmp_path / name).read_bytes()) == (kind in AS_THEY_ARE), kind
        assert media == ("image/jpeg" if kind == "EXIF 1" else "image/png"), kind


def test_pixels_and_sizes_of_every_kind(tmp_path: Path) -> None:
    for kind, (name, pixels) in plant(tmp_path).items():
        image = describe_picture(tmp_path, name)
        assert np.array_equal(np.asarray(shown_picture(tmp_path, image)), pixels), kind
        assert shown_size(tmp_path, name) == (pixels.shape[1], pixels.shape[0]), kind
        small = naive_pixels(shown_file(tmp_path, image, max_side=32)[0])
        assert max(small.shape) == min(32, max(pixels.shape)), kind


def test_an_upright_photograph_with_others_behind_it_is_a_jpeg_to_everyone(tmp_path: Path) -> None:
    first = PIL.Image.new("RGB", (30, 20), "red")
    first.save(tmp_path / "phone.jpg", "MPO", save_all=True, append_images=[PIL.Image.new("RGB", (10, 10))])
    image = PictureFolder(tmp_path / "out" / "p.jsonl").refer(tmp_path, "phone.jpg")
    assert image.path.endswith(".jpg")
    data, media = shown_file(tmp_path / "out", image)
    assert (data, media) == ((tmp_path / "phone.jpg").read_bytes(), "image/jpeg")
    assert naive_pixels(data).shape == (20, 30, 3)


@pytest.mark.parametrize("size", [(50_000, 10), (60_000, 60_000), (16_000, 16_000)])
@pytest.mark.parametrize("max_side", [None, 100])
def test_a_bomb_is_refused_before_it_is_decoded(tmp_path: Path, size: tuple[int, int], max_side: int | None) -> None:
    (tmp_path / "a.png").write_bytes(bomb(*size))
    with pytest.raises(UserError, match=r"a\.png: .*pixels") as caught:
        shown_file(tmp_path, Image(path="a.png", sha256=_sha256(tmp_path / "a.png")), max_side)
    assert "\n" not in str(caught.value)


def test_torn_files_are_one_line(tmp_path: Path) -> None:
    """Where a file must be decoded; a torn one that is plain goes out, and its reader says so."""
    for name, whole in _torn_kinds().items():
        (tmp_path / name).write_bytes(whole[: len(whole) * 2 // 3])
        with pytest.raises(UserError, match=name) as caught:
            shown_file(tmp_path, describe_picture(tmp_path, name))
        assert "\n" not in str(caught.value)


def _torn_kinds() -> dict[str, bytes]:
    noise = np.random.default_rng(0).integers(0, 256, (60, 60, 4), dtype=np.uint8)
    alpha, turned = io.BytesIO(), io.BytesIO()
    PIL.Image.fromarray(noise).save(alpha, "PNG")
    exif = PIL.Image.Exif()
    exif[0x0112] = 6
    PIL.Image.fromarray(noise[..., :3]).save(turned, "JPEG", exif=exif)
    return {"alpha.png": alpha.getvalue(), "turned.jpg": turned.getvalue()}


def _sha256(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()
