"""Rolling and mirroring: what moves, what stays, and how the scores of variants come together again."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.benchmarks.definition.variants import (
    FLIP,
    PLAIN,
    Twin,
    expand,
    rolled,
    scores_in_view,
    twin,
    why_not_rolled,
    with_twin,
)
from srt.io.errors import UserError
from srt.io.records import Answer, Image, Problem, Score

TEXTS = st.lists(
    st.sampled_from(["north", "south", "12 cm", "左边", "a cube", "the red one", "x"]), min_size=2, max_size=6
)


def a_problem(texts: list[str], gold: list[int] | None = None, **changes: object) -> Problem:
    letters = [chr(ord("A") + place) for place in range(len(texts))]
    answer = None if gold is None else Answer(kind="choice_set", value=[letters[place] for place in gold])
    fields: dict[str, object] = {
        "id": "p",
        "source": "made-up",
        "split": "test",
        "lang": "en",
        "question": "Where does it point?",
        "choices": dict(zip(letters, texts, strict=True)),
        "answer": answer,
    }
    return Problem.model_validate(fields | changes)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    texts = draw(TEXTS)
    gold = draw(st.sets(st.integers(0, len(texts) - 1), min_size=1))
    if draw(st.booleans()):
        texts = [*texts, "None of the above"]
    return a_problem(texts, sorted(gold))


def gold_texts(problem: Problem) -> list[str]:
    assert problem.answer is not None
    return sorted(problem.choices[letter] for letter in problem.answer.value)


@given(problems(), st.integers(0, 12))
@settings(max_examples=150)
def test_rolling_back_gives_the_same_problem_and_gold_stays_the_same_text(problem: Problem, by: int) -> None:
    turned = rolled(problem, by)
    assert gold_texts(turned) == gold_texts(problem)
    assert sorted(turned.choices.values()) == sorted(problem.choices.values())
    assert rolled(turned, -by) == problem


@given(problems())
@settings(max_examples=100)
def test_in_a_whole_circle_every_option_that_moves_stands_once_at_each_letter(problem: Problem) -> None:
    forms = [form for _, form in expand(problem, rolls=None)]
    stays = {letter for letter, text in problem.choices.items() if text == "None of the above"}
    moving = [letter for letter in problem.choices if letter not in stays]
    assert len(forms) == len(moving)
    for letter in moving:
        assert sorted(form.choices[letter] for form in forms) == sorted(problem.choices[each] for each in moving)
    assert all(form.choices[letter] == "None of the above" for form in forms for letter in stays)


def test_a_roll_moves_each_option_on_by_one_and_gold_with_it() -> None:
    turned = rolled(a_problem(["north", "south", "east", "west"], [3], solution="It is D."), 1)
    assert turned.choices == {"A": "west", "B": "north", "C": "south", "D": "east"}
    assert turned.answer == Answer(kind="choice_set", value=["A"])
    assert turned.solution is None  # it names letters that are no longer right


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["north", "south", "A and B"], "names letters"),
        (["north", "south", "Both A and B are right"], "names letters"),
        (["丙", "丁", "A和B都正确"], "names letters"),
        (["A", "B", "C"], "names letters"),
        (["north", "", "east"], "without text"),
        (["north", "the opposite of option A", "east"], "by its letter"),
        (["north", "None of the above", "east"], "not the last"),
        (["以上都不对", "左", "右"], "not the last"),
        (["north", "all of the above"], "fewer than two"),
        (["north"], "fewer than two"),
    ],
)
def test_options_that_must_stay_are_named(texts: list[str], why: str) -> None:
    problem = a_problem(texts, [0])
    assert why in (why_not_rolled(problem) or "")
    assert [name for name, _ in expand(problem, rolls=None)] == [PLAIN]
    with pytest.raises(ValueError, match="problem p"):
        rolled(problem, 1)


@pytest.mark.parametrize(
    "texts", [["AB", "BC", "CA"], ["P", "Q", "R"], ["a line A to F", "x", "y"], ["左", "右", "以上都不对"]]
)
def test_capitals_that_are_no_options_do_not_keep_options_from_moving(texts: list[str]) -> None:
    assert why_not_rolled(a_problem(texts, [0])) is None


def test_a_question_that_names_an_option_is_not_rolled() -> None:
    assert why_not_rolled(a_problem(["x", "y"], [0], question="Why is option B wrong?")) is not None
    assert why_not_rolled(a_problem(["x", "y"], [0], question="A and B are points. Which is longer?")) is None


def test_three_rolls_are_three_and_two_options_have_only_two() -> None:
    assert [name for name, _ in expand(a_problem(list("wxyz"), [0]), rolls=3)] == [PLAIN, "roll-1", "roll-2"]
    assert [name for name, _ in expand(a_problem(["x", "y"], [0]), rolls=3)] == [PLAIN, "roll-1"]


def test_mirrored_forms_and_rolls_that_come_with_a_problem_are_asked_as_they_are() -> None:
    mirrored = Twin(images=[Image(path="m.png", sha256="0" * 64)], answer=Answer(kind="choice_set", value=["B"]))
    problem = with_twin(a_problem(["left", "right"], [0]), FLIP, mirrored)
    forms = dict(expand(problem, rolls=None, flip=True))
    assert list(forms) == [PLAIN, "roll-1", FLIP, "flip-roll-1"]
    assert gold_texts(forms[FLIP]) == gold_texts(forms["flip-roll-1"]) == ["right"]
    assert forms["flip-roll-1"].images == mirrored.images
    assert all(form.id == "p" for form in forms.values())
    own = with_twin(
        problem, "roll-3", Twin(choices={"A": "right", "B": "left"}, answer=Answer(kind="choice_set", value=["B"]))
    )
    assert list(dict(expand(own, rolls=None))) == [PLAIN, "roll-3"]
    assert list(dict(expand(own))) == [PLAIN]


def test_a_form_that_is_none_is_a_fault_of_the_data() -> None:
    problem = a_problem(["x", "y"], [0], meta={"twins": {"flip": {"answer": {"kind": "choice_set", "value": "B"}}}})
    with pytest.raises(UserError, match=r"problem 'p': meta.twins.flip.answer"):
        twin(problem, FLIP)


def scores(**values: list[float]) -> list[Score]:
    """``p_roll_1=[1, 0]``: the values of problem p, variant roll-1, by repeat."""
    rows = []
    for name, each in values.items():
        problem, _, variant = name.partition("_")
        for repeat, value in enumerate(each):
            rows.append(
                Score(
                    problem_id=problem,
                    variant=variant.replace("_", "-"),
                    repeat=repeat,
                    value=value,
                    extracted=None,
                    status="ok",
                )
            )
    return rows


def test_views_of_the_same_scores() -> None:
    rows = scores(
        p_plain=[1, 1], p_roll_1=[1, 0], p_flip=[1, 1], p_flip_roll_1=[1, 1],
        q_plain=[1, 1], q_roll_1=[1, 1], q_flip=[0, 1], q_flip_roll_1=[1, 1],
        r_plain=[0, 1], r_roll_1=[1, 1],
    )  # fmt: skip
    assert scores_in_view(rows, "vanilla") == {"p": 1.0, "q": 1.0, "r": 0.5}
    assert scores_in_view(rows, "average") == {"p": 0.75, "q": 1.0, "r": 0.75}
    assert scores_in_view(rows, "circular") == {"p": 0.5, "q": 1.0, "r": 0.5}
    assert scores_in_view(rows, "flip") == {"p": 1.0, "q": 0.5}
    assert scores_in_view(rows, "flip-circular") == {"p": 0.5, "q": 0.5}


def test_partial_credit_is_not_right_in_a_circle() -> None:
    rows = scores(p_plain=[0.5], p_roll_1=[1])
    assert scores_in_view(rows, "circular") == {"p": 0.0}
    assert scores_in_view(rows, "average") == {"p": 0.75}


@pytest.mark.parametrize(
    "text", ["A" + " " * 19_000 + "!", "A" + ", " * 9_000 + "!", "A and " * 3_000, "option " * 2_500]
)
def test_hostile_options_are_looked_at_quickly(text: str) -> None:
    problem = a_problem([text, "x", "y"], [0], question=text)
    began = time.process_time()
    why_not_rolled(problem)
    assert time.process_time() - began < 2  # measured 0.03 s
