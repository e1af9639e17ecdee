"""Options in every form of cell: what each becomes, and what is left to a person."""

from __future__ import annotations

from typing import Any

import pytest

from srt.corpora.cells.option_cells import read_options
from srt.corpora.corpus_reader import ItemRefused

FIVE = {"A": "5", "B": "6", "C": "7"}
SKY = {"A": "sky", "B": "blood"}
TWELVE = [f"t{n}" for n in range(12)]


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ("(A) 5 (B) 6 (C) 7", FIVE),
        ("(A)5(B)6(C)7", FIVE),
        ("A. 5 B. 6 C. 7", FIVE),
        ("A.5 B.6 C.7", FIVE),
        ("A: 5; B: 6; C: 7", FIVE),
        ("A）5 B）6 C）7", FIVE),
        ("a ) 5 , b ) 6 , c ) 7", FIVE),
        ("(1) 5 (2) 6 (3) 7", FIVE),
        ("①5 ②6 ③7", FIVE),
        ("A. 5 B. 6\nC. 7", FIVE),
        ("A. 5\nB. 6\nC. 7", FIVE),
        ("['5', '6', '7']", FIVE),
        ('["5", "6", "7"]', FIVE),
        ("['5' '6' '7']", FIVE),
        ("[5, 6, 7]", FIVE),
        ("('5', '6', '7')", FIVE),
        ("['5', '6'", {"A": "['5', '6'"}),
        ("[0, 2), (2, 3]", {"A": "[0, 2), (2, 3]"}),
        ("5, 6, 7", FIVE),
        ("5; 6; 7", FIVE),
        ("5 | 6 | 7", FIVE),
        (["A)5", "B)6", "C)7"], FIVE),
        (["A. 5", "B. 6", "C. 7", None], FIVE),
        ({"A": "A. sky", "B": "B. blood"}, SKY),
        ({"text": ["sky", "blood"], "label": ["1", "2"]}, SKY),
        ({"B": "blood", "A": "sky"}, SKY),
        ({"a": "sky", "b": "blood"}, SKY),
        ([{"label": "A", "text": "sky"}, {"label": "B", "text": "blood"}], SKY),
        ([{"id": 1, "content": "sky"}, {"id": 2, "content": "blood"}], SKY),
        ([{"A": "sky"}, {"B": "blood"}], SKY),
        ("{'text': array(['sky', 'blood'],\n      dtype=object), 'label': array(['A', 'B'], dtype=object)}", SKY),
        (r"['\frac{1}{2}', '2 \times 3', '\\neq']", {"A": r"\frac{1}{2}", "B": r"2 \times 3", "C": r"\neq"}),
        (["(c)", "(a)", "(b)"], {"A": "(c)", "B": "(a)", "C": "(b)"}),
        (["1.5", "2.5"], {"A": "1.5", "B": "2.5"}),
        (["1:2", "2:1"], {"A": "1:2", "B": "2:1"}),
        (["A", "B"], {"A": "A", "B": "B"}),
        ("A) 1.5 m B) 2.5 m", {"A": "1.5 m", "B": "2.5 m"}),
        ("Yes, because it rolls, and falls", {"A": "Yes, because it rolls, and falls"}),
        ("(1, 2), (3, 4)", {"A": "(1, 2), (3, 4)"}),
        ("A. as in plan A. B. as in plan B.", {"A": "A. as in plan A. B. as in plan B."}),
        ("red, hot<br>blue, cold<BR/>green", {"A": "red, hot", "B": "blue, cold", "C": "green"}),
        ("red, hot || blue, cold", {"A": "red, hot", "B": "blue, cold"}),
        (r"red, hot\nblue, cold", {"A": "red, hot", "B": "blue, cold"}),
        (r"$x \neq 1$; $x \nu$", {"A": r"$x \neq 1$", "B": r"$x \nu$"}),
        ("A. sky<br>B. blood", SKY),
        ("A. sky | B. blood", SKY),
        ("A. sky / B. blood", SKY),
        ("A. sky • B. blood", SKY),
        ("A. sky - B. blood", SKY),
        ("A. sky |\nB. blood", SKY),
        ("A. sky| B. blood", SKY),
        ("A. Cl- B. Br- C. I-", {"A": "Cl-", "B": "Br-", "C": "I-"}),
        ("A. |x| B. |y| C. z", {"A": "|x|", "B": "|y|", "C": "z"}),
        ("A. up / down B. left / right", {"A": "up / down", "B": "left / right"}),
        ("AB || CD; EF || GH", {"A": "AB || CD; EF || GH"}),
        (
            " ".join(f"{sign} t{n}" for n, sign in enumerate("①②③④⑤⑥⑦⑧⑨⑩⑪⑫")),
            dict(zip("ABCDEFGHIJKL", TWELVE, strict=True)),
        ),
        (["①②", "②③", "③④"], {"A": "①②", "B": "②③", "C": "③④"}),
        (["(1)(2)", "(2)(3)"], {"A": "(1)(2)", "B": "(2)(3)"}),
        (["①、②", "②、③"], {"A": "①、②", "B": "②、③"}),
        (["① sky", "② blood"], SKY),
        (["a.png", "b.jpg"], {"A": "a.png", "B": "b.jpg"}),
        (["A)B", "B)C"], {"A": "A)B", "B": "B)C"}),
        (None, {}),
        ("", {}),
    ],
)
def test_what_a_cell_holds(given: Any, texts: dict[str, str]) -> None:
    assert read_options(given).texts == texts


def test_commas_part_options_where_the_answer_is_one_of_them() -> None:
    assert list(read_options("a cube, a long cone, a disc", answer="a disc").texts) == ["A", "B", "C"]
    assert list(read_options("a cube, a long cone, a disc", answer="B").texts) == ["A"]
    assert read_options("a cube/a cone", separator="/").texts == {"A": "a cube", "B": "a cone"}


def test_labels_lead_to_letters() -> None:
    assert read_options({"text": ["x", "y"], "label": ["1", "2"]}).labels == {"1": "A", "2": "B"}
    assert read_options("(1) x (2) y").labels == {"1": "A", "2": "B"}
    assert read_options(["x", "y"]).labels == {}


@pytest.mark.parametrize(
    ("given", "reason", "said"),
    [
        (["B. x", "A. y"], "ambiguous", "B, A"),
        ([{"label": "A", "text": "x"}, {"text": "y"}], "unreadable", "label"),
        ([{"colour": "x", "size": "y"}], "unreadable", "text and label"),
        ({"text": ["x", "y"], "label": ["1"]}, "unreadable", "1 labels for 2 texts"),
        ({"text": ["x", "y"], "label": ["1", "1"]}, "unreadable", "same label"),
        (list(range(30)), "unreadable", "30 options"),
        ('{"a": 1, "a": 2}', "unreadable", "a: "),
    ],
)
def test_what_cannot_be_read_is_refused(given: Any, reason: str, said: str) -> None:
    with pytest.raises(ItemRefused) as caught:
        read_options(given)
    assert caught.value.reason == reason
    assert said in caught.value.detail


def test_a_printed_list_is_not_computed() -> None:
    assert read_options("[__import__('os').getcwd()]").texts == {"A": "[__import__('os').getcwd()]"}
