"""Every example of docs/language.md is run: parsed, checked, rebuilt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from srt.checking import check
from srt.io.records import Problem
from srt.language.arms import completion_text
from srt.language.text import linearize, parse
from srt.language.trace import Trace
from srt.worlds.seating.derivation.lookups import ANCHORED, LETTERED, spell_out_lookups

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"<!-- (\w+): ([^>]*) -->\n```\w+\n(.*?)\n```", PAGE, re.DOTALL)
OPTIONS = {
    "booth": {"A": "Jason", "B": "Mary", "C": "James", "D": "None of the above"},
}
PROBLEMS = {
    name: Problem(id=name, source="docs", split="test", lang="en", question=text, choices=OPTIONS[name])
    for kind, name, text in EXAMPLES
    if kind == "problem"
}


def trace_of(text: str) -> Trace:
    told = parse(text)
    return Trace(
        id="t", problem_id="booth", kind=told.kind, lang=told.lang, steps=told.steps, text=told.text, answer=told.answer
    )


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) == 5
    assert set(PROBLEMS) == {"booth"}


@pytest.mark.parametrize("text", [text for kind, what, text in EXAMPLES if (kind, what) == ("trace", "proved")])
def test_traces_are_proved(text: str) -> None:
    trace = trace_of(text)
    assert linearize(trace) == text
    checked = check(PROBLEMS[trace.problem_id], trace)
    assert checked.proved, checked


def test_other_steps_get_the_verdict_that_the_page_names() -> None:
    full = next(text for kind, what, text in EXAMPLES if kind == "trace" and what == "proved").splitlines()
    rows = re.findall(r"^\| `(CONSTRAIN .*?)` \| `(\w+)` \|", PAGE, re.MULTILINE)
    assert [support for _, support in rows] == ["consistent", "refuted"]
    for line, support in rows:
        steps = check(PROBLEMS["booth"], trace_of("\n".join([*full[:4], line, *full[5:]]))).steps
        assert [step.support for step in steps[:5]] == ["proved"] * 4 + [support]
        assert steps[4].counterexample if support == "refuted" else steps[4].witness


@pytest.mark.parametrize(("kind", "text"), [(what, text) for how, what, text in EXAMPLES if how == "parses"])
def test_other_kinds_parse(kind: str, text: str) -> None:
    assert trace_of(text).kind == kind
    assert linearize(trace_of(text)) == text


def test_the_free_trace_gets_the_verdicts_that_the_page_names() -> None:
    (text,) = [text for how, what, text in EXAMPLES if (how, what) == ("parses", "free")]
    page = " ".join(PAGE.split())
    said = re.search(r"Of \*(.*?)\* the steps above are (.*?), and the answer is `computed`", page)
    assert said is not None
    cone = Problem(id="booth", source="docs", split="test", lang="en", question=said[1])
    checked = check(cone, trace_of(text))
    assert [step.support for step in checked.steps] == re.findall(r"\w+", said[2])
    assert checked.answer.support == "computed"


def test_the_json_example_is_a_trace() -> None:
    (text,) = [text for kind, _, text in EXAMPLES if kind == "json"]
    assert Trace.model_validate_json(text).answer == "B"


def test_the_removal_begins_as_the_page_says() -> None:
    full = next(text for kind, what, text in EXAMPLES if kind == "trace" and what == "proved")
    [said] = re.findall(r"`(srt-drop-\w+)` begins `(.*?)`, `(.*?)`\.", " ".join(PAGE.split()))
    arm, *lines = said
    assert completion_text(trace_of(full), arm)[0].splitlines()[:2] == lines


def test_the_words_in_chinese() -> None:
    full = next(text for kind, what, text in EXAMPLES if kind == "trace" and what == "proved")
    words = dict(re.findall(r"^\| `(\w+)` \| ([一-龥]+) \|", PAGE, re.MULTILINE))
    assert len(words) == 7
    in_chinese = re.sub("|".join(words), lambda found: words[found[0]], full)
    assert linearize(trace_of(full).model_copy(update={"lang": "zh"})) == in_chinese


def test_the_styles_of_its_last_steps() -> None:
    full = next(text for kind, what, text in EXAMPLES if kind == "trace" and what == "proved")
    trace = trace_of(full)
    options = dict(zip("ABCD", ("Robert", "Mary", "James", None), strict=True))
    written = [linearize(spell_out_lookups(trace, cut, options)).splitlines() for cut in (ANCHORED, LETTERED)]
    rows = re.findall(r"^\| (\d) \| `(.*?)` \| (.*) \|$", PAGE, re.MULTILINE)
    assert [int(number) for number, *_ in rows] == [7, 8, 9]
    for number, anchored, lettered in rows:
        last = anchored if lettered == "as `anchored`" else lettered.strip("`")
        assert [lines[int(number) - 1] for lines in written] == [anchored, last]


def test_the_error_message_that_the_page_quotes() -> None:
    with pytest.raises(Exception, match=r"line 2, column 7: '#0' is not a premise"):
        parse("INFER #1: x\nINFER #0: y\nANSWER: C")
