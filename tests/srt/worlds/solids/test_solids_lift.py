"""Free traces that are lifted into world traces: each equation is one formula with its numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from srt.checking import check
from srt.io.record_lines import dump
from srt.io.records import Problem
from srt.language.text import parse
from srt.pipeline.lift import lift_file
from srt.worlds.solids.derivation.lift import lift
from srt.worlds.world import Refused

CONE = "A cone has base radius 3 cm and slant height 5 cm. Find its volume."
RIGHT = [
    (
        "en", CONE, "12π cm³",
        "CORRELATE (1) - r = 3 and l = 5\nCONSTRAIN #1 - h = √(5^2 - 3^2) = √16 = 4 cm\n"
        "INFER #1 #2 - V = 1/3 × π × 3² × 4 = 12π cm³\nANSWER: 12π cm³",
    ),
    (
        "en", CONE, "12π cm³",
        "CORRELATE (1) - r = 3 and l = 5\nCONSTRAIN #1 - h = √(25 − 9) = 4\n"
        "INFER #1 #2 - V = 9·π·4/3 = 12π\nANSWER: 12π",
    ),
    (
        "en", "A cylinder has lateral area 24π and height 4. Find its base radius.", "3",
        "CORRELATE (1) - the lateral area is 24π and the height is 4\nINFER #1 - r = 24π/(2·π·4) = 3\nANSWER: 3",
    ),
    (
        "zh", "长方体长5 cm，宽4 cm，高3 cm。求它的表面积。", "94 cm²",
        "关联 (1) - 长5、宽4、高3\n推断 #1 - 表面积 = (5×4+5×3+4×3)×2 = 94 cm²\n答案: 94 cm²",
    ),
]  # fmt: skip
WRONG = {
    "another formula with the same value": (
        "A cone has base radius 3 and height 4. Find its volume.",
        "CORRELATE (1) - r = 3, h = 4\nINFER #1 - V = π × 3 × 4 = 12π\nANSWER: 12π",
    ),
    "a factor": (
        "A cone has base radius 3 and height 4. Find its volume.",
        "CORRELATE (1) - r = 3, h = 4\nINFER #1 - V = π × 3² × 4 = 36π\nANSWER: 36π",
    ),
    "a unit": (
        "A cube has edge 4 cm. Find its volume.",
        "CORRELATE (1) - the edge is 4 cm\nINFER #1 - V = 4^3 = 64 cm²\nANSWER: 64 cm³",
    ),
    "measures exchanged": (
        "A cone has base radius 3 and height 4. Find its volume.",
        "CORRELATE (1) - r = 4, h = 3\nINFER #1 - V = 1/3 × π × 4² × 3 = 16π\nANSWER: 16π",
    ),
    "arithmetic": (
        "A cone has base radius 3 and height 4. Find its volume.",
        "CORRELATE (1) - r = 3, h = 4\nINFER #1 - V = 1/3 × π × 3² × 4 = 13π\nANSWER: 12π",
    ),
    "an equation that is no formula": (
        "A cone has base radius 3 and height 4. Find its volume.",
        "CORRELATE (1) - r = 3, h = 4\nCONSTRAIN #1 - 3 + 4 = 7\nINFER #1 - V = 1/3 × π × 3² × 4 = 12π\nANSWER: 12π",
    ),
    "a step that is missing": (
        CONE,
        "CORRELATE (1) - r = 3, l = 5\nINFER #1 - V = 1/3 × π × 3² × 4 = 12π\nANSWER: 12π",
    ),
    "another answer": (
        "A cone has base radius 3 and height 4. Find its volume.",
        "CORRELATE (1) - r = 3, h = 4\nINFER #1 - V = 1/3 × π × 3² × 4 = 12π\nANSWER: 36π",
    ),
    "one face for all": (
        "A regular tetrahedron has edge 2. Find its surface area.",
        "CORRELATE (1) - the edge is 2\nINFER #1 - S = √3/4 × 2^2 = √3\nANSWER: √3",
    ),
}


def problem_of(question: str, lang: str = "en") -> Problem:
    return Problem.model_validate({"id": "p", "source": "solids", "lang": lang, "question": question})


@pytest.mark.parametrize(("lang", "question", "answer", "text"), RIGHT)
def test_a_right_solution_is_lifted_and_proved(lang: str, question: str, answer: str, text: str) -> None:
    problem = problem_of(question, lang)
    lifted = lift(problem, parse(text).trace("t", "p"))
    assert check(problem, lifted).proved, lifted
    assert lifted.kind == "world"


@pytest.mark.parametrize("name", WRONG)
def test_what_has_an_equation_without_a_reading_is_not_lifted(name: str) -> None:
    question, text = WRONG[name]
    with pytest.raises(Refused) as caught:
        lift(problem_of(question), parse(text).trace("t", "p"))
    assert caught.value.reason == "not_lifted"
    assert "\n" not in caught.value.detail


def test_the_command_writes_what_is_proved_and_says_why_the_others_are_not(tmp_path: Path) -> None:
    problems, traces, out = tmp_path / "p.jsonl", tmp_path / "t.jsonl", tmp_path / "out.jsonl"
    lang, question, _, text = RIGHT[0]
    right = problem_of(question, lang)
    wrong_question, wrong_text = WRONG["a factor"]
    wrong = problem_of(wrong_question).model_copy(update={"id": "q"})
    own = Problem(id="o", question=question)
    problems.write_bytes(b"".join(map(dump, (right, wrong, own))))
    free = [parse(text).trace("t", "p"), parse(wrong_text).trace("u", "q"), parse(text).trace("v", "o")]
    traces.write_bytes(b"".join(map(dump, free)))
    summary = lift_file(traces, problems, out)
    assert (summary.traces, summary.read, summary.lifted) == (3, 2, 1)
    assert summary.refused == {"no_world": 1, "not_lifted": 1}
    (line,) = out.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["kind"] == "world"
    refused = [json.loads(x) for x in (tmp_path / "out.refusals.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["problem_id"] for row in refused] == ["q", "o"]
