"""The signs of a text for the independent reading of its equations: numbers, operators, names, units, and breaks.

Every sign keeps its place in the text, because errors are planted by place. This shares nothing with
:mod:`srt.maths` and :mod:`srt.prose.claims`, which it is used to test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {ord("−"): "-", ord("∶"): ":", ord("＝"): "="}


@dataclass(frozen=True)
class Sign:
    """Characters ``[start, end)`` of a text. ``text`` is what they say in normal form: ``*`` for every product."""

    kind: str
    text: str
    start: int
    end: int


UNIT_BASES = {
    **dict.fromkeys(("mm", "毫米", "millimeters", "millimetres"), 0.001),
    **dict.fromkeys(("cm", "厘米", "centimeters", "centimetres"), 0.01),
    **dict.fromkeys(("dm", "分米"), 0.1),
    **dict.fromkeys(("km", "千米"), 1000.0),
    **dict.fromkeys(("m", "米", "meters", "metres"), 1.0),
}
"""Spellings of units of length, and their sizes in metres."""

_WORDS = "|".join(sorted(map(re.escape, UNIT_BASES), key=len, reverse=True))
_POWER = r"(?:\s*+\^\s*+(?:\{\s*+[23]\s*+\}|[23])|[²³])?"
_BASES = rf"(?:(?:立方|平方|cubic\s+|square\s+)?(?:{_WORDS}))"
_INDEX = r"(?:_\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|[A-Za-z0-9]))?"
_PRIMES = r"(?:['’′]|\^\s*+(?:\{\s*+)?\\+prime(?:\s*+\})?)*"
_POINT = rf"[A-Z]{_INDEX}(?:\d(?![\d.]))?{_PRIMES}"
_OPAQUE = (
    "overrightarrow|vec|mathrm|angle|triangle|ldots|cdots|dots|prime|alpha|beta|gamma|theta|lambda|mu|varphi|phi|omega"
)
"""Commands that a formula goes on after, but that are not computed."""
TWO_POINTS = re.compile(r"([A-Z]\d*['’′]*)([A-Z]\d*['’′]*)")
"""The name of a segment, and its ends."""
_KINDS = [
    ("line", r"\n|\\n(?![a-z])|\\\\\s*(?![a-zA-Z\\])|\$\$|\\[\[\]]|\\+(?:begin|end)\s*\{[a-z*]+\}(?:\{[a-z|]+\})?"),
    ("break", r"\$\s+\$"),
    ("edge", r"\$|\\[()]"),
    ("space", r"[^\S\n]+|[~&]|\\+[,;:! ]|\\+(?:left|right)\."),
    ("space", r"\\+(?:left|right|displaystyle|q?quad|[bB]igg?[lr]?|boxed)(?![a-zA-Z])"),
    ("degree", r"\^\s*(?:\{\s*\\+(?:circ|degree)\s*\}|\\+(?:circ|degree)(?![a-z]))|°"),
    ("choose", r"(?:\\+mathrm\s*\{\s*C\s*\}|C)\s*_\s*\{?\d{1,2}\}?\s*\^\s*\{?\d{1,2}\}?(?!\d)"),
    ("unit", rf"\\+(?:text|mathrm|textrm|rm|mbox)\s*\{{[\s~\\]*{_BASES}{_POWER}\s*\}}{_POWER}"),
    ("unit", rf"{_BASES}(?![A-Za-z]){_POWER}"),
    ("name", rf"\\+(?:text|mathrm)\s*\{{\s*(?:{_POINT}(?:\s*{_POINT})*|[a-z])\s*\}}{_INDEX}"),
    ("func", r"\\*(?:sin|cos|tan)(?![a-z])"),
    ("root", r"\\+sqrt(?![a-z])(?:\s*\[\s*\d\s*\])?|√|∛"),
    ("frac", r"\\+[dtc]?frac(?![a-z])"),
    ("pi", r"\\+pi(?![a-z])|π"),
    ("*", r"\\+(?:times|cdot|ast)(?![a-z])|[×·*∙]"),
    ("/", r"\\+div(?![a-z])|[÷/]"),
    ("≈", r"≈|\\+approx(?![a-z])"),
    ("=", r"(?<![<>:!=])=(?!=)"),
    ("bar", r"\||\\+[lr]?vert(?![a-z])"),
    ("vector", r"\\+overrightarrow\s*\{(?:[^{}]|\{[^{}]*\})*\}"),
    ("vector", rf"\\+(?:boldsymbol|mathbf|vec)\s*(?:\{{\s*[a-z]\s*\}}|[a-z]){_INDEX}"),
    ("langle", r"\\+langle(?![a-zA-Z])"),
    ("rangle", r"\\+rangle(?![a-zA-Z])"),
    ("opaque", r"…|\.\.\.+|!"),
    ("opaque", rf"\\+(?:{_OPAQUE})(?![a-zA-Z]){_INDEX}"),
    ("break", r"\\+[a-zA-Z]+(?:\s*\{[^{}]*\})?|\\+[{}]"),
    ("percent", r"\\?%"),
    ("number", r"\d{1,3}(?:(?:\{,\}|,\\!)\d{3})+(?!\d)|\d+(?:\.\d+)?"),
    ("raised", r"[²³]"),
    ("name", rf"{_POINT}(?:\s*{_POINT})*(?![a-z])"),
    ("word", r"[A-Za-z]{2,}"),
    ("name", rf"[a-z]{_INDEX}{_PRIMES}"),
    ("comma", r"[,、]"),
    ("sign", r"[-+^()\[\]{}]"),
    ("break", r"."),
]  # fmt: skip
_MASTER = re.compile("|".join(f"(?P<k{at}>{spelling})" for at, (_, spelling) in enumerate(_KINDS)), re.DOTALL)
_VALUE_ENDS = frozenset({"number", "close", "pi", "raised", "name", "degree"})
OPENS, CLOSES = frozenset({"open", "langle"}), frozenset({"close", "rangle"})


def signs_of(text: str) -> list[Sign]:
    """The signs of ``text``, blanks left out. Inside a formula ``2m`` is no length."""
    text = text.translate(_NARROW)
    found: list[Sign] = []
    math = False
    at = 0
    while at < len(text):
        match = _MASTER.match(text, at)
        assert match is not None
        assert match.lastgroup is not None
        kind, said, end = _KINDS[int(match.lastgroup[1:])][0], match[0], match.end()
        if kind == "number" and _takes_one_digit(found):
            said, end = said[0], at + 1
        elif kind == "unit" and not _is_unit(found, said, math):
            kind, end = ("name", at + 1) if said[0] == "m" and said[:2] not in ("mm", "me", "mi") else ("break", end)
            said = text[at:end]
        elif kind == "word":
            kind = "opaque" if math and len(said) == 2 else "break"
        elif kind == "sign":
            kind = {"(": "open", "[": "open", "{": "open", ")": "close", "]": "close", "}": "close"}.get(said, said)
        if kind == "edge":
            math = said == "\\(" or (said == "$" and not math)
        elif kind == "line" and said in ("$$", "\\[", "\\]"):
            math = said == "\\[" or (said == "$$" and not math)
        if kind not in ("space", "edge"):
            found.append(Sign(kind, _normal(kind, said), at, end))
        at = end
    return found


def _takes_one_digit(found: list[Sign]) -> bool:
    """Whether the next sign is the argument of ``\\frac12`` or ``\\sqrt2``, where each digit stands for itself."""
    last = [sign.kind for sign in found[-2:]]
    return last[-1:] == ["frac"] or last == ["frac", "number"] or (last[-1:] == ["root"] and len(found[-1].text) > 1)


def _is_unit(found: list[Sign], said: str, math: bool) -> bool:
    if not found:
        return False
    bracket = found[-1].text == "(" and len(found) > 1 and found[-2].kind in _VALUE_ENDS
    if "\\" not in said and said[0] == "m" and said[:2] != "mm" and math and not bracket:
        return False
    return found[-1].kind in _VALUE_ENDS or bracket


def _normal(kind: str, said: str) -> str:
    match kind:
        case "name":
            name = re.sub(r"(?<!\\)\\++(?:text|mathrm)|[\s{}_]", "", said)
            ends = TWO_POINTS.fullmatch(name)
            return "".join(sorted(ends.groups())) if ends else name  # AB and BA are one length.
        case "vector":
            arrow = "→" if "overrightarrow" in said else ""
            return arrow + re.sub(r"(?<!\\)\\++[a-z]+|[\s{}_]", "", said)
        case "root":
            return "3" if said == "∛" else "√" if said == "√" else "√" + (re.search(r"\d", said) or ["2"])[0]
        case "number":
            return re.sub(r"[^\d.]", "", said)
        case "*" | "/":
            return kind
    return said
