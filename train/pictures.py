"""Pictures in training: their tokens are planned from headers alone, their pixels are opened in loader workers.

How many tokens a picture takes depends on its size only, and its processor says so without seeing it. All lengths of a
run, and with them its batches, are thus known before a pixel is read, and memory holds the pictures of the
micro-batches under way and no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import ProcessorMixin

from srt.errors import UserError
from srt.picture_limits import limit_pictures
from srt.records import Image
from srt.shown_pictures import shown_picture, shown_size
from train.recipe import Pictures


class Picture(NamedTuple):
    """A picture of the sequence of ``trace_id``, not yet opened.

    ``path`` is relative to the folder ``root``. ``width`` and ``height`` are its pixels, upright, before any resizing;
    ``tokens`` is how many places of the sequence its features fill.
    """

    root: Path
    path: str
    sha256: str
    width: int
    height: int
    tokens: int
    trace_id: str


class PictureFault(UserError):
    """A picture that cannot be read. One line, also when it comes out of a worker of a data loader.

    A worker's exceptions are raised again with a traceback in front of their message; it is taken off here.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message.strip().rpartition(f"{PictureFault.__name__}: ")[2])


class PictureTokens:
    """The tokens that pictures take in the sequences of a model, by its ``processor``, whose limits of size are set.

    Raises:
        UserError: limits that the processor cannot keep.
    """

    def __init__(self, processor: ProcessorMixin, limits: Pictures) -> None:
        limit_pictures(processor, limits.min_pixels, limits.max_pixels)
        self._processor = processor
        self.image_token_id: int = processor.image_token_id
        video = getattr(processor, "video_token_id", None)
        if video is None and (token := getattr(processor, "video_token", None)) is not None:
            video = processor.tokenizer.convert_tokens_to_ids(token)
        self._video_token_id: int | None = video
        self._opening, self._closing = self._marks()
        self._counts: dict[tuple[int, int], int] = {}

    def plan(self, root: Path, images: Sequence[Image], trace_id: str) -> tuple[Picture, ...]:
        """The pictures of a sequence in order, their paths relative to ``root``. Only headers are read.

        Raises:
            PictureFault: a path that leaves ``root``, no such file, no picture, or one of a size that is not read.
        """
        pictures = []
        for image in images:
            try:
                width, height = shown_size(root, image.path)
                tokens = self._count(width, height)
            except UserError as error:
                raise PictureFault(f"sequence of trace {trace_id}: {error}") from None
            except ValueError as error:  # a shape that the processor refuses
                raise PictureFault(
                    f"sequence of trace {trace_id}: {root / image.path}: {width} x {height} pixels: {error}"
                ) from None
            pictures.append(Picture(root, image.path, image.sha256, width, height, tokens, trace_id))
        return tuple(pictures)

    def expand(self, prompt: Sequence[int], pictures: Sequence[Picture], trace_id: str) -> list[int]:
        """The ids of ``prompt`` with each placeholder in the place of its picture's tokens, as the processor has it.

        Raises:
            UserError: there are not as many placeholders as pictures.
        """
        there = sum(token == self.image_token_id for token in prompt)
        if there != len(pictures):
            raise UserError(
                f"sequence of trace {trace_id}: prompt: {there} placeholders for {len(pictures)} pictures; the chat "
                "template must write one for each, and the text must not contain any"
            )
        if self._video_token_id in prompt:
            raise UserError(f"sequence of trace {trace_id}: prompt: its text contains the placeholder of a video")
        expanded: list[int] = []
        left = iter(pictures)
        for token in prompt:
            if token == self.image_token_id:
                expanded += [*self._opening, *[token] * next(left).tokens, *self._closing]
            else:
                expanded.append(token)
        return expanded

    def _count(self, width: int, height: int) -> int:
        if (width, height) not in self._counts:
            planned = self._processor._get_num_multimodal_tokens(image_sizes=[(height, width)])["num_image_tokens"][0]
            self._counts[width, height] = int(planned) - len(self._opening) - len(self._closing)
        return self._counts[width, height]

    def _marks(self) -> tuple[list[int], list[int]]:
        """What the processor itself writes before and behind the tokens of a picture (some templates write it)."""
        some = {"image_grid_thw": torch.tensor([[1, 8, 8]]), "num_patches": [1]}
        text = self._processor.replace_image_token(some, image_idx=0)
        ids = self._processor.tokenizer.encode(text, add_special_tokens=False)
        behind = len(ids) - ids[::-1].index(self.image_token_id)
        return ids[: ids.index(self.image_token_id)], ids[behind:]


def open_pictures(pictures: Sequence[Picture], image_processor: Any) -> dict[str, torch.Tensor]:
    """What a model takes of ``pictures``, of which there is at least one, in their order.

    ``pixel_values`` (of Qwen2.5-VL [patches, values of a patch], of InternVL [tiles, 3, height, width]), and what else
    the image processor says of them to the model (``image_grid_thw`` [pictures, 3]). The processor is one whose limits
    were set by :class:`PictureTokens`.

    Raises:
        PictureFault: a picture that does not decode, or not the one that the sequence names.
    """
    features = image_processor(images=[_open(picture) for picture in pictures], return_tensors="pt")
    return {name: value for name, value in features.items() if name in image_processor.model_input_names}


def _open(picture: Picture) -> Any:
    try:
        shown = shown_picture(picture.root, Image(path=picture.path, sha256=picture.sha256))
    except UserError as error:
        raise PictureFault(f"sequence of trace {picture.trace_id}: {error}") from None
    if shown.size != (picture.width, picture.height):
        raise PictureFault(
            f"sequence of trace {picture.trace_id}: {picture.root / picture.path}: {shown.width} x {shown.height} "
            f"pixels, but its header says {picture.width} x {picture.height}"
        )
    return shown
