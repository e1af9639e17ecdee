"""Reading a recipe from its YAML file, with everything that is wrong with it at once.

Contradictions between keys are looked for even where other keys are at fault.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from srt.io.yaml_config import ConfigFaults, find_faults, merged, read_yaml, with_new_names
from train.recipe import Recipe
from train.recipe_rules import contradictions, depends_on

RENAMED = {"tune": "trainable", "loss.between": "loss.other", "adam_beta2": "beta2"}
"""Keys of older recipes and records, with the name that they have now."""

_REQUIRED: dict[str, Any] = {
    "model": {"path": "unknown"},
    "output": "unknown",
    "batch_size": 1,
    "learning_rate": 1.0,
    "max_length": 2,
}
"""Every key without a default, with a value that contradicts nothing."""


def load_recipe(path: str | Path, changes: Iterable[str] = ()) -> Recipe:
    """Read the recipe in the YAML file ``path``, with all that it extends.

    ``changes`` win over the file: ``key=value`` each, as on the command line (``model.path=m``, ``lora=null``).

    Raises:
        ConfigFaults: faults in keys and values, all of them at once.
        UserError: the file cannot be read (:func:`srt.io.yaml_config.read_yaml`).
    """
    return make_recipe(read_yaml(path, changes, bundled="recipes/train", renamed=RENAMED), str(path))


def make_recipe(values: Mapping[str, Any], place: str = "recipe") -> Recipe:
    """The recipe that ``values`` spell out; ``place`` begins the message of the :class:`ConfigFaults`."""
    read = _examine(with_new_names(values, RENAMED, place))
    if read.faults:
        raise ConfigFaults(place, read.faults)
    return read.recipe


class Examined(NamedTuple):
    """A recipe as far as it can be read: ``faults``, a line each, and the keys that are ``unknown`` because of them.

    In ``recipe`` an unknown key has its default, or a meaningless value if it has none.
    """

    recipe: Recipe
    faults: list[str]
    unknown: set[str]

    def knows(self, *keys: str) -> bool:
        """Whether each of ``keys`` (``model.path``) has the value that the recipe gives it."""
        return not depends_on(keys, self.unknown)


def examine_recipe(path: str | Path, changes: Iterable[str] = ()) -> Examined:
    """As :func:`load_recipe`, but faults in keys and values are returned beside what can be read."""
    return _examine(read_yaml(path, changes, bundled="recipes/train", renamed=RENAMED))


def _examine(values: Mapping[str, Any]) -> Examined:
    try:
        recipe, faults, unknown = Recipe.model_validate(values), [], set()
    except ValidationError as error:
        found = find_faults(error)
        faults = [fault.line for fault in found]
        # A fault inside a list makes the whole list unreadable.
        paths = [tuple(takewhile(lambda part: isinstance(part, str), fault.key)) for fault in found]
        # An unknown key is most likely the one that it resembles, whose value is then not known either.
        paths += [(*path[:-1], *fault.near.split(".")) for path, fault in zip(paths, found, strict=True) if fault.near]
        recipe, paths = _read_without(values, paths)
        unknown = {".".join(map(str, path)) for path in paths}
    return Examined(recipe, faults + contradictions(recipe, unknown), unknown)


def _read_without(
    values: Mapping[str, Any], paths: list[tuple[str | int, ...]]
) -> tuple[Recipe, list[tuple[str | int, ...]]]:
    """The recipe without the keys at ``paths``, and all keys that were left out: with a key that its block needs
    (``early_stopping.patience``), the block."""
    while True:
        try:
            return Recipe.model_validate(_without(values, paths)), paths
        except ValidationError as error:
            paths = [*paths, *(tuple(fault.key[:-1]) for fault in find_faults(error))]


def _without(values: Mapping[str, Any], paths: Sequence[tuple[str | int, ...]]) -> dict[str, Any]:
    """``values`` without the keys at ``paths``, and with a value for each required key, so that they can be read."""
    left: dict[str, Any] = copy.deepcopy(dict(values))
    for path in paths:
        place: Any = left
        for at, key in enumerate(path, 1):
            # A block that is given by its name alone (objective: grpo) has no keys: it goes as a whole.
            if at == len(path) or not isinstance(place.get(key), dict):
                place.pop(key, None)
                break
            place = place[key]
    return merged(_REQUIRED, left)
