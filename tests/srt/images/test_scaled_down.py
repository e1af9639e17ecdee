"""Scaling down keeps the proportions, and the given picture as it is."""

from __future__ import annotations

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
