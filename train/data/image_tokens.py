"""Pictures in training: their tokens are counted from file headers, their pixels are read in loader workers.

The number of tokens of a picture depends only on its size, and the processor can compute it without the picture. So all
sequence lengths and batches are known before a pixel is read, and memory holds only the pictures of the current
micro-batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import ProcessorMixin

from srt.images.normalise import shown_picture, shown_size
from srt.images.resize_limits import limit_pictures
from srt.io.errors import UserError
from srt.io.records import Image
from train.recipe import Pictures


class Picture(NamedTuple):
    """A picture of the sequence of ``trace_id``, not yet opened.

    ``path`` is relative to the folder ``root``. ``width`` and ``height`` are its pixels, upright, before any resizing;
    ``tokens`` is the number of tokens that it takes in the sequence, ``file_size`` that of bytes of its file.
    """

    root: Path
    path: str
    sha256: str
    width: int
    height: int
    tokens: int
    trace_id: str
    file_size: int


class PictureFault(UserError):
    """A picture that cannot be read. The message is one line, even if it comes from a worker of a data loader.

    The exceptions of a worker are raised again with a traceback before their message, which is removed here.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message.strip().rpartition(f"{PictureFault.__name__}: ")[2])


class PictureTokens:
    """Counts the tokens of pictures and places them in prompts. Sets the size ``limits`` in the ``processor``.

    Raises:
        UserError: the processor does not support the limits.
    """

    def __init__(self, processor: ProcessorMixin, limits: Pictures) -> None:
        limit_pictures(processor, limits.min_pixels, limits.max_pixels)
        self._processor = processor
        self.image_token_id: int = processor.image_token_id
        video = getattr(processor, "video_token", None)
        self._video_token_id = None if video is None else processor.tokenizer.convert_tokens_to_ids(video)
        self._opening, self._closing = self._delimiters()
        self._counts: dict[tuple[int, int], int] = {}

    @property
    def settings(self) -> str:
        """Everything in the processor that tokens of pictures depend on."""
        return f"{type(self._processor).__name__} {self._processor.to_json_string()}"

    def plan(self, root: Path, images: Sequence[Image], trace_id: str) -> tuple[Picture, ...]:
        """The pictures of a sequence in order, with paths relative to ``root``. Only headers are read.

        Raises:
            PictureFault: a path leaves ``root``, or a file is missing, not a picture, or of an unsupported size.
        """
        pictures = []
        for image in images:
            try:
                width, height = shown_size(root, image.path)
                tokens = self.count(width, height)
                file_size = (root / image.path).stat().st_size
            except UserError as error:
                raise PictureFault(f"sequence of trace {trace_id}: {error}") from None
            except ValueError as error:  # a shape that the processor refuses
                raise PictureFault(
                    f"sequence of trace {trace_id}: {root / image.path}: {width} x {height} pixels: {error}"
                ) from None
            pictures.append(Picture(root, image.path, image.sha256, width, height, tokens, trace_id, file_size))
        return tuple(pictures)

    def expand(self, prompt: Sequence[int], pictures: Sequence[Picture], trace_id: str) -> list[int]:
        """The ids of ``prompt`` with each placeholder repeated for all tokens of its picture, as the processor does.

        Raises:
            UserError: the number of placeholders differs from that of pictures.
        """
        placeholders = sum(token == self.image_token_id for token in prompt)
        if placeholders != len(pictures):
            raise UserError(
                f"sequence of trace {trace_id}: prompt: {placeholders} placeholders for {len(pictures)} pictures; the "
                "chat template must write one for each, and the text must not contain any"
            )
        if self._video_token_id in prompt:
            raise UserError(f"sequence of trace {trace_id}: prompt: its text contains the placeholder of a video")
        expanded: list[int] = []
        remaining = iter(pictures)
        for token in prompt:
            if token == self.image_token_id:
                expanded += [*self._opening, *[token] * next(remaining).tokens, *self._closing]
            else:
                expanded.append(token)
        return expanded

    def count(self, width: int, height: int) -> int:
        """The tokens of a picture of so many pixels.

        Raises:
            ValueError: a shape that the processor refuses.
        """
        if (width, height) not in self._counts:
            # Private in transformers, and what vLLM counts with. It counts what is around the tokens too.
            planned = self._processor._get_num_multimodal_tokens(image_sizes=[(height, width)])["num_image_tokens"][0]
            self._counts[width, height] = int(planned) - len(self._opening) - len(self._closing)
        return self._counts[width, height]

    def _delimiters(self) -> tuple[list[int], list[int]]:
        """What the processor writes before and after the tokens of a picture (for some models the template does)."""
        # Any size will do: only what stands around the tokens is read.
        some = {"image_grid_thw": torch.tensor([[1, 8, 8]]), "num_patches": [1]}
        text = self._processor.replace_image_token(some, image_idx=0)
        ids = self._processor.tokenizer.encode(text, add_special_tokens=False)
        end = len(ids) - ids[::-1].index(self.image_token_id)
        return ids[: ids.index(self.image_token_id)], ids[end:]


def open_pictures(pictures: Sequence[Picture], image_processor: Any) -> dict[str, torch.Tensor]:
    """The model inputs for ``pictures`` (at least one), in order.

    ``pixel_values`` (for Qwen2.5-VL [patches, values of a patch], for InternVL [tiles, 3, height, width]), and further
    outputs of the image processor (``image_grid_thw`` [pictures, 3]). The limits of the processor must have been set by
    :class:`PictureTokens`.

    Raises:
        PictureFault: a picture does not decode, or is not the one that the sequence names.
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
