"""Curation of files: leaks, solutions, what people approved, faulty pictures, and that nothing is lost."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from problem_maker import LONG, OTHER, Maker

from srt.curate import CurationOptions, curate_file
from srt.images.open import read_picture
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Answer, Image, Problem


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
    ran = subprocess.run(command, input=path.read_bytes(), capture_output=True, timeout=300, check=False)
    assert (ran.returncode, ran.stderr.count(b"\n")) == (2, 1)
    assert b"held 2 problems, and 0 when it was read again" in ran.stderr
    assert out.read_text() == "as it was"


def test_a_picture_that_changed_is_not_given_a_new_digest(maker: Maker, tmp_path: Path) -> None:
    path = maker.write(maker.problem("a", LONG, maker.picture(1)))
    (maker.folder / "1.png").write_bytes((maker.folder / maker.picture(2).path).read_bytes())
    (tmp_path / "out").mkdir()
    with pytest.raises(UserError, match="sha256"):
        curate_file(path, tmp_path / "out" / "k.jsonl", options=CurationOptions(skip=frozenset({"pictures", "near"})))


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
