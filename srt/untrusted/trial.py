"""Chat templates and tokenizers are tried out in a process whose memory and processor time are bounded.

Both are programs that others wrote: a template can loop or fill the memory in one expression, a normalizer can double
its text sixty times, a pattern can go back and forth for days. Nothing in this process could stop them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from srt.io.errors import UserError, one_line
from srt.untrusted.trial_worker import TEMPLATE_CPU_S, TOKENIZER_CPU_S, too_much

LONGEST_TEMPLATE = 500_000
"""Characters; the longest published ones have 20,000."""
LARGEST_TOKENIZER_BYTES = 200_000_000
MOST_ADDED = 50_000
MOST_TOKENS = 10_000_000
"""Ids of a vocabulary; the largest published ones have 300,000."""

_ROOT = Path(__file__).resolve().parents[2]
_TRIED: dict[tuple[str, str], str | None] = {}
_STUCK_S = 600.0
"""Of the clock, on which nothing is decided: the process is ended by the time of its processor."""


def try_template(
    template: str,
    turns: list[dict[str, Any]],
    special_tokens: Mapping[str, Any],
    kwargs: Mapping[str, Any] = MappingProxyType({}),
) -> str | None:
    """What goes beyond the bounds when ``template`` renders ``turns``, in a few words; ``None`` if nothing does.

    A template is tried once in a process of ours, with the first conversation that it is to render.
    """
    # Other variables may have it go another way.
    key = (template, json.dumps(dict(kwargs), sort_keys=True))
    if key not in _TRIED:
        _TRIED[key] = _render(template, turns, {**special_tokens, **kwargs})
    return _TRIED[key]


def _render(template: str, turns: list[dict[str, Any]], named: Mapping[str, Any]) -> str | None:
    if len(template) > LONGEST_TEMPLATE:
        return f"it has more than {LONGEST_TEMPLATE:,} characters"
    plain = {name: value for name, value in named.items() if isinstance(value, str | int | float)}
    variables = {**plain, "messages": turns, "tools": None, "documents": None, "add_generation_prompt": True}
    return _ask({"template": template, "variables": variables}, TEMPLATE_CPU_S)


def check_tokenizer(folder: Path) -> None:
    """Look at ``tokenizer.json`` in ``folder``, if there is one, and use it once; look at its settings.

    Raises:
        UserError: an added token has an id that no model has, ``model_max_length`` is no number, or loading or using
            the tokenizer goes beyond the bounds; the message names file and field.
    """
    settings = folder / "tokenizer_config.json"
    if settings.is_file() and (fault := _length_fault(settings)):
        raise UserError(f"{settings}: {fault}")
    file = folder / "tokenizer.json"
    if file.is_file():
        stat = file.stat()
        _check_file(file, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=64)
def _check_file(file: Path, size: int, _changed: int) -> None:
    if size > LARGEST_TOKENIZER_BYTES:
        raise UserError(f"{file}: it has more than {LARGEST_TOKENIZER_BYTES:,} bytes")
    if fault := _added_token_fault(file) or _ask({"tokenizer": str(file.absolute())}, TOKENIZER_CPU_S):
        raise UserError(f"{file}: {fault}")


def _length_fault(file: Path) -> str | None:
    """What transformers looks at only when a text is longer."""
    try:
        values = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None  # transformers says what is wrong
    length = values.get("model_max_length", 0) if isinstance(values, dict) else 0
    if length is None or (isinstance(length, int | float) and not isinstance(length, bool)):
        return None
    return f"model_max_length: a number was expected, not {one_line(json.dumps(length))[:40]}"


def _added_token_fault(file: Path) -> str | None:
    try:
        values = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        return f"not JSON: {one_line(str(error))}"
    if not isinstance(values, dict):
        return "a JSON object was expected"
    added = values.get("added_tokens") or []
    if not isinstance(added, list):
        return "added_tokens: a list was expected"
    if len(added) > MOST_ADDED:
        return f"added_tokens: more than {MOST_ADDED:,}"
    for number, token in enumerate(added):
        at = f"added_tokens.{number}"
        if not isinstance(token, dict):
            return f"{at}: a JSON object was expected"
        identity, content = token.get("id"), token.get("content")
        if not isinstance(identity, int) or isinstance(identity, bool) or not 0 <= identity < MOST_TOKENS:
            said = one_line(json.dumps(identity))[:40]
            return f"{at}.id: a whole number from 0 to {MOST_TOKENS - 1:,} was expected, not {said}"
        if not isinstance(content, str):
            return f"{at}.content: a text was expected"
    return None


def _ask(question: Mapping[str, Any], seconds: int) -> str | None:
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    process = subprocess.run(
        [sys.executable, "-m", "srt.untrusted.trial_worker"],
        input=json.dumps(question).encode(),
        capture_output=True,
        # One thread: the stacks of many would count as memory.
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"},
        timeout=_STUCK_S,
        check=False,
    )
    lines = process.stdout.splitlines()
    if process.returncode == 0 and lines:
        fault: str | None = json.loads(lines[-1])["fault"]
        return fault
    if process.returncode > 0:
        raise RuntimeError(f"the trial of a template or tokenizer failed: {process.stderr.decode(errors='replace')}")
    return too_much(seconds)
