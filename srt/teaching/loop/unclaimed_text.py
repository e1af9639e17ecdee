"""Text of a step in prose besides the claims that a machine found in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from srt.language.trace import ClaimCheck

_CONNECTIVES = re.compile(
    r"\b(?:so|thus|hence|therefore|then|we|get|have|obtain|find|it|follows|that|this|gives|which|and|is|by|calculation"
    r"|compute|calculate|simplify|simplifying|solving|from|steps?|#\s?\d+|\d+)\b"
    r"|所以|因此|从而|于是|可得|得到|得|即|则|故|有|计算|解得|由|步骤|第\s*\d+\s*步"
    r"|\\(?:therefore|because|quad|qquad|text|mathrm)\b|#\s?\d+",
    re.IGNORECASE,
)
_CONTENT = re.compile(r"[^\W_]|=")


def has_unclaimed_text(assertion: str, claims: Sequence[ClaimCheck]) -> bool:
    """Whether ``assertion`` has more than connecting words outside its ``claims``.

    If not, a proof of the claims is a proof of the step. A symbol set equal to a calculation (``V = 3 * 4``, where the
    claim is what follows) is unclaimed text: nothing shows that it is the right calculation.
    """
    outside = list(assertion)
    for claim in claims:
        outside[claim.start : claim.end] = " " * (claim.end - claim.start)
    return bool(_CONTENT.search(_CONNECTIVES.sub(" ", "".join(outside))))
