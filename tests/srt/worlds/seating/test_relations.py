"""What relations mean, in scenes drawn by hand; and the sets of placements against the same meaning."""

from __future__ import annotations

import contextlib

import pytest

from srt.worlds.seating.claim_language import FUNCTIONS, REGIONS, parse_claim
from srt.worlds.seating.derivation.masks import masks_of
from srt.worlds.seating.relations import asked_set, attribute, holds, neighbour, region_seats
from srt.worlds.seating.scenes import SCENES, Scene

BOOTH = Scene("booth", "none")
OUT = Scene("hexagon-out", "none")
IN_NS = Scene("hexagon-in", "NS")
OUT_EW = Scene("hexagon-out", "EW")
SHELF = Scene("shelf", "none")


def test_there_are_ten_scenes_with_their_symmetries() -> None:
    assert len(set(SCENES)) == 10
    assert [len(scene.symmetries) for scene in SCENES] == [2, 1, 1, 6, 1, 1, 6, 1, 1, 1]
    assert BOOTH.symmetries == ((0, 1, 2, 3), (2, 3, 0, 1))


@pytest.mark.parametrize(
    ("scene", "function", "seat", "k", "found"),
    [
        (BOOTH, "right", "S1", 1, "S2"),
        (BOOTH, "right", "S2", 1, None),
        (BOOTH, "left", "N2", 1, "N1"),
        (BOOTH, "across", "S1", 1, "N2"),
        (BOOTH, "diag", "S1", 1, "N1"),
        (BOOTH, "front_right", "S1", 1, "N1"),
        (BOOTH, "front_left", "S1", 1, None),
        (BOOTH, "front_left", "S2", 1, "N2"),
        (OUT, "right", "P1", 2, "P3"),
        (OUT, "left", "P1", 1, "P6"),
        (OUT, "cw", "P5", 3, "P2"),
        (IN_NS, "right", "N", 1, "NW"),
        (IN_NS, "left", "N", 5, "NW"),
        (IN_NS, "ccw", "N", 1, "NW"),
        (IN_NS, "across", "NE", 1, "SW"),
        (SHELF, "left", "2W", 1, "2E"),
        (SHELF, "left", "2E", 1, None),
        (SHELF, "up", "1E", 2, "3E"),
        (SHELF, "down", "1E", 1, None),
    ],
)
def test_functions(scene: Scene, function: str, seat: str, k: int, found: str | None) -> None:
    assert neighbour(scene, function, seat, k) == found


@pytest.mark.parametrize(
    ("scene", "region", "seat", "k", "found"),
    [
        (BOOTH, "beside", "S1", 0, {"S2"}),
        (OUT, "beside", "P1", 0, {"P2", "P6"}),
        (OUT, "one_between", "P1", 0, {"P3", "P5"}),
        (OUT, "right_side", "P1", 0, {"P2", "P3"}),
        (IN_NS, "right_side", "N", 0, {"NW", "SW"}),
        (IN_NS, "south", "NE", 0, {"SE", "S", "SW"}),
        (IN_NS, "east", "N", 0, {"NE", "SE"}),
        (IN_NS, "due_south", "NE", 0, {"SE"}),
        (IN_NS, "southwest", "N", 0, {"NW", "SW"}),
        (OUT_EW, "due_east", "W", 0, {"E"}),
        (OUT_EW, "northeast", "SW", 0, {"NE", "E"}),
        (SHELF, "beside", "1E", 0, {"1W"}),
        (SHELF, "above", "2E", 0, {"3E", "3W"}),
        (SHELF, "tier_below", "3W", 0, {"2E", "2W"}),
        (SHELF, "tier_next", "2E", 0, {"1E", "1W", "3E", "3W"}),
        (SHELF, "tier_apart", "1E", 0, {"3E", "3W"}),
        (SHELF, "stacked", "1E", 0, {"2E"}),
        (SHELF, "over", "1E", 0, {"2E", "3E"}),
        (SHELF, "upper_left", "1W", 0, {"2E", "3E"}),
        (SHELF, "upper_left", "1W", 2, {"3E"}),
        (SHELF, "upper_left", "1E", 0, set()),
        (SHELF, "lower_right", "3E", 1, {"2W"}),
        (SHELF, "diag_below", "2W", 0, {"1E"}),
        (SHELF, "same_side", "2W", 0, {"1W", "3W"}),
        (SHELF, "right", "2E", 0, {"2W"}),
    ],
)
def test_regions(scene: Scene, region: str, seat: str, k: int, found: set[str]) -> None:
    assert region_seats(scene, region, seat, k) == found


def test_nobody_is_in_a_region_around_themselves() -> None:
    known = 0
    for scene in SCENES:
        for region in REGIONS:
            with contextlib.suppress(ValueError):
                table = {seat: region_seats(scene, region, seat) for seat in scene.seats}
                assert not any(seat in inside for seat, inside in table.items())
                known += 1
    assert known == 3 + 6 * 4 + 4 * 12 + 19


def test_what_means_nothing_is_an_error_not_a_falsehood() -> None:
    for scene, text, word in [
        (BOOTH, "cw(Ada) = Ben", "'cw'"),
        (OUT, "Ada in north(Ben)", "'north'"),
        (SHELF, "faces(Ada) = N", "'faces'"),
        (BOOTH, "tier(Ada) = 1", "'tier'"),
    ]:
        with pytest.raises(ValueError, match=word):
            holds(parse_claim(text), scene, dict(zip(["Ada", "Ben", "Cleo", "Dov"], scene.seats, strict=False)))


def test_facing() -> None:
    assert attribute(Scene("booth", "NS"), "faces", "S1") == "N"
    assert attribute(OUT_EW, "faces", "NE") == "NE"
    assert attribute(IN_NS, "faces", "NE") == "SW"


def test_blanks_and_negation() -> None:
    placement = {"Ada": "S1", "Ben": "S2", "Cleo": "N1", "Dov": "N2"}
    for text, filled in [
        ("? = across(right(Ada))", {"Cleo"}),
        ("? = left(Ada)", set()),
        ("? notin beside(Ada)", {"Cleo", "Dov"}),
        ("across(Ada) != ?", {"Ben", "Cleo"}),
        ("across(?) != Ada", {"Ben", "Cleo"}),
        ("?@N1 | ?@S2", {"Ben", "Cleo"}),
        ("? = none", set()),
        ("? = Ada | ? = Dov", {"Ada", "Dov"}),
    ]:
        assert asked_set(parse_claim(text), BOOTH, placement) == filled, text
    assert not holds(parse_claim("left(Ada) != Cleo"), BOOTH, placement), "nobody is on her left"
    with pytest.raises(ValueError, match="Eli"):
        holds(parse_claim("Eli@N1"), BOOTH, placement)
    with pytest.raises(ValueError, match="options"):
        holds(parse_claim("options = {A}"), BOOTH, placement)


def test_sets_of_placements_say_what_holds_says() -> None:
    names = ["Ada", "Ben", "Cleo", "Dov", "Eli", "Fay"]
    for scene in (BOOTH, Scene("booth", "EW"), OUT_EW, SHELF):
        masks, here = masks_of(scene), names[: len(scene.seats)]
        index = {name: number for number, name in enumerate(here)}
        texts = [f"{function}(Cleo) = Ada" for function in FUNCTIONS] + [f"{f}(Ada) != Ada" for f in FUNCTIONS]
        texts += [f"Dov {word} {region}(Ben)" for region in REGIONS for word in ("in", "notin")]
        texts += ["Ada@1E", "Ben@E1", "faces(Cleo) = W", "tier(Dov) = 2", "column(Ada) = W", "across(right(Ada)) = Ben"]
        texts += ["meet(left(Ada), upper_left(Ben))", "meet(over(Ada), under(Ada))", "diag(left(Ada)) != left(Ben)"]
        for claim in map(parse_claim, texts):
            try:
                meaning = masks.meaning(claim, index)
            except ValueError:
                continue
            for bit, seats in enumerate(masks.placements[::7]):
                placement = {name: scene.seats[seat] for name, seat in zip(here, seats, strict=True)}
                assert bool((meaning.places & meaning.relations) >> (7 * bit) & 1) == holds(claim, scene, placement)
