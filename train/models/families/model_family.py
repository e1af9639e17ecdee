"""What training must know about a family of models: its parts, how it is loaded, and how a small one is made."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from train.models.chat_templates import ChatTemplate
from train.models.families.packing_needs import BY_ATTENTION, Packing
from train.models.families.positions import Positions, one_per_token
from train.recipe import PartName, PartPolicy, Recipe

SmallModel = Callable[[dict[str, Any], PreTrainedTokenizerFast], tuple[PreTrainedModel, Any]]
"""Makes a model with random weights, and what turns text and pictures into its input (tokenizer or processor).

The first argument is the shape of the language model: keys of a Llama or Qwen2 config.
"""


class Part(NamedTuple):
    """One part of a model.

    Attributes:
        modules: the paths of its modules, first the one that holds the layers. A parameter belongs to the part with the
            longest matching path.
        layers: the paths of its lists of layers; LoRA changes nothing else of the part. Empty if the part consists of
            a few single modules.
        targets: what LoRA changes: paths of linear modules within a layer, or within the module of a part without
            layers. They are spelt out because a vision tower and a language model share names (``gate_proj``,
            ``q_proj``): PEFT's ``all-linear`` would reach both.
    """

    modules: tuple[str, ...]
    layers: tuple[str, ...]
    targets: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ModelFamily:
    """One ``model_type`` of transformers, where one type has several language models with one of these.

    Attributes:
        auto_class: the class of transformers that loads it with a language-model head.
        parts: its parts; a model that reads pictures has ``vision`` and ``projector``.
        blocks: the class names of its layers, which FSDP shards one by one.
        chat_template: the template of a new small model, if no other is asked for.
        small_model: makes a small model for ``srt init-model``.
        tokenizer_splits_as_qwen: transformers gives a model of this type the pre-tokenizer of Qwen2, whatever its
            ``tokenizer.json`` says.
        name: what ``srt init-model`` calls it, if not by its ``model_type``.
        language_model_type: the ``model_type`` that its language model must have, if others exist.
        positions: the position ids that it takes.
        packing: what a packed row needs.
        windowed_vision: the vision tower attends within many small windows.
        liger: Liger's norm, SwiGLU and rotary positions are those of its language model.
    """

    model_type: str
    auto_class: type
    parts: Mapping[PartName, Part]
    blocks: tuple[str, ...]
    chat_template: ChatTemplate
    small_model: SmallModel
    tokenizer_splits_as_qwen: bool = False
    name: str | None = None
    language_model_type: str | None = None
    positions: Positions = one_per_token
    packing: Packing = BY_ATTENTION
    windowed_vision: bool = False
    liger: bool = True

    @property
    def arch(self) -> str:
        """What ``srt init-model`` calls it."""
        return self.name or self.model_type

    @property
    def reads_pictures(self) -> bool:
        """Whether it is trained on pictures. A vision tower alone is not enough."""
        return self.chat_template.shows_pictures

    def backbone(self, model: Any, part: PartName) -> Any:
        """The module of ``model`` that holds the layers of ``part``, inside PEFT's wrapper if there is one."""
        base = model.get_base_model() if hasattr(model, "get_base_model") else model
        return base.get_submodule(self.parts[part].modules[0])

    def part_of(self, path: str) -> PartName:
        """The part that the module or parameter with the dotted ``path`` belongs to."""
        matches = [
            (len(module), name)
            for name, part in self.parts.items()
            for module in part.modules
            if f"{path}.".startswith(f"{module}.")
        ]
        if not matches:
            raise ValueError(f"{path}: in no part of {self.model_type}")
        return max(matches)[1]

    def policies(self, recipe: Recipe) -> dict[PartName, PartPolicy]:
        """How each of its parts is trained."""
        return {part: policy for part, policy in recipe.policies().items() if part in self.parts}

    def lora_pattern(self, parts: list[PartName], language_targets: tuple[str, ...] | None = None) -> str:
        """A regular expression that matches exactly the full paths of the modules that LoRA changes in ``parts``.

        ``language_targets`` (last names of modules) replace the default targets of the language model.
        """
        patterns = []
        for name in parts:
            part = self.parts[name]
            if name == "language" and language_targets is not None:
                targets = r"(?:\w+\.)*(?:" + "|".join(map(re.escape, language_targets)) + ")"
            else:
                targets = "(?:" + "|".join(map(re.escape, part.targets)) + ")"
            within = [re.escape(layers) + r"\.\d+" for layers in part.layers] or [
                re.escape(module) + r"(?:\.\d+)?" for module in part.modules
            ]
            patterns.append(f"(?:{'|'.join(within)})\\.{targets}")
        return "|".join(f"(?:{pattern})" for pattern in patterns)


def decoder(path: str, further_targets: tuple[str, ...] = ()) -> Part:
    """The language model at ``path``, with the seven matrices of each layer of Llama, Qwen2 and their relatives.

    ``further_targets`` are those of layers of another kind.
    """
    return Part(
        modules=(path, "lm_head"),
        layers=(f"{path}.layers",),
        targets=(
            *(f"self_attn.{name}" for name in ("q_proj", "k_proj", "v_proj", "o_proj")),
            *(f"mlp.{name}" for name in ("gate_proj", "up_proj", "down_proj")),
            *further_targets,
        ),
    )
