"""The plan is well-formed whatever the names are, and shows everybody where they sit."""

from __future__ import annotations

import itertools
import math
from xml.etree import ElementTree

import pytest

from srt.worlds.seating.reading.problem_reader import Puzzle
from srt.worlds.seating.relations import neighbour
from srt.worlds.seating.scenes import SCENES, Scene
from srt.worlds.seating.writing.scene_svg import draw

HOSTILE = ["<script>alert(1)</script>", '" onload="x', "a&b;]]>", "\x00\x1b\ud800x", "李" * 60, "-->\u202e"]
every_scene = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: f"{scene.kind}-{scene.compass}")
SVG = "{http://www.w3.org/2000/svg}"


def puzzle(scene: Scene, lang: str = "en", names: list[str] | None = None) -> Puzzle:
    people = names or ["Ann", "Bob", "Cal", "Dee", "Eve", "Fay"]
    return Puzzle(scene, tuple(people[: len(scene.seats)]), (), (), {}, lang)  # type: ignore[arg-type]


def texts(svg: str) -> dict[str, tuple[float, float]]:
    """Every text of the picture and where it stands; of two that are alike, the first (the rose comes last)."""
    root = ElementTree.fromstring(svg.encode())
    found = [(str(t.text), (float(t.attrib["x"]), float(t.attrib["y"]))) for t in root.iter(f"{SVG}text")]
    return dict(reversed(found))


@every_scene
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_names_and_seats_are_shown(scene: Scene, lang: str) -> None:
    placed = puzzle(scene, lang)
    svg = draw(placed, dict(zip(placed.names, scene.seats, strict=True)))
    shown = texts(svg)
    assert set(placed.names) <= set(shown)
    assert set(scene.seats) <= set(shown)
    empty = texts(draw(placed))
    assert set(scene.seats) <= set(empty)
    assert not set(placed.names) & set(empty)
    assert svg == draw(placed, dict(zip(placed.names, scene.seats, strict=True)))


@every_scene
def test_hostile_names_stay_text(scene: Scene) -> None:
    placed = puzzle(scene, names=HOSTILE)
    root = ElementTree.fromstring(draw(placed, dict(zip(placed.names, scene.seats, strict=True))).encode())
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "title", "rect", "circle", "polygon", "text"}
    assert not any(name.startswith("on") for element in root.iter() for name in element.attrib)


@every_scene
def test_the_plan_agrees_with_the_relations(scene: Scene) -> None:
    """Left, right and across in the picture are what they are in the world."""
    centre = {seat: at for seat, at in texts(draw(puzzle(scene))).items() if seat in scene.seats}
    if scene.kind == "shelf":
        assert centre["1E"][0] < centre["1W"][0]
        assert centre["3E"][1] < centre["1E"][1]
        return
    middle = tuple(sum(at[i] for at in centre.values()) / len(centre) for i in (0, 1))
    for one, other in itertools.permutations(scene.seats, 2):
        outward = (centre[one][0] - middle[0], centre[one][1] - middle[1])
        if scene.kind == "booth":  # a sitter faces the other bench, square on
            across = centre[str(neighbour(scene, "across", one))]
            faces = (across[0] - centre[one][0], across[1] - centre[one][1])
        else:
            faces = outward if scene.kind == "hexagon-out" else (-outward[0], -outward[1])
        way = (centre[other][0] - centre[one][0], centre[other][1] - centre[one][1])
        rightward = faces[0] * way[1] - faces[1] * way[0]  # y points down: positive is to the right
        if neighbour(scene, "right", one) == other:
            assert rightward > 0
        if neighbour(scene, "left", one) == other:
            assert rightward < 0
        if scene.kind != "booth" and neighbour(scene, "across", one) == other:
            assert math.isclose(math.hypot(*way), 320, abs_tol=0.1)


@every_scene
def test_marks_point_where_sitters_look(scene: Scene) -> None:
    if scene.kind == "shelf":
        assert "<polygon" not in draw(puzzle(scene))
        return
    root = ElementTree.fromstring(draw(puzzle(scene)).encode())
    seats = [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in root.iter(f"{SVG}circle") if c.attrib["r"] == "40"]
    polygons = [
        [tuple(map(float, corner.split(","))) for corner in p.attrib["points"].split()]
        for p in root.iter(f"{SVG}polygon")
    ]
    middle = tuple(sum(seat[i] for seat in seats) / len(seats) for i in (0, 1))
    marks = [
        corners for corners in polygons if any(math.isclose(math.dist(corners[0], s), 52, abs_tol=0.1) for s in seats)
    ]
    assert len(marks) == len(seats)
    for tip in (corners[0] for corners in marks):
        seat = min(seats, key=lambda s: math.dist(s, tip))
        inward = math.dist(tip, middle) < math.dist(seat, middle)
        assert inward == (scene.kind != "hexagon-out")


def test_a_rose_stands_where_there_is_a_compass() -> None:
    for scene in SCENES:
        shown = texts(draw(puzzle(scene, "zh")))
        assert ("北" in shown) == (scene.compass != "none")
