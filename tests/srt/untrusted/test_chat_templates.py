"""A chat template is stopped by its work, not by the clock, and the line names folder and field."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from srt.io.errors import UserError
from srt.io.records import Message
from srt.language.prompts import prompt_ids, render_prompt
from srt.untrusted.template_steps import MOST_STEPS, EndlessTemplate, bounded
from srt.untrusted.trial import try_template

TURNS = [Message(role="user", content="Who is left of Cleo?")]
NESTED = "{% for i in range(99999) %}{% for j in range(99999) %}%s{% endfor %}{% endfor %}"


class Templated:
    """A tokenizer with nothing but a template."""

    name_or_path = "models/hostile"
    special_tokens_map: dict[str, Any] = {"bos_token": "<s>"}  # noqa: RUF012

    def __init__(self, template: Any) -> None:
        self.chat_template = template
        self.rendered = 0

    def apply_chat_template(self, turns: Any, *, add_generation_prompt: bool, tokenize: bool) -> str:
        self.rendered += 1
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        return environment.from_string(self.chat_template).render(messages=turns, bos_token="<s>")

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        return list(map(ord, text))


@pytest.mark.parametrize(
    ("template", "said"),
    [
        (NESTED.replace("%s", ""), "has not ended after"),
        (NESTED.replace("%s", "x"), "has not ended after"),
        ("{% for m in messages %}" + NESTED.replace("%s", "{{ m.content }}") + "{% endfor %}", "has not ended after"),
        (
            "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
            "has not ended after",
        ),
        ("{{ 'x' * 90000000000 }}", "GiB of memory"),
        ("{% if add_generation_prompt %}{{ 'x' * 90000000000 }}{% endif %}", "GiB of memory"),
        ("{{ '%90000000000d' % 1 }}", "GiB of memory"),
        ("{{ ([1] * 90000000000)|length }}", "GiB of memory"),
        ("{{ ('a' * 99999).replace('a', 'b' * 99999) }}", "GiB of memory"),
        ("{{ 'x' * 5000000 }}", "writes more than"),
        ("x" * 500_001, "it has more than 500,000 characters"),
    ],
)
def test_what_has_no_end_is_one_line_before_it_runs_here(template: str, said: str) -> None:
    tokenizer = Templated(template)
    with pytest.raises(UserError) as raised:
        prompt_ids(tokenizer, TURNS)
    assert str(raised.value).startswith("models/hostile: chat_template: ")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert tokenizer.rendered == 0


@pytest.mark.parametrize("template", ["", None, " \n", "{# nothing #}", "{% if false %}x{% endif %}"])
def test_an_empty_template_is_one_line(template: str | None) -> None:
    with pytest.raises(UserError, match=r"models/hostile: .*chat.template"):
        prompt_ids(Templated(template), TURNS)


def test_a_template_that_loops_only_for_some_prompts_is_stopped_here() -> None:
    """It was tried with the first prompt, for which it ends."""
    loops = "{% if 'Cleo' in messages[0].content %}" + NESTED.replace("%s", "") + "{% endif %}"
    tokenizer = Templated(loops + "{{ messages[0].content }}")
    assert render_prompt(tokenizer, [Message(role="user", content="Who?")]) == "Who?"
    with pytest.raises(UserError, match="models/hostile: chat_template: it has not ended after"):
        render_prompt(tokenizer, TURNS)


def test_templates_as_they_are_published_pass() -> None:
    """Tags of transformers (``generation``), loop controls, functions that templates are given."""
    template = (
        "{{ bos_token }}{% for m in messages %}{% if m.role == 'none' %}{% continue %}{% endif %}"
        "{% generation %}{{ m.content | tojson(indent=2) }}{% endgeneration %}{% endfor %}"
        "{{ strftime_now('%Y') }}{% if not messages %}{{ raise_exception('no turns') }}{% endif %}"
    )
    turns = [{"role": "user", "content": "a"}] * 200
    assert try_template(template, turns, {"bos_token": "<s>"}) is None


def test_steps_are_counted_in_templates_alone_and_whoever_listened_goes_on_listening() -> None:
    heard: list[str] = []

    def listen(frame: Any, event: str, _: Any) -> Any:
        heard.append(frame.f_code.co_name)
        return None

    def ours() -> int:
        return sum(1 for _ in range(2 * MOST_STEPS))

    before = sys.gettrace()
    sys.settrace(listen)
    try:
        assert bounded(ours) == 2 * MOST_STEPS
        assert sys.gettrace() is listen
        with pytest.raises(EndlessTemplate):
            bounded(ImmutableSandboxedEnvironment().from_string(NESTED.replace("%s", "")).render)
        assert sys.gettrace() is listen
    finally:
        sys.settrace(before)
