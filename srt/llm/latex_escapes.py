r"""LaTeX in JSON whose backslashes were not doubled, or were doubled twice, as models write it.

Too few go wrong in two ways. ``"\sqrt{5}"`` is no JSON at all, since ``\s`` is no escape. ``"\frac{1}{2}"`` and
``"3 \times 4"`` are JSON, and say something else: ``\f`` and ``\t`` are a form feed and a tab. Grammars that hold a
model to valid JSON let only the second kind through, where nothing fails and the text is spoilt in silence. Too many
spoil it as silently: ``"3 \\\\times 4"`` holds two backslashes, a line break before the word "times".
"""

from __future__ import annotations

import re
from typing import Any

_ESCAPE_OR_LONE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_TAB = (
    "times theta tan tanh text textbf textit textrm to top triangle triangleq triangledown triangleleft tau tfrac "
    "therefore thinspace tilde tbinom tag"
)
_RETURN = "right rho rangle rightarrow rightleftharpoons rm rfloor rceil rvert rbrace"
_NEWLINE = "nabla notin neq ngeq nleq newline nolimits nonumber nwarrow nsubseteq nsupseteq not"
"""What is left of these begins no English line; of those below (u, e, mid) it may."""
_NEWLINE_IN_MATH = "nu ne neg nmid nsim ncong nparallel nexists natural nearrow"
_OTHERS = (
    "alpha angle approx arccos arcsin arctan arc because begin beta bar big bigl bigr binom boldsymbol bot boxed "
    "bullet cap cdot cdots circ cong cos cot cup deg degree delta dfrac displaystyle div dot dots end epsilon "
    "equiv exists forall frac gamma ge geq geqslant gg hat in infty int lambda land langle lbrace ldots le left "
    "leq leqslant lfloor lim ll ln log lor mathbf mathbb mathrm max mid min mp mu odot omega operatorname "
    "overline overrightarrow parallel perp phi pi pm prime prod psi qquad quad sigma sim simeq sin sqrt square "
    "subset subseteq sum supset underline varphi vec wedge xi zeta"
)


def _rest_of(first: str, commands: str) -> str:
    """A pattern for what is left of ``commands`` (which begin with ``first``) when that letter went into an escape."""
    words = sorted((word.removeprefix(first) for word in commands.split()), key=len, reverse=True)
    return rf"(?=(?:{'|'.join(words)})(?![A-Za-z]))"


# A control character with the rest of a command after it; in running text only those whose rest begins no word.
_ALWAYS = re.compile(rf"[\b\f]|\t{_rest_of('t', _TAB)}|\r{_rest_of('r', _RETURN)}|\n{_rest_of('n', _NEWLINE)}")
_IN_MATH = re.compile(rf"\n{_rest_of('n', _NEWLINE_IN_MATH)}")
_ANY = _rest_of("", " ".join((_TAB, _RETURN, _NEWLINE, _NEWLINE_IN_MATH, _OTHERS)))
# Two backslashes, no more and no fewer, before any command.
_TWO = re.compile(rf"(?<!\\)\\\\{_ANY}")
_RUN = re.compile(r"\\+")
_MATH = re.compile(r"\$[^$]*\$|\\\([^$]{0,1000}?\\\)|\\\[[^$]{0,1000}?\\\]")
_SPELT = {"\b": r"\b", "\f": r"\f", "\t": r"\t", "\r": r"\r", "\n": r"\n"}


def double_lone_backslashes(text: str) -> str:
    """``text``, which is no JSON, with every backslash doubled that begins no escape of JSON."""
    return _ESCAPE_OR_LONE.sub(lambda found: found[0] if len(found[0]) > 1 else r"\\", text)


def restore_commands(value: Any) -> Any:
    r"""``value`` (what JSON held) with the control characters that were LaTeX commands spelt as such, in every string.

    A backspace or a form feed is never text. A tab, a carriage return or a new line is a command where the letters
    after it, as a whole word, are the rest of one; ``\nu``, ``\ne`` and others whose rest is a word only within
    ``$...$``, ``\(...\)`` or ``\[...\]``.

    Of backslashes that were doubled twice one is left: everywhere in a string in which all of them are (and one begins
    a command), else before a command, but not where ``\begin`` says that ``\\`` may be a line break.
    """
    if isinstance(value, str):
        value = _halved(_ALWAYS.sub(lambda found: _SPELT[found[0]], value))
        return _MATH.sub(lambda span: _IN_MATH.sub(r"\\n", span[0]), value) if "\n" in value else value
    if isinstance(value, list):
        return [restore_commands(item) for item in value]
    if isinstance(value, dict):
        return {key: restore_commands(item) for key, item in value.items()}
    return value


def _halved(text: str) -> str:
    if not _TWO.search(text):
        return text
    if all(len(run[0]) % 2 == 0 for run in _RUN.finditer(text)):
        return _RUN.sub(lambda run: run[0][: len(run[0]) // 2], text)
    return text if r"\begin" in text else _TWO.sub(r"\\", text)
