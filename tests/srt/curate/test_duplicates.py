"""Which problems are duplicates: dropped, left to people, or kept as different ones."""

from __future__ import annotations

from textwrap import wrap

import PIL.Image
import PIL.ImageDraw
import PIL.ImageEnhance
import pytest
from problem_maker import LONG, OTHER, Maker

from srt.curate import CurationOptions
from srt.images.open import describe_picture
from srt.io.records import Answer


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


def test_a_digest_in_capitals_is_of_the_same_picture(maker: Maker) -> None:
    one, blank = maker.picture(1), maker.picture(1, blank=True)
    pictures = [image.model_copy(update={"sha256": image.sha256.upper()}) for image in (one, blank)]
    summary = maker.curate(
        maker.problem("a", LONG, one),
        maker.problem("b", OTHER, blank),
        maker.problem("in capitals", LONG, pictures[0]),
        maker.problem("blank in capitals", OTHER, pictures[1]),
    )
    assert summary["said"] == [
        ("in capitals", "drop", "exact_duplicate", "a"),
        ("blank in capitals", "drop", "exact_duplicate", "b"),
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


def test_points_and_signs_make_another_problem(maker: Maker) -> None:
    one = maker.picture(1)
    tails = ("，求AC与BD所成的角", "，求AB与CD所成的角", "，其中AC⊥BD", "，其中AC∥BD", "，A'B的长", "，AB'的长")
    summary = maker.curate(*(maker.problem(f"p{at}", LONG + tail, one) for at, tail in enumerate(tails)))
    assert summary["dropped"] == 0, summary["said"]
    assert summary["review"] > 0


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
