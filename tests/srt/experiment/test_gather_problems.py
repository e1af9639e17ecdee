"""Where the problems of an experiment come from, and that none of a test is trained on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from srt.experiment.model_stages import Evaluation
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Lang, Problem
from srt.pipeline.generate import generate_file, split_key
from tests.srt.experiment.fake_stages import BOOTHS, FakeStages, make, run


def test_a_source_that_needs_what_is_not_set_is_left_out_aloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SRT_TEST_CORPUS", raising=False)
    sources = [BOOTHS, {"corpus": "space2025", "path": "$SRT_TEST_CORPUS/booths.jsonl", "needs": "SRT_TEST_CORPUS"}]
    _, _, said = run(make(tmp_path, train_problems=sources))
    assert "train: source 2 is left out: SRT_TEST_CORPUS is not set" in said
    assert len(list(read_records(tmp_path / "out" / "data" / "train.jsonl", Problem))) == 6


def test_items_of_a_corpus_are_filtered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRT_TEST_CORPUS", str(tmp_path))
    (tmp_path / "items.jsonl").touch()
    made = {"booth": 2, "shelf": 1}

    def imported(_: FakeStages, name: str, path: Path, out: Path, lang: Lang | None) -> None:
        assert (name, path) == ("space2025", tmp_path / "items.jsonl")
        problems = []
        for scene, n in made.items():
            generate_file("seating", n, "train", out, {"scenes": [scene]})
            problems += [p.model_copy(update={"meta": {"scene": scene}}) for p in read_records(out, Problem)]
        write_records(out, problems)

    monkeypatch.setattr(FakeStages, "import_problems", imported)
    source = {"corpus": "space2025", "path": "$SRT_TEST_CORPUS/items.jsonl", "where": {"scene": "shelf"}}
    run(make(tmp_path, train_problems=[source]))
    held = list(read_records(tmp_path / "out" / "data" / "train.jsonl", Problem))
    assert [problem.meta["scene"] for problem in held] == ["shelf"]


def items_of(monkeypatch: pytest.MonkeyPatch, split: str, n: int) -> dict[str, Any]:
    """A source: a corpus of ``n`` sampled booths of ``split``, under ids and groups of its own, as a published one."""

    def imported(_: FakeStages, name: str, path: Path, out: Path, lang: Lang | None) -> None:
        generate_file("seating", n, split, out, BOOTHS["spec"])
        items = list(read_records(out, Problem))
        write_records(out, [p.model_copy(update={"id": f"i{i}", "group_id": None}) for i, p in enumerate(items)])

    monkeypatch.setattr(FakeStages, "import_problems", imported)
    return {"corpus": "space2025", "path": "."}


def keys_of(path: Path) -> set[str | None]:
    return {split_key(problem) for problem in read_records(path, Problem)}


@pytest.mark.parametrize("exclude", [True, False])
def test_sampled_problems_are_kept_apart_from_a_test_that_was_not(
    exclude: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = items_of(monkeypatch, "train", 40)
    source = {**BOOTHS, "n": 60, "exclude_test": exclude}
    _, _, said = run(make(tmp_path, train_problems=[source], test_problems=[corpus]))
    data = tmp_path / "out" / "data"
    counts = orjson.loads((data / "train.counts.json").read_bytes())
    assert counts["problems"] == 60
    assert counts["keys"] == len(keys_of(data / "train.jsonl"))
    assert (counts["dropped"] > 0) == exclude
    assert bool(keys_of(data / "train.jsonl") & keys_of(data / "test.jsonl")) != exclude
    assert (f"train: source 1: {counts['dropped']} problems are in the test and were dropped" in said) == exclude


@pytest.mark.parametrize("exclude", [True, False])
def test_items_of_a_corpus_are_kept_apart_from_the_test(
    exclude: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = items_of(monkeypatch, "test", 60)
    sources = [{**corpus, "exclude_test": exclude}, BOOTHS]
    run(make(tmp_path, train_problems=sources, test_problems=[{**BOOTHS, "n": 5}]))
    data = tmp_path / "out" / "data"
    counts = orjson.loads((data / "train.counts.json").read_bytes())
    assert (counts["dropped"] >= 5) == exclude
    assert counts["problems"] == 60 + 6 - counts["dropped"]
    assert counts["keys"] == len(keys_of(data / "train.jsonl"))
    assert bool(keys_of(data / "train.jsonl") & keys_of(data / "test.jsonl")) != exclude


def test_a_test_without_gold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def imported(_: FakeStages, name: str, path: Path, out: Path, lang: Lang | None) -> None:
        generate_file("seating", 2, "test", out, BOOTHS["spec"])
        write_records(out, [p.model_copy(update={"answer": None}) for p in list(read_records(out, Problem))])

    monkeypatch.setattr(FakeStages, "import_problems", imported)
    with pytest.raises(UserError, match="test_problems: "):
        run(make(tmp_path, test_problems=[{"corpus": "space2025", "path": "."}]))
    assert not (tmp_path / "out").exists()


def test_benchmarks_are_tests_with_reports_of_their_own(tmp_path: Path) -> None:
    """Beside ``test_problems``, and instead of them; their problems are not trained on either."""
    generate_file("seating", 5, "test", tmp_path / "copy.jsonl", BOOTHS["spec"])
    asked: list[tuple[str, str | None, dict[str, str]]] = []

    class Importing(FakeStages):
        def import_problems(self, corpus: str, path: Path, out: Path, lang: Lang | None) -> None:
            assert (corpus, lang) == ("solidgeo", "en")
            write_records(out, read_records(path, Problem))

        def evaluate(self, evaluation: Evaluation) -> None:
            name = evaluation.benchmark and evaluation.benchmark.benchmark
            options = evaluation.benchmark.options if evaluation.benchmark else {}
            asked.append(("/".join(evaluation.out.parts[-3:]), name, options))

    bench = {"benchmark": "solidgeo", "data": str(tmp_path / "copy.jsonl"), "lang": "en", "options": {"steps": "on"}}
    away = {"benchmark": "hst", "data": "$SRT_NEVER_SET/hst", "needs": "SRT_NEVER_SET"}
    changes: dict[str, Any] = {"arms": ["srt"], "benchmarks": [bench, {**bench, "name": "again"}, away]}
    source = {**BOOTHS, "n": 60}
    done, _, said = run(make(tmp_path, train_problems=[source], **changes), Importing())
    assert asked == [
        ("tested/test/srt-0", None, {}),
        ("tested/solidgeo/srt-0", "solidgeo", {"steps": "on"}),
        ("tested/again/srt-0", "solidgeo", {"steps": "on"}),
    ]
    pages = [page.relative_to(tmp_path / "out" / "report").parts[0] for page in done.files]
    assert pages == ["test", "solidgeo", "again"]
    assert "hst: is left out: SRT_NEVER_SET is not set" in said
    data = tmp_path / "out" / "data"
    assert not keys_of(data / "train.jsonl") & keys_of(data / "solidgeo.jsonl")
    only = make(tmp_path, output=str(tmp_path / "two"), test_problems=[], arms=["srt"], benchmarks=[bench])
    done, _, _ = run(only, Importing())
    assert done.files == [tmp_path / "two" / "report" / "report.html"]


def test_a_filter_that_leaves_nothing_says_which(tmp_path: Path) -> None:
    made = tmp_path / "p.jsonl"
    generate_file("seating", 6, "test", made, BOOTHS["spec"])
    problems = [
        p.model_copy(update={"meta": {"level": n % 2}, "category": "order"})
        for n, p in enumerate(read_records(made, Problem))
    ]
    write_records(made, problems)
    for where, message in (
        ({"categori": "order"}, r"where: categori: no problem has this field, in itself or in meta"),
        ({"category": "size"}, r"where: category: no problem has 'size', the values are order"),
    ):
        with pytest.raises(UserError, match=r"^test: .*p\.jsonl: " + message):
            run(make(tmp_path, test_problems=[{"problems": str(made), "where": where}]))
    # A number is found by its digits; and fewer problems than asked for are not passed over.
    _, _, said = run(make(tmp_path, test_problems=[{"problems": str(made), "where": {"level": "1"}, "n": 5}]))
    assert "test: source 1: 3 problems, fewer than n: 5" in said


@pytest.mark.parametrize("key", ["train_problems", "test_problems", "stages"])
@pytest.mark.parametrize(
    ("source", "named"),
    [
        ({"spec": {"sceens": ["booth"]}}, "seating: sceens"),
        ({"spec": {"scenes": ["boooth"]}}, "'boooth'"),
        ({"spec": {"split": "dev"}}, "spec: split: 'dev'"),
        ({"world": "seeting"}, "unknown world 'seeting'"),
        ({"problems": "."}, "a file of problems was expected"),
    ],
)
def test_a_fault_of_a_source_is_found_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, source: dict[str, Any], named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    given = source if "problems" in source else {"world": "seating", "n": 4, **source}
    changes: dict[str, Any] = {key: [BOOTHS, given]}
    if key == "stages":
        changes = {
            key: [{"name": "one", "train_problems": [BOOTHS, given], "items": 8}],
            "train_problems": None,
            "train": {},
        }
    # Traces of the user's own: then no world has to solve the problems.
    for traces in ({}, {"traces": {"srt": ["solved"]}}):
        with pytest.raises(UserError) as caught:
            run(make(tmp_path, **changes, **traces))
        assert named in str(caught.value)
        assert str(caught.value).startswith(f"{key}.0.train_problems.1" if key == "stages" else f"{key}.1")
        assert not (tmp_path / "out").exists()
