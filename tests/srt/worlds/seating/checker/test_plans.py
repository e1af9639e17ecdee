"""The plans against what one sees when one draws them."""

from __future__ import annotations

import pytest

from srt.worlds.seating.checker.arrangements import Arrangements
from srt.worlds.seating.checker.plans import Compass, Kind, plan

EVERY: list[tuple[Kind, Compass]] = [
    ("booth", ""),
    ("booth", "NS"),
    ("booth", "EW"),
    ("hexagon-out", ""),
    ("hexagon-out", "NS"),
    ("hexagon-out", "EW"),
    ("hexagon-in", ""),
    ("hexagon-in", "NS"),
    ("hexagon-in", "EW"),
    ("shelf", ""),
]


def leads(kind: Kind, compass: Compass, name: str, k: str, seat: str) -> str | None:
    here = plan(kind, compass)
    found = here.functions[name, k][here.seats.index(seat)]
    return None if found is None else here.seats[found]


def around(kind: Kind, compass: Compass, name: str, k: str, seat: str) -> set[str]:
    here = plan(kind, compass)
    return {here.seats[n] for n in here.regions[name, k][here.seats.index(seat)]}


@pytest.mark.parametrize(
    ("compass", "name", "seat", "other"),
    [
        ("", "right", "S1", "S2"),
        ("", "left", "S1", None),
        ("", "left", "N2", "N1"),
        ("", "across", "S1", "N2"),
        ("", "across", "N1", "S2"),
        ("", "diag", "S1", "N1"),
        ("", "front_right", "S1", "N1"),
        ("", "front_left", "S1", None),
        ("", "front_left", "S2", "N2"),
        ("EW", "across", "E1", "W2"),
        ("EW", "right", "W1", "W2"),
        ("NS", "front_right", "N1", "S1"),
    ],
)
def test_booth(compass: Compass, name: str, seat: str, other: str | None) -> None:
    assert leads("booth", compass, name, "", seat) == other


@pytest.mark.parametrize(
    ("kind", "compass", "name", "k", "seat", "other"),
    [
        ("hexagon-out", "NS", "right", "", "N", "NE"),
        ("hexagon-in", "NS", "right", "", "N", "NW"),
        ("hexagon-out", "EW", "left", ", 2", "E", "NW"),
        ("hexagon-in", "EW", "left", ", 2", "E", "SW"),
        ("hexagon-out", "", "right", ", 5", "P1", "P6"),
        ("hexagon-in", "", "cw", ", 3", "P2", "P5"),
        ("hexagon-in", "", "ccw", ", 4", "P2", "P4"),
        ("hexagon-out", "EW", "across", "", "NE", "SW"),
    ],
)
def test_hexagon_functions(kind: Kind, compass: Compass, name: str, k: str, seat: str, other: str) -> None:
    assert leads(kind, compass, name, k, seat) == other


@pytest.mark.parametrize(
    ("kind", "compass", "name", "seat", "seats"),
    [
        ("hexagon-out", "", "beside", "P1", {"P2", "P6"}),
        ("hexagon-in", "", "one_between", "P1", {"P3", "P5"}),
        ("hexagon-out", "", "right_side", "P1", {"P2", "P3"}),
        ("hexagon-in", "", "right_side", "P1", {"P6", "P5"}),
        ("hexagon-out", "NS", "north", "SE", {"N", "NE", "NW"}),
        ("hexagon-out", "NS", "east", "N", {"NE", "SE"}),
        ("hexagon-out", "NS", "due_south", "NE", {"SE"}),
        ("hexagon-out", "NS", "due_south", "N", {"S"}),
        ("hexagon-out", "EW", "due_west", "NE", {"NW"}),
        ("hexagon-in", "EW", "southeast", "NW", {"E", "SE"}),
        ("hexagon-in", "NS", "northwest", "S", {"SW", "NW"}),
    ],
)
def test_hexagon_regions(kind: Kind, compass: Compass, name: str, seat: str, seats: set[str]) -> None:
    assert around(kind, compass, name, "", seat) == seats


@pytest.mark.parametrize(
    ("name", "k", "seat", "seats"),
    [
        ("left", "", "2W", {"2E"}),
        ("left", "", "2E", set()),
        ("beside", "", "2E", {"2W"}),
        ("above", "", "1E", {"2E", "2W", "3E", "3W"}),
        ("tier_above", "", "1E", {"2E", "2W"}),
        ("tier_next", "", "2W", {"1E", "1W", "3E", "3W"}),
        ("tier_apart", "", "3W", {"1E", "1W"}),
        ("stacked", "", "2E", {"1E", "3E"}),
        ("over", "", "1W", {"2W", "3W"}),
        ("upper_left", "", "1W", {"2E", "3E"}),
        ("upper_left", ", 2", "1W", {"3E"}),
        ("upper_left", "", "1E", set()),
        ("lower_right", ", 1", "3E", {"2W"}),
        ("diag_below", "", "3W", {"1E", "2E"}),
        ("same_side", "", "2W", {"1W", "3W"}),
    ],
)
def test_shelf_regions(name: str, k: str, seat: str, seats: set[str]) -> None:
    assert around("shelf", "", name, k, seat) == seats


def test_up_and_down_count_exactly() -> None:
    assert leads("shelf", "", "up", ", 2", "1E") == "3E"
    assert leads("shelf", "", "up", "", "3E") is None
    assert leads("shelf", "", "down", "", "3W") == "2W"


@pytest.mark.parametrize(
    ("kind", "seat", "direction"), [("hexagon-out", "NE", "NE"), ("hexagon-in", "NE", "SW"), ("booth", "N1", "S")]
)
def test_who_faces_where(kind: Kind, seat: str, direction: str) -> None:
    here = plan(kind, "NS")
    assert here.faces[here.seats.index(seat)] == direction


@pytest.mark.parametrize(("kind", "compass"), EVERY)
def test_a_symmetry_is_a_rotation_of_the_bits_and_changes_no_relation(kind: Kind, compass: Compass) -> None:
    here = plan(kind, compass)
    world = Arrangements(here)
    assert len(set(world.placements)) == len(world.placements) == (24 if kind == "booth" else 720)
    turns = {"booth": 2, "shelf": 1}.get(kind, 6) if not compass else 1
    assert world.turns == turns
    if here.turn is None:
        return
    step = len(world.placements) // turns
    for number, placement in enumerate(world.placements):
        turned = world.placements[(number + step) % len(world.placements)]
        assert turned == tuple(here.turn[seat] for seat in placement)
    for function in here.functions.values():
        for seat, other in enumerate(function):
            assert function[here.turn[seat]] == (None if other is None else here.turn[other])
    for region in here.regions.values():
        for seat, seats in enumerate(region):
            assert region[here.turn[seat]] == {here.turn[other] for other in seats}
    assert world.up_to_symmetry(world.at[0][0]) == world.full if kind != "booth" else True
