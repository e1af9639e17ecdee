"""What is wrong with a recipe, all of it at once: keys that cannot be read, and keys that contradict each other.

A contradiction is looked for even where other keys are at fault; one that leans on a faulty key is left alone, for
nobody knows what was meant.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from srt.errors import UserError

if TYPE_CHECKING:
    from train.recipe import Recipe


class RecipeFaults(UserError):
    """Every fault of one recipe. ``str()`` is one line; ``faults`` has a line for each, without the place."""

    def __init__(self, place: str, faults: list[str]) -> None:
        super().__init__(f"{place}: {'; '.join(faults)}")
        self.place = place
        self.faults = faults


class Rule(NamedTuple):
    """A contradiction: the keys it leans on, and what is wrong with a recipe (``None``: nothing)."""

    keys: tuple[str, ...]
    fault: Callable[[Recipe], str | None]


def contradictions(recipe: Recipe, unknown: set[str]) -> Iterator[str]:
    """The contradictions of ``recipe``, but for those that lean on a key of ``unknown`` (``lora``, ``lora.r``)."""
    for rule in RULES:
        if not any(key == lost or key.startswith(f"{lost}.") for key in rule.keys for lost in unknown):
            fault = rule.fault(recipe)
            if fault is not None:
                yield fault


def mended(values: Mapping[str, Any], faulty: list[tuple[str, ...]], required: Mapping[str, Any]) -> dict[str, Any]:
    """``values`` without the keys at the paths ``faulty``, so that the rest can be read.

    ``required`` has a harmless value for each key (``model.path``) that a recipe cannot do without.
    """
    left: dict[str, Any] = copy.deepcopy(dict(values))
    for path in faulty:
        _remove(left, path)
    for name, value in required.items():
        *parents, key = name.split(".")
        place = left
        for parent in parents:
            place = place.setdefault(parent, {})
        place.setdefault(key, value)
    return left


def _remove(values: dict[str, Any], path: tuple[str, ...]) -> None:
    *parents, key = path
    for parent in parents:
        inner = values.get(parent)
        if not isinstance(inner, dict):
            return
        values = inner
    values.pop(key, None)


def _steps_or_epochs(recipe: Recipe) -> str | None:
    if (recipe.steps is None) != (recipe.epochs is None):
        return None
    return "give either steps or epochs (a recipe that extends another may set one of them to null)"


def _pack_or_micro_batch(recipe: Recipe) -> str | None:
    if recipe.pack is None or recipe.micro_batch is None:
        return None
    return "pack and micro_batch: give one of them; with pack, the rows of a batch are counted out by their tokens"


def _longer_than_a_row(recipe: Recipe) -> str | None:
    if recipe.pack is None or recipe.max_length <= recipe.pack:
        return None
    return f"max_length: {recipe.max_length} tokens do not fit in a row of pack = {recipe.pack}; lower it or raise pack"


def _micro_batch_divides(recipe: Recipe) -> str | None:
    if recipe.micro_batch is None or recipe.pack is not None or recipe.batch_size % recipe.micro_batch == 0:
        return None
    return f"batch_size: {recipe.batch_size} is no multiple of micro_batch = {recipe.micro_batch}"


def _quantize_wants_lora(recipe: Recipe) -> str | None:
    if recipe.model.quantize is None or recipe.lora is not None:
        return None
    return f"model.quantize: {recipe.model.quantize} holds frozen weights only; give a lora block to train beside them"


def _quantized_language_in_full(recipe: Recipe) -> str | None:
    if recipe.model.quantize is None or recipe.lora is None or recipe.tune.language != "full":
        return None
    return "tune.language: full cannot be with model.quantize, whose 4-bit weights are not trained; say lora"


def _policies(recipe: Recipe) -> dict[str, str]:
    language = recipe.tune.language or ("lora" if recipe.lora else "full")
    return {"vision": recipe.tune.vision, "projector": recipe.tune.projector, "language": language}


def _lora_wants_its_block(recipe: Recipe) -> str | None:
    named = [f"tune.{part}" for part, policy in _policies(recipe).items() if policy == "lora"]
    if recipe.lora is not None or not named:
        return None
    return f"{' and '.join(named)}: lora, but there is no lora block; add lora: {{r: 16, alpha: 32}}"


def _lora_is_used(recipe: Recipe) -> str | None:
    if recipe.lora is None or "lora" in _policies(recipe).values():
        return None
    return "lora: no part of tune is lora, so nothing would use it; take the block away or say tune.language: lora"


def _targets_are_used(recipe: Recipe) -> str | None:
    policies = _policies(recipe)
    if recipe.lora is None or recipe.lora.targets is None or policies["language"] == "lora":
        return None
    if "lora" not in policies.values():
        return None  # said by the rule above
    return f"lora.targets: are of the language model, but tune.language is {policies['language']}"


def _something_is_trained(recipe: Recipe) -> str | None:
    if set(_policies(recipe).values()) != {"frozen"}:
        return None
    return "tune: every part is frozen, so nothing would be trained"


def _picture_limits(recipe: Recipe) -> str | None:
    low, high = recipe.pictures.min_pixels, recipe.pictures.max_pixels
    if low is None or high is None or low <= high:
        return None
    return f"pictures.min_pixels: {low} is more than pictures.max_pixels = {high}"


def _loss_has_weight(recipe: Recipe) -> str | None:
    if any(recipe.loss.model_dump().values()):
        return None
    return "loss: every weight is 0, so nothing would be learned"


RULES = (
    Rule(("steps", "epochs"), _steps_or_epochs),
    Rule(("pack", "micro_batch"), _pack_or_micro_batch),
    Rule(("pack", "max_length"), _longer_than_a_row),
    Rule(("batch_size", "micro_batch", "pack"), _micro_batch_divides),
    Rule(("model.quantize", "lora"), _quantize_wants_lora),
    Rule(("model.quantize", "lora", "tune.language"), _quantized_language_in_full),
    Rule(("lora", "tune.vision", "tune.projector", "tune.language"), _lora_wants_its_block),
    Rule(("lora", "tune.vision", "tune.projector", "tune.language"), _lora_is_used),
    Rule(("lora.targets", "tune.language"), _targets_are_used),
    Rule(("lora", "tune.vision", "tune.projector", "tune.language"), _something_is_trained),
    Rule(("pictures.min_pixels", "pictures.max_pixels"), _picture_limits),
    Rule(tuple(f"loss.{role}" for role in ("correlate", "constrain", "infer", "answer", "between")), _loss_has_weight),
)
