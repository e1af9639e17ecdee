"""The process that :mod:`srt.answers.equality.math_verify_client` starts: math-verify on one pair of formulas a line.

Reads lines of JSON, ``[gold, given]``; writes ``true``, ``false`` or ``null`` (one of them is no formula) for each.
Only the reader of LaTeX is used: the other one of math-verify evaluates text as code. It bounds its memory; its time
is bounded by the process that started it.
"""

from __future__ import annotations

import json
import logging
import resource
import sys
from typing import Any

_MEMORY = 2 << 30


def main() -> None:
    """Answer until the input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    from math_verify import LatexExtractionConfig, parse, verify

    logging.disable(logging.CRITICAL)
    answers = sys.stdout
    sys.stdout = sys.stderr  # A library that prints must not answer.

    def formulas(text: str) -> list[Any]:
        # Strings, which math-verify gives for what it does not understand, are left out.
        found = parse(f"${text}$", [LatexExtractionConfig()], "no_fallback", parsing_timeout=None)
        return [formula for formula in found if not isinstance(formula, str)]

    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        outcome: bool | None = None
        try:
            gold, given = map(formulas, json.loads(line))
            outcome = bool(verify(gold, given, timeout_seconds=None)) if gold and given else None
        except Exception:  # It raises what sympy raises; whatever it is, nothing was decided.
            outcome = None
        print(json.dumps(outcome), file=answers, flush=True)


if __name__ == "__main__":
    main()
