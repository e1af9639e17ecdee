"""Keys of a recipe that contradict each other.

A rule that depends on a faulty key is left alone, since nobody knows what was meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from train.recipe import Recipe


def contradictions(recipe: Recipe, unknown: set[str]) -> list[str]:
    """The contradictions of ``recipe``, but for those that depend on a key of ``unknown`` (``lora``, ``lora.r``)."""
    return [fault for keys, fault in _broken_rules(recipe) if not depends_on(keys.split(), unknown)]


def depends_on(keys: Iterable[str], unknown: Iterable[str]) -> bool:
    """Whether one of ``keys`` (``lora.r``) is one of ``unknown``, or within one of them (``lora``)."""
    return any(key == lost or key.startswith(f"{lost}.") for key in keys for lost in unknown)


def _broken_rules(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """What is wrong with ``recipe``: the keys that a rule depends on, separated by spaces, and the fault."""
    if recipe.stages is None and recipe.mix is None and (recipe.steps is None) == (recipe.epochs is None):
        yield (
            "steps epochs stages mix",
            "steps, epochs: give one of them (a recipe that extends another may set the other to null)",
        )
    if recipe.stages is None and recipe.mix is None and recipe.data is None and recipe.objective.grpo is None:
        keys = "data stages mix objective.grpo"
        yield keys, "data: missing; it names the file of sequences to train on (or give stages, or a mix)"
    yield from _stages(recipe)
    yield from _mix(recipe)

    pack, micro = recipe.pack, recipe.micro_batch
    if pack is not None and micro is not None:
        fault = "pack, micro_batch: give one of them; with pack, the tokens decide how many rows a batch has"
        yield "pack micro_batch", fault
    if pack is not None and recipe.max_length > pack:
        fault = f"max_length: {recipe.max_length} tokens do not fit in a row of pack = {pack}; lower it or raise pack"
        yield "pack max_length", fault
    if micro is not None and pack is None and recipe.batch_size % micro:
        fault = f"batch_size: {recipe.batch_size} is not a multiple of micro_batch = {micro}"
        yield "batch_size micro_batch pack", fault

    if recipe.decay is not None and recipe.scheduler != "constant":
        fault = f"decay: scheduler: {recipe.scheduler} lowers the rate already; say constant, or remove decay"
        yield "decay scheduler", fault
    elif (steps := _steps(recipe)) and (long := recipe.schedule_fault(steps)):
        yield "decay warmup steps stages batch_size", long

    if recipe.other_arms and recipe.too_long != "drop":
        yield "other_arms too_long", "other_arms: only decide what is left out; say too_long: drop, or remove the key"

    quantize, lora = recipe.model.quantize, recipe.lora
    if quantize is not None and lora is None:
        fault = f"model.quantize: {quantize} holds frozen weights only; give a lora block to train beside them"
        yield "model.quantize lora", fault
    if quantize is not None and lora is not None and recipe.trainable.language == "full":
        fault = "trainable.language: full cannot be with model.quantize, whose 4-bit weights are not trained; say lora"
        yield "model.quantize lora trainable.language", fault

    policies = recipe.policies()
    yield from _optimizer(recipe)
    yield from _lora(recipe)
    if recipe.neftune is not None and pack is not None:
        fault = (
            "neftune, pack: give one of them; the noise is scaled by the length of a row, which holds many sequences"
        )
        yield "neftune pack", fault
    adapted = [f"trainable.{part}" for part, policy in policies.items() if policy == "lora"]
    parts = "lora trainable.vision trainable.projector trainable.language"
    if lora is None and adapted:
        yield parts, f"{' and '.join(adapted)}: lora, but there is no lora block; add lora: {{r: 16, alpha: 32}}"
    if lora is not None and not adapted:
        fault = "lora: no part of trainable is lora, so nothing would use it; remove it or set trainable.language: lora"
        yield parts, fault
    if lora is not None and lora.targets is not None and adapted and policies["language"] != "lora":
        fault = f"lora.targets: are of the language model, but trainable.language is {policies['language']}"
        yield "lora.targets trainable.language", fault
    if set(policies.values()) == {"frozen"}:
        yield parts, "trainable: every part is frozen, so nothing would be trained"

    low, high = recipe.pictures.min_pixels, recipe.pictures.max_pixels
    if low is not None and high is not None and low > high:
        fault = f"pictures.min_pixels: {low} is more than pictures.max_pixels = {high}"
        yield "pictures.min_pixels pictures.max_pixels", fault
    weights = recipe.loss.model_dump()
    if not any(weights.values()):
        yield " ".join(f"loss.{role}" for role in weights), "loss: every weight is 0, so nothing would be learned"

    yield from _watching(recipe)
    yield from _objective(recipe)
    yield from _dpo(recipe)


def _optimizer(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Rules of the optimizer and of how far its learning rate falls."""
    by_muon = recipe.optimizer == "muon"
    if by_muon and recipe.muon_learning_rate is None:
        fault = "muon_learning_rate: missing; it is the rate of optimizer: muon (0.02 suits small models from scratch)"
        yield "optimizer muon_learning_rate", fault
    if recipe.muon_learning_rate is not None and not by_muon:
        fault = f"muon_learning_rate: the optimizer is {recipe.optimizer}; say optimizer: muon, or remove the key"
        yield "optimizer muon_learning_rate", fault
    if by_muon and recipe.lora is not None:
        fault = "optimizer, lora: muon trains whole matrices, and adapters are parts of them; use another optimizer"
        yield "optimizer lora", fault
    if recipe.optimizer == "adafactor":
        for key in ("beta1", "beta2", "eps"):
            if getattr(recipe, key) != type(recipe).model_fields[key].default:
                yield f"optimizer {key}", f"{key}: is of AdamW, but optimizer is adafactor; remove it"
    low = recipe.min_learning_rate
    if low and low >= recipe.learning_rate:
        fault = f"min_learning_rate: {low:g} is not below learning_rate = {recipe.learning_rate:g}"
        yield "min_learning_rate learning_rate", fault
    if low and recipe.scheduler == "constant" and recipe.decay is None:
        fault = "min_learning_rate: scheduler: constant does not lower the rate; give decay, or remove the key"
        yield "min_learning_rate scheduler decay", fault


def _lora(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Rules of how an adapter begins and is trained."""
    lora = recipe.lora
    if lora is None:
        return
    if lora.init is not None and recipe.model.quantize is not None:
        fault = f"lora.init: {lora.init} changes the base weights, which model.quantize: nf4 rounds; remove one of them"
        yield "lora.init model.quantize", fault
    if lora.init is not None and lora.dora:
        yield "lora.init lora.dora", "lora.init, lora.dora: give one of them; they are not saved as a plain adapter"
    full = [f"trainable.{part}" for part, policy in recipe.policies().items() if policy == "full"]
    if lora.plus_ratio is not None and full:
        fault = f"lora.plus_ratio: {full[0]} is full, and LoRA+ would raise the rate of its vectors too; remove one"
        yield "lora.plus_ratio trainable", fault


def _steps(recipe: Recipe) -> int | None:
    """How long the run is, where the recipe alone says so: ``epochs`` depend on the data."""
    if recipe.stages is not None:
        return sum(stage.items for stage in recipe.stages) // recipe.batch_size
    return recipe.steps


def _stages(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Rules of a curriculum."""
    stages = recipe.stages or ()
    if recipe.stages == ():
        yield "stages", "stages: the list is empty; give each stage its name, data and items"
    for key, what in (("data", "sequences"), ("steps", "length"), ("epochs", "length")):
        if stages and getattr(recipe, key) is not None:
            yield f"stages {key}", f"stages, {key}: give one of them; each stage has its own {what} (set {key} to null)"
    if twice := [name for name, count in Counter(stage.name for stage in stages).items() if count > 1]:
        yield "stages", f"stages: two are named {twice[0]}; give each its own name"
    for stage in stages:
        if stage.items % recipe.batch_size:
            fault = f"stages: {stage.name}: items: {stage.items} is not a multiple of batch_size = {recipe.batch_size}"
            yield "stages batch_size", fault


def _mix(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Rules of a mix of files."""
    if recipe.mix is None:
        return
    if not recipe.mix:
        yield "mix", "mix: the list is empty; give each file its data and weight"
    for key in ("data", "stages"):
        if getattr(recipe, key) is not None:
            yield f"mix {key}", f"mix, {key}: give one of them; a mix names its own files (set {key} to null)"
    if recipe.epochs is not None:
        yield "mix epochs", "mix, epochs: its files end at different times; give steps instead (set epochs to null)"
    elif recipe.steps is None and recipe.stages is None:
        yield "mix steps", "steps: missing; a mix is trained on for so many steps"
    if twice := [data for data, count in Counter(file.data for file in recipe.mix).items() if count > 1]:
        yield "mix", f"mix: {twice[0]}: is there twice; add up its weights"


_OF_SFT = ("stages", "mix", "other_arms", "pack", "neftune", "loss", "generations")
_NOT_OF_GRPO = ("data", *_OF_SFT, "think", "eval_data", "early_stopping", "load_best_model_at_end")
"""Keys that mean nothing to another objective."""


def _objective(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Rules of the other objectives than the loss on sequences."""
    name, grpo = recipe.objective.name, recipe.objective.grpo
    for key in {"sft": (), "dpo": _OF_SFT, "grpo": _NOT_OF_GRPO}[name]:
        default = type(recipe).model_fields[key].default
        if getattr(recipe, key) != default:
            unset = "remove it, or set it to null" if default is None else "remove it"
            yield f"objective {key}", f"{key}: has no meaning with objective: {name}; {unset}"
    if grpo is None:
        return
    if recipe.batch_size % grpo.samples:
        fault = f"batch_size: {recipe.batch_size} is not a multiple of objective.grpo.samples = {grpo.samples}"
        yield "batch_size objective.grpo.samples", fault
    if grpo.max_new_tokens >= recipe.max_length:
        fault = f"max_length: {recipe.max_length} leaves no room for a prompt beside objective.grpo.max_new_tokens"
        yield "max_length objective.grpo.max_new_tokens", fault
    if recipe.save_steps is not None and recipe.save_steps % grpo.updates:
        fault = f"save_steps: {recipe.save_steps} is not a multiple of objective.grpo.updates = {grpo.updates}"
        yield "save_steps objective.grpo.updates", fault
    if (grpo.held_out is None) != (recipe.eval_steps is None):
        yield "objective.grpo.held_out eval_steps", "objective.grpo.held_out, eval_steps: give both, or neither"
    if grpo.vllm is not None and recipe.lora is not None and recipe.model.dtype == "bfloat16":
        # TRL merges the adapter into the weights for vLLM and takes it out again: in bfloat16 they drift.
        fault = "objective.grpo.vllm: changes bfloat16 weights under an adapter; remove lora, or sample without vllm"
        yield "objective.grpo.vllm lora model.dtype", fault
    if grpo.kl and recipe.lora is not None and recipe.lora.init is not None:
        fault = "objective.grpo.kl: the base without its adapter must be the initial model; remove lora.init"
        yield "objective.grpo.kl lora.init", fault


def _dpo(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Rules of the objective that compares the model with what it was."""
    if recipe.objective.dpo is None:
        return
    for key in ("eval_data", "early_stopping", "load_best_model_at_end", "gradient_checkpointing"):
        if getattr(recipe, key):
            yield f"objective {key}", f"{key}: does not go with objective: dpo; remove it"
    lora = recipe.lora
    if lora is None:
        return
    if lora.init is not None:
        fault = "lora.init: objective: dpo compares with the model without its adapter, which must be the initial one"
        yield "objective lora.init", f"{fault}; remove it"
    if lora.dropout:
        yield "objective lora.dropout", "lora.dropout: objective: dpo trains without dropout; remove it"
    if full := [part for part, policy in recipe.policies().items() if policy == "full"]:
        fault = f"trainable.{full[0]}: full beside an adapter leaves objective: dpo no initial model to compare with"
        yield "objective lora trainable", fault


def _watching(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Rules of what is watched during training."""
    if (recipe.eval_data is None) != (recipe.eval_steps is None) and recipe.objective.grpo is None:
        yield "eval_data eval_steps", "eval_data, eval_steps: give both, or neither"
    asked = {
        "early_stopping": recipe.early_stopping is not None,
        "load_best_model_at_end": recipe.load_best_model_at_end,
        "generations": recipe.generations is not None,
    }
    for key in [key for key, is_set in asked.items() if is_set and recipe.eval_data is None]:
        yield f"{key} eval_data", f"{key}: needs held-out sequences; give eval_data and eval_steps"
    every = recipe.generations and recipe.generations.steps
    if every and recipe.eval_steps and every % recipe.eval_steps:
        fault = f"generations.steps: {every} is not a multiple of eval_steps = {recipe.eval_steps}"
        yield "generations.steps eval_steps", fault
    if recipe.logging.group is not None and "wandb" not in recipe.logging.report_to:
        fault = "logging.group: is of W&B, but wandb is not in logging.report_to"
        yield "logging.group logging.report_to", fault
