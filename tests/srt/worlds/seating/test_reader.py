"""The reader: our own wordings, scene texts of both styles, the published files, and every way to be refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.io.records import Problem
from srt.worlds.seating.claim_language import format_claim
from srt.worlds.seating.reading import problem_reader as reader
from srt.worlds.seating.reading.pattern_notation import SLOTS
from srt.worlds.seating.reading.patterns import all_readings
from srt.worlds.seating.reading.problem_reader import read_problem, read_scene, split_at_names
from srt.worlds.seating.scenes import Compass, Kind, Scene
from srt.worlds.world import Refused

FOUR = "Ada, Ben Ray, Cleo, Dov"
SIX = "Ada, Ben Ray, Cleo, Dov, Eli, Fay"
VIER = "甲一、乙二、丙、丁"
SECHS = "甲一、乙二、丙、丁、戊、己"
NS_SEATS = "N NE SE S SW NW"
EW_SEATS = "NE E SE SW W NW"

SCENE_TEXTS: list[tuple[str, str, Kind, Compass]] = [
    ("en", f"Booth: {FOUR}.", "booth", "none"),
    ("en", f"Booth, benches on the north and south sides: {FOUR}.", "booth", "NS"),
    ("en", f"Booth, benches on the east and west sides: {FOUR}.", "booth", "EW"),
    ("en", f"Ring of six facing out: {SIX}.", "hexagon-out", "none"),
    ("en", f"Ring of six facing in, seats {NS_SEATS}: {SIX}.", "hexagon-in", "NS"),
    ("en", f"Ring of six facing out, seats {EW_SEATS}: {SIX}.", "hexagon-out", "EW"),
    ("en", f"Shelf of three tiers, east on the left: {SIX}.", "shelf", "none"),
    (
        "en",
        f"{FOUR} share a booth: two benches face each other across a table, with two seats on each.",
        "booth",
        "none",
    ),
    (
        "en",
        f"{FOUR} share a booth: two benches face each other across a table, with two seats on each. "
        "One bench is on the east side of the table, the other on the west side.",
        "booth",
        "EW",
    ),
    (
        "en",
        f"{SIX} stand at the six corners of a regular hexagon, all facing away from its centre. "
        "The corners lie to the north, northeast, southeast, south, southwest and northwest of the centre.",
        "hexagon-out",
        "NS",
    ),
    (
        "en",
        f"{SIX} stand at the six corners of a regular hexagon, all facing its centre. "
        "The corners lie to the northeast, east, southeast, southwest, west and northwest of the centre.",
        "hexagon-in",
        "EW",
    ),
    (
        "en",
        f"{SIX} stand on a shelf with three tiers, numbered from the bottom, and two places on each tier. "
        "To the viewer, east is on the left and west is on the right.",
        "shelf",
        "none",
    ),
    ("zh", f"卡座：{VIER}。", "booth", "none"),
    ("zh", f"卡座，南北两排：{VIER}。", "booth", "NS"),
    ("zh", f"六人环坐，面朝外：{SECHS}。", "hexagon-out", "none"),
    ("zh", f"六人环坐，面朝内，座位为东北、东、东南、西南、西、西北：{SECHS}。", "hexagon-in", "EW"),
    ("zh", f"三层花架，左东右西：{SECHS}。", "shelf", "none"),
    ("zh", f"{VIER}同坐一个卡座：两排座位隔桌相对，每排两座。一排在桌子东侧，另一排在西侧。", "booth", "EW"),
    (
        "zh",
        f"{SECHS}站在正六边形的六个顶点上，都面向中心。六个顶点分别在中心的北、东北、东南、南、西南、西北方。",
        "hexagon-in",
        "NS",
    ),
    ("zh", f"{SECHS}摆在一个三层的架子上，从下往上数，每层两格。从观者看，东在左，西在右。", "shelf", "none"),
]


def booth(clues: Sequence[str], ask: str = "() faces Ada.", **changes: object) -> Problem:
    lines = [f"Booth: {FOUR}.", *(f"({n}) {clue};" for n, clue in enumerate(clues, 1)), ask]
    fields: dict[str, object] = {
        "id": "p",
        "source": "test",
        "split": "test",
        "lang": "en",
        "question": "\n".join(lines),
        "choices": {"A": "Ada", "B": "Ben Ray", "C": "Cleo", "D": "None of the above"},
    }
    return Problem.model_validate(fields | changes)


@pytest.mark.parametrize(("lang", "text", "kind", "compass"), SCENE_TEXTS)
def test_scene_texts_of_our_own(lang: str, text: str, kind: Kind, compass: Compass) -> None:
    scene, names = read_scene(text, lang)  # type: ignore[arg-type]
    assert scene == Scene(kind, compass)
    assert names[:2] == (("Ada", "Ben Ray") if lang == "en" else ("甲一", "乙二"))
    assert len(names) == len(scene.seats)


def test_own_wordings(own_wordings: list[tuple[str, str, str, str]]) -> None:
    assert len(own_wordings) > 90
    for lang, family, wording, claim in own_wordings:
        readings = all_readings(lang, family, wording.format(X=SLOTS[0], Y=SLOTS[1]))  # type: ignore[arg-type]
        found = {format_claim(reading) for reading in readings}
        assert found == {claim.format(X=SLOTS[0], Y=SLOTS[1])}, wording


def test_a_whole_problem() -> None:
    puzzle = read_problem(
        booth(["Ben Ray's left neighbour is Ada", "Dov is right of Cleo"], "the right neighbour of () faces Dov.")
    )
    assert puzzle.names == ("Ada", "Ben Ray", "Cleo", "Dov")
    assert [(clue.number, format_claim(clue.claim)) for clue in puzzle.clues] == [
        (1, "left(Ben Ray) = Ada"),
        (2, "right(Cleo) = Dov"),
    ]
    assert puzzle.clues[0].text == "Ben Ray's left neighbour is Ada;"
    assert format_claim(puzzle.question) == "across(right(?)) = Dov"
    assert puzzle.options == {"A": "Ada", "B": "Ben Ray", "C": "Cleo", "D": None}


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("() faces the left neighbour of Ada.", "? = across(left(Ada))"),
        ("( ) does not face Ada", "across(Ada) != ?"),
        ("Ada does not share a bench with （）。", "Ada notin beside(?)"),
    ],
)
def test_the_blank_stands_first_where_it_stands_alone(question: str, claim: str) -> None:
    assert format_claim(read_problem(booth(["Ada is left of Dov"], question)).question) == claim


def test_a_name_is_not_found_inside_a_longer_one() -> None:
    text = "Booth: Ann, Annabel, Ann Lee, Bo.\n(1) Annabel is left of Ann Lee;\n(2) Ann faces Annabel;\n() faces Ann."
    choices = {"A": "Ann", "B": "Annabel", "C": "Ann Lee", "D": "Bo"}
    clues = read_problem(booth([], question=text, choices=choices)).clues
    assert [format_claim(clue.claim) for clue in clues] == ["left(Ann Lee) = Annabel", "across(Annabel) = Ann"]


@pytest.mark.parametrize(
    ("problem", "reason", "detail"),
    [
        (booth(["Ada sits near Dov"]), "unknown_wording", "clue (1): no known wording: 'Ada sits near Dov;'"),
        (booth(["Ada is left of Zoe"]), "unknown_wording", "clue (1): "),
        (booth(["Ada is left of ()"]), "unknown_wording", "clue (1): "),
        (booth(["Ada is left of Dov"], "Ben Ray faces Ada."), "unknown_wording", "question: "),
        (booth(["Ada is left of Dov"], "() hums."), "unknown_wording", "'() hums.'"),
        (booth(["Ada is left of Dov"], "() faces ()."), "unknown_wording", "'() faces ().'"),
        (booth(["Ada is left of Dov"], choices={"A": "Zoe"}), "unknown_wording", "option A: 'Zoe'"),
        (booth(["Ada is left of Dov"], choices={}), "unknown_wording", "options"),
        (
            booth([], question=f"Booth: {FOUR}.\n(2) Ada is left of Dov;\n() faces Ada."),
            "unknown_wording",
            "clue (2)",
        ),
        (
            booth([], question=f"Booth: {FOUR}.\n(1) Ada is left of Dov;\nThey are hungry.\n() faces Ada."),
            "unknown_wording",
            "'They are hungry.'",
        ),
        (
            booth([], question=f"Sofa: {FOUR}.\n(1) Ada is left of Dov;\n() faces Ada."),
            "unknown_scene",
            "'Sofa:",
        ),
        (
            booth([], question=f"{FOUR} share a booth: it is round.\n(1) Ada is left of Dov;\n() faces Ada."),
            "unknown_scene",
            "'share a booth: it is round.'",
        ),
        (
            booth([], question="Booth: Ada, Ben.\n(1) Ada faces Ben;\n() faces Ada."),
            "unknown_scene",
            "4 ",
        ),
        (booth([], question="Booth: A|B, C, D, E.\n(1) C faces D;\n() faces C."), "unknown_scene", "'A|B'"),
        (
            booth([], question=f"Booth: {FOUR}. Later all turn round.\n(1) Ada is left of Ben Ray;\n() faces Ada."),
            "unknown_scene",
            "'Dov. Later all turn round' cannot be a name",
        ),
        (
            booth([], question="Booth: A\u200dB, C, D, E.\n(1) C faces D;\n() faces C."),
            "unknown_scene",
            "cannot be a name",
        ),
        (booth([], question="(1) Ada faces Dov;\n() faces Ada."), "unknown_scene", "scene text"),
        (
            booth([], question="Booth: A, none, C, D.\n(1) C faces D;\n() faces C."),
            "unknown_scene",
            "'none' cannot be a name: ",
        ),
        (
            booth(
                [], question=f"Booth: {FOUR}.\n(1) Ada faces Dov;\n({'2' * 5000}) Ada is left of Dov;\n() faces Ada."
            ),
            "unknown_wording",
            "a line among the clues is not one: '(2222",
        ),
    ],
)
def test_what_is_not_understood_is_refused_by_name(problem: Problem, reason: str, detail: str) -> None:
    with pytest.raises(Refused) as caught:
        read_problem(problem)
    assert caught.value.reason == reason
    assert detail in caught.value.detail


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("split", ["train", "dev"])
def test_every_published_wording_has_one_reading(
    published: Callable[..., list[Problem]], monkeypatch: pytest.MonkeyPatch, lang: str, split: str
) -> None:
    templates = set()
    read = reader.read_wording

    def remember(*template: str) -> object:
        templates.add(template)
        return read(*template)  # type: ignore[arg-type]

    monkeypatch.setattr(reader, "read_wording", remember)
    for problem in published(lang, split):
        read_problem(problem)
    assert len(templates) > 200
    for template in templates:
        assert len(set(all_readings(*template))) == 1, template


@given(
    st.lists(st.text("ab_ é", min_size=1, max_size=4), min_size=1, max_size=6, unique=True),
    st.text("ab_ é()（） ", max_size=24),
    st.booleans(),
)
def test_a_sentence_is_split_as_a_regular_expression_for_its_names_would(
    names: list[str], text: str, word_edges: bool
) -> None:
    alternatives = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    if word_edges:
        alternatives = rf"(?<!\w)(?:{alternatives})(?!\w)"
    assert split_at_names(text, names, word_edges) == re.split(rf"({alternatives}|[(（]\s*[)）])", text)
