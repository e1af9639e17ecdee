"""Which problem each answer of another system is about.

A table names the problem. The files of other tools have numbers instead, of rows in a data set, and a number is right
by chance: ids from 1 meet places from 0, and every answer is scored against the problem beside its own. So each way of
finding the problem (an id in the file, the place in the data set, the text of the question) is tried on the whole file,
and what was found is compared with what the file says of it: whether the problem's question, or its options where
problems share a question, are in the prompt; where the prompt does not say, whether the target is the gold answer. The
way that this bears out most often is taken. It is refused below :data:`BORNE_OUT` of the rows, and at a single row
whose text is another problem's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from eval.predictions.foreign_row import ForeignRow
from eval.predictions.formats import GivenFile
from eval.predictions.harness_samples import ROW_NUMBER
from eval.predictions.shown_texts import ProblemTexts, ShownText, shown_texts
from eval.predictions.tables import NAME as TABLE
from srt.answers.equality import equal_to_gold
from srt.io.errors import UserError
from srt.io.records import Problem

BORNE_OUT: Final = 0.8
"""The share of the rows that say something of their problem which must agree with it. Questions and targets may differ:
a data set was corrected, or targets are in a form of the harness' own."""
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

    ``borne_out`` counts the rows that agree with their problem, ``by_text`` those of them whose text does.
    ``contradicted`` are the numbers of the rows that do not agree, and ``misled`` those that ask another problem.
    """

    by: str
    found: list[Problem | None]
    borne_out: int
    by_text: int
    contradicted: list[int]
    misled: list[int]

    @property
    def matched(self) -> int:
        return sum(one is not None for one in self.found)


class _Rows(NamedTuple):
    """The rows of a file with what each was shown, and the problem that this text is certain to be about."""

    given: list[ForeignRow]
    shown: list[ShownText]
    asked: list[Problem | None]
    texts: ProblemTexts
    table: bool


def joined(file: Path, given: GivenFile, problems: Mapping[str, Problem], where: Path) -> JoinedFile:
    """The answers of ``given``, each with the id of its problem in ``problems``, the records of the file ``where``.

    Raises:
        UserError: no row is about any of the problems, or one of a table is about none; ids or places that lead to
            other problems than the file speaks of; or two columns of ids that lead to different ones.
    """
    texts, shown = ProblemTexts(problems.values()), shown_texts(given.rows)
    rows = _Rows(given.rows, shown, [texts.asked(one) for one in shown], texts, given.format == TABLE)
    ways = [_way(name, rows, [problems.get(_id(row, name, rows)) for row in given.rows]) for name in _fields(rows)]
    if any(row.position is not None for row in given.rows):
        in_order = list(problems.values())
        ways.append(_way(PLACE, rows, [_at(in_order, row.position) for row in given.rows]))
    if not rows.table and any(row.shown for row in given.rows):
        ways.append(_way(QUESTION, rows, rows.asked))
    # In doubt the first: an id before a place, a place before a text.
    best = max(ways, key=lambda way: (way.borne_out, way.matched))
    if not best.matched:
        raise UserError(
            f"{file}: {given.format}: none of its {len(given.rows)} rows is about a problem of {where}: its ids are "
            f"like {_few(_names(given.rows))}, those there like {_few(list(problems))}"
        )
    if rows.table:
        _refuse_two_columns(file, ways)
    _refuse_doubt(best, rows, given.format, where)
    others = [row for row, one in zip(given.rows, best.found, strict=True) if one is None]
    if others and rows.table:
        raise UserError(
            f"{others[0].place}: id: {_id(others[0], best.by, rows)!r} is not in {where} (the first of {len(others)} "
            f"such of {len(given.rows)} rows); the ids there are like {next(iter(problems))!r}"
        )
    if others and best.by in (PLACE, ROW_NUMBER) and best.by_text < BORNE_OUT * best.matched:
        raise UserError(
            f"{others[0].place}: {given.format}: {best.by}: the file has more rows than {where} has problems, and the "
            "prompts do not say which of them are about these: a number of a row is not enough. Give the problems of "
            "the whole data set, or a table with ids and --columns"
        )
    found = [(one.id, row) for one, row in zip(best.found, given.rows, strict=True) if one is not None]
    return JoinedFile(found, best.by, len(others))


def _fields(rows: _Rows) -> list[str]:
    """The fields that every row has an id in. In a table, rows may name the same thing by two names."""
    names = dict.fromkeys(name for row in rows.given for name in row.ids)
    shared = [name for name in names if all(name in row.ids for row in rows.given)]
    return list(names) if rows.table or not shared else shared


def _id(row: ForeignRow, name: str, rows: _Rows) -> str:
    """The id of ``row`` in the field ``name``; a row of a table may have it under the other name only."""
    return row.ids.get(name) or (next(iter(row.ids.values()), "") if rows.table else "")


def _way(by: str, rows: _Rows, found: list[Problem | None]) -> _Way:
    # A target in a harness' own form says nothing against an id that is a word.
    strict = rows.table or by == PLACE or all(row.ids.get(by, "0").isdecimal() for row in rows.given)
    way = _Way(by, found, 0, 0, [], [])
    borne_out = by_text = 0
    for number, problem in enumerate(found):
        if problem is None:
            continue
        row, asked = rows.given[number], rows.asked[number]
        text = rows.texts.agree(rows.shown[number], problem, asked)
        target = None if row.target is None else _is_gold(row.target, problem)
        if text or (text is None and target):
            borne_out += 1
            by_text += bool(text)
        elif text is False or (target is False and strict):
            way.contradicted.append(number)
            if text is False and asked is not None and asked is not problem:
                way.misled.append(number)
    return way._replace(borne_out=borne_out, by_text=by_text)


def _refuse_doubt(way: _Way, rows: _Rows, form: str, where: Path) -> None:
    """Raise a :class:`UserError` with three examples if the file speaks of other problems than ``way`` leads to."""
    told = way.borne_out + len(way.contradicted)
    if not way.misled and way.borne_out >= BORNE_OUT * told:
        return
    examples = [_example(number, way, rows) for number in (way.misled or way.contradicted)[:_FEW]]
    if rows.table:
        advice = "Are the ids those of other rows? A column that is no question or gold answer needs another name"
    else:
        advice = f"Were the rows made from {where}, in its order? If not, give a table with ids and --columns"
    first = rows.given[(way.misled or way.contradicted)[0]]
    raise UserError(
        f"{first.place}: {form}: {way.by} leads to the problem {'; '.join(examples)}; {way.borne_out} of {told} rows "
        f"agree with theirs. {advice}"
    )


def _example(number: int, way: _Way, rows: _Rows) -> str:
    row, problem, asked = rows.given[number], way.found[number], rows.asked[number]
    assert problem is not None
    name = "" if number == (way.misled or way.contradicted)[0] else f"{row.place}: "
    if asked is not None and asked is not problem:
        return f"{name}{problem.id!r}, and the row asks the question of {asked.id!r}"
    against = []
    if rows.texts.agree(rows.shown[number], problem, asked) is False:
        against.append("whose question and options are not what the row was asked")
    if row.target is not None and not _is_gold(row.target, problem):
        against.append(f"whose answer is not the target {row.target!r}")
    return f"{name}{problem.id!r}, {', and '.join(against)}"


def _refuse_two_columns(file: Path, ways: Sequence[_Way]) -> None:
    matching = [way for way in ways if way.matched]
    if any(way.found != matching[0].found for way in matching[1:]):
        names = " and ".join(way.by for way in matching)
        raise UserError(
            f"{file}: {names}: both have ids of the problems, and different ones; say which is meant: "
            f"--columns id={matching[0].by}"
        )


def _is_gold(target: str, problem: Problem) -> bool:
    """Whether ``target`` says the gold answer: as text, as a list of one, as an option, or as its place, from 0."""
    if problem.answer is None:
        return False
    bare = target.strip()
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1].strip().strip("'\"")
    letters = list(problem.choices)
    said = [letter for letter, text in problem.choices.items() if text.strip() == bare]
    if len(said) == 1 and equal_to_gold(problem, said[0]).equal:
        return True
    if bare.isdecimal() and int(bare) < len(letters) and equal_to_gold(problem, letters[int(bare)]).equal:
        return True
    # VLMEvalKit, and our export to it, write several letters together.
    spread = ", ".join(bare) if letters and set(bare) <= set(letters) else bare
    return equal_to_gold(problem, spread).equal


def _at(in_order: Sequence[Problem], position: int | None) -> Problem | None:
    return in_order[position] if position is not None and position < len(in_order) else None


def _names(rows: Sequence[ForeignRow]) -> list[str]:
    return list(dict.fromkeys(next(iter(row.ids.values()), "") for row in rows))


def _few(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_FEW]))
