"""Which problem each answer of another system is about.

A table names the problem. The files of other tools have numbers instead, of rows in a data set, and a number is right
by chance: ids from 1 meet places from 0, and every answer is scored against the problem beside its own. So each way of
finding the problem (an id in the file, the place in the data set, the text of the question) is tried on the whole file,
and what was found is compared with what the file says of it: whether the problem's question is in the prompt, whether
the target is the gold answer. The way that this bears out most often is taken; below :data:`BORNE_OUT` of the rows none
is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from eval.predictions.foreign_row import ForeignRow
from eval.predictions.formats import GivenFile
from eval.predictions.tables import NAME as TABLE
from srt.answers.equality import equal_to_gold
from srt.io.errors import UserError
from srt.io.records import Problem

BORNE_OUT: Final = 0.8
"""The share of the rows in which prompt or target must agree with the problem that a number leads to. Targets may
differ: a data set was corrected, or they are in a form of the harness' own."""
PLACE: Final = "place"
QUESTION: Final = "question"
_FEW: Final = 3


class JoinedFile(NamedTuple):
    """The answers in a file with the id of the problem of each, and how they were found: by which field, or the place.

    ``others`` are about none of the problems, and left out: a tool's file has the whole data set.
    """

    rows: list[tuple[str, ForeignRow]]
    by: str
    others: int


class _Way(NamedTuple):
    """One way of finding the problems: that of each row, ``None`` where there is none.

    ``borne_out`` counts the rows that agree with their problem; ``contradicted`` is the first that does not.
    """

    by: str
    found: list[Problem | None]
    borne_out: int
    contradicted: int | None

    @property
    def matched(self) -> int:
        return sum(one is not None for one in self.found)


def joined(file: Path, given: GivenFile, problems: Mapping[str, Problem], where: Path) -> JoinedFile:
    """The answers of ``given``, each with the id of its problem in ``problems``, the records of the file ``where``.

    Raises:
        UserError: no row is about any of the problems, or one of a table is about none; or numbers that lead to other
            problems than the file speaks of.
    """
    rows = given.rows
    ways = [_way(name, rows, [problems.get(row.ids.get(name, "")) for row in rows]) for name in _fields(rows)]
    if any(row.position is not None for row in rows):
        in_order = list(problems.values())
        ways.append(_way(PLACE, rows, [_at(in_order, row.position) for row in rows]))
    if any(row.shown for row in rows):
        by_question = _by_question(problems.values())
        ways.append(_way(QUESTION, rows, [_asked(row, by_question) for row in rows]))
    # In doubt the first: an id before a place, a place before a text.
    best = max(ways, key=lambda way: (way.borne_out, way.matched))
    if not best.matched:
        raise UserError(
            f"{file}: {given.format}: none of its {len(rows)} rows is about a problem of {where}: its ids are like "
            f"{_few(_names(rows))}, those there like {_few(list(problems))}"
        )
    if _in_doubt(best, rows):
        assert best.contradicted is not None
        row, problem = rows[best.contradicted], best.found[best.contradicted]
        assert problem is not None
        raise UserError(
            f"{row.place}: {given.format}: {best.by} leads to the problem {problem.id!r}, whose question is not in the "
            f"prompt, and whose answer is not the target {row.target!r}; {best.borne_out} of {best.matched} rows agree "
            f"with theirs. Were the rows made from {where}, in its order? If not, give a table with ids and --columns"
        )
    others = [row for row, one in zip(rows, best.found, strict=True) if one is None]
    if others and given.format == TABLE:
        raise UserError(
            f"{others[0].place}: id: {others[0].ids[best.by]!r} is not in {where} (the first of {len(others)} such of "
            f"{len(rows)} rows); the ids there are like {next(iter(problems))!r}"
        )
    found = [(one.id, row) for one, row in zip(best.found, rows, strict=True) if one is not None]
    return JoinedFile(found, best.by, len(others))


def _fields(rows: Sequence[ForeignRow]) -> list[str]:
    """The fields that every row has an id in. In a table, rows may name the same thing by two names."""
    shared = [name for name in rows[0].ids if all(name in row.ids for row in rows)]
    return shared or list(dict.fromkeys(name for row in rows for name in row.ids))


def _way(by: str, rows: Sequence[ForeignRow], found: list[Problem | None]) -> _Way:
    borne_out, contradicted = 0, None
    for number, (row, problem) in enumerate(zip(rows, found, strict=True)):
        if problem is None:
            continue
        if _agrees(row, problem):
            borne_out += 1
        elif contradicted is None and (row.shown or row.target is not None):
            contradicted = number
    return _Way(by, found, borne_out, contradicted)


def _in_doubt(way: _Way, rows: Sequence[ForeignRow]) -> bool:
    """Whether numbers led to the problems, and what the file says of them does not agree."""
    counts = all((row.ids.get(way.by) or "0").isdecimal() for row in rows)
    return counts and way.contradicted is not None and way.borne_out < BORNE_OUT * way.matched


def _agrees(row: ForeignRow, problem: Problem) -> bool:
    question = _bare(problem.question)
    if question and any(question in _bare(text) for text in row.shown):
        return True
    return row.target is not None and _is_gold(row.target, problem)


def _by_question(problems: Iterable[Problem]) -> dict[str, Problem]:
    """The problems by their questions; those that share one, with other pictures or options, cannot be told apart."""
    found: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems:
        found[_bare(problem.question)].append(problem)
    return {question: same[0] for question, same in found.items() if len(same) == 1 and question}


def _asked(row: ForeignRow, by_question: Mapping[str, Problem]) -> Problem | None:
    """The problem whose question is a text that was shown, or a line of one, without what stands before a colon."""
    for text in row.shown:
        for part in (text, *text.splitlines()):
            for words in (part, part.partition(":")[2]):
                if (problem := by_question.get(_bare(words))) is not None:
                    return problem
    return None


def _is_gold(target: str, problem: Problem) -> bool:
    """Whether ``target`` says the gold answer: as text, as a list of one, or as the place of an option, from 0."""
    if problem.answer is None:
        return False
    bare = target.strip()
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1].strip().strip("'\"")
    letters = list(problem.choices)
    if bare.isdecimal() and int(bare) < len(letters) and equal_to_gold(problem, letters[int(bare)]).equal:
        return True
    # VLMEvalKit, and our export to it, write several letters together.
    spread = ", ".join(bare) if letters and set(bare) <= set(letters) else bare
    return equal_to_gold(problem, spread).equal


def _bare(text: str) -> str:
    """``text`` without the blanks, in which prompts differ, and without the marks of pictures."""
    return re.sub(r"\s+|<image(?: \d+)?>|\\n", "", text)


def _at(in_order: Sequence[Problem], position: int | None) -> Problem | None:
    return in_order[position] if position is not None and position < len(in_order) else None


def _names(rows: Sequence[ForeignRow]) -> list[str]:
    return list(dict.fromkeys(next(iter(row.ids.values()), "") for row in rows))


def _few(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_FEW]))
