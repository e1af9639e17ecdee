"""The chat templates that a new model can have, with the special tokens that each writes. Another one is an entry here.

Those of the published families are the files that TRL ships.
"""

from __future__ import annotations

import importlib.resources
from dataclasses import dataclass, replace

from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError


@dataclass(frozen=True, kw_only=True)
class ChatTemplate:
    """A template and its tokens.

    Attributes:
        name: as ``srt init-model --chat-template`` takes it.
        source: the Jinja template, or the name of one of TRL's files (``*.jinja``).
        eos, bos: what ends and begins a sequence.
        control: further special tokens, which decoding may leave out.
        visible: added tokens that stay visible in decoded text.
        named: special tokens that a processor asks the tokenizer for by name, as (name, token).
        shows_pictures: it writes a placeholder for each picture; it belongs to one family alone.
    """

    name: str
    source: str
    eos: str
    bos: str | None = None
    control: tuple[str, ...] = ()
    visible: tuple[str, ...] = ()
    named: tuple[tuple[str, str], ...] = ()
    shows_pictures: bool = False

    @property
    def jinja(self) -> str:
        """The template itself."""
        if not self.source.endswith(".jinja"):
            return self.source
        return (importlib.resources.files("trl") / "chat_templates" / self.source).read_text("utf-8")


MINIMAL = ChatTemplate(
    name="minimal",
    source=(
        "{%- for message in messages -%}"
        "{{- '<|' + message['role'] + '|>' + message['content'] -}}"
        "{%- if message['role'] == 'assistant' -%}{{- '<|end|>' -}}{%- endif -%}"
        "{%- endfor -%}"
        "{%- if add_generation_prompt -%}{{- '<|assistant|>' -}}{%- endif -%}"
    ),
    eos="<|end|>",
    control=("<|system|>", "<|user|>", "<|assistant|>"),
)
QWEN2_5 = ChatTemplate(name="qwen2.5", source="qwen2_5.jinja", eos="<|im_end|>", control=("<|im_start|>",))
R1_DISTILL = ChatTemplate(
    name="r1-distill",
    source="deepseek_r1_distill.jinja",
    eos="<｜end▁of▁sentence｜>",
    bos="<｜begin▁of▁sentence｜>",
    control=("<｜User｜>", "<｜Assistant｜>"),
    visible=("<think>", "</think>"),
)
LLAMA3 = ChatTemplate(
    name="llama3",
    source="llama3.jinja",
    eos="<|eot_id|>",
    bos="<|begin_of_text|>",
    control=("<|start_header_id|>", "<|end_header_id|>"),
)
QWEN2_5_VL = ChatTemplate(
    name="qwen2.5-vl",
    source="qwen2_5_vl.jinja",
    eos="<|im_end|>",
    control=("<|im_start|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"),
    shows_pictures=True,
)
# TRL has none. This is the one of the models published for transformers: each picture on a line of its own, and no
# system turn.
INTERNVL = ChatTemplate(
    name="internvl",
    source=(
        "{%- for message in messages -%}"
        "{{- '<|im_start|>' + message['role'] + '\n' -}}"
        "{%- if message['content'] is string -%}{{- message['content'] -}}"
        "{%- else -%}"
        "{%- for part in message['content'] -%}"
        "{%- if part['type'] == 'image' -%}{{- '<IMG_CONTEXT>\n' -}}"
        "{%- elif part['type'] == 'text' -%}{{- part['text'] -}}{%- endif -%}"
        "{%- endfor -%}"
        "{%- endif -%}"
        "{{- '<|im_end|>\n' -}}"
        "{%- endfor -%}"
        "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}"
    ),
    eos="<|im_end|>",
    control=("<|im_start|>",),
    named=(
        ("start_image_token", "<img>"),
        ("end_image_token", "</img>"),
        ("context_image_token", "<IMG_CONTEXT>"),
        ("video_token", "<video>"),
    ),
    shows_pictures=True,
)
_THINK = ("<think>", "</think>")
QWEN3 = ChatTemplate(name="qwen3", source="qwen3.jinja", eos="<|im_end|>", control=("<|im_start|>",), visible=_THINK)
QWEN3_VL = ChatTemplate(
    name="qwen3-vl",
    source="qwen3_vl.jinja",
    eos="<|im_end|>",
    control=QWEN2_5_VL.control,
    shows_pictures=True,
)
# Of the models from 4 billion parameters up: the prompt opens a think block, unless enable_thinking is false.
QWEN3_5 = ChatTemplate(
    name="qwen3.5",
    source="qwen3_5_think.jinja",
    eos="<|im_end|>",
    control=QWEN2_5_VL.control,
    visible=_THINK,
    shows_pictures=True,
)
QWEN3_5_TEXT = replace(QWEN3_5, name="qwen3.5-text", control=("<|im_start|>",), shows_pictures=False)
GEMMA4 = ChatTemplate(
    name="gemma4",
    source="gemma4_v5.jinja",
    eos="<turn|>",
    bos="<bos>",
    control=("<|turn>", "<|channel>", "<channel|>", "<|think|>"),
)

CHAT_TEMPLATES: dict[str, ChatTemplate] = {
    template.name: template
    for template in (
        MINIMAL,
        QWEN2_5,
        R1_DISTILL,
        LLAMA3,
        QWEN2_5_VL,
        INTERNVL,
        QWEN3,
        QWEN3_VL,
        QWEN3_5,
        QWEN3_5_TEXT,
        GEMMA4,
    )
}
"""By name."""


def find_chat_template(name: str) -> ChatTemplate:
    """The template ``name``.

    Raises:
        UserError: it is unknown; the message lists the known ones.
    """
    if (template := CHAT_TEMPLATES.get(name)) is None:
        raise UserError(
            f"unknown chat template {name!r}{did_you_mean(name, CHAT_TEMPLATES)}: {', '.join(CHAT_TEMPLATES)} are known"
        )
    return template
