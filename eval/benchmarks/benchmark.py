"""What a benchmark is to the rest of evaluation: how its files are read, what is asked, how it is graded and reported.

A new benchmark is one file in this folder that makes a :class:`Benchmark`, and one line in the registry
(:mod:`eval.benchmarks`). What it leaves out is that of plain problems: every problem asked once, in the style of the
run, right or wrong by its gold answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from srt.corpora.item import Reader
from srt.prompts import PromptStyle, prompt_messages
from srt.records import Answer, Image, Message, Problem, Record

if TYPE_CHECKING:
    from eval.runs import Run

PLAIN = "plain"
Unit = Literal["percent", "share", "points", "count", "tokens", "ratio"]
Options = Mapping[str, str]
"""The benchmark's own settings of a run (``shots: "5"``); they stand in the run's stamp."""


class Question(NamedTuple):
    """One thing that is asked: a problem in one of its variants.

    ``problem`` is as asked, with its gold answer (options may be rolled); its ``id`` is that of the problem in the
    file, and ``variant`` tells the variants of one problem apart. ``messages`` and ``images`` are what the model sees.
    """

    problem: Problem
    variant: str
    messages: list[Message]
    images: list[Image]


class Asking(NamedTuple):
    """How a run asks: the style of its prompts, whether the model is shown pictures, and the benchmark's options."""

    style: PromptStyle
    pictures: bool
    options: Options


class Published(Record):
    """A row that others published: shown as such, never mixed with what was measured here.

    ``figures`` are named as the columns of a table are, in the unit of their column; ``people``: the row is of people,
    not of a model.
    """

    model: str
    figures: dict[str, float]
    source: str
    people: bool = False


class Table(Record):
    """A table of a report, one row an arm (or a label), as papers print it; the first column names the row.

    A figure is in ``unit``, or in that which ``units`` gives its column; ``percent`` and ``share`` are two ways to show
    a share in [0, 1]. ``counts`` says how many problems stand behind each column (one entry a column, ``None`` where
    that says nothing). ``published`` are rows of others for the same columns.
    """

    title: str
    header: list[str]
    rows: list[list[str | float | None]]
    unit: Unit = "percent"
    units: dict[str, Unit] = Field(default_factory=dict)
    counts: list[int | None] = Field(default_factory=list)
    published: list[Published] = Field(default_factory=list)
    note: str | None = None


def ask_plainly(problem: Problem, asking: Asking, variant: str = PLAIN) -> Question:
    """``problem`` in the run's style: with its pictures for a model that reads them, else with their description."""
    shown = list(problem.images) if asking.pictures else []
    return Question(problem, variant, prompt_messages(problem, asking.style, pictures=bool(shown)), shown)


def ask_each_plainly(problems: Sequence[Problem], asking: Asking) -> Iterator[Question]:
    """Every problem once."""
    return (ask_plainly(problem, asking) for problem in problems)


@dataclass(frozen=True)
class Benchmark:
    """One benchmark.

    Args:
        name: as ``srt eval --benchmark`` takes it.
        read: reads the user's copy (a file or a folder): its problems, and the items that are not taken, each named
            with its reason; ``None`` for a benchmark that takes a file of problems as it is.
        ask: what is asked of a set of problems.
        options: the options that it knows, each with the values that it can have; the first is the default.
        grade: the credit in [0, 1] for an answer to a problem as asked, where it is not right or wrong by equality.
        tables: its own tables of scored runs, by the name of their arm, in the form in which it is published. One run
            or several; with several, each is of the very same problems (:func:`eval.benchmarks.tables.run_tables`).
        contrast: its own tables of several runs that differ in its options, on the very same problems.
        of_means: the figures that a row of people has in its tables, from their means by category and subcategory and
            over all (``overall``); where it is left out, these means themselves.
        published: figures of others, for the tables that show them.
        about: one line for ``--help`` and the report.
    """

    name: str
    about: str
    read: Reader | None = None
    ask: Callable[[Sequence[Problem], Asking], Iterator[Question]] = ask_each_plainly
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    grade: Callable[[Problem, Answer], float] | None = None
    tables: Callable[[Mapping[str, Run]], list[Table]] | None = None
    contrast: Callable[[Mapping[str, Run]], list[Table]] | None = None
    of_means: Callable[[Mapping[str, float]], dict[str, float]] | None = None
    published: tuple[Published, ...] = ()
