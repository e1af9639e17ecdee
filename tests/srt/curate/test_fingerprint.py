"""The same drawing keeps its hash and its look through what happens to files; another drawing does not."""

from __future__ import annotations

import io
import random

import numpy as np
import PIL.Image
import PIL.ImageDraw
import PIL.ImageEnhance
import PIL.ImageOps
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srt.curate.fingerprint import compared_picture, drawn_part, likeness, perceptual_hash, same_strokes
from srt.curate.hash_index import HashIndex


def net(digit: str = "3", squares: int = 5) -> PIL.Image.Image:
    picture = PIL.Image.new("RGB", (260, 200), "white")
    pen = PIL.ImageDraw.Draw(picture)
    for number in range(squares):
        x, y = 20 + 40 * (number % 4), 60 + 40 * (number // 4)
        pen.rectangle((x, y, x + 40, y + 40), outline="black", width=2)
        pen.text((x + 12, y + 8), digit if number == 1 else "7", fill="black", font_size=22)
    return picture


def jpeg(picture: PIL.Image.Image, quality: int) -> PIL.Image.Image:
    data = io.BytesIO()
    picture.save(data, "JPEG", quality=quality)
    return PIL.Image.open(data)


def compared(one: PIL.Image.Image, other: PIL.Image.Image) -> tuple[int, float]:
    hashes = perceptual_hash(one), perceptual_hash(other)
    looks = compared_picture(one), compared_picture(other)
    assert hashes[0] is not None
    assert hashes[1] is not None
    assert looks[0] is not None
    assert looks[1] is not None
    return (hashes[0] ^ hashes[1]).bit_count(), likeness(looks[0], looks[1])


SAME = {
    "jpeg": jpeg(net(), 50),
    "brightness": PIL.ImageEnhance.Brightness(net()).enhance(0.8),
    "contrast": PIL.ImageEnhance.Contrast(net()).enhance(0.6),
    "padded": PIL.ImageOps.expand(net(), border=15, fill="white"),
    "cropped": net().crop((10, 30, 230, 190)),
    "palette": net().quantize(4),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_drawing(name: str) -> None:
    bits, alike = compared(net(), SAME[name])
    assert bits <= 10
    assert alike >= 0.96


def test_a_resized_drawing_is_at_least_a_doubt() -> None:
    bits, alike = compared(net(), net().resize((390, 300), PIL.Image.Resampling.BICUBIC))
    assert bits <= 10
    assert alike >= 0.7


def test_another_digit_has_the_hash_but_not_the_look() -> None:
    bits, alike = compared(net("3"), net("4"))
    assert bits <= 10, "or this test tests nothing"
    assert alike < 0.9


@pytest.mark.parametrize("name", [*SAME, "jpeg of a shifted one"])
def test_the_same_drawing_has_the_same_strokes(name: str) -> None:
    shifted = jpeg(PIL.ImageOps.expand(net(), border=(3, 5, 0, 0), fill="white"), 40)
    one, other = drawn_part(net()), drawn_part(SAME.get(name, shifted))
    assert one is not None
    assert other is not None
    assert same_strokes(one, other)


@pytest.mark.parametrize("digits", ["17", "38", "56", "89"])
@pytest.mark.parametrize("quality", [95, 70, 40])
def test_a_thin_digit_is_another_stroke(digits: str, quality: int) -> None:
    """The digit is a few pixels of a large picture: what is compared by regions may miss it."""
    large = []
    for digit in digits:
        picture = PIL.Image.new("RGB", (420, 320), "white")
        pen = PIL.ImageDraw.Draw(picture)
        pen.line([(10, 300), (400, 20), (30, 40), (390, 310), (10, 300)], fill="black")
        pen.text((200, 165), digit, fill="black", font_size=14)
        large.append(drawn_part(jpeg(picture, quality)))
    assert large[0] is not None
    assert large[1] is not None
    assert not same_strokes(large[0], large[1])


def test_strokes_of_a_line_and_of_a_dot() -> None:
    dot, line = PIL.Image.new("L", (9, 9), 255), PIL.Image.new("L", (9, 9), 255)
    dot.putpixel((4, 4), 0)
    PIL.ImageDraw.Draw(line).line([(1, 4), (7, 4)], fill=0)
    for picture in (dot, line):
        drawn = drawn_part(picture)
        assert drawn is not None
        assert same_strokes(drawn, drawn)


def test_another_drawing() -> None:
    bits, alike = compared(net(), net(squares=7))
    assert bits > 10 or alike < 0.7


def test_a_blank_picture_is_like_no_other() -> None:
    noise = np.random.default_rng(0).integers(245, 256, (60, 80), dtype=np.uint8)
    for blank in (PIL.Image.new("L", (50, 50), 255), PIL.Image.fromarray(noise), PIL.Image.new("1", (1, 1))):
        assert perceptual_hash(blank) is None
        assert compared_picture(blank) is None


@settings(max_examples=40)
@given(st.integers(0, 14), st.integers(0, 2**32))
def test_the_index_finds_what_comparing_all_finds(bits: int, seed: int) -> None:
    rng = random.Random(seed)
    hashes = [rng.getrandbits(64) for _ in range(150)]
    query = hashes[0]
    for _ in range(60):
        changed = query
        for bit in rng.sample(range(64), rng.randint(0, 18)):
            changed ^= 1 << bit
        hashes.append(changed)
    found = HashIndex(np.array(hashes, dtype=np.uint64), bits).near(query).tolist()
    assert found == [at for at, value in enumerate(hashes) if (value ^ query).bit_count() <= bits]


def test_an_empty_index() -> None:
    assert HashIndex(np.array([], dtype=np.uint64), 10).near(5).tolist() == []
    with pytest.raises(ValueError, match=r"14.*15"):
        HashIndex(np.array([], dtype=np.uint64), 15)
