"""``--columns question=stem,choices=a,b,answer=key``: names of columns on the command line; and proposals for them.

Which column is probably meant is only ever proposed, never taken.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from srt.io.did_you_mean import nearest
from srt.io.errors import UserError

_OTHER_NAMES = {"choices": ("options",), "picture": ("image", "images", "image_path")}
_NAMES = {
    "question": "question problem prompt query stem text input instruction body frage aufgabe pregunta domanda вопрос "
    "задача 题目 问题 題目",
    "answer": "answer gold correct right key target label solution output response result antwort lösung réponse "
    "respuesta risposta ответ 答案",
}
"""Words in the names of columns, the likeliest first."""
_CHOICES = re.compile(
    r"(?:possible|candidate)[\s_-]*answers?|answer[\s_-]*(?:options|choices)|\boptions?\b|\bchoices?\b|"
    r"\balternatives?\b|\banswers\b|选项|選項",
    re.I,
)
_RIGHT = re.compile(r"correct|right|gold|\bkey\b", re.I)
_LABELS = re.compile(r"(?<![^\W_])[A-Ha-h1-9][).:]\s")


def parse_columns(text: str) -> dict[str, str | list[str]]:
    """Our fields with the columns that ``text`` gives them: ``FIELD=COLUMN,...``. What has no ``=`` is one more column
    of the field before it. Quotation marks that a shell has left are taken off.

    Raises:
        UserError: it has another form, or a field twice.
    """
    found: dict[str, list[str]] = {}
    for part in text.split(","):
        field, equals, column = part.partition("=")
        name = (column if equals else field).strip().strip("\"'").strip()
        if equals and field.strip() not in found:
            found[field.strip()] = [name]
        elif not equals and found:
            found[next(reversed(found))].append(name)
        else:
            found = {"": []}
        if not name or "" in found:
            raise UserError(
                f"--columns {text}: FIELD=COLUMN,... was expected, as in question=stem,choices=a,b,answer=key"
            )
    return {field: columns[0] if len(columns) == 1 else columns for field, columns in found.items()}


def other_names(names: Collection[str]) -> dict[str, str | list[str]]:
    """Our fields that a file with the columns ``names`` has under another name that can mean nothing else."""
    found: dict[str, str | list[str]] = {}
    for field, others in _OTHER_NAMES.items():
        other = next((name for name in others if name in names), None)
        if other is not None and field not in names and not (field == "choices" and "A" in names):
            found[field] = other
    return found


def missing_column(missing: Sequence[str], row: Mapping[str, Any], fields: Mapping[str, str | list[str]]) -> str:
    """What to say of the fields ``missing`` in a file whose first row is ``row``: with the option that names them.

    A column is proposed by its name, and never as the answer where several things stand in its cell.
    """
    taken = {one for columns in fields.values() for one in ([columns] if isinstance(columns, str) else columns)}
    free = [name for name in row if name not in taken]
    options = [name for name in free if _CHOICES.search(name) and not _RIGHT.search(name)]
    meant: dict[str, str | None] = {}
    for field in missing:
        fit = [name for name in free if name not in meant.values() and _may_be(field, name, row[name], options)]
        meant[field] = _likeliest(field, fit)
    if len(options) == 1 and "choices" not in fields and "choices" not in row:
        meant["choices"] = options[0]
    columns = ",".join(f'{field}="{name or "COLUMN"}"' for field, name in meant.items())
    what = " and ".join(map(repr, missing))
    return f"no column {what}, and nothing names another for it; run it again with --columns {columns}"


def _may_be(field: str, name: str, cell: Any, options: Collection[str]) -> bool:
    if field == "question":
        return not (_RIGHT.search(name) or name in options)
    if field != "answer":
        return True
    several = isinstance(cell, list | dict) or (
        isinstance(cell, str) and (len(_LABELS.findall(cell)) > 1 or len(re.findall("[;|]", cell)) > 1)
    )
    return not several and name not in options


def _likeliest(field: str, names: Collection[str]) -> str | None:
    """The one of ``names`` that has the likeliest word; ``None`` where two have it."""
    for word in _NAMES.get(field, "").split():
        start = r"(?<![a-z])" if word.isascii() else ""
        found = [name for name in names if re.search(start + word, name.casefold())]
        exact = [name for name in found if name.casefold() == word]
        if found:
            return found[0] if len(found) == 1 else exact[0] if len(exact) == 1 else None
    return nearest(field, names)
