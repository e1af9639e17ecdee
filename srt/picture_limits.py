"""The limits that a processor resizes pictures within, set in the processor itself, in training and in evaluation.

Set there, they are saved with it: a model that was trained with limits is evaluated with the same ones.
"""

from __future__ import annotations

from typing import Any

from srt.errors import UserError


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
        size = {
            "shortest_edge": min_pixels or images.size["shortest_edge"],
            "longest_edge": max_pixels or images.size["longest_edge"],
        }
        if size["shortest_edge"] > size["longest_edge"]:
            raise UserError(
                f"pictures: at least {size['shortest_edge']} and at most {size['longest_edge']} pixels cannot both be "
                "(a limit that is not given is the processor's own)"
            )
        images.size = type(images.size)(**size)
    else:
        raise UserError(f"pictures: {type(images).__name__} has no limits of area; leave min_pixels and max_pixels out")


def _limit_tiles(images: Any, min_pixels: int | None, max_pixels: int | None) -> None:
    area = images.size["height"] * images.size["width"]
    if max_pixels is not None:
        if max_pixels < area:
            raise UserError(f"pictures: max_pixels {max_pixels} is less than one tile, which has {area} pixels")
        images.max_patches = max_pixels // area
    if min_pixels is not None:
        images.min_patches = -(-min_pixels // area)
    if images.min_patches > images.max_patches:
        raise UserError(
            f"pictures: at least {images.min_patches} and at most {images.max_patches} tiles of {area} pixels cannot "
            "both be (a limit that is not given is the processor's own)"
        )
