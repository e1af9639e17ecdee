"""``chat_template_kwargs``: what a recipe tells a chat template beside the messages, as ``{enable_thinking: false}``.

Training and evaluation have the key and check it alike. A template ignores names that it does not know, so these are
refused when a prompt is rendered (:mod:`srt.language.template_check`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import AfterValidator

Scalar = bool | int | float | str

TemplateKwargs = Mapping[str, Scalar]

NO_KWARGS: TemplateKwargs = MappingProxyType({})

RESERVED = frozenset(
    {
        "messages",
        "conversation",
        "tools",
        "documents",
        "chat_template",
        "add_generation_prompt",
        "continue_final_message",
        "tokenize",
        "padding",
        "truncation",
        "max_length",
        "return_tensors",
        "return_dict",
        "return_assistant_tokens_mask",
        "tokenizer_kwargs",
    }
)
"""Arguments of ``apply_chat_template`` that never reach the template, or that we set."""


def _check(given: dict[str, Scalar]) -> dict[str, Scalar]:
    for name in given:
        if name in RESERVED:
            raise ValueError(f"{name}: is set by us, and is no switch of a template; leave it out")
        if not name.isidentifier():
            raise ValueError(f"{name!r}: the name of a variable of the template was expected, as in enable_thinking")
    return given


CheckedKwargs = Annotated[dict[str, Scalar], AfterValidator(_check)]
"""The type of the key in a recipe: names of variables, and plain values."""
