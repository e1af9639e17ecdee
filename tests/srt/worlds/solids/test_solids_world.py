"""The world solids: both readings agree; split keys, refusals, prose, drawings, planted faults, the prompts."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from srt.io.errors import UserError
from srt.io.records import Lang, Problem, Refusal
from srt.language.text import parse
from srt.language.trace import Step, Trace
from srt.mutate.mutate_traces import mutate_file
from srt.pipeline.generate import generate_file
from srt.pipeline.sample import sample_problems
from srt.pipeline.solve import solve_file, solve_one
from srt.teaching.teach_prompts import form_text, load_teach_prompts
from srt.worlds.kit.splits import split_of
from srt.worlds.solids.checker.check_solid import check_solid
from srt.worlds.solids.checker.heard import hear
from srt.worlds.solids.reading.quantity_words import quantities
from srt.worlds.solids.reading.read_solid import read_solid
from srt.worlds.solids.reading.wordings import SOLIDS
from srt.worlds.solids.solids_world import SolidsWorld
from srt.worlds.solids.writing.problem_text import question_text

WORLD = SolidsWorld()
LANGS: tuple[Lang, ...] = ("en", "zh")


def problem_of(question: str, lang: Lang = "en", **fields: object) -> Problem:
    return Problem.model_validate({"id": "p", "source": "solids", "lang": lang, "question": question, **fields})


@pytest.mark.parametrize("lang", LANGS)
def test_both_readings_agree_on_every_quantity_of_every_solid(lang: Lang) -> None:
    for kind, names in SOLIDS[lang].items():
        if kind == "solid" or kind.startswith("small"):
            continue
        for letter, words in quantities(kind, lang).items():
            value = "60°" if letter == "n" else "7"
            for word in words:
                text = (
                    f"A {names[0]} has {word} {value}. Find its volume."
                    if lang == "en"
                    else f"一个{names[0]}的{word}是{value}。求它的体积。"
                )
                heard, read = hear(problem_of(text, lang)), read_solid(problem_of(text, lang))
                assert heard is not None, text
                assert list(heard.said[1]) == [fact.name for fact in read.statement.facts] == [f"{letter}({kind})"], (
                    text
                )


def test_questions_are_english_and_name_what_is_left() -> None:
    problems = sample_problems("solids", 300, 5, "train", {"lang": "en"})
    questions = [problem.question for problem in problems]
    assert any(re.search(r"\bits \w+( \w+)?[.?]$", question) for question in questions)
    assert not any(re.search(r"(Find|is) its .*\b(of|from|between)\b", question) for question in questions)
    cut = [one for one in questions if re.search(r"(cut|hollowed) out of|cuts a", one)]
    assert cut
    assert not any(re.search(r"of the solid", one) for one in cut)
    joined = [one for one in questions if "is put on" in one]
    assert not any("remaining" in one for one in joined)


def test_both_readings_agree_on_sampled_problems_in_any_wording() -> None:
    sampler, rng = WORLD.sampler({}), random.Random(0)
    for index in range(40):
        problem = sampler(index)
        statement = read_solid(problem).statement
        for lang in LANGS:
            again = problem_of(question_text(statement, lang, rng), lang)
            heard = hear(again)
            assert read_solid(again).statement.key() == statement.key()
            assert heard is not None, again.question
            assert {key for said in heard.said.values() for key in said} == {fact.name for fact in statement.facts}
            assert (heard.asked, heard.unit) == (statement.asked, statement.unit)


def test_no_key_is_in_two_splits_and_the_key_is_that_of_the_text() -> None:
    keys: dict[str, set[str]] = {}
    for split in ("train", "dev", "test"):
        problems = [WORLD.sampler({"split": split})(index) for index in range(12)]
        assert all((problem.group_id,) == WORLD.split_keys(problem) for problem in problems)
        assert {split_of("solids", problem.group_id or "") for problem in problems} == {split}
        keys[split] = {problem.group_id or "" for problem in problems}
    assert not keys["train"] & keys["dev"] | keys["train"] & keys["test"] | keys["dev"] & keys["test"]


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"families": []}, "families"),
        ({"largest": 1}, "largest"),
        ({"unit": "one"}, "unit"),
        ({"steps": [6, 1]}, "steps"),
        ({"steps": [0, 0]}, "steps"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], field: str) -> None:
    with pytest.raises(UserError, match=rf"^solids: .*{field}") as caught:
        WORLD.sampler(settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("question", "fields", "reason"),
    [
        ("A cone has base radius 3. Find its volume.", {}, "not_determined"),
        ("A cone has base radius 3, height 4 and slant height 6. Find its volume.", {}, "no_such_solid"),
        ("A cone has base radius 3 and slant height 3. Find its volume.", {}, "no_such_solid"),
        ("A cone has base radius 5 and slant height 3. Find its volume.", {}, "no_such_solid"),
        ("A cone has height 5 and slant height 3. Find its volume.", {}, "no_such_solid"),
        ("A cone has base radius 0 and height 3. Find its volume.", {}, "no_such_solid"),
        ("A cone has base radius -2 and height 3. Find its volume.", {}, "no_such_solid"),
        ("A cuboid has length 8, width 9 and diagonal 12. Find its volume.", {}, "no_such_solid"),
        ("A cylinder has base radius 3 and total surface area 18π. Find its height.", {}, "no_such_solid"),
        ("A regular square pyramid has base edge 6 and slant height 3. Find its volume.", {}, "no_such_solid"),
        (
            "A cuboid and a small cuboid are similar. The cuboid has surface area 688 and volume 3904. "
            "The ratio of similarity of the cuboid to the small cuboid is 4. Find the volume of the small cuboid.",
            {},
            "no_such_solid",
        ),
        (
            "A hemisphere with the same base is hollowed out of a cylinder. The cylinder has height 2 and radius 3. "
            "Find the volume of the solid.",
            {},
            "no_such_solid",
        ),
        (
            "A cone and a small cone are similar. The cone has height 9. The small cone has height 18. "
            "The cone has base radius 5. Find the base radius of the small cone.",
            {},
            "no_such_solid",
        ),
        (
            "A cuboid and a small cuboid are similar. The ratio of the volumes of the cuboid to the small cuboid is 1. "
            "The cuboid has height 9. Find the height of the small cuboid.",
            {},
            "no_such_solid",
        ),
        (
            "A frustum has upper base radius 3, lower base radius 3 and height 4. Find its volume.",
            {},
            "no_such_solid",
        ),
        (
            "A cone has base radius 3 and height 4. Find its volume.",
            {"choices": {"A": "36π", "B": "9"}},
            "no_option_fits",
        ),
        (
            "A cone has base radius 3 and height 4. Find its volume.",
            {"choices": {"A": "12π", "B": "12π"}},
            "not_unique",
        ),
        (
            "A cone has base radius 3 and height 4. Find its volume.",
            {"answer": {"kind": "expression", "value": "36*pi"}},
            "disagrees_with_gold",
        ),
    ],
)
def test_what_is_refused(question: str, fields: dict[str, object], reason: str) -> None:
    problem = problem_of(question, **fields)
    refusal = solve_one(problem)
    assert isinstance(refusal, Refusal)
    assert refusal.reason == reason
    assert "\n" not in refusal.detail
    assert refusal.detail.startswith(("question: ", "sentence (1): ", "solved: "))
    trace = parse("CORRELATE (1): r(cone) = 3\nINFER #1: answer = 3\nANSWER: 3").trace("t", "p")
    checked = check_solid(problem, trace)
    assert checked is not None
    impossible = all("no solid has" in (step.reason or "") for step in (*checked.steps, checked.answer))
    assert impossible == (reason == "no_such_solid"), "both readers see it"


def test_prose_says_what_each_step_claims_and_the_drawing_is_an_svg() -> None:
    draw = WORLD.extras.figures.solved
    assert draw is not None
    for index in range(30):
        problem = WORLD.sampler({})(index)
        trace = WORLD.solve(problem)
        full, terse = (WORLD.explain(problem, trace, terse=terse) for terse in (False, True))
        assert len(terse.split("; " if problem.lang == "en" else "；")) == len(trace.steps)
        assert len(terse) < len(full)
        for step in trace.steps:
            assert WORLD.assertion(step.claim or "", problem.lang).strip(".。").lower()[-4:] in full.lower()
        ElementTree.fromstring(draw(problem))
    with pytest.raises(ValueError, match="no claim"):
        WORLD.assertion("V(cone) = much", "en")


@pytest.mark.parametrize("lang", LANGS)
def test_the_example_of_the_prompts_is_proved(lang: Lang) -> None:
    form = form_text(load_teach_prompts(None), "solids", lang, "0123456789", normal_form=False)
    payload = json.loads(form[form.index('{"token"') : form.index("\n], ") + len('\n], "answer": "B"}')])
    question = re.search(r"(?:Problem: |题目：)(.*?[.。])\s+A\. ", form, re.DOTALL)
    assert question is not None
    choices = dict(re.findall(r"([A-D])\. (\d+π cm³)", form))
    steps = tuple(Step(op=s["op"], args=tuple(s["premises"]), claim=s["claim"]) for s in payload["steps"])
    trace = Trace(id="t", problem_id="p", kind="world", lang=lang, steps=steps, answer=payload["answer"])
    checked = check_solid(problem_of(question[1], lang, choices=choices), trace)
    assert checked is not None
    assert checked.proved


def test_every_planted_fault_is_caught(tmp_path: Path) -> None:
    n, mutants = 30, 260
    problems, traces = tmp_path / "problems.jsonl", tmp_path / "traces.jsonl"
    generate_file("solids", n, "train", problems, {})
    assert solve_file(problems, traces).solved == n
    table = mutate_file(traces, problems, mutants, 0)
    rows = table.as_dict()["classes"]
    assert {"wrong_formula", "mistaken_value", "unit_kept", "leap", "guessed", "step_skipped"} <= rows.keys()
    assert (table.missed, table.disputed_records, table.traces) == (0, [], n)
    assert all(row["caught"] > 0 for row in rows.values()), rows
