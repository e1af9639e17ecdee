"""Whether the answer of a trace in prose is the one that its steps state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srt.answers.equality import SAME_VALUE, equal_texts
from srt.answers.written_form import expected_kind, read_answer
from srt.io.records import Problem
from srt.language.trace import StepCheck, Trace
from srt.prose.checking.conclusion.asked_quantities import in_unit_asked, is_asked
from srt.prose.checking.conclusion.asserted_clauses import Clause, asks_what_is_wrong, last_assertions, last_clause
from srt.prose.checking.conclusion.question_words import answers_yes

_LETTERS = r"[\s:：\"(（]*([A-Z](?:(?:[\s,，、和与及]|\band\b)*[A-Z])*)(?![A-Za-z])"
_ANSWER_IS = (
    r"\b(?:answers?|(?:in)?(?:correct|right|true|false|wrong)\s+(?:options?|choices?|answers?|statements?|ones?))\s+(?:is|are)"
    r"(?:\s+options?)?|\b(?:choose|select|pick)\b(?:\s+options?)?|[故应]?选项?|答案[为是]?"
)
_NAMES_OPTIONS = re.compile(rf"(?:{_ANSWER_IS}|\b(?:options?|choices?)\b(?:\s+(?:is|are))?){_LETTERS}")
_RIGHT_OPTIONS = re.compile(
    r"(?<![A-Za-z])([A-Z](?:(?:[\s,，、和与及]|\band\b){0,6}[A-Z]){0,9})(?![A-Za-z])\s*+"
    r"(?:选?项|选择|options?|choices?)?的?(?:说法)?\s*+(?:(?:is|are)\s++)?(?:都|均|是|为)?(?:the\s++)?(?:correct|right|true|正确|对的?$|符合题意)",
)
"""Options that are said to be right: ``A 选项正确``, ``C is correct``."""
_ENDS_WITH_OPTIONS = re.compile(rf"(?:{_ANSWER_IS}){_LETTERS}[)）\".。\s]*$")
_COPULA = re.compile(
    r"(?<![!<>])=|≈|＝|[:：](?=\s*[^\d\s])|\b(?:is|are|equals?|gives?|to|get|obtain|has|have|needs?|called|makes?)\b"
    r"|等于|叫做?|称为|[为是得有共需放成即]|最多|至少|最少"
)
_EQUALS = re.compile(r"(?<![!<>])=|≈|＝")
_BEFORE_VALUE = re.compile(
    r"^(?:\s|[:：$\"“”'‘’]|\b(?:an?|the|therefore|thus|hence|then|also|exactly|only|just|indeed|equal to|about)\b"
    r"|一个|个|约)+",
    re.IGNORECASE,
)
_QUANTITY_OF = re.compile(
    r"^(?:(?:total|surface|lateral|base|slant|side|edge)\s+)*(?:volume|area|length|height|width|depth|radius|diameter|perimeter"
    r"|circumference|edge|side|distance|size|measure|total|value|ratio|capacity)\s+(?:of\s+)?(?=[-\d\\$√π(])"
)
_RELATED_TO = re.compile(r"\ue000\s*(?:to|with|than)\b")
_COMPARES = re.compile(r"小于|大于|多于|少于|超过|不足|等于|[比像如与和]\ue000|不同|than|like")
_WORDS_BEFORE = re.compile(
    r"(?=\D*\d)(?:[^\dA-Za-z\\]|\\[A-Za-z]++|\b[A-Za-z]\b)*(?:[A-Za-z]{2}|[\u4e00-\u9fff])[^\d]*\d"
)
_ANSWER = "\ue000"
"""Stands for an answer in words where a clause says it."""
_PARTS = re.compile(r"\s{0,20}[;；]\s*+|[\s,，、]{1,20}(?=[(（][2-9][)）]\s*+[^-+*/^=\s])")
_NUMBER_OF_PART = re.compile(r"^\s*(?:[(（][1-9][)）]|[①-⑨])\s*(?=\S)")
_VALUES_TRIED = 6
_STEPS_TRIED = 12
_MOST_PARTS = 12
"""The answer, or at most so many parts of it, is compared with so many of the last values of so many of the last steps:
each comparison is an exact simplification."""


@dataclass(frozen=True)
class Conclusion:
    """The verdict on the answer, and the steps (from 1) that it relies on."""

    verdict: StepCheck
    rests_on: frozenset[int]


def conclude(problem: Problem, trace: Trace, steps: Sequence[str]) -> Conclusion:
    """The verdict on the answer of ``trace``, given the texts of its ``steps``, or the last line of its prose.

    ``computed``: the last step states the answer, exactly; of an answer in parts, each part is stated by some step.
    Whether the steps compute what is stated is asked in :mod:`.answer_support`.
    ``refuted``: the last step ends by naming other options. ``consistent``: it was not found to state the answer.
    """
    letters = _letters(problem, trace)
    parts = parts_of(problem, trace)
    last = len(steps)
    stating = []
    for part in parts:
        states = (
            n
            for n in range(last, max(0, last - _STEPS_TRIED), -1)
            if _states(part, letters, steps[n - 1], problem, alone=len(parts) == 1)
        )
        stating.append(next(states, None))
    rests_on = frozenset([last, *(number for number in stating if number is not None)])
    if len(parts) > 1 and None in stating:  # Any of them may state the part that was not found.
        rests_on |= {number for number, step in enumerate(trace.steps, 1) if step.op == "INFER"}
    if stating == [last] or (len(parts) > 1 and None not in stating):
        return Conclusion(StepCheck(support="computed"), rests_on)
    named = _ends_with(steps[-1], problem)
    if letters is not None and named is not None and named != letters:
        reason = f"what stands before it ends with {', '.join(sorted(named))}"
        return Conclusion(StepCheck(support="refuted", reason=reason), rests_on)
    reason = "no step was found to state it, in the same words or as an equal value"
    if len(parts) > 1:
        reason = f"no step was found to state part {stating.index(None) + 1} of it"
    elif stating != [None]:
        reason = f"step {min(rests_on)} states it, but the last step does not"
    return Conclusion(StepCheck(support="consistent", reason=reason), rests_on)


def parts_of(problem: Problem, trace: Trace) -> list[str]:
    """The parts of the answer of ``trace``, without their numbers; one if it names options."""
    if _letters(problem, trace) is not None:
        return [trace.answer]
    parts = _PARTS.split(trace.answer.strip(";； "))
    return [_NUMBER_OF_PART.sub("", part) for part in parts] if 1 < len(parts) <= _MOST_PARTS else [trace.answer]


def _letters(problem: Problem, trace: Trace) -> frozenset[str] | None:
    read = read_answer(trace.answer, "choice_set", problem.choices).answer if problem.choices else None
    return None if read is None else frozenset[str](read.value)


def _states(answer: str, letters: frozenset[str] | None, text: str, problem: Problem, alone: bool) -> bool:
    """Whether ``text`` ends by stating ``answer``, which is the options ``letters`` or a value.

    If it is ``alone``, another value or another option after it means that it is not what the text states.
    """
    kind = expected_kind(problem)
    truth = read_answer(answer, "boolean", {}).answer if letters is None else None
    ending = last_clause(text)
    if truth is not None and ending is not None and not ending.guessed:
        yes = answers_yes(ending.said, problem.question)
        if yes is not None:
            return yes is truth.value
    masked = text if letters is not None else _masked(text, answer)
    for clause in last_assertions(masked, problem.question):
        if letters is not None:
            said = _letters_of(clause, problem)
            if said:
                return said == letters
        elif _says_words(clause, answer, problem) or any(
            equal_texts(answer, value, kind, SAME_VALUE).equal and in_unit_asked(value, answer, problem.question)
            for value in _asked_values(clause, problem, answer)
        ):
            return True
        elif alone and re.search(r"\d", clause.text):
            return False
    return False


def _letters_of(clause: Clause, problem: Problem) -> frozenset[str]:
    """The options that ``clause`` names, or whose values it states."""
    right = _RIGHT_OPTIONS.search(clause.text)
    if right is not None:
        found = frozenset(re.findall("[A-Z]", right[1]))
        return found if found <= set(problem.choices) and not asks_what_is_wrong(problem.question) else frozenset()
    named = [frozenset(re.findall("[A-Z]", found)) for found in _NAMES_OPTIONS.findall(clause.text)]
    if named:
        return named[-1]
    values = _asked_values(clause, problem)
    return frozenset(
        letter
        for letter, option in problem.choices.items()
        if any(equal_texts(option, value, "expression", SAME_VALUE).equal for value in values)
    )


def _ends_with(text: str, problem: Problem) -> frozenset[str] | None:
    """The options that ``text`` names as the answer at its end, if it does so explicitly."""
    last = next(last_assertions(text, problem.question), None) if problem.choices else None
    said = _ENDS_WITH_OPTIONS.search(last.text) if last else None
    letters = frozenset(re.findall("[A-Z]", said[1])) if said else frozenset()
    return letters if letters and letters <= set(problem.choices) else None


def _asked_values(clause: Clause, problem: Problem, answer: str = "") -> list[str]:
    """:func:`_values`, if they are of what the question asks for."""
    return _values(clause, answer) if is_asked(_subject(clause), problem.question) else []


def _subject(clause: Clause) -> str:
    """What ``clause`` states a value of: the left side of its equation, or what stands before its last verb."""
    said = clause.said
    if equals := _EQUALS.search(said):
        return said[: equals.start()]
    verbs = list(_COPULA.finditer(said))
    return said[: verbs[-1].start()] if verbs else ""


def _values(clause: Clause, answer: str = "") -> list[str]:
    """What ``clause`` says that something is, the last first.

    ``the supplement of 120`` is left out: words before a value change it, unless ``answer`` has words before it too.
    """
    parts = [clause.said, *_COPULA.split(clause.said)[1:]]
    bare = (_QUANTITY_OF.sub("", _BEFORE_VALUE.sub("", part)).strip(' .。$"“”') for part in reversed(parts))
    values = dict.fromkeys(value for value in bare if 0 < len(value) <= 200)
    changed = [] if _WORDS_BEFORE.match(answer) else [value for value in values if _WORDS_BEFORE.match(value)]
    return [value for value in values if value not in changed][:_VALUES_TRIED]


def _says_words(clause: Clause, answer: str, problem: Problem) -> bool:
    """Whether the ``answer`` in words is what ``clause`` says that something is."""
    if _ANSWER not in clause.text or (re.search(r"\d", answer) and not is_asked(_subject(clause), problem.question)):
        return False
    if any(value == _ANSWER or _RELATED_TO.match(value) for value in _values(clause)):
        return True
    # In Chinese no verb is needed: 直线与平面平行.
    ends = re.search(rf"[\u4e00-\u9fff]{_ANSWER}$", clause.said.strip(' .。"”'))
    return ends is not None and not _COMPARES.search(clause.text)


def _masked(text: str, answer: str) -> str:
    """``text`` with an answer in words replaced by one sign; a number or a letter alone is no answer in words."""
    words = " ".join(answer.split())
    if len(re.findall(r"[^\W\d_]", re.sub(r"\\[A-Za-z]+", "", words))) < 2:
        return text
    within = rf"(?<![A-Za-z0-9]){re.escape(words)}(?![A-Za-z0-9])"
    return re.sub(within, _ANSWER, " ".join(text.split()), flags=re.IGNORECASE)
