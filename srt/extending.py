"""YAML files that build on others: ``extends: base.yaml``, relative to the file that says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from srt.errors import UserError


def read_extending(path: Path, seen: tuple[Path, ...] = ()) -> dict[str, Any]:
    """The mapping in the file ``path`` over all that it extends; what it says itself wins, key by key.

    ``seen`` are the files that led here.

    Raises:
        UserError: no such file, not YAML, no mapping, or a circle of ``extends``.
    """
    real = path.resolve()
    if real in seen:
        raise UserError(f"{path}: extends: the recipe extends itself, by way of {' -> '.join(p.name for p in seen)}")
    try:
        values = yaml.safe_load(path.read_text("utf-8"))
    except FileNotFoundError:
        by = f" (extended by {seen[-1]})" if seen else ""
        raise UserError(f"{path}: no such file{by}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from None
    # A date that is none is a ValueError, and brackets can be nested deeper than Python reads.
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise UserError(f"{path}: a recipe is a mapping of keys to values")
    base = values.pop("extends", None)
    if base is None:
        return values
    if not isinstance(base, str):
        raise UserError(f"{path}: extends: one path was expected, not {base!r}")
    return merged(read_extending(path.parent / base, (*seen, real)), values)


def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """``base`` with what ``over`` says in its place, within mappings too."""
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result
