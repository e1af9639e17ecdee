"""Whether a chat template does what a prompt needs: it asks for the problem, lets the model answer, knows its switches.

A template that does none of this renders without an error, and a model would be trained on what it wrote.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from srt.io.did_you_mean import did_you_mean
from srt.language.template_kwargs import RESERVED, TemplateKwargs

_ASKED = "Whereiscleo"
_ANSWERED = "Leftofdan"
_FAULTS: dict[tuple[str, str, bool], str | None] = {}

Apply = Callable[[list[dict[str, Any]], bool], str]
"""Renders turns; whether up to where the model begins to write. What it raises is said of the real prompt."""


def template_fault(template: str, apply: Apply, kwargs: TemplateKwargs, pictures: bool) -> str | None:
    """What is wrong with ``template``, in one line, or ``None``; looked at once for ``kwargs`` and form of a turn.

    It must have been tried (:func:`srt.untrusted.trial.try_template`): parts of it run here.
    """
    key = (template, json.dumps(dict(kwargs), sort_keys=True), pictures)
    if key not in _FAULTS:
        _FAULTS[key] = _unknown_name(template, kwargs) or _lost_text(apply, pictures)
    return _FAULTS[key]


def _unknown_name(template: str, kwargs: TemplateKwargs) -> str | None:
    if not kwargs:
        return None
    # Everybody else reads prompts without jinja2.
    from jinja2 import TemplateSyntaxError, meta

    from srt.untrusted.template_environment import template_environment

    try:
        # Names of Jinja itself (range, namespace) are not among them.
        known = meta.find_undeclared_variables(template_environment().parse(template)) - RESERVED
    except TemplateSyntaxError:
        return None  # it is said when the prompt is rendered
    for name in kwargs:
        if name not in known:
            there = f"its variables are {', '.join(sorted(known))}" if known else "it has no variables"
            return f"chat_template_kwargs.{name}: no variable of the template{did_you_mean(name, known)}; {there}"
    return None


def _lost_text(apply: Apply, pictures: bool) -> str | None:
    def turn(role: str, text: str) -> dict[str, Any]:
        shown = [{"type": "image"}, {"type": "text", "text": text}]
        return {"role": role, "content": shown if pictures else text}

    user = turn("user", _ASKED)
    try:
        prompt = apply([user], True)
        if not prompt.strip():
            return None  # said of the real prompt
        if _ASKED not in prompt:
            return "the text of the user's turn is not in the prompt that it writes"
        # Some templates open the answer with the end of the user's turn, as Mistral's [/INST], in both cases.
        if prompt != apply([user], False):
            return None
        whole = apply([user, {"role": "assistant", "content": _ANSWERED}], False)
    except Exception:  # it is raised for the real prompt again
        return None
    opening, answered, _ = whole.partition(_ANSWERED)
    if not answered or not opening.startswith(prompt) or not opening[len(prompt) :].strip():
        return None
    return (
        f"its prompt does not end with {opening[len(prompt) :].strip()!r}, which it writes before an answer: it must "
        "heed add_generation_prompt"
    )
