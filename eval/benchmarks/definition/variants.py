"""Variants of a problem: its options rolled, its pictures mirrored; and the scores of its variants combined.

A problem is asked as it is (``plain``), with its options moved on by ``k`` places (``roll-k``), in a mirrored form
(``flip``), or both (``flip-roll-k``). *Circular* accuracy counts a problem only if every roll is answered correctly,
*average* accuracy is the mean over the rolls, *flip* needs both the plain and the mirrored form. Each variant is an
ordinary question: back ends know nothing of variants.

Not every problem can be rolled (:func:`why_not_rolled`): such a problem is asked once, and counted. An option about all
others ("none of the above", 以上都不对) stays last while the others move.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from pydantic import ValidationError

from eval.records.run_rows import StoredScore
from srt.io.errors import UserError
from srt.io.record_lines import validation_fault
from srt.io.records import Answer, Image, Letter, Problem, Record

PLAIN = "plain"
FLIP = "flip"
TWINS = "twins"
"""The key of ``Problem.meta`` that holds other forms of the problem, by name (:class:`Twin`)."""

View = Literal["vanilla", "average", "circular", "flip", "flip-circular"]
VIEWS: tuple[View, ...] = ("vanilla", "average", "circular", "flip", "flip-circular")

_ROLL = re.compile(r"(?:flip-)?roll-(\d+)")
_ALL_OTHERS = re.compile(
    r"(?i:(?:none|all|any|both|neither|either)\s+of\s+(?:the\s+)?(?:above|these|them|those|others?|options|choices)\b"
    r"|all\s+are\s+(?:right|correct|true|possible|wrong|false)|none\s+is\s+(?:right|correct|true|possible))"
    r"|(?:以上|上述|前述|其他|其它)(?:[选各所全答说三四五几]|都|均|皆|没|无)|(?:都|均|皆|全部|全都|全)(?:不|没|错|对|是|正确|可能|有可能)"
)
_LETTER = r"[(（]?[A-Z][)）]?"
_AND = r"\s*+(?:,\s*+(?:and|or|nor)?|and|or|nor|&|/|\+|、|，|和|与|及|或)\s*+"
_LETTERS_ALONE = re.compile(
    rf"(?:(?i:only|both|either|neither|just|仅|只有)\s*+)?{_LETTER}(?:{_AND}{_LETTER})*+\s*+"
    r"(?i:only|both|alone|(?:is|are)\s++(?:both\s++)?(?:right|correct|true|wrong|false|possible)"
    r"|(?:都|均|皆|全)?(?:不?对|正确|错误|错|不?可能|不?成立))?\s*+[.。]?"
)
_LONGEST = 120
"""Characters of an option that are examined: one that names letters, or all others, is short."""
_CAPITAL = re.compile(r"(?<![A-Za-z])[A-Z](?![A-Za-z])")
_NAMES_AN_OPTION = re.compile(r"(?i:options?|choices?|选项)\s*[(（]?[A-H](?![A-Za-z'’])")


class Twin(Record):
    """Another form of a problem, such as the mirrored one; fields that it leaves out are those of the problem."""

    question: str | None = None
    choices: dict[Letter, str] | None = None
    answer: Answer | None = None
    images: list[Image] | None = None
    diagram_description: str | None = None


def rolled(problem: Problem, by: int) -> Problem:
    """``problem`` with the texts of its options moved ``by`` places, cyclically, and its gold letters with them.

    The solution, which may name letters, is removed; ``by`` 0 gives ``problem`` itself.

    Raises:
        ValueError: it cannot be rolled (:func:`why_not_rolled`).
    """
    if why := why_not_rolled(problem):
        raise ValueError(f"problem {problem.id}: cannot be rolled: {why}")
    letters = _movable(problem)
    if by % len(letters) == 0:
        return problem
    moved = {letter: letters[(place + by) % len(letters)] for place, letter in enumerate(letters)}
    choices = {moved.get(letter, letter): text for letter, text in problem.choices.items()}
    answer = problem.answer
    if answer is not None:
        value = [moved.get(letter, letter) for letter in answer.value]
        answer = Answer(kind="choice_set", value=value, unit=answer.unit)
    return problem.model_copy(update={"choices": dict(sorted(choices.items())), "answer": answer, "solution": None})


def why_not_rolled(problem: Problem) -> str | None:
    """Why the options of ``problem`` cannot be rolled; ``None`` if they can."""
    if problem.answer is not None and problem.answer.kind != "choice_set":
        return "its answer is not a letter"
    texts = {letter: " ".join(text.split())[:_LONGEST] for letter, text in problem.choices.items()}
    if not all(texts.values()):
        return "an option without text, which the picture shows"
    if any(_LETTERS_ALONE.fullmatch(text) and set(_CAPITAL.findall(text)) <= set(texts) for text in texts.values()):
        return "an option that names letters"
    if any(_NAMES_AN_OPTION.search(text) for text in (problem.question, *problem.choices.values())):
        return "the text names an option by its letter"
    last = max(texts, default="")
    if any(_ALL_OTHERS.match(text) for letter, text in texts.items() if letter != last):
        return "an option that speaks of all others and is not the last"
    return "fewer than two options can move" if len(_movable(problem)) < 2 else None


def twin(problem: Problem, name: str) -> Problem | None:
    """The form ``name`` of ``problem``, under the same id; ``None`` where it has none.

    Raises:
        UserError: the entry in ``meta`` is not a :class:`Twin`.
    """
    found = _twins(problem).get(name)
    if found is None:
        return None
    try:
        given = Twin.model_validate(found)
    except ValidationError as error:
        raise UserError(f"problem {problem.id!r}: meta.{TWINS}.{name}.{validation_fault(error)}") from None
    changes = {field: getattr(given, field) for field in Twin.model_fields if getattr(given, field) is not None}
    return problem.model_copy(update={**changes, "solution": None})


def twin_names(problem: Problem) -> list[str]:
    """The names of the other forms that come with ``problem``; raises as :func:`twin` does."""
    return list(_twins(problem))


def with_twin(problem: Problem, name: str, form: Twin) -> Problem:
    """``problem`` with ``form`` under ``name`` in its ``meta``."""
    twins = {**_twins(problem), name: form.model_dump(mode="json", exclude_none=True)}
    return problem.model_copy(update={"meta": {**problem.meta, TWINS: twins}})


def expand(problem: Problem, rolls: int | None = 1, flip: bool = False) -> Iterator[tuple[str, Problem]]:
    """Name and form of each variant of ``problem``, the plain one first.

    ``rolls``: in how many positions the options are asked, the plain one included, and at most as many as there are
    options to move; ``None`` for all. Rolls that come with the problem (twins ``roll-1``, ...) replace those made here.
    ``flip``: also the mirrored twin, if there is one, and its rolls.
    """
    yield PLAIN, problem
    yield from _rolls(problem, problem, "", rolls)
    mirrored = twin(problem, FLIP) if flip else None
    if mirrored is not None:
        yield FLIP, mirrored
        yield from _rolls(problem, mirrored, f"{FLIP}-", rolls)


def scores_in_view(scores: Iterable[StoredScore], view: View) -> dict[str, float]:
    """Scores by problem in one view, each in [0, 1] and the mean over repeats.

    ``vanilla``: only the plain question. ``average``: the mean over its rolls. ``circular``: 1 if all its rolls are
    right. ``flip``: 1 if the plain and the mirrored question are right. ``flip-circular``: 1 if every variant is. The
    flip views leave out problems without a mirrored form. A variant is right if its value is 1, not for partial credit.
    """
    kept = _KEPT[view]
    groups: dict[str, dict[int, list[float]]] = {}
    mirrored = set()
    for row in scores:
        if row.variant.startswith(FLIP):
            mirrored.add(row.problem_id)
        if kept(row.variant):
            groups.setdefault(row.problem_id, {}).setdefault(row.repeat, []).append(row.value)
    values = {}
    for problem_id, repeats in groups.items():
        if view.startswith(FLIP) and problem_id not in mirrored:
            continue
        each = [
            sum(row) / len(row) if view in ("vanilla", "average") else float(all(value == 1 for value in row))
            for row in repeats.values()
        ]
        values[problem_id] = sum(each) / len(each)
    return values


_KEPT: dict[View, Callable[[str], bool]] = {
    "vanilla": lambda variant: variant == PLAIN,
    "average": lambda variant: not variant.startswith(FLIP),
    "circular": lambda variant: not variant.startswith(FLIP),
    "flip": lambda variant: variant in (PLAIN, FLIP),
    "flip-circular": lambda _: True,
}


def _rolls(problem: Problem, form: Problem, prefix: str, rolls: int | None) -> Iterator[tuple[str, Problem]]:
    own = [name for name in _twins(problem) if name.startswith(f"{prefix}roll-") and _ROLL.fullmatch(name)]
    if own:
        own.sort(key=lambda name: int(name.rpartition("-")[2]))
        for name in own[: None if rolls is None else rolls - 1]:
            given = twin(problem, name)
            assert given is not None
            yield name, given
    elif why_not_rolled(form) is None:
        most = len(_movable(form))
        for by in range(1, most if rolls is None else min(rolls, most)):
            yield f"{prefix}roll-{by}", rolled(form, by)


def _movable(problem: Problem) -> list[str]:
    letters = sorted(problem.choices)
    if letters and _ALL_OTHERS.match(" ".join(problem.choices[letters[-1]].split())):
        letters.pop()
    return letters


def _twins(problem: Problem) -> dict[str, Any]:
    found = problem.meta.get(TWINS, {})
    if not isinstance(found, dict):
        raise UserError(f"problem {problem.id!r}: meta.{TWINS}: an object of forms by name was expected")
    return found
