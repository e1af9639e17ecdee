"""What the steps of a trace in prose say the answer is, and whether the answer of the trace is that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srt.answers import read_answer
from srt.checking.free.values import same_value, stated_value
from srt.language.trace import ClaimCheck, StepCheck, Trace
from srt.records import Problem

_LETTERS = r"[\s:：\"(（]*([A-Z](?:(?:[\s,，、和与及]|\band\b)*[A-Z])*)(?![A-Za-z])"
_NAMES_OPTIONS = re.compile(
    rf"(?:\b(?:answers?|options?|choices?|choose|select)\b(?:\s+(?:is|are))?|选项?|答案[为是]?){_LETTERS}"
)
_ENDS_WITH_OPTIONS = re.compile(
    r"(?:\b(?:answers?|(?:correct|right)\s+(?:options?|choices?))\s+(?:is|are)(?:\s+options?)?|\b(?:choose|select)\b"
    rf"|[故应]?选项?|答案[为是]?){_LETTERS}[)）\".。\s]*$"
)
_SAYS_VALUE = re.compile(
    r"(?:\b(?:is|are|equals|gives?|of|to|get|obtain|has|have|needs?)\b|[为是得有共需])[\s:：]*(?=[-\d\\$√π(])"
)
_VALUE_END = re.compile(r"[,，;；。]|\.(?!\d)|\s+(?:so|and|which|because)\b")
_PARTS = re.compile(r"\s*[;；]\s*")
_VALUES_TRIED = 6
_STEPS_TRIED = 12
_MOST_PARTS = 12
"""So many of the last values of a step, of so many last steps, are compared with the answer, or with so many parts of
it: each comparison is an exact simplification."""


@dataclass(frozen=True)
class Said:
    """A step, or the last line of a text: its words and the claims found in it."""

    text: str
    claims: Sequence[ClaimCheck]


@dataclass(frozen=True)
class Conclusion:
    """The verdict on the answer, and the steps (from 1) that it rests on."""

    verdict: StepCheck
    rests_on: frozenset[int]


def conclude(problem: Problem, trace: Trace, steps: Sequence[Said]) -> Conclusion:
    """The verdict on the answer of ``trace``, whose steps, or the last line of its text, are ``steps``.

    ``proved``: the last step states the answer, exactly; of an answer in parts, each part is stated by some step.
    ``refuted``: the last step ends by naming other options. ``consistent``: it was not found to state the answer.
    """
    letters = _letters(trace.answer, problem)
    parts = _PARTS.split(trace.answer.strip(";； ")) if letters is None else [trace.answer]
    if len(parts) > _MOST_PARTS:
        parts = [trace.answer]
    last = len(steps)
    stating = []
    for part in parts:
        states = (
            n for n in range(last, max(0, last - _STEPS_TRIED), -1) if _states(part, letters, steps[n - 1], problem)
        )
        stating.append(next(states, None))
    rests_on = frozenset([last, *(number for number in stating if number is not None)])
    if stating == [last] or (len(parts) > 1 and None not in stating):
        return Conclusion(StepCheck(support="proved"), rests_on)
    told = _ends_with(steps[-1].text, problem)
    if letters is not None and told is not None and told != letters:
        reason = f"what stands before it ends with {', '.join(sorted(told))}"
        return Conclusion(StepCheck(support="refuted", reason=reason), rests_on)
    reason = "no step was found to state it, in the same words or as an equal value"
    if stating != [None]:
        reason = f"step {min(rests_on)} states it, but the last step does not"
    return Conclusion(StepCheck(support="consistent", reason=reason), rests_on)


def _states(answer: str, letters: frozenset[str] | None, said: Said, problem: Problem) -> bool:
    """Whether ``said`` states ``answer``, which is the options ``letters`` or a value."""
    if letters is None:
        if stated_value(said.text) == stated_value(answer) != "" or _contains(said.text, answer):
            return True
        return any(same_value(value, answer) for value in _values(said))
    if (told := _ends_with(said.text, problem)) is not None:
        return told == letters
    if any(frozenset(re.findall("[A-Z]", named)) == letters for named in _NAMES_OPTIONS.findall(said.text)):
        return True
    # It may state the value of the option: of this one, and of no other.
    values = _values(said)
    return letters == {
        letter for letter, option in problem.choices.items() if any(same_value(value, option) for value in values)
    }


def _letters(answer: str, problem: Problem) -> frozenset[str] | None:
    read = read_answer(answer, "choice_set", problem.choices).answer if problem.choices else None
    return None if read is None else frozenset(read.value)


def _ends_with(text: str, problem: Problem) -> frozenset[str] | None:
    """The options that ``text`` ends by calling the answer, if it does so in as many words."""
    said = _ENDS_WITH_OPTIONS.search(text) if problem.choices else None
    letters = frozenset(re.findall("[A-Z]", said[1])) if said else frozenset()
    return letters if letters and letters <= set(problem.choices) else None


def _values(said: Said) -> list[str]:
    """The values that ``said`` speaks of, the last first."""
    values = [stated_value(claim.claim) for claim in said.claims if "=" in claim.claim]
    values.append(stated_value(said.text))
    values += [_VALUE_END.split(tail)[0] for tail in _SAYS_VALUE.split(said.text)[1:]]
    return list(dict.fromkeys(value.strip() for value in reversed(values) if 0 < len(value) <= 200))[:_VALUES_TRIED]


def _contains(text: str, answer: str) -> bool:
    """Whether an answer in words stands in ``text`` as it is; a number or a letter alone is no answer in words."""
    words = " ".join(answer.casefold().split())
    if len(re.findall(r"[^\W\d_]", words)) < 2:
        return False
    return re.search(rf"(?<![a-z0-9]){re.escape(words)}(?![a-z0-9])", " ".join(text.casefold().split())) is not None
