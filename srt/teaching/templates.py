"""The prompts: plain text files that people can read and replace, and how data is put into them.

A file ``<lang>/<name>.md`` is the system message, a line ``---``, and the user's turn. ``{field}`` stands for a piece
of data; other braces are text. Data is put in once and never looked at again: a problem text that holds ``{answer}``
or ``---`` is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from srt.errors import UserError
from srt.records import Lang

OURS = Path(__file__).parent / "prompts"
LANGS: tuple[Lang, ...] = ("en", "zh")
_PROBLEM = frozenset({"token", "question", "choices", "description"})
_KNOWN = _PROBLEM | {"solution", "answer"}
FIELDS: dict[str, frozenset[str]] = {
    "teacher_srt": _KNOWN | {"form"},
    "teacher_cot": _KNOWN | {"form"},
    "teacher_seating": _KNOWN | {"form"},
    "reviewer": _KNOWN | {"candidate", "faults", "doubt"},
    "checker": _KNOWN | {"candidate", "issues", "form"},
    "describer": _PROBLEM,
    "form_srt": frozenset({"token"}),
    "form_cot": frozenset({"token"}),
    "form_seating": frozenset({"token"}),
    "again": frozenset({"reason"}),
}
"""The files there are, and the fields that each may use.

A ``form`` is what ``{form}`` of teacher and checker holds; ``again`` is added to a user's turn that is asked again.
"""

_NEEDED: dict[str, frozenset[str]] = {
    "reviewer": frozenset({"token", "candidate"}),
    "checker": frozenset({"form", "candidate", "issues"}),
    "describer": frozenset({"token"}),
    **{name: frozenset({"form"}) for name in FIELDS if name.startswith("teacher_")},
    **{name: frozenset({"token"}) for name in FIELDS if name.startswith("form_")},
    "again": frozenset(),
}
_PIECES = frozenset(name for name in FIELDS if name.startswith("form_")) | {"again"}
_FIELD = re.compile(r"\{([a-z_]+)\}")
_RULE = re.compile(r"^---[ \t]*\n", re.MULTILINE)


@dataclass(frozen=True)
class Templates:
    """All prompts, by ``lang/name``, as text."""

    texts: Mapping[str, str]

    def fill(self, name: str, lang: Lang, values: Mapping[str, str]) -> tuple[str, str]:
        """The system message and the user's turn of prompt ``name``; ``values`` has all of its fields."""
        system, user = _RULE.split(self.texts[f"{lang}/{name}"], maxsplit=1)
        return _put(system, values).strip(), _put(user, values).strip()

    def piece(self, name: str, lang: Lang, values: Mapping[str, str]) -> str:
        """The text of a form or of ``again``, which are parts of a user's turn."""
        return _put(self.texts[f"{lang}/{name}"], values).strip()


def load_templates(
    own: Path | None,
    ours: Path = OURS,
    fields: Mapping[str, frozenset[str]] = FIELDS,
    needed: Mapping[str, frozenset[str]] = _NEEDED,
) -> Templates:
    """The prompts of the folder ``ours``, each replaced by the file of its name in ``own`` where there is one.

    ``fields`` names the files there are, and the fields that each may use; ``needed`` those that it cannot do without.

    Raises:
        UserError: ``own`` is no folder, a file in it is none of ours by name, cannot be read, has a field that does not
            exist, lacks one that it needs, or lacks the line between the two messages.
    """
    places = {f"{lang}/{name}": ours / lang / f"{name}.md" for lang in LANGS for name in fields}
    if own is not None:
        places |= _own_files(own, set(places))
    names = {key: key.split("/")[1] for key in places}
    return Templates(
        {key: _read(path, names[key], fields[names[key]], needed[names[key]]) for key, path in places.items()}
    )


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


def _read(path: Path, name: str, known: frozenset[str], needed: frozenset[str]) -> str:
    try:
        text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"prompts: {path}: cannot be read: {error}") from None
    for match in _FIELD.finditer(text):
        if match[1] not in known:
            line = text.count("\n", 0, match.start()) + 1
            fields = ", ".join(sorted(f"{{{field}}}" for field in known))
            raise UserError(f"prompts: {path}:{line}: {match[0]} is no field of this prompt; there are {fields}")
    for field in sorted(needed - set(_FIELD.findall(text))):
        raise UserError(f"prompts: {path}: the field {{{field}}} is missing; this prompt cannot do without it")
    if name not in _PIECES and not _RULE.search(text):
        raise UserError(f"prompts: {path}: a line --- between the system message and the user's turn is missing")
    return text


def _put(template: str, values: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda match: values[match[1]], template)
