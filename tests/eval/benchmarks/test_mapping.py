"""Files that are none of ours, through a mapping: forms of table, options, answer and picture, and their faults."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Callable
from pathlib import Path

import orjson
import PIL.Image
import pytest

from eval.benchmarks.definition.variants import FLIP, TWINS, twin
from eval.benchmarks.external.mapped_reader import Column, Form, read_mapped
from srt.corpora.corpus_reader import ImportRefusal, ImportRequest
from srt.images.normalise import shown_picture
from srt.images.store import PictureFolder
from srt.io.errors import UserError
from srt.io.records import Answer, Problem

FORM = Form(source="own", columns={"skill": Column(values=("near", "far"))}, twins=(FLIP, "rewritten"))
HEADER = ["nr", "stem", "a", "b", "c", "key", "figure", "kind"]
ROWS = [
    ["i1", "Which is nearer, item 1?", "mill", "barn", "tree", "B", "one.png", "close"],
    ["i2", "哪一个更近（第2题）？", "磨坊", "谷仓", "", "磨坊", "", "far"],
]
MAPPING = """
fields: {id: nr, question: stem, choices: [a, b, c], answer: key, picture: figure, skill: kind}
values: {skill: {close: near}}
pictures: figures
"""

Read = Callable[..., list[Problem | ImportRefusal]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """``read(data file name, mapping text)``: what is read of it, for a file of problems in another folder."""

    def run(data: str, mapping: str = MAPPING, form: Form = FORM) -> list[Problem | ImportRefusal]:
        path = tmp_path / "data" / "mapping.yaml"
        path.write_text(f"data: {data}\n{mapping}", "utf-8")
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        request = ImportRequest(lang="en", traces=False, pictures=PictureFolder(out / "problems.jsonl"))
        return list(read_mapped(path, request, form))

    return run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "figures").mkdir(parents=True)
    (folder / "figures" / "one.png").write_bytes(png())
    return folder


def png(colour: tuple[int, int, int] = (255, 0, 0)) -> bytes:
    """Two pixels of other colours, so that a mirror shows."""
    picture = PIL.Image.new("RGB", (2, 1), (0, 0, 255))
    picture.putpixel((0, 0), colour)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def table(rows: list[list[str]], separator: str = ",", header: list[str] = HEADER) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows([header, *rows])
    return text.getvalue()


def taken(found: list[Problem | ImportRefusal]) -> list[Problem]:
    assert all(isinstance(one, Problem) for one in found), found
    return [one for one in found if isinstance(one, Problem)]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl"])
def test_every_form_of_table_gives_the_same_problems(data: Path, read: Read, suffix: str) -> None:
    rows = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    written = {
        "csv": lambda: table(ROWS).encode("utf-8-sig"),
        "tsv": lambda: table(ROWS, "\t").encode(),
        "json": lambda: orjson.dumps(rows),
        "jsonl": lambda: b"\n".join(map(orjson.dumps, rows)),
    }
    (data / f"items.{suffix}").write_bytes(written[suffix]())
    first, second = taken(read(f"items.{suffix}"))
    assert (first.id, first.lang, first.meta["skill"]) == ("i1", "en", "near")
    assert first.choices == {"A": "mill", "B": "barn", "C": "tree"}
    assert first.answer is not None
    assert first.answer.value == ["B"]
    assert len(first.images) == 1
    assert (second.lang, second.choices) == ("zh", {"A": "磨坊", "B": "谷仓"})
    assert second.answer is not None
    assert second.answer.value == ["A"]


@pytest.mark.parametrize(
    ("given", "choices"),
    [
        (["mill", "barn"], {"A": "mill", "B": "barn"}),
        ({"A": "mill", "B": "barn"}, {"A": "mill", "B": "barn"}),
        ('["mill", "barn"]', {"A": "mill", "B": "barn"}),
        ("A. mill\nB. barn", {"A": "mill", "B": "barn"}),
        ("（A）磨坊\n（B）谷仓", {"A": "磨坊", "B": "谷仓"}),
        ("mill\nbarn", {"A": "mill", "B": "barn"}),
    ],
)
def test_options_in_one_column(data: Path, read: Read, given: object, choices: dict[str, str]) -> None:
    (data / "items.jsonl").write_bytes(orjson.dumps({"question": "?", "options": given, "answer": "B"}))
    (problem,) = taken(read("items.jsonl", "fields: {choices: options}"))
    assert problem.choices == choices


def test_names_like_ours_need_no_mapping(data: Path, tmp_path: Path) -> None:
    path = data / "items.csv"
    path.write_text("id,question,A,B,answer\n7,Which?,mill,barn,A\n")
    request = ImportRequest(lang="en", traces=False, pictures=PictureFolder(tmp_path / "problems.jsonl"))
    (problem,) = taken(list(read_mapped(path, request, FORM)))
    assert (problem.id, problem.choices) == ("7", {"A": "mill", "B": "barn"})


def test_pictures_as_paths_base64_and_lists_are_files_beside_the_problems(
    data: Path, read: Read, tmp_path: Path
) -> None:
    bare, uri = base64.b64encode(png()).decode(), "data:image/png;base64," + base64.b64encode(png((0, 255, 0))).decode()
    rows = [
        {"question": "?", "answer": "3", "picture": bare},
        {"question": "?", "answer": "3", "picture": uri},
        {"question": "?", "answer": "3", "picture": ["one.png", uri]},
        {"question": "?", "answer": "3", "picture": ".\\one.png"},
    ]
    (data / "items.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    found = taken(read("items.jsonl", "pictures: figures"))
    assert [len(problem.images) for problem in found] == [1, 1, 2, 1]
    for problem in found:
        for image in problem.images:
            shown_picture(tmp_path / "out", image)
    assert found[0].images == found[3].images  # the same bytes, whichever way they came


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        ("../../etc/passwd.png", "passwd"),
        ("/etc/hosts", "hosts"),
        ("gone.png", "no such file"),
        ("iVBORw0KGgo" + "A" * 2000, "picture"),
        ("x" * 1100 + "!", "neither a path nor base64"),
        ("[1, 2]", "paths or pictures"),
    ],
)
def test_a_picture_that_cannot_be_read_refuses_its_item_alone(data: Path, read: Read, picture: str, said: str) -> None:
    rows = [{"question": "?", "answer": "3", "picture": picture}, {"question": "?", "answer": "3"}]
    (data / "items.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    refused, kept = read("items.jsonl", "")
    assert isinstance(kept, Problem)
    assert isinstance(refused, ImportRefusal)
    assert refused.reason == "picture"
    assert "items.jsonl:1" in refused.detail
    assert said in refused.detail


@pytest.mark.parametrize(
    ("changed", "reason", "said"),
    [
        ({"answer": "Q"}, "answer_is_no_option", "items.jsonl:2: answer: 'Q'"),
        ({"answer": ""}, "no_answer", "items.jsonl:2: answer: empty"),
        ({"question": " "}, "no_question", "question: empty"),
        ({"skill": "sideways"}, "unreadable", "near or far"),
        ({"question": ["a", "list"]}, "unreadable", "a text was expected"),
        ({"id": "1"}, "duplicate", "items.jsonl:1 already"),
        ({"question": "x" * 30_000}, "unreadable", "30000 characters"),
    ],
)
def test_an_item_at_fault_is_named_with_its_line(
    data: Path, read: Read, changed: dict[str, object], reason: str, said: str
) -> None:
    good = {"id": "1", "question": "?", "choices": ["mill", "barn"], "answer": "A", "skill": "near"}
    (data / "items.jsonl").write_bytes(b"\n".join(map(orjson.dumps, [good, {**good, "id": "2", **changed}])))
    kept, refused = read("items.jsonl", "")
    assert isinstance(kept, Problem)
    assert isinstance(refused, ImportRefusal)
    assert refused.reason == reason
    assert said in refused.detail


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ("fields: {question: stemm}", r"items.csv:2: .*'stemm' \(field question\).* nr, stem"),
        ("fields: {qestion: stem}", r"mapping.yaml: fields: 'qestion' .* question\?"),
        ("fields: {question: stem, skil: kind}\nlangg: en", "langg: .*lang"),
        ("fields: {question: stem, skil: kind, anser: x}", r"fields: 'skil' .* skill\?; fields: 'anser' .* answer\?"),
        ("fields: {question: 3}", "fields.question: .*3"),
        ("values: {skill: {close: nearby}}", r"values.skill.close: 'nearby' .* near\?"),
        ("twins: {flipped: {fields: {answer: key}}}", r"twins: 'flipped' .* flip\?"),
        ("twins: {flip: {fields: {anser: key}}}", r"twins.flip.fields: 'anser' .* answer\?"),
        ("field: {question: stem}", "field: "),
        ("fields: {answer: key}", "items.csv:2: .*'question'"),
        ("lang: de", "lang: "),
        ("fields: {question: a, question: b}", "mapping.yaml: .*'question'"),
        ("data: 2024-13-45", "mapping.yaml: "),
    ],
)
def test_a_mapping_at_fault_is_told_in_one_line(data: Path, read: Read, mapping: str, said: str) -> None:
    (data / "items.csv").write_text(table(ROWS), "utf-8")
    with pytest.raises(UserError, match=said) as caught:
        read("items.csv", mapping)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("items.xlsx", b"", r"items\.xlsx: .*\.json"),
        ("gone.csv", None, r"gone\.csv"),
        ("items.csv", b"a,a\n1,2\n", r"items\.csv:1: .*header"),
        ("items.csv", b"", r"items\.csv:1: .*header"),
        ("items.csv", b"question,answer\n\xff\xfe,3\n", r"items\.csv: .*UTF-8"),
        ("items.json", b"{", r"items\.json: .*JSON"),
        ("items.json", b"3", r"items\.json: .*list.*int"),
    ],
)
def test_a_file_at_fault_is_told_in_one_line(
    data: Path, read: Read, name: str, content: bytes | None, said: str
) -> None:
    if content is not None:
        (data / name).write_bytes(content)
    with pytest.raises(UserError, match=said):
        read(name, "")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("items.csv", "question,answer\nx,3,4\nHow many?,5\n", "items.csv:2: 3 cells; the header has 2"),
        ("items.json", '[3, {"question": "How many?", "answer": "5"}]', "items.json: item 1: a JSON object"),
        (
            "items.json",
            '[{"question": "x", "answer": NaN}, {"question": "How many?", "answer": 5}]',
            "item 1: not JSON",
        ),
        (
            "items.json",
            '{"a": {"question": "\\ud83d"}, "b": {"question": "How many?", "answer": 5}}',
            "item a: not JSON",
        ),
        ("items.jsonl", '{\n{"question": "How many?", "answer": "5"}\n', "items.jsonl:1: not a line of JSON"),
        (
            "items.jsonl",
            '{"question": "\\ud83d"}\n{"question": "How many?", "answer": 5}\n',
            "items.jsonl:1: not a line",
        ),
    ],
)
def test_one_bad_row_is_refused_and_the_others_are_read(
    data: Path, read: Read, name: str, content: str, said: str
) -> None:
    (data / name).write_text(content, "utf-8")
    refused, kept = read(name, "")
    assert isinstance(refused, ImportRefusal)
    assert isinstance(kept, Problem)
    assert refused.reason == "unreadable"
    assert said in refused.detail
    assert kept.answer == Answer(kind="number", value=5)


def test_a_line_number_is_of_where_a_row_begins(data: Path, read: Read) -> None:
    (data / "items.csv").write_text('question,answer\nfirst,3\n\n"two\nlines",\n')
    _, refused = read("items.csv", "")
    assert isinstance(refused, ImportRefusal)
    assert "items.csv:4:" in refused.detail


def test_other_forms_come_from_columns_or_from_a_file_of_their_own(data: Path, read: Read, tmp_path: Path) -> None:
    header = [*HEADER, "mirrored"]
    (data / "items.csv").write_text(table([[*ROWS[0], "C"], [*ROWS[1], ""]], header=header), "utf-8")
    (data / "again.csv").write_text('nr,text\ni1,"Of the three, which is nearer?"\nzz,unused\n')
    mapping = MAPPING + (
        "twins:\n  flip: {fields: {answer: mirrored}}\n  rewritten: {file: again.csv, fields: {question: text}}\n"
    )
    first, second = taken(read("items.csv", mapping))
    assert TWINS not in second.meta
    flipped, rewritten = twin(first, FLIP), twin(first, "rewritten")
    assert flipped is not None
    assert rewritten is not None
    assert flipped.answer is not None
    assert flipped.answer.value == ["C"]
    assert rewritten.question == "Of the three, which is nearer?"
    assert (rewritten.choices, rewritten.answer, rewritten.images) == (first.choices, first.answer, first.images)
    plain, mirror = (shown_picture(tmp_path / "out", form.images[0]) for form in (first, flipped))
    assert [mirror.getpixel((x, 0)) for x in (0, 1)] == [plain.getpixel((x, 0)) for x in (1, 0)]


def test_another_form_that_no_output_can_meet_refuses_its_item(data: Path, read: Read) -> None:
    (data / "items.csv").write_text(
        "id,question,answer,again\n1,Who?,Ann,Reasoning: 3+4 Answer: 7\n2,Who else?,Bo,Cy\n", "utf-8"
    )
    mapping = "twins: {rewritten: {fields: {answer: again}}}"
    refused, taken_one = read("items.csv", mapping)
    assert isinstance(refused, ImportRefusal)
    assert isinstance(taken_one, Problem)
    assert (refused.item, refused.reason) == ("1", "answer_cannot_be_met")
    assert "items.csv:2: rewritten: answer: " in refused.detail


def test_the_end_of_a_worked_solution_is_the_answer_and_the_rest_the_solution(data: Path, read: Read) -> None:
    row = {"question": "How many?", "answer": "There are 3 + 4 = <<3+4=7>>7.\n#### 7"}
    given = {**row, "question": "How many more?", "solution": "Count them."}
    (data / "items.jsonl").write_bytes(b"\n".join(map(orjson.dumps, (row, given))))
    own, other = taken(read("items.jsonl", ""))
    assert own.answer == other.answer == Answer(kind="number", value=7)
    assert (own.solution, other.solution) == ("There are 3 + 4 = 7.", "Count them.")


def test_single_choice_is_what_the_mapping_or_the_benchmark_says(data: Path, read: Read) -> None:
    (data / "items.csv").write_text("id,question,A,B,answer\n1,Which?,mill,barn,A\n2,How many?,,,5\n", "utf-8")
    assert [one.single_choice for one in taken(read("items.csv", ""))] == [False, False]
    assert [one.single_choice for one in taken(read("items.csv", "single_choice: true"))] == [True, False]
    form = Form(source="own", single_choice=lambda _: True)
    assert [one.single_choice for one in taken(read("items.csv", "", form))] == [True, False]


def test_a_file_of_forms_that_names_one_item_twice_is_refused(data: Path, read: Read) -> None:
    (data / "items.csv").write_text(table(ROWS), "utf-8")
    (data / "again.csv").write_text("nr,text\ni1,x\ni1,y\n")
    with pytest.raises(UserError, match=r"again\.csv:3: id: 'i1'"):
        read("items.csv", MAPPING + "twins: {rewritten: {file: again.csv, fields: {question: text}}}\n")
