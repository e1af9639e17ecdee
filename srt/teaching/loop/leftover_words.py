"""What a text says beside its calculations: the words that are left once those and mere connectives are taken out.

Of a Reviewer's objection nothing must be left, or it is not about the arithmetic alone; of a step in prose nothing must
be left, or its claims are not all that it says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from srt.language.trace import ClaimCheck
from srt.teaching.case_store.case_records import Issue

# A number, or several with operators between them. It begins and ends with a digit, π or a bracket, so that the full
# stop of a sentence is no part of it.
_CALCULATION = re.compile(r"[\d√π(\\](?:[\d\s.+\-−*/×÷·^√π(){}²³]|\\[a-z]+){0,100}[\d)π}²³]|\d")
_OPERATOR = re.compile(r"[+\-−*/×÷·^√²³]|\\(?:frac|times|cdot|sqrt|div)")
# What an objection to arithmetic is said with. A word that is not in here (a unit, "volume", "clue") may be the point
# of another objection, so the list is meant to be too short rather than too long.
_WORDS_OF_ARITHMETIC = re.compile(
    r"\b(?:the|this|that|it|a|an|is|are|was|be|to|not|and|but|so|in|of|here|step|should|must|would|gives?|makes?|equals?|equal"
    r"|result|value|number|product|sum|difference|quotient|arithmetic|arithmetical|numerical|multiplication|addition"
    r"|subtraction|division|multiplied|added|times|plus|minus|divided|by|wrong|wrongly|false|incorrect|incorrectly|error"
    r"|mistake|miscalculated|miscomputed|computed|calculated|calculation|computation|equation|does|do|hold|doesn't|isn't"
    r"|instead|actually|really|true|right|seems?|says)\b|[这该此]|[一个步的是为不应该等于得到错误结果数值乘积和差商计算算式正确而非了有误成立]",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
# What joins a step to the one before without saying anything of its own.
_CONNECTIVES = re.compile(
    r"\b(?:so|thus|hence|therefore|then|we|get|have|obtain|find|it|follows|that|this|gives|which|and|is|by|calculation"
    r"|compute|calculate|simplify|simplifying|solving|from|steps?|#\s?\d+|\d+)\b"
    r"|所以|因此|从而|于是|可得|得到|得|即|则|故|有|计算|解得|由|步骤|第\s*\d+\s*步"
    r"|\\(?:therefore|because|quad|qquad|text|mathrm)\b|#\s?\d+",
    re.IGNORECASE,
)
# Digits count too: in a step, a number outside every claim is something said that nobody has checked.
_LETTER_DIGIT_OR_EQUALS = re.compile(r"[^\W_]|=")


def objects_to_arithmetic(issue: Issue, equation: str) -> bool:
    """Whether ``issue``, about the step that says ``equation``, says that this calculation comes out otherwise.

    It may name another result, but no other calculation: that would be another formula. A word beyond those of
    arithmetic (a unit, a formula, a premise) makes it another objection.
    """
    said = f"{issue.explanation} ; {issue.suggested_fix or ''}"
    there = _bare(equation)
    for match in _CALCULATION.finditer(said):
        if _OPERATOR.search(match[0]) and _bare(match[0]) not in there:
            return False
    return not _LETTER.search(_WORDS_OF_ARITHMETIC.sub(" ", _CALCULATION.sub(" ", said)))


def has_unclaimed_text(assertion: str, claims: Sequence[ClaimCheck]) -> bool:
    """Whether ``assertion`` has more than connecting words outside its ``claims``.

    If not, the step holds if its claims do. A symbol set equal to a calculation (``V = 3 * 4``, where the
    claim is what follows) is unclaimed text: nothing shows that it is the right calculation.
    """
    # Blanked, not cut out: the places of the other claims stay right, and no two words grow together.
    outside = list(assertion)
    for claim in claims:
        outside[claim.start : claim.end] = " " * (claim.end - claim.start)
    return bool(_LETTER_DIGIT_OR_EQUALS.search(_CONNECTIVES.sub(" ", "".join(outside))))


def _bare(text: str) -> str:
    return re.sub(r"[\s$]", "", text).replace("×", "*").replace("·", "*").replace("−", "-")
