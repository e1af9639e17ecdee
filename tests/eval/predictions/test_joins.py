"""Which problems the rows are about: what prompts, options, targets and columns say must agree, or the file is refused.

In ``joins``, eight pictures with one question and different options (``pictures``), and four things with one list of
options; ``samples_whales`` is about neither, and ``off_by_one`` has the ids of the rows before.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval.scoring.arm_summary import ArmSummary
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Prediction, Problem
from tests.eval.predictions.conftest import LMMS_EVAL, stacks

Scored = Callable[..., ArmSummary]
JOINS = Path(__file__).parent / "joins"
SAMPLES = JOINS / "samples_pictures.jsonl"


def problems_of(name: str) -> list[Problem]:
    return list(read_records(JOINS / f"{name}.jsonl", Problem))


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def written(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def answers(folder: Path) -> dict[str, str]:
    return {row.problem_id: row.text for row in read_records(folder / "predictions.jsonl", Prediction)}


@pytest.mark.parametrize("order", [slice(None), slice(4, None), slice(None, None, -1), slice(6, 1, -2)])
def test_one_question_for_all_pictures_is_told_apart_by_the_options(
    order: slice, scored: Scored, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    problems = problems_of("pictures")[order]
    summary = scored(SAMPLES, problems)
    assert (summary.accuracy.right, summary.accuracy.count) == (len(problems), len(problems))
    gold = {one.id: one.answer.value[0] for one in problems if one.answer}  # type: ignore[index]
    assert answers(tmp_path / "run") == gold
    told = capsys.readouterr().err
    assert "lmms-eval samples, 8 answers" in told, "lm-eval counts no tokens"
    assert (f"{8 - len(problems)} are about none" in told) == (len(problems) < 8)


def test_options_in_another_order_are_another_problem(scored: Scored, tmp_path: Path) -> None:
    first = problems_of("pictures")[0]
    turned = dict(zip("ABCD", reversed(first.choices.values()), strict=True))
    problems = [first.model_copy(update={"id": "turned", "choices": turned}), first]
    samples = written(tmp_path / "samples.jsonl", rows_of(SAMPLES)[:1])
    scored(samples, problems)
    assert answers(tmp_path / "run") == {"own-1": "B"}


def test_alike_problems_without_options_in_the_prompt_are_not_joined_by_place(scored: Scored, tmp_path: Path) -> None:
    rows = rows_of(SAMPLES)
    for row in rows:
        row["input"] = "What is in the picture?"
    samples = written(tmp_path / "x.jsonl", rows)
    problems = problems_of("pictures")
    assert scored(samples, problems).accuracy.right == 8, "the targets agree"
    with pytest.raises(
        UserError, match=r"x\.jsonl:1: .* place .*'own-5'.* target 'B'; \S*x\.jsonl:3: .*'own-7'.* 2 of 4"
    ):
        scored(samples, problems[4:])
    with pytest.raises(UserError, match=r"x\.jsonl:5: .* place: the file has more rows than"):
        scored(samples, problems[:4])


def test_targets_that_agree_do_not_outweigh_prompts_about_something_else(scored: Scored, tmp_path: Path) -> None:
    whales = JOINS / "samples_whales.jsonl"
    with pytest.raises(UserError, match=r"whales\.jsonl:1: .*'own-1', .*; \S*whales\.jsonl:2: .*'own-3', .* 0 of 4"):
        scored(whales, problems_of("things"))
    assert not (tmp_path / "run" / "predictions.jsonl").exists()


def test_other_blanks_case_and_marks_are_the_same_question(scored: Scored, tmp_path: Path) -> None:
    rows = rows_of(LMMS_EVAL / "20261128_193339_samples_cubes.jsonl")
    for row in rows:
        row["input"] = f"<image 1>Question: HOW many  cubes\nare in stack {row['doc_id']} ? Answer with a number."
        row["target"] = "in another form"
    assert scored(written(tmp_path / "x.jsonl", rows), stacks(lambda number: f"q{number}")).accuracy.right == 4


def test_the_number_in_a_question_is_a_whole_word(scored: Scored, tmp_path: Path) -> None:
    rows = rows_of(LMMS_EVAL / "20261128_193339_samples_cubes.jsonl")
    for row in rows:
        row["input"] = row["input"].replace("stack ", "stack 1")
    with pytest.raises(UserError, match=r"x\.jsonl:1: .* 0 of 4 rows agree"):
        scored(written(tmp_path / "x.jsonl", rows), stacks(lambda number: f"q{number}"))


def test_questions_of_several_lines_are_found_in_another_order(scored: Scored, tmp_path: Path) -> None:
    problems = [one.model_copy(update={"question": f"Look at the stack.\n\n{one.question}"}) for one in stacks(str)]
    rows = rows_of(LMMS_EVAL / "20261128_193339_samples_cubes.jsonl")
    for row in rows:
        row["input"] = f"Question: Look at the stack.\n{row['input']}"
    assert scored(written(tmp_path / "x.jsonl", rows), problems[::-1]).accuracy.right == 4


def test_a_table_with_the_ids_of_other_rows_is_refused(scored: Scored) -> None:
    with pytest.raises(
        UserError,
        match=r"one\.csv:2: table: id .*'own-1', .* of 'own-2'; .*:3: 'own-2', .*; .*:4: 'own-3', .* of 'own-4'",
    ):
        scored(JOINS / "off_by_one.csv", problems_of("things"))


def test_a_single_row_that_asks_another_question_is_refused(scored: Scored, tmp_path: Path) -> None:
    rows = [
        {"id": f"q{n}", "question": f"How many cubes are in stack {n}?", "prediction": str(n + 2)} for n in range(12)
    ]
    problems = stacks(lambda number: f"q{number}", count=12)
    assert scored(written(tmp_path / "a.jsonl", rows), problems).accuracy.right == 12
    rows[7]["question"] = "How many cubes can be seen in stack 7?"  # a data set was corrected
    assert scored(written(tmp_path / "b.jsonl", rows), problems, output=tmp_path / "b").accuracy.right == 12
    rows[7]["question"] = rows[8]["question"]
    with pytest.raises(UserError, match=r"c\.jsonl:8: table: id .*'q7', .* of 'q8'; 11 of 12"):
        scored(written(tmp_path / "c.jsonl", rows), problems)


@pytest.mark.parametrize("column", ["gold", "target"])
def test_gold_answers_in_a_table_are_those_of_its_ids(column: str, scored: Scored, tmp_path: Path) -> None:
    problems = stacks(lambda number: f"q{number}", options=True)
    rows = [{"id": f"q{n}", "prediction": "A", column: letter} for n, letter in enumerate("ABCD")]
    assert scored(written(tmp_path / "a.jsonl", rows), problems).accuracy.right == 1
    for row, option in zip(rows, problems[0].choices.values(), strict=True):
        row[column] = option
    scored(written(tmp_path / "options.jsonl", rows), problems, output=tmp_path / "options")
    for row, letter in zip(rows, "BCDA", strict=True):
        row[column] = letter
    with pytest.raises(UserError, match=r"b\.jsonl:1: table: id .*'q0', .* target 'B'; \S*b\.jsonl:2: .*b\.jsonl:3: "):
        scored(written(tmp_path / "b.jsonl", rows), problems)
    named = {"id": "id", "prediction": column}
    assert scored(tmp_path / "b.jsonl", problems, columns=named, output=tmp_path / "c").accuracy.right == 0


def test_of_two_columns_of_ids_one_must_be_the_problems(scored: Scored, tmp_path: Path) -> None:
    problems = stacks(str)
    rows = [{"id": f"row-{n}", "problem_id": str(n), "prediction": str(n + 2)} for n in range(4)]
    assert scored(written(tmp_path / "a.jsonl", rows), problems).accuracy.right == 4
    for row in rows:
        row["id"] = str((int(row["problem_id"]) + 1) % 4)
    two = written(tmp_path / "b.jsonl", rows)
    with pytest.raises(UserError, match=r"b\.jsonl: id and problem_id: .*--columns id="):
        scored(two, problems)
    for name, right in (("problem_id", 4), ("id", 0)):
        columns = {"id": name}
        assert scored(two, problems, columns=columns, output=tmp_path / name).accuracy.right == right


@pytest.mark.parametrize("tool", ["VLMEvalKit", "lm-eval"])
def test_options_beside_the_question_are_read(tool: str, scored: Scored, tmp_path: Path) -> None:
    """VLMEvalKit has a column for each; a document of lm-eval has a list, or a request for each."""
    problems, asked, rows = problems_of("pictures"), "What is in the picture?", []
    for number, problem in enumerate(problems):
        options = list(problem.choices.values())
        right = problem.answer.value[0] if problem.answer else ""  # type: ignore[index]
        if tool == "VLMEvalKit":
            rows.append({"index": number, "question": asked, **problem.choices, "answer": right, "prediction": right})
        else:
            requests = {f"gen_args_{n}": {"arg_0": asked, "arg_1": f" {one}"} for n, one in enumerate(options)}
            doc: dict[str, Any] = {"choices": {"text": options}} if number % 2 else {}
            rows.append({"doc_id": number, "doc": doc, "target": right, "resps": [[right]],
                         "arguments": {"gen_args_0": {"arg_0": asked}} if number % 2 else requests})  # fmt: skip
    assert scored(written(tmp_path / "x.jsonl", rows), problems[:3:-1]).accuracy.right == 4
