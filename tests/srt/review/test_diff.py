"""Word diffs between rounds."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from srt.review.trace_diff import diff_lines, diff_words

LINES = st.lists(st.text(alphabet="ab =12\\面积", max_size=12), max_size=6)


def test_words_that_changed_are_marked() -> None:
    assert diff_words(r"h = \sqrt{16} = 3", r"h = \sqrt{16} = 4") == (
        ("same", r"h = \sqrt{16} = "),
        ("removed", "3"),
        ("added", "4"),
    )
    assert ("removed", "表") in diff_words("表面积是12", "底面积是12")


def test_a_step_that_was_put_in_leaves_the_others_unchanged() -> None:
    old = ["INFER #1: h = 4", "INFER #2: V = 12", "ANSWER: 12"]
    new = [old[0], "CONSTRAIN scene: the base is a circle of radius 3", *old[1:]]
    found = diff_lines(old, new)
    assert [line.change for line in found] == ["same", "added", "same", "same"]
    assert [(line.old, line.new) for line in found] == [(1, 1), (None, 2), (2, 3), (3, 4)]


@settings(max_examples=200)
@given(old=LINES, new=LINES)
def test_a_diff_holds_both_texts(old: list[str], new: list[str]) -> None:
    found = diff_lines(old, new)
    kept = [line for line in found if line.new is not None]
    gone = [line for line in found if line.old is not None]
    assert ["".join(text for mark, text in line.words if mark != "removed") for line in kept] == new
    assert ["".join(text for mark, text in line.words if mark != "added") for line in gone] == old
    assert [line.new for line in kept] == list(range(1, len(new) + 1))
    assert [line.old for line in gone] == list(range(1, len(old) + 1))


def test_long_texts_take_no_long_time() -> None:
    start = time.process_time()
    found = diff_words("a b " * 50_000, "b a " * 50_000)
    assert [mark for mark, _ in found] == ["removed", "added"]
    assert len(diff_lines([f"{n} {n}" for n in range(2000)], [f"x {n}" for n in range(1500)])) == 2000
    assert time.process_time() - start < 5
