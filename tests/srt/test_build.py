"""``srt build``: the arms differ in the text of the completion, and in nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from srt.build import build, build_file
from srt.errors import UserError
from srt.generate import generate_file
from srt.jsonl import read_records
from srt.language.arms import TRAINED_ARMS
from srt.language.text import parse
from srt.language.trace import Trace
from srt.records import Problem, Sequence
from srt.solve import solve_file


@pytest.fixture(scope="module", params=["en", "zh"])
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    generate_file("seating", 12, "train", folder / "p.jsonl", {"lang": request.param})
    solve_file(folder / "p.jsonl", folder / "t.jsonl")
    return folder


def sequences(files: Path, arm: str, out: Path, **options: str) -> list[Sequence]:
    told = build_file(files / "t.jsonl", files / "p.jsonl", arm, out / arm, **options)
    made = list(read_records(out / arm / "sequences.jsonl", Sequence))
    assert told == {"file": str(out / arm / "sequences.jsonl"), "arm": arm, "sequences": len(made)}
    return made


@pytest.mark.parametrize("prompt", ["full", "bare"])
def test_every_arm_has_the_same_prompts_in_the_same_order(prompt: str, files: Path, tmp_path: Path) -> None:
    reference = sequences(files, "srt", tmp_path, prompt=prompt)
    ids = [(trace.id, trace.problem_id) for trace in read_records(files / "t.jsonl", Trace)]
    assert len(ids) == 12
    completions = {}
    for arm in TRAINED_ARMS:
        made = sequences(files, arm, tmp_path, prompt=prompt)
        assert [(s.trace_id, s.problem_id) for s in made] == ids
        assert [s.prompt for s in made] == [s.prompt for s in reference]
        assert {s.arm for s in made} == {arm}
        assert (
            len(
                {
                    s.completion[0].content.splitlines()[-1] == r.completion[0].content.splitlines()[-1]
                    for s, r in zip(made, reference, strict=True)
                }
            )
            == 1
        )
        completions[arm] = tuple(s.completion[0].content for s in made)
    # srt-ban-OP trains as srt does; any two other arms differ.
    assert {completions[arm] for arm in TRAINED_ARMS if arm.startswith("srt-ban")} == {completions["srt"]}
    others = [completions[arm] for arm in TRAINED_ARMS if not arm.startswith("srt-ban")]
    assert len(set(others)) == len(others)


def test_spans_cover_the_completion(files: Path, tmp_path: Path) -> None:
    for arm in ("answer", "cot", "srt", "srt-unlabelled", "srt-drop-INFER"):
        for sequence in sequences(files, arm, tmp_path):
            text = sequence.completion[0].content
            assert sequence.spans[-1].label == "ANSWER"
            assert text[sequence.spans[-1].start : sequence.spans[-1].end] == text.splitlines()[-1]
            at = sequence.spans[0].start if arm == "cot" else 0
            for span in sequence.spans:
                assert span.start == at
                at = span.end
            assert at == len(text)


def test_the_srt_arm_is_the_trace(files: Path, tmp_path: Path) -> None:
    traces = list(read_records(files / "t.jsonl", Trace))
    for trace, sequence in zip(traces, sequences(files, "srt", tmp_path), strict=True):
        parsed = parse(sequence.completion[0].content)
        assert (parsed.kind, parsed.steps, parsed.answer) == ("world", trace.steps, trace.answer)


def test_assertions_in_place_of_claims(files: Path, tmp_path: Path) -> None:
    claims = sequences(files, "srt", tmp_path)
    told = sequences(files, "srt", tmp_path, text="assertions")
    for one, other in zip(claims, told, strict=True):
        assert [span.label for span in one.spans] == [span.label for span in other.spans]
        assert one.completion != other.completion


def test_a_trace_of_another_problem(files: Path) -> None:
    traces = list(read_records(files / "t.jsonl", Trace))
    problems = {p.id: p for p in read_records(files / "p.jsonl", Problem) if p.id != traces[3].problem_id}
    made = build(traces, problems, "srt")
    assert [next(made).trace_id for _ in range(3)] == [trace.id for trace in traces[:3]]
    with pytest.raises(UserError, match=rf"trace {traces[3].id}: its problem '{traces[3].problem_id}' is not in"):
        next(made)
