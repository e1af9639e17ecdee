"""Prompts of benchmarks: ours are what models are trained on, own ones replace them, steps can be asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.benchmarks.definition.benchmark import Asking, ask_plainly
from eval.benchmarks.definition.prompt_files import layout_fields, read_own_prompts, with_own_prompts
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.language.prompts import prompt_messages

TEXT = st.text(alphabet="ab{}-? \n中", max_size=30)


@given(
    question=TEXT.filter(str.strip),
    instruction=st.none() | TEXT,
    described=st.none() | TEXT,
    lang=st.sampled_from(["en", "zh"]),
    choices=st.just({}) | st.fixed_dictionaries({"A": TEXT, "B": TEXT}),
)
def test_our_layout_is_that_of_training(
    question: str, instruction: str | None, described: str | None, lang: str, choices: dict[str, str]
) -> None:
    problem = Problem(
        id="p", source="own", split="test", lang=lang, question=question, instruction=instruction, choices=choices,
        diagram_description=described,
    )  # type: ignore[arg-type]  # fmt: skip
    [text] = with_own_prompts({}).parts("question", problem.lang, layout_fields(problem, pictures=False))
    [message] = prompt_messages(problem, "full")
    assert text.split() == message.content.split()


@pytest.fixture
def problem() -> Problem:
    return Problem(id="p", source="own", split="test", lang="en", question="Which?", choices={"A": "one", "B": "two"})


def test_steps_are_asked_for_before_the_form_of_the_answer(problem: Problem) -> None:
    text = ask_plainly(problem, Asking("full", True, {"steps": "on"})).messages[0].content
    assert text.index("B. two") < text.index("Think step by step") < text.index("End with a line 'ANSWER: '")
    plain = ask_plainly(problem, Asking("full", True, {"steps": "off"})).messages
    assert plain == prompt_messages(problem, "full")


def test_an_own_layout_is_asked(problem: Problem, tmp_path: Path) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "question.md").write_text("Q: {question}\n\n{choices}\n\n{description}\n\nA:")
    own = read_own_prompts(tmp_path)
    assert (
        ask_plainly(problem, Asking("full", True, {}, own)).messages[0].content == "Q: Which?\n\nA. one\nB. two\n\nA:"
    )
    assert ask_plainly(problem, Asking("bare", True, {}, own)).messages == prompt_messages(problem, "bare")


def test_a_name_or_a_field_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "qestion.md").write_text("{question}")
    with pytest.raises(UserError, match=r"qestion\.md: no prompt of that name"):
        read_own_prompts(tmp_path)
    (tmp_path / "en" / "qestion.md").rename(tmp_path / "en" / "question.md")
    (tmp_path / "en" / "question.md").write_text("{question} {picture}")
    with pytest.raises(UserError, match=r"question\.md:1: \{picture\} is no field"):
        read_own_prompts(tmp_path)
