"""Does the solution end with the gold answer? Only an unmistakable last word is read, and a clear contradiction told.

A last word is what follows "故选", "答案为", "the answer is" or stands in ``\\boxed{}``, the last of them in the text.
Two values differ where both can be read exactly and are not equal; whatever else, nothing is said.
"""

from __future__ import annotations

import re

from srt.answers import canonical_text
from srt.corpora.gold import read_gold
from srt.prose import equal_values
from srt.records import Answer, Problem

_CHOSEN = re.compile(
    r"(?:故\s*(?:答案)?\s*(?:应)?选|因此\s*选|正确(?:答案|选项)(?:是|为)?|答案选|本题\s*选择?|(?:answer|choice|option)\s+is|choose)"
    r"\s*(?:[:：]|option|选项)?\s*[$(（{]*\s*(?:\\(?:mathrm|text|mathbf)\s*\{\s*)?([A-H]+)(?![A-Za-z'′_\d]|\s*[=\\])",
    re.I,
)
_ANSWER = re.compile(
    r"(?:故\s*(?:此题)?\s*(?:正确)?\s*答案\s*(?:应)?\s*[是为]|答案\s*[是为]|(?:the\s+(?:final\s+|correct\s+)?)answer\s+is)\s*[:：]?\s*",
    re.I,
)
# Runs of blanks cost the patterns the square of their length; a paragraph's end is one line's end to them.
_BLANKS = re.compile(r"[^\S\n]+|(?<=\n)\s+")
_END = re.compile(r"[。\n]|\.(?!\d)|[;；]")
_BOXED = "\\boxed{"
_LONGEST = 120
_TAIL = 4_000
"""Characters at the end of a solution in which its last word is looked for."""


def disagreement(problem: Problem) -> str | None:
    """One line where the solution's last word is another answer than gold; ``None`` else, also where it has none."""
    if problem.answer is None or not problem.solution:
        return None
    ending = _BLANKS.sub(" ", problem.solution[-_TAIL:])
    if problem.answer.kind == "choice_set":
        chosen = _last_letters(ending)
        if chosen is None or chosen == problem.answer.value or not set(chosen) <= set(problem.choices or chosen):
            return None
        return f"the solution chooses {', '.join(chosen)}, gold is {canonical_text(problem.answer)}"
    if problem.answer.kind not in ("number", "expression"):
        return None
    said = _last_value(ending)
    if said is None or not _differ(problem.answer, said):
        return None
    return f"the solution ends with {canonical_text(said)!r}, gold is {canonical_text(problem.answer)!r}"


def _last_letters(solution: str) -> list[str] | None:
    found = list(_CHOSEN.finditer(solution))
    letters = list(found[-1][1]) if found else []
    # "Answer is BAD" is no choice of letters, and a lower-case word behind "answer is" is none either.
    return letters if letters and letters == sorted(set(letters)) and found[-1][1].isupper() else None


def _last_value(solution: str) -> Answer | None:
    """The number or expression that stands last as the answer; ``None`` where that place holds anything else."""
    boxed = solution.rfind(_BOXED)
    marks = [match.end() for match in _ANSWER.finditer(solution)]
    if boxed > (marks[-1] if marks else -1):
        text = _braced(solution, boxed + len(_BOXED))
    elif marks:
        text = _END.split(solution[marks[-1] : marks[-1] + _LONGEST], maxsplit=1)[0]
    else:
        return None
    answer = read_gold(text, {}, choice=False).answer if text else None
    return answer if answer is not None and answer.kind in ("number", "expression") else None


def _braced(text: str, start: int) -> str:
    depth = 1
    for at in range(start, min(len(text), start + _LONGEST)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return text[start:at]
    return ""


def _differ(gold: Answer, said: Answer) -> bool:
    """Both are exact values, of units that do not tell them apart, and not equal. A rounding is not a difference."""
    if gold.unit != said.unit and gold.unit and said.unit:
        return False
    if gold.kind == said.kind == "number":
        one, other = float(gold.value), float(said.value)
        return abs(one - other) > 0.01 * max(abs(one), abs(other))
    return equal_values(str(gold.value), str(said.value)) is False
