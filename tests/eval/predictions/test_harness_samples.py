"""Samples as lm-eval and lmms-eval write them: one answer a document, by the problem that it is about."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval.scoring.arm_summary import ArmSummary
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Prediction
from tests.eval.predictions.conftest import LM_EVAL, LMMS_EVAL, stacks

Scored = Callable[..., ArmSummary]
CUBES = LM_EVAL / "samples_cubes_2026-11-28T11-33-39.565496.jsonl"
OPTIONS = LM_EVAL / "samples_mc_2026-11-28T11-33-39.565496.jsonl"
LMMS = LMMS_EVAL / "20261128_193339_samples_cubes.jsonl"


def texts(folder: Path) -> dict[tuple[str, int], Prediction]:
    return {(row.problem_id, row.repeat): row for row in read_records(folder / "predictions.jsonl", Prediction)}


def changed(file: Path, to: Path, change: Callable[[list[dict[str, Any]]], object]) -> Path:
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    change(rows)
    to.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return to


def made(number: int) -> str:
    return f"made-{number}"


def test_two_filters_are_one_answer_and_all_samples_count(scored: Scored, tmp_path: Path) -> None:
    """The harness itself says 0.0 for the filter ``strict`` and 1.0 for ``flexible`` in this file."""
    summary = scored(CUBES, stacks(made))
    assert (summary.accuracy.count, summary.accuracy.right, summary.repeats) == (4, 4, 2)
    assert summary.output_tokens is None
    assert texts(tmp_path / "run")["made-0", 1].text == "I count them. ANSWER: 2"


def test_log_likelihoods_choose_the_letter_that_the_harness_chooses(scored: Scored, tmp_path: Path) -> None:
    """The harness says ``acc`` 0.5."""
    summary = scored(OPTIONS, stacks(made, options=True))
    assert (summary.accuracy.count, summary.accuracy.right) == (4, 2)
    assert [row.text for row in texts(tmp_path / "run").values()] == ["A", "D", "D", "D"]


def test_places_from_0_are_not_taken_for_ids_from_1(scored: Scored, tmp_path: Path) -> None:
    """``doc_id`` 1 to 3 are ids there, too: those of the problems before."""
    without_ids = changed(CUBES, tmp_path / "cubes.jsonl", lambda rows: [row["doc"].pop("qid") for row in rows])
    for file in (without_ids, LMMS):
        summary = scored(file, stacks(lambda number: str(number + 1)), output=tmp_path / file.stem)
        assert (summary.accuracy.count, summary.accuracy.right) == (4, 4)


def test_another_order_or_a_part_of_the_data_set_is_found_by_the_question(
    scored: Scored, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = stacks(lambda number: f"q{number}")[:0:-1]
    for file in (LMMS, CUBES):
        assert scored(file, some, output=tmp_path / file.stem).accuracy.right == 3
        assert "by question; " in capsys.readouterr().err


def test_numbers_that_lead_to_other_problems_are_refused(scored: Scored, tmp_path: Path) -> None:
    def hide(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["input"] = "See the picture."

    hidden = changed(LMMS, tmp_path / "x.jsonl", hide)
    assert scored(hidden, stacks(lambda number: f"q{number}")).accuracy.right == 4, "the targets agree"
    with pytest.raises(UserError, match=r"x\.jsonl:1: lmms-eval samples: place .*'q3'.* target '2'"):
        scored(hidden, stacks(lambda number: f"q{number}")[::-1])


def test_no_row_of_the_problems_names_three_of_each(scored: Scored, tmp_path: Path) -> None:
    def far_away(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row.update(doc_id=row["doc_id"] + 70, input="See the picture.")

    far = changed(LMMS, tmp_path / "far.jsonl", far_away)
    with pytest.raises(UserError, match=r"far\.jsonl: lmms-eval samples: .*'70', '71', '72', .*'q0', 'q1', 'q2'"):
        scored(far, stacks(lambda number: f"q{number}"))


def test_lmms_eval_counts_tokens_and_keeps_reasoning_in_the_text(scored: Scored, tmp_path: Path) -> None:
    think = LMMS_EVAL / "20261128_193339_samples_cubes_think.jsonl"
    summary = scored(think, stacks(made))
    assert summary.accuracy.right == 4
    rows = texts(tmp_path / "run")
    first = rows["made-0", 0]
    assert first.text == "<think>I count 9.</think>\n2"
    assert (first.input_tokens, first.output_tokens, first.reasoning_tokens) == (20, 9, 4)
    # The fourth one came from a cache, without counts.
    assert rows["made-3", 0].output_tokens is None
    assert summary.output_tokens is None


def test_lmms_eval_has_a_request_for_each_repeat(scored: Scored) -> None:
    summary = scored(LMMS_EVAL / "20261128_193339_samples_cubes_repeats.jsonl", stacks(made))
    assert (summary.repeats, summary.accuracy.count, summary.accuracy.right) == (2, 4, 2)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (CUBES, lambda rows: rows[1].pop("doc_id"), r"x\.jsonl:2: lm-eval samples: no key 'doc_id'"),
        (CUBES, lambda rows: rows[0].pop("doc_id"), r"x\.jsonl:1: lm-eval samples, .*no key 'doc_id'"),
        (CUBES, lambda rows: [rows[1].pop(key) for key in ("resps", "filtered_resps")],
         r"x\.jsonl:2: lm-eval samples: no key 'resps'"),
        (CUBES, lambda rows: rows[4].update(resps=[["ANSWER: 9"]]),
         r"x\.jsonl:5: lm-eval samples: doc_id 0 has another output already \(.*x\.jsonl:1\)"),
        (CUBES, lambda rows: rows[1].update(resps=[[{"a": 1}]]), r"x\.jsonl:2: lm-eval samples: resps: texts"),
        (OPTIONS, lambda rows: rows[1].update(resps=[[["-3.0", "False"]]]),
         r"x\.jsonl:2: lm-eval samples: resps: one log-likelihood"),
        (OPTIONS, lambda rows: rows[1]["resps"][2][0].__setitem__(0, "nan"),
         r"x\.jsonl:2: lm-eval samples: resps: texts"),
        (OPTIONS, lambda rows: rows[1]["resps"][2][0].__setitem__(0, None),
         r"x\.jsonl:2: lm-eval samples: resps: texts"),
        (CUBES, lambda rows: rows[1].update(resps=[[["deep"]]]), r"x\.jsonl:2: lm-eval samples: resps: texts"),
        (LMMS, lambda rows: rows[2].pop("filtered_resps"), r"x\.jsonl:3: lmms-eval samples: no key 'resps'"),
        (LMMS, lambda rows: rows[2].update(token_counts=[{"output_tokens": "many"}]),
         r"x\.jsonl:3: output_tokens: a whole number"),
    ],
)  # fmt: skip
def test_faults_name_format_line_and_key(
    file: Path, change: Callable[[list[dict[str, Any]]], object], message: str, scored: Scored, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        scored(changed(file, tmp_path / "x.jsonl", change), stacks(made, options=file == OPTIONS))
    assert not (tmp_path / "run" / "predictions.jsonl").exists()


def test_the_results_beside_the_samples_are_no_predictions(scored: Scored, tmp_path: Path) -> None:
    (tmp_path / "results_2026.json").write_text('{"results": {}, "configs": {}}')
    with pytest.raises(UserError, match=r"results_2026\.json: .*--log_samples"):
        scored(tmp_path / "results_2026.json", stacks(made))
