"""The prompts of ``srt teach``: the files there are, and the fields that each may use.

A ``form`` is what ``{form}`` of teacher and checker holds.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from srt.llm.prompt_templates import PromptFile, PromptTemplates, load_templates
from srt.worlds.registry import WORLDS

OURS = Path(__file__).parent / "prompts"
_PROBLEM = frozenset({"token", "question", "choices", "description"})
_KNOWN = _PROBLEM | {"solution", "answer"}
_TEACHER = PromptFile(_KNOWN | {"form"}, frozenset({"form"}))
_FORM = PromptFile(frozenset({"token"}), frozenset({"token"}), piece=True)
PROMPTS: dict[str, PromptFile] = {
    "teacher_srt": _TEACHER,
    "teacher_cot": _TEACHER,
    "reviewer": PromptFile(_KNOWN | {"candidate", "faults", "doubt"}, frozenset({"token", "candidate"})),
    "checker": PromptFile(_KNOWN | {"candidate", "issues", "form"}, frozenset({"form", "candidate", "issues"})),
    "describer": PromptFile(_PROBLEM, frozenset({"token"})),
    "form_srt": _FORM,
    "form_cot": _FORM,
    **{f"teacher_{world.name}": replace(_TEACHER, folder=world.prompts) for world in WORLDS if world.prompts},
    **{f"form_{world.name}": replace(_FORM, folder=world.prompts) for world in WORLDS if world.prompts},
}


def load_teach_prompts(own: Path | None) -> PromptTemplates:
    """Our prompts, each replaced by the file of its name in the folder ``own`` where there is one.

    Raises:
        UserError: as :func:`~srt.llm.prompt_templates.load_templates` does.
    """
    return load_templates(own, OURS, PROMPTS)
