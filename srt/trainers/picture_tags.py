"""``<image>`` in a text: where LLaMA-Factory, ms-swift and verl put the next picture.

Each counts the tags of a row against its list of pictures: ``data/mm_plugin.py`` of LLaMA-Factory 0.9.5,
``template/base.py`` of ms-swift 4.6, ``utils/dataset/rl_dataset.py`` of verl 0.9.
"""

from __future__ import annotations

from typing import Final

from srt.io.errors import UserError
from srt.io.records import Message, Sequence

PICTURE: Final = "<image>"
TAGS: Final = (PICTURE, "<video>", "<audio>")


def tagged_prompt(sequence: Sequence) -> list[Message]:
    """The prompt of ``sequence``, with a tag for each picture before the first user's text, where we show them too.

    Raises:
        UserError: a text has such a tag already, which would be taken for a picture.
    """
    for name, messages in (("prompt", sequence.prompt), ("completion", sequence.completion)):
        for message in messages:
            if found := [tag for tag in TAGS if tag in message.content]:
                raise UserError(f"{name}: it has {found[0]} in its text, which the trainer would take for a picture")
    prompt = list(sequence.prompt)
    first = next(number for number, message in enumerate(prompt) if message.role == "user")
    tags = PICTURE * len(sequence.images)
    prompt[first] = prompt[first].model_copy(update={"content": tags + prompt[first].content})
    return prompt
