"""The prompts: plain text files that people can read and replace, and how data is put into them.

A file ``<lang>/<name>.md`` is the system message, a line ``---``, and the user's turn. ``{field}`` stands for a piece
of data; other braces are text. Data is put in once and never looked at again: a problem text that holds ``{answer}``
or ``---`` is shown as it is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from srt.answers.written_form import canonical_text
from srt.io.errors import UserError
from srt.io.records import Lang, Problem
from srt.llm.fence import Own

LANGS: tuple[Lang, ...] = ("en", "zh")
SHARED = Path(__file__).parent / "prompts"
NONE: dict[Lang, str] = {"en": "(none)", "zh": "（无）"}
_NO_PICTURE: dict[Lang, str] = {"en": "(The problem has no picture.)", "zh": "（本题没有图。）"}
_ATTACHED: dict[Lang, str] = {"en": "(No description; see the pictures attached.)", "zh": "（没有文字描述，见附图。）"}
_TO_DERIVE: dict[Lang, str] = {
    "en": "(None is known: derive the answer yourself, and write that derivation.)",
    "zh": "（没有标准解答：请自己推导出答案，并写出推导过程。）",
}
_FIELD = re.compile(r"\{([a-z_]+)\}")
_RULE = re.compile(r"^---[ \t]*\n", re.MULTILINE)


@dataclass(frozen=True)
class PromptFile:
    """One prompt: the fields that it may use, and those of them that it must use.

    A ``piece`` is text that is put into a user's turn; the others have a system message too. ``folder`` is where the
    file is, if not in the folder of its set.
    """

    fields: frozenset[str]
    needed: frozenset[str] = frozenset()
    piece: bool = False
    folder: Path | None = None


AGAIN = PromptFile(frozenset({"reason"}), piece=True, folder=SHARED)
FENCE = PromptFile(frozenset({"fence"}), frozenset({"fence"}), piece=True, folder=SHARED)
SHARED_PROMPTS = {"again": AGAIN, "fence": FENCE}
"""Prompts of this package, which every set has.

``again.md`` is added to a user's turn that is asked again, ``fence.md`` to every system message (:mod:`srt.llm.fence`).
"""


@dataclass(frozen=True)
class PromptTemplates:
    """All prompts, by ``lang/name``, as text."""

    texts: Mapping[str, str]

    def fill(self, name: str, lang: Lang, values: Mapping[str, str]) -> tuple[str, str]:
        """The system message and the user's turn of prompt ``name``; ``values`` has all of its fields."""
        system, user = _RULE.split(self.texts[f"{lang}/{name}"], maxsplit=1)
        return _put(system, values).strip(), _put(user, values).strip()

    def piece(self, name: str, lang: Lang, values: Mapping[str, str]) -> str:
        """The text of a piece of a message; it is our own if all that is put into it is."""
        text = _put(self.texts[f"{lang}/{name}"], values).strip()
        return Own(text) if all(isinstance(value, Own) for value in values.values()) else text

    def parts(self, name: str, lang: Lang, values: Mapping[str, str]) -> list[str]:
        """The parts of a prompt that lines ``---`` separate, each without the paragraphs that are empty fields."""
        found = []
        for part in _RULE.split(self.texts[f"{lang}/{name}"]):
            # The template is cut into paragraphs before data is put in: blank lines of the data are no borders.
            paragraphs = [_put(paragraph, values).strip() for paragraph in part.split("\n\n")]
            found.append("\n\n".join(paragraph for paragraph in paragraphs if paragraph))
        return found


def load_templates(own: Path | None, ours: Path, prompts: Mapping[str, PromptFile]) -> PromptTemplates:
    """The ``prompts`` of the folder ``ours``, each replaced by the file of its name in ``own`` where there is one.

    Raises:
        UserError: ``own`` is no folder, a file in it is none of ours by name, cannot be read, has a field that does not
            exist, lacks one that it needs, or lacks the line between the two messages.
    """
    prompts = {**prompts, **SHARED_PROMPTS}
    places = {
        f"{lang}/{name}": (prompt.folder or ours) / lang / f"{name}.md"
        for lang in LANGS
        for name, prompt in prompts.items()
    }
    if own is not None:
        places |= _own_files(own, set(places))
    return PromptTemplates({key: _read(path, prompts[key.split("/")[1]]) for key, path in places.items()})


def problem_fields(problem: Problem) -> dict[str, str]:
    """The fields of the prompts that the problem itself fills; what is no text of the problem is marked as our own."""
    none = Own(NONE[problem.lang])
    question = "\n\n".join(part for part in (problem.instruction, problem.question) if part)
    return {
        "token": Own(token_of(problem)),
        "question": question,
        "choices": "\n".join(f"{letter}. {text}" for letter, text in sorted(problem.choices.items())) or none,
        "description": problem.diagram_description or Own((_ATTACHED if problem.images else _NO_PICTURE)[problem.lang]),
        "solution": (problem.solution or "").strip() or Own(_TO_DERIVE[problem.lang]),
        "answer": canonical_text(problem.answer) if problem.answer else none,
    }


def official_solution(problem: Problem) -> str:
    """The official solution, or a note that it is missing, for roles that do not write the first draft."""
    return (problem.solution or "").strip() or Own(NONE[problem.lang])


def token_of(problem: Problem) -> str:
    """What every answer about ``problem`` has to repeat: ten hex digits of a hash of its id and text."""
    return hashlib.sha256(f"{problem.id}\n{problem.question}".encode()).hexdigest()[:10]


def _own_files(own: Path, known: set[str]) -> dict[str, Path]:
    if not own.is_dir():
        raise UserError(f"prompts: {own}: no such folder")
    found = {path.relative_to(own).with_suffix("").as_posix(): path for path in sorted(own.rglob("*.md"))}
    for key, path in found.items():
        if key not in known:
            raise UserError(f"prompts: {path}: no prompt of that name; there are {', '.join(sorted(known))}")
    if not found:
        raise UserError(f"prompts: {own}: there is no prompt in it; files are named like en/reviewer.md")
    return found


def _read(path: Path, prompt: PromptFile) -> str:
    try:
        text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"prompts: {path}: cannot be read: {error}") from None
    for match in _FIELD.finditer(text):
        if match[1] not in prompt.fields:
            line = text.count("\n", 0, match.start()) + 1
            fields = ", ".join(sorted(f"{{{field}}}" for field in prompt.fields))
            raise UserError(f"prompts: {path}:{line}: {match[0]} is no field of this prompt; there are {fields}")
    for field in sorted(prompt.needed - set(_FIELD.findall(text))):
        raise UserError(f"prompts: {path}: the field {{{field}}} is missing; this prompt cannot do without it")
    if not prompt.piece and not _RULE.search(text):
        raise UserError(f"prompts: {path}: a line --- between the system message and the user's turn is missing")
    return text


def _put(template: str, values: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda match: values[match[1]], template)
