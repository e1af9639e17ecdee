"""HST-bench: how it asks, circular and average accuracy, the side studies, on items of our own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval.benchmarks.benchmark_registry import chosen_options
from eval.benchmarks.definition.benchmark import Asking
from eval.benchmarks.definition.prompt_files import read_own_prompts
from eval.benchmarks.hst import DIMENSIONS, HST
from eval.benchmarks.run_tables import run_tables
from eval.records.run_records import Run, read_manifest
from eval.report.compare import compare
from eval.run.predict import predict
from eval.run.scored_run import read_run
from eval.scoring.human_baseline import score_human
from eval.scoring.score import score
from srt.cli import make_app
from srt.io.errors import UserError
from srt.io.records import Problem
from tests.fake_backend import FakeBackend

TEXTS = ["mill", "barn", "tree", "well"]
RIGHT = "well"
Imported = Callable[..., tuple[list[Problem], list[dict[str, str]], dict[str, object]]]


@pytest.fixture
def problems(tmp_path: Path, imported: Imported, draw: Callable[..., Path]) -> list[Problem]:
    """Twelve items; the first two have a picture and a text for it, the first four a rewritten form."""
    draw(tmp_path / "data" / "map.png", 90)
    rows = ["id\tquestion\tA\tB\tC\tD\tanswer\tpicture\tdiagram_description\tskill\tdiscipline\toperation"]
    for number in range(12):
        skill = list(DIMENSIONS)[number % len(DIMENSIONS)]
        shown = ("map.png", "A map of a village.") if number < 2 else ("", "")
        question = f"在地图上，第 item {number} 题问哪个最近？" if number % 2 else f"Which is nearest, item {number}?"
        cells = [f"i{number}", question, *TEXTS, "D", *shown, skill, "physics", "numerical" if number % 3 else "none"]
        rows.append("\t".join(cells))
    data = tmp_path / "data"
    (data / "items.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    again = [f"i{number},Item again: which stands nearest? item {number}." for number in range(4)]
    (data / "again.csv").write_text("\n".join(["id,question", *again]) + "\n", "utf-8")
    (data / "mapping.yaml").write_text(
        "data: items.tsv\nfields: {dimension: skill}\n"
        "twins: {rewritten: {file: again.csv, fields: {question: question}}}\n"
    )
    found, refused, _ = imported("hst", data)
    assert not refused
    return found


@pytest.fixture
def run(tmp_path: Path, problems: list[Problem]) -> Callable[..., Run]:
    """``run(arm, reply, **options)``: a scored run; ``reply(item, options of the prompt)`` gives the letter."""

    def make(arm: str, reply: Callable[[int, dict[str, str]], str], **options: str) -> Run:
        def answer(prompt: str) -> str:
            choices = dict(re.findall(r"^([A-D])\. (\w+)", prompt, re.M))
            letter = reply(int(re.findall(r"item (\d+)", prompt)[-1]), choices)
            return f"First ...\n★答案：{letter}★" if "答案" in prompt else f"First ...\n★ Answer: {letter} ★"

        backend = FakeBackend(answer, model=arm, reads_pictures=True)
        folder = tmp_path / "runs" / arm
        predict(tmp_path / "problems.jsonl", folder, backend, arm=arm, benchmark="hst", options=options)
        score(folder)
        return read_run(folder)

    return make


def of_right(_: int, choices: dict[str, str]) -> str:
    return next(letter for letter, text in choices.items() if text == RIGHT)


def ask(problems: list[Problem], pictures: bool = True, **options: str) -> dict[tuple[str, str], str]:
    asking = Asking("full", pictures, chosen_options(HST, options))
    return {(one.problem.id, one.variant): one.messages[0].content for one in HST.ask(problems, asking)}


def test_an_item_is_asked_in_three_rolls_with_steps_and_its_own_marker(problems: list[Problem]) -> None:
    asked = ask(problems)
    assert len(asked) == 36
    english, chinese = asked["i2", "plain"], asked["i3", "plain"]
    assert "Calculate in steps" in english
    assert "'★ Answer: X ★'" in english
    assert english.index("A. mill") < english.index("Calculate in steps")
    assert "★答案：X★" in chinese
    assert "A. mill\nB. barn\nC. tree\nD. well" in english
    assert "A. well\nB. mill\nC. barn\nD. tree" in asked["i2", "roll-1"]
    assert "in steps" not in ask(problems, cot="off")["i2", "plain"]
    structured = ask(problems, cot="v")
    assert "Frame of reference" in structured["i2", "plain"]
    assert "参照系" in structured["i3", "plain"]
    assert "Calculate in steps" in structured["i2", "plain"]


def test_without_the_picture_the_text_for_it_is_shown_and_only_such_items_are_asked(problems: list[Problem]) -> None:
    asking = Asking("full", True, chosen_options(HST, {"picture": "text"}))
    asked = list(HST.ask(problems, asking))
    assert {one.problem.id for one in asked} == {"i0", "i1"}
    assert all("A map of a village." in one.messages[0].content and not one.images for one in asked)
    both = list(HST.ask(problems, Asking("full", True, chosen_options(HST, {"picture": "both"}))))
    assert {one.problem.id for one in both} == {"i0", "i1"}
    assert all("A map of a village." in one.messages[0].content and one.images for one in both)
    shown = {one.problem.id: one for one in HST.ask(problems, Asking("full", True, chosen_options(HST, {})))}
    assert shown["i0"].images
    assert "village" not in shown["i0"].messages[0].content


def test_rewritten_forms_are_asked_alone(problems: list[Problem]) -> None:
    asked = ask(problems, text="rewritten")
    assert {ident for ident, _ in asked} == {"i0", "i1", "i2", "i3"}
    assert all("Item again" in text for text in asked.values())


def test_who_knows_the_answer_is_right_in_the_circle_and_who_says_d_is_so_on_the_mean_of_one_in_three(
    run: Callable[..., Run],
) -> None:
    runs = {"knows": run("knows", of_right), "says D": run("says D", lambda *_: "D")}
    tables = {table.title: table for table in run_tables(runs)}
    total = tables["HST-bench"]
    assert total.header == ["arm", "circular", "average"]
    assert total.rows == [["knows", 1.0, 1.0], ["says D", 0.0, pytest.approx(1 / 3)]]
    assert total.counts == [None, 12, 12]
    by = tables["HST-bench: average accuracy by sub-dimension"]
    assert by.header[1:] == list(DIMENSIONS)
    assert by.counts[1:3] == [2, 2]
    published = {row.model: row for row in total.published}
    assert published["deepseek-r1"].figures == {"circular": 0.67, "average": 0.79}
    assert published["humans"].human
    assert {row.human for row in total.published} == {True, False}
    for view in ("average", "circular"):
        (human,) = (row for row in tables[f"HST-bench: {view} accuracy by dimension"].published if row.human)
        assert human.figures == pytest.approx({"A": 0.769, "B": 0.874, "C": 0.81, "total": 0.801})


def test_runs_that_differ_in_an_option_are_contrasted_on_the_items_of_both(run: Callable[..., Run]) -> None:
    wrong = run("rewritten", lambda item, choices: of_right(item, choices) if item != 1 else "A", text="rewritten")
    (total, table) = run_tables({"original": run("original", of_right), "rewritten": wrong})
    drops = {row.model: row.figures for row in table.published}
    assert drops["deepseek-r1 (text)"] == pytest.approx({"circular": 0.13})
    # Item 1 is wrong twice of three: "A" is right in one roll.
    assert table.rows == [["original − rewritten", 0.25, pytest.approx(2 / 12), 4.0, "text: original / rewritten"]]
    assert table.unit == "points"
    assert next(row[1:] for row in total.rows) == [1.0, 1.0]


def test_an_item_of_another_dimension_is_refused_by_name(tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "x.csv").write_text(
        "question,A,B,answer,dimension\nWhich?,mill,barn,A,D9\nWhich, then?,mill,barn,A,A1\n".replace(", then", " then")
    )
    kept, refused, _ = imported("hst", tmp_path / "x.csv")
    assert len(kept) == 1
    assert "x.csv:2: dimension: A1 or A2" in refused[0]["detail"]


def test_a_comparison_pairs_the_side_study_and_shows_humans_below(tmp_path: Path, run: Callable[..., Run]) -> None:
    folders = [
        run("original", of_right).folder,
        run("rewritten", lambda item, choices: of_right(item, choices) if item != 1 else "A", text="rewritten").folder,
    ]
    (tmp_path / "r.csv").write_text("participant,item,answer\nann,i0,D\nann,i1,A\n")
    score_human(tmp_path / "r.csv", tmp_path / "problems.jsonl", tmp_path / "human", benchmark="hst")
    comparison = compare(folders, tmp_path / "report", reference="original", human=[tmp_path / "human"])
    (difference,) = comparison.differences
    assert (difference.count, difference.difference) == (4, pytest.approx(-2 / 12))
    total, drop = comparison.tables
    assert drop.rows[0][1] == 0.25
    assert [row.figures.get("average", row.figures.get("circular")) for row in total.published if row.human] == [
        pytest.approx(0.801),
        0.5,
    ]


def test_a_dimension_is_the_plain_mean_of_its_parts(run: Callable[..., Run]) -> None:
    """Items 0, 1, 10 and 11 are of A1 and A2 (two each): a pooled figure would weigh these more."""
    table = {
        t.title: t
        for t in run_tables({"m": run("m", lambda item, choices: of_right(item, choices) if item in (0, 10) else "A")})
    }["HST-bench: circular accuracy by dimension"]
    assert dict(zip(table.header[1:], table.rows[0][1:], strict=True)) == {"A": 0.25, "B": 0.0, "C": 0.0}
    assert table.counts[1:] == [6, 3, 3]


def test_thinking_models_stand_against_the_others(run: Callable[..., Run]) -> None:
    thinker, plain = run("thinker", of_right), run("plain", lambda *_: "A")
    thoughts = {key: replace(row, reasoning_tokens=5) for key, row in thinker.predictions.items()}
    tables = {t.title: t for t in run_tables({"thinker": replace(thinker, predictions=thoughts), "plain": plain})}
    rows = {row[0]: row[-1] for row in tables["HST-bench: average accuracy of thinking models and others"].rows}
    assert rows == {"Non-thinking": pytest.approx(1 / 3), "Thinking": 1.0, "Difference": pytest.approx(2 / 3)}


def test_thinking_is_seen_in_the_text_of_another_system(
    run: Callable[..., Run], tmp_path: Path, problems: list[Problem]
) -> None:
    asked = HST.ask(problems, Asking("full", True, chosen_options(HST, {})))
    rows = [
        {"id": one.problem.id, "variant": one.variant, "prediction": f"<think>turn</think>\n★ Answer: {letter} ★"}
        for one in asked
        if one.problem.answer is not None
        for letter in one.problem.answer.value
    ]
    (tmp_path / "theirs.json").write_text(json.dumps(rows))
    command = ["eval", "--backend", "file", "--predictions", tmp_path / "theirs.json", "--benchmark", "hst"]
    place = ["--problems", tmp_path / "problems.jsonl", "-o", tmp_path / "theirs"]
    result = CliRunner().invoke(make_app(), [*map(str, command + place)])
    assert result.exit_code == 0, result.output
    found = run_tables({"theirs": read_run(tmp_path / "theirs"), "plain": run("plain", lambda *_: "A")})
    (table,) = (t for t in found if "thinking models" in t.title)
    assert table.rows[1][-1] == 1.0


def test_own_prompts_are_asked_and_stand_in_the_manifest(tmp_path: Path, problems: list[Problem]) -> None:
    folder = tmp_path / "prompts"
    (folder / "en").mkdir(parents=True)
    (folder / "en" / "hst_text.md").write_text("{question}\n\n{choices}\n\nSay it in your own way.")
    own = read_own_prompts(folder)
    assert set(own) == {"en/hst_text"}
    asked = {
        (one.problem.id, one.variant): one.messages[0].content
        for one in HST.ask(problems, Asking("full", True, chosen_options(HST, {}), own))
    }
    assert asked["i2", "plain"].endswith("D. well\n\nSay it in your own way.")
    assert "★答案" in asked["i3", "plain"]
    predict(tmp_path / "problems.jsonl", tmp_path / "own", FakeBackend(lambda _: "★ Answer: A ★", reads_pictures=True),
            arm="own", benchmark="hst", prompts=own)  # fmt: skip
    assert read_manifest(tmp_path / "own").prompts == own
    (folder / "en" / "hst_text.md").write_text("{choices}")
    with pytest.raises(UserError, match=r"hst_text\.md: the field \{question\}"):
        read_own_prompts(folder)
