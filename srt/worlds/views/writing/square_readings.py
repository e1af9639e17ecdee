"""Questions about single squares of the views and the plan that a problem shows: is it there, which number is in it."""

from __future__ import annotations

from srt.io.records import Lang, Problem
from srt.worlds.views.figures import PlanFigure, ViewFigure, figures_of
from srt.worlds.views.kernel.stacks import cell_name
from srt.worlds.views.writing.question_text import VIEW_NAMES
from srt.worlds.world import Reading

_QUESTIONS: dict[Lang, dict[str, str]] = {
    "en": {
        "side": "Square in column {column}, row {row} of the {view}?",
        "top": "Square at {cell} of the {view}?",
        "plan": "Number at {cell} of the plan?",
    },
    "zh": {
        "side": "{view}的第{column}列第{row}层有方格吗？",
        "top": "{view}的{cell}处有方格吗？",
        "plan": "平面图的{cell}处的数字是几？",
    },
}
_ANSWERS: dict[Lang, tuple[str, str]] = {"en": ("no", "yes"), "zh": ("没有", "有")}


def readings(problem: Problem) -> list[Reading]:
    """One for each square of the question's plan and views; columns from the left, rows from below.

    Not of a view whose direction is not said, or that is drawn as one body. Squares of a top view or a plan have the
    names that claims give them. An empty square of a plan reads 0.

    Raises:
        ValueError: the figures are not known.
    """
    read: list[Reading] = []
    forms, lang = _QUESTIONS[problem.lang], problem.lang
    for figure in figures_of(problem):
        if figure.name in problem.choices:
            continue
        match figure:
            case PlanFigure():
                form = forms["plan"]
                rows: list[list[int | str]] = [[*row] for row in figure.heights]
            case ViewFigure(name=name, lines=None) if name in VIEW_NAMES[lang]:
                form = forms["top" if figure.name == "top" else "side"]
                rows = [[_ANSWERS[lang][square == "#"] for square in row] for row in figure.rows]
            case _:
                continue
        for y, row in enumerate(rows):
            for x, answer in enumerate(row):
                asked = form.format(
                    column=x + 1,
                    row=len(rows) - y,
                    cell=cell_name((y, x), len(rows)),
                    view=VIEW_NAMES[lang].get(figure.name, ""),
                )
                read.append(Reading(asked, answer))
    return read
