"""Names in formulas: ``x_1``, ``A'B``, ``S_{\\triangle ABC}``, ``\\overrightarrow{AB}``, and one spelling for each."""

from __future__ import annotations

import re

NAME_SIGNS = {
    r"\overrightarrow": "→", r"\vec": "→", r"\overline": "", r"\angle": "∠", r"\triangle": "△", r"\vartriangle": "△",
    r"\bigtriangleup": "△", r"\widehat": "⌒", r"\overparen": "⌒", r"\odot": "⊙", "∠": "∠", "△": "△", "⊙": "⊙", "Δ": "△",
    r"\bar": "", r"\hat": "^", r"\stackrel": "?", r"\overset": "?",
}  # fmt: skip
"""Signs that open a name, and how the name is spelt here."""

_STYLE = re.compile(r"\\(?:mathrm|boldsymbol|mathbf|bm|text|rm|textbf|textit|mathit|pmb|operatorname)\s*\{\s*~?")
_GREEK = re.compile(r"\\([A-Za-z]+)")
_PRIME = re.compile(r"\s*(?:\^\s*\{\s*(?:\\prime\s*)+\}|\^\s*\\prime|['’′]+)")
_SUBSCRIPT = re.compile(
    r"\s*<sub>\s*(\w{1,9})\s*</sub>|\s*_\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|(\\(?:triangle|vartriangle)\s*[A-Z]+(?:_?\d)?)|"
    r"(\\[A-Za-z]+(?:\s*\{[^{}]*\})?)|([\u3400-\u9fff][^_$=\s]{0,20}_)|([\u3400-\u9fff]+)|([A-Za-z0-9]))"
)
_SUBSCRIPT_SIGNS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_UNICODE_SUBSCRIPT = re.compile("[₀-₉]+")
_BRACED = re.compile(r"\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_POINTS = re.compile(r"[A-Z]|\{\s*[A-Z]\s*\}")
"""A point; scanned texts set it in braces, ``{A}_{1}B``."""
_PLAIN = re.compile(r"[A-Z](?:[A-Z]|\d(?![\d.])|['’′](?![a-z]))*(?![a-z])|[a-z](?![A-Za-z])")
_BARE_INDEX = re.compile(r"[A-Z]\d(?![\d.,])")
_LONGEST = 80
_MOST_STYLED = 20
"""A name has so many letters in type styles of their own, as in ``\\mathrm{A}\\mathrm{B}``."""


def name_at(text: str, at: int, math: bool) -> tuple[str, int] | None:
    """The name that begins at ``at`` and where it ends; ``None`` if none does."""
    for command, sign in NAME_SIGNS.items():
        longer = command.startswith("\\") and text[at + len(command) : at + len(command) + 1].isalpha()
        if text.startswith(command, at) and not longer:
            return _signed(text, at + len(command), sign)
    if _STYLE.match(text, at):
        return _styled(text, at)
    greek = _GREEK.match(text, at)
    if greek is not None:
        return _with_suffixes(text, greek.end(), greek[1])
    if _POINTS.match(text, at):
        return _points(text, at, math)
    if not text[at : at + 1].isalpha():
        return None
    if not text[at].isascii():
        return _with_suffixes(text, at + 1, text[at])
    return _with_suffixes(text, at + 1, text[at])


def plain_name_at(text: str, at: int, articles: bool) -> tuple[str, int] | None:
    """The name that begins at ``at`` in prose outside formulas: capitals (``AB``, ``A1B1``) or one letter.

    With ``articles`` a lone ``a``, ``A`` or ``I`` before a word or a number is a word of the sentence.
    """
    match = _PLAIN.match(text, at)
    if match is None:
        return None
    rest = text[match.end() : match.end() + 2]
    if articles and match[0] in ("a", "A", "I") and re.match(r"\s[\w\\$(]|[-]\w", rest):
        return None
    if match[0][0].isupper():
        points, end = _points(text, at, False)
        if end >= match.end() and not text[end : end + 1].islower():
            return points, end
    return _with_suffixes(text, match.end(), match[0].replace("’", "'").replace("′", "'"))


def _signed(text: str, at: int, sign: str) -> tuple[str, int] | None:
    if sign == "?":
        return None
    braced = _BRACED.match(text, at)
    if braced is not None and sign not in ("∠", "△", "⊙"):
        inner = _clean(braced[1])
        return _with_suffixes(text, braced.end(), sign + inner) if inner else None
    while text[at : at + 1] == " ":
        at += 1
    if text[at : at + 1].isdigit():
        return sign + text[at], at + 1
    if text.startswith(tuple(NAME_SIGNS), at):
        return None  # A sign of a sign is no name, however many stand in a row.
    name = name_at(text, at, True) if text[at : at + 1].isalpha() or text[at : at + 1] == "\\" else None
    return (sign + name[0], name[1]) if name else None


def _styled(text: str, at: int, most: int = _MOST_STYLED) -> tuple[str, int] | None:
    """``\\mathrm{AB}``, ``\\boldsymbol{n}_1``: letters in a type style are the same letters."""
    match = _STYLE.match(text, at)
    close = text.find("}", at)
    if match is None or close < 0:
        return None
    inner = re.sub(r"[~\s]", "", text[match.end() : close])
    if not re.fullmatch(r"[A-Z](?:[A-Z]|['’′]|_?\d)*|[a-z]", inner):
        return None
    base, end = _with_suffixes(text, close + 1, inner.replace("_", ""))
    if inner[0].isupper() and len(inner) == 1 and most > 1:
        more = re.compile(r"\s*(?=[A-Z\\])").match(text, end)
        following = _styled(text, more.end(), most - 1) if more else None
        if following and following[0][:1].isupper():
            return base + following[0], following[1]
    return base, end


def _points(text: str, at: int, math: bool) -> tuple[str, int]:
    """A run of capitals, each with its index and primes: one name, the letters may stand apart in a formula."""
    name, end = "", at
    between = re.compile(r" {0,2}(?=[A-Z]|\{\s*[A-Z]\s*\})" if math else r"(?=[A-Z])")
    while _POINTS.match(text, end) and len(name) < _LONGEST:
        found = _BARE_INDEX.match(text, end) or _POINTS.match(text, end)
        assert found is not None
        letter, end = found[0].strip("{} "), found.end()
        part, end = _with_suffixes(text, end, letter)
        name += part
        if "_" in part and not re.fullmatch(r"[A-Z]_\d+'*", part):
            break
        apart = between.match(text, end)
        if apart is None:
            break
        end = apart.end()
    return _plain_indices(name), end


def _with_suffixes(text: str, at: int, base: str) -> tuple[str, int]:
    for _ in range(3):
        prime = _PRIME.match(text, at)
        if prime is not None:
            base += "'" * max(
                1, prime[0].count("'") + prime[0].count("’") + prime[0].count("′") + prime[0].count("\\prime")
            )
            at = prime.end()
            continue
        small = _UNICODE_SUBSCRIPT.match(text, at)
        if small is not None:
            base, at = f"{base}_{small[0].translate(_SUBSCRIPT_SIGNS)}", small.end()
            continue
        below = _SUBSCRIPT.match(text, at)
        if below is None or len(below[0]) > _LONGEST:
            break
        inner = _clean(next(part for part in below.groups() if part is not None))
        base, at = f"{base}_{inner}", below.end()
    return _plain_indices(base), at


def _plain_indices(name: str) -> str:
    """``A_1B_1`` and ``A1B1`` are one name."""
    return re.sub(r"(?<=[A-Za-z])_(?=\d)", "", name) if re.match(r"[→∠△⌒]?[A-Z]", name) else name


def _clean(inside: str) -> str:
    inside = re.sub(r"\\(?:text|mathrm|rm|boldsymbol|mathbf)\b", "", inside)
    inside = re.sub(r"\\(?:var)?triangle|Δ|\\bigtriangleup", "△", inside)
    inside = re.sub(r"\^\s*+\{?\s*+\\prime\s*+\}?", "'", inside)
    return _plain_indices(re.sub(r"[\s{}~\\$]", "", inside).replace("−", "-").rstrip("_"))
