"""SpaCE2025: our totals are the official scorer's, to the last digit; where its fault shows, they are not."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.benchmarks.run_tables import run_tables
from eval.benchmarks.space2025 import LANGUAGE, REASONING, score_file, spearman
from eval.benchmarks.tables.breakdown import markdown_table
from eval.records.run_records import Run
from eval.run.scored_run import read_run
from eval.scoring.score import score
from srt.cli import main
from srt.cli.official_predictions import _merged
from srt.corpora.space2025 import read, write_predictions
from srt.io.errors import RecordError, UserError
from srt.io.records import Answer, Problem

Row = dict[str, Any]
RunOf = Callable[..., Run]


def write_jsonl(path: Path, rows: Sequence[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    return path


def item(task: str, number: int, answer: Any) -> Row:
    """An item as published, of our own words; ``item jsi3`` tells which it is."""
    name = f"item {task.replace('-', '')}{number}"
    row: Row = {"id": f"{task}-test-{number}", "instruction": "判断。", "answer": answer}
    match task:
        case "jsi":
            return {**row, "text": f"{name} 杯子在桌子上面。"}
        case "rse":
            return {**row, "text1": f"{name} 甲在前。", "text2": "乙在后。"}
        case "rsr":
            return {**row, "text": f"{name} 甲在前。", "interpretation": "乙在后。"}
    options = {"A": "Ann", "B": "Bob", "C": "Cal", "D": "None of the above"}
    return {**row, "text": f"{name} Ann, Bob, Cal.", "question": "() sits first.", "options": options}


LABELS = {"jsi": ("正确", "错误"), "rsr": ("正确", "错误"), "rse": ("相同", "不同")}
TASKS = ("jsi", "rse", "rsr", "spr-zh", "spr-en")


def official_scores(gold: Sequence[Row], predictions: Sequence[Row]) -> dict[str, float]:
    """The official arithmetic, written down again from its published formula and from what its program does.

    Acc_i = #correct / #total; S1 = mean of the three language subtasks; S2 = mean of the two SPR; S = (S1 + S2) / 2, as
    numpy's means of unrounded floats. Labels are compared as stripped strings, SPR as sets of stripped letters. The
    fault: ``predicted`` is only set where an item has a prediction, so that a missing one meets its predecessor's.
    """
    by_id = {row["id"]: row["answer"] for row in predictions}
    right, total = dict.fromkeys(TASKS, 0), dict.fromkeys(TASKS, 0)
    predicted: Any = None
    for row in gold:
        task = row["id"].rpartition("-")[0].rpartition("-")[0]
        total[task] += 1
        wanted: Any = row["answer"].strip() if task in LABELS else {letter.strip() for letter in row["answer"]}
        if row["id"] in by_id:
            answer = by_id[row["id"]]
            if task not in LABELS and not isinstance(answer, list):
                continue
            predicted = answer.strip() if task in LABELS else {letter.strip() for letter in answer}
        right[task] += predicted == wanted
    accuracy = {task: right[task] / total[task] if total[task] else 0 for task in TASKS}
    language = np.mean([accuracy["jsi"], accuracy["rse"], accuracy["rsr"]])
    reasoning = np.mean([accuracy["spr-zh"], accuracy["spr-en"]])
    return {
        **accuracy,
        "language": float(language),
        "reasoning": float(reasoning),
        "total": float(np.mean([language, reasoning])),
    }


OURS = dict(zip(TASKS, (*LANGUAGE, *REASONING), strict=True))


def our_scores(folder: Path, gold: Sequence[Row], predictions: Sequence[Row]) -> tuple[dict[str, Any], int, int]:
    problems = {problem.id: problem for problem in read(write_jsonl(folder / "gold.jsonl", gold))}
    found = score_file(write_jsonl(folder / "predictions.jsonl", predictions), problems)
    accuracy = {task: found.subtasks[name].accuracy for task, name in OURS.items()}
    scores = {"language": found.language, "reasoning": found.reasoning, "total": found.total}
    return {**accuracy, **scores}, found.missing, found.malformed


letters = st.lists(st.sampled_from("ABCD"), min_size=1, max_size=4, unique=True)


@st.composite
def answered(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """Items of all subtasks, and a file with a prediction for each, in another order and not always well shaped."""
    gold, predictions = [], []
    for task in TASKS:
        labels = st.sampled_from(LABELS.get(task, ("",)))
        for number in range(draw(st.integers(1, 7))):
            wanted = draw(labels if task in LABELS else letters)
            said: Any = draw(labels if task in LABELS else letters)
            if task in LABELS:
                said = draw(st.sampled_from([said, said, f" {said} ", "", "也许"]))
            else:
                odd = [said, said, list(reversed(said)), said + said, [f" {one}" for one in said], [], ["E"], "A"]
                said = draw(st.sampled_from(odd))
            gold.append(item(task, number, wanted))
            predictions.append({"id": gold[-1]["id"], "answer": said})
    return draw(st.permutations(gold)), draw(st.permutations(predictions))


@settings(max_examples=100)
@given(answered())
def test_without_gaps_the_totals_are_the_official_ones_to_the_last_digit(
    tmp_path_factory: pytest.TempPathFactory, file: tuple[list[Row], list[Row]]
) -> None:
    folder = tmp_path_factory.mktemp("file")
    try:
        scores, missing, _ = our_scores(folder, *file)
    finally:
        shutil.rmtree(folder)
    assert missing == 0
    assert scores == official_scores(*file)


def test_a_gap_is_wrong_here_and_the_previous_prediction_there(tmp_path: Path) -> None:
    gold = [
        item(task, number, ["A"] if task.startswith("spr") else LABELS[task][0])
        for task in TASKS
        for number in range(4)
    ]
    whole = [{"id": row["id"], "answer": row["answer"]} for row in gold]
    assert our_scores(tmp_path, gold, whole)[0] == official_scores(gold, whole)
    gaps = [row for row in whole if not row["id"].endswith("-3")]  # the last item of each subtask is not predicted
    scores, missing, _ = our_scores(tmp_path, gold, gaps)
    assert missing == 5
    assert scores["total"] == 0.75
    assert official_scores(gold, gaps)["total"] == 1.0  # each of the five got its neighbour's right answer


def test_an_answer_of_another_shape_is_wrong_and_counted(tmp_path: Path) -> None:
    gold = [item(task, 1, ["A"] if task.startswith("spr") else LABELS[task][0]) for task in TASKS]
    predictions = [{"id": row["id"], "answer": "A" if isinstance(row["answer"], list) else 3} for row in gold]
    scores, missing, malformed = our_scores(tmp_path, gold, predictions)
    assert (scores["total"], missing, malformed) == (0.0, 0, 5)


def test_a_file_that_says_two_things_or_of_other_items_is_refused(tmp_path: Path) -> None:
    gold = [item("jsi", 1, "正确")]
    line = {"id": "jsi-test-1", "answer": "正确"}
    with pytest.raises(UserError, match=r"predictions\.jsonl:2: id: .*'jsi-test-1'"):
        our_scores(tmp_path, gold, [line, line])
    with pytest.raises(UserError, match="id: 'jsi-test-2'"):
        our_scores(tmp_path, gold, [{**line, "id": "jsi-test-2"}])
    with pytest.raises(RecordError, match=r"predictions\.jsonl:1: id, answer: "):
        our_scores(tmp_path, gold, [{"id": "jsi-test-1"}])
    with pytest.raises(UserError, match="gold answer"):
        our_scores(tmp_path, [{key: value for key, value in gold[0].items() if key != "answer"}], [line])


def test_a_score_without_an_item_of_each_subtask_is_none(tmp_path: Path) -> None:
    problems = {problem.id: problem for problem in read(write_jsonl(tmp_path / "g.jsonl", [item("jsi", 1, "正确")]))}
    found = score_file(write_jsonl(tmp_path / "p.jsonl", [{"id": "jsi-test-1", "answer": "正确"}]), problems)
    assert (found.subtasks["DSA"].accuracy, found.language, found.total) == (1.0, None, None)


@pytest.fixture
def problems(tmp_path: Path, imported: Callable[..., Any]) -> Path:
    """Four items of each subtask; SPR's two languages are paired by number."""
    for task in TASKS:
        rows = [
            item(task, number, ["A", "C"][: 1 + number % 2] if task.startswith("spr") else LABELS[task][number % 2])
            for number in range(4)
        ]
        write_jsonl(tmp_path / "data" / task / f"{task}_test.jsonl", rows)
    imported("space2025", tmp_path / "data")
    return tmp_path / "problems.jsonl"


def reply(name: str) -> str:
    """Right on even items of the language subtasks, on SPR zh 0, 1 and on SPR en 0, 2."""
    task, number = name[:-1], int(name[-1])
    right = {"sprzh": number in (0, 1), "spren": number in (0, 2)}.get(task, number % 2 == 0)
    if task.startswith("spr"):
        return ["A", "A, C"][number % 2] if right else "B"
    label = LABELS[task][number % 2 if right else 1 - number % 2]
    # Other words for a label: right in a run, and so in the official file, whose scorer knows the labels alone.
    return {"正确": "对。", "错误": "错误的"}.get(label, label)


def test_from_a_run_to_the_official_file_and_back(
    tmp_path: Path,
    problems: Path,
    run_of: RunOf,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    figures: Any,
) -> None:
    run = run_of("space2025", problems, reply)
    official = tmp_path / "official.jsonl"

    def srt(*arguments: object) -> Any:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["srt", *map(str, arguments), "--json"])
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code
        return orjson.loads(capsys.readouterr().out)

    assert srt("predictions", run.folder, "-o", official)["answered"] == 20
    gold = [row for path in sorted((tmp_path / "data").rglob("*.jsonl")) for row in map(orjson.loads, path.open("rb"))]
    theirs = official_scores(gold, list(map(orjson.loads, official.open("rb"))))
    table = figures({"model": run}, "SpaCE2025: official scores")["model"]
    assert table == {OURS.get(name, name): value for name, value in theirs.items()}
    found = srt("totals", official, "--problems", problems)
    assert (found["language"], found["reasoning"], found["total"]) == (0.5, 0.5, theirs["total"])


def test_two_runs_make_one_file(
    tmp_path: Path, run_of: RunOf, imported: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = []
    for task in ("jsi", "spr-en"):
        path = write_jsonl(tmp_path / f"{task}.jsonl", [item(task, 0, ["A"] if task == "spr-en" else "正确")])
        imported("space2025", path)
        own = shutil.copy(tmp_path / "problems.jsonl", tmp_path / f"{task}-problems.jsonl")
        folders.append(run_of("space2025", own, reply, arm=task).folder)
    merged = _merged(folders, None)
    assert sorted(merged.answers) == ["jsi-test-0", "spr-en-test-0"]
    with pytest.raises(UserError, match="jsi-test-0"):
        _merged([folders[0], folders[0]], None)


def test_the_tables(problems: Path, run_of: RunOf, figures: Any) -> None:
    runs = {
        "a": run_of("space2025", problems, reply, arm="a"),
        "b": run_of("space2025", problems, lambda name: "A", arm="b"),
    }
    by_options = figures(runs, "SpaCE2025: SPR by number of right options")
    assert by_options["a"] == {
        "zh 1": 0.5, "zh 2": 0.5, "zh 3": None, "zh 4": None, "en 1": 1.0, "en 2": 0.0, "en 3": None, "en 4": None,
    }  # fmt: skip
    pairs = figures(runs, "SpaCE2025: items that belong together")
    assert pairs["a"] == {"SPR zh-en": 0.0, "pairs SPR zh-en": 4, "zh": 0.5, "en": 0.5, "both": 0.25}
    assert pairs["b"]["SPR zh-en"] == pytest.approx(1.0)
    text = "\n\n".join(map(markdown_table, run_tables(runs)))
    assert (
        "| UPC (outofmemory) (published) | 0.7089 | 0.6600 | 0.8491 | 0.8686 | 0.8251 | 0.7393 | 0.8469 | 0.7931 |"
        in text
    )
    assert "asked (human, published) | 0.8200 | 0.8900 | 0.8500 | 0.9700 | 0.9300 | - | - | - |" in text


def test_language_subtasks_by_label_and_by_shared_text(tmp_path: Path, run_of: RunOf, figures: Any) -> None:
    texts = ["item 1 左边有树", "item 2 上边有灯"]
    rows = [
        {"id": f"jsi-test-{n}", "instruction": "?", "text": texts[n], "answer": ("正确", "错误")[n]} for n in (0, 1)
    ]
    rows += [
        {
            "id": f"rse-test-{n}",
            "instruction": "?",
            "text1": f"{texts[n]} ",
            "text2": "x",
            "answer": ("相同", "不同")[n],
        }
        for n in (0, 1)
    ]
    problems = tmp_path / "language.jsonl"
    write_jsonl(problems, [one.model_dump(mode="json") for one in read(write_jsonl(tmp_path / "raw.jsonl", rows))])
    runs = {"model": run_of("space2025", problems, lambda name: {"1": "正确"}.get(name, "错误"))}
    labels = figures(runs, "SpaCE2025: language subtasks by gold label")["model"]
    assert {name: value for name, value in labels.items() if value is not None} == {
        "DSA 正确": 1.0, "DSA 错误": 1.0, "RSE 相同": 0.0, "RSE 不同": 0.0,
    }  # fmt: skip
    pairs = figures(runs, "SpaCE2025: items that belong together")["model"]
    assert pairs["pairs DSA-RSE"] == 2


def test_items_that_are_labelled_by_kind(tmp_path: Path, run_of: RunOf, figures: Any) -> None:
    kinds = {"jsi": ("wrong_word", "contradiction"), "rse": ("localizer", "verb", "reference", "projection")}
    rows = [
        {**item(task, 10 * place + number, LABELS[task][task == "jsi"]), "kind": kind}
        for task, names in kinds.items()
        for place, kind in enumerate(names)
        for number in (0, 1)
    ]
    rows.append(item("jsi", 99, "正确"))
    raw = write_jsonl(tmp_path / "raw.jsonl", rows)
    problems = tmp_path / "kinds.jsonl"
    write_jsonl(problems, [one.model_dump(mode="json") for one in read(raw)])
    right = {"jsi0": "错误", "jsi1": "错误", "jsi10": "错误", "rse0": "相同", "rse30": "相同", "rse31": "相同"}
    runs = {"model": run_of("space2025", problems, lambda name: right.get(name, "不同" if "rse" in name else "正确"))}
    assert figures(runs, "SpaCE2025: DSA by kind of error, RSE by reason")["model"] == {
        "DSA wrong_word": 1.0, "DSA contradiction": 0.5,
        "RSE localizer": 0.5, "RSE verb": 0.0, "RSE reference": 0.0, "RSE projection": 1.0,
    }  # fmt: skip


def test_without_labels_there_is_no_table_of_kinds(problems: Path, run_of: RunOf) -> None:
    titles = [table.title for table in run_tables({"model": run_of("space2025", problems, reply)})]
    assert "SpaCE2025: language subtasks by gold label" in titles
    assert not any("kind" in title for title in titles)


@pytest.mark.parametrize(
    ("task", "answer", "kind", "said"),
    [
        ("jsi", "错误", "verb", "kind: wrong_word or contradiction was expected, not 'verb'"),
        ("rsr", "错误", "verb", "kind: nothing: only items of DSA and RSE have one"),
        ("jsi", "正确", "wrong_word", "kind: only an item whose answer is 错误 has one"),
        ("rse", "不同", "verb", "kind: only an item whose answer is 相同 has one"),
    ],
)
def test_a_kind_that_cannot_be_is_named(tmp_path: Path, task: str, answer: str, kind: str, said: str) -> None:
    with pytest.raises(RecordError, match=rf"raw\.jsonl:1: {said}"):
        list(read(write_jsonl(tmp_path / "raw.jsonl", [{**item(task, 1, answer), "kind": kind}])))


def test_scene_and_compass(tmp_path: Path, run_of: RunOf, imported: Callable[..., Any], figures: Any) -> None:
    """The columns are those of the published table; the scene and the compass are the world's own reading."""
    text = "item 1b Booth: Ann, Bob, Cal, Dee.\n(1) Bob is right of Ann;\n(2) Dee is right of Cal."
    row = {
        **item("spr-en", 1, ["C"]),
        "text": text,
        "question": "() faces Ann.",
        "options": {"A": "Bob", "B": "Cal", "C": "Dee"},
    }
    [problem], _, _ = imported("space2025", write_jsonl(tmp_path / "one.jsonl", [row]))
    marked = problem.model_copy(update={"meta": {"scene": "hexagon-in", "compass": "NS"}})
    shelf = problem.model_copy(
        update={"id": "spr-en-test-2", "question": "item 2b", "meta": {"scene": "shelf", "compass": "none"}}
    )
    file = write_jsonl(tmp_path / "p.jsonl", [one.model_dump(mode="json") for one in (marked, shelf)])
    shown = figures(
        {"model": run_of("space2025", file, lambda name: "C" if name == "1b" else "A")},
        "SpaCE2025: SPR en by scene and compass",
    )["model"]
    assert {place: value for place, value in shown.items() if value is not None} == {"hexagon-in NS": 1.0, "shelf": 0.0}


def test_a_run_with_gaps_says_so(problems: Path, run_of: RunOf) -> None:
    run = run_of("space2025", problems, reply)
    log = run.folder / "predictions.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-3]))
    score(run.folder)
    table = run_tables({"model": read_run(run.folder)})[0]
    assert table.note is not None
    assert "Items without a prediction are wrong (model 3)" in table.note


def test_development_items_with_and_without_answers(tmp_path: Path) -> None:
    whole = item("spr-en", 1, ["A"])
    bare = {key: value for key, value in whole.items() if key != "answer"}
    write_jsonl(tmp_path / "data" / "dev.jsonl", [bare, item("spr-en", 2, ["B"])])
    write_jsonl(tmp_path / "data" / "dev_answer.jsonl", [whole])
    found = {problem.id: problem.answer for problem in read(tmp_path / "data")}
    assert found["spr-en-test-1"] == Answer(kind="choice_set", value=["A"])
    assert len(found) == 2
    write_jsonl(tmp_path / "data" / "other.jsonl", [{**whole, "question": "() sits last."}])
    with pytest.raises(RecordError, match=r"other\.jsonl:1: id: .*'spr-en-test-1'"):
        list(read(tmp_path / "data"))


def test_spearman_has_mean_ranks_for_ties() -> None:
    """By hand: ranks (1.5, 1.5, 3, 4) and (1, 2.5, 2.5, 4) have the products 3.75 over sqrt(4.5 * 4.5)."""
    assert spearman([(0, 0), (0, 1), (1, 1), (2, 2)]) == pytest.approx(3.75 / 4.5)
    assert spearman([(1, 0), (1, 1)]) is None
    assert spearman([]) is None


def test_every_published_item_has_a_line(space2025: Path, tmp_path: Path) -> None:
    """On the user's copy: the official file of a model that answers A or 正确 is scored without a gap."""
    problems = {problem.id: problem for problem in read(space2025) if problem.split in ("demo", "train")}
    assert {problem.category for problem in problems.values()} == {"DSA", "RSE", "RSR", "SPR"}
    rows = [(one.id, one.category or "", constant(one)) for one in problems.values()]
    write_predictions(tmp_path / "official.jsonl", rows)
    found = score_file(tmp_path / "official.jsonl", problems)
    gold = [{"id": one.id, "answer": one.answer.value} for one in problems.values() if one.answer]
    theirs = official_scores(gold, list(map(orjson.loads, (tmp_path / "official.jsonl").open("rb"))))
    assert (found.missing, found.malformed, found.without_gold) == (0, 0, 0)
    assert (found.language, found.reasoning, found.total) == (theirs["language"], theirs["reasoning"], theirs["total"])


def constant(problem: Problem) -> Answer:
    if problem.category == "SPR":
        return Answer(kind="choice_set", value=["A"])
    return Answer(kind="text", value="相同" if problem.category == "RSE" else "正确")
