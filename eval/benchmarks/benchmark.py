"""What a benchmark is to the rest of evaluation: how its files are read, what is asked, how it is graded and reported.

A new benchmark is one file in this folder that makes a :class:`Benchmark`, and one line in the registry
(:mod:`eval.benchmarks`). What it leaves out is that of plain problems: every problem asked once, in the style of the
run, right or wrong by its gold answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from srt.prompts import PromptStyle, prompt_messages
from srt.records import Image, Message, Problem, Record

if TYPE_CHECKING:
    from eval.runs import Run

PLAIN = "plain"
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


class Table(Record):
    """A table of a report. The first column names the row; a figure is a share in [0, 1] unless ``unit`` says more."""

    title: str
    header: list[str]
    rows: list[list[str | float | None]]
    unit: Literal["percent", "points", "count", "tokens", "ratio"] = "percent"
    note: str | None = None


class Published(Record):
    """A row that others published: shown as such, never mixed with what was measured here."""

    model: str
    figures: dict[str, float]
    source: str


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
        read: the problems in the user's copy (a file or a folder), with pictures relative to the second path, which is
            the file of problems that is to be written; ``None`` for a benchmark that takes a file of problems as it is.
        ask: what is asked of a set of problems.
        options: the options that it knows, each with the values that it can have; the first is the default.
        tables: its own tables of a scored run, in the form in which it is published.
        published: figures of others.
        about: one line for ``--help`` and the report.
    """

    name: str
    about: str
    read: Callable[[Path, Path], Iterator[Problem]] | None = None
    ask: Callable[[Sequence[Problem], Asking], Iterator[Question]] = ask_each_plainly
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tables: Callable[[Run], list[Table]] | None = None
    published: tuple[Published, ...] = ()
