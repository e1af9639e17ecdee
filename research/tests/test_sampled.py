"""What choosing among samples gives: by votes, by proofs, and at best."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from eval.backends.protocol import GenerationSettings
from eval.records.run_records import Run
from eval.run.predict import predict
from eval.run.scored_run import read_run
from eval.scoring.score import score
from research import sampled
from research.sampled import SampledPoint, choose
from research.tests.toy_results import ARMS, points
from srt.experiment.model_stages import Evaluation
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem
from srt.language.trace import Step, StepCheck, TraceCheck
from tests.fake_backend import FakeBackend


def run_of(folder: Path, replies: dict[str, list[str]], **settings: float) -> Run:
    """A scored run of made-up problems: problem ``q`` is answered with ``replies[q]`` in turn; B is always right."""
    written = folder.with_suffix(".problems.jsonl")
    choices = {letter: f"name {letter}" for letter in "ABCD"}
    right = Answer(kind="choice_set", value=["B"])
    made = [
        Problem(id=q, source="made-up", split="test", lang="en", question=f"<{q}>", choices=choices, answer=right)
        for q in replies
    ]
    write_records(written, made)
    left = {q: iter(texts) for q, texts in replies.items()}
    backend = FakeBackend(lambda prompt: next(left[prompt.split("<")[2].split(">")[0]]))
    repeats = len(next(iter(replies.values())))
    predict(written, folder, backend, arm="srt", settings=GenerationSettings(**settings), repeats=repeats)
    score(folder, checker=lambda problem, trace: TraceCheck(steps=tuple(map(verdict, trace.steps)), answer=PROVED))
    return read_run(folder)


PROVED = StepCheck(support="proved")


def verdict(step: Step) -> StepCheck:
    return PROVED if step.claim == "true" else StepCheck(support="refuted", reason="no", counterexample="Nadia@S1")


def test_the_first_proved_sample_or_else_the_greedy_answer(tmp_path: Path) -> None:
    """Proved traces are believed even where they are wrong; without one, right samples do not help `checked`."""
    proved, unproved = "INFER (1): true\nANSWER: ", "INFER (1): false\nANSWER: "
    samples = {
        "rescued": [unproved + "A", proved + "B", proved + "C"],
        "misled": [proved + "D", proved + "B", "I cannot say."],
        "kept": [unproved + "A", "I cannot say.", unproved + "C"],
        "missed": [unproved + "B", unproved + "B", unproved + "C"],
        "agreed": [unproved + "C", unproved + "C", unproved + "C"],
    }
    answers = {"rescued": unproved + "A", "misled": unproved + "B", "kept": unproved + "B", "missed": unproved + "A"}
    greedy = run_of(tmp_path / "greedy", {q: [text] for q, text in {**answers, "agreed": proved + "B"}.items()})
    point = choose(greedy, run_of(tmp_path / "sampled", samples, temperature=0.7), 1, 4000)
    assert (point.greedy, point.voted, point.checked, point.oracle) == ("01101", "00010", "10101", "11010")
    assert (point.greedy_proved, point.unanimous) == ("00001", "00001")
    assert (point.arm, point.seed, point.items, point.samples, point.temperature) == ("srt", 1, 4000, 3, 0.7)
    assert point.proved == 0.4
    assert point.greedy_tokens == pytest.approx((4 * len(unproved) + len(proved)) / 5 + 2)
    spent = sum(len(text) + 1 for texts in samples.values() for text in texts)
    assert point.sampled_tokens == pytest.approx(spent / 5)


def test_samples_are_measured_once_at_the_end_of_each_curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Evaluation] = []
    recipe: dict[str, Any] = {
        "name": "toys", "output": "x", "arms": [*ARMS], "seeds": [0, 1, 2], "model": {"arch": "llama"},
        "train_problems": [{"world": "seating", "n": 1}], "test_problems": [{"world": "seating", "n": 1}],
        "curve": {"items": [1000, 4000]}, "train": {"batch_size": 8, "scheduler": "constant"},
    }  # fmt: skip
    (tmp_path / "experiment.json").write_bytes(orjson.dumps(recipe))
    (tmp_path / "curve").mkdir()
    write_records(tmp_path / "curve" / "points.jsonl", points())

    def evaluate(_: object, evaluation: Evaluation) -> None:
        asked.append(evaluation)

    def chosen(greedy: Path, sampled: Path, seed: int, items: int) -> SampledPoint:
        assert greedy == tmp_path / "curve" / "test" / f"srt-{seed}" / "4000"
        digits = {"greedy": "01" * 100, "voted": "0001" * 50, "checked": "0111" * 50, "oracle": "1" * 200}
        place: dict[str, Any] = {"arm": "srt", "seed": seed, "items": items, "samples": 4, "temperature": 0.5}
        return SampledPoint(**place, **digits, proved=0.5, greedy_tokens=20, sampled_tokens=81.5)

    monkeypatch.setattr(sampled.TrainAndEval, "evaluate", evaluate)
    monkeypatch.setattr(sampled, "read_run", lambda path: path)
    monkeypatch.setattr(sampled, "choose", chosen)
    for _ in range(2):
        assert len(sampled.measure(tmp_path, ["srt"], 4, 0.5)) == 3
    weights = [str(one.trained.model.relative_to(tmp_path)) for one in asked]
    assert weights == [f"curve/weights/srt-{seed}/4000" for seed in (0, 1, 2)]
    assert asked[0].settings == {"repeats": 4, "temperature": 0.5}
