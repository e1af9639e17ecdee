"""What a problem means, whatever its words, and the meanings of its halves."""

from __future__ import annotations

from research.meanings import meaning
from srt.io.records import Problem


def booth(clues: list[str], question: str) -> Problem:
    said = ";\n".join(f"({number}) {clue}" for number, clue in enumerate(clues, 1))
    choices = {"A": "Ann", "B": "Bob", "C": "Cal", "D": "Dee"}
    text = f"Booth: Ann, Bob, Cal, Dee.\n{said}.\n{question}"
    return Problem(id="q", source="made-up", split="test", lang="en", question=text, choices=choices)


def test_a_meaning_and_its_halves() -> None:
    clues = ["Ann is left of Bob", "Cal is left of Dee"]
    first = meaning(booth(clues, "() is opposite Ann."))
    # Other words, another order and other people say the same.
    again = ["Bob is right of Ann", "Dee is right of Cal"]
    assert meaning(booth(again[::-1], "() is opposite Cal.")) == first
    other = meaning(booth(clues, "() is left of Bob."))
    assert other.clues == first.clues
    assert other.whole != first.whole
    assert other.question != first.question
    moved = meaning(booth(["Ann is left of Bob", "Cal is opposite Ann"], "() is opposite Ann."))
    assert moved.question == first.question
    assert moved.clues != first.clues
