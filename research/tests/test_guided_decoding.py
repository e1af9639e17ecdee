"""Controls of guided decoding: each guide by itself, and a study of a model that was never trained."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import srt
from eval.decoding.guide import Guide, LineDraft
from research.decoding.controls import (
    CertificateGuide,
    CoinGuide,
    LikelyGuide,
    Noted,
    NotingProofGuide,
    OperationGuide,
)
from research.decoding.guided_decoding import Study, run
from research.decoding.provable_lines import ProvableLines
from srt.io.errors import UserError
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.io.yaml_config import parse_config, read_yaml
from srt.judging.prefix import judge_prefix, without_gold
from srt.language.prompts import prompt_messages
from srt.language.text import MARKERS, linearize
from srt.language.trace import Operation
from srt.pipeline.sample import sample_problems
from train.models.init_model import init_model

RECIPE = Path(__file__).resolve().parents[1] / "recipes" / "guided-decoding.yaml"


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    return sample_problems("seating", 6, 1, "test", {"lang": "zh", "scenes": ["booth"]})


def kept(guide: Guide, problem: Problem, text: str, *, draw: int = 0, ended: bool = False, log: float = -0.1) -> bool:
    return guide.verdict(LineDraft(without_gold(problem), text, ended, text.count("\n"), draw, 5, log)).kept


def swapped(line: str) -> str:
    """``line`` with N and S changed over in its last seat."""
    at = max(line.rfind("@N"), line.rfind("@S"))
    return f"{line[: at + 1]}{'S' if line[at + 1] == 'N' else 'N'}{line[at + 2 :]}"


@pytest.mark.parametrize("operation", ["CONSTRAIN", "INFER"])
def test_one_operation_judges_its_own_lines_alone(problems: list[Problem], operation: Operation) -> None:
    guide = OperationGuide(operation)
    lines = linearize(srt.solve(problems[0])).splitlines()
    false: dict[str, bool] = {}
    for number, line in enumerate(lines):
        before = "".join(f"{each}\n" for each in lines[:number])
        assert kept(guide, problems[0], f"{before}{line}\n"), "a step that is proved"
        if "@" in line and "wlog" not in line and "不妨设" not in line:
            false[line.split()[0]] = kept(guide, problems[0], f"{before}{swapped(line)}\n")
    assert false == {MARKERS["zh"][each]: each != operation for each in ("CONSTRAIN", "INFER")}
    assert kept(guide, problems[0], "\n".join([*lines[:-1], "答案: D"]), ended=True), "the answer is not its business"
    assert not kept(guide, problems[0], f"{MARKERS['zh'][operation]} of nothing\n")
    assert kept(guide, problems[0], "no step at all\n")


def test_a_coin_refuses_as_often_as_it_should_and_the_same_in_every_run(problems: list[Problem]) -> None:
    thrown = [kept(CoinGuide(0.3), problems[0], "x\n", draw=draw) for draw in range(2000)]
    assert abs(1 - sum(thrown) / 2000 - 0.3) < 4 * math.sqrt(0.21 / 2000)
    assert thrown == [kept(CoinGuide(0.3), problems[1], "y\n", draw=draw) for draw in range(2000)]
    assert all(kept(CoinGuide(0.0), problems[0], "x\n", draw=draw) for draw in range(50))


def test_likely_lines_are_kept(problems: list[Problem]) -> None:
    guide = LikelyGuide(-0.5)
    assert [kept(guide, problems[0], "x\n", log=log) for log in (-0.4, -0.5, -0.6)] == [True, True, False]


def test_what_the_checker_says_is_noted_and_stays_the_same(problems: list[Problem]) -> None:
    line = linearize(srt.solve(problems[0])).splitlines()[0]
    draft = LineDraft(without_gold(problems[0]), f"{line}\n", False, 0, 0, 5, -0.25)
    assert NotingProofGuide().verdict(draft) == Noted(True, log_probability=-0.25)


def test_a_certificate_refuses_nothing(problems: list[Problem]) -> None:
    text = linearize(srt.solve(problems[0]))
    found = CertificateGuide().verdict(LineDraft(without_gold(problems[0]), text, True, 0, 0, 5, 0.0))
    assert found.kept
    assert found.whole == (srt.judge(problems[0], text).certified is True)


def test_the_recipe_is_read() -> None:
    study = parse_config(Study, read_yaml(RECIPE), str(RECIPE))
    assert study.budgets == (1, 2, 4, 8)
    assert set(study.ways) >= {"greedy", "majority", "best", "certificate", "proved", "coin", "likely", "solver"}


def test_a_study_is_whole_and_resumes(problems: list[Problem], tmp_path: Path) -> None:
    texts = [linearize(srt.solve(problem)) for problem in problems]
    asked = [message.content for problem in problems for message in prompt_messages(problem, "bare", False)]
    model = tmp_path / "model"
    init_model("llama", [*asked, *texts], model, hidden=16, layers=1, heads=2, vocab=400, seed=0)
    write_records(tmp_path / "problems.jsonl", problems)
    given = {
        "models": [model],
        "early": [model],
        "problems": tmp_path / "problems.jsonl",
        "output": tmp_path / "out",
        "max_new_tokens": 24,
        "tune": 2,
        "report": 3,
        "budgets": [1, 2],
    }
    table = run(parse_config(Study, given, "given"))
    assert "first 2 problems" in table
    assert "figures are of the 3 after them" in table
    rows = json.loads((tmp_path / "out" / "guided_decoding.json").read_text())["rows"]
    assert [row["budget"] for row in rows if row["way"] == "proved"] == [1, 2]
    (solver,) = (row for row in rows if row["way"] == "solver")
    assert solver["proved_and_right"]["right"] == solver["right"]["count"] == 3
    unit = json.loads((tmp_path / "out" / "guided_decoding.json").read_text())["tuned"][0]["unit"]
    assert all(row["tokens"] <= row["budget"] * unit for row in rows if row["way"] in ("proved", "coin"))
    # An untrained model proves nothing: the whole budget is spent, and an early checkpoint that is the same is equal.
    proved, early = ([row for row in rows if row["way"] == way] for way in ("proved", "early"))
    assert [{**row, "way": ""} for row in early] == [{**row, "way": ""} for row in proved]
    assert proved[-1]["tokens"] == 2 * unit
    (masked,) = (row for row in rows if row["way"] == "masked")
    assert not masked["refused"]
    (cell,) = (tmp_path / "out" / "cells").rglob("masked-*.json")
    for problem, found in zip(problems[2:], json.loads(cell.read_text())["texts"], strict=False):
        lines = found["text"].splitlines(keepends=True)
        assert found["problem_id"] == problem.id
        assert found["output_tokens"] == 24, "it learned nothing, and yet all that it ends is proved"
        kept_lines = [judge_prefix(problem, "".join(lines[: number + 1])).kept for number in range(len(lines) - 1)]
        assert kept_lines == [True] * len(kept_lines)
        assert ProvableLines(without_gold(problem)).begins("".join(lines[:-1]), lines[-1].rstrip("\ufffd\n").encode())
    cells = sorted((tmp_path / "out" / "cells").rglob("*.json"))
    before = {path: path.stat().st_mtime_ns for path in cells}
    cells[0].unlink()
    assert run(parse_config(Study, given, "given")).split("The solver")[0] == table.split("The solver")[0]
    assert [path for path in cells if path.stat().st_mtime_ns != before[path]] == cells[:1], "the others are read"
    with pytest.raises(UserError, match="max_new_tokens"):
        run(parse_config(Study, given | {"max_new_tokens": 25}, "given"))
