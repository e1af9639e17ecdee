"""Mixed numbers and Chinese fractions within an expression: ``3 1/2``, ``3\\frac{1}{2}`` and 3又1/2 are 3 + 1/2.

They are no products, and no two numbers.
"""

from __future__ import annotations

import re

from srt.answers.equality.spelled_numbers import HAN_FRACTION, number_in_words

_INTEGERS = r"(?<![\w.,^}/)])(\d{1,6})"
_MIXED = (
    re.compile(_INTEGERS + r"\s*+又?\s*+\\frac\s*+(?:\{\s*+(\d{1,6})\s*+\}\s*+\{\s*+(\d{1,6})\s*+\}|(\d)(\d))"),
    re.compile(_INTEGERS + r"(?:\s+|\s*又\s*)(\d{1,6})\s*/\s*(\d{1,6})(?![\d.])"),
)
_HAN_SPACING = re.compile(r"(?<!\s)\s*+(又|分之)\s*")


def with_sums(text: str) -> str:
    """``text`` with its mixed numbers as sums, and 三分之二 as a fraction."""

    def as_sum(match: re.Match[str]) -> str:
        whole, above, below = [group for group in match.groups() if group is not None]
        return f"({whole}+{above}/{below})" if int(above) < int(below) else match[0]

    if "分之" in text:
        text = HAN_FRACTION.sub(
            lambda match: f"({number_in_words(match[0]) or match[0]})", _HAN_SPACING.sub(r"\1", text)
        )
    if "/" in text or "frac" in text or "又" in text:
        for pattern in _MIXED:
            text = pattern.sub(as_sum, text)
    return text
