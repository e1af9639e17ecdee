"""Whole numbers beside options, decimal commas, and the ends of worked solutions."""

from __future__ import annotations

import pytest

from srt.corpora.cells.decimal_commas import decimal_sign, has_two_readings, is_number_with_comma, with_points
from srt.corpora.cells.positions import WholeNumbers, whole_number
from srt.corpora.cells.worked_solutions import behind_final_mark, last_boxed


@pytest.mark.parametrize(
    ("rows", "settled"),
    [
        ([(0, "red blue"), (1, "sky sea")], "index from 0"),
        ([(1, "red blue"), (1, "sky sea")], None),  # no 0: it may count from 1
        ([(0, "red blue"), (2, "sky sea")], None),  # 2 is the place of no option
        ([(0, "red blue"), (1, "3 4")], None),  # the text of an option may be meant
        ([(1, "1 2 3 4"), (2, "4 5 6 8")], None),
        ([(5, "5 6 7"), (6, "5 6 7")], "option text"),  # 5 is no place
        ([(2, "1 2 3"), (3, "1 2 3")], None),
        ([(5, "5 6 7"), (8, "5 6 7")], None),
    ],
)
def test_a_column_settles_what_its_whole_numbers_are_or_does_not(
    rows: list[tuple[int, str]], settled: str | None
) -> None:
    numbers = WholeNumbers()
    for number, options in rows:
        numbers.add(number, dict(enumerate(options.split())))  # type: ignore[arg-type]
    assert numbers.settled() == settled


def test_whole_numbers_are_known_in_the_forms_of_pandas_too() -> None:
    assert [whole_number(text) for text in ("2", "2.0", "2.5", "B", "-1", "")] == [2, 2, None, None, -1, None]


@pytest.mark.parametrize(
    ("printed", "read"),
    [
        ("3,5 cm", "3.5 cm"),
        ("-2,83", "-2.83"),
        ("12,5 %", "12.5 %"),
        ("1.234,5", "1234.5"),
        ("3{,}5", "3.5"),
        ("3,5; 4,25", "3.5; 4.25"),
        ("1,2,3", "1,2,3"),
        ("2, 5", "2, 5"),
        ("A,C", "A,C"),
    ],
)
def test_decimal_commas_become_points(printed: str, read: str) -> None:
    assert with_points(printed) == read


def test_a_column_shows_its_decimal_sign() -> None:
    assert decimal_sign(["3,5 cm", "7", "1,234"]) == ","
    assert decimal_sign(["3.5", "1,234"]) == "."
    assert decimal_sign(["3.5", "2,5"]) is None
    assert decimal_sign(["1,234", "7"]) is None
    assert has_two_readings("1,234 m")
    assert not has_two_readings("0,234")
    assert is_number_with_comma("3,5 cm")
    assert not is_number_with_comma("3, 5")
    assert not is_number_with_comma("1,2,3")


def test_the_last_box_and_the_last_mark_count() -> None:
    assert last_boxed("\\boxed{2}, no: $\\boxed{\\frac{1}{2}}$.") == "\\frac{1}{2}"
    assert last_boxed("so \\boxed 7.") == "7"
    assert last_boxed("\\boxed{2") is None
    assert behind_final_mark("3+4=<<3+4=7>>7\n#### 6\nno\n#### 7") == ("7", "3+4=7\n#### 6\nno")
    assert behind_final_mark("no mark") is None
