"""The architectures that can be trained, and which modules of each are its vision tower, projector and language model.

LoRA targets are spelt out for each part: a vision tower and a language model share names (``gate_proj``, ``q_proj``),
and PEFT's ``all-linear`` reaches both. Another architecture is one more entry here.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, PreTrainedConfig

from srt.errors import UserError
from train.recipe import PartPolicy, Recipe

PartName = Literal["vision", "projector", "language"]


class Part(NamedTuple):
    """One part of a model.

    Attributes:
        modules: the paths of its modules. A parameter belongs to the part with the longest path that it begins with.
        layers: the paths of its lists of layers, which LoRA changes and nothing else of the part. Empty for a part that
            is a few single modules.
        targets: what LoRA changes: paths of linear modules within a layer, or within the part's one module if it has no
            layers.
    """

    modules: tuple[str, ...]
    layers: tuple[str, ...]
    targets: tuple[str, ...]


class Architecture(NamedTuple):
    """What training has to know of one ``model_type``.

    Attributes:
        auto_class: the class of transformers that loads it with the head of a language model.
        blocks: the class names of its layers, which FSDP shards one by one.
        positions: ``mrope`` if a token of a picture has a place in time, height and width (three rows of position ids
            besides that of the text), ``plain`` if every token has one place.
    """

    model_type: str
    auto_class: type
    parts: dict[PartName, Part]
    blocks: tuple[str, ...]
    positions: Literal["plain", "mrope"] = "plain"

    @property
    def reads_pictures(self) -> bool:
        """Whether it has a vision tower."""
        return "vision" in self.parts

    def part_of(self, path: str) -> PartName:
        """The part that the module or parameter with the dotted ``path`` belongs to."""
        owned = [
            (len(module), name)
            for name, part in self.parts.items()
            for module in part.modules
            if f"{path}.".startswith(f"{module}.")
        ]
        if not owned:
            raise ValueError(f"{path}: in no part of {self.model_type}")
        return max(owned)[1]

    def policies(self, recipe: Recipe) -> dict[PartName, PartPolicy]:
        """What is trained of each part that there is."""
        language = recipe.tune.language or ("lora" if recipe.lora else "full")
        chosen: dict[PartName, PartPolicy] = {
            "vision": recipe.tune.vision,
            "projector": recipe.tune.projector,
            "language": language,
        }
        return {name: chosen[name] for name in self.parts}

    def lora_pattern(self, parts: list[PartName], language_targets: tuple[str, ...] | None = None) -> str:
        """A regular expression that matches, in full, the paths of what LoRA changes in ``parts``, and no others.

        ``language_targets`` replace the usual ones of the language model: last names of modules in its layers.
        """
        patterns = []
        for name in parts:
            part = self.parts[name]
            if name == "language" and language_targets is not None:
                targets = r"(?:\w+\.)*(?:" + "|".join(map(re.escape, language_targets)) + ")"
            else:
                targets = "(?:" + "|".join(map(re.escape, part.targets)) + ")"
            within = [re.escape(layers) + r"\.\d+" for layers in part.layers] or list(map(re.escape, part.modules))
            patterns.append(f"(?:{'|'.join(within)})\\.{targets}")
        return "|".join(f"(?:{pattern})" for pattern in patterns)


def architecture_of(config: PreTrainedConfig, place: str) -> Architecture:
    """The architecture of a model with ``config``; ``place`` (its folder) opens the message of a fault.

    Raises:
        UserError: it is none that is known.
    """
    found = ARCHITECTURES.get(config.model_type)
    if found is None:
        raise UserError(
            f"{place}: the architecture {config.model_type} is not known; known are {known_architectures()}"
        )
    text = config.get_text_config().model_type
    if found.model_type == "internvl" and text != "qwen2":
        raise UserError(f"{place}: internvl with a language model of type {text} is not known, only with qwen2")
    return found


def known_architectures() -> str:
    """The known architectures, as a sentence lists them."""
    return ", ".join(ARCHITECTURES)


def _language(path: str) -> Part:
    """The decoder of the Llama family, which Qwen2 shares: the seven matrices of each layer."""
    return Part(
        modules=(path, "lm_head"),
        layers=(f"{path}.layers",),
        targets=(
            *(f"self_attn.{name}" for name in ("q_proj", "k_proj", "v_proj", "o_proj")),
            *(f"mlp.{name}" for name in ("gate_proj", "up_proj", "down_proj")),
        ),
    )


ARCHITECTURES: dict[str, Architecture] = {
    architecture.model_type: architecture
    for architecture in (
        # Qwen2.5 and DeepSeek-R1-Distill-Qwen.
        Architecture(
            model_type="qwen2",
            auto_class=AutoModelForCausalLM,
            parts={"language": _language("model")},
            blocks=("Qwen2DecoderLayer",),
        ),
        # Llama 3, DeepSeek-R1-Distill-Llama.
        Architecture(
            model_type="llama",
            auto_class=AutoModelForCausalLM,
            parts={"language": _language("model")},
            blocks=("LlamaDecoderLayer",),
        ),
        Architecture(
            model_type="qwen2_5_vl",
            auto_class=AutoModelForImageTextToText,
            parts={
                "vision": Part(
                    modules=("model.visual",),
                    layers=("model.visual.blocks",),
                    targets=("attn.qkv", "attn.proj", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"),
                ),
                "projector": Part(modules=("model.visual.merger",), layers=(), targets=("mlp.0", "mlp.2")),
                "language": _language("model.language_model"),
            },
            blocks=("Qwen2_5_VLDecoderLayer", "Qwen2_5_VLVisionBlock"),
            positions="mrope",
        ),
        # InternVL3 in the form that transformers reads itself (folders named ...-hf).
        Architecture(
            model_type="internvl",
            auto_class=AutoModelForImageTextToText,
            parts={
                "vision": Part(
                    modules=("model.vision_tower",),
                    layers=("model.vision_tower.encoder.layer",),
                    targets=(
                        *(f"attention.{name}" for name in ("q_proj", "k_proj", "v_proj", "projection_layer")),
                        "mlp.fc1",
                        "mlp.fc2",
                    ),
                ),
                "projector": Part(
                    modules=("model.multi_modal_projector",), layers=(), targets=("linear_1", "linear_2")
                ),
                "language": _language("model.language_model"),
            },
            blocks=("Qwen2DecoderLayer", "InternVLVisionLayer"),
        ),
    )
}
