"""The size limits within which a processor resizes pictures, set in the processor itself.

They are saved with it: a model that was trained with limits is evaluated with the same ones.
"""

from __future__ import annotations

from typing import Any

from srt.io.errors import UserError


def limit_pictures(processor: Any, min_pixels: int | None, max_pixels: int | None) -> None:
    """Have ``processor``, one of transformers, resize pictures to between ``min_pixels`` and ``max_pixels``.

    ``None`` leaves the processor's own limit. One that cuts pictures into tiles takes as many as lie within the limits,
    and one more that shows the whole.

    Raises:
        UserError: limits that contradict each other or the processor's own, or a processor that has none.
    """
    images = processor.image_processor
    # Some processors pass their image processor options that it does not have by itself: they become its own.
    for key, value in processor._merge_kwargs()["images_kwargs"].items():
        if value is not None and hasattr(images, key):
            setattr(images, key, value)
    if min_pixels is None and max_pixels is None:
        return
    if hasattr(images, "max_patches"):
        _limit_tiles(images, min_pixels, max_pixels)
    elif "longest_edge" in dict(images.size):
        least, most = min_pixels or images.size["shortest_edge"], max_pixels or images.size["longest_edge"]
        _check_order(least, most, "pixels")
        images.size = type(images.size)(shortest_edge=least, longest_edge=most)
    else:
        raise UserError(f"pictures: {type(images).__name__} has no limits of area; leave out min_pixels and max_pixels")


def _limit_tiles(images: Any, min_pixels: int | None, max_pixels: int | None) -> None:
    area = images.size["height"] * images.size["width"]
    if max_pixels is not None:
        if max_pixels < area:
            raise UserError(f"pictures: max_pixels {max_pixels} is less than one tile, which has {area} pixels")
        # Whole tiles within the limits.
        images.max_patches = max_pixels // area
    if min_pixels is not None:
        images.min_patches = -(-min_pixels // area)
    _check_order(images.min_patches, images.max_patches, f"tiles of {area} pixels")


def _check_order(least: int, most: int, unit: str) -> None:
    if least > most:
        raise UserError(
            f"pictures: at least {least} and at most {most} {unit} cannot both be "
            "(limits that you do not set are the processor's own)"
        )
