"""The published items: every wording is known, and the clues give the gold answer as often as they can."""

from __future__ import annotations

import json

import pytest

from srt.io.records import Lang, Problem
from srt.worlds.seating.checker.reading.problem_text import NOBODY, SeatingProblem, read_seating_problem
from tests.published_copies import copy_in


def items(lang: Lang, split: str) -> list[tuple[str, SeatingProblem | None, list[str] | None]]:
    """Id, opened problem and gold letters of each item."""
    path = copy_in("SRT_SPACE2025") / f"spr_{lang}_{split}.jsonl"
    found: list[tuple[str, SeatingProblem | None, list[str] | None]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        problem = Problem(
            id=row["id"],
            source="space2025-spr",
            split=split,
            lang=lang,
            question=row["text"] + "\n" + row["question"],
            choices=row["options"],
        )
        found.append((problem.id, read_seating_problem(problem), row.get("answer")))
    return found


def right_options(case: SeatingProblem) -> list[str] | None:
    """The options that the clues settle, ``None`` if they contradict each other or leave it open."""
    assert case.question is not None
    assert case.choices is not None
    found: set[tuple[str, ...]] = set()
    for number in range(len(case.language.world.placements)):
        if case.base >> number & 1:
            fillers = {entity for entity, mask in enumerate(case.question.tied) if mask >> number & 1}
            letters = [letter for letter, entity in case.choices.items() if entity in fillers]
            found.add(tuple(letters or [letter for letter, entity in case.choices.items() if entity == NOBODY]))
    return sorted(found.pop()) if len(found) == 1 else None


@pytest.mark.parametrize("split", ["train", "dev"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_published_wording_is_generated(lang: Lang, split: str) -> None:
    for name, case, _ in items(lang, split):
        assert case is not None, name
        assert case.question is not None, name
        assert case.choices is not None, name
        assert None not in case.clues, name


@pytest.mark.parametrize(("lang", "least"), [("en", 0.99), ("zh", 0.997)])
def test_the_clues_give_the_gold_answer(lang: Lang, least: float) -> None:
    agree = [case is not None and right_options(case) == sorted(gold or []) for _, case, gold in items(lang, "train")]
    assert sum(agree) / len(agree) >= least
