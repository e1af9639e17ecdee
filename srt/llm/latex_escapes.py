r"""LaTeX in JSON whose backslashes were not doubled, as models write it.

There are two ways for it to go wrong. ``"\sqrt{5}"`` is no JSON at all, since ``\s`` is no escape. ``"\frac{1}{2}"``
and ``"3 \times 4"`` are JSON, and say something else: ``\f`` and ``\t`` are a form feed and a tab. Grammars that hold a
model to valid JSON let only the second kind through, where nothing fails and the text is spoilt in silence.
"""

from __future__ import annotations

import re
from typing import Any

_ESCAPE_OR_LONE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')


def _rest_of(first: str, commands: str) -> str:
    """A pattern for what is left of ``commands`` (which begin with ``first``) when that letter went into an escape."""
    words = sorted((word.removeprefix(first) for word in commands.split()), key=len, reverse=True)
    return rf"(?=(?:{'|'.join(words)})(?![A-Za-z]))"


_TAB = _rest_of(
    "t",
    "times theta tan tanh text textbf textit textrm to top triangle triangleq triangledown triangleleft tau tfrac "
    "therefore thinspace tilde tbinom tag",
)
_RETURN = _rest_of("r", "right rho rangle rightarrow rightleftharpoons rm rfloor rceil rvert rbrace")
# What is left of these begins no English line; of \nu, \ne, \nmid and the like (u, e, mid) it may.
_NEWLINE = _rest_of("n", "nabla notin neq ngeq nleq newline nolimits nonumber nwarrow nsubseteq nsupseteq not")
_NEWLINE_IN_MATH = _rest_of("n", "nu ne neg nmid nsim ncong nparallel nexists natural nearrow")

_ALWAYS = re.compile(rf"[\b\f]|\t{_TAB}|\r{_RETURN}|\n{_NEWLINE}")
_IN_MATH = re.compile(rf"\n{_NEWLINE_IN_MATH}")
_MATH = re.compile(r"\$[^$]*\$|\\\([^$]*?\\\)|\\\[[^$]*?\\\]")
_SPELT = {"\b": r"\b", "\f": r"\f", "\t": r"\t", "\r": r"\r", "\n": r"\n"}


def double_lone_backslashes(text: str) -> str:
    """``text``, which is no JSON, with every backslash doubled that begins no escape of JSON."""
    return _ESCAPE_OR_LONE.sub(lambda found: found[0] if len(found[0]) > 1 else r"\\", text)


def restore_commands(value: Any) -> Any:
    r"""``value`` (what JSON held) with the control characters that were LaTeX commands spelt as such, in every string.

    A backspace or a form feed is never text. A tab, a carriage return or a new line is a command where the letters
    after it, as a whole word, are the rest of one; ``\nu``, ``\ne`` and others whose rest is a word only within
    ``$...$``, ``\(...\)`` or ``\[...\]``.
    """
    if isinstance(value, str):
        value = _ALWAYS.sub(lambda found: _SPELT[found[0]], value)
        return _MATH.sub(lambda span: _IN_MATH.sub(r"\\n", span[0]), value) if "\n" in value else value
    if isinstance(value, list):
        return [restore_commands(item) for item in value]
    if isinstance(value, dict):
        return {key: restore_commands(item) for key, item in value.items()}
    return value
