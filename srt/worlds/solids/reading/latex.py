"""Values that a text has in LaTeX, between dollar signs, as they are written without it."""

from __future__ import annotations

import re

from srt.worlds.solids.reading.measures import UNIT, read_measure

# Nothing stands beside it that would go on with the number.
_MATH = re.compile(r"(?<![0-9π√./^*+\-)$\\])(?:\$([^$]{1,100})\$|\\\((.{1,100}?)\\\))(?![0-9π√/^*+\-($\\]|\.[0-9])")
_COMMAND = re.compile(r"\\(?:mathrm|text|rm)[ ~]*\{[^{}]*\}|\\[A-Za-z]+")
_PLAIN_SIGN = re.compile(r"[^\W\d_]|[√°²³]")
"""What is no value in LaTeX: there, letters are factors."""
_ABOVE = r"\{ ?([0-9]*(?:√[0-9]+)?π?) ?\}"
_REWRITTEN = (
    (r"~|\\[,;:! ]|\\q?quad\b", " "),
    (rf" *\\(?:mathrm|text|rm) *\{{ *({UNIT}) *\}} *\^ *(?:\{{ *([23]) *\}}|([23]))", r" \1^\2\3"),
    (rf" *\\(?:mathrm|text|rm) *\{{ *({UNIT}) *\}}", r" \1"),
    (r" *\^ *(?:\{ *\\circ *\}|\\circ\b)", "°"),
    (r"\\pi(?![A-Za-z])", "π"),
    (r"\\sqrt *(?:\{ *([0-9]+) *\}|([0-9]))(?! *[0-9.])", r"√\1\2"),
    (r"(?<=[0-9π}]) +(?=[π√])", ""),
    # A number before a fraction is a mixed one, or a factor: that is a choice.
    (r"^ *\\[dt]?frac *\{ *([0-9]+) *\} *\{ *([0-9]+) *\} *π(?![0-9π√])", r"\1π/\2"),
    (rf"^ *\\[dt]?frac *{_ABOVE} *\{{ *([0-9]+) *\}}(?![0-9π√])", r"\1/\2"),
    (rf"^ *\\[dt]?frac *{_ABOVE} *\{{ *([0-9]*π) *\}}(?![0-9π√])", r"\1/(\2)"),
)  # fmt: skip


def plain(text: str) -> str:
    """The text with each value between ``$`` in plain spelling; what is no value or no unit there stays as it is."""
    return _MATH.sub(_plain, text) if "$" in text or "\\" in text else text


def _plain(match: re.Match[str]) -> str:
    body = match[1] or match[2]
    if _PLAIN_SIGN.search(_COMMAND.sub("", body)):
        return match[0]
    for pattern, new in _REWRITTEN:
        body = re.sub(pattern, new, body)
    body = body.strip()
    return body if read_measure(body) is not None or re.fullmatch(UNIT, body) else match[0]
