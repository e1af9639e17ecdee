"""What a benchmark defines: how its files are read, what is asked, how it is graded and reported.

A new benchmark is one file in this folder that makes a :class:`Benchmark`, and one line in the registry
(:mod:`eval.benchmarks.benchmark_registry`). Fields that it leaves out have the defaults of plain problems: every
problem is asked once, in the style of the run, and is right or wrong by its gold answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from pydantic import AliasChoices, Field

from eval.benchmarks.definition.prompt_files import layout_fields, with_own_prompts
from eval.records.run_records import Run
from srt.corpora.corpus_reader import CorpusReader
from srt.io.errors import UserError
from srt.io.records import Answer, Image, Message, Problem, Record
from srt.language.prompts import PromptStyle, prompt_messages

PLAIN = "plain"
Unit = Literal["percent", "share", "points", "count", "tokens", "ratio"]
Options = Mapping[str, str]
"""The benchmark's own settings of a run (``shots: "5"``); they stand in the run's manifest."""


class Question(NamedTuple):
    """One thing that is asked: a problem in one of its variants.

    ``problem`` is as asked, with its gold answer (its options may be rolled) and the ``id`` of the problem in the file;
    ``variant`` distinguishes the variants of one problem. ``messages`` and ``images`` are what the model is shown.
    """

    problem: Problem
    variant: str
    messages: list[Message]
    images: list[Image]


STEPS = {"steps": ("off", "on")}
"""The option of a benchmark whose prompt is ours: whether it also asks for steps."""


class Asking(NamedTuple):
    """How a run asks: the style of its prompts, whether the model is shown pictures, the benchmark's options, the
    prompts that replace ours (:mod:`eval.benchmarks.definition.prompt_files`), and the turns that stand before every
    question (:mod:`eval.run.shots`)."""

    style: PromptStyle
    pictures: bool
    options: Options
    own_prompts: Mapping[str, str] = MappingProxyType({})
    before: tuple[Message, ...] = ()


class Published(Record):
    """A row of published figures: marked as such, never mixed with what was measured here.

    ``figures`` are named as the columns of a table are, in the unit of their column; ``human``: the row is of humans,
    not of a model (older files call the field ``people``).
    """

    model: str
    figures: dict[str, float]
    source: str
    human: bool = Field(default=False, validation_alias=AliasChoices("human", "people"))


class Table(Record):
    """A table of a report, with one row for each arm (or label), as papers print it; the first column names the row.

    A figure is in ``unit``, or in the unit that ``units`` gives its column; ``percent`` and ``share`` are two ways to
    show a share in [0, 1]. ``counts`` has the number of problems behind each column (one entry for each column,
    ``None`` where it has no meaning). ``published`` are published rows for the same columns.
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
    """``problem`` in the run's style: with its pictures for a model that reads them, else with their description.

    With the option ``steps``, the request to think step by step stands before how to give the answer. A replaced
    ``question.md`` is the layout of the style ``full``; ``bare`` is for very small models, and is left as it is.
    """
    shown = list(problem.images) if asking.pictures else []
    steps = asking.options.get("steps") == "on"
    if asking.style == "bare" or not (steps or f"{problem.lang}/question" in asking.own_prompts):
        return Question(problem, variant, prompt_messages(problem, asking.style, pictures=bool(shown)), shown)
    templates = with_own_prompts(asking.own_prompts)
    fields = layout_fields(problem, bool(shown))
    if steps:
        fields["ending"] = f"{templates.piece('step_by_step', problem.lang, {})}\n\n{fields['ending']}"
    [text] = templates.parts("question", problem.lang, fields)
    return Question(problem, variant, [Message(role="user", content=text)], shown)


def ask_each_plainly(problems: Sequence[Problem], asking: Asking) -> Iterator[Question]:
    """Every problem once."""
    return (ask_plainly(problem, asking) for problem in problems)


@dataclass(frozen=True)
class Benchmark:
    """One benchmark.

    Args:
        name: as ``srt eval --benchmark`` takes it.
        read: reads the user's copy (a file or a folder): its problems, and the items that are refused, each with its
            reason.
        ask: what is asked of a set of problems.
        options: its options, each with the allowed values; the first is the default.
        grade: the credit in [0, 1] for an answer to a problem as asked; by default 1 or 0 by equality with gold.
        tables: its tables of scored runs by arm, in their published form. Several runs are restricted to the problems
            that all of them have (:func:`eval.benchmarks.run_tables.run_tables`).
        contrast: its tables of several runs that differ in its options, on the same problems.
        of_means: the figures of a human row in its tables, from the means by category, by subcategory and over all
            (``overall``); by default these means themselves.
        mapped: its data come through a mapping, so ``srt import --columns`` goes with it.
        about: one line for ``--help`` and the report.
    """

    name: str
    about: str
    read: CorpusReader
    ask: Callable[[Sequence[Problem], Asking], Iterator[Question]] = ask_each_plainly
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    grade: Callable[[Problem, Answer], float] | None = None
    tables: Callable[[Mapping[str, Run]], list[Table]] | None = None
    contrast: Callable[[Mapping[str, Run]], list[Table]] | None = None
    of_means: Callable[[Mapping[str, float]], dict[str, float]] | None = None
    mapped: bool = False

    def questions(self, problems: Sequence[Problem], asking: Asking) -> Iterator[Question]:
        """What is asked of ``problems``, each question after the turns that ``asking`` puts before it.

        Raises:
            UserError: a question shows pictures, which belong to the first user's turn.
        """
        for question in self.ask(problems, asking):
            if asking.before and question.images:
                raise UserError(
                    f"shots: problem {question.problem.id!r} shows pictures, and shots are for text alone; leave shots "
                    "out"
                )
            yield question._replace(messages=[*asking.before, *question.messages])
