"""One spelling for what LaTeX, Markdown, HTML and full-width signs spell in many ways; the meaning stays as it is."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

from srt.answers.equality.currency_signs import with_currency_words
from srt.answers.equality.spelled_numbers import number_in_words
from srt.maths.syntax.spellings import FRACTIONS, WIDE
from srt.maths.units.unit_phrases import with_slashes

_TAG = re.compile(r"</?(?:b|i|u|p|em|br|strong|span|div|code|pre|font|h[1-6]|li|ul|ol|td|tr|table)\b[^<>]{0,80}>", re.I)
_SUPERSCRIPT_TAG = re.compile(r"<sup>\s*(-?\w{1,8})\s*</sup>", re.I)
_DECORATION = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200b-\u200f\u2060\ufeff]|\\$|\\\\[()\\[\\]]|`|"
    r"(?<![\w)}])\*\*|\*\*(?![\w({\\])|(?<!\w)__|__(?!\w)"
)
_LINES = re.compile(r"\n{2,}")
_BLANKS = re.compile(r"[^\S\n]{2,}")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SUBSCRIPT_RUN = re.compile("[₀₁₂₃₄₅₆₇₈₉]{1,30}")
_SUPERSCRIPT_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]{1,30}")
_CIRCLED = re.compile("[①-⑳]")
_SQUARED_UNITS = re.compile("[㌀-㏿]")
_WRAPPER = re.compile(
    r"\\(?:text|mathrm|mathbf|mathit|mathsf|textbf|textrm|textit|textnormal|mbox|hbox|operatorname|boldsymbol|bm|bf|rm)"
    r"\s*\{((?:[^{}]|\{[^{}]*\})*)\}"
)
_SWITCH = re.compile(
    r"\\(?:displaystyle|textstyle|left|right|[bB]ig{1,2}[lr]?|rm|bf|it|limits|nolimits|boldmath)(?![A-Za-z])"
)
_DEGREE = re.compile(
    r"(?<!\s)\s*+(?:\^\s*+(?:\{\s*+\\(?:circ|degree)\s*+\}|\\(?:circ|degree)(?![A-Za-z]))|\\degree(?![A-Za-z])|[º˚])"
)
_SPACE = re.compile(r"\\(?:[,;:! ~]|thinspace(?![A-Za-z])|enspace(?![A-Za-z])|hspace\{[^{}]*\})|[~\s\u3000\xa0]")
_NAMES = {
    r"\\[dtc]frac(?![A-Za-z])": r"\\frac",
    r"\\(?:geqslant|geq|ge)(?![A-Za-z])": r"\\ge",
    r"\\(?:leqslant|leq|le)(?![A-Za-z])": r"\\le",
    r"\\(?:thickapprox|approx|simeq|doteq)(?![A-Za-z])": "≈",
    r"[πп𝜋]": r"\\pi ",
    r"(?<!\s)\s*+(?:,\s*+)?(?:(?:or|which\s++is|that\s++is)(?![A-Za-z])|即|也就是)\s*+(?:,\s*+)?"
    r"(?:about|approximately|approx\.?|roughly|大?约)\s*": " ≈ ",
    r"\\%": "%",
    r"(?<![A-Za-z])per\s+cent(?![A-Za-z])": "percent",
    r"(?<!\s)\s*+(?:,\s*+)?(?:(?<![A-Za-z])(?:i\.\s?e\.|that\s++is(?![A-Za-z]))|即|也就是)\s*+,?\s*+"
    r"(?=[-\d\\(√π]|sqrt|pi|∛)": " = ",
    r"(?<!次)根号下?": "√",
    r"\\Omega(?![A-Za-z])|\u2126": "Ω",
    r"\\mathbin\s*\{\s*:\s*\}|\\colon(?![A-Za-z])|∶": ":",
    r"每(小时|分钟|秒|天)(?:行驶|行|走|跑)?\s*(\d+(?:\.\d+)?)\s*(千米|公里|米|厘米)": r"\2\3/\1",
    r"(\d)\s*小时\s*(\d{1,2})\s*分(?!钟|之)": r"\1小时\2分钟",
    r"<=": "≤",
    r">=": "≥",
}
_THOUSANDS = re.compile(r"(?<=\d)(?:,\\!|\{,\})(?=\d{3}(?!\d))")
_TWO_STARS = re.compile(r"(?<=[\d)])\*\*(?=[\d(-])")
_FRACTION_SIGN = re.compile(rf"(?:(?<![\d.)])(\d{{1,6}})\s*)?([{''.join(FRACTIONS)}])")
_SHORT_FRAC = re.compile(r"\\[dtc]?frac\s?(\d)\s?(\d)(?!\d)")
_AFTER_FRAC = re.compile(r"(?<=[dtc\\]frac)\s+(?=\{)|(?<=\})\s+(?=\{)")
_WIDE_THOUSANDS = re.compile(r"(?<=[０-９])，(?=[０-９]{3}(?![０-９]))")
_MANY_NAMES = [(re.compile(pattern), name) for pattern, name in _NAMES.items()]
_MINUTES = re.compile(
    r"(?<!\d)(\d++)°\s*+(\d{1,2})\s*+(?:['′’]|\^\s*+\{?\s*+\\prime\s*+\}?)(?:\s*+(\d{1,2})\s*+(?:''|″|\"))?"
)
_HAN_PERCENT = re.compile(
    r"(?<![零一二三四五六七八九十百千万亿又])百分之\s*(\d+(?:\.\d+)?|[零一二三四五六七八九十百点]{1,9})"
)
_VECTOR = re.compile(
    r"\\begin\s*\{([pb]?matrix|array)\}(?:\{[clr|]{1,9}\})?([^&]{1,200}?|(?:[^\\]|\\(?!\\)){1,200}?)\\end\s*\{\1\}"
)
_NEEDLESS_BRACES = re.compile(r"(?<![\\^_A-Za-z}\]])\{\s*([A-Za-z]{1,12}|\d+)\s*\}")
_BOXED = re.compile(r"\\f?boxed\s*(?=\{)|\\fbox\s*(?=\{)")
_WORD = re.compile(r"(?<!\\)(?<![A-Za-z])[A-Za-z]{2,}")
_CELL = re.compile(r"(?<!\s)\s*+(?:&|\\\\(?:\[[^\]]{0,9}\])?)\s*")
_MOST_MISSING = 3
"""Braces that a slip may have left out at the end; a text without more of them was cut."""
_LONGEST = 4_000
"""Characters of an answer that are read: real ones have a few hundred at most."""


def plain(text: str) -> str:
    """``text`` in one spelling: no dollars, boxes, fonts, tags or pictures; ``\\mathrm{~cm}^{2}`` is `` cm^{2}``.

    Separators of parts (``\\quad``, line ends) and everything that can carry meaning stay.
    """
    return _plain(text[:_LONGEST])


@lru_cache(maxsize=1024)  # Gold and answer are looked at by each kind of comparison in turn.
def _plain(text: str) -> str:
    text = _LINES.sub(
        "\n", _WIDE_THOUSANDS.sub(",", html.unescape(text)).replace("\r", "\n").replace("，", ", ").replace("～", "∼")
    )
    if r"\begin" in text:
        text = _VECTOR.sub(lambda match: f"({re.sub(_CELL, ', ', match[2].strip())})", text)
    text = with_currency_words(balanced(text))
    text = _TWO_STARS.sub("^", _THOUSANDS.sub(",", text))
    text = _FRACTION_SIGN.sub(_written_out, text)
    if "frac" in text:
        text = _SHORT_FRAC.sub(r"\\frac{\1}{\2}", text)
        text = _AFTER_FRAC.sub("", text)
    text = _SUPERSCRIPT_TAG.sub(r"^{\1}", text)
    text = _SQUARED_UNITS.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    text = _CIRCLED.sub(lambda match: f" ({ord(match[0]) - ord('①') + 1}) ", text)
    text = _SUPERSCRIPT_RUN.sub(lambda match: "^{" + match[0].translate(_SUPERSCRIPTS) + "}", text)
    text = _SUBSCRIPT_RUN.sub(lambda match: "_{" + match[0].translate(_SUBSCRIPTS) + "}", text)
    text = _BLANKS.sub(" ", _DECORATION.sub("", _TAG.sub(" ", text)).translate(WIDE))
    for _ in range(6):
        unwrapped = _WRAPPER.sub(lambda match: f" {match[1]}", text)
        if unwrapped == text:
            break
        text = unwrapped
    text = _DEGREE.sub("°", _SWITCH.sub("", _BOXED.sub("", text)))
    text = _NEEDLESS_BRACES.sub(r" \1", text)
    for pattern, name in _MANY_NAMES:
        text = pattern.sub(name, text)
    text = _HAN_PERCENT.sub(lambda match: number_in_words(match[0]) or f"{match[1]}%", text)
    text = _MINUTES.sub(lambda match: f"({match[1]}+{match[2]}/60{f'+{match[3]}/3600' if match[3] else ''})°", text)
    lines = [with_slashes(" ".join(_SPACE.sub(" ", line).split())) for line in text.split("\n")]
    return unbraced("\n".join(line for line in lines if line))


def _written_out(match: re.Match[str]) -> str:
    """``(3+1/2)`` of ``3½``."""
    return f"({match[1]}+{FRACTIONS[match[2]]})" if match[1] else f"({FRACTIONS[match[2]]})"


def balanced(text: str) -> str:
    """``text`` without a brace that closes nothing, and with those that are missing at its end."""
    depth, kept = 0, []
    for at, sign in enumerate(text):
        if sign in "{}" and text[at - 1 : at] != "\\":
            depth += 1 if sign == "{" else -1
            if depth < 0:
                depth = 0
                continue
        kept.append(sign)
    return "".join(kept) + "}" * depth if depth <= _MOST_MISSING else text


def unbraced(text: str) -> str:
    """``text`` without the braces around the whole, and without the full stop or comma after it."""
    text = text.strip().strip("。；;，,、").rstrip(".!").strip()
    while len(text) > 1 and text[0] == "{" and closing(text, 0) == len(text) - 1:
        text = text[1:-1].strip().rstrip("。.；;，,").strip()
    return text


def squeezed(text: str) -> str:
    """``plain(text)`` for comparison sign by sign: words without regard to case, spaces only where they part words."""
    text = _WORD.sub(lambda match: match[0] if match[0].isupper() else match[0].lower(), plain(text))
    text = re.sub(r"(?<![A-Za-z])([A-Z]) (?=[A-Z](?![a-z]))", r"\1", text)
    text = re.sub(r"(?<=\w)\s+(?=\w)", "\x00", text)
    return re.sub(r"\s+", "", text).replace("\x00", " ")


def closing(text: str, start: int) -> int:
    """Where the bracket that opens at ``start`` closes; -1 where it does not."""
    opens = text[start]
    closes = {"(": ")", "[": "]", "{": "}"}[opens]
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == opens) - (text[at] == closes)
        if depth == 0:
            return at
    return -1


def top_level(text: str, separator: re.Pattern[str]) -> list[str]:
    """``text`` cut at the matches of ``separator`` that stand inside no bracket; the pieces, stripped."""
    depths, depth = [], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        depths.append(depth)
    pieces, start = [], 0
    for match in separator.finditer(text):
        if match.end() > match.start() and depths[match.start()] <= 0:
            pieces.append(text[start : match.start()].strip())
            start = match.end()
    return [*pieces, text[start:].strip()]
