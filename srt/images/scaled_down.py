"""Pictures scaled down: for a model's endpoint, for a page, for comparison."""

from __future__ import annotations

import PIL.Image

from srt.images.normalise import eight_bits


def scaled_down(
    picture: PIL.Image.Image,
    max_side: int,
    resampling: PIL.Image.Resampling = PIL.Image.Resampling.LANCZOS,
) -> PIL.Image.Image:
    """``picture`` with at most ``max_side`` pixels on its longer side, in RGB, RGBA or grey of 8 bits.

    Transparency is kept, and a smaller picture keeps its size. The given picture is not changed.
    """
    picture = eight_bits(picture)
    mode = "RGBA" if picture.has_transparency_data else "RGB"
    scaled = picture.copy() if picture.mode in ("RGB", "RGBA", "L") else picture.convert(mode)
    scaled.thumbnail((max_side, max_side), resampling)
    return scaled
