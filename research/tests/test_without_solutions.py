"""The study of learning without solutions: what each way keeps, that no answer is given, and a small run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from research.training import without_solutions as study_of
from research.training.without_solutions import Study, run
from srt.io.problem_files import read_problems
from srt.io.record_reader import read_records
from srt.io.records import Problem, Sequence
from srt.io.yaml_config import parse_config, read_yaml
from srt.language.text import linearize
from srt.pipeline.sample import sample_problems
from srt.pipeline.solve import solve_one

RECIPE = Path(__file__).resolve().parents[1] / "recipes" / "without-solutions.yaml"


@pytest.fixture(scope="module")
def problem() -> Problem:
    return sample_problems("seating", 1, 1, "test", {"scenes": ["booth"]})[0]


def test_a_majority_needs_two(problem: Problem) -> None:
    texts = ["It is A.\nANSWER: A", "ANSWER: B", "So B.\nANSWER: B", "ANSWER: C"]
    assert study_of._of_the_majority(problem, texts) == texts[1:3]
    assert study_of._of_the_majority(problem, texts[:2]) == []
    assert study_of._of_the_majority(problem, ["no idea", "none at all"]) == []


def test_a_certificate_needs_no_answer(problem: Problem) -> None:
    right = linearize(solve_one(problem, "running"))
    wrong = f"{right.rpartition(' ')[0]} {'D' if right[-1] == 'A' else 'A'}"
    blind = problem.model_copy(update={"answer": None})
    assert study_of._certified(blind, [wrong, right]) == [right]


def test_a_small_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = [
        "source.n=40",
        "target.n=4",
        "test=2",
        "rounds=2",
        "ways=[proved, majority]",
        "samples=2",
        "tokens=9000",
        "train.steps=2",
    ]
    small += ["max_new_tokens=24", "model.hidden=16", "model.layers=1", "model.vocab=600", f"output={tmp_path}"]
    study = parse_config(Study, read_yaml(RECIPE, small), "given")
    # Of an untrained model all texts are cut off: what some way keeps is played.
    taught = {text.id: linearize(solve_one(text, "running")) for text in _asked(study)}
    monkeypatch.setattr(study_of, "_of_the_majority", lambda problem, texts: [taught[problem.id]])
    monkeypatch.setattr(study_of, "_whole", lambda text: True)
    table = run(study)
    rows = {(row["way"], row["round"]): row for row in json.loads((tmp_path / "without_solutions.json").read_text())}
    assert set(rows) == {("srt", 0), ("cot", 0), *((way, number) for way in study.ways for number in (1, 2))}
    assert (rows["proved", 1]["kept"], rows["proved", 1]["trained"]) == (0, 0)
    for number in (1, 2):
        kept = rows["majority", number]
        assert (kept["kept"], kept["kept_problems"], kept["kept_right"]) == (4, 4, 1.0)
        assert 0.6 * study.tokens < kept["sampled"] + kept["trained"] < 1.4 * study.tokens
    given = [
        problem for number in (1, 2) for problem in read_problems(tmp_path / f"data/round-{number}.jsonl").values()
    ]
    assert len(given) == len({problem.id for problem in given}) == 8
    assert not [problem for problem in given if problem.answer is not None]
    shown = {row.problem_id for arm in ("srt", "cot") for row in read_records(tmp_path / f"data/{arm}.jsonl", Sequence)}
    assert shown.isdisjoint(problem.id for problem in given)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("model.safetensors")}
    assert len(before) == 1 + 2 + 2
    assert run(study) == table
    assert {path: path.stat().st_mtime_ns for path in before} == before, "nothing is trained again"


def _asked(study: Study) -> list[Problem]:
    count = study.target.n * study.rounds
    return sample_problems(study.target.world, count, study.seed, "train", study.target.spec)
