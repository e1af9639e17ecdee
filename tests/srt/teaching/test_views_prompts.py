"""The prompts of the views world: they tell its language in full, their example is proved, and all kinds go through."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import orjson
import pytest

from srt.checking import check
from srt.io.records import Answer, Lang, Problem
from srt.llm.prompt_templates import LANGS, problem_fields
from srt.teaching.loop.candidate import form_of, read_candidate
from srt.teaching.loop.machine_audit import audit
from srt.teaching.teach_prompts import form_text, load_teach_prompts
from srt.worlds.views.claim_language import ASKED_FORMS, Form, parse_claim
from srt.worlds.views.sampling.problem_draft import Kind
from srt.worlds.views.views_world import ViewsWorld
from srt.worlds.world_registry import world_of

TEMPLATES = load_teach_prompts(None)


@pytest.fixture(scope="module", params=LANGS)
def asked(request: pytest.FixtureRequest) -> dict[tuple[str, str], Problem]:
    """A problem for each kind and each thing that it asks for (``? = least``)."""
    sample = ViewsWorld().sampler({"split": "train", "lang": request.param, "style": "none"})
    found: dict[tuple[str, str], Problem] = {}
    for problem in map(sample, range(250)):
        wanted = re.sub(r"\d", "3", str(problem.meta["asked"]))
        found.setdefault((str(problem.category), wanted), problem)
    assert {kind for kind, _ in found} == set(get_args(Kind))
    return found


def test_what_a_teacher_writes_of_any_kind_is_a_trace_of_the_world(asked: dict[tuple[str, str], Problem]) -> None:
    for problem in asked.values():
        assert form_of(problem, "srt") == "views"
        exact = ViewsWorld().solve(problem)
        steps = [{"op": step.op, "premises": list(step.args), "claim": step.claim} for step in exact.steps]
        payload: dict[str, Any] = orjson.loads(orjson.dumps({"steps": steps, "answer": exact.answer}))
        candidate = read_candidate(payload, problem, "views", "t", "a model")
        assert (candidate.issues, candidate.trace.steps) == ((), exact.steps), problem.id
        found = audit(problem, candidate.trace)
        assert (found.issues, found.world, found.checks.proved) == ((), True, True), problem.id


def test_the_prompt_shows_the_problem_with_its_figures(asked: dict[tuple[str, str], Problem]) -> None:
    for problem in asked.values():
        fields = {**problem_fields(problem), "solution": "S0", "answer": "A0"}
        fields["form"] = form_text(TEMPLATES, "views", problem.lang, fields["token"], normal_form=False)
        system, user = TEMPLATES.fill("teacher_views", problem.lang, fields)
        assert system
        for part in (problem.question, problem.diagram_description or "?", fields["token"], *problem.choices.values()):
            assert part in user, problem.id
        assert not re.search(r"\{(?:question|choices|description|solution|answer|form|rules|order|token)\}", user)


@pytest.mark.parametrize("lang", LANGS)
def test_the_example_is_proved(lang: Lang) -> None:
    text = form_text(TEMPLATES, "views", lang, "0123456789", normal_form=False)
    found = re.search(r"(?:Problem: |题目：)(.+?)\nA\. ([^\n]+)\n(.+?)\n\n", text, re.DOTALL)
    assert found is not None
    question, choices, description = found.groups()
    letters = dict(re.findall(r"([A-D])\. (\d+)", f"A. {choices}"))
    rows = [re.split("[:：]", line)[1].strip()[:-1].split(" / ") for line in description.splitlines()]
    views = [{"type": "view", "name": name, "rows": of} for name, of in zip(("front", "top"), rows, strict=True)]
    payload, _ = json.JSONDecoder().raw_decode(text, text.index('{"token"'))
    problem = Problem(
        id="example", source="views", split="train", lang=lang, question=question, choices=letters,
        answer=Answer(kind="choice_set", value=[payload["answer"]]), meta={"figures": views},
    )  # fmt: skip
    assert world_of(problem) is not None
    candidate = read_candidate(payload, problem, "views", "t", "a person")
    assert check(problem, candidate.trace).proved
    assert (candidate.issues, audit(problem, candidate.trace).issues) == ((), ())


@pytest.mark.parametrize("lang", LANGS)
def test_every_form_of_claim_is_in_a_table_with_its_operation(lang: Lang) -> None:
    forms: set[Form] = set()
    for line in TEMPLATES.texts[f"{lang}/rules_views"].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("| ") else []
        if not cells or cells[0] in ("operation", "操作", "claim", "论断"):
            continue
        operation, claims = cells[:2] if len(cells) == 3 else (None, cells[0])
        for text in re.split(r"[;,] (?![^{]*\})", claims.partition(": ")[0]):
            claim = parse_claim(text.replace("{S}", "{a1, b1}"))
            expected = operation or ("CORRELATE" if claim.form in ASKED_FORMS else "INFER")
            assert claim.operation == expected, text
            forms.add(claim.form)
    assert forms == set(get_args(Form))
