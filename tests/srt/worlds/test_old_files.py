"""Files that were written while all faults and reasons of refusal were two closed lists are still read."""

from __future__ import annotations

import re
from typing import Any

import pytest

from srt.io.records import Refusal
from srt.language.faults import Fault
from srt.language.trace import StepCheck
from srt.mutate.mutation_table import MutantRecord
from srt.teaching.case_store.case_records import Issue
from srt.worlds.world import REFUSALS
from srt.worlds.world_registry import fault_classes, worlds

FAULTS = re.findall(
    r"\w+",
    "another_entity another_relation another_number another_seat contradicted entities_swapped wrong_options "
    "wrong_answer wrong_conclusion step_dropped numbers_kept order_broken premise_replaced premise_left_out "
    "dangling_reference mislabelled unused_step misquoted_clue swapped_roles clues_swapped unsaid_reading false_wlog "
    "case_left_out overclaimed leap guessed step_skipped idle_premise vacuous_step false_claim hallucinated_entity "
    "misread contradicts_solution does_not_follow unsupported_number unnamed_formula answer_cited out_of_order "
    "another_language too_large malformed",
)
REASONS = re.findall(
    r"\w+",
    "no_world unknown_scene unknown_wording contradictory_clues not_unique disagrees_with_gold no_such_plan not_proved "
    "process_killed",
)
TRACE: dict[str, Any] = {
    "id": "t",
    "problem_id": "p",
    "kind": "world",
    "lang": "en",
    "steps": [{"op": "INFER", "args": ["A"], "claim": "options = {A}"}],
    "answer": "A",
}


@pytest.mark.parametrize("word", FAULTS)
def test_every_fault_is_read_written_and_explained(word: str) -> None:
    records = [
        StepCheck.model_validate({"support": "consistent", "fault": word}),
        Issue.model_validate({"by": "machine", "fault": word, "explanation": "it is so"}),
        MutantRecord.model_validate(
            {
                "trace": TRACE,
                "fault": word,
                "step": 1,
                "change": "x",
                "outcome": "caught",
                "oracle": "x",
                "verdict": "x",
            }
        ),
    ]
    for record in records:
        assert record.fault == word
        assert (record.fault is Fault(word)) if word in set(Fault) else type(record.fault) is str
        assert type(record).model_validate_json(record.model_dump_json()) == record
        assert f'"fault":"{word}"' in record.model_dump_json()
    assert fault_classes()[word].explanation


@pytest.mark.parametrize("reason", REASONS)
def test_every_refusal_is_read_and_explained(reason: str) -> None:
    refusal = Refusal.model_validate({"problem_id": "p", "reason": reason, "detail": "clue (1)"})
    assert refusal.reason == reason
    assert reason in REFUSALS or any(reason in world.extras.refusals for world in worlds())
