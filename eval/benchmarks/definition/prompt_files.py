"""The prompts of benchmarks: plain text files that people can read and replace (``srt eval --prompts FOLDER``).

A file ``<lang>/<name>.md`` of that folder replaces ours of the same name; its fields are described in
:mod:`srt.llm.prompt_templates`. Where a paper's licence forbids its wording, ours has the same points in the same order
in other words.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from srt.io.records import Problem
from srt.language.prompts import answer_ending
from srt.llm.prompt_templates import PromptFile, PromptTemplates, load_templates

OURS = Path(__file__).parents[1] / "prompts"
_LAYOUT = frozenset({"instruction", "description", "question", "choices", "ending"})
_WHOLE = PromptFile(_LAYOUT, needed=frozenset({"question"}), piece=True)
_TEXT = PromptFile(frozenset(), piece=True)

_INTRODUCTIONS = {
    "SVT": "svt",
    "NCIT": "ncit",
    "DAT:SR": "dat_sr",
    "R-Cube-SR": "r_cube_sr",
    "MRMT": "mrmt",
    "MRT": "mrt",
    "PSVT:R": "psvt_r",
    "SBST": "sbst",
    "R-Cube-Vis": "r_cube_vis",
}
"""The tests of Basic Spatial Abilities, and how the files of their introductions end."""

PROMPTS: dict[str, PromptFile] = {
    "question": _WHOLE,
    "step_by_step": _TEXT,
    "hst_text": _WHOLE,
    "hst_picture": _WHOLE,
    "hst_answer_only": _WHOLE,
    "hst_cot_v": _TEXT,
    **{f"spatial_abilities_{slug}": PromptFile(frozenset({"count"}), piece=True) for slug in _INTRODUCTIONS.values()},
    "spatial_abilities_steps": _TEXT,
    "spatial_abilities_steps_sbst": _TEXT,
}
"""All prompts. ``question`` lays out a problem of any benchmark that has no prompt of its own; ours is the layout of
:func:`srt.language.prompts.prompt_messages`, which is what models are trained on."""


def read_own_prompts(folder: Path) -> dict[str, str]:
    """The prompts in ``folder`` that differ from ours, by ``lang/name``.

    Raises:
        UserError: as :func:`srt.llm.prompt_templates.load_templates` does.
    """
    ours = _ours().texts
    return {key: text for key, text in load_templates(folder, OURS, PROMPTS).texts.items() if text != ours[key]}


def with_own_prompts(own: Mapping[str, str]) -> PromptTemplates:
    """Our prompts, replaced by ``own`` where it has one."""
    return PromptTemplates({**_ours().texts, **own})


def introduction_prompt(test: str) -> str:
    """The name of the prompt that introduces a test of Basic Spatial Abilities."""
    return f"spatial_abilities_{_INTRODUCTIONS[test]}"


def layout_fields(problem: Problem, pictures: bool) -> dict[str, str]:
    """The fields of a whole prompt; the description of a diagram is empty if its pictures are shown."""
    return {
        "instruction": (problem.instruction or "").strip(),
        "description": "" if pictures else (problem.diagram_description or "").strip(),
        "question": problem.question.strip(),
        "choices": "\n".join(f"{letter}. {text}" for letter, text in sorted(problem.choices.items())),
        "ending": answer_ending(problem),
    }


@functools.cache
def _ours() -> PromptTemplates:
    return load_templates(None, OURS, PROMPTS)
