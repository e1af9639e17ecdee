"""Basic Spatial Abilities: credit, tests that are not scored, abilities, repeats, shots, on items of our own."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.backends.protocol import GenerationSettings
from eval.benchmarks.benchmark_registry import chosen_options
from eval.benchmarks.definition.benchmark import Asking, Question
from eval.benchmarks.run_tables import run_tables
from eval.benchmarks.spatial_abilities import SPATIAL_ABILITIES, grade, introduction
from eval.benchmarks.tables.ability_scores import ABILITIES, OVERALL, TESTS, correlation_table, overall, turns_in
from eval.benchmarks.tables.published_rows import published_rows
from eval.records.run_records import Run
from eval.run.predict import predict
from eval.run.scored_run import read_run
from eval.scoring.score import score
from srt.io.records import Answer, Problem
from tests.fake_backend import FakeBackend

ROOT = Path(__file__).resolve().parents[3]
GOLD = {
    "SVT": ["A", "E", "C"],
    "NCIT": ["A", "B", "C"],
    "DAT:SR": ["BD", "A", "ACE"],
    "R-Cube-SR": ["T", "F", "true"],
    "MRMT": ["L", "R", "R", "L"],
    "MRT": ["AC", "BD", "AB"],
    "PSVT:R": ["D", "A", "E"],
    "SBST": ["C", "D", "A"],
    "R-Cube-Vis": ["F", "T", "T"],
}
"""Right answers by test. Those of MRMT are turns of one walk, which stand in rows of their own."""


@pytest.fixture
def problems(
    tmp_path: Path, imported: Callable[..., tuple[list[Problem], list[dict[str, str]], Any]], draw: Callable[..., Path]
) -> list[Problem]:
    lines = ["qid,test,figure,key,what"]
    for place, (test, answers) in enumerate(GOLD.items()):
        for number, answer in enumerate(answers):
            shade = 20 * place + (0 if test == "MRMT" else number)
            draw(tmp_path / "data" / f"{shade}.png", shade)
            lines.append(f"{test}-{number},{test},{shade}.png,{answer},a drawing {shade}")
    (tmp_path / "data" / "items.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "data" / "mapping.yaml").write_text(
        "data: items.csv\nlang: en\nfields: {id: qid, picture: figure, answer: key, diagram_description: what}\n"
    )
    found, refused, _ = imported("spatial-abilities", tmp_path / "data")
    assert not refused
    return found


def ask(problems: list[Problem], pictures: bool = True, **options: str) -> dict[str, Question]:
    asking = Asking("full", pictures, chosen_options(SPATIAL_ABILITIES, options))
    return {one.problem.id: one for one in SPATIAL_ABILITIES.ask(problems, asking)}


@pytest.fixture
def run(tmp_path: Path, problems: list[Problem]) -> Callable[..., Run]:
    """``run(arm, reply, repeats)``: a scored run; ``reply(problem, turn)`` gives what follows the item's number."""
    texts = [([message.content for message in one.messages], one.problem) for one in ask(problems).values()]

    def make(arm: str, reply: Callable[[Problem, int], str], repeats: int = 1) -> Run:
        turns: dict[str, int] = {}

        def answer(prompt: str) -> str:
            problem = next(problem for turns, problem in texts if all(turn in prompt for turn in turns))
            turn = turns[problem.id] = turns.get(problem.id, -1) + 1
            return f"ANSWER: {problem.meta['number']},{reply(problem, turn)}"

        folder = tmp_path / "runs" / arm
        settings = GenerationSettings(temperature=0.0 if repeats == 1 else 0.7)
        backend = FakeBackend(answer, model=arm, reads_pictures=True)
        predict(
            tmp_path / "problems.jsonl", folder, backend,
            arm=arm, settings=settings, repeats=repeats, benchmark="spatial-abilities",
        )  # fmt: skip
        score(folder)
        return read_run(folder)

    return make


def right(problem: Problem, _: int = 0) -> str:
    assert problem.answer is not None
    return (",".join if problem.subcategory == "MRMT" else "".join)(problem.answer.value)


def test_turns_in_rows_of_their_own_are_one_item(problems: list[Problem]) -> None:
    by_id = {problem.id: problem for problem in problems}
    assert len(problems) == 8 * 3 + 1
    assert by_id["MRMT-0"].answer == Answer(kind="sequence", value=["L", "R", "R", "L"])
    assert by_id["R-Cube-SR-2"].answer == Answer(kind="choice_set", value=["T"])
    assert by_id["MRT-1"].meta["number"] == "2"
    assert by_id["MRT-1"].category == "mental rotation"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_test_is_introduced_by_its_own_rules(lang: str) -> None:
    asking = Asking("full", True, chosen_options(SPATIAL_ABILITIES, {}))
    texts = {test: introduction(test, lang, asking, 32) for test in TESTS}  # type: ignore[arg-type]
    assert len({text[0] for text in texts.values()}) == 9
    without_example = {test for test, text in texts.items() if len(text) == 1}
    assert without_example == {"NCIT", "MRMT", "MRT"}
    for test, (instruction, *example) in texts.items():
        form = r"ANSWER: R,R,L" if test == "MRMT" else r"ANSWER: 1,[A-Z]+"
        assert re.search(form, instruction), test  # the form to answer in
        assert not example or re.search(r"ANSWER: 1,[A-Z,]+$", example[1]), test
        assert "{" not in "".join([instruction, *example])
    assert "32" in texts["MRMT"][0]
    rules = {
        "SVT": ("plan shows the base", "底面"),
        "NCIT": ("first from the left", "左起第一个"),
        "SBST": ("head-on", "正对着"),
        "R-Cube-Vis": ("ONE element", "一个单元"),
    }
    for test, words in rules.items():
        assert words[lang == "zh"] in texts[test][0]


def test_shots_show_their_pictures_before_that_of_the_item(problems: list[Problem]) -> None:
    plain, shots = ask(problems)["SBST-1"], ask(problems, shots="5")["SBST-1"]
    assert len(plain.images) == 1
    pictures = {problem.id: problem.images[0] for problem in problems}
    assert shots.images == [pictures["SBST-0"], pictures["SBST-2"], pictures["SBST-1"]]  # never the item itself
    assert [message.role for message in shots.messages] == ["user", "assistant"] * 3 + ["user"]
    turns = [message.content for message in shots.messages]
    assert turns[2:] == [
        "Item 1 (picture 1).", "ANSWER: 1,C", "Item 3 (picture 2).", "ANSWER: 3,A", "Item 2 (picture 3).",
    ]  # fmt: skip
    described = ask(problems, pictures=False, shots="1")["SBST-1"]
    assert not described.images
    assert "a drawing 141" in described.messages[-1].content
    assert all("picture 1" not in message.content for message in described.messages)


def test_a_shot_is_shown_with_its_solution(problems: list[Problem]) -> None:
    solved = [
        problem.model_copy(update={"solution": "The plane is level."}) if problem.id == "SBST-0" else problem
        for problem in problems
    ]
    assert ask(solved, shots="1")["SBST-1"].messages[3].content == "The plane is level.\n\nANSWER: 1,C"


def test_parts_of_a_test_are_announced(problems: list[Problem]) -> None:
    by_id = ask(problems)
    assert "Section A: the cube unfolds" in by_id["NCIT-0"].messages[-1].content
    assert "Block 1: ONE element" in by_id["R-Cube-Vis-0"].messages[-1].content
    assert by_id["R-Cube-SR-0"].messages[-1].content.startswith("Block 1.\nItem 1")
    later = problems[0].model_copy(
        update={"subcategory": "R-Cube-SR", "meta": {"number": "25", "test": "R-Cube-SR"}, "id": "late"}
    )
    assert ask([later])["late"].messages[-1].content.startswith("Block 2.\nItem 25")
    other = [
        problem.model_copy(update={"meta": {**problem.meta, "block": "3"}}) if problem.id == "R-Cube-Vis-0" else problem
        for problem in problems
    ]
    assert "Block 3: TWO elements are rotated; they cross" in ask(other)["R-Cube-Vis-0"].messages[-1].content


def test_marked_examples_are_the_shots_and_are_not_asked(problems: list[Problem]) -> None:
    marked = [
        problem.model_copy(update={"meta": {**problem.meta, "role": "example"}}) if problem.id == "SBST-2" else problem
        for problem in problems
    ]
    asked = ask(marked, shots="10")
    assert "SBST-2" not in asked
    replies = [message.content for message in asked["SBST-0"].messages if message.role == "assistant"]
    assert replies[1:] == ["ANSWER: 3,A"]


def test_pictures_of_the_introduction_come_first(
    tmp_path: Path, imported: Callable[..., tuple[list[Problem], list[dict[str, str]], Any]], draw: Callable[..., Path]
) -> None:
    """The file of docs/benchmarks.md, and an introduction of the user's own that names its pictures."""
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    (table,) = re.findall(r"\n      (qid,test,role,.*?)\n\n", page, re.DOTALL)
    lines = [line.strip() for line in table.splitlines()]
    for shade, line in enumerate(lines[1:]):
        draw(tmp_path / "data" / line.split(",")[3], 40 * shade)
    (tmp_path / "data" / "items.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "data" / "mapping.yaml").write_text(
        "data: items.csv\nlang: en\nfields: {id: qid, picture: figure, answer: key}\n"
    )
    problems, refused, _ = imported("spatial-abilities", tmp_path / "data")
    assert not refused
    assert [problem.meta["number"] for problem in problems] == ["1", "2", "1", "1"]
    pictures = [problem.images[0] for problem in problems]
    (asked,) = ask(problems, shots="1").values()
    assert asked.images == pictures
    texts = [message.content for message in asked.messages]
    assert "To this introduction belong pictures 1 to 2." in texts[0]
    assert texts[2:] == [
        "Item 1 (picture 3).",
        "The plane is level. The other outlines are wrong.\n\nANSWER: 1,C",
        "Item 1 (picture 4).",
    ]
    assert "picture" not in ask(problems, pictures=False)["sbst-1"].messages[0].content.replace("The picture shows", "")
    own = {"en/spatial_abilities_sbst": "Cut an apple (picture 1). Three kinds of solid: picture 2.\n"}
    asking = Asking("full", True, chosen_options(SPATIAL_ABILITIES, {"shots": "1"}), own)
    (question,) = SPATIAL_ABILITIES.ask(problems, asking)
    assert question.images == pictures
    assert [message.role for message in question.messages] == ["user", "assistant", "user"]
    assert question.messages[0].content.startswith("Cut an apple (picture 1).")


def test_five_steps_are_asked_for_when_wanted(problems: list[Problem]) -> None:
    text = ask(problems, cot="on")["SBST-0"].messages[0].content
    assert [f"{number}." in text for number in range(1, 6)] == [True] * 5
    assert "plane" in text
    assert "five steps" not in ask(problems)["SBST-0"].messages[0].content


def choice(problem_gold: str, given: str) -> float:
    problem = Problem(
        id="x", source="made-up", split="test", lang="en", question="",
        choices=dict.fromkeys("ABCDE", ""), answer=Answer(kind="choice_set", value=list(problem_gold)),
    )  # fmt: skip
    return grade(problem, Answer(kind="choice_set", value=list(given)))


def test_credit_is_the_share_of_right_options_and_nothing_with_a_wrong_one() -> None:
    assert choice("AC", "AC") == 1
    assert choice("AC", "A") == 0.5
    assert choice("ACE", "CE") == pytest.approx(2 / 3)
    assert choice("AC", "AB") == 0
    assert choice("AC", "ABC") == 0
    assert choice("A", "B") == 0


@given(st.sets(st.sampled_from("ABCDE"), min_size=1), st.sets(st.sampled_from("ABCDE"), min_size=1))
def test_credit_by_counting(gold: set[str], given: set[str]) -> None:
    points = 0
    for letter in "ABCDE":
        if letter in given:
            points = points + 1 if letter in gold else -100
    assert choice("".join(gold), "".join(given)) == max(0, points) / len(gold)


def test_a_walk_is_graded_turn_by_turn(problems: list[Problem]) -> None:
    walk = next(problem for problem in problems if problem.subcategory == "MRMT")
    for turns, credit in [
        (["L", "R", "R", "L"], 1), (["1", "L", "R", "R", "L"], 1), (["left", "right", "R", "R"], 0.75),
        (["LRRL"], 1), (["L", "R"], 0.5), (["L", "R", "R", "L", "L"], 0.8), (["north"], 0), (["1"], 0),
    ]:  # fmt: skip
        assert grade(walk, Answer(kind="sequence", value=turns)) == credit, turns


def test_mrmt_is_the_mean_of_its_turns(tmp_path: Path, imported: Callable[..., Any], run_of: Any, figures: Any) -> None:
    """A walk of four turns weighs four times as much as one of one turn; the counts are of turns."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "items.csv").write_text(
        'id,test,answer,question\nlong,MRMT,"L,R,R,L",item long\nshort,MRMT,R,item short\n'
    )
    imported("spatial-abilities", tmp_path / "data" / "items.csv")
    replies = {"long": "L,R,R,R", "short": "L"}
    runs = {"model": run_of("spatial-abilities", tmp_path / "problems.jsonl", replies.__getitem__)}
    assert figures(runs, "Basic Spatial Abilities: tests")["model"] == {"MRMT": 3 / 5}
    [table] = run_tables(runs)
    assert table.counts == [None, 5]


def test_protocols_with_several_right_options(problems: list[Problem]) -> None:
    assert {problem.subcategory for problem in problems if not problem.single_choice} == {"DAT:SR", "MRMT", "MRT"}


def test_turns_are_read_and_anything_else_is_not() -> None:
    assert turns_in(["12. L", "r", "左转"]) == ["L", "R", "L"]
    assert turns_in(["L -> R"]) == ["L", "R"]
    assert turns_in(["L", "straight"]) is None
    assert turns_in([]) is None


def test_the_overall_figure_counts_an_ability_without_a_scored_test_as_zero() -> None:
    # A made-up model: MRT not scored, so mental rotation is PSVT:R alone; SVT not scored, so perception is 0.
    tests = {
        "SVT": None, "NCIT": 0.30, "DAT:SR": 0.10, "R-Cube-SR": 0.50, "MRMT": 0.55,
        "MRT": None, "PSVT:R": 0.20, "SBST": 0.40, "R-Cube-Vis": 0.60,
    }  # fmt: skip
    figures = overall(tests)
    assert figures["perception"] == 0
    assert figures["relation"] == pytest.approx(0.30)
    assert figures["mental rotation"] == pytest.approx(0.20)
    assert figures["visualization"] == pytest.approx(0.50)
    assert figures[OVERALL] == pytest.approx((0 + 0.30 + 0.55 + 0.20 + 0.50) / 5)
    with pytest.raises(KeyError):
        overall({test: value for test, value in tests.items() if test != "SVT"})


def test_the_published_means_of_people_give_their_published_overall() -> None:
    (human,) = (row for row in published_rows("spatial-abilities", "tests") if row.human)
    assert set(human.figures) == set(TESTS)
    assert round(100 * overall(human.figures)[OVERALL], 2) == 68.38


def test_a_whole_run_in_tests_and_abilities(run: Callable[..., Run]) -> None:
    def constant(problem: Problem, _: int) -> str:
        return {"MRMT": "L,L,L,L", "R-Cube-SR": "T", "R-Cube-Vis": "F", "MRT": right(problem)}.get(
            str(problem.subcategory), "A"
        )

    runs = {"knows": run("knows", right), "constant": run("constant", constant)}
    tests, abilities = run_tables(runs)
    by_test = {row[0]: dict(zip(tests.header[1:], row[1:], strict=True)) for row in tests.rows}
    assert by_test["knows"] == dict.fromkeys(TESTS, 1.0)
    assert by_test["constant"] == {**dict.fromkeys(TESTS, None), "MRT": 1.0}
    by_ability = {row[0]: dict(zip(abilities.header[1:], row[1:], strict=True)) for row in abilities.rows}
    assert by_ability["knows"] == dict.fromkeys([*ABILITIES, OVERALL], 1.0)
    assert by_ability["constant"] == {**dict.fromkeys(ABILITIES, 0.0), "mental rotation": 1.0, OVERALL: 0.2}
    published = {row.model: row.figures.get(OVERALL) for row in abilities.published}
    assert published["Qwen2-VL-7B-Instruct"] == pytest.approx(0.3122, abs=5e-5)
    assert published["humans"] == pytest.approx(0.6838, abs=5e-5)
    assert {row.model for row in tests.published} >= {"GPT-4o", "GPT-4o, deviation over 3 repeats"}


def test_one_other_answer_makes_a_test_scored(run: Callable[..., Run]) -> None:
    def nearly(problem: Problem, _: int) -> str:
        return "B" if problem.id == "SVT-2" else "A" if problem.subcategory == "SVT" else right(problem)

    (tests, _) = run_tables({"nearly": run("nearly", nearly)})
    assert tests.rows[0][1:3] == [pytest.approx(1 / 3), 1.0]


def test_repeats_have_a_mean_and_a_deviation_and_abilities_correlate_over_them(run: Callable[..., Run]) -> None:
    def worse(problem: Problem, turn: int) -> str:
        """The first ``turn`` items of SVT and of SBST are missed."""
        number = int(problem.meta["number"])
        return "B" if problem.subcategory in ("SVT", "SBST") and number <= turn else right(problem)

    tests, abilities, correlations = run_tables({"model": run("model", worse, repeats=3)})
    mean, deviation = tests.rows
    assert mean[1] == pytest.approx((1 + 2 / 3 + 1 / 3) / 3)
    assert deviation[0] == "model, deviation over 3 repeats"
    assert deviation[1] == pytest.approx((2 / 27) ** 0.5)  # of 1, 2/3 and 1/3, divided by n
    assert deviation[2] == 0
    assert abilities.rows[0][1] == mean[1]
    found = {row[0]: dict(zip(correlations.header[1:], row[1:], strict=True)) for row in correlations.rows}
    assert found["perception"]["visualization"] == pytest.approx(1)
    assert found["perception"]["relation"] is None  # which never varied


def test_pearson_is_that_of_the_formula() -> None:
    xs, ys = [0.1, 0.5, 0.3, 0.9], [0.2, 0.1, 0.7, 0.4]
    observed = [dict.fromkeys(ABILITIES, x) | {"relation": y} for x, y in zip(xs, ys, strict=True)]
    row = next(row for row in correlation_table(observed).rows if row[0] == "perception")
    mx, my = sum(xs) / 4, sum(ys) / 4
    cross = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True))
    expected = cross / (sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys)) ** 0.5
    assert row[1 + ABILITIES.index("relation")] == pytest.approx(expected)


def test_a_file_with_fewer_tests_has_no_overall(
    tmp_path: Path, imported: Callable[..., tuple[list[Problem], list[dict[str, str]], Any]]
) -> None:
    (tmp_path / "x.csv").write_text("test,answer,id\nSVT,B,1\nSVT,D,2\nMRMT,north,3\nSVT,Q,4\nXYZ,A,5\n")
    kept, refused, _ = imported("spatial-abilities", tmp_path / "x.csv")
    assert [problem.id for problem in kept] == ["1", "2"]
    assert {one["item"]: one["reason"] for one in refused} == {
        "3": "no_answer",
        "4": "answer_is_no_option",
        "5": "unreadable",
    }
    folder = tmp_path / "run"
    backend = FakeBackend(lambda prompt: "ANSWER: 1,B" if "Item 1." in prompt else "ANSWER: 2,C")
    predict(tmp_path / "problems.jsonl", folder, backend, arm="m", benchmark="spatial-abilities")
    score(folder)
    (tests,) = run_tables({"m": read_run(folder)})
    assert (tests.header, tests.rows) == (["arm", "SVT"], [["m", 0.5]])
