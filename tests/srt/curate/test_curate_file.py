"""Curation of files: what is dropped, what goes to people, what stays, and that nothing is lost."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from textwrap import wrap
from typing import Any

import PIL.Image
import PIL.ImageDraw
import PIL.ImageEnhance
import pytest
from problem_maker import LONG, OTHER, Maker

from srt.curate import CurationOptions, Embeddings, curate_file
from srt.images.open import describe_picture, read_picture
from srt.io.errors import UserError
from srt.io.jsonl import read_records
from srt.io.records import Answer, Image, Problem


def test_exact_and_near_duplicates(maker: Maker) -> None:
    one, two, dark = maker.picture(1), maker.picture(2), maker.picture(1, dark=True)
    summary = maker.curate(
        maker.problem("a", LONG, one),
        maker.problem("exact", f"12. {LONG} 。", one),
        maker.problem("near", LONG, dark),
        maker.problem("worded", LONG.replace("请写出详细", "写出详细"), one),
        maker.problem("another picture", LONG, two),
        maker.problem("another question", OTHER, one, answer=Answer(kind="number", value=8), solution="解"),
    )
    assert summary["said"] == [
        ("exact", "drop", "exact_duplicate", "a"),
        ("near", "drop", "near_duplicate", "a"),
        ("worded", "drop", "near_duplicate", "a"),
    ]


def test_the_grey_zone_goes_to_people(maker: Maker) -> None:
    one = maker.picture(1)
    grey = LONG.replace("并且没有空洞", "")
    summary = maker.curate(
        maker.problem("a", LONG, one),
        maker.problem("grey", grey, one),
        maker.problem(
            "reworded",
            "根据图中所标的数据可以求得这个几何体的体积等于多少立方厘米？它是由若干个相同的小正方体搭成的，如图是它的三视图",
            one,
        ),
        maker.problem("other answer", LONG, one, answer=Answer(kind="number", value=9), solution="解"),
        maker.problem("other number", LONG + "，棱长为3", one, answer=Answer(kind="number", value=11), solution="解"),
    )
    assert {said[:3] for said in summary["said"]} == {
        ("grey", "review", "near_duplicate"),
        ("reworded", "review", "same_pictures"),
        ("other answer", "review", "duplicate_with_another_answer"),
    }
    scores = {one.problem_id: one.score for one in summary["records"]}
    assert 0.85 <= scores["grey"] < 0.90


def test_the_same_text_over_other_pictures_is_no_duplicate(maker: Maker) -> None:
    summary = maker.curate(*(maker.problem(f"p{shape}", LONG, maker.picture(shape)) for shape in range(1, 6)))
    assert not summary["said"]
    assert not maker.curate(
        maker.problem("a", LONG, maker.picture(1), maker.picture(2)), maker.problem("b", LONG, maker.picture(1))
    )["said"], "another number of pictures"


def test_blank_pictures_are_the_same_only_byte_for_byte(maker: Maker) -> None:
    blank, shaded = maker.picture(0, blank=True), maker.picture(1, blank=True, dark=True)
    summary = maker.curate(
        maker.problem("a", LONG, blank), maker.problem("b", LONG, shaded), maker.problem("c", LONG + "。", blank)
    )
    assert [said[0] for said in summary["said"]] == ["c"]


def test_a_number_or_a_view_makes_another_problem(maker: Maker) -> None:
    one = maker.picture(1)
    eight = {"answer": Answer(kind="number", value=8), "solution": "解"}
    assert not maker.curate(
        maker.problem("a", LONG + "，棱长为3，它的俯视图", one),
        maker.problem("b", LONG + "，棱长为5，它的俯视图", one, **eight),
        maker.problem("c", LONG + "，棱长为3，它的左视图", one, answer=Answer(kind="number", value=5), solution="解"),
    )["said"]


def test_another_number_with_the_same_answer_goes_to_people(maker: Maker) -> None:
    one = maker.picture(1)
    summary = maker.curate(maker.problem("a", LONG + "，棱长为3", one), maker.problem("b", LONG + "，棱长为5", one))
    assert summary["said"] == [("b", "review", "near_duplicate", "a")]


def test_a_label_makes_another_picture(maker: Maker) -> None:
    """Two nets that differ in one digit: the hashes are near, the text and the answer are the same."""
    images = []
    for digit in ("3", "4"):
        drawn = PIL.Image.new("RGB", (260, 200), "white")
        pen = PIL.ImageDraw.Draw(drawn)
        for number in range(5):
            x, y = 20 + 40 * (number % 4), 60 + 40 * (number // 4)
            pen.rectangle((x, y, x + 40, y + 40), outline="black", width=2)
            pen.text((x + 12, y + 8), digit if number == 1 else "7", fill="black", font_size=22)
        drawn.save(maker.folder / f"net{digit}.png")
        images.append(describe_picture(maker.folder, f"net{digit}.png"))
    summary = maker.curate(maker.problem("a", LONG, images[0]), maker.problem("b", LONG, images[1]))
    assert summary["pairs compared"] == 1, "or this test tests nothing"
    assert summary["dropped"] == 0


def test_texts_without_pictures(maker: Maker) -> None:
    summary = maker.curate(
        maker.problem("a", LONG),
        maker.problem("near", LONG.replace("请写出详细", "写出详细")),
        maker.problem("another word", LONG.replace("详细的计算过程", "详细的过程")),
        maker.problem("b", OTHER),
    )
    assert summary["said"] == [
        ("near", "drop", "near_duplicate", "a"),
        ("another word", "review", "near_duplicate", "a"),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a cone has", "a cylinder has"),
        ("of radius 5", "of diameter 5"),
        ("turned clockwise", "turned anticlockwise"),
        ("radius 6 and height 8", "radius 8 and height 6"),
        ("Ann is left of Bob", "Bob is left of Ann"),
        ("圆锥形容器", "圆柱形容器"),
        ("底面的半径", "底面的直径"),
        ("画成实线", "画成虚线"),
        ("小明坐在小红", "小红坐在小明"),
    ],
)
def test_nothing_is_dropped_for_another_word_or_order(maker: Maker, one: str, other: str) -> None:
    words = (
        "Read the task with care, draw a sketch if you need one, and then write down all of your work on the sheet "
        "before you give the result at the end of the page, as it was shown in class last week; figures that are not "
        "labelled need no labels here, and lengths without a unit are lengths in metres; {} at the start of the story."
    )
    text = words if one.isascii() else f"{LONG}{{}}，{OTHER}"
    summary = maker.curate(maker.problem("a", text.format(one)), maker.problem("b", text.format(other)))
    assert summary["said"] == [("b", "review", "near_duplicate", "a")]


def test_pictures_in_another_order_are_for_people(maker: Maker) -> None:
    one, two, dark = maker.picture(1), maker.picture(2), maker.picture(2, dark=True)
    summary = maker.curate(
        maker.problem("a", LONG, one, two), maker.problem("same", LONG, one, dark), maker.problem("b", LONG, dark, one)
    )
    assert summary["said"] == [("same", "drop", "near_duplicate", "a"), ("b", "review", "near_duplicate", "a")]


def test_pictures_are_compared_as_they_are_shown(maker: Maker) -> None:
    upright = PIL.Image.open(maker.folder / maker.picture(1).path).convert("RGB")
    turned = PIL.Image.Exif()
    turned[0x0112] = 6  # shown after a quarter turn clockwise
    files = {"upright": upright, "stored turned": upright.transpose(PIL.Image.Transpose.ROTATE_90)}
    for name, picture in files.items():
        picture.save(maker.folder / f"{name}.jpg", quality=95, exif=turned if picture is not upright else b"")
    upright.save(maker.folder / "shown turned.jpg", quality=95, exif=turned)
    images = [describe_picture(maker.folder, f"{name}.jpg") for name in (*files, "shown turned")]
    summary = maker.curate(*(maker.problem(f"p{at}", LONG, image) for at, image in enumerate(images)))
    assert summary["said"] == [("p1", "drop", "near_duplicate", "p0")]


def test_a_test_item_never_goes_for_a_training_item(maker: Maker) -> None:
    one = maker.picture(1)
    summary = maker.curate(
        maker.problem("train", LONG, one),
        maker.problem("test", LONG, one, split="test"),
        maker.problem("near", LONG, maker.picture(1, dark=True)),
    )
    assert summary["said"] == [
        ("train", "drop", "exact_duplicate", "test"),
        ("near", "drop", "near_duplicate", "test"),
    ]
    assert summary["across splits"] == {
        "train/test drop exact_duplicate": 1,
        "train/test drop near_duplicate": 1,
    }


def test_against_another_file(maker: Maker, tmp_path: Path) -> None:
    bench = Maker(tmp_path / "bench")
    against = bench.write(bench.problem("t", LONG, bench.picture(1), split="test"), name="bench.jsonl")
    summary = maker.curate(
        maker.problem("a", LONG, maker.picture(1)), maker.problem("b", OTHER, maker.picture(2)), against=[against]
    )
    assert summary["said"] == [("a", "drop", "exact_duplicate", "t")]
    assert summary["records"][0].other_file == str(against)

    training = bench.write(bench.problem("t", LONG, bench.picture(1)), name="train.jsonl")
    summary = maker.curate(maker.problem("a", LONG, maker.picture(1), split="test"), against=[training])
    assert (summary["said"], summary["kept"]) == ([], 1), "a test item stays, and the leak is noted"
    assert summary["notes"][0]["reason"] == "duplicate_in_another_file"


def test_variants(maker: Maker) -> None:
    one = maker.picture(1)
    zh = maker.problem("zh", LONG, one, group_id="g", split="test")
    en = maker.problem("en", "Find the volume of the solid.", one, group_id="g", split="test")
    assert not maker.curate(zh, en)["said"], "a translation is no duplicate"
    leaked = en.model_copy(update={"split": "train"})
    assert maker.curate(zh, leaked)["said"] == [("en", "drop", "variant_in_another_split", "zh")]


def test_solutions_and_views(maker: Maker) -> None:
    views = "主视图是长为4、高为3的矩形，俯视图是长为5、宽为2的矩形，左视图是宽为2、高为3的矩形，求体积。"
    summary = maker.curate(
        maker.problem("none", LONG, solution=None),
        maker.problem("none, but a test item", OTHER, solution=None, split="test"),
        maker.problem("differs", "求三棱锥的高", solution="故答案为8。"),
        maker.problem("views", views),
        maker.problem("good", "求圆锥的母线长"),
    )
    assert summary["said"] == [
        ("none", "drop", "no_solution", None),
        ("differs", "review", "answer_differs", None),
        ("views", "review", "views_disagree", None),
    ]
    skipped = maker.curate(
        maker.problem("none", LONG, solution=None),
        maker.problem("differs", "求三棱锥的高", solution="故答案为8。"),
        maker.problem("views", views),
        maker.problem("again", views),
        options=CurationOptions(skip=frozenset({"solution", "answers", "views", "exact", "near"})),
    )
    assert not skipped["said"]


def test_a_picture_that_cannot_be_read(maker: Maker) -> None:
    missing = Image(path="no.png", sha256="0" * 64)
    outside = Image(path="../secret.png", sha256="0" * 64)
    summary = maker.curate(
        maker.problem("a", LONG, missing), maker.problem("b", LONG, outside), maker.problem("c", LONG, maker.picture(1))
    )
    assert [said[:3] for said in summary["said"]] == [(name, "drop", "unreadable_picture") for name in "ab"]
    assert "no such file" in (summary["records"][0].detail or "")


def test_what_people_approved_is_kept(maker: Maker) -> None:
    approved = maker.folder / "approved.txt"
    approved.write_text("differs\n\n", encoding="utf-8")
    problems = [maker.problem("differs", LONG, solution="故答案为8。"), maker.problem("gone", OTHER, solution=None)]
    assert maker.curate(*problems)["review"] == 1
    summary = maker.curate(*problems, approved=approved)
    assert (summary["kept"], summary["review"], summary["dropped"]) == (1, 0, 1)


def test_points_and_signs_make_another_problem(maker: Maker) -> None:
    one = maker.picture(1)
    tails = ("，求AC与BD所成的角", "，求AB与CD所成的角", "，其中AC⊥BD", "，其中AC∥BD", "，A'B的长", "，AB'的长")
    summary = maker.curate(*(maker.problem(f"p{at}", LONG + tail, one) for at, tail in enumerate(tails)))
    assert summary["dropped"] == 0, summary["said"]
    assert summary["review"] > 0


def test_one_gold_answer_in_two_spellings(maker: Maker) -> None:
    one = maker.picture(1)
    gold = [Answer(kind="expression", value=value) for value in (r"\frac{1}{2}", "1/2", r"\frac{1}{3}")]
    summary = maker.curate(
        *(maker.problem(f"p{number}", LONG, one, answer=answer, solution="解") for number, answer in enumerate(gold))
    )
    assert ("p1", "drop", "exact_duplicate", "p0") in summary["said"]
    assert ("p2", "review", "duplicate_with_another_answer", "p0") in summary["said"]


def test_what_is_found_twice_is_reported_once(maker: Maker) -> None:
    one = maker.picture(1)
    other = {"answer": Answer(kind="number", value=9), "solution": "解"}
    summary = maker.curate(
        maker.problem("a", LONG, one), maker.problem("b", LONG, one, **other), maker.problem("c", LONG, one, **other)
    )
    assert summary["found"]["review duplicate_with_another_answer"] == 2
    assert ("c", "drop", "near_duplicate", "b") in summary["said"]
    assert ("b", "review", "duplicate_with_another_answer", "a") in summary["said"]


def test_of_two_duplicates_the_one_with_an_answer_stays(maker: Maker) -> None:
    one = maker.picture(1)
    summary = maker.curate(maker.problem("none", LONG, one, answer=None), maker.problem("gold", LONG, one))
    assert summary["said"] == [("none", "drop", "exact_duplicate", "gold")]


def test_a_noted_test_item_still_takes_its_copies_out(maker: Maker, tmp_path: Path) -> None:
    """The test item has a variant in another file; a copy of it in the same file is leakage all the same."""
    elsewhere = Maker(tmp_path / "other")
    variant = elsewhere.problem("v", OTHER, elsewhere.picture(2), group_id="g")
    summary = maker.curate(
        maker.problem("t", LONG, maker.picture(1), split="test", group_id="g"),
        maker.problem("copy", LONG, maker.picture(1)),
        against=[elsewhere.write(variant, name="train.jsonl")],
    )
    assert summary["said"] == [("copy", "drop", "exact_duplicate", "t")]
    assert [note["problem_id"] for note in summary["notes"]] == ["t"]


def test_pictures_of_the_other_file_that_cannot_be_read_are_counted(maker: Maker, tmp_path: Path) -> None:
    bench = Maker(tmp_path / "bench")
    against = bench.write(bench.problem("t", LONG, bench.picture(1), split="test"))
    (bench.folder / "1.png").unlink()
    problems = maker.problem("a", LONG, maker.picture(1)), maker.problem("b", OTHER, maker.picture(2))
    summary = maker.curate(*problems, against=[against])
    assert summary["pictures of other files that cannot be read"] == 1
    assert summary["said"] == [("a", "drop", "exact_duplicate", "t")], "found by its digest"


def test_a_missing_picture_is_seen_where_its_copy_is_there(maker: Maker) -> None:
    one = maker.picture(1)
    summary = maker.curate(
        maker.problem("a", LONG, one), maker.problem("b", OTHER, one.model_copy(update={"path": "gone.png"}))
    )
    assert [said[:3] for said in summary["said"]] == [("b", "drop", "unreadable_picture")]


def test_a_pipe_does_not_lose_what_is_kept(maker: Maker) -> None:
    path, out = maker.write(maker.problem("a", LONG), maker.problem("b", OTHER)), maker.folder / "k.jsonl"
    out.write_text("as it was")
    code = "import sys; from srt.cli import main; sys.argv = sys.argv[1:]; main()"
    command = [sys.executable, "-c", code, "srt", "curate", "/dev/stdin", "-o", str(out)]
    ran = subprocess.run(command, input=path.read_bytes(), capture_output=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr.count(b"\n")) == (2, 1)
    assert b"held 2 problems, and 0 when it was read again" in ran.stderr
    assert out.read_text() == "as it was"


def test_a_picture_that_changed_is_not_given_a_new_digest(maker: Maker, tmp_path: Path) -> None:
    path = maker.write(maker.problem("a", LONG, maker.picture(1)))
    (maker.folder / "1.png").write_bytes((maker.folder / maker.picture(2).path).read_bytes())
    (tmp_path / "out").mkdir()
    with pytest.raises(UserError, match="sha256"):
        curate_file(path, tmp_path / "out" / "k.jsonl", options=CurationOptions(skip=frozenset({"pictures", "near"})))


def test_no_chain_of_likeness_takes_a_problem_away(maker: Maker) -> None:
    """b is like a, c is like b and not like a: b goes, and c stays, because nothing that stays is like it."""
    one = maker.picture(1)
    steps = [LONG, *("".join(f"了{part}" for part in wrap(LONG, length)) for length in (60, 30))]
    summary = maker.curate(*(maker.problem(f"p{at}", text, one, answer=None) for at, text in enumerate(steps)))
    dropped = {said[0] for said in summary["said"] if said[1] == "drop"}
    assert dropped == {"p1"}, summary["said"]


def test_pictures_that_everybody_has_do_not_hide_duplicates(maker: Maker) -> None:
    one = maker.picture(1)
    many = [maker.problem(f"p{at}", f"{at}{OTHER[: 20 + at % 30]}{at * at}", one, answer=None) for at in range(230)]
    same = [maker.problem(name, LONG + tail, one) for name, tail in (("a", ""), ("copy", "吗"))]
    summary = maker.curate(*many, *same, options=CurationOptions(skip=frozenset({"answers"})))
    assert ("copy", "drop", "near_duplicate", "a") in summary["said"]
    assert summary["pairs compared"] < 2000, "not all pairs of 232"


def test_kept_in_another_folder_finds_its_pictures(maker: Maker, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    path = maker.write(maker.problem("a", LONG, maker.picture(1)))
    curate_file(path, tmp_path / "out" / "k.jsonl")
    [problem] = read_records(tmp_path / "out" / "k.jsonl", Problem)
    shutil.rmtree(maker.folder)
    assert read_picture(tmp_path / "out", problem.images[0])


def test_faults_are_one_line_and_leave_nothing(maker: Maker) -> None:
    problem = maker.problem("a", LONG)
    path = maker.write(problem, problem)
    with pytest.raises(UserError, match=r"p\.jsonl:2: id: 'a'.* 1\b"):
        curate_file(path, maker.folder / "kept.jsonl")
    path = maker.write(problem)
    with pytest.raises(UserError, match=r"p\.jsonl"):
        curate_file(path, path)
    with pytest.raises(UserError, match=r"k\.dropped\.jsonl"):
        curate_file(path, maker.folder / "k.jsonl", against=[maker.folder / "k.dropped.jsonl"])
    with pytest.raises(UserError, match=r"none\.jsonl"):
        curate_file(path, maker.folder / "k.jsonl", against=[maker.folder / "none.jsonl"])
    with pytest.raises(UserError, match=r"none\.txt"):
        curate_file(path, maker.folder / "k.jsonl", approved=maker.folder / "none.txt")
    with pytest.raises(UserError, match=r"--against: .*p\.jsonl"):
        curate_file(path, maker.folder / "k.jsonl", against=[path])
    (maker.folder / "ids.txt").write_text("a\nb\n")
    with pytest.raises(UserError, match=r"ids\.txt: 'b'"):
        curate_file(path, maker.folder / "k.jsonl", approved=maker.folder / "ids.txt")
    with pytest.raises(UserError, match="nowhere"):
        curate_file(path, maker.folder / "k.jsonl", report=maker.folder / "nowhere" / "r.json")
    with pytest.raises(UserError, match="kkkk"):
        curate_file(path, maker.folder / f"{'k' * 300}.jsonl")
    (maker.folder / "l.review.jsonl").mkdir()
    with pytest.raises(UserError, match=r"l\.review\.jsonl"):
        curate_file(path, maker.folder / "l.jsonl")
    assert not list(maker.folder.glob("k*.jsonl"))
    assert not (maker.folder / "l.jsonl").exists()


@pytest.fixture
def endpoint() -> Iterator[str]:
    """An ``/embeddings`` endpoint: texts on ants are near one another, everything else is at right angles to them."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            rows = [[1.0, 0.05 * len(text) / 100] if "蚂蚁" in text else [0.0, 1.0] for text in asked["input"]]
            if asked["model"] == "broken":
                rows = rows[:-1]
            data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            body = json.dumps({"object": "list", "model": asked["model"], "data": data, "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_embeddings(maker: Maker, endpoint: str) -> None:
    one = maker.picture(1)
    problems = [
        maker.problem("a", OTHER, one),
        maker.problem("reworded", "求蚂蚁从圆柱下底面上的一点沿侧面爬到另一底面上相对一点的最短路程", one),
        maker.problem("b", OTHER + "，蚂蚁", answer=None),
        maker.problem("c", "求它所走的最短路程，结果保留根号，蚂蚁，" + OTHER.split("，求")[0], answer=None),
        maker.problem("d", "求圆锥的母线长", answer=None),
    ]
    config = Embeddings(model="vectors", base_url=endpoint)
    summary = maker.curate(*problems, options=CurationOptions(embeddings=config, skip=frozenset({"answers"})))
    assert ("reworded", "review", "near_duplicate", "a") in summary["said"]
    assert ("c", "near_duplicate", "b") in {(said[0], *said[2:]) for said in summary["said"]}, "without pictures"
    assert not any(said[0] in ("a", "d") for said in summary["said"])
    scores = {one.problem_id: one.score for one in summary["records"]}
    assert scores["reworded"] > 0.99
    with pytest.raises(UserError, match="embeddings: broken"):
        maker.curate(*problems, options=CurationOptions(embeddings=Embeddings(model="broken", base_url=endpoint)))


def test_an_endpoint_that_is_down(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    down = CurationOptions(embeddings=Embeddings(model="m", base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(UserError, match=r"embeddings: m at http://127\.0\.0\.1:9/v1"):
        curate_file(
            maker.write(maker.problem("a", LONG), maker.problem("b", OTHER)), maker.folder / "k.jsonl", options=down
        )
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        curate_file(
            maker.write(maker.problem("a", LONG)),
            maker.folder / "k.jsonl",
            options=CurationOptions(embeddings=Embeddings(model="m")),
        )
