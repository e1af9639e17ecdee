"""From requests to what a model takes: ids, and the features of pictures, padded on the left.

The prompt is the text that training sees, and the model's own processor puts each picture's tokens in the place of its
placeholder. How many they are is known from a picture's header: batches are planned before a pixel is read.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch.nn.utils.rnn import pad_sequence

from eval.backends.protocol import GenerationSettings, Request
from srt.images.normalise import shown_picture, shown_size
from srt.images.resize_limits import limit_pictures
from srt.io.errors import UserError


class Prompt(NamedTuple):
    """One request as the model takes it.

    ``features``: ``pixel_values`` and what else the processor says of the pictures, empty for a prompt without any;
    ``kinds`` says of each id whether it is of a picture, where the model wants to know.
    """

    ids: list[int]
    image_tokens: int = 0
    features: dict[str, torch.Tensor] = {}  # noqa: RUF012  a NamedTuple's default, never written to
    kinds: list[int] | None = None


class TextPrompts:
    """Prompts for a model that reads text alone."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def length(self, request: Request) -> int:
        """Tokens of the prompt."""
        return len(self.make(request).ids)

    def make(self, request: Request) -> Prompt:
        """The prompt's ids. The template has written its special tokens: the tokenizer adds none."""
        if request.images:
            raise UserError(f"{request.images[0].path}: a picture, and the model reads text alone")
        return Prompt(list(self._tokenizer.encode(request.prompt, add_special_tokens=False)))


class PicturePrompts:
    """Prompts for a model that reads pictures, by its ``processor``, within the limits of ``settings``.

    Raises:
        UserError: limits that the processor cannot keep.
    """

    def __init__(self, processor: Any, settings: GenerationSettings) -> None:
        # Settings differ in their limits, and share a processor.
        self._processor = copy.copy(processor)
        self._processor.image_processor = copy.deepcopy(processor.image_processor)
        limit_pictures(self._processor, settings.min_pixels, settings.max_pixels)
        self._image = int(processor.image_token_id)

    @property
    def limits(self) -> str:
        """What a picture is resized to, in words."""
        images = self._processor.image_processor
        if hasattr(images, "max_patches"):
            tile = f"{images.size['width']} x {images.size['height']}"
            return f"{images.min_patches} to {images.max_patches} tiles of {tile} pixels, and one of the whole"
        return f"{images.size['shortest_edge']} to {images.size['longest_edge']} pixels"

    @property
    def processor_kwargs(self) -> dict[str, Any]:
        """The same limits, as the arguments that have a processor without them resize pictures alike."""
        images = self._processor.image_processor
        if hasattr(images, "max_patches"):
            names = ("crop_to_patches", "min_patches", "max_patches")
            return {name: getattr(images, name) for name in names}
        return {"size": {name: images.size[name] for name in ("shortest_edge", "longest_edge")}}

    def length(self, request: Request) -> int:
        """Tokens of the prompt, those of its pictures by their headers; a picture that cannot be read counts none."""
        count = len(self._processor.tokenizer.encode(request.prompt, add_special_tokens=False))
        for image in request.images:
            try:
                width, height = shown_size(request.root, image.path)
                planned = self._processor._get_num_multimodal_tokens(image_sizes=[(height, width)])
            except (UserError, ValueError):
                continue
            # The placeholder in the text is one of them.
            count += int(planned["num_image_tokens"][0]) - 1
        return count

    def make(self, request: Request) -> Prompt:
        """Ids and features of one request.

        Raises:
            UserError: a picture that cannot be shown, or as many placeholders in the text as there are no pictures for.
        """
        text = list(self._processor.tokenizer.encode(request.prompt, add_special_tokens=False))
        if (there := text.count(self._image)) != len(request.images):
            raise UserError(
                f"prompt: {there} placeholders for {len(request.images)} pictures; the chat template must write one "
                "for each, and the text must not contain any"
            )
        if not request.images:
            return Prompt(text)
        pictures = [shown_picture(request.root, image) for image in request.images]
        try:
            made = self._processor(
                text=[request.prompt], images=[pictures], return_tensors="pt", add_special_tokens=False
            )
        except Exception as error:  # a shape that the processor refuses, the placeholder of a video in the text
            shown = ", ".join(image.path for image in request.images)
            raise UserError(f"{shown}: the model's processor refuses it: {' '.join(str(error).split())}") from None
        ids = made["input_ids"][0].tolist()
        names = set(self._processor.image_processor.model_input_names)
        kinds = made["mm_token_type_ids"][0].tolist() if "mm_token_type_ids" in made else None
        features = {name: value for name, value in made.items() if name in names}
        return Prompt(ids, ids.count(self._image), features, kinds)


def pad_left(prompts: Sequence[Prompt], pad: int) -> dict[str, torch.Tensor]:
    """What ``generate`` takes of ``prompts``: ``input_ids`` and ``attention_mask`` [rows, width], features in order."""

    def padded(rows: Iterable[list[int]], value: int) -> torch.Tensor:
        return pad_sequence(list(map(torch.tensor, rows)), batch_first=True, padding_value=value, padding_side="left")

    inputs = {
        "input_ids": padded((prompt.ids for prompt in prompts), pad),
        "attention_mask": padded(([1] * len(prompt.ids) for prompt in prompts), 0),
    }
    if any(prompt.kinds is not None for prompt in prompts):
        inputs["mm_token_type_ids"] = padded((prompt.kinds or [0] * len(prompt.ids) for prompt in prompts), 0)
    names = dict.fromkeys(name for prompt in prompts for name in prompt.features)
    for name in names:
        # The model takes the pictures of all rows in one tensor, in the order of their placeholders.
        inputs[name] = torch.cat([prompt.features[name] for prompt in prompts if name in prompt.features])
    return inputs
