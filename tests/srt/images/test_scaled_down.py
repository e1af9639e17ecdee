"""Scaling down keeps what a picture shows: its proportions, its transparency, its grey values."""

from __future__ import annotations

import numpy as np
import PIL.Image
import pytest

from srt.images.normalise import scaled_down


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L"])
def test_the_longer_side(mode: str) -> None:
    picture = PIL.Image.new(mode, (300, 100))
    scaled = scaled_down(picture, 60)
    assert (scaled.size, scaled.mode) == ((60, 20), mode)
    assert picture.size == (300, 100)
    assert scaled_down(picture, 400).size == (300, 100)


def test_sixteen_bits_stay_grey() -> None:
    picture = PIL.Image.fromarray(np.full((40, 40), 0x8000, dtype=np.uint16))
    assert scaled_down(picture, 20).getpixel((5, 5)) == 0x80


def test_a_palette_with_transparency_keeps_it() -> None:
    picture = PIL.Image.new("P", (40, 40), 1)
    picture.putpalette([0, 0, 0, 255, 0, 0])
    picture.info["transparency"] = 1
    scaled = scaled_down(picture, 20)
    assert (scaled.mode, scaled.getextrema()[3]) == ("RGBA", (0, 0))
    picture.info.clear()
    assert scaled_down(picture, 20).mode == "RGB"
