"""The registry of model families: another one is a file like :mod:`train.models.families.llama`, and a line here."""

from __future__ import annotations

from transformers import PreTrainedConfig

from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from train.models.families.gemma4 import GEMMA4_TEXT
from train.models.families.internvl import INTERNVL, INTERNVL3_5
from train.models.families.llama import LLAMA
from train.models.families.model_family import ModelFamily
from train.models.families.qwen2 import QWEN2
from train.models.families.qwen2_5_vl import QWEN2_5_VL
from train.models.families.qwen3 import QWEN3
from train.models.families.qwen3_5 import QWEN3_5, QWEN3_5_TEXT
from train.models.families.qwen3_vl import QWEN3_VL

MODEL_FAMILIES: dict[str, ModelFamily] = {
    family.arch: family
    for family in (
        QWEN2,
        LLAMA,
        QWEN2_5_VL,
        INTERNVL,
        INTERNVL3_5,
        QWEN3,
        QWEN3_VL,
        QWEN3_5_TEXT,
        QWEN3_5,
        GEMMA4_TEXT,
    )
}
"""By :attr:`~train.models.families.model_family.ModelFamily.arch`."""


def find_family(arch: str) -> ModelFamily:
    """The family that ``srt init-model`` calls ``arch``.

    Raises:
        UserError: it is unknown; the message lists the known ones.
    """
    if (family := MODEL_FAMILIES.get(arch)) is None:
        raise UserError(
            f"unknown architecture {arch!r}{did_you_mean(arch, MODEL_FAMILIES)}: {', '.join(MODEL_FAMILIES)} are known"
        )
    return family


def family_of(config: PreTrainedConfig, place: str) -> ModelFamily:
    """The family of a model with ``config``; ``place`` (its folder) begins the message of a fault.

    Raises:
        UserError: the family is unknown, or known only with other types of language model.
    """
    alike = [family for family in MODEL_FAMILIES.values() if family.model_type == config.model_type]
    text = config.get_text_config().model_type
    for family in alike:
        if family.language_model_type in (None, text):
            return family
    if alike:
        known = " or ".join(str(family.language_model_type) for family in alike)
        raise UserError(
            f"{place}: {config.model_type} with a language model of type {text} is unknown, only with {known}"
        )
    try:
        return find_family(config.model_type)
    except UserError as error:
        raise UserError(f"{place}: {error}") from None
