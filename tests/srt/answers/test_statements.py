"""What a sentence states: words beyond the question, yes or no, an order, a set, a value after a calculation."""

from __future__ import annotations

import pytest

from srt import score
from srt.answers.beyond_question import said_beyond
from srt.answers.equality import equal_to_gold
from srt.answers.equality.forms.orders import Order, names_as_asked, order_said, same_order
from srt.answers.extraction import extract
from srt.answers.stated_set import set_said
from srt.answers.tables_and_quotes import without_layout
from srt.answers.values import concluded_value
from srt.answers.yes_or_no import yes_or_no
from srt.corpora.gold_answers import read_gold
from srt.io.records import Answer, Problem


@pytest.mark.parametrize(
    ("sentence", "question", "said"),
    [
        ("Zoe stands next to Uri.", "Who stands next to Uri?", "Zoe"),
        ("Uri stands next to Zoe.", "Who stands next to Uri?", "Zoe"),
        ("Uri is behind Zoe.", "Who is behind Uri?", None),
        ("Zoe is behind Uri.", "Who is behind Uri?", "Zoe"),
        ("Zoe is in front of Uri.", "Who is behind Uri?", None),
        ("The net forms a prism.", "What does the net form?", "prism"),
        ("The green box is below.", "Which box is below?", "green box"),
        ("He leaves on Friday.", "On which day does he leave?", "Friday"),
        ("It may be a prism.", "What does the net form?", None),
        ("It is not a prism.", "What does the net form?", None),
        ("小张坐在小李后面。", "谁坐在小李后面？", "小张"),
        ("该几何体是一个圆台", "这个几何体是什么？", "圆台"),
        ("底面是圆", "这个几何体是什么？", None),
    ],
)
def test_words_beyond_the_question(sentence: str, question: str, said: str | None) -> None:
    assert said_beyond(sentence, question) == said


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Yes, PQ meets R.", True),
        ("PQ is skew to R.", True),
        ("PQ is not skew to R.", False),
        ("No: they meet.", False),
        ("Yes, PQ is not skew to R.", None),
        ("Yes, if P is not in R.", None),
        ("R is skew to PQ.", None),
        ("PQ is close to R.", None),
        ("No idea", None),
    ],
)
def test_yes_or_no(sentence: str, truth: bool | None) -> None:
    assert yes_or_no(sentence, "Is PQ skew to R?") is truth


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("P-R-Q", "P, R, Q"),
        ("P->R->Q", "P, R, Q"),
        ("The order is P, R, and then Q.", "P, R, Q"),
        ("1. P\n2. R\n3. Q", "P, R, Q"),
        ("P > R > Q", "P > R > Q"),
        ("It is P, R, R, P.", "P, R, R, P"),
        ("From the tallest to the shortest: P, R, Q", "P > R > Q"),
        ("从矮到高依次是甲、丙、乙", "甲 < 丙 < 乙"),
        ("The smallest is P, then R, then Q.", "P < R < Q"),
        ("From the tallest to the shortest: P < R < Q", None),
        ("P < R > Q", None),
        ("They run P->R->Q from the left.", "P, R, Q"),
        ("P, R, Q or P, Q, R", None),
        ("The heights of P, R and Q are equal.", None),
        ("P, R and Q are equally tall.", None),
    ],
)
def test_orders(text: str, order: str | None) -> None:
    said = order_said(text)
    assert (said and str(said)) == order


UP, DOWN = "Order them from the smallest to the largest.", "把它们从大到小排列。"


@pytest.mark.parametrize(
    ("gold", "given", "question", "same"),
    [
        (Order(("P", "Q", "R"), None), Order(("P", "Q", "R"), False), "Order them from left to right.", True),
        (Order(("P", "Q", "R"), None), Order(("R", "Q", "P"), False), UP, True),
        (Order(("P", "Q", "R"), None), Order(("P", "Q", "R"), False), UP, False),
        (Order(("P", "Q", "R"), None), Order(("R", "Q", "P"), True), DOWN, True),
        (Order(("P", "Q", "R"), True), Order(("R", "Q", "P"), False), "Compare them.", True),
        (Order(("P", "Q", "R"), True), Order(("R", "Q", "P"), None), DOWN, True),
        (Order(("P", "Q", "R"), True), Order(("P", "Q", "R"), None), DOWN, False),
        (Order(("P", "Q", "R"), True), Order(("P", "Q", "R"), None), "Compare them.", None),
    ],
)
def test_orders_are_held_against_each_other(gold: Order, given: Order, question: str, same: bool | None) -> None:
    assert same_order(gold, given, question) is same


def test_a_sequence_stands_as_the_question_asks() -> None:
    assert names_as_asked(Order(("P", "R", "Q"), False), UP) == ("Q", "R", "P")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (r"\{7, 9\}", ["7", "9"]),
        ("x = 7 or x = 9", ["7", "9"]),
        ("The solutions are 7 and 9.", ["7", "9"]),
        ("(7, 9)", None),
        ("x > 7", None),
        ("x is not 7", None),
    ],
)
def test_sets(text: str, values: list[str] | None) -> None:
    assert set_said(text) == values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("AC = 6sin30° = 3", "AC = 3"),
        ("AC² = 9, so AC = 3", "AC = 3"),
        ("1:4, so the heights are 1:2", "1:4"),
        ("We get 3 cm for the length of AC.", "3 cm"),
        ("6 = 3", "6 = 3"),
    ],
)
def test_concluded_values(text: str, value: str) -> None:
    assert concluded_value(text, "Find the length of AC in cm.") == value


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("| Answer | 5 |", "Answer: 5"),
        ("| Part | Answer |\n|---|---|\n| (1) | 5 |\n| (2) | 6 |", "(1) 5\n(2) 6"),
        ("| Answer |\n|---|\n| 5 |", "Answer: 5"),
        ("So:\n\n> **5**", "So:\n\n**5**"),
        ("> 5", "> 5"),
        ("a | b", "a | b"),
    ],
)
def test_layout(text: str, lines: str) -> None:
    assert without_layout(text) == lines


@pytest.mark.parametrize(
    ("text", "status", "letters"),
    [
        ("The edge is 3√2.", "ok", "B"),
        ("√18", "ok", "B"),
        ("B. 3√2", "ok", "B"),
        ("A. 3√2", "ambiguous", None),
        ("The answer is A (3√2).", "ambiguous", None),
        ("The edge is 3√2, so the answer is A.", "ambiguous", None),
        ("The answer is A. Not given", "ambiguous", None),
        ("9.0", "ambiguous", None),  # two options have this value
        ("The edge is 7.", "no_answer", None),
        ("It is 3√2 or 9.", "no_answer", None),
        ("The edge is not 3√2.", "no_answer", None),
    ],
)
def test_options_by_value(text: str, status: str, letters: str | None) -> None:
    problem = Problem(
        id="p",
        source="made-up",
        split="test",
        lang="en",
        question="How long is the edge?",
        choices={"A": "6", "B": "3√2", "C": "9", "D": "18/2", "E": "Not given"},
        answer=Answer(kind="choice_set", value=["B"]),
    )
    found = extract(text, problem)
    assert (found.status, found.text if found.answer else None) == (status, letters)


@pytest.mark.parametrize(
    ("gold", "output", "right"),
    [
        ("B < A < C", "C > A > B", True),
        ("B < A < C", "B > A > C", False),
        ("C > A > B", "B < A < C", True),
        ("C > A > B", "C < A < B", False),
        ("B, A, C", "C > A > B", True),
        ("B, A, C", "B > A > C", False),
    ],
)
def test_an_order_by_size_is_turned_once(gold: str, output: str, right: bool) -> None:
    question = "Order the boxes A, B and C by weight, from lightest to heaviest."
    answer = read_gold(gold, {}, choice=False, question=question).answer
    problem = Problem(id="p", source="s", split="test", lang="en", question=question, answer=answer)
    found = extract(output, problem)
    assert found.text is not None
    assert equal_to_gold(problem, found.text).equal is right


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("ANSWER: 48\nWait, it is 49.", "49"),
        ("ANSWER: 48\nWait, let me check: 6 times 8. Yes, that is consistent.", "48"),
        ("ANSWER: 48\nThat cannot be right.", None),
        ("ANSWER: 48 (should be 49)", None),
        ("ANSWER: 48\nI forgot to halve it.", None),
        ("答案：48（错误）", None),
        ("\\boxed{48} is wrong.", None),
        ("It is false that the area is 48.", None),
        ("Unless it is open, the area is 48.", None),
        ("ANSWER: 48\n\nThe other options are wrong: they should be smaller.", "48"),
    ],
)
def test_an_answer_that_is_taken_back(output: str, text: str | None) -> None:
    problem = Problem(
        id="p", source="s", split="test", lang="en", question="Find the area.", answer=Answer(kind="number", value=48)
    )
    found = extract(output, problem)
    equal = found.text is not None and equal_to_gold(problem, found.text).equal
    assert equal is (text == "48")
    assert text is None or found.text == text


@pytest.mark.parametrize("question", ["One pupil helps another. How many are there?", "Which is not red?", "How many?"])
@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("ANSWER: B", True),
        ("The answer is B, not A.", True),
        ("ANSWER: not B", False),
        ("The answer is not B.", False),
        ("ANSWER: no B", False),
        ("It is not blue cube.", False),
        ("ANSWER: not blue cube", False),
    ],
)
def test_a_denied_answer_is_none_whatever_the_question_has(question: str, text: str, right: bool) -> None:
    """The word "another" has the letters of "not", and "which is not red" does not allow "not B"."""
    choices = {"A": "red cube", "B": "blue cube", "C": "cone"}
    gold = Answer(kind="choice_set", value=["B"])
    problem = Problem(id="p", source="made", split="test", lang="en", question=question, choices=choices, answer=gold)
    assert (score(problem, text).value == 1) is right
