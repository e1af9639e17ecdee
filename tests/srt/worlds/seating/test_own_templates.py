"""Every literal of every scene, spoken in both languages, is read back to the same meaning."""

from __future__ import annotations

import itertools
from typing import get_args

import pytest

from srt.io.records import Lang, Problem
from srt.worlds.seating.claim_language import Claim, parse_claim
from srt.worlds.seating.reading.problem_reader import read_problem
from srt.worlds.seating.relations import holds
from srt.worlds.seating.scenes import SCENES, Scene
from srt.worlds.seating.writing.own_templates import Wordiness, own_templates
from srt.worlds.seating.writing.sentence_templates import SentenceTemplates, fill_names, relation_name

LANGS = get_args(Lang)
scenes = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: f"{scene.kind}-{scene.compass}")
langs = pytest.mark.parametrize("lang", LANGS)


def problem(templates: SentenceTemplates, scene: Scene, clues: list[str], question: str) -> Problem:
    names = templates.names[scene.kind][: len(scene.seats)]
    return Problem(
        id="p",
        source="seating",
        split="train",
        lang=templates.lang,
        question=templates.write(templates.openings[scene][0], names, clues, question),
        choices={"A": names[0], "B": names[1], "C": names[2], "D": templates.none_of_the_above},
    )


def same_meaning(scene: Scene, one: Claim, other: Claim, x: str, y: str, asked: bool) -> bool:
    """Both claims name x and y only, or x and the person asked for: where the others sit makes no difference."""
    for first, second in itertools.permutations(scene.seats, 2):
        seats = {x: first, y: second}
        if holds(one, scene, seats, y if asked else None) != holds(other, scene, seats, y if asked else None):
            return False
    return True


@scenes
@langs
@pytest.mark.parametrize("style", get_args(Wordiness))
def test_every_clue_is_read_back(scene: Scene, lang: Lang, style: Wordiness) -> None:
    templates = own_templates(lang, style)
    x, y = templates.names[scene.kind][:2]
    spoken = [(wording, text) for wording in templates.clues[scene] for text in wording.texts]
    question = fill_names(templates.questions[scene][0].texts[0], x)
    puzzle = read_problem(problem(templates, scene, [fill_names(text, x, y) for _, text in spoken], question))
    assert puzzle.scene == scene
    assert puzzle.names == templates.names[scene.kind][: len(scene.seats)]
    assert len(puzzle.clues) == len(spoken)
    for clue, (wording, text) in zip(puzzle.clues, spoken, strict=True):
        said = parse_claim(fill_names(wording.claim, x, y))
        assert same_meaning(scene, said, clue.claim, x, y, asked=False), text


@scenes
@langs
def test_every_question_is_read_back(scene: Scene, lang: Lang) -> None:
    templates = own_templates(lang, "short")
    x, y = templates.names[scene.kind][:2]
    anyone = fill_names(templates.clues[scene][0].texts[0], x, y)
    for wording in templates.questions[scene]:
        for text in wording.texts:
            puzzle = read_problem(problem(templates, scene, [anyone], fill_names(text, x)))
            said = parse_claim(fill_names(wording.claim, x))
            assert same_meaning(scene, said, puzzle.question, x, y, asked=True), text


@scenes
@langs
def test_no_two_literals_share_a_sentence(scene: Scene, lang: Lang) -> None:
    templates = own_templates(lang, "short")
    texts = [text for wording in templates.clues[scene] for text in wording.texts]
    assert len(texts) == len(set(texts))
    for wording in templates.clues[scene]:
        for text in wording.texts:
            assert ("{X}" in text, "{Y}" in text) == ("{X}" in wording.claim, "{Y}" in wording.claim)


@langs
def test_both_languages_say_the_same(lang: Lang) -> None:
    for scene in SCENES:
        here = {wording.claim for wording in own_templates(lang, "short").clues[scene]}
        assert here == {wording.claim for wording in own_templates("en", "short").clues[scene]}


@langs
def test_there_are_enough_names(lang: Lang) -> None:
    for names in own_templates(lang, "short").names.values():
        assert len(set(names)) == len(names) >= 24


def test_a_name_that_looks_like_a_slot_is_left_alone() -> None:
    assert fill_names("{X} is left of {Y}", "{Y}", "Bob") == "{Y} is left of Bob"


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        ("right(Y, 3) = X", "right"),
        ("across(left(Y)) = X", "across(left)"),
        ("X notin beside(Y)", "not beside"),
        ("across(Y) != X", "not across"),
        ("left(Y) = X & faces(X) = E", "left & faces"),
        ("meet(over(X), left(Y))", "meet"),
        ("X@2W", "seat"),
        ("tier(X) = 2", "tier"),
    ],
)
def test_relation_names(claim: str, name: str) -> None:
    assert relation_name(parse_claim(claim)) == name
