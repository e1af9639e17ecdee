"""The world routes: both readings of every wording, split keys, refusals, prose, drawing, prompts, planted faults."""

from __future__ import annotations

import itertools
import json
import random
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from srt.io.errors import UserError
from srt.io.records import Answer, Lang, Problem, Refusal
from srt.language.trace import Step, Trace
from srt.mutate.mutate_traces import mutate_file
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file, solve_one
from srt.teaching.teach_prompts import form_text, load_teach_prompts
from srt.worlds.kit.splits import split_of
from srt.worlds.routes.checker.check_route import check_route
from srt.worlds.routes.checker.heard import hear
from srt.worlds.routes.derivation.claims import parse_claim, value_text
from srt.worlds.routes.reading.read_route import read_route
from srt.worlds.routes.reading.wordings import OBJECTS, WORDINGS, number_with_unit
from srt.worlds.routes.routes_world import RoutesWorld
from srt.worlds.routes.walk import CLOCKWISE, Move, Walk, canonical_key
from srt.worlds.routes.writing.problem_text import option_texts, question_text
from srt.worlds.world_registry import world_of

WORLD = RoutesWorld()
LANGS: tuple[Lang, ...] = ("en", "zh")


def problem_of(lang: Lang, sentences: list[str], question: str, choices: dict[str, str] | None = None) -> Problem:
    lines = [f"({n}) {sentence[0].upper()}{sentence[1:]}" for n, sentence in enumerate(sentences, 1)]
    text = "\n".join([*lines, question])
    return Problem(id="p", source="mine", split="train", lang=lang, question=text, choices=choices or {})


@pytest.mark.parametrize("lang", LANGS)
def test_both_readings_agree_on_every_wording(lang: Lang) -> None:
    words = WORDINGS[lang]
    name, who = next(iter(words.names.items()))
    question = words.questions["facing"][0].format(who=who)
    for template, direction in itertools.product(words.start, CLOCKWISE):
        problem = problem_of(lang, [template.format(name=name, direction=words.directions[direction]), "?"], question)
        heard = hear(problem)
        assert heard is not None
        assert heard.said[1] == {("facing", 1): direction}
        assert WORLD.recognises(problem)
    start = words.start[0].format(name=name, direction=words.directions["north"])
    moves = [(template, "none", phrase, n) for template in words.straight for phrase in [""] for n in (1, 2, 10, 23)]
    for turn, phrases in words.turns.items():
        for phrase in phrases:
            moves += [(template, turn, phrase, n) for template in words.leg for n in (1, 2, 10, 23)]
            moves += [(template, turn, phrase, 0) for template in words.spot]
    for (template, turn, phrase, n), spelt, walker in itertools.product(moves, (True, False), (who, name)):
        sentence = template.format(who=walker, turns=phrase, steps=number_with_unit(n, lang, spelt=spelt))
        problem = problem_of(lang, [start, sentence], question)
        (move,) = read_route(problem).walk.moves
        heard = hear(problem)
        assert heard is not None
        assert move == Move(turn, n), sentence  # type: ignore[arg-type]
        assert heard.said.get(2) == {("turn", 2): turn, ("walk", 2): str(n)}, sentence


@pytest.mark.parametrize("lang", LANGS)
def test_both_readings_agree_on_every_question_and_option(lang: Lang) -> None:
    words = WORDINGS[lang]
    names = {"facing": "facing", "end": "at", "steps": "steps", "line": "line", "back": "back"}
    for index in range(300):
        problem = WORLD.sampler({"lang": lang, "form": "options", "legs": [1, 5]})(index)
        route, heard = read_route(problem), hear(problem)
        assert heard is not None
        assert heard.asked == names[route.asked]
        assert heard.options == {letter: value_text(value) for letter, value in route.options.items()}
    start = problem_of(lang, [words.start[0].format(name="Ann" if lang == "en" else "小红", direction="")], "")
    for asked, templates in words.questions.items():
        for template, (name, who) in itertools.product(templates, words.names.items()):
            lines = [words.start[0].format(name=name, direction=words.directions["east"]), words.spot[0]]
            lines[1] = lines[1].format(who=who, turns=words.turns["left"][0])
            problem = problem_of(lang, lines, template.format(who=who, them=OBJECTS[who]))
            heard = hear(problem)
            assert heard is not None
            assert (read_route(problem).asked, heard.asked) == (asked, names[asked])
    assert hear(start) is None


def test_no_key_is_in_two_splits_and_the_key_is_that_of_the_text() -> None:
    keys: dict[str, set[str]] = {}
    for split in ("train", "dev", "test"):
        sampler = WORLD.sampler({"split": split})
        problems = [sampler(index) for index in range(150)]
        assert all((problem.group_id,) == WORLD.split_keys(problem) for problem in problems)
        assert {split_of("routes", problem.group_id or "") for problem in problems} == {split}
        keys[split] = {problem.group_id or "" for problem in problems}
    assert not keys["train"] & keys["dev"] | keys["train"] & keys["test"] | keys["dev"] & keys["test"]


def test_the_key_knows_neither_names_nor_wording_language_rotation_or_mirror() -> None:
    moves = (Move("left", 3), Move("none", 2), Move("around", 0), Move("right", 5))
    mirrored = (Move("right", 3), Move("none", 2), Move("around", 0), Move("left", 5))
    keys, texts, rng = set(), set(), random.Random(0)
    for start, turns, lang in itertools.product(CLOCKWISE, (moves, mirrored), LANGS):
        text = question_text("steps", Walk(start, turns), lang, rng)
        texts.add(text)
        keys.update(WORLD.split_keys(Problem(id="p", source="x", split="train", lang=lang, question=text)))
    assert (len(keys), len(texts)) == (1, 16)
    others = [Walk("north", moves[:3]), Walk("north", (*moves[:3], Move("left", 5))), Walk("north", moves[::-1])]
    assert not keys & {canonical_key("steps", walk) for walk in others}
    assert canonical_key("line", Walk("north", moves)) not in keys
    longer = tuple(move._replace(steps=move.steps + 1) for move in moves)
    assert canonical_key("facing", Walk("north", longer)) == canonical_key("facing", Walk("east", mirrored))


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"legs": [3, 2]}, "legs"),
        ({"legs": [0, 2]}, "legs"),
        ({"longest": 0}, "longest"),
        ({"kinds": ["where"]}, "kinds"),
        ({"kinds": []}, "kinds"),
        ({"lang": "fr"}, "lang"),
        ({"gird": 4}, "grid"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], field: str) -> None:
    with pytest.raises(UserError, match=rf"^routes: .*{field}") as caught:
        WORLD.sampler(settings)
    assert "\n" not in str(caught.value)


def test_settings_without_a_problem() -> None:
    # On a grid of two steps no straight line to a corner is a whole number.
    with pytest.raises(UserError, match=r"routes: .*'line'"):
        WORLD.sampler({"kinds": ["line"], "grid": 2})(0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"question": "(1) Ann faces east.\n(2) She hops left.\nWhich way does she face now?"}, "unknown_wording"),
        ({"question": "(1) Ann faces east.\n(3) She turns left.\nWhich way does she face now?"}, "unknown_wording"),
        ({"choices": {"A": "up"}}, "unknown_wording"),
        ({"choices": {}}, "unknown_wording"),
        ({"choices": {"A": "south", "B": "east"}}, "no_option_fits"),
        ({"choices": {"A": "north", "B": "to the north"}}, "not_unique"),
        ({"answer": Answer(kind="choice_set", value=["B"])}, "disagrees_with_gold"),
        (
            {"question": "(1) Ann faces east.\n(2) She turns left and walks 1 step.\n(3) She turns left and walks 1 "
             "step.\nIn a straight line, how many steps is she away from the start?", "choices": {}},
            "no_whole_number",
        ),
    ],
)  # fmt: skip
def test_what_is_not_solved_is_refused(change: dict[str, object], reason: str) -> None:
    problem = problem_of("en", ["Ann faces east.", "She turns left."], "Which way does she face now?")
    problem = problem.model_copy(update={"choices": {"A": "north", "B": "east"}, **change})
    assert world_of(problem) is not None
    refusal = solve_one(problem)
    assert isinstance(refusal, Refusal)
    assert refusal.reason == reason
    assert WORLD.truth(problem)("facing(1) = east") == "unknown"


def test_plans_have_the_same_steps_in_another_order() -> None:
    problem = WORLD.sampler({"kinds": ["end"], "legs": [4, 4]})(0)
    needed, legs_first = ([step.claim for step in WORLD.solve(problem, plan).steps] for plan in WORLD.plans)
    assert sorted(map(str, needed)) == sorted(map(str, legs_first))
    names = [str(claim)[:2] for claim in legs_first]
    assert names.index("at") > len(names) - 1 - names[::-1].index("le")
    assert needed != legs_first


def test_prose_says_what_each_step_claims() -> None:
    for index in range(200):
        problem = WORLD.sampler({"legs": [1, 6]})(index)
        trace = WORLD.solve(problem)
        full, terse = (WORLD.explain(problem, trace, terse=terse) for terse in (False, True))
        stop, semicolon = (". ", "; ") if problem.lang == "en" else ("。", "；")
        assert len(re.split(re.escape(stop), full.rstrip("."))) == len(trace.steps) + (problem.lang == "zh")
        assert len(terse.split(semicolon)) == len(trace.steps)
        assert "{" not in full + terse
        assert len(terse) < len(full)
        for step in trace.steps:
            numbers = set(re.findall(r"\d+", (step.claim or "").partition(" = ")[2])) - {"0"}
            assert numbers <= set(re.findall(r"\d+", full))
            assert WORLD.assertion(step.claim or "", problem.lang)
    assert len({WORLD.assertion(f"leg(2) = {n} {way}", "en") for n in (1, 2) for way in CLOCKWISE}) == 8
    with pytest.raises(ValueError, match="no claim"):
        WORLD.assertion("leg(2) = far", "en")


def test_a_claim_is_spelt_in_one_way() -> None:
    claims = {step.claim for index in range(100) for step in WORLD.solve(WORLD.sampler({})(index)).steps}
    assert all(str(parse_claim(claim or "")) == claim for claim in claims)
    for text in ("at(2) = 2 north, 3 east", "at(2) = 0 east", "options(2) = {A}", "steps = 2", "walk(2) = 03", "x"):
        with pytest.raises(ValueError, match="no claim"):
            parse_claim(text)


def test_the_drawing_shows_the_legs_and_what_was_asked() -> None:
    for kind in ("facing", "end", "steps", "line", "back"):
        for index in range(20):
            problem = WORLD.sampler({"kinds": [kind]})(index)
            draw = WORLD.extras.figures.solved
            assert draw is not None
            svg = draw(problem)
            ElementTree.fromstring(svg)
            walked = [str(move.steps) for move in read_route(problem).walk.moves if move.steps]
            labels = re.findall(r">(\d+)</text>", svg)
            assert labels[: len(walked)] == walked
            assert ("#d97706" in svg) or (kind == "end" and problem.answer is not None)


@pytest.mark.parametrize("lang", LANGS)
def test_the_example_of_the_prompts_is_proved(lang: Lang) -> None:
    form = form_text(load_teach_prompts(None), "routes", lang, "0123456789", normal_form=False)
    payload = json.loads(form[form.index('{"token"') : form.index("\n], ") + len('\n], "answer": "B"}')])
    text, options = re.findall(r"(?:Problem: |题目：)(\(1\).*?[?？])\s+(A\. .*?)\n\n", form, re.DOTALL)[0]
    sentences = re.split(r"\s*\(\d\) ", text)[1:]
    split = re.match(r"(.*?[.。])\s*(.*)", sentences[-1], re.DOTALL)
    assert split is not None
    choices = dict(re.findall(r"([A-D])\. (\S+)", options))
    problem = problem_of(lang, [*sentences[:-1], split[1]], split[2].strip(), choices)
    steps = tuple(Step(op=s["op"], args=tuple(s["premises"]), claim=s["claim"]) for s in payload["steps"])
    trace = Trace(id="t", problem_id="p", kind="world", lang=lang, steps=steps, answer=payload["answer"])
    checked = check_route(problem, trace)
    assert checked is not None
    assert checked.proved


@pytest.mark.parametrize(("n", "mutants"), [(60, 600), pytest.param(500, 5000, marks=pytest.mark.long)])
def test_every_planted_fault_is_caught(tmp_path: Path, n: int, mutants: int) -> None:
    problems, traces = tmp_path / "problems.jsonl", tmp_path / "traces.jsonl"
    generate_file("routes", n, "train", problems, {})
    assert solve_file(problems, traces).solved == n
    table = mutate_file(traces, problems, mutants, 0)
    rows = table.as_dict()["classes"]
    assert {"mirrored_turn", "old_direction", "forgotten_leg", "leap", "guessed", "step_skipped"} <= rows.keys()
    assert (table.missed, table.disputed_records, table.traces) == (0, [], n)
    assert all(row["caught"] == row["made"] > 8 for row in rows.values()), rows


def test_options_of_one_problem_are_worded_alike() -> None:
    rng = random.Random(1)
    for _ in range(20):
        texts = option_texts("facing", CLOCKWISE, "en", rng)
        assert len({text.startswith("to the ") for text in texts}) == 1
