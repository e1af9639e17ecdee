"""The page of the ladder: made from filed results alone, with the figures that they have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson
import pytest

from benchmarks.ladder import page, results, sampled
from benchmarks.ladder.meanings import meaning
from benchmarks.ladder.sampled import SampledPoint, choose
from eval.backends.fake_backend import FakeBackend
from eval.backends.protocol import GenerationSettings
from eval.run.predict import predict
from eval.run.run_records import Run
from eval.run.scored_run import read_run
from eval.scoring.score import score
from srt.experiment.learning_curve import CurvePoint
from srt.experiment.model_stages import Evaluation
from srt.io.jsonl import write_records
from srt.io.records import Answer, Problem
from srt.language.trace import Step, StepCheck, TraceCheck

PUZZLES = [problem // 2 for problem in range(200)]
SHARES = {
    "answer": {1000: 0.2, 4000: 0.25},
    "cot": {1000: 0.2, 4000: 0.4},
    "srt": {1000: 0.2, 4000: 0.8},
    "srt-drop-INFER": {1000: 0.2, 4000: 0.5},
}

SCENES = [{"scene": "hexagon-out", "compass": "NS"}, {"scene": "booth", "compass": "none"}]
"""Of each problem: the first of a puzzle has the first scene, the second the other."""
COMMAND = '{"attempts": [{"command": "python %strain/train_srt.py --config recipe.yaml"}]}'


def points() -> Iterator[CurvePoint]:
    for seed in (0, 1):
        ease = np.random.default_rng(seed).permutation(len(PUZZLES)) / len(PUZZLES)
        for arm, curve in SHARES.items():
            for items, share in curve.items():
                yield CurvePoint(
                    test="test",
                    arm=arm,
                    seed=seed,
                    items=items,
                    tokens=items * (80 if arm == "cot" else 40),
                    labelled_tokens=items * 20,
                    right="".join("1" if easy < share else "0" for easy in ease),
                    output_tokens=20.0,
                    proved=0.5,
                    first_wrong={"INFER contradiction": 3, "CORRELATE misread": 1},
                )


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    run = tmp_path / "run"
    (run / "curve").mkdir(parents=True)
    (run / "data").mkdir()
    write_records(
        run / "data" / "test.jsonl",
        (
            Problem(id=f"q{at}", source="made-up", split="test", lang="en", question="?", meta=SCENES[at % 2])
            for at in range(len(PUZZLES))
        ),
    )
    (run / "runs" / "srt-0" / "model").mkdir(parents=True)
    (run / "runs" / "srt-0" / "model" / "manifest.json").write_text(COMMAND % "/home/ann/srt/")
    (run / "experiment.json").write_bytes(orjson.dumps({"name": "toys", "arms": list(SHARES)}))
    sizes = {"puzzles": PUZZLES, "training_problems": 900, "trained_puzzles": 300, "puzzles_at_least": 300}
    (run / "curve" / "test.json").write_bytes(orjson.dumps(sizes))
    monkeypatch.setattr(results, "FILED", tmp_path / "filed")
    monkeypatch.setattr(page, "DOCS", tmp_path / "docs")
    monkeypatch.setattr(page, "RECIPES", tmp_path / "recipes")
    (tmp_path / "docs").mkdir()
    (tmp_path / "recipes").mkdir()
    (tmp_path / "recipes" / "toys.yaml").touch()
    return tmp_path


def test_the_page_says_what_was_measured(folders: Path) -> None:
    run, written = folders / "run", list(points())
    # In two portions: what is filed already stays.
    for portion in (written[:5], written[5:]):
        write_records(run / "curve" / "points.jsonl", portion)
        results.main([str(run)])
    assert len(results.read_filed()[0].points) == len(written)
    # A filed manifest names no folder of the machine that it was measured on.
    assert (folders / "filed" / "toys" / "manifests" / "srt-0.json").read_text() == COMMAND % ""
    counts = {"texts": 100, "plans": 61, "asked": 50, "naming": 47, "named": 31, "letters": 29}
    by_options, by_letter = ((7, 1), (30, 22), (10, 6)), {"A": (12, 11), "B": (18, 11)}
    plans = [
        results.PlanCount(
            arm=arm, seed=0, items=4000, scene="booth", **counts, by_options=by_options, by_letter=by_letter
        )
        for arm in ("srt", "cot")
    ]
    write_records(folders / "filed" / "toys" / results.PLANS, plans)
    page.main()
    text = (folders / "docs" / "does-structure-pay.md").read_text()
    assert (folders / "docs" / "ladder" / "toys.svg").read_text().startswith("<?xml")
    assert (folders / "docs" / "ladder" / "overview.svg").read_text().count("toys") >= 1
    (row,) = (line for line in text.splitlines() if line.startswith("| toys | 2 |"))
    # Seeds, items, both arms, their difference, proved answers, and the items to 50%.
    assert re.fullmatch(
        r"\| toys \| 2 \| 4,000 \| 40\.0 \| 80\.0 \| \+40\.0 \[.*\] \| 50\.0 \| at most 0\.50 .*\] \|", row
    )
    assert "| toys | 300 | 300 | 200, 100 |" in text
    assert re.search(r"\| 4,000 \| srt \| 80\.0 \[[\d.]+, [\d.]+\] \| 2 \|", text)
    needed = next(line for line in text.splitlines() if line.startswith("| srt | 50%"))
    assert re.search(r"\| 2,000 \[1,\d00, 2,\d00\] \| 1,000, 4,000; 1,000, 4,000 \| at most 0\.50 ", needed)
    assert "| srt | 90% | more than 4,000 | 4,000, ∞; 4,000, ∞ |  |" in text
    assert "| toys | srt − cot | 4,000 | 2 | +40.0 [" in text
    assert "| toys | srt-drop-INFER | 4,000 | 2 | 50.0 | 80.0 | −30.0 [" in text
    last = [point.right for point in written if (point.arm, point.items) == ("srt", 4000)]
    by_scene = [f"{100 * sum(map(int, ''.join(right[at::2] for right in last))) / 200:.1f}" for at in (1, 0)]
    assert "| items | arm | booth (100) | hexagon, compass (100) |" in text
    assert f"| 4,000 | srt | {by_scene[0]} | {by_scene[1]} |" in text
    assert "| booth | 4,000 | srt-0 | 61/100 | 50/61 | 31/47 | 29/47 | 1/7 | 22/30 | 6/10 |" in text
    assert "This was not measured yet." in text
    # cot after half of its tokens: halfway between its two points, in the logarithm.
    assert "| toys | 160,000 | 30.0 | 80.0 |" in text
    assert "INFER contradiction 75, CORRELATE misread 25" in text
    (folders / "recipes" / "toys.yaml").unlink()
    page.main()
    assert "### toys" not in (folders / "docs" / "does-structure-pay.md").read_text()
    assert "| toys | 300 | 300 | 200, 100 |" in (folders / "docs" / "ladder-levers.md").read_text()


def test_families_of_a_benchmark_are_on_their_own_page(folders: Path) -> None:
    run = folders / "run"
    write_records(run / "curve" / "points.jsonl", points())
    (run / "experiment.json").write_bytes(orjson.dumps({"name": "space2025-toys", "arms": list(SHARES)}))
    results.main([str(run)])
    (folders / "recipes" / "space2025-toys.yaml").touch()
    page.main()
    first, benchmark, levers = (
        (folders / "docs" / name).read_text()
        for name in ("does-structure-pay.md", "ladder-space2025.md", "ladder-levers.md")
    )
    assert "### space2025-toys" in benchmark
    assert "### space2025-toys" not in first + levers
    # Of all items, and of those other than booths, the first of each two.
    right = {arm: [p.right for p in points() if (p.arm, p.items) == (arm, 4000)] for arm in ("cot", "srt")}
    others = [f"{100 * sum(map(int, ''.join(one[0::2] for one in right[arm]))) / 200:.1f}" for arm in ("cot", "srt")]
    assert re.search(rf"\| toys \| 4,000 \| 40\.0 \| 80\.0 \| \+40\.0 .* \| {others[0]} \| {others[1]} \| ", benchmark)
    # The table of all families is on the first page.
    assert "| space2025-toys | 2 | 4,000 |" in first


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


def test_samples_are_measured_once_at_the_end_of_each_curve(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, asked = folders / "run", []
    recipe = {
        "name": "toys", "output": "x", "arms": list(SHARES), "seeds": [0, 1], "model": {"arch": "llama"},
        "train_problems": [{"world": "seating", "n": 1}], "test_problems": [{"world": "seating", "n": 1}],
        "curve": {"items": [1000, 4000]}, "train": {"batch_size": 8, "scheduler": "constant"},
    }  # fmt: skip
    (root / "experiment.json").write_bytes(orjson.dumps(recipe))
    write_records(root / "curve" / "points.jsonl", points())

    def evaluate(_: object, evaluation: Evaluation) -> None:
        asked.append((evaluation.trained.model.relative_to(root), evaluation.settings, evaluation.out))

    def chosen(greedy: Path, sampled: Path, seed: int, items: int) -> SampledPoint:
        assert greedy == root / "curve" / "test" / f"srt-{seed}" / "4000"
        digits = {"greedy": "01" * 100, "voted": "0001" * 50, "checked": "0111" * 50, "oracle": "1" * 200}
        place = {"arm": "srt", "seed": seed, "items": items, "samples": 4, "temperature": 0.5}
        return SampledPoint(**place, **digits, proved=0.5, greedy_tokens=20, sampled_tokens=81.5)

    monkeypatch.setattr(sampled.TrainAndEval, "evaluate", evaluate)
    monkeypatch.setattr(sampled, "read_run", lambda path: path)
    monkeypatch.setattr(sampled, "choose", chosen)
    for _ in range(2):
        assert len(sampled.measure(root, ["srt"], 4, 0.5)) == 2
    assert [str(model) for model, *_ in asked] == ["curve/weights/srt-0/4000", "curve/weights/srt-1/4000"]
    assert asked[0][1] == {"repeats": 4, "temperature": 0.5}
    results.main([str(root)])
    page.main()
    text = (folders / "docs" / "does-structure-pay.md").read_text()
    assert "| toys | srt | 4,000 | 2 | 4 at 0.5 | 50.0 | 25.0 | 75.0 | +50.0 [" in text
    assert "] | 100.0 | 50.0 | 81.5 |" in text
    assert "not measured yet" not in text.partition("## Choosing among samples")[2]
