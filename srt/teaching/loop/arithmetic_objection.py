"""Whether a Reviewer objects to the arithmetic of an equation, and to nothing else."""

from __future__ import annotations

import re

from srt.teaching.case_store.case_records import Issue

_CALCULATION = re.compile(r"[\d√π(\\](?:[\d\s.+\-−*/×÷·^√π(){}²³]|\\[a-z]+)*[\d)π}²³]|\d")
_OPERATOR = re.compile(r"[+\-−*/×÷·^√²³]|\\(?:frac|times|cdot|sqrt|div)")
_WORDS = re.compile(
    r"\b(?:the|this|that|it|a|an|is|are|was|be|to|not|and|but|so|in|of|here|step|should|must|would|gives?|makes?|equals?|equal"
    r"|result|value|number|product|sum|difference|quotient|arithmetic|arithmetical|numerical|multiplication|addition"
    r"|subtraction|division|multiplied|added|times|plus|minus|divided|by|wrong|wrongly|false|incorrect|incorrectly|error"
    r"|mistake|miscalculated|miscomputed|computed|calculated|calculation|computation|equation|does|do|hold|doesn't|isn't"
    r"|instead|actually|really|true|right|seems?|says)\b|[这该此]|[一个步的是为不应该等于得到错误结果数值乘积和差商计算算式正确而非了有误成立]",
    re.IGNORECASE,
)
_CONTENT = re.compile(r"[^\W\d_]")


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
    return not _CONTENT.search(_WORDS.sub(" ", _CALCULATION.sub(" ", said)))


def _bare(text: str) -> str:
    return re.sub(r"[\s$]", "", text).replace("×", "*").replace("·", "*").replace("−", "-")
