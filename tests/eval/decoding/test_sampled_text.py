"""Whole samples: as many as the choice needs, and the one that is chosen."""

from __future__ import annotations

import pytest

from eval.decoding.decode_settings import Samples
from eval.decoding.guide import Verdict
from eval.decoding.sampled_text import Choose, SampledText, first_whole, most_frequent
from srt.io.records import Problem

END = 0
LETTERS = Problem(question="Who?", choices={"A": "Ann", "B": "Bo", "C": "Cy"})


def drawn(choose: Choose, verdicts: list[Verdict]) -> tuple[int, int]:
    """How many samples were drawn, and which one was chosen; sample n writes n + 1."""
    one = SampledText(Samples(samples=len(verdicts)), 5, {END}, choose)
    for number, verdict in enumerate(verdicts, 1):
        assert one.sampled == (number > 1)
        assert not one.add(number, "ends"), "a line break ends no sample"
        assert one.add(END, "none")
        one.judged(verdict)
        if one.finished:
            break
    assert one.drawn == 2 * one.draws
    assert one.finished
    assert one.whole == verdicts[one.ids[0] - 1].whole
    return one.draws, one.ids[0] - 1


def test_the_first_that_is_proved_is_taken_and_nothing_drawn_after_it() -> None:
    no, yes = Verdict(kept=False), Verdict(kept=True, whole=True)
    assert drawn(first_whole, [yes, no, no]) == (1, 0)
    assert drawn(first_whole, [no, no, yes, no]) == (3, 2)
    assert drawn(first_whole, [no, no, no]) == (3, 0), "the greedy one, if none is proved"


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ("AAAA", (3, 0)),  # of four, no other can reach three
        ("ABAC", (4, 0)),
        ("ABBB", (4, 1)),
        ("ABB", (3, 1)),
        ("AB", (2, 0)),  # a tie
        ("-BB-A", (4, 1)),
        ("--", (2, 0)),
        ("A-", (2, 0)),
    ],
)
def test_a_vote_ends_when_it_is_decided(answers: str, expected: tuple[int, int]) -> None:
    verdicts = [Verdict(True, True, answer=None if letter == "-" else letter) for letter in answers]
    assert drawn(most_frequent(LETTERS), verdicts) == expected


def test_a_sample_is_no_longer_than_it_may_be() -> None:
    one = SampledText(Samples(samples=2), 3, {END}, first_whole)
    assert [one.add(7, "none") for _ in range(3)] == [False, False, True]
    one.judged(Verdict(kept=False))
    assert one.ids == []
    assert (one.budget, one.drawn, one.finished) == (6, 3, False)
