"""HST-bench: 1,629 questions of four options in Chinese and English, on ten sub-dimensions of spatial thinking.

The data are not published as a file: the user's mapping (:mod:`eval.benchmarks.external.mapping_file`) names the
fields, of which ``dimension``, ``discipline`` and ``operation`` are the benchmark's own; ``rewritten`` is another
form of it.

*Circular* accuracy counts a question only if it is right in all three rolls of its options; *average* accuracy is the
mean over the three. The ablations are options of a run, and ``srt compare`` pairs each with the main run problem by
problem: ``text: rewritten`` asks only the rewritten forms, ``picture: off`` shows the equivalent text in place of the
picture and asks only the items that have both, ``cot: off`` asks for the answer without steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from eval.benchmarks.benchmark import Asking, Benchmark, Question, Table
from eval.benchmarks.external.mapped_reader import Column, Form, read_mapped
from eval.benchmarks.external.repeated_problems import refuse_repeated
from eval.benchmarks.tables.breakdown import mean
from eval.benchmarks.tables.published_rows import published_rows
from eval.benchmarks.tables.rolled import ask_rolled, breakdown_table, view_table
from eval.benchmarks.variants import scores_in_view, twin
from eval.run.run_records import Run
from srt.corpora.corpus_reader import ImportRefusal, ImportRequest
from srt.io.records import Lang, Message, Problem

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
DISCIPLINES = ("mathematics", "physics", "aeronautics", "navigation/surveying", "astronomy", "intelligence quiz")
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
    categories=lambda own: (own["dimension"][0], own["dimension"]),
)
_ASK: dict[Lang, dict[str, str]] = {
    "en": {
        "on": "Solve the following multiple-choice question. Think step by step and write your steps down. Then write "
        "one last line '★ Answer: X ★', with the letter of the right option in place of X.",
        "off": "Answer the following multiple-choice question. Write nothing but one line '★ Answer: X ★', with "
        "the letter of the right option in place of X.",
    },
    "zh": {
        "on": "请解答下面的选择题。请一步一步思考，写出推理步骤，最后单独写一行“★答案：X★”，其中X换成正确选项的字母。",
        "off": "请回答下面的选择题。不要写任何推理，只写一行“★答案：X★”，其中X换成正确选项的字母。",
    },
}


def read(path: Path, request: ImportRequest) -> Iterator[Problem | ImportRefusal]:
    """The items that the mapping at ``path`` describes; ``category`` is the dimension, ``subcategory`` its part.

    Raises:
        UserError: as :func:`eval.benchmarks.external.mapped_reader.read_mapped` does.
    """
    return refuse_repeated(read_mapped(path, request, _FORM))


def ask(problems: Sequence[Problem], asking: Asking) -> Iterator[Question]:
    """Every problem in three rolls (option ``rolls``), in the form that ``text`` and ``picture`` select."""
    asked: list[Problem] = []
    for problem in problems:
        form = twin(problem, REWRITTEN) if asking.options["text"] == REWRITTEN else problem
        if form is None:
            continue
        if asking.options["picture"] == "on" or (form.images and form.diagram_description):
            asked.append(form)
    return ask_rolled(asked, asking, _question)


def tables(runs: Mapping[str, Run]) -> list[Table]:
    """Totals; then circular and average accuracy by each dimension of the problems."""
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
            human = published_rows("hst", "dimensions") if (name, view) == ("dimension", "average") else ()
            table = breakdown_table(f"HST-bench: {view} accuracy by {name}", runs, label, view, order, human)
            if table is not None and (len(table.header) > 2 or name == "sub-dimension"):
                found.append(table)
    return found


def contrast(runs: Mapping[str, Run]) -> list[Table]:
    """Totals, and the drop of each further run against the first on the problems of both: after rewriting, without the
    picture, without steps, or whatever options the two runs differ in."""
    first, *others = runs
    rows: list[list[str | float | None]] = []
    for arm in others:
        row: list[str | float | None] = [f"{first} − {arm}"]
        for view in ("circular", "average"):
            before, after = (scores_in_view(runs[name].scores.values(), view) for name in (first, arm))
            both = [ident for ident in before if ident in after]
            row.append(mean([before[ident] - after[ident] for ident in both]))
        a, b = runs[first].manifest.options, runs[arm].manifest.options
        different = [name for name in sorted({*a, *b}) if a.get(name) != b.get(name)]
        options = ", ".join(f"{name}: {a.get(name)} / {b.get(name)}" for name in different)
        rows.append([*row, float(len(both)), options])
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


def _question(problem: Problem, asking: Asking, variant: str) -> Question:
    shown = list(problem.images) if asking.pictures and asking.options["picture"] == "on" else []
    options = "\n".join(f"{letter}. {text}" for letter, text in sorted(problem.choices.items()))
    head, described = _ASK[problem.lang][asking.options["cot"]], None if shown else problem.diagram_description
    blocks = [head, described, problem.question, options]
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
)
