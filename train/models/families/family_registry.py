"""The registry of model families: another one is a file like :mod:`train.models.families.llama`, and a line here."""

from __future__ import annotations

from transformers import PreTrainedConfig

from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from train.models.families.internvl import INTERNVL
from train.models.families.llama import LLAMA
from train.models.families.model_family import ModelFamily
from train.models.families.qwen2 import QWEN2
from train.models.families.qwen2_5_vl import QWEN2_5_VL

MODEL_FAMILIES: dict[str, ModelFamily] = {
    family.model_type: family
    for family in (
        QWEN2,
        LLAMA,
        QWEN2_5_VL,
        INTERNVL,
    )
}
"""By ``model_type``."""


def find_family(model_type: str) -> ModelFamily:
    """The family of models of ``model_type``.

    Raises:
        UserError: it is unknown; the message lists the known ones.
    """
    if (family := MODEL_FAMILIES.get(model_type)) is None:
        raise UserError(
            f"unknown architecture {model_type!r}{did_you_mean(model_type, MODEL_FAMILIES)}: "
            f"{', '.join(MODEL_FAMILIES)} are known"
        )
    return family


def family_of(config: PreTrainedConfig, place: str) -> ModelFamily:
    """The family of a model with ``config``; ``place`` (its folder) begins the message of a fault.

    Raises:
        UserError: the family is unknown, or known only with another type of language model.
    """
    try:
        family = find_family(config.model_type)
    except UserError as error:
        raise UserError(f"{place}: {error}") from None
    text, expected = config.get_text_config().model_type, family.language_model_type
    if expected is not None and text != expected:
        raise UserError(
            f"{place}: {config.model_type} with a language model of type {text} is unknown, only with {expected}"
        )
    return family
