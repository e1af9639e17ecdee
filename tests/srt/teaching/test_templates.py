"""Prompts: ours are whole, people's own replace them, and data cannot break them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.io.errors import UserError
from srt.io.records import Lang, Problem
from srt.language.trace import TraceKind
from srt.llm.prompt_templates import LANGS, SHARED_PROMPTS
from srt.teaching.loop.candidate import read_candidate, schema_of
from srt.teaching.loop.machine_audit import audit
from srt.teaching.loop.problem_loop import DESCRIPTION_SCHEMA
from srt.teaching.loop.review_classes import class_lines, review_classes
from srt.teaching.loop.reviewer import review_schema
from srt.teaching.teach_prompts import PROMPTS, form_text, load_teach_prompts
from srt.worlds.seating.claim_language import ATTRIBUTE_VALUES, FUNCTIONS, REGIONS


def own(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder


ALL = {**PROMPTS, **SHARED_PROMPTS}


@pytest.mark.parametrize("name", ["teacher_srt", "teacher_cot", "reviewer", "checker", "describer"])
def test_ours_call_no_problem_spatial(name: str) -> None:
    """They are for word problems, too."""
    texts = load_teach_prompts(None).texts
    assert "spatial" not in texts[f"en/{name}"]
    assert "空间" not in texts[f"zh/{name}"]


def test_ours_are_there_in_both_languages_and_use_what_they_may() -> None:
    templates = load_teach_prompts(None)
    assert set(templates.texts) == {f"{lang}/{name}" for lang in LANGS for name in ALL}
    for lang in LANGS:
        for name, prompt in ALL.items():
            values = {field: f"<{field}>" for field in prompt.fields}
            filled = templates.piece(name, lang, values)
            if not prompt.piece:
                filled = "\n".join(templates.fill(name, lang, values))
            for field in prompt.fields - {"form", "rules", "order"}:
                assert (f"<{field}>" in filled) == (f"{{{field}}}" in templates.texts[f"{lang}/{name}"])


PROBLEM = Problem(id="p", source="x", split="test", lang="en", question="The height?")
JSON_OF = {
    "form_srt": schema_of("srt", PROBLEM),
    "form_cot": schema_of("cot", PROBLEM),
    "form_seating": schema_of("seating", PROBLEM),
    "reviewer": review_schema("free", 3),
    "describer": DESCRIPTION_SCHEMA,
}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", JSON_OF)
def test_prompt_and_schema_ask_for_the_same(name: str, lang: str) -> None:
    text = load_teach_prompts(None).texts[f"{lang}/{name}"].replace("{token}", "0123456789")
    (start,) = re.finditer(r'^\{"token"', text, re.MULTILINE)
    shape, _ = json.JSONDecoder().raw_decode(text, start.start())
    assert fits(shape, JSON_OF[name].definition)
    # A model that writes \sqrt or \frac into JSON as it would into LaTeX writes no JSON, or a form feed and "rac".
    shown = re.findall(r'"[^"\n]*\\[^"\n]*"', text)
    assert shown or name == "form_seating"
    for example in shown:
        assert not re.search(r"[\x00-\x1f]", json.loads(example))


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether ``value`` has just the keys of ``schema``, all the way down."""
    if schema["type"] == "object":
        return set(value) == set(schema["properties"]) and all(
            fits(value[key], each) for key, each in schema["properties"].items()
        )
    if schema["type"] == "array":
        return isinstance(value, list) and all(fits(item, schema["items"]) for item in value)
    return not isinstance(value, list | dict) and ("enum" not in schema or value in schema["enum"])


@pytest.mark.parametrize("lang", LANGS)
def test_the_example_passes_our_own_checks(lang: Lang) -> None:
    """A model does as its example does: what the machine would object to must not stand in it."""
    text = form_text(load_teach_prompts(None), "srt", lang, "0123456789", normal_form=True)
    (question,) = re.findall(r"(?:Problem: |题目：)(.+?)\n\n", text, re.DOTALL)
    payload, _ = json.JSONDecoder().raw_decode(text, text.index('{"token"'))
    plain = {"id": "example", "source": "made", "split": "train", "lang": lang, "question": " ".join(question.split())}
    problem = Problem.model_validate({**plain, "answer": {"kind": "expression", "value": payload["answer"]}})
    candidate = read_candidate(payload, problem, "srt", "t", "a person")
    found = audit(problem, candidate.trace, normal_form=True)
    assert (candidate.issues, found.issues, found.gold) == ((), (), "equal")
    assert found.checks.answer.support == found.checks.steps[-1].support == "computed"
    assert "unchecked" not in {found.checks.steps[n].support for n in (0, 1, 3)}


@pytest.mark.parametrize("lang", LANGS)
def test_the_claim_language_is_told_in_full(lang: Lang) -> None:
    """A model cannot write a claim whose words it was never given."""
    rules = load_teach_prompts(None).texts[f"{lang}/rules_seating"]
    words = set(re.findall(r"[a-z_]+", rules))
    assert {*FUNCTIONS, *REGIONS, *ATTRIBUTE_VALUES, "meet", "none", "options", "notin"} <= words


def test_writer_and_reviewer_go_by_the_same_rules() -> None:
    texts = load_teach_prompts(None).texts
    for lang in LANGS:
        assert "{rules}" in texts[f"{lang}/reviewer"]
        for form in ("srt", "cot", "seating"):
            assert "{rules}" in texts[f"{lang}/form_{form}"]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", ["free", "cot", "world"])
def test_each_class_is_defined_once(kind: TraceKind, lang: Lang) -> None:
    lines = class_lines(kind, lang).split("\n")
    assert [line.split(":")[0] for line in lines] == [f"- {fault.value}" for fault in review_classes(kind)]
    assert 7 <= len(lines) <= 8
    in_prompts = "\n".join(text for key, text in load_teach_prompts(None).texts.items() if key.startswith(lang))
    for fault in review_classes(kind):
        assert f"{fault.value}:" not in in_prompts
    assert all(bool(re.search("[一-龥]", line)) == (lang == "zh") for line in lines)


def test_the_checker_knows_the_language_that_it_writes() -> None:
    """It is given the form alone: operations, premises and claims stand there, not in the teacher's prompt."""
    texts = load_teach_prompts(None).texts
    for lang in LANGS:
        for form in ("srt", "seating"):
            told = form_text(load_teach_prompts(None), form, lang, "0123456789", normal_form=True)
            for word in ("CORRELATE", "CONSTRAIN", "INFER", '"#k"', '"scene"', "0123456789"):
                assert word in told
            assert ("front_left" in told) == (form == "seating")
            order = texts[f"{lang}/normal_form"].strip()
            assert order in told
            assert order not in form_text(load_teach_prompts(None), form, lang, "0123456789", normal_form=False)


def test_the_two_languages_use_the_same_fields() -> None:
    texts = load_teach_prompts(None).texts
    for name, prompt in ALL.items():
        used = [{field for field in prompt.fields if f"{{{field}}}" in texts[f"{lang}/{name}"]} for lang in LANGS]
        assert used[0] == used[1], name


OURS = load_teach_prompts(None)


@given(st.text())
def test_data_is_put_in_once_and_never_looked_at_again(text: str) -> None:
    values = dict.fromkeys(PROMPTS["describer"].fields, "x")
    values["question"] = hostile = "{token} {unknown} {{x}} --- \n---\n" + text
    system, user = OURS.fill("describer", "en", values)
    assert hostile.strip() in user
    assert hostile.strip() not in system


def test_own_prompts_replace_ours_and_the_others_stay(tmp_path: Path) -> None:
    folder = own(tmp_path, "en/describer", 'You look.\n---\n{question} {"token": "{token}"}')
    templates = load_teach_prompts(folder)
    assert templates.fill("describer", "en", {"question": "Q", "token": "t"}) == ("You look.", 'Q {"token": "t"}')
    assert templates.texts["zh/describer"] == load_teach_prompts(None).texts["zh/describer"]


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("en/reviewer", "a\n---\n{token} {candidate} {gold}", r"reviewer\.md:3: \{gold\} .*\{answer\}"),
        ("en/reviewer", "a\n---\n{token}", r"reviewer\.md: .*\{candidate\}"),
        ("en/describer", "a {token}", r"describer\.md: .*---"),
        ("fr/describer", "a\n---\n{token}", r"fr/describer\.md: "),
        ("en/describr", "a\n---\n{token}", r"en/describr\.md: "),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line(tmp_path: Path, name: str, text: str, fault: str) -> None:
    with pytest.raises(UserError, match=fault) as raised:
        load_teach_prompts(own(tmp_path, name, text))
    assert "\n" not in str(raised.value)


def test_a_folder_that_is_missing_or_empty(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"prompts: .*none"):
        load_teach_prompts(tmp_path / "none")
    with pytest.raises(UserError, match="prompts: "):
        load_teach_prompts(tmp_path)
