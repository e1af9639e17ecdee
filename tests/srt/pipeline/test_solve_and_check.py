"""What the exact teacher writes, the checker proves: on published items, and where a text differs in form only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from srt.checking import check
from srt.corpora import read_corpus
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.pipeline.solve import solve_one

EN = Problem(
    id="en",
    source="test",
    split="test",
    lang="en",
    question=(
        "Booth: Ada, Ben, Cleo, Dov.\n(1) Ben is right of Ada;\n(2) Dov is right of Cleo.\n"
        "() faces the right neighbour of Ada."
    ),
    choices={"A": "Dov", "B": "Ben", "C": "Cleo", "D": "None of the above"},
)
ZH = Problem(
    id="zh",
    source="test",
    split="test",
    lang="zh",
    question="卡座：晓燕、晓峰、小玲、浩然。\n(1) 浩然的左邻斜对晓燕；\n(2) 晓燕在晓峰左边。\n()的右邻正对小玲。",
    choices={"A": "浩然", "B": "晓燕", "C": "晓峰", "D": "以上选项都不是"},
)
HARMLESS: dict[str, Callable[[str], str]] = {
    "capitals": lambda text: text.replace("Booth", "BOOTH"),
    "small letters": lambda text: text.replace("Booth", "booth"),
    "a clue in capitals": lambda text: text.replace("is right of", "IS Right of"),
    "the list with and": lambda text: text.replace("Cleo, Dov", "Cleo and Dov"),
    "the list with a comma and and": lambda text: text.replace("Cleo, Dov", "Cleo, and Dov"),
    "blank lines": lambda text: text.replace("\n", "\n \t\n\n"),
    "indented": lambda text: text.replace("\n", "  \r\n   "),
    "full-width numbers": lambda text: text.replace("(1)", "（1）").replace("(2)", "（2）"),
    "a full-width blank": lambda text: text.replace("()", "（）"),
    "a wide blank": lambda text: text.replace("()", "(  )"),
    "stops": lambda text: text.replace(";", ";;").replace("；", "；；"),
    "a mark of question": lambda text: text[:-1] + "?",
    "no last stop": lambda text: text[:-1],
}


CASES = [(problem, form) for problem in (EN, ZH) for form, change in HARMLESS.items()]


@pytest.mark.parametrize(
    ("problem", "form"),
    [case for case in CASES if HARMLESS[case[1]](case[0].question) != case[0].question],
    ids=lambda value: value if isinstance(value, str) else value.lang,
)
def test_a_harmless_form_is_proved(problem: Problem, form: str) -> None:
    assert_solved_and_proved([problem.model_copy(update={"question": HARMLESS[form](problem.question)})])


@pytest.mark.parametrize(
    ("problem", "option"),
    [
        (EN, "None of the above."),
        (EN, "none of the above"),
        (EN, " NONE OF THE ABOVE "),
        (ZH, "以上选项都不是。"),
        (ZH, " 以上选项都不是"),
    ],
)
def test_a_harmless_form_of_the_last_option_is_proved(problem: Problem, option: str) -> None:
    assert_solved_and_proved([problem.model_copy(update={"choices": {**problem.choices, "D": option}})])
    spaced = {letter: f" {name} " for letter, name in problem.choices.items()}
    assert_solved_and_proved([problem.model_copy(update={"choices": spaced})])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_trace_of_the_published_items_is_proved(lang: str, space2025: Path) -> None:
    problems = list(read_corpus("space2025", space2025 / f"spr_{lang}_train.jsonl"))
    solved = assert_solved_and_proved(problems, all_solved=False)
    assert solved > 0.99 * len(problems) > 1000


def assert_solved_and_proved(problems: list[Problem], all_solved: bool = True) -> int:
    """Gives the number of problems with a trace; every trace must be proved."""
    by_id = {problem.id: problem for problem in problems}
    outcomes = list(map(solve_one, problems))
    traces = [outcome for outcome in outcomes if isinstance(outcome, Trace)]
    assert len(traces) == len(problems) or not all_solved, outcomes
    unproved = [trace.id for trace in traces if not check(by_id[trace.problem_id], trace).proved]
    assert unproved == []
    return len(traces)
