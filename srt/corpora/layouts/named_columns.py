"""Layouts that differ from ours in the names of their columns alone, and in where options are counted from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from srt.corpora.cells.option_cells import read_options
from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Fields, Layout, letter_at


def named_columns(
    name: str,
    about: str,
    *,
    question: str,
    answer: str,
    choices: str | tuple[str, ...] | None = None,
    counted_from: int | None = None,
    context: str | None = None,
    also: tuple[str, ...] = (),
    picture: str | None = None,
    solution: str | None = None,
    category: str | None = None,
    ident: str = "id",
) -> Layout:
    """A layout whose fields stand in the columns of these names; ``also`` are more columns by which it is known.

    ``choices``: one column, or one for each option. ``counted_from``: the answer is a place, counted from there; else a
    letter, a label or the text of an option. ``context`` stands before the question.
    """
    spread = choices if isinstance(choices, tuple) else ()
    known = {question, answer, *also, *spread, *([choices] if isinstance(choices, str) else [])}

    def read(row: Mapping[str, Any]) -> Fields:
        asked = str(row[question] or "").strip()
        before = str(row.get(context) or "").strip() if context else ""
        found: Fields = {
            "id": row.get(ident),
            "question": f"{before}\n{asked}" if before else asked,
            "answer": row[answer],
            "picture": row.get(picture) if picture else None,
            "solution": row.get(solution) if solution else None,
            "category": row.get(category) if category else None,
            "split": row.get("split"),
        }
        if choices is None:
            return found
        given = [row[one] for one in spread] if spread else row[str(choices)]
        found["choices"] = given
        found["single_choice"] = True
        count = len(read_options(given).texts)
        if counted_from is not None and count:
            letter = letter_at(row[answer], count, counted_from)
            if letter is None:
                wanted = f"{counted_from} to {count - 1 + counted_from}"
                raise ItemRefused("answer_is_no_option", f"{answer}: {str(row[answer])[:40]!r}; {wanted} was expected")
            found["answer"] = letter
        return found

    uses = {ident, context, picture, solution, category, "split"} - {None}
    return Layout(name=name, about=about, columns=frozenset(known), uses=frozenset(map(str, uses)), read=read)


def turned(texts: list[str], question: str) -> list[str]:
    """``texts`` moved on by as many places as a hash of ``question`` says: where the first is always right, its letter
    would give it away. It is the same at every import."""
    by = hashlib.sha256(question.encode()).digest()[0] % len(texts)
    return [*texts[len(texts) - by :], *texts[: len(texts) - by]]


def right_and_wrong(name: str, *, question: str, right: str, wrong: tuple[str, ...], **more: str) -> Layout:
    """A layout with the right answer in one column and wrong ones in others, which are :func:`turned`; ``more`` names
    the columns of ``ident``, ``solution`` and ``category``."""
    columns = (right, *wrong)

    def read(row: Mapping[str, Any]) -> Fields:
        texts = [str(row[column]).strip() for column in columns]
        choices = turned(texts, str(row[question]))
        return {
            "id": row.get(more.get("ident", "id")),
            "question": row[question],
            "choices": choices,
            "answer": chr(ord("A") + choices.index(texts[0])),
            "solution": row.get(more["solution"]) if "solution" in more else None,
            "category": row.get(more["category"]) if "category" in more else None,
            "single_choice": True,
        }

    return Layout(
        name=name,
        about="the right and the wrong answers, in an order that a hash of the question gives",
        columns=frozenset({question, *columns}),
        uses=frozenset({"id", *more.values()}),
        read=read,
    )
