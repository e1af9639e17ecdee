"""A template that loses the problem, the answer's opening or a switch is refused before anything is trained on it."""

from __future__ import annotations

from typing import Any

import pytest
from jinja2 import Environment

from srt.io.errors import UserError
from srt.io.records import Message
from srt.language.prompts import idle_kwargs, render_prompt

TURNS = [Message(role="user", content="Who is left of Cleo?")]
CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
OPENS = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
MISTRAL = (
    "{% for m in messages %}{{ ' [INST] ' + m.content + ' [/INST]' if m.role == 'user' else m.content }}{% endfor %}"
)
SWITCHED = CHATML + OPENS + "{% if enable_thinking is defined and enable_thinking is false %}</think>{% endif %}"


class Templated:
    """A tokenizer with nothing but a template."""

    name_or_path = "models/own"

    def __init__(self, template: str) -> None:
        self.chat_template = template

    def apply_chat_template(self, turns: Any, *, add_generation_prompt: bool, tokenize: bool, **kwargs: Any) -> str:
        variables = {"messages": turns, "add_generation_prompt": add_generation_prompt, **kwargs}
        return Environment().from_string(self.chat_template).render(variables)

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        return list(map(ord, text))


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("hello", "text of the user's turn is not in"),
        ("{{ messages[0].role }}" + OPENS, "text of the user's turn is not in"),
        (CHATML, "'<|im_start|>assistant', which it writes before an answer"),
    ],
)
def test_a_template_that_loses_the_problem_or_the_opening_of_the_answer(template: str, said: str) -> None:
    with pytest.raises(UserError, match=r"^models/own: chat_template: ") as raised:
        render_prompt(Templated(template), TURNS)
    assert said in str(raised.value)


@pytest.mark.parametrize("template", [CHATML + OPENS, MISTRAL, SWITCHED, "{{ messages[0].content | trim }}"])
def test_templates_that_do(template: str) -> None:
    assert "Cleo" in render_prompt(Templated(template), TURNS)


def test_a_text_that_only_a_list_of_parts_loses() -> None:
    template = "{% if messages[0].content is string %}{{ messages[0].content }}{% else %}picture{% endif %}"
    assert render_prompt(Templated(template), TURNS)
    with pytest.raises(UserError, match="text of the user's turn"):
        render_prompt(Templated(template), TURNS, pictures=1)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("enable_thinkng", "did you mean 'enable_thinking'?"),
        ("range", "its variables are enable_thinking"),
        ("namespace", "its variables are enable_thinking"),
        ("m", "its variables are enable_thinking"),
    ],
)
def test_a_switch_that_the_template_has_not(name: str, said: str) -> None:
    template = SWITCHED + "{% set ns = namespace(n=0) %}{% for i in range(2) %}{% endfor %}"
    with pytest.raises(UserError, match=rf"chat_template_kwargs\.{name}: ") as raised:
        render_prompt(Templated(template), TURNS, kwargs={name: False})
    assert said in str(raised.value)
    with pytest.raises(UserError, match="it has no variables"):
        render_prompt(Templated(CHATML + OPENS), TURNS, kwargs={name: False})


def test_a_value_that_changes_nothing_is_noted() -> None:
    assert idle_kwargs(Templated(SWITCHED), {"enable_thinking": False}) == []
    (line,) = idle_kwargs(Templated(SWITCHED), {"enable_thinking": "no"})
    assert line.startswith("chat_template_kwargs.enable_thinking: 'no' changes nothing")
