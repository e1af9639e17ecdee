"""Tokenizer, processor and model from a folder: what is read, in which type it is held, and what of it is trained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import torch
from safetensors import SafetensorError, safe_open
from transformers import (
    AutoConfig,
    AutoProcessor,
    AutoTokenizer,
    BitsAndBytesConfig,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    ProcessorMixin,
    set_seed,
)
from transformers.integrations import is_deepspeed_zero3_enabled

from srt.errors import UserError
from train.architectures import Architecture, PartName, architecture_of
from train.attention import choose_attention, set_attention
from train.recipe import Recipe

_NOT_ADAPTED = ("lm_head", "embed_tokens")


def load_tokenizer(path: str) -> PreTrainedTokenizerBase:
    """The tokenizer in the folder ``path``; nothing is fetched, and no code of the folder runs.

    Raises:
        UserError: there is none that transformers reads by itself.
    """
    try:
        tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # transformers looks little at what is in a folder before it uses it
        raise UserError(f"model.path: {path}: no tokenizer can be loaded: {_one_line(error)}") from None
    if tokenizer.encode("a", add_special_tokens=False) == []:
        # Without a file of a tokenizer transformers makes an empty one, by the name of the architecture.
        raise UserError(f"model.path: {path}: no tokenizer in it, or one that knows no word")
    return tokenizer


def load_processor(path: str) -> ProcessorMixin:
    """Tokenizer and image processor of the vision model in the folder ``path``.

    Raises:
        UserError: there is none that transformers reads by itself.
    """
    try:
        processor = AutoProcessor.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # as above
        raise UserError(f"model.path: {path}: no processor can be loaded: {_one_line(error)}") from None
    if not isinstance(processor, ProcessorMixin):
        raise UserError(f"model.path: {path}: holds a tokenizer, and no processor of pictures")
    return processor


def load_architecture(path: str) -> Architecture:
    """The architecture of the model in the folder ``path``.

    Raises:
        UserError: no configuration, one that asks for code of its own, or an unknown architecture.
    """
    return architecture_of(read_config(path), f"model.path: {path}")


def load_model(recipe: Recipe) -> PreTrainedModel:
    """The model to start from, with its adapters, ready to be trained: frozen parameters need no gradient.

    In which type parameters are held is told at :class:`~train.recipe.ModelSpec`. Under DeepSpeed's ZeRO-3 with
    ``bfloat16`` all are held in bfloat16, for DeepSpeed keeps its own float32 copies of what it trains.

    Raises:
        UserError: all that is wrong between the recipe and the model folder, at once.
    """
    if faults := model_faults(recipe):
        raise UserError("; ".join(faults))
    architecture = load_architecture(recipe.model.path)
    model = load_weights(
        recipe.model.path,
        architecture,
        _loaded_in(recipe, architecture),
        quantization_config=_quantization(recipe, architecture),
    )
    set_attention(model, choose_attention(recipe, model.config))
    return _make_trainable(model, recipe, architecture)


def load_weights(path: str, architecture: Architecture, dtype: torch.dtype, **how: Any) -> PreTrainedModel:
    """The model in the folder ``path`` as it is, in safetensors; ``how`` goes to ``from_pretrained``.

    Raises:
        UserError: transformers cannot load it, or the files do not hold all of it.
    """
    model: PreTrainedModel
    try:
        model, info = architecture.auto_class.from_pretrained(  # type: ignore[attr-defined]
            path,
            dtype=dtype,
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
            **how,
        )
    except (OSError, ValueError, ImportError, RuntimeError, SafetensorError) as error:
        raise UserError(f"model.path: {path}: cannot be loaded: {_one_line(error)}") from None
    if missing := sorted(info["missing_keys"]):
        # transformers makes up random ones, with a warning at most.
        raise UserError(
            f"model.path: {path}: {len(missing)} weights of the model that config.json describes are in none of its "
            f"files, as {missing[0]}"
        )
    _forget_unused_renamings(model)
    return model


def empty_model(recipe: Recipe) -> PreTrainedModel:
    """The same model without weights, on the ``meta`` device: to count parameters, and to look at names and shapes.

    Nothing is quantized in it. Raises what :func:`load_model` raises of the folder, save for missing weights.
    """
    architecture = load_architecture(recipe.model.path)
    model = _skeleton(recipe.model.path, architecture, _loaded_in(recipe, architecture))
    return _make_trainable(model, recipe, architecture)


def model_faults(recipe: Recipe) -> list[str]:
    """All that is wrong with the model folder, and all that the recipe asks of this model and that it cannot do."""
    path = recipe.model.path
    try:
        architecture = load_architecture(path)
    except UserError as error:
        return [str(error)]
    faults = weight_faults(Path(path))
    try:
        choose_attention(recipe, read_config(path))
    except UserError as error:
        faults.append(str(error))
    policies = architecture.policies(recipe)
    if not any(policy != "frozen" for policy in policies.values()):
        kept = ", ".join(policies)
        faults.append(f"tune: nothing is trained: {path} has the parts {kept}, and all of them are frozen")
    adapted = [part for part, policy in policies.items() if policy == "lora"]
    if recipe.lora and not adapted:
        faults.append(f"lora: no part of {path} ({', '.join(policies)}) is trained with it; set tune.language: lora")
    if adapted and policies["language"] == "full":
        faults.append(
            f"tune: language full beside lora on {' and '.join(adapted)} cannot be kept in one adapter; "
            "train these full too, or language with lora"
        )
    if recipe.lora and recipe.lora.targets:
        faults += _target_faults(recipe.lora.targets, path, architecture)
    return faults


def _target_faults(targets: tuple[str, ...], path: str, architecture: Architecture) -> list[str]:
    faults = []
    if heads := [target for target in targets if target.rpartition(".")[2] in _NOT_ADAPTED]:
        faults.append(
            f"lora.targets: {', '.join(heads)}: LoRA on embeddings or the head is not supported, "
            "and the markers of a trace are plain text that needs none"
        )
    part = architecture.parts["language"]
    names = {
        name.rpartition(".")[2]
        for name, module in _skeleton(path, architecture, torch.bfloat16).named_modules()
        if isinstance(module, torch.nn.Linear) and name.startswith(part.layers)
    }
    if missing := [target for target in targets if target not in names and target not in heads]:
        faults.append(
            f"lora.targets: no module of {path} is named {', '.join(missing)}; "
            f"its language model has {', '.join(sorted(names))}"
        )
    return faults


def read_config(path: str) -> PreTrainedConfig:
    """The configuration of the model in the folder ``path``.

    Raises:
        UserError: there is none, it asks for code of its own, or transformers does not know it.
    """
    place = f"model.path: {path}"
    try:
        raw = json.loads((Path(path) / "config.json").read_bytes())
    except OSError as error:
        raise UserError(f"{place}: config.json cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{place}: config.json is not JSON: {_one_line(error)}") from None
    if not isinstance(raw, dict):
        raise UserError(f"{place}: config.json: a mapping was expected")
    if "auto_map" in raw:
        raise UserError(
            f"{place}: config.json asks for code of its own (auto_map), which is never run; "
            "take the form of the model that transformers reads itself (of InternVL3, the folders named ...-hf)"
        )
    try:
        config: PreTrainedConfig = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # values of a wrong kind fail in as many ways as there are configurations
        raise UserError(f"{place}: config.json cannot be used: {_one_line(error)}") from None
    return config


def weight_faults(folder: Path) -> list[str]:
    """What of the weights is not there in safetensors, the only form that is read: a pickle can run code."""
    index = folder / "model.safetensors.index.json"
    if (folder / "model.safetensors").is_file():
        return _unreadable(folder, ["model.safetensors"])
    if index.is_file():
        try:
            named = set(json.loads(index.read_bytes())["weight_map"].values())
        except (ValueError, KeyError, AttributeError, TypeError):
            return [f"model.path: {index}: not an index of safetensors files"]
        missing = sorted(name for name in named if not (folder / name).is_file())
        if missing:
            return [f"model.path: {folder}: {len(missing)} of {len(named)} weight files are missing, as {missing[0]}"]
        return _unreadable(folder, sorted(named))
    if pickled := sorted(file.name for pattern in ("*.bin", "*.pt", "*.pth") for file in folder.glob(pattern)):
        return [
            f"model.path: {folder}: the weights are pickled ({pickled[0]}), which can run code: "
            "only safetensors are read; save the model again with safe_serialization"
        ]
    return [f"model.path: {folder}: no model.safetensors and no model.safetensors.index.json"]


def _unreadable(folder: Path, names: list[str]) -> list[str]:
    """A line for each file whose header is none or tells of more bytes than there are, as after a broken download."""
    faults = []
    for name in names:
        try:
            with safe_open(folder / name, framework="pt"):
                pass
        except (SafetensorError, OSError) as error:
            faults.append(f"model.path: {folder / name}: not whole, or not safetensors: {_one_line(error)}")
    return faults


def _forget_unused_renamings(model: Any) -> None:
    """transformers renames weights as it loads them, and back as it saves them.

    Under ZeRO-3 it keeps renamings that matched no weight, and would save a Qwen2.5-VL under names that nobody reads.
    """
    if (renamings := getattr(model, "_weight_conversions", None)) is not None:
        model._weight_conversions = [renaming for renaming in renamings if renaming.was_used()]


def _skeleton(path: str, architecture: Architecture, dtype: torch.dtype) -> PreTrainedModel:
    with torch.device("meta"):
        model = architecture.auto_class.from_config(  # type: ignore[attr-defined]
            read_config(path), dtype=dtype, trust_remote_code=False
        )
    return cast("PreTrainedModel", model)


def _loaded_in(recipe: Recipe, architecture: Architecture) -> torch.dtype:
    """The type that weights are read in: that of the language model, which is most of a model."""
    trained = architecture.policies(recipe)["language"] == "full" and not is_deepspeed_zero3_enabled()
    return torch.float32 if trained or recipe.model.dtype == "float32" else torch.bfloat16


def _quantization(recipe: Recipe, architecture: Architecture) -> BitsAndBytesConfig | None:
    if recipe.model.quantize is None:
        return None
    dtype = torch.bfloat16 if recipe.model.dtype == "bfloat16" else torch.float32
    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        # The default is float32, whatever the rest of the model is in.
        bnb_4bit_compute_dtype=dtype,
        # FSDP2 shards parameters of a floating type only, and of one type in a group: the 4-bit values travel in it.
        bnb_4bit_quant_storage=dtype,
        # The head is read by the fused loss as a plain matrix, and shares the embeddings' memory where they are tied.
        # Vision tower and projector are a twelfth of Qwen2.5-VL-7B: little memory would be saved.
        llm_int8_skip_modules=[
            "lm_head",
            *(module for name, part in architecture.parts.items() if name != "language" for module in part.modules),
        ],
    )


def _make_trainable(model: PreTrainedModel, recipe: Recipe, architecture: Architecture) -> PreTrainedModel:
    """Freeze and unfreeze each part, add the adapters, and hold what is trained in float32."""
    policies = architecture.policies(recipe)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(policies[architecture.part_of(name)] == "full")
    if "lora" in policies.values():
        model = _with_adapters(model, recipe, architecture)
    held = torch.bfloat16 if recipe.model.dtype == "bfloat16" else torch.float32
    # ZeRO-3 gathers parameters into one buffer, of one type; what it has split already was loaded in that.
    trained = held if is_deepspeed_zero3_enabled() else torch.float32
    for parameter in model.parameters():
        if parameter.is_floating_point() and not hasattr(parameter, "quant_state") and not hasattr(parameter, "ds_id"):
            parameter.data = parameter.data.to(trained if parameter.requires_grad else held)
    return model


def _with_adapters(model: PreTrainedModel, recipe: Recipe, architecture: Architecture) -> PreTrainedModel:
    # A second to import, and full fine-tuning does not need it.
    from peft import LoraConfig, get_peft_model
    from peft.utils import ModulesToSaveWrapper

    assert recipe.lora is not None
    policies = architecture.policies(recipe)
    adapted: list[PartName] = [part for part, policy in policies.items() if policy == "lora"]
    whole = [
        path for part, policy in policies.items() if policy == "full" for path in _modules_of(model, part, architecture)
    ]
    config = LoraConfig(
        r=recipe.lora.r,
        lora_alpha=recipe.lora.alpha,
        lora_dropout=recipe.lora.dropout,
        use_dora=recipe.lora.dora,
        target_modules=architecture.lora_pattern(adapted, recipe.lora.targets),
        # PEFT saves, resumes and merges these with the adapter, also where parameters are sharded.
        modules_to_save=whole or None,
        task_type="CAUSAL_LM",
    )
    set_seed(recipe.seed)
    on_meta = next(model.parameters()).is_meta
    wrapped = get_peft_model(model, config, low_cpu_mem_usage=on_meta)
    for module in wrapped.modules():
        if isinstance(module, ModulesToSaveWrapper):
            # What it was before, for those who switch the adapter off: a second vision tower in memory.
            module.original_module = torch.nn.Identity()
    if recipe.model.quantize:
        # SFTTrainer casts all that is trained to bfloat16 where it sees this mark, parts that are trained in full too.
        wrapped.is_loaded_in_4bit = False
    return cast("PreTrainedModel", wrapped)


def _modules_of(model: PreTrainedModel, name: PartName, architecture: Architecture) -> list[str]:
    """Paths of modules that have all parameters of a part, and of no other part: layers one by one, the rest whole."""
    part = architecture.parts[name]
    borders = [*part.layers, *(m for other, p in architecture.parts.items() if other != name for m in p.modules)]

    def walk(path: str) -> list[str]:
        module = model.get_submodule(path)
        if next(module.parameters(), None) is None or architecture.part_of(path) != name:
            return []
        if path in part.layers or any(border.startswith(f"{path}.") for border in borders):
            return [found for child, _ in module.named_children() for found in walk(f"{path}.{child}")]
        return [path]

    return [found for path in part.modules for found in walk(path)]


def _one_line(error: Any) -> str:
    return " ".join(str(error).split())
