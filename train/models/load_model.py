"""The model to train: the dtype of each parameter, which parts are frozen, and the adapters."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import torch
from transformers import BitsAndBytesConfig, PreTrainedModel, set_seed
from transformers.integrations import is_deepspeed_zero3_enabled

from srt.io.errors import UserError
from train.models.attention import choose_attention, set_attention
from train.models.checkpointing import checkpoint_layers
from train.models.families.model_family import ModelFamily
from train.models.liger import liger_fault, use_liger_kernels
from train.models.model_files import (
    load_family,
    load_weights,
    read_config,
    tensor_faults,
    weight_faults,
    without_weights,
)
from train.models.packed_attention import keep_row_bounds_from
from train.recipe import PartName, Recipe

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
_NOT_ADAPTED = ("lm_head", "embed_tokens")


def load_model(recipe: Recipe) -> PreTrainedModel:
    """The model to start from, with its adapters, ready for training: frozen parameters require no gradient.

    :class:`~train.recipe.ModelSpec` says in which dtype parameters are stored. Under DeepSpeed's ZeRO-3 with
    ``bfloat16`` all are stored in bfloat16, because DeepSpeed keeps its own float32 copies of what it trains.

    Raises:
        UserError: everything that is wrong between the recipe and the model folder, at once.
    """
    if faults := model_faults(recipe):
        raise UserError("; ".join(faults))
    family = load_family(recipe.model.path)
    model = load_weights(
        recipe.model.path, family, _loading_dtype(recipe, family), quantization_config=_quantization(recipe, family)
    )
    set_attention(model, choose_attention(recipe, model.config))
    # What FSDP shards one by one. A text model of transformers may name layers of a vision tower that it does not have.
    model._no_split_modules = list(family.blocks)
    if recipe.model.liger:
        use_liger_kernels(model, family)
    if family.reads_pictures:
        keep_row_bounds_from(family.backbone(model, "vision"))
    model = _make_trainable(model, recipe, family)
    if recipe.gradient_checkpointing:
        checkpoint_layers(model, family, recipe)
    return model


def load_reference(recipe: Recipe) -> PreTrainedModel:
    """The model to start from as it is, frozen: what an objective compares the trained one with."""
    family = load_family(recipe.model.path)
    model = load_weights(recipe.model.path, family, _DTYPES[recipe.model.dtype])
    set_attention(model, choose_attention(recipe, model.config))
    if recipe.model.liger:
        use_liger_kernels(model, family)
    return model.requires_grad_(False).eval()


def model_without_weights(recipe: Recipe) -> PreTrainedModel:
    """The same model on the ``meta`` device, to count parameters and to look at names and shapes. It is not quantized.

    Raises:
        UserError: as :func:`load_model`, except for missing weights.
    """
    family = load_family(recipe.model.path)
    return _make_trainable(without_weights(recipe.model.path, family, _loading_dtype(recipe, family)), recipe, family)


def model_faults(recipe: Recipe) -> list[str]:
    """Everything that is wrong with the model folder, and everything in the recipe that this model cannot do."""
    path = recipe.model.path
    try:
        family = load_family(path)
    except UserError as error:
        return [str(error)]
    faults = weight_faults(Path(path)) or tensor_faults(path, family)
    if recipe.model.liger and (fault := liger_fault(family)):
        faults.append(f"model.liger: {fault}")
    if recipe.optimizer.startswith("paged") and not torch.cuda.is_available():
        plain = recipe.optimizer.removeprefix("paged_")
        faults.append(f"optimizer: {recipe.optimizer}: its pages are of a GPU, and there is none; use {plain}")
    try:
        choose_attention(recipe, read_config(path))
    except UserError as error:
        faults.append(str(error))
    if recipe.objective.dpo is not None and family.reads_pictures:
        faults.append(f"objective: dpo: {path} reads pictures, and pairs are of text; use a text model")
    policies = family.policies(recipe)
    parts = ", ".join(policies)
    if all(policy == "frozen" for policy in policies.values()):
        faults.append(f"trainable: nothing is trained: all parts of {path} ({parts}) are frozen")
    adapted = [part for part, policy in policies.items() if policy == "lora"]
    if recipe.lora and not adapted:
        faults.append(f"lora: no part of {path} ({parts}) is trained with it; set trainable.language: lora")
    if adapted and policies["language"] == "full":
        faults.append(
            f"trainable: language full with lora on {' and '.join(adapted)} cannot be saved in one adapter; "
            "train these in full too, or language with lora"
        )
    if recipe.lora and recipe.lora.targets:
        faults += _target_faults(recipe.lora.targets, path, family)
    return faults


def _target_faults(targets: tuple[str, ...], path: str, family: ModelFamily) -> list[str]:
    faults = []
    if heads := [target for target in targets if target.rpartition(".")[2] in _NOT_ADAPTED]:
        faults.append(
            f"lora.targets: {', '.join(heads)}: LoRA on embeddings or the head is not supported; "
            "the markers of a trace are plain text and do not need it"
        )
    layers = family.parts["language"].layers
    names = {
        name.rpartition(".")[2]
        for name, module in without_weights(path, family, torch.bfloat16).named_modules()
        if isinstance(module, torch.nn.Linear) and name.startswith(layers)
    }
    if missing := [target for target in targets if target not in names and target not in heads]:
        faults.append(
            f"lora.targets: no module of {path} is named {', '.join(missing)}; "
            f"its language model has {', '.join(sorted(names))}"
        )
    return faults


def _loading_dtype(recipe: Recipe, family: ModelFamily) -> torch.dtype:
    """The dtype that weights are loaded in: that of the language model, which is most of a model."""
    trained = family.policies(recipe)["language"] == "full" and not is_deepspeed_zero3_enabled()
    return torch.float32 if trained else _DTYPES[recipe.model.dtype]


def _quantization(recipe: Recipe, family: ModelFamily) -> BitsAndBytesConfig | None:
    if recipe.model.quantize is None:
        return None
    dtype = _DTYPES[recipe.model.dtype]
    others = [part for name, part in family.parts.items() if name != "language"]
    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        # The default is float32, whatever the dtype of the model.
        bnb_4bit_compute_dtype=dtype,
        # FSDP2 shards only floating-point parameters, of one dtype in a group: the 4-bit values are stored in it.
        bnb_4bit_quant_storage=dtype,
        # The fused loss reads the head as a plain matrix, and a tied head shares memory with the embeddings. Vision
        # tower and projector are a twelfth of Qwen2.5-VL-7B: quantizing them would save little memory.
        llm_int8_skip_modules=["lm_head", *(module for part in others for module in part.modules)],
    )


def _make_trainable(model: PreTrainedModel, recipe: Recipe, family: ModelFamily) -> PreTrainedModel:
    """Freeze and unfreeze each part, add the adapters, and store what is trained in float32."""
    policies = family.policies(recipe)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(policies[family.part_of(name)] == "full")
    if "lora" in policies.values():
        model = _add_adapters(model, recipe, family)
    frozen = _DTYPES[recipe.model.dtype]
    # ZeRO-3 gathers parameters into one buffer of one dtype; what it has already split was loaded in that dtype.
    trained = frozen if is_deepspeed_zero3_enabled() else torch.float32
    for parameter in model.parameters():
        # The 4-bit values of bitsandbytes are stored as numbers of another type, and a cast would read them as such.
        if parameter.is_floating_point() and not hasattr(parameter, "quant_state") and not hasattr(parameter, "ds_id"):
            parameter.data = parameter.data.to(trained if parameter.requires_grad else frozen)
    return model


def _add_adapters(model: PreTrainedModel, recipe: Recipe, family: ModelFamily) -> PreTrainedModel:
    # PEFT takes a second to import, and full fine-tuning does not need it.
    from peft import LoraConfig, get_peft_model
    from peft.tuners.tuners_utils import BaseTunerLayer
    from peft.utils import ModulesToSaveWrapper

    assert recipe.lora is not None
    policies = family.policies(recipe)
    adapted = [part for part, policy in policies.items() if policy == "lora"]
    full = [part for part, policy in policies.items() if policy == "full"]
    on_meta = next(model.parameters()).is_meta
    # The fast SVD of PiSSA: PEFT's "pissa" decomposes every matrix whole, for an hour in a 7B model.
    first = {None: True, "pissa": "pissa_niter_16", "olora": "olora"}[None if on_meta else recipe.lora.init]
    config = LoraConfig(
        r=recipe.lora.r,
        lora_alpha=recipe.lora.alpha,
        lora_dropout=recipe.lora.dropout,
        use_dora=recipe.lora.dora,
        use_rslora=recipe.lora.rslora,
        init_lora_weights=first,
        target_modules=family.lora_pattern(adapted, recipe.lora.targets),
        # PEFT saves, resumes and merges these with the adapter, also if parameters are sharded.
        modules_to_save=[path for part in full for path in _modules_of(model, part, family)] or None,
        task_type="CAUSAL_LM",
    )
    # The adapters' first weights are random. Seeded here, they do not depend on what was drawn while the model was
    # loaded.
    set_seed(recipe.seed)
    # Otherwise PEFT would put adapters with real weights into a model without any.
    wrapped = get_peft_model(model, config, low_cpu_mem_usage=on_meta)
    for module in wrapped.modules():
        if isinstance(module, ModulesToSaveWrapper):
            # PEFT keeps the original for runs without the adapter, which would be a second vision tower in memory.
            module.original_module = torch.nn.Identity()
    if not recipe.lora.dora:
        # PEFT widens the input of each adapter to float32, the type of its weights, and autocast narrows it again: two
        # copies of every input for nothing. DoRA takes the norm of a weight in the type of its input.
        for module in wrapped.modules():
            if isinstance(module, BaseTunerLayer):
                module.cast_input_dtype_enabled = False
    if recipe.model.quantize:
        # If this is set, SFTTrainer casts everything that is trained to bfloat16, even parts that are trained in full.
        wrapped.is_loaded_in_4bit = False
    return cast("PreTrainedModel", wrapped)


def _modules_of(model: PreTrainedModel, name: PartName, family: ModelFamily) -> list[str]:
    """Paths of modules that together have all parameters of a part and no others: each layer, and the rest whole."""
    part = family.parts[name]
    # A module that contains layers, or a module of another part, is taken apart; any other is taken whole.
    borders = [*part.layers, *(m for other, p in family.parts.items() if other != name for m in p.modules)]

    def walk(path: str) -> list[str]:
        module = model.get_submodule(path)
        if next(module.parameters(), None) is None or family.part_of(path) != name:
            return []
        if path in part.layers or any(border.startswith(f"{path}.") for border in borders):
            return [found for child, _ in module.named_children() for found in walk(f"{path}.{child}")]
        return [path]

    return [found for path in part.modules for found in walk(path)]
