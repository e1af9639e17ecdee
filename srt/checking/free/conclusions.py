"""Whether the answer of a trace in prose is the one that its steps state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srt.answers.equality import SAME_VALUE, equal_texts
from srt.answers.written_form import expected_kind, read_answer
from srt.io.records import Problem
from srt.language.trace import ClaimCheck, StepCheck, Trace

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
"""The answer, or at most so many parts of it, is compared with so many of the last values of so many of the last steps:
each comparison is an exact simplification."""


@dataclass(frozen=True)
class Passage:
    """A step, or the last line of a text, and the claims found in it."""

    text: str
    claims: Sequence[ClaimCheck]


@dataclass(frozen=True)
class Conclusion:
    """The verdict on the answer, and the steps (from 1) that it relies on."""

    verdict: StepCheck
    rests_on: frozenset[int]


def conclude(problem: Problem, trace: Trace, steps: Sequence[Passage]) -> Conclusion:
    """The verdict on the answer of ``trace``, whose steps, or the last line of its text, are ``steps``.

    ``proved``: the last step states the answer, exactly; of an answer in parts, each part is stated by some step.
    ``refuted``: the last step ends by naming other options. ``consistent``: it was not found to state the answer.
    """
    read = read_answer(trace.answer, "choice_set", problem.choices).answer if problem.choices else None
    letters = None if read is None else frozenset[str](read.value)
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
    named = _ends_with(steps[-1].text, problem)
    if letters is not None and named is not None and named != letters:
        reason = f"what stands before it ends with {', '.join(sorted(named))}"
        return Conclusion(StepCheck(support="refuted", reason=reason), rests_on)
    reason = "no step was found to state it, in the same words or as an equal value"
    if stating != [None]:
        reason = f"step {min(rests_on)} states it, but the last step does not"
    return Conclusion(StepCheck(support="consistent", reason=reason), rests_on)


def _states(answer: str, letters: frozenset[str] | None, passage: Passage, problem: Problem) -> bool:
    """Whether ``passage`` states ``answer``, which is the options ``letters`` or a value."""
    if letters is None:
        kind = expected_kind(problem)
        return _contains(passage.text, answer) or any(
            equal_texts(answer, value, kind, SAME_VALUE).equal for value in _values(passage)
        )
    if (named := _ends_with(passage.text, problem)) is not None:
        return named == letters
    if any(frozenset(re.findall("[A-Z]", found)) == letters for found in _NAMES_OPTIONS.findall(passage.text)):
        return True
    # It may state the value of the option: of this one, and of no other.
    values = _values(passage)
    return letters == {
        letter
        for letter, option in problem.choices.items()
        if any(equal_texts(option, value, "expression", SAME_VALUE).equal for value in values)
    }


def _ends_with(text: str, problem: Problem) -> frozenset[str] | None:
    """The options that ``text`` names as the answer at its end, if it does so explicitly."""
    said = _ENDS_WITH_OPTIONS.search(text) if problem.choices else None
    letters = frozenset(re.findall("[A-Z]", said[1])) if said else frozenset()
    return letters if letters and letters <= set(problem.choices) else None


def _values(passage: Passage) -> list[str]:
    """The values that ``passage`` mentions, the last first."""
    values = [claim.claim.rpartition("=")[2] for claim in passage.claims if "=" in claim.claim]
    values.append(passage.text)
    values += [_VALUE_END.split(tail)[0] for tail in _SAYS_VALUE.split(passage.text)[1:]]
    return list(dict.fromkeys(value.strip() for value in reversed(values) if 0 < len(value) <= 200))[:_VALUES_TRIED]


def _contains(text: str, answer: str) -> bool:
    """Whether ``text`` has an answer in words verbatim; a number or a letter alone is not an answer in words."""
    words = " ".join(answer.casefold().split())
    if len(re.findall(r"[^\W\d_]", words)) < 2:
        return False
    return re.search(rf"(?<![a-z0-9]){re.escape(words)}(?![a-z0-9])", " ".join(text.casefold().split())) is not None
