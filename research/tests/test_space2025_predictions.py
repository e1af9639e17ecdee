"""Predictions for dev items and their figures, from a made-up run: booths in our own words, answers that we chose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from eval.scoring.official_answers import OfficialAnswers
from research.space2025 import figures as figures_command
from research.space2025 import predict_dev
from srt.experiment.learning_curve import CurvePoint
from srt.experiment.model_stages import Evaluation
from srt.io.errors import UserError
from srt.io.record_reader import read_records, read_rows
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem

TRAIN = {"batch_size": 8, "scheduler": "constant"}
RECIPE: dict[str, Any] = {
    "name": "toys", "output": "x", "arms": ["cot", "srt"], "seeds": [3], "model": {"arch": "llama"}, "train": TRAIN,
    "train_problems": [{"world": "seating", "n": 5, "spec": {"scenes": ["booth"]}}], "curve": {"items": [8, 16]},
    "test_problems": [{"corpus": "space2025", "path": "$TOYS/spr_en_train.jsonl", "where": {"scene": "booth"}}],
}  # fmt: skip
NAMES = ("Ann", "Bob", "Cal", "Dee")


def booth(
    name: str, clues: Sequence[str], question: str, *, names: Sequence[str] = NAMES, scene: str = "booth", right: str
) -> Problem:
    """A booth; its options are ``names`` in the order of the alphabet, and ``right`` the letters of the answer."""
    opening = "Booth" + (", benches on the north and south sides" if scene == "booth-NS" else "")
    numbered = [f"({number}) {clue};" for number, clue in enumerate(clues, 1)]
    return Problem(
        id=name,
        source="space2025",
        split="train",
        lang="en",
        question="\n".join([f"{opening}: {', '.join(names)}.", *numbered, f"{question}."]),
        choices=dict(zip("ABCD", sorted(names), strict=True)),
        answer=Answer(kind="choice_set", value=list(right)),
        meta={"scene": "booth"},
    )


BENCHES = ("Ann is left of Bob", "Cal is left of Dee")
FRIENDS = ("Eve", "Fay", "Gus", "Hal")
APART, FACING = "() does not share a bench with Ann", "() faces Ann"
LABELLED = [
    booth("spr-en-train-1", BENCHES, APART, right="CD"),
    booth("spr-en-train-2", BENCHES, FACING, right="D"),
    booth("spr-en-train-3", [*BENCHES, "Ann looks south"], APART, scene="booth-NS", right="CD"),
    booth("spr-en-train-4", BENCHES, "() faces Bob", right="C"),
]
DEV = [
    booth("spr-en-dev-1", BENCHES, "() is right of Ann", right="B"),
    booth("spr-en-dev-3", BENCHES[::-1], "() does not share a bench with Dee", right="AB"),
    booth("spr-en-dev-4", BENCHES, "() does not share a bench with Cal", right="AB"),
]
TRAINING = [
    LABELLED[0].model_copy(update={"id": "text"}),
    booth("claims", BENCHES[::-1], FACING, right="D"),
    booth("meaning", ["Bob is right of Ann", "Cal is left of Dee"], "() faces Bob", right="C"),
    booth("puzzle", ["Eve is left of Fay", "Gus is left of Hal"], "() is right of Eve", names=FRIENDS, right="B"),
    booth("new", ["Eve is left of Fay", "Gus is right of Hal"], "() is left of Fay", names=FRIENDS, right="A"),
]


def _weights(root: Path, name: str) -> None:
    folder = root / "curve" / "weights" / name / "16"
    folder.mkdir(parents=True)
    (folder / "model.safetensors").touch()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an experiment whose model is asked nothing: its answers are there."""
    root = tmp_path / "run"
    for name in ("curve", "data"):
        (root / name).mkdir(parents=True)
    (root / "experiment.json").write_bytes(orjson.dumps(RECIPE))
    write_records(root / "data" / "test.jsonl", LABELLED)
    write_records(root / "data" / "train.jsonl", TRAINING)
    sizes = {"puzzles": [0, 1, 2, 3], "training_problems": 9, "trained_puzzles": 3, "puzzles_at_least": 3}
    (root / "curve" / "test.json").write_bytes(orjson.dumps(sizes))
    numbers: dict[str, Any] = {"tokens": 0, "labelled_tokens": 0, "output_tokens": 1, "proved": 0, "first_wrong": {}}
    write_records(
        root / "curve" / "points.jsonl",
        [
            CurvePoint(test="test", arm="srt", seed=3, items=items, right=right, **numbers)
            for items, right in ((16, "0111"), (8, "0001"))
        ],
    )

    _weights(root, "srt-3")

    def imported(corpus: str, path: Path, out: Path) -> None:
        assert (corpus, path) == ("space2025", tmp_path / "spr_en_dev.jsonl")
        shelf = Problem(
            id="spr-en-dev-2", source="space2025", split="dev", lang="en", question="?", meta={"scene": "shelf"}
        )
        write_records(out, [item.model_copy(update={"answer": None}) for item in (DEV[0], shelf, *DEV[1:])])

    def answered(folder: Path, problems: Path, vote: str | None = None) -> OfficialAnswers:
        letters = {"spr-en-dev-3": ["A", "B"], "spr-en-dev-4": ["D"]}
        if vote:
            letters = {"spr-en-dev-3": ["C"], "spr-en-dev-4": ["B"]}
        answers = {name: Answer(kind="choice_set", value=value) for name, value in letters.items()}
        return OfficialAnswers({}, answers, by_proof=frozenset({"spr-en-dev-4"}) if vote else None)

    monkeypatch.setenv("TOYS", str(tmp_path))
    monkeypatch.setattr(figures_command, "import_file", imported)
    monkeypatch.setattr(predict_dev, "official_answers", answered)
    return root


def test_a_line_for_every_item(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Evaluation] = []
    monkeypatch.setattr(predict_dev.TrainAndEval, "evaluate", lambda _, evaluation: asked.append(evaluation))
    figures = predict_dev.predict_dev(run, run.parent / "results")["figures"]["srt-3"]
    (evaluation,) = asked
    assert evaluation.trained.model == run / "curve" / "weights" / "srt-3" / "16"
    assert [row["id"] for _, row in read_rows(evaluation.problems)] == [item.id for item in DEV]
    written = [row for _, row in read_rows(run.parent / "results" / "toys" / "dev" / "srt-3.jsonl")]
    assert [row["answer"] for row in written] == [[], [], ["A", "B"], ["D"]]
    assert all(row.keys() == {"id", "answer"} for row in written)
    assert figures["right of them"][0] == 0.75
    assert (figures["dev items"], figures["asked"], figures["answered"]) == (4, 3, 2)
    (run / "experiment.json").write_bytes(orjson.dumps(RECIPE | {"test_problems": RECIPE["train_problems"]}))
    with pytest.raises(UserError, match="run: test_problems"):
        predict_dev.predict_dev(run)
    with pytest.raises(UserError, match=r"nothing: curve/points.jsonl"):
        predict_dev.predict_dev(run.parent / "nothing")


def test_proved_samples_answer_for_a_trace_and_the_greedy_one_elsewhere(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Evaluation] = []
    monkeypatch.setattr(predict_dev.TrainAndEval, "evaluate", lambda _, evaluation: asked.append(evaluation))
    held = predict_dev.predict_dev(run, run.parent / "results", samples=5)
    assert [one.settings.get("repeats") for one in asked] == [None, 5]
    assert asked[0].out != asked[1].out
    written = [row for _, row in read_rows(run.parent / "results" / "toys" / "dev" / "srt-checked-3.jsonl")]
    assert [row["answer"] for row in written] == [[], [], ["A", "B"], ["B"]]
    assert (held["figures"]["srt-checked-3"]["samples"], held["figures"]["srt-checked-3"]["proved"]) == (5, 1)
    assert held["differences"].keys() == {"srt-checked − srt"}


def test_figures_of_a_run_by_question_and_by_what_was_trained_on(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predict_dev.TrainAndEval, "evaluate", lambda *_: None)
    held = predict_dev.predict_dev(run, run.parent / "results")
    assert held == orjson.loads((run.parent / "results" / "toys" / "dev" / "figures.json").read_bytes())
    figures = held["figures"]["srt-3"]
    assert figures["labelled items right by question"] == {"across": 2, "not beside": 0, "not beside, compass": 1}
    assert figures["dev items as the exact solver by question"] == {"not beside": 1, "right": 0}
    assert figures["labelled items right by scene"] == {"booth": [2, 3], "booth-NS": [1, 1]}
    assert figures["dev items as the exact solver"] == 1
    assert figures["dev items as the exact solver by scene"] == {"booth": [1, 3]}
    assert figures['dev items with "not" overlooked by question'] == {"not beside": 1}
    assert held["items in training"] == {
        "labelled": {"items": 4, "puzzles": 4, "same text": 1, "same claims": 2, "same meaning": 3, "same puzzle": 2},
        "dev": {"items": 3, "puzzles": 3, "same text": 0, "same claims": 0, "same meaning": 0, "same puzzle": 2},
    }
    assert figures["right of labelled items with a new meaning"] == [1, 1]
    assert held["most frequent answer"] == {"letters": "CD", "labelled": 2}
    assert held["questions"]["not beside"] == {"labelled": 1, "dev": 2, "training": 1}
    printed = figures_command.report(held)
    assert "| not beside, compass | 1 | 0 | 0 | 1 |  |  |" in printed
    assert "srt-3: dev items as the exact solver: 1\n" in printed


@pytest.mark.parametrize(("seeds", "compared"), [([3], True), ([4], False), ([3, 4], False)])
def test_arms_with_the_same_seeds_are_compared(
    seeds: list[int], compared: bool, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three dev items, ``srt`` answers one as the solver does and ``cot`` another two."""
    points = run / "curve" / "points.jsonl"
    (first, *_) = read_records(points, CurvePoint)
    others = [first.model_copy(update={"arm": "cot", "seed": seed}) for seed in seeds]
    write_records(points, [first, *others])
    for seed in seeds:
        _weights(run, f"cot-{seed}")
    right: dict[str, dict[str, list[str]]] = {
        "srt": {"spr-en-dev-3": ["A", "B"], "spr-en-dev-4": ["D"]},
        "cot": {"spr-en-dev-4": ["A", "B"], "spr-en-dev-1": ["B"]},
    }

    def answered(folder: Path, problems: Path) -> OfficialAnswers:
        letters = right[folder.name.partition("-")[0]]
        return OfficialAnswers({}, {name: Answer(kind="choice_set", value=value) for name, value in letters.items()})

    monkeypatch.setattr(predict_dev.TrainAndEval, "evaluate", lambda *_: None)
    monkeypatch.setattr(predict_dev, "official_answers", answered)
    held = predict_dev.predict_dev(run, run.parent / "results")
    if not compared:
        assert held["differences"] == {}
        return
    ((name, found),) = held["differences"].items()
    assert name == "srt − cot"
    assert found["only one of them"] == [1, 2]
    value, low, high = found["dev items as the exact solver"]
    assert value == round(-1 / 3, 4)
    assert low < value < 0 < high
    assert found["p"] == 1.0


def test_a_model_whose_weights_were_not_kept_is_left_out(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    points = run / "curve" / "points.jsonl"
    (first, *_) = read_records(points, CurvePoint)
    write_records(points, [first, first.model_copy(update={"arm": "cot"})])
    asked: list[Evaluation] = []
    monkeypatch.setattr(predict_dev.TrainAndEval, "evaluate", lambda _, evaluation: asked.append(evaluation))
    held = predict_dev.predict_dev(run, run.parent / "results")
    assert held["figures"].keys() == {"srt-3"}
    assert [evaluation.arm for evaluation in asked] == ["srt"]
    assert "cot-3 is left out" in capsys.readouterr().err
    (run / "curve" / "weights" / "srt-3" / "16" / "model.safetensors").unlink()
    with pytest.raises(UserError, match="no model has its weights"):
        predict_dev.predict_dev(run, run.parent / "results")


def test_figures_without_a_run_sample_the_training_problems(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures that need a run stay as they are."""
    monkeypatch.setattr(predict_dev.TrainAndEval, "evaluate", lambda *_: None)
    results = run.parent / "results"
    before = predict_dev.predict_dev(run, results)["figures"]
    recipe = run.parent / "toys.yaml"
    recipe.write_text(yaml.safe_dump(RECIPE | {"model": "not/here"}))
    monkeypatch.setattr(figures_command, "RESULTS", results)
    monkeypatch.setattr(
        figures_command.TrainAndEval,
        "import_problems",
        lambda _, corpus, path, out, lang: write_records(out, LABELLED),
    )
    figures_command.main(recipe)
    held = orjson.loads((results / "toys" / "dev" / "figures.json").read_bytes())
    assert held["figures"] == before
    assert held["training problems"]["problems"] == 5
    recipe.write_text(yaml.safe_dump(RECIPE | {"train_problems": [{"world": "seating", "n": 6}]}))
    with pytest.raises(UserError, match="train_problems"):
        figures_command.main(recipe)
    recipe.write_text(yaml.safe_dump(RECIPE | {"name": "others"}))
    with pytest.raises(UserError, match="others/dev: no predictions there"):
        figures_command.main(recipe)
