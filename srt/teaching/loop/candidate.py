"""A model's answer, read as a trace.

Premises are read leniently (``step 2``, ``第2步``, ``given 1``, ``Option A``). One that cannot be read is left out and
becomes an issue, so that it is repaired like any other fault.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.premises import WORDS, entity_word
from srt.language.trace import OPERATIONS, Step, Trace, TraceKind, one_line
from srt.llm.exchange import Outcome, Unusable
from srt.llm.request import JsonSchema, closed_object, within
from srt.prose.checking.givens import givens_of
from srt.teaching.case_store.case_records import Issue
from srt.worlds.world_registry import world_of

Form = str
"""What a teacher is asked to write: a free trace (``srt``), prose (``cot``), or a trace of the world with this name."""

MAX_STEPS = 100
MAX_PREMISES = 40
_LONGEST_NAME = 60
_MOST = {"token": 32, "steps": MAX_STEPS, "premises": 16, "claim": 300, "text": 1000, "answer": 300}
"""Items and characters of the parts of a trace, where the schema is bounded."""
_SIGNS = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u2200-\u22ff\u25a0-\u25ff\u4e00-\u9fff"
_NAME = f"^[{_SIGNS}][{_SIGNS}0-9 '.-]{{0,39}}$"
"""A name as a premise: Latin, Greek or Chinese, or with a sign for a figure; no number of a clue or a step."""
# `#3`, `step 3`, `the result of step #3`, `第3步`, `3`.
_STEP = re.compile(r"(?:#|(?:the )?(?:steps?|result of step) ?#?|步骤|第)? ?(\d{1,4}) ?步?", re.IGNORECASE)
_STEP_RANGE = re.compile(r"(?:#|steps? ?#?|步骤) ?(\d{1,3}) ?(?:-|–|to|至|到) ?#?(\d{1,3})", re.IGNORECASE)
_GIVEN_NOUN = r"givens?|clues?|conditions?|facts?|sentences?|statements?|已知条件|已知|条件|线索|第"
# `(2)`, `clue (2)`, `given 2`, `第2句`: with brackets the noun may be missing, as a bare number is a step.
_GIVEN = re.compile(
    rf"(?:the )?(?:{_GIVEN_NOUN})? ?[(\[] ?(\d{{1,3}}) ?[)\]]|"
    rf"(?:the )?(?:{_GIVEN_NOUN}) ?#?(\d{{1,3}}) ?(?:个?条件|句)?",
    re.IGNORECASE,
)
# `option b`, `(B)`, `B.`; a single lower-case letter is a name, which `_read_one` handles.
_OPTION = re.compile(r"(?:option|choice|选项) ?[(\[]?([A-Z])[)\]]?|[(\[]?([A-Z])[)\].]?", re.IGNORECASE)
_SYNONYMS = {
    "question": {
        "question", "the question", "what is asked", "asked", "problem", "the problem", "given", "the given", "givens",
        "题问", "问题", "所问", "题目所问", "题目", "题干", "已知",
    },
    "scene": {
        "scene", "the scene", "rules", "rules of the scene", "geometry", "rule", "rules of geometry", "figure",
        "picture", "diagram", "image", "the figure", "the picture", "the diagram", "场景", "图", "图形", "图中", "规则",
        "几何规则",
    },
    "wlog": {"wlog", "w.l.o.g.", "without loss of generality", "不妨设"},
}  # fmt: skip
_WORD_OF = {word: key for key, words in _SYNONYMS.items() for word in words}
_CIRCLED = {ord("①") + k: f"({k + 1})" for k in range(20)}
# `#1 (2)`: several without anything between them.
_REFERENCES = re.compile(r"(?:(?:#\d+|\(\d+\)) ?)+")
_SEVERAL = re.compile(r"(?<!\s)\s*+(?:[,;、，；&]|\band\b|和|与)\s*+")


@dataclass(frozen=True)
class Candidate:
    """A trace as a model wrote it, with issues for the parts that could not be read."""

    trace: Trace
    issues: tuple[Issue, ...]


def form_of(problem: Problem, arm: str) -> Form:
    """The form for ``problem``: claims of an exact world that has prompts for it, else prose."""
    if arm == "cot":
        return "cot"
    world = world_of(problem)
    return world.name if world is not None and world.extras.prompts is not None else "srt"


def form_of_trace(problem: Problem, trace: Trace) -> Form:
    """The form in which ``trace``, of ``problem``, is written."""
    prose: dict[TraceKind, Form] = {"free": "srt", "cot": "cot"}
    return prose.get(trace.kind) or form_of(problem, "srt")


def kind_of(form: Form) -> TraceKind:
    """The kind of trace that is written in ``form``."""
    kinds: dict[Form, TraceKind] = {"srt": "free", "cot": "cot"}
    return kinds.get(form, "world")


def read_candidate(payload: Mapping[str, Any], problem: Problem, form: Form, trace_id: str, teacher: str) -> Candidate:
    """The trace in ``payload``, a JSON object whose token has been checked.

    Raises:
        Unusable: it is empty, or not in ``form``.
    """
    answer = one_line(_text(payload, "answer"))
    text: str | None = None
    steps: tuple[Step, ...] = ()
    issues: list[Issue] = []
    if form == "cot":
        text = _text(payload, "text")
        if not text.strip() or not answer:
            raise Unusable(Outcome.EMPTY, "its text or its answer is empty")
    else:
        listed = payload.get("steps")
        if not isinstance(listed, list):
            raise Unusable(Outcome.MALFORMED, '"steps" is not a list')
        if not listed or not answer:
            raise Unusable(Outcome.EMPTY, "it has no steps or no answer")
        # A model that has lost the thread repeats steps to its token limit: checking them all would show nothing.
        if len(listed) > MAX_STEPS:
            raise Unusable(Outcome.MALFORMED, f"it has more than {MAX_STEPS} steps")
        steps = tuple(_step(raw, number, form, issues) for number, raw in enumerate(listed, 1))
    try:
        trace = Trace(
            id=trace_id, problem_id=problem.id, kind=kind_of(form), lang=problem.lang, steps=steps, text=text,
            answer=answer, teacher=teacher,
        )  # fmt: skip
    except ValidationError as error:
        raise Unusable(Outcome.MALFORMED, _first(error)) from None
    return Candidate(trace, tuple(issues))


def schema_of(form: Form, problem: Problem) -> JsonSchema:
    """The JSON schema of the answer; every key is required and no other allowed, as strict servers demand.

    Bounded, a step cites what ``problem`` gives, or names, and not without end: a small model that has lost the thread
    goes on until it is cut off, which is paid for.
    """
    text = {"type": "string"}
    if form == "cot":
        prose = closed_object({"token": text, "text": text, "answer": text})
        return JsonSchema(name="explanation", definition=prose, bounded=within(prose, {**_MOST, "text": 8000}))
    step = {
        "op": {"type": "string", "enum": list(OPERATIONS)},
        "premises": {"type": "array", "items": text},
        _text_key(form): text,
    }
    steps = {"type": "array", "items": closed_object(step)}
    trace = closed_object({"token": text, "steps": steps, "answer": text})
    bounded = within(trace, _MOST)
    cited = bounded["properties"]["steps"]["items"]["properties"]["premises"]
    cited["items"] = {"anyOf": [{**text, "enum": _citable(problem)}, {**text, "pattern": _NAME}]}
    return JsonSchema(name="trace", definition=trace, bounded=bounded)


def _citable(problem: Problem) -> list[str]:
    """The premises that a trace of ``problem`` can have, apart from names."""
    count = givens_of(problem).count
    givens = [f"({k})" for k in range(1, 1 + min(MAX_PREMISES, MAX_PREMISES if count is None else count))]
    words = sorted(WORDS[problem.lang].keys() | WORDS[problem.lang].values())
    return [*givens, *(f"#{k}" for k in range(1, MAX_STEPS)), *words, *sorted(problem.choices)]


def read_premise(word: str) -> tuple[str, ...]:
    """The canonical premises that a model's ``word`` means: one, or several if it is a list.

    Raises:
        ValueError: it cannot be read as premises.
    """
    # ① first: NFKC makes a bare 1 of it, which would be a step.
    text = one_line(unicodedata.normalize("NFKC", word.translate(_CIRCLED))).strip("\"'“”`.。 ")
    if ranged := _STEP_RANGE.fullmatch(text):
        first, last = int(ranged[1]), int(ranged[2])
        # "steps 1-9999" would be ten thousand premises from nine characters.
        if not 0 < first <= last < first + MAX_PREMISES:
            raise ValueError(f"{text!r} is no range of steps")
        return tuple(f"#{number}" for number in range(first, last + 1))
    if _REFERENCES.fullmatch(text):
        return _read_list(re.findall(r"#\d+|\(\d+\)", text))
    try:
        return (_read_one(text),)
    except ValueError:
        parts = _SEVERAL.split(text)
        if len(parts) < 2 or len(text) > 2 * _LONGEST_NAME:
            raise
        return _read_list(parts)


def _read_list(parts: list[str]) -> tuple[str, ...]:
    """``steps 1, 2 and 3``: a bare number in a list is of the same sort as the premise before it."""
    words: list[str] = []
    for part in parts:
        if part.isdecimal() and words and words[-1].startswith("("):
            words.append(f"({int(part)})")
        elif part:
            words.append(_read_one(part))
    return tuple(words)


def _read_one(text: str) -> str:
    if not text:
        raise ValueError("an empty premise")
    if word := _WORD_OF.get(text.casefold()):
        return word
    if match := _STEP.fullmatch(text):
        return f"#{_counting(match[1])}"
    if match := _GIVEN.fullmatch(text):
        return f"({_counting(match[1] or match[2])})"
    match = _OPTION.fullmatch(text)
    if match and (match[1] or match[2].isupper()):
        return (match[1] or match[2]).upper()
    if len(text) > _LONGEST_NAME or _SEVERAL.search(text) or not any(c.isalpha() for c in text):
        short = text[:_LONGEST_NAME]
        raise ValueError(f"{short!r} is not a premise; expected (k), #k, question, scene, an option or a name")
    # Printed as a premise it would be read as that word, and the trace would say something else.
    if text in {word for words in WORDS.values() for word in words.values()}:
        raise ValueError(f"{text!r} is a word of the trace language, not a name")
    return entity_word(text)


def _counting(digits: str) -> int:
    if number := int(digits):
        return number
    raise ValueError("steps and givens count from 1")


def _step(raw: Any, number: int, form: Form, issues: list[Issue]) -> Step:
    if not isinstance(raw, Mapping):
        raise Unusable(Outcome.MALFORMED, f"step {number} is not an object")
    operation = str(raw.get("op", "")).strip().upper()
    if operation not in OPERATIONS:
        raise Unusable(Outcome.MALFORMED, f'"op" of step {number} is not one of {", ".join(OPERATIONS)}')
    body = one_line(_text(raw, _text_key(form), f"step {number}: "))
    if not body:
        raise Unusable(Outcome.MALFORMED, f"step {number} says nothing")
    args = _premises(raw.get("premises", []), number, issues)
    said = {"claim": body} if kind_of(form) == "world" else {"assertion": body}
    try:
        return Step.model_validate({"op": operation, "args": args, **said})
    except ValidationError as error:
        raise Unusable(Outcome.MALFORMED, f"step {number}: {_first(error)}") from None


def _text_key(form: Form) -> str:
    """The key of a step's text: a claim in a world's language, or prose."""
    return "claim" if kind_of(form) == "world" else "text"


def _premises(listed: Any, number: int, issues: list[Issue]) -> list[str]:
    # Some models write a single premise without a list around it.
    words = [listed] if isinstance(listed, str | int) else listed
    if not isinstance(words, list):
        raise Unusable(Outcome.MALFORMED, f'"premises" of step {number} is no list')
    args: list[str] = []
    for word in words[:MAX_PREMISES]:
        try:
            args += [arg for arg in read_premise(storable(str(word))) if arg not in args]
        except ValueError as error:
            # An issue, not a refusal: the rest of the trace can be repaired, and the issue names the word that failed.
            issues.append(Issue(by="machine", step=number, fault=Fault.MALFORMED, explanation=f"premise: {error}"))
    if len(words) > MAX_PREMISES:
        why = f"more than {MAX_PREMISES} premises; those after that were left out"
        issues.append(Issue(by="machine", step=number, fault=Fault.MALFORMED, explanation=why))
    return args


def _text(payload: Mapping[str, Any], key: str, where: str = "") -> str:
    value = payload.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise Unusable(Outcome.MALFORMED, f'{where}"{key}" is not text')
    return storable(value)


def storable(text: str) -> str:
    """``text`` with what UTF-8 cannot encode replaced: JSON may contain half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _first(error: ValidationError) -> str:
    return str(error.errors(include_url=False)[0]["msg"]).removeprefix("Value error, ")
