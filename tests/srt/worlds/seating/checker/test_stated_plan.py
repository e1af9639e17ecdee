"""The plan of a text is read in many forms, and none is read where the text states none."""

from __future__ import annotations

import random
import time

import pytest

from srt.worlds.seating.checker.plans import Plan, plan
from srt.worlds.seating.checker.reading.stated_plan import LONGEST, stated_plan

BOOTH, RING, NORTH, SHELF = plan("booth", ""), plan("hexagon-out", ""), plan("hexagon-in", "NS"), plan("shelf", "")
FOUR = ("Ana", "Bo", "Anabel Lee", "Di")
SIX = ("Ana", "Bo", "Cy", "Di", "Ed", "Flo")
SIX_ZH = ("小玲", "小军", "建国", "阿珍", "阿强", "大力")
IN_ORDER: list[tuple[Plan, tuple[str, ...], str]] = [
    (BOOTH, FOUR, "S1: Ana, S2: Bo, N1: Anabel Lee, N2: Di"),
    (BOOTH, FOUR, "Ana S1, Bo S2 / Ana S2, Bo S1. Ana S1, Bo S2. Anabel Lee N1. Di N2."),
    (BOOTH, FOUR, "Ana is at S1 or S2.\nBo sits at S2; Anabel Lee is in seat N1, Di must be at N2, so Ana is at S1."),
    (BOOTH, FOUR, "Ana's seat is S1. Bo's: S2. Seat N1 is Anabel Lee. Di@N2. N1 is Di's neighbour on the same side."),
    (BOOTH, SIX_ZH[:4], "小玲位于S1，小军在S2，N1是建国，阿珍坐N2。S1是小军的左邻，建国在S2的对面。"),
    (BOOTH, FOUR, "S1 goes to Ana and S2 to Bo. Anabel Lee takes N1. Seat N2 is taken by Di."),
    (BOOTH, FOUR, '{"S1": "Ana", "S2": "Bo", "N1": "Anabel Lee", "N2": "Di"}'),
    (BOOTH, FOUR, '{"Ana": "S1", "Bo": "S2", "Anabel Lee": "N1", "Di": "N2"}'),
    (BOOTH, FOUR, "Suppose Bo is at S1. That fails.\n- **Ana** → S1\n- **Bo** → S2\n- Anabel Lee (N1)\n- Di – N2"),
    (BOOTH, FOUR, "Ana@S1 | Ana@N1\nAna@S1 & Bo@S2 & Anabel Lee@N1 & Di@N2\n?@S1 | Di@N2 & ?@N1\n? = Ana"),
    (RING, SIX, "1: Ana, 2: Bo, 3: Cy, 4: Di, 5: Ed, 6: Flo"),
    (RING, SIX, "1: Ana\n2: Bo\n3: Cy\n4: Di\n5: Ed\n6: Flo"),
    (RING, SIX, "| 1 | 2 | 3 | 4 | 5 | 6 |\n|---|---|---|---|---|---|\n| Ana | Bo | Cy | Di | Ed | Flo |"),
    (RING, SIX, "| Ana | Bo | Cy | Di | Ed | Flo |\n|:--|---|---|---|---|---|\n| P1 | P2 | P3 | P4 | P5 | P6 |"),
    (RING, SIX, "| seat | who |\n|---|---|\n|P1|Ana|\n|P2|Bo|\n| P3 | Cy |\n| P4 | Di |\n| P5 | Ed |\n| P6 | Flo |"),
    (RING, SIX, "So the order, clockwise, is: Ana, Bo, Cy, Di, Ed, and Flo."),
    (RING, SIX, "Counterclockwise: Ana → Flo → Ed → Di → Cy → Bo"),
    (RING, SIX_ZH, "顺时针依次为：小玲、小军、建国、阿珍、阿强、大力。"),
    (RING, SIX_ZH, "1号位是小玲，2号位是小军，3号位是建国，4号位是阿珍，5号位是阿强，6号位是大力。"),
    (NORTH, SIX, "North: Ana; northeast: Bo; southeast: Cy; south: Di; south-west: Ed; northwest: Flo"),
    (NORTH, SIX, "Cy is south of Ana. Ana is in the north, Bo in the northeast, Cy (SE), Di at S, Ed = SW, Flo is NW."),
    (NORTH, SIX, "N: Ana, NE: Bo, SE: Cy, S: Di, SW: Ed, NW: Flo. Ana is northwest of Bo; Di is to the south of Ana."),
    (NORTH, SIX, "Clockwise from the north: Ana, Bo, Cy, Di, Ed, Flo"),
    (NORTH, SIX_ZH, "北：小玲，东北：小军，东南：建国，南：阿珍，西南：阿强，西北：大力。小玲在大力的东边。"),
    (NORTH, SIX_ZH, "小玲在正北，小军在东北，建国坐在东南，阿珍位于南边，阿强在西南，大力在西北边。阿珍面向北。"),
    (SHELF, SIX, "Tier 1: Ana, Bo\nTier 2: Cy, Di\nTier 3: Ed, Flo"),
    (SHELF, SIX, "Top tier (left to right): Ed, Flo. Middle tier: Cy and Di. Bottom tier: Ana, Bo."),
    (SHELF, SIX, "| tier | east | west |\n|---|---|---|\n| 3 | Ed | Flo |\n| 2 | Cy | Di |\n| 1 | Ana | Bo |"),
    (SHELF, SIX, "Ana is in the east of tier one, Bo on tier 1, west; Cy is on the second tier, east side; "
     "Di is at 2W; Ed 3E; Flo is on the top tier on the right."),
    (SHELF, SIX_ZH, "第一层：小玲、小军\n第二层：建国、阿珍\n第三层：阿强、大力"),
    (SHELF, SIX_ZH, "小玲在底层东格，小军在第一层西侧，建国在二层左侧，阿珍在二层右侧，阿强在3层东侧，大力在顶层西。"),
]  # fmt: skip
"""Whom each seats in the order of the seats."""


@pytest.mark.parametrize(("scene", "names", "text"), IN_ORDER)
def test_sentences_lists_and_tables_state_a_plan(scene: Plan, names: tuple[str, ...], text: str) -> None:
    assert stated_plan(text, names, scene) == tuple(range(len(names)))


WHOLE = "S1: Ana, S2: Bo, N1: Anabel Lee, N2: Di"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "S1: Ana, S2: Bo, N1: Anabel Lee",
        "S1: Ana, S2: Bo, N1: Anabel Lee, N2: Ana",
        "S1: Ana, S1: Bo, N1: Anabel Lee, N2: Di",
        "Ana@S1 & Bo@S2 & Anabel Lee@N1 & Di@N2 | Ana@S1 & Bo@S2 & Anabel Lee@N2 & Di@N1",
        f"Either {WHOLE}, or S1: Bo, S2: Ana, N1: Di, N2: Anabel Lee",
        f"{WHOLE}. Ana is not at S1.",
        f"{WHOLE}. 但Ana不在S1。",
        f"{WHOLE}. Zed is at S1.",
        f"{WHOLE}. S1: Zed",
        f"{WHOLE}. Bo is at S1.",
        "A: Ana, B: Bo, C: Anabel Lee, D: Di",
        "Ana, Bo, Anabel Lee and Di sit at S1, S2, N1 and N2.",
        "S1: Anastasia, S2: Bob, N1: Anabel Lee, N2: Diana",
        "S1: \ue000, S2: \ue001, N1: \ue002, N2: \ue003",
        f"{WHOLE}." + " " * LONGEST,
    ],
)
def test_what_is_no_plan_is_not_read_as_one(text: str) -> None:
    assert stated_plan(text, FOUR, BOOTH) is None


@pytest.mark.parametrize(
    "said",
    [
        "Ann is at S1 and S2",
        "Ann is at S1 or S2",
        "Ann@S1|S2",
        "Ann@S1/S2",
        "not Ann@S1",
        "¬Ann@S1",
        "!Ann@S1",
        "Ann@S1 is false",
        "Ann@S1 (wrong)",
        "Ann@S1, which is wrong",
        "Ann@S1 ❌",
        "Ann@S1@S2",
        "Ann在S1或S2",
        "Ann在S1对面",
        "Ann在S1旁边",
        "anyone but Ann is at S1",
        "It is not true that Ann is at S1",
        "Is Ann at S1?",
        "Ann is at S1?",
        "Ann is at S1 or Bob is at S2",
        "Ann@S1 | Bob@S2",
    ],
)
def test_a_person_is_seated_by_a_plain_pair_alone(said: str) -> None:
    names, others = ("Ann", "Bob", "Cy", "Di"), "Bob@S2. Cy@N1. Di@N2."
    assert stated_plan(f"Ann@S1. {others}", names, BOOTH) == (0, 1, 2, 3)
    assert stated_plan(f"{said}. {others}", names, BOOTH) is None
    assert stated_plan(f"Ann@S1. {others} {said}. Bob@S2.", names, BOOTH) is None
    assert stated_plan(f"{said}. Ann@S1. {others}", names, BOOTH) == (0, 1, 2, 3)


@pytest.mark.parametrize(
    "said",
    [
        "Ann isn't at S1",
        "Ann is never at S1",
        "Ann does not sit at S1",
        "Ann并不在S1",
        "Ann不可能在S1",
        "Ann != S1",
        "Nobody is at S1",
        "S1空着",
        "Whoever is at S1 is not Ann",
        "anyone but Bob is at S2",
        "Ann moves to S2",
        "S2 belongs to Ann",
        "Ann其实在S2",
        "坐在S2的是Ann",
        "Swap Ann and Bob",
        "Ann和Bob互换",
        "Swap S1 and S2",
        "Ann is at s2",
        "Ann is at S_2",
        "Ann is at S_{2}",
        "Ann is at S 2",
        "Ann is at S-2",
        "Ann is at S\uff12",
        "Ann is at S\u2082",
        "Ann is at S\u200b2",
        "A\u200bnn is at S2",
        "S\u200bwap Ann and Bob",
        "Ann and Bob the other way round",
        "Ann and Bob are reversed",
        "Replace Ann by Bob and Bob by Ann",
        "Ann ↔ Bob",
        "Ann takes Bob's place and Bob takes Ann's place",
        "In fact Ann has the seat of Bob and Bob has the seat of Ann",
        "Bob sits where Ann was and Ann where Bob was",
    ],
)
def test_a_plan_that_is_denied_or_changed_afterwards_is_open(said: str) -> None:
    plan = "Ann@S1 & Bob@S2 & Cy@N1 & Di@N2"
    assert stated_plan(f"{plan}\n{said}.", ("Ann", "Bob", "Cy", "Di"), BOOTH) is None
    assert stated_plan(f"{said}.\n{plan}", ("Ann", "Bob", "Cy", "Di"), BOOTH) == (0, 1, 2, 3)


@pytest.mark.parametrize("said", ["Ann is right of Bob", "Ann is in seat S1", "Ann's 2 neighbours are Bob and Cy"])
def test_what_is_said_of_people_otherwise_leaves_the_plan(said: str) -> None:
    plan = "Ann@S1 & Bob@S2 & Cy@N1 & Di@N2"
    assert stated_plan(f"{plan}\n{said}.", ("Ann", "Bob", "Cy", "Di"), BOOTH) == (0, 1, 2, 3)


def test_the_last_plan_counts() -> None:
    other = "S1: Di, S2: Anabel Lee, N1: Bo, N2: Ana"
    assert stated_plan(f"{WHOLE}. {other}.", FOUR, BOOTH) == (3, 2, 1, 0)
    assert stated_plan(f"{other}\n{WHOLE}", FOUR, BOOTH) == (0, 1, 2, 3)


def test_any_text_is_read_in_linear_time() -> None:
    pieces = [
        "Ana",
        "is",
        " ",
        "at ",
        "S1",
        "not ",
        "|",
        ":",
        "(",
        "clockwise",
        "north",
        "tier 1",
        "第三层",
        "在",
        "-",
        "\n",
        "1",
    ]
    rng = random.Random(0)
    texts = [piece * 10_000 for piece in pieces] + ["".join(rng.choices(pieces, k=10_000)) for _ in range(5)]
    for scene, names in ((BOOTH, FOUR), (RING, SIX), (NORTH, SIX_ZH), (SHELF, SIX)):
        for text in texts:
            start = time.process_time()
            stated_plan(text, names, scene)
            assert time.process_time() - start < 0.5, text[:40]
