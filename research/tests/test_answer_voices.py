"""The voices on a made-up problem: right answers are accepted in each, a contradiction in none."""

from __future__ import annotations

from research.evaluation.answer_voices import figures, measure
from srt.io.records import Answer, Problem


def test_every_voice_is_scored_alike() -> None:
    choice = Problem(
        id="made-up",
        source="made-up",
        split="test",
        lang="en",
        question="How large is the angle?",
        choices={"A": "$30^{\\circ}$", "B": "$60^{\\circ}$"},
        answer=Answer(kind="choice_set", value=["B"]),
    )
    found = figures(list(measure([choice])))
    assert set(found) == {"letter", "letter and option", "option", "option respelled", "all"}
    for voice, cell in found["all"].items():
        assert cell["right"] >= 4, voice
        assert (cell["refused"], cell["accepted"]) == (0, 0), voice
