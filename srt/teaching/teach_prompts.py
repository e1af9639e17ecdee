"""The prompts of ``srt teach``: the files there are, and the fields that each may use.

``{form}`` of teacher and checker holds the piece ``form_*``: what they write. ``{rules}`` of that piece and of the
reviewer holds ``rules_*``: what a trace is. So writer and Reviewer go by the same rules.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from srt.io.records import Lang
from srt.llm.fence import Own
from srt.llm.prompt_templates import PromptFile, PromptTemplates, load_templates
from srt.worlds.world_registry import worlds

OURS = Path(__file__).parent / "prompts"
_PROBLEM = frozenset({"token", "question", "choices", "description"})
_KNOWN = _PROBLEM | {"solution", "answer"}
_TEACHER = PromptFile(_KNOWN | {"form"}, frozenset({"form"}))
_FORM = PromptFile(frozenset({"token", "rules", "order"}), frozenset({"token"}), piece=True)
_RULES = PromptFile(frozenset(), piece=True)
PROMPTS: dict[str, PromptFile] = {
    "teacher_srt": _TEACHER,
    "teacher_cot": _TEACHER,
    "reviewer": PromptFile(_KNOWN | {"rules", "candidate", "faults", "doubt"}, frozenset({"token", "candidate"})),
    "checker": PromptFile(
        _KNOWN | {"candidate", "verdicts", "issues", "form"}, frozenset({"form", "candidate", "issues"})
    ),
    "describer": PromptFile(_PROBLEM, frozenset({"token"})),
    "form_srt": _FORM,
    "form_cot": _FORM,
    "rules_srt": _RULES,
    "rules_cot": _RULES,
    "normal_form": _RULES,
    **{
        f"{piece}_{world.name}": replace(file, folder=world.extras.prompts)
        for piece, file in (("teacher", _TEACHER), ("form", _FORM), ("rules", _RULES))
        for world in worlds()
        if world.extras.prompts
    },
}


def load_teach_prompts(own: Path | None) -> PromptTemplates:
    """Our prompts, each replaced by the file of its name in the folder ``own`` where there is one.

    Raises:
        UserError: as :func:`~srt.llm.prompt_templates.load_templates` does.
    """
    return load_templates(own, OURS, PROMPTS)


def form_text(templates: PromptTemplates, form: str, lang: Lang, token: str, normal_form: bool) -> Own:
    """What ``{form}`` of teacher and checker holds: the rules of the form, and the JSON that is asked for."""
    order = templates.piece("normal_form", lang, {}) if normal_form else ""
    rules = templates.piece(f"rules_{form}", lang, {})
    text = templates.piece(f"form_{form}", lang, {"token": token, "rules": rules, "order": order})
    return Own(text.replace("\n\n\n\n", "\n\n"))  # where there is no order
