"""The process that :mod:`srt.untrusted.trial` starts: it renders a chat template, or loads a tokenizer and uses it.

Reads one JSON object; writes one line of JSON, ``{"fault": ...}`` with what went beyond the bounds, or with ``null``.
Other faults are none of its business: whoever uses the files meets them again, and says them. It bounds its own memory
and the time of its processor before it reads anything.
"""

from __future__ import annotations

import json
import resource
import sys
from typing import Any

from srt.untrusted.template_steps import EndlessTemplate, bounded

TEMPLATE_CPU_S = 2
TOKENIZER_CPU_S = 10
"""For a vocabulary of 256,000 words it takes 2."""
MEMORY_BYTES = 2 << 30
MOST_CHARACTERS = 2_000_000
"""Of a rendered prompt, for a conversation of a few lines."""
MOST_TOKENS_PER_CHARACTER = 8

# Runs of one kind, in which patterns go back and forth, and what replacements would multiply.
_SAMPLE = "".join(part * 300 for part in ("a", " ", "1", "\n", "é", "中", "a ", "(", "'s ", "aB1 ", "<|", "�"))


def too_much(seconds: int) -> str:
    """The fault of what the kernel has ended, or refused memory."""
    return f"it takes more than {seconds} s of processor time, or {MEMORY_BYTES >> 30} GiB of memory, for a short text"


def main() -> None:
    """Answer one question."""
    asked = json.load(sys.stdin)
    seconds = TEMPLATE_CPU_S if "template" in asked else TOKENIZER_CPU_S
    _limit(resource.RLIMIT_AS, MEMORY_BYTES)
    # The kernel ends the process: what a library is doing cannot be interrupted from within.
    _limit(resource.RLIMIT_CPU, seconds)
    _limit(resource.RLIMIT_CORE, 0)
    try:
        fault = _render(**asked) if "template" in asked else _tokenize(**asked)
    except MemoryError:
        fault = too_much(seconds)
    print(json.dumps({"fault": fault}))


def _limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def _render(template: str, variables: dict[str, Any]) -> str | None:
    from srt.untrusted.template_environment import template_environment

    environment = template_environment()
    try:
        rendered = bounded(lambda: environment.from_string(template).render(**variables))
    except EndlessTemplate as error:
        return str(error)
    except MemoryError:
        raise
    except Exception:
        return None
    too_long = len(rendered) > MOST_CHARACTERS
    return f"it writes more than {MOST_CHARACTERS:,} characters for a few lines" if too_long else None


def _tokenize(tokenizer: str) -> str | None:
    from tokenizers import Tokenizer

    try:
        tokens = len(Tokenizer.from_file(tokenizer).encode(_SAMPLE, add_special_tokens=True).ids)
    except MemoryError:
        raise
    except BaseException as error:  # a panic in Rust is no Exception
        return None if isinstance(error, Exception) else f"it fails: {error}"
    most = MOST_TOKENS_PER_CHARACTER * len(_SAMPLE)
    return f"it makes more than {most:,} tokens of {len(_SAMPLE):,} characters" if tokens > most else None


if __name__ == "__main__":
    main()
