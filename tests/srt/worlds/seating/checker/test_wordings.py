"""Our own wordings and headers, sentence by sentence; and that no sentence of any grammar says two things."""

from __future__ import annotations

import pytest

from srt.io.records import Lang, Problem
from srt.worlds.seating.checker.claim_sets import language
from srt.worlds.seating.checker.plans import Compass, Kind
from srt.worlds.seating.checker.reading.grammar import SLOTS
from srt.worlds.seating.checker.reading.problem_text import SeatingProblem, read_seating_problem
from srt.worlds.seating.checker.reading.scene_text import recognise
from srt.worlds.seating.checker.reading.wordings import sentences

FOUR, SIX = ("Ann", "Bob", "Cal", "Dan"), ("Ann", "Bob", "Cal", "Dan", "Eve", "Flo")
四, 六 = ("梅一", "兰二", "竹三", "菊四"), ("梅一", "兰二", "竹三", "菊四", "荷五", "桂六")

HEADERS: list[tuple[str, Kind, Compass]] = [
    ("Booth: {}.", "booth", ""),
    ("Booth, benches on the north and south sides: {}.", "booth", "NS"),
    ("Booth, benches on the east and west sides: {}.", "booth", "EW"),
    ("Ring of six facing out: {}.", "hexagon-out", ""),
    ("Ring of six facing in: {}.", "hexagon-in", ""),
    ("Ring of six facing out, seats N NE SE S SW NW: {}.", "hexagon-out", "NS"),
    ("Ring of six facing out, seats NE E SE SW W NW: {}.", "hexagon-out", "EW"),
    ("Ring of six facing in, seats NE E SE SW W NW: {}.", "hexagon-in", "EW"),
    ("Shelf of three tiers, east on the left: {}.", "shelf", ""),
    (
        "{} share a booth: two benches face each other across a table, with two seats on each."
        " One bench is on the east side of the table, the other on the west side.",
        "booth",
        "EW",
    ),
    ("{} stand at the six corners of a regular hexagon, all facing away from its centre.", "hexagon-out", ""),
    (
        "{} stand at the six corners of a regular hexagon, all facing its centre. The corners lie to the north,"
        " northeast, southeast, south, southwest and northwest of the centre.",
        "hexagon-in",
        "NS",
    ),
    (
        "{} stand on a shelf with three tiers, numbered from the bottom, and two places on each tier."
        " To the viewer, east is on the left and west is on the right.",
        "shelf",
        "",
    ),
    ("卡座：{}。", "booth", ""),
    ("卡座，南北两排：{}。", "booth", "NS"),
    ("卡座，东西两排：{}。", "booth", "EW"),
    ("六人环坐，面朝外：{}。", "hexagon-out", ""),
    ("六人环坐，面朝内：{}。", "hexagon-in", ""),
    ("六人环坐，面朝内，座位为北、东北、东南、南、西南、西北：{}。", "hexagon-in", "NS"),
    ("六人环坐，面朝外，座位为东北、东、东南、西南、西、西北：{}。", "hexagon-out", "EW"),
    ("三层花架，左东右西：{}。", "shelf", ""),
    ("{}同坐一个卡座：两排座位隔桌相对，每排两座。一排在桌子北侧，另一排在南侧。", "booth", "NS"),
    ("{}站在正六边形的六个顶点上，都背对中心。", "hexagon-out", ""),
    (
        "{}站在正六边形的六个顶点上，都面向中心。六个顶点分别在中心的东北、东、东南、西南、西、西北方。",
        "hexagon-in",
        "EW",
    ),
    ("{}摆在一个三层的架子上，从下往上数，每层两格。从观者看，东在左，西在右。", "shelf", ""),
]

OWN: list[tuple[Kind, Compass, str, str]] = [
    ("booth", "", "Ann is left of Bob", "left(Bob) = Ann"),
    ("booth", "", "Bob's right neighbour is Ann", "right(Bob) = Ann"),
    ("booth", "", "Ann faces Bob", "across(Bob) = Ann"),
    ("booth", "", "Ann is diagonal to Bob", "diag(Bob) = Ann"),
    ("booth", "", "Ann shares a bench with Bob", "Ann in beside(Bob)"),
    ("booth", "", "Ann does not share a bench with Bob", "Ann notin beside(Bob)"),
    ("booth", "", "Ann does not face Bob", "across(Bob) != Ann"),
    ("booth", "", "Ann is front-left of Bob", "front_left(Bob) = Ann"),
    ("booth", "EW", "Ann looks west", "faces(Ann) = W"),
    ("booth", "", "Ann faces the right neighbour of Bob", "across(right(Bob)) = Ann"),
    ("booth", "", "the left neighbour of Ann faces Bob", "across(left(Ann)) = Bob"),
    ("booth", "", "Ann is diagonal to the left neighbour of Bob", "diag(left(Bob)) = Ann"),
    ("booth", "", "the right neighbour of Ann is diagonal to Bob", "diag(right(Ann)) = Bob"),
    ("hexagon-out", "", "Ann is one right of Bob", "right(Bob) = Ann"),
    ("hexagon-in", "", "Ann is four left of Bob", "left(Bob, 4) = Ann"),
    ("hexagon-out", "", "Ann is two clockwise of Bob", "cw(Bob, 2) = Ann"),
    ("hexagon-in", "", "Ann is five counterclockwise of Bob", "ccw(Bob, 5) = Ann"),
    ("hexagon-in", "", "Ann is opposite Bob", "across(Bob) = Ann"),
    ("hexagon-in", "", "Ann is next to Bob", "Ann in beside(Bob)"),
    ("hexagon-in", "", "Ann is not next to Bob", "Ann notin beside(Bob)"),
    ("hexagon-in", "", "one place lies between Ann and Bob", "Ann in one_between(Bob)"),
    ("hexagon-in", "", "Ann is on the left side of Bob", "Ann in left_side(Bob)"),
    ("hexagon-in", "NS", "Ann looks northeast", "faces(Ann) = NE"),
    ("hexagon-in", "EW", "Ann looks east", "faces(Ann) = E"),
    ("hexagon-out", "NS", "Ann is north of Bob", "Ann in north(Bob)"),
    ("hexagon-out", "EW", "Ann is southwest of Bob", "Ann in southwest(Bob)"),
    ("hexagon-out", "EW", "Ann is due east of Bob", "Ann in due_east(Bob)"),
    ("hexagon-out", "", "Ann is opposite the place three left of Bob", "across(left(Bob, 3)) = Ann"),
    ("shelf", "", "Ann is left of Bob on the same tier", "left(Bob) = Ann"),
    ("shelf", "", "Ann is left of Bob", "left(Bob) = Ann"),
    ("shelf", "", "Ann is somewhere to the right of Bob and both are on the same tier", "right(Bob) = Ann"),
    ("shelf", "", "Ann is one tier straight above Bob", "up(Bob) = Ann"),
    ("shelf", "", "Ann is two tiers straight below Bob", "down(Bob, 2) = Ann"),
    ("shelf", "", "Ann is somewhere straight below Bob", "Ann in under(Bob)"),
    ("shelf", "", "Ann is on the tier of Bob", "Ann in beside(Bob)"),
    ("shelf", "", "Ann is a tier away from Bob", "Ann in tier_next(Bob)"),
    ("shelf", "", "a tier lies between Ann and Bob", "Ann in tier_apart(Bob)"),
    ("shelf", "", "Ann is on the tier just below Bob", "Ann in tier_below(Bob)"),
    ("shelf", "", "Ann and Bob are stacked", "Ann in stacked(Bob)"),
    ("shelf", "", "Ann is up and right of Bob", "Ann in upper_right(Bob)"),
    ("shelf", "", "Ann is one tier down and left of Bob", "Ann in lower_left(Bob, 1)"),
    ("shelf", "", "Ann is two tiers up and left of Bob", "Ann in upper_left(Bob, 2)"),
    ("shelf", "", "Ann is diagonally below Bob", "Ann in diag_below(Bob)"),
    ("shelf", "", "Ann is higher than Bob", "Ann in above(Bob)"),
    ("shelf", "", "Ann is lower than Bob", "Ann in below(Bob)"),
    ("shelf", "", "Ann is on tier two", "tier(Ann) = 2"),
    ("shelf", "", "Ann is in the east column", "column(Ann) = E"),
    ("shelf", "", "Ann is in the west of tier three", "Ann@3W"),
    ("shelf", "", "Ann is in the column of Bob", "Ann in same_side(Bob)"),
    ("shelf", "", "Ann is not in the column of Bob", "Ann notin same_side(Bob)"),
    (
        "shelf",
        "",
        "a place straight above Ann is also down and left of Bob",
        "meet(over(Ann), lower_left(Bob))",
    ),
    ("shelf", "", "a place just right of Ann is also straight below Bob", "meet(right(Ann), under(Bob))"),
    ("booth", "", "梅一在兰二左边", "left(兰二) = 梅一"),
    ("booth", "", "兰二的右邻是梅一", "right(兰二) = 梅一"),
    ("booth", "", "梅一正对兰二", "across(兰二) = 梅一"),
    ("booth", "", "梅一斜对兰二", "diag(兰二) = 梅一"),
    ("booth", "", "梅一和兰二同排", "梅一 in beside(兰二)"),
    ("booth", "", "梅一和兰二不同排", "梅一 notin beside(兰二)"),
    ("booth", "", "梅一不正对兰二", "across(兰二) != 梅一"),
    ("booth", "", "梅一在兰二左前", "front_left(兰二) = 梅一"),
    ("booth", "NS", "梅一面向北", "faces(梅一) = N"),
    ("booth", "", "梅一正对兰二的左邻", "across(left(兰二)) = 梅一"),
    ("booth", "", "梅一的左邻正对兰二", "across(left(梅一)) = 兰二"),
    ("booth", "", "梅一斜对兰二的左邻", "diag(left(兰二)) = 梅一"),
    ("booth", "", "梅一的左邻斜对兰二", "diag(left(梅一)) = 兰二"),
    ("hexagon-in", "", "梅一在兰二右数第五位", "right(兰二, 5) = 梅一"),
    ("hexagon-in", "", "梅一在兰二逆时针第二位", "ccw(兰二, 2) = 梅一"),
    ("hexagon-in", "", "梅一在兰二对面", "across(兰二) = 梅一"),
    ("hexagon-in", "", "梅一紧邻兰二", "梅一 in beside(兰二)"),
    ("hexagon-in", "", "梅一不紧邻兰二", "梅一 notin beside(兰二)"),
    ("hexagon-in", "", "梅一与兰二隔一位", "梅一 in one_between(兰二)"),
    ("hexagon-in", "", "梅一在兰二左手一侧", "梅一 in left_side(兰二)"),
    ("hexagon-in", "EW", "梅一面向东北", "faces(梅一) = NE"),
    ("hexagon-in", "EW", "梅一在兰二以东北", "梅一 in northeast(兰二)"),
    ("hexagon-in", "NS", "梅一在兰二正北", "梅一 in due_north(兰二)"),
    ("hexagon-in", "", "梅一在兰二右数第二位的对面", "across(right(兰二, 2)) = 梅一"),
    ("shelf", "", "梅一在兰二同层左边", "left(兰二) = 梅一"),
    ("shelf", "", "梅一在兰二正上方两层", "up(兰二, 2) = 梅一"),
    ("shelf", "", "梅一在兰二正下方一层", "down(兰二) = 梅一"),
    ("shelf", "", "梅一在兰二正上方某层", "梅一 in over(兰二)"),
    ("shelf", "", "梅一和兰二在一层上", "梅一 in beside(兰二)"),
    ("shelf", "", "梅一与兰二差一层", "梅一 in tier_next(兰二)"),
    ("shelf", "", "梅一与兰二中间隔一层", "梅一 in tier_apart(兰二)"),
    ("shelf", "", "梅一在兰二的上面一层", "梅一 in tier_above(兰二)"),
    ("shelf", "", "梅一和兰二上下紧邻", "梅一 in stacked(兰二)"),
    ("shelf", "", "梅一在兰二左上", "梅一 in upper_left(兰二)"),
    ("shelf", "", "梅一在兰二右下两层", "梅一 in lower_right(兰二, 2)"),
    ("shelf", "", "梅一在兰二斜上", "梅一 in diag_above(兰二)"),
    ("shelf", "", "梅一比兰二高", "梅一 in above(兰二)"),
    ("shelf", "", "梅一比兰二低", "梅一 in below(兰二)"),
    ("shelf", "", "梅一在第二层上", "tier(梅一) = 2"),
    ("shelf", "", "梅一在东列", "column(梅一) = E"),
    ("shelf", "", "梅一在第二层东格", "梅一@2E"),
    ("shelf", "", "梅一和兰二同列", "梅一 in same_side(兰二)"),
    ("shelf", "", "梅一和兰二不同列", "梅一 notin same_side(兰二)"),
    ("shelf", "", "梅一的正上有一格也是兰二的左下", "meet(over(梅一), lower_left(兰二))"),
    ("shelf", "", "梅一的左邻有一格也是兰二的右上", "meet(left(梅一), upper_right(兰二))"),
]


def lang_of(text: str) -> Lang:
    return "en" if text.isascii() else "zh"


def opened(kind: Kind, compass: Compass, clue: str, question: str) -> SeatingProblem:
    lang = lang_of(clue)
    header = next(h for h, *scene in HEADERS if scene == [kind, compass] and h.isascii() == (lang == "en"))
    names = {"en": (FOUR, SIX), "zh": (四, 六)}[lang][kind != "booth"]
    text = f"{header.format((', ' if lang == 'en' else '、').join(names))}\n(1) {clue}.\n{question}."
    case = read_seating_problem(
        Problem(id="p", source="made", split="test", lang=lang, question=text, choices={"A": names[0]})
    )
    assert case is not None
    return case


@pytest.mark.parametrize(("header", "kind", "compass"), HEADERS)
def test_headers(header: str, kind: Kind, compass: Compass) -> None:
    lang = lang_of(header)
    names = {"en": (FOUR, SIX), "zh": (四, 六)}[lang][kind != "booth"]
    joined = (", " if lang == "en" else "、").join(names)
    assert recognise(lang, header.format(joined)) == (kind, compass, names)
    assert recognise(lang, header.format(joined) + {"en": " And a ghost.", "zh": "还有一人。"}[lang]) is None


@pytest.mark.parametrize(("kind", "compass", "sentence", "claim"), OWN)
def test_our_own_wordings(kind: Kind, compass: Compass, sentence: str, claim: str) -> None:
    case = opened(kind, compass, sentence, sentence.replace("Ann", "()").replace("梅一", "()"))
    clue, expected = case.clues[0], case.meaning(claim)
    assert clue is not None
    assert expected is not None
    assert clue.same(expected)
    asked = case.meaning(claim.replace("Ann", "?").replace("梅一", "?"))
    assert case.question is not None
    assert asked is not None
    assert case.question.same(asked)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("kind", ["booth", "hexagon-out", "hexagon-in", "shelf"])
def test_each_sentence_says_one_thing_that_is_a_claim(kind: Kind, lang: Lang) -> None:
    found = sentences(kind, lang)
    here = language(kind, "" if kind == "shelf" else "NS")
    for sentence, literal in found.items():
        masked = literal.replace(SLOTS[0], "\ue000").replace(SLOTS[1], "\ue001")
        assert here.meaning(masked) is not None, (sentence, literal)
        assert "?" not in sentence


@pytest.mark.parametrize(
    "clue", ["Ann is somewhere near Bob", "Zoe is left of Ann", "Ann is left of Bob or of Cal", "Ann is left of"]
)
def test_an_unknown_wording_stays_unread(clue: str) -> None:
    assert opened("booth", "", clue, "() is left of Ann").clues == (None,)


def test_a_question_mark_is_no_blank() -> None:
    assert opened("booth", "", "Ann is left of Bob", "() is left of Ann").question is not None
    assert opened("booth", "", "Ann is left of Bob", "? is left of Ann").question is None


def test_a_name_within_a_name_is_told_apart() -> None:
    text = """Shelf of three tiers, east on the left: Rose, Monthly Rose, Fern, Ivy, Oak, Elm.
(1) Monthly Rose is up and left of Rose.
() is on the tier of Monthly Rose."""
    case = read_seating_problem(
        Problem(id="p", source="made", split="test", lang="en", question=text, choices={"A": "Rose"})
    )
    assert case is not None
    expected = case.meaning("Monthly Rose in upper_left(Rose)")
    assert expected is not None
    assert case.clues[0] is not None
    assert case.clues[0].same(expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Booth: Ann, Bob, Cal, Dan.",
        "Booth: Ann, Bob, Cal.\n(1) Ann is left of Bob.\n() faces Ann.",
        "Booth: Ann, Ann, Cal, Dan.\n(1) Ann is left of Cal.\n() faces Ann.",
        "Booth: Ann, B(b, Cal, Dan.\n(1) Ann is left of Cal.\n() faces Ann.",
        "Booth: Ann, Bob, Cal, Dan.\n(2) Ann is left of Bob.\n() faces Ann.",
        f"Booth: Ann, Bob, Cal, Dan.\n({'1' * 5000}) Ann is left of Bob.\n() faces Ann.",
        "Booth: Ann, Bob, Cal, Dan.\n(1) Ann is left of Bob;\nand more\n() faces Ann.",
        "Couch: Ann, Bob, Cal, Dan.\n(1) Ann is left of Bob.\n() faces Ann.",
    ],
)
def test_what_is_no_problem_of_ours_is_not_opened(text: str) -> None:
    assert read_seating_problem(Problem(id="p", source="made", split="test", lang="en", question=text)) is None
