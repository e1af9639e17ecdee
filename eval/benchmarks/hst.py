"""HST-bench: 1,629 questions of four options in Chinese and English, on ten sub-dimensions of spatial thinking.

The data are not published as a file: the user's mapping (:mod:`eval.benchmarks.external.mapping_file`) names the
fields, of which ``dimension``, ``discipline`` and ``operation`` are the benchmark's own; ``rewritten`` is another
form of it.

*Circular* accuracy counts a question only if it is right in all three rolls of its options; *average* accuracy is the
mean over the three. A dimension (A, B, C) is the plain mean of its sub-dimensions, the total is over items. The side
studies are options of a run, and ``srt compare`` pairs each with the main run problem by problem:

- ``text: rewritten`` asks only the rewritten forms;
- ``picture: text`` asks only the items whose text has all that their picture shows, with that text alone, and
  ``picture: both`` asks the same items with the same text and the picture;
- ``cot: v`` adds a structured way of reasoning to the main prompt, which asks for steps already (the paper does not
  print its wording; ours is ``prompts/*/hst_cot_v.md``). ``cot: off`` forbids steps, which the paper never does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from eval.benchmarks.definition.benchmark import Asking, Benchmark, Published, Question, Table
from eval.benchmarks.definition.prompt_files import layout_fields, with_own_prompts
from eval.benchmarks.definition.variants import View, scores_in_view, twin
from eval.benchmarks.external.mapped_reader import Column, Form, read_mapped
from eval.benchmarks.external.repeated_problems import refuse_repeated
from eval.benchmarks.tables.breakdown import group_values, mean
from eval.benchmarks.tables.published_rows import published_rows
from eval.benchmarks.tables.rolled import ask_rolled, breakdown_table, view_table
from eval.records.run_records import Run
from srt.corpora.corpus_reader import ImportRefusal, ImportRequest
from srt.io.records import Message, Problem
from srt.language.prompts import THINK_CLOSES

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
_VIEWS: tuple[View, ...] = ("circular", "average")
_FORM = Form(
    source="hst",
    columns={
        "dimension": Column(needed=True, values=tuple(DIMENSIONS)),
        "discipline": Column(values=DISCIPLINES),
        "operation": Column(values=OPERATIONS),
    },
    twins=(REWRITTEN,),
    categories=lambda own: (own["dimension"][0], own["dimension"]),
    single_choice=lambda _: True,  # the printed prompts ask for X, one of A to D
)


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
        if asking.options["picture"] == "shown" or (form.images and form.diagram_description):
            asked.append(form)
    return ask_rolled(asked, asking, _question)


def tables(runs: Mapping[str, Run]) -> list[Table]:
    """Totals; then circular and average accuracy by each dimension of the problems; thinking models against others."""
    by: dict[str, tuple[Callable[[Problem], str | None], Sequence[str]]] = {
        "sub-dimension": (lambda problem: problem.subcategory, tuple(DIMENSIONS)),
        "discipline": (lambda problem: problem.meta.get("discipline"), DISCIPLINES),
        "operation": (lambda problem: problem.meta.get("operation"), OPERATIONS),
        "language": (lambda problem: problem.lang, ("zh", "en")),
        "picture": (lambda problem: "with picture" if problem.images else "text alone", ("text alone", "with picture")),
    }
    found = [_totals(runs)]
    for name, (label, order) in by.items():
        for view in _VIEWS:
            rows = _of_models(view) if name == "sub-dimension" else ()
            table = breakdown_table(f"HST-bench: {view} accuracy by {name}", runs, label, view, order, rows)
            if table is not None and (len(table.header) > 2 or name == "sub-dimension"):
                found.append(table)
            if table is not None and name == "sub-dimension":
                found.append(_dimensions(table, view))
    found += [table for view in _VIEWS if (table := _disciplines_by_dimension(runs, view))]
    groups = _groups(runs)
    return [*found, groups] if groups else found


def contrast(runs: Mapping[str, Run]) -> list[Table]:
    """Totals, and the drop of each further run against the first on the problems of both: after rewriting, without the
    picture, with another prompt, or whatever options the two runs differ in."""
    first, *others = runs
    rows: list[list[str | float | None]] = []
    published: list[Published] = []
    for arm in others:
        row: list[str | float | None] = [f"{first} − {arm}"]
        for view in _VIEWS:
            before, after = (scores_in_view(runs[name].scores.values(), view) for name in (first, arm))
            both = [ident for ident in before if ident in after]
            row.append(mean([before[ident] - after[ident] for ident in both]))
        a, b = runs[first].manifest.options, runs[arm].manifest.options
        different = [name for name in sorted({*a, *b}) if a.get(name) != b.get(name)]
        options = ", ".join(f"{name}: {a.get(name)} / {b.get(name)}" for name in different)
        rows.append([*row, float(len(both)), options])
        if len(different) == 1:
            published += _published_drops(different[0], a.get(different[0]), b.get(different[0]))
    table = Table(
        title="HST-bench: drop against the first run, on the problems of both",
        header=["difference", *_VIEWS, "problems", "options that differ"],
        rows=rows,
        unit="points",
        units={"problems": "count"},
        published=list({row.model: row for row in published}.values()),
    )
    return [_totals(runs), table]


def _totals(runs: Mapping[str, Run]) -> Table:
    rows = [{row.model: row for row in published_rows("hst", view)} for view in _VIEWS]
    published = [
        row.model_copy(
            update={
                "figures": {
                    view: of[row.model].figures["total"]
                    for view, of in zip(_VIEWS, rows, strict=True)
                    if row.model in of
                }
            }
        )
        for row in rows[0].values()
    ]
    return view_table("HST-bench", runs, _VIEWS, published)


def _of_models(view: View) -> list[Published]:
    return [row for row in published_rows("hst", view) if not row.human]


def _dimensions(sub: Table, view: View) -> Table:
    """A, B and C: the plain means of their sub-dimensions in the table ``sub``, where all of them are in it."""
    parts = {letter: [name for name in DIMENSIONS if name[0] == letter] for letter in "ABC"}
    there = {letter: names for letter, names in parts.items() if set(names) <= set(sub.header)}
    rows: list[list[str | float | None]] = []
    for arm, *cells in sub.rows:
        of = {name: cell for name, cell in zip(sub.header[1:], cells, strict=True) if isinstance(cell, float)}
        whole = {letter: [of[name] for name in names if name in of] for letter, names in there.items()}
        rows.append([arm, *(mean(each) if len(each) == len(parts[letter]) else None for letter, each in whole.items())])
    counts = dict(zip(sub.header[1:], sub.counts[1:], strict=True))
    return Table(
        title=f"HST-bench: {view} accuracy by dimension",
        header=["arm", *there],
        rows=rows,
        counts=[None, *(sum(counts[name] or 0 for name in names) for names in there.values())],
        published=list(published_rows("hst", view))
        + [row for row in published_rows("hst", "circular") if row.human and view == "average"],
        note="The plain mean of a dimension's sub-dimensions. The paper prints the human figures beside circular ones.",
    )


def _disciplines_by_dimension(runs: Mapping[str, Run], view: View) -> Table | None:
    """One row for each arm and discipline, the dimensions as columns: means over the items of both."""
    rows: list[list[str | float | None]] = []
    for arm, run in runs.items():
        groups: dict[tuple[str, str], list[float]] = defaultdict(list)
        for ident, value in scores_in_view(run.scores.values(), view).items():
            problem = run.problems[ident]
            groups[str(problem.meta.get("discipline")), str(problem.category)].append(value)
        named = [name for name in DISCIPLINES if any(name == discipline for discipline, _ in groups)]
        rows += [[f"{arm}, {name}", *(mean(groups.get((name, letter), ())) for letter in "ABC")] for name in named]
    if len(rows) <= len(runs):
        return None
    return Table(title=f"HST-bench: {view} accuracy by discipline and dimension", header=["arm", *"ABC"], rows=rows)


def _groups(runs: Mapping[str, Run]) -> Table | None:
    """The paper's two groups of models, if the arms have both."""
    thinks = {arm: _thinks(run) for arm, run in runs.items()}
    if len(set(thinks.values())) < 2:
        return None
    columns = [*DIMENSIONS, "total"]
    means: dict[bool, dict[str, float | None]] = {}
    for thinking in (False, True):
        figures: dict[str, list[float]] = defaultdict(list)
        for arm in (arm for arm, does in thinks.items() if does is thinking):
            values = scores_in_view(runs[arm].scores.values(), "average")
            for name, each in group_values(values, runs[arm], lambda it: [str(it.subcategory), "total"]).items():
                figures[name].append(mean(each) or 0.0)
        means[thinking] = {name: mean(figures.get(name, ())) for name in columns}
    change = [
        None if (a := means[True][name]) is None or (b := means[False][name]) is None else a - b for name in columns
    ]
    return Table(
        title="HST-bench: average accuracy of thinking models and others",
        header=["group", *columns],
        rows=[
            ["Non-thinking", *means[False].values()],
            ["Thinking", *means[True].values()],
            ["Difference", *change],
        ],
        published=list(published_rows("hst", "groups")),
        note="Plain means of the arms of a group; the models of an arm think if any of its replies has a think block.",
    )


def _thinks(run: Run) -> bool:
    """Whether any reply has a think block. Another system's predictions may have no count of reasoning tokens."""
    rows = run.predictions.values()
    return any(row.reasoning_tokens for row in rows) or (
        all(row.reasoning_tokens is None for row in rows) and any(THINK_CLOSES in row.read().text for row in rows)
    )


def _published_drops(option: str, first: str | None, other: str | None) -> list[Published]:
    """The published differences ``first − other`` of the side study of ``option``."""
    if option == "picture" and {first, other} == {"both", "text"}:
        rows = {row.model: row for row in published_rows("hst", "picture")}
        pairs = [(rows[f"{name}, text and picture"], rows[f"{name}, text alone"]) for name in _models_of(rows)]
        drops = [
            (name, a.figures["total"] - b.figures["total"], a.source)
            for name, (a, b) in zip(_models_of(rows), pairs, strict=True)
        ]
        sign, view = (1 if first == "both" else -1), "average"
    elif (option, {first, other}) in (("text", {"original", REWRITTEN}), ("cot", {"main", "v"})):
        entry = "rewriting" if option == "text" else "cot-v"
        drops = [(row.model, -row.figures["change"], row.source) for row in published_rows("hst", entry)]
        sign, view = (1 if first in ("original", "main") else -1), "circular"
    else:
        return []
    return [
        Published(model=f"{name} ({option})", figures={view: sign * drop}, source=source)
        for name, drop, source in drops
    ]


def _models_of(rows: Mapping[str, Published]) -> list[str]:
    """The models of the picture study that have both rows."""
    both = ", text and picture"
    return [name.removesuffix(both) for name in rows if name.endswith(both)]


def _question(problem: Problem, asking: Asking, variant: str) -> Question:
    study, cot = asking.options["picture"], asking.options["cot"]
    shown = list(problem.images) if asking.pictures and study != "text" else []
    templates = with_own_prompts(asking.own_prompts)
    fields = layout_fields(problem, pictures=bool(shown) and study != "both")
    if cot == "v":
        fields["choices"] += f"\n\n{templates.piece('hst_cot_v', problem.lang, {})}"
    name = "hst_answer_only" if cot == "off" else "hst_picture" if shown else "hst_text"
    [text] = templates.parts(name, problem.lang, fields)
    return Question(problem, variant, [Message(role="user", content=text)], shown)


HST = Benchmark(
    name="hst",
    mapped=True,
    about="HST-bench: four-option questions on ten sub-dimensions of spatial thinking; circular and average accuracy",
    read=read,
    ask=ask,
    options={
        "rolls": ("3", "1", "all"),
        "cot": ("main", "v", "off"),
        "picture": ("shown", "text", "both"),
        "text": ("original", REWRITTEN),
    },
    tables=tables,
    contrast=contrast,
    of_means=lambda means: {**means, "average": means["overall"]},
)
