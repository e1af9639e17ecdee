"""Does the solution end with the gold answer? Only its unmistakable last word is read, and contradictions reported.

A last word is what follows "故选", "答案为", "the answer is" or is in ``\\boxed{}``, the last of them in the text. Of
two values, only a difference for certain is reported, under a policy that allows for units and rounding.
"""

from __future__ import annotations

import re

from srt.answers.equality import CONTRADICTION, equal_to_gold
from srt.answers.equality.normal_form import closing
from srt.answers.written_form import canonical_text
from srt.corpora.gold_answers import read_gold
from srt.io.records import Answer, Problem

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
    """One line if the last word of the solution contradicts gold, otherwise ``None``."""
    if problem.answer is None or not problem.solution:
        return None
    # The last word stands at the end, and patterns on a whole solution take long.
    ending = _BLANKS.sub(" ", problem.solution[-_TAIL:])
    if problem.answer.kind == "choice_set":
        found = list(_CHOSEN.finditer(ending))
        chosen = list(found[-1][1]) if found else []
        # "Answer is BAD" is no choice of letters, and neither is a word in small letters after "answer is".
        is_choice = bool(chosen) and chosen == sorted(set(chosen)) and found[-1][1].isupper()
        if not is_choice or chosen == problem.answer.value or not set(chosen) <= set(problem.choices or chosen):
            return None
        return f"the solution chooses {', '.join(chosen)}, gold is {canonical_text(problem.answer)}"
    if problem.answer.kind not in ("number", "expression"):
        return None
    said = _last_value(ending)
    if said is None or equal_to_gold(problem, canonical_text(said), CONTRADICTION).verdict != "differs":
        return None
    return f"the solution ends with {canonical_text(said)!r}, gold is {canonical_text(problem.answer)!r}"


def _last_value(solution: str) -> Answer | None:
    """The number or expression that is given last as the answer; ``None`` where that place has anything else."""
    boxed = solution.rfind(_BOXED)
    marks = [match.end() for match in _ANSWER.finditer(solution)]
    if boxed > (marks[-1] if marks else -1):
        start = boxed + len(_BOXED)
        end = closing(solution[: start + _LONGEST], start - 1)
        text = solution[start:end] if end >= 0 else ""
    elif marks:
        text = _END.split(solution[marks[-1] : marks[-1] + _LONGEST], maxsplit=1)[0]
    else:
        return None
    answer = read_gold(text, {}, choice=False).answer if text else None
    return answer if answer is not None and answer.kind in ("number", "expression") else None
