"""MathSpatial's published layout: both parts, both languages, every kind of answer; problems of our own making."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import PIL.Image
import PIL.ImageDraw
import pytest

from srt.corpora import import_file, read_corpus
from srt.corpora.corpus_reader import ImportRefusal
from srt.images.open import read_picture
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Answer, Problem
from srt.language.trace import Trace

ROW: dict[str, Any] = {
    "question": "如图是一个几何体的三视图，这个几何体是（  ）",
    "question_en": "The three views of a solid are shown. The solid is ( )",
    "images": ["images/1.png", "images/2.png"],
    "choices": {"A": "见图A", "B": "见图B", "C": "见图C", "D": "见图D"},
    "answer": "C",
    "analysis": "由俯视图是圆可知，故选C。",
    "question_type": "选择题",
    "main_category": "Holistic Recognition",
    "sub_category": "3VM",
}
FILL = ROW | {
    "question": "圆锥的底面半径为3，高为4，它的体积是____。",
    "question_en": "A cone has base radius 3 and height 4; its volume is ____.",
    "images": ["images/1.png"],
    "answer": "12π",
    "analysis": "体积为$\\frac13\\pi\\cdot 3^2\\cdot 4=12\\pi$。",
    "question_type": "填空题",
    "main_category": "Abstract Deduction",
    "sub_category": "GPC",
}
TRACE = {
    "reasoning": [
        {"op": "Correlate", "step": "The top view is a circle, so the base is one."},
        {"op": "constrain", "step": "The volume is 1/3 * pi * 3^2 * 4."},
        {"op": "Infer", "step": "It is 12 pi."},
    ],
    "final_answer": "$12\\pi$",
}
Imported = tuple[list[Problem], list[ImportRefusal], dict[str, Any]]


@pytest.fixture
def dataset(tmp_path: Path) -> Callable[..., Path]:
    """Writes problems into the published layout and gives the root that holds ``benchmark`` and ``corpus``."""

    def write(*rows: dict[str, Any], part: str = "benchmark") -> Path:
        for number, row in enumerate(rows, 1):
            folder = tmp_path / "MathSpatial" / part / f"question{number:05}"
            (folder / "images").mkdir(parents=True)
            (folder / "data.json").write_bytes(orjson.dumps(row))
            for picture in (1, 2):
                drawn = PIL.Image.new("RGB", (60, 40), "white")
                PIL.ImageDraw.Draw(drawn).rectangle((5, 5, 20 * picture + number, 30), outline="black")
                drawn.save(folder / "images" / f"{picture}.png")
        return tmp_path / "MathSpatial"

    return write


def imported(root: Path, **options: Any) -> Imported:
    out = root.parent / "problems.jsonl"
    summary = import_file("mathspatial", root, out, **options)
    refusals = root.parent / "problems.refusals.jsonl"
    refused = list(read_records(refusals, ImportRefusal)) if refusals.exists() else []
    return list(read_records(out, Problem)), refused, summary


def test_a_choice_and_a_fill_in_problem(dataset: Callable[..., Path]) -> None:
    (choice, fill), refused, summary = imported(dataset(ROW, FILL))
    assert (choice.id, choice.group_id, choice.split, choice.lang) == (
        "mathspatial-benchmark-00001-zh",
        "mathspatial-benchmark-00001",
        "test",
        "zh",
    )
    assert choice.answer == Answer(kind="choice_set", value=["C"])
    assert choice.choices == ROW["choices"]
    assert (choice.category, choice.subcategory, choice.solution) == ("Holistic Recognition", "3VM", ROW["analysis"])
    assert choice.images[0].path == "MathSpatial/benchmark/question00001/images/1.png"
    assert "placeholder_choices" in choice.meta["notes"]
    assert fill.answer == Answer(kind="expression", value="12π")
    assert fill.choices == {}, "the options of a fill-in problem are placeholders of the layout"
    assert fill.meta["choices"] == ROW["choices"]
    assert not refused
    assert summary["category"] == {"3VM": 1, "GPC": 1}
    assert summary["notes"] == {"placeholder_choices": 1}


def test_gold_in_quotation_marks_can_be_met(dataset: Callable[..., Path]) -> None:
    """The character on a face of a net is printed in quotation marks, which no output has to repeat."""
    net = FILL | {
        "question": "正方体的展开图中，与“爱”相对的面上的字是____。",
        "answer": "“家”",
        "sub_category": "FPBI",
    }
    [problem], refused, _ = imported(dataset(net))
    assert not refused
    assert problem.answer == Answer(kind="text", value="家")
    assert problem.meta["answer"] == "“家”"


def test_gold_that_no_output_can_meet_is_left_out_with_its_trace(dataset: Callable[..., Path], tmp_path: Path) -> None:
    field = "atomic_cot_gpt_4o_20250101"
    unmet = FILL | {"answer": "<think>", field: TRACE | {"final_answer": "<think>"}}
    root = dataset(FILL | {field: TRACE}, unmet)
    traces = tmp_path / "traces.jsonl"
    [problem], [refusal], summary = imported(root, traces=traces)
    assert (refusal.reason, refusal.item) == ("answer_cannot_be_met", "mathspatial-benchmark-00002-zh")
    assert refusal.detail.startswith(f"{root}: mathspatial-benchmark-00002-zh: answer: '<think>'")
    assert summary["refused"] == {"problem answer_cannot_be_met": 1}
    assert [trace.problem_id for trace in read_records(traces, Trace)] == [problem.id]


def test_a_choice_problem_is_single_choice_and_a_fill_in_is_not(dataset: Callable[..., Path]) -> None:
    problems, [refusal], _ = imported(dataset(ROW, FILL, ROW | {"answer": "AC"}))
    assert [problem.single_choice for problem in problems] == [True, False]
    assert (refusal.reason, refusal.item[-8:]) == ("answer_cannot_be_met", "00003-zh")


def test_both_parts_and_their_splits(dataset: Callable[..., Path]) -> None:
    dataset(ROW)
    root = dataset(FILL, part="corpus")
    problems, _, _ = imported(root)
    assert [(problem.split, problem.answer and problem.answer.kind) for problem in problems] == [
        ("test", "choice_set"),
        ("train", "expression"),
    ]
    assert len(list(read_corpus("mathspatial", root / "corpus"))) == 1


def test_english_and_what_has_none(dataset: Callable[..., Path]) -> None:
    root = dataset(
        ROW, {name: value for name, value in FILL.items() if name != "question_en"}, FILL | {"question_en": ""}
    )
    [problem], refused, summary = imported(root, lang="en")
    assert (problem.question, problem.lang) == (ROW["question_en"], "en")
    assert problem.id.endswith("-00001-en")
    assert [one.reason for one in refused] == ["no_translation", "no_translation"]
    assert "question_en: missing" in refused[0].detail
    assert summary["refused"] == {"problem no_translation": 2}


@pytest.mark.parametrize(
    ("change", "reason", "said"),
    [
        ({"images": ["images/9.png"]}, "picture", "images/9.png: no such file"),
        ({"images": ["../../../../secret.png"]}, "picture", "secret"),
        ({"images": ["/etc/passwd"]}, "picture", "passwd"),
        ({"images": "images/1.png"}, "unreadable", "images: a list"),
        ({"question": None}, "no_question", "question: missing"),
        ({"images": ["images/1.png"] * 101}, "unreadable", "at most 100"),
        ({"answer": ""}, "no_answer", "answer: missing"),
        ({"answer": True}, "no_answer", "answer: missing"),
        ({"answer": "略"}, "answer_is_no_option", "'略'"),
        ({"answer": "E"}, "answer_is_no_option", "'E'"),
    ],
)
def test_what_is_refused_is_named(dataset: Callable[..., Path], change: dict[str, Any], reason: str, said: str) -> None:
    problems, [refusal], _ = imported(dataset(FILL, ROW | change))
    assert (len(problems), refusal.item, refusal.reason) == (1, "mathspatial-benchmark-00002", reason)
    assert said in refusal.detail


def test_torn_missing_and_foreign_data_json(dataset: Callable[..., Path]) -> None:
    root = dataset(ROW, ROW, ROW, ROW)
    for number, content in ((2, b'{"question": '), (3, b"[1, 2]")):
        (root / "benchmark" / f"question{number:05}" / "data.json").write_bytes(content)
    (root / "benchmark" / "question00004" / "data.json").unlink()
    problems, refused, _ = imported(root)
    assert len(problems) == 1
    assert [one.reason for one in refused] == ["unreadable"] * 3
    assert all("data.json" in one.detail for one in refused)


@pytest.mark.parametrize(
    ("printed", "code"),
    [
        ("gpc", "GPC"),
        ("Cross-Section Recognition", "CR"),
        ("Shadow and Cross-section Projection", "SCP"),
        ("视图变换", "VT"),
    ],
)
def test_subcategories_by_code_or_name(dataset: Callable[..., Path], printed: str, code: str) -> None:
    [problem], _, _ = imported(dataset(ROW | {"sub_category": printed}))
    assert problem.subcategory == code


def test_an_unknown_subcategory_is_kept_and_reported(dataset: Callable[..., Path]) -> None:
    [problem], _, summary = imported(dataset(ROW | {"sub_category": "Knots"}))
    assert (problem.subcategory, problem.category) == ("Knots", "Holistic Recognition")
    assert summary["notes"]["unknown_subcategory: Knots"] == 1


def test_pictures_elsewhere_are_copied_beside_the_file(dataset: Callable[..., Path], tmp_path: Path) -> None:
    root = dataset(ROW)
    (tmp_path / "elsewhere").mkdir()
    out = tmp_path / "elsewhere" / "p.jsonl"
    summary = import_file("mathspatial", root, out)
    [problem] = read_records(out, Problem)
    assert summary["pictures copied"] == 2
    assert all(image.path.startswith("p-pictures/") for image in problem.images)
    for image, name in zip(problem.images, ("1.png", "2.png"), strict=True):
        original = root / "benchmark" / "question00001" / "images" / name
        assert read_picture(out.parent, image) == original.read_bytes()


def test_picture_paths_as_found_in_the_wild(dataset: Callable[..., Path]) -> None:
    paths = ["1.png", "./images/2.png", "benchmark/question00001/images/1.png", "images\\2.png"]
    [problem], _, _ = imported(dataset(ROW | {"images": paths}))
    assert [Path(image.path).name for image in problem.images] == ["1.png", "2.png", "1.png", "2.png"]


def test_a_place_that_takes_no_copies_is_no_fault_of_the_pictures(dataset: Callable[..., Path], tmp_path: Path) -> None:
    root = dataset(ROW, FILL)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "p-pictures").write_text("a file in the way")
    with pytest.raises(UserError, match=r"^\S*p-pictures"):
        import_file("mathspatial", root, tmp_path / "elsewhere" / "p.jsonl")
    assert sorted(path.name for path in (tmp_path / "elsewhere").iterdir()) == ["p-pictures"]


def test_an_answer_of_many_digits_is_written_as_it_is(dataset: Callable[..., Path]) -> None:
    [problem], _, _ = imported(dataset(FILL | {"answer": "1" + "0" * 30}))
    assert problem.answer == Answer(kind="expression", value="1" + "0" * 30)


def test_wrong_folders_are_one_line(dataset: Callable[..., Path], tmp_path: Path) -> None:
    root = dataset(ROW)
    with pytest.raises(UserError, match=r"question00001: .*benchmark"):
        imported(root / "benchmark" / "question00001")
    with pytest.raises(UserError, match="nowhere"):
        imported(tmp_path / "nowhere")
    with pytest.raises(UserError, match=r"p\.jsonl: .*benchmark"):
        import_file("mathspatial", root / "benchmark", root / "benchmark" / "p.jsonl")
    empty = tmp_path / "empty" / "corpus"
    empty.mkdir(parents=True)
    with pytest.raises(UserError, match="corpus"):
        import_file("mathspatial", empty, tmp_path / "p.jsonl")


def test_published_traces(dataset: Callable[..., Path], tmp_path: Path) -> None:
    newest = TRACE | {"reasoning": TRACE["reasoning"][1:]}  # type: ignore[index]
    root = dataset(
        FILL | {"atomic_cot_gpt_4o_0501": TRACE, "atomic_cot_gpt_4o_1120": orjson.dumps(newest).decode()},
        FILL | {"atomic_cot_gpt_4o_0501": "```json\n" + orjson.dumps(TRACE).decode() + "\n```"},
        ROW | {"atomic_cot_gpt_4o_0501": TRACE | {"final_answer": "C"}},
    )
    traces = tmp_path / "traces.jsonl"
    _, refused, summary = imported(root, traces=traces)
    first, second, third = read_records(traces, Trace)
    assert (len(first.steps), first.id) == (2, "mathspatial-benchmark-00001-zh/atomic_cot_gpt_4o_1120")
    assert first.teacher == "gpt-4o (published, no arguments)"
    assert [(step.op, step.args) for step in second.steps] == [("CORRELATE", ()), ("CONSTRAIN", ()), ("INFER", ())]
    assert (first.answer, first.kind, first.lang, third.answer) == ("12π", "free", "en", "C"), "gold's own text"
    assert not refused
    long = dataset(FILL | {"atomic_cot_gpt_4o_" + "9" * 5000: TRACE}, part="corpus") / "corpus"
    assert imported(long, traces=traces)[2]["traces"] == 1, "numbers of any length"
    assert summary["traces"] == 3
    assert summary["trace field"] == {"atomic_cot_gpt_4o_0501": 2, "atomic_cot_gpt_4o_1120": 1}


@pytest.mark.parametrize(
    ("published", "reason", "said"),
    [
        (None, "no_trace", "no such field"),
        ('{"reasoning": [{"op": "Infer", "step": "x"}', "trace_malformed", "not JSON"),
        ([1], "trace_malformed", "an object was expected"),
        (TRACE | {"reasoning": []}, "trace_malformed", "a list of steps"),
        (TRACE | {"reasoning": [{"op": "Guess", "step": "x"}]}, "trace_malformed", "step 1: op"),
        (TRACE | {"reasoning": [{"op": "Infer", "step": " "}]}, "trace_malformed", "step 1: step"),
        (TRACE | {"final_answer": None}, "trace_without_answer", "final_answer"),
        (TRACE | {"final_answer": "13π"}, "disagrees_with_gold", "'13π', gold is '12π'"),
        (TRACE | {"final_answer": "a cone"}, "disagrees_with_gold", "'a cone'"),
    ],
)
def test_traces_that_are_none(dataset: Callable[..., Path], published: Any, reason: str, said: str) -> None:
    root = dataset(FILL if published is None else FILL | {"atomic_cot_gpt_4o_0501": published})
    problems, [refusal], summary = imported(root, traces=root.parent / "t.jsonl")
    assert (len(problems), summary["traces"], refusal.what, refusal.reason) == (1, 0, "trace", reason)
    assert said in refusal.detail
