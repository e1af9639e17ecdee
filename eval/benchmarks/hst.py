"""HST-bench: 1,629 questions of four options in Chinese and English, on ten sub-dimensions of spatial thinking.

The data are not published as a file: the user's mapping (:mod:`eval.benchmarks.mapping`) names the fields, of which
``dimension``, ``discipline`` and ``operation`` are the benchmark's own, and ``rewritten`` a second form of an item.

*Circular* accuracy counts a question only if it is right in all three rolls of its options; *average* accuracy is the
mean over the three. The side studies are options of a run, and each is compared with the main run by ``srt compare``,
which pairs them problem by problem: ``text: rewritten`` asks the rewritten forms alone, ``picture: off`` shows the
equivalent text in place of the picture and asks only the items that have both, ``cot: off`` wants the answer at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval.benchmarks.benchmark import Asking, Benchmark, Question, Table
from eval.benchmarks.duplicates import refuse_repeated
from eval.benchmarks.mapping import Column, Form, read_mapped
from eval.benchmarks.published_rows import published_rows
from eval.benchmarks.rolled import ask_rolled, breakdown_table, view_table
from eval.benchmarks.tables import mean
from eval.variants import see, twin
from srt.corpora.item import NotImported, Request
from srt.language.trace import Trace
from srt.records import Lang, Message, Problem

if TYPE_CHECKING:
    from eval.runs import Run

DIMENSIONS = {
    "A1": "representation reconstruction",
    "A2": "vector relation",
    "A3": "state analysis",
    "A4": "relative relation",
    "B1": "reference-frame transformation",
    "B2": "projective transformation",
    "B3": "form transformation",
    "C1": "trajectory",
    "C2": "metric",
    "C3": "process deconstruction",
}
DISCIPLINES = (
    "mathematics",
    "physics",
    "aeronautics",
    "navigation/surveying",
    "astronomy",
    "intelligence quiz",
)
OPERATIONS = ("numerical", "symbolic", "none")
REWRITTEN = "rewritten"
_FORM = Form(
    source="hst",
    columns={
        "dimension": Column(needed=True, values=tuple(DIMENSIONS)),
        "discipline": Column(values=DISCIPLINES),
        "operation": Column(values=OPERATIONS),
    },
    twins=(REWRITTEN,),
)
_MARKED: dict[Lang, str] = {"en": "★ Answer: X ★", "zh": "★答案：X★"}
_ASK: dict[Lang, dict[str, str]] = {
    "en": {
        "on": "Solve the following multiple-choice question. Think step by step and write your steps down. Then write "
        "one last line '{marked}', with the letter of the right option in place of X.",
        "off": "Answer the following multiple-choice question. Write nothing but one line '{marked}', with the letter "
        "of the right option in place of X.",
    },
    "zh": {
        "on": "请解答下面的选择题。请一步一步思考，写出推理步骤，最后单独写一行“{marked}”，其中X换成正确选项的字母。",
        "off": "请回答下面的选择题。不要写任何推理，只写一行“{marked}”，其中X换成正确选项的字母。",
    },
}


def read(path: Path, request: Request) -> Iterator[Problem | Trace | NotImported]:
    """The items that the mapping at ``path`` tells of; ``category`` is the dimension, ``subcategory`` its part.

    Raises:
        UserError: as :func:`eval.benchmarks.mapping.read_mapped` does.
    """
    for item in refuse_repeated(read_mapped(path, request, _FORM)):
        if isinstance(item, Problem):
            skill = str(item.meta["dimension"])
            item = item.model_copy(update={"category": skill[0], "subcategory": skill})
        yield item


def ask(problems: Sequence[Problem], asking: Asking) -> Iterator[Question]:
    """Every problem in three rolls (option ``rolls``), in the form that ``text`` and ``picture`` want."""
    asked: list[Problem] = []
    for problem in problems:
        form = twin(problem, REWRITTEN) if asking.options["text"] == REWRITTEN else problem
        if form is not None and (asking.options["picture"] == "on" or _has_both(form)):
            asked.append(form)
    return ask_rolled(asked, asking, _question)


def tables(runs: Mapping[str, Run]) -> list[Table]:
    """Totals; then circular and average accuracy by all that divides the problems."""
    by = {
        "sub-dimension": (lambda problem: problem.subcategory, tuple(DIMENSIONS)),
        "dimension": (lambda problem: problem.category, ("A", "B", "C")),
        "discipline": (lambda problem: problem.meta.get("discipline"), DISCIPLINES),
        "operation": (lambda problem: problem.meta.get("operation"), OPERATIONS),
        "language": (lambda problem: problem.lang, ("zh", "en")),
        "picture": (lambda problem: "with picture" if problem.images else "text alone", ("text alone", "with picture")),
    }
    found = [_totals(runs)]
    for name, (label, order) in by.items():
        for view in ("circular", "average"):
            people = published_rows("hst", "dimensions") if (name, view) == ("dimension", "average") else ()
            table = breakdown_table(f"HST-bench: {view} accuracy by {name}", runs, label, view, order, people)
            if table is not None and (len(table.header) > 2 or name == "sub-dimension"):
                found.append(table)
    return found


def contrast(runs: Mapping[str, Run]) -> list[Table]:
    """Totals, and what each further run loses against the first on the problems of both: after rewriting, without the
    picture, without steps, whatever the two runs differ in."""
    first, *others = runs
    rows: list[list[str | float | None]] = []
    for arm in others:
        row: list[str | float | None] = [f"{first} − {arm}"]
        count = 0
        for view in ("circular", "average"):
            one, other = (see(runs[name].scores.values(), view) for name in (first, arm))
            both = [ident for ident in one if ident in other]
            count = len(both)
            difference = mean([one[ident] - other[ident] for ident in both])
            row.append(difference)
        rows.append([*row, float(count), _what_differs(runs[first], runs[arm])])
    table = Table(
        title="HST-bench: drop against the first run, on the problems of both",
        header=["difference", "circular", "average", "problems", "options that differ"],
        rows=rows,
        unit="points",
        units={"problems": "count"},
    )
    return [_totals(runs), table]


def _totals(runs: Mapping[str, Run]) -> Table:
    return view_table("HST-bench", runs, ("circular", "average"), published_rows("hst", "totals"))


def _what_differs(one: Run, other: Run) -> str:
    a, b = one.stamp.options, other.stamp.options
    different = [name for name in sorted({*a, *b}) if a.get(name) != b.get(name)]
    return ", ".join(f"{name}: {a.get(name)} / {b.get(name)}" for name in different)


def _has_both(problem: Problem) -> bool:
    return bool(problem.images and problem.diagram_description)


def _question(problem: Problem, asking: Asking, variant: str) -> Question:
    shown = list(problem.images) if asking.pictures and asking.options["picture"] == "on" else []
    head = _ASK[problem.lang][asking.options["cot"]].format(marked=_MARKED[problem.lang])
    options = "\n".join(f"{letter}. {text}" for letter, text in sorted(problem.choices.items()))
    blocks = [head, None if shown else problem.diagram_description, problem.question, options]
    text = "\n\n".join(block.strip() for block in blocks if block)
    return Question(problem, variant, [Message(role="user", content=text)], shown)


HST = Benchmark(
    name="hst",
    about="HST-bench: four-option questions on ten sub-dimensions of spatial thinking; circular and average accuracy",
    read=read,
    ask=ask,
    options={
        "rolls": ("3", "1", "all"),
        "cot": ("on", "off"),
        "picture": ("on", "off"),
        "text": ("original", REWRITTEN),
    },
    tables=tables,
    contrast=contrast,
    of_means=lambda means: {**means, "average": means["overall"]},
    published=published_rows("hst", "totals"),
)
