"""``--columns question=stem,choices=a,b,answer=key``: names of columns on the command line; and proposals for them.

Which column is probably meant is only ever proposed, never taken.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from srt.io.did_you_mean import nearest
from srt.io.errors import UserError

_OTHER_NAMES = {"choices": ("options",), "picture": ("image", "images", "image_path")}
_NAMES = {
    "question": "question problem prompt query stem text input instruction body frage aufgabe pregunta domanda вопрос "
    "задача 题目 问题 題目",
    "answer": "answer gold target label key solution output response correct result antwort lösung réponse respuesta "
    "risposta ответ 答案",
}
"""Words in the names of columns, the likeliest first."""


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


def missing_column(missing: Sequence[str], names: Sequence[str], fields: Mapping[str, str | list[str]]) -> str:
    """What to say of the fields ``missing`` in a file with the columns ``names``: with the option that names them."""
    taken = {one for columns in fields.values() for one in ([columns] if isinstance(columns, str) else columns)}
    meant = {field: _likeliest(field, [name for name in names if name not in taken]) for field in missing}
    columns = ",".join(f'{field}="{meant[field] or "COLUMN"}"' for field in missing)
    what = " and ".join(map(repr, missing))
    return f"no column {what}, and nothing names another for it; run it again with --columns {columns}"


def _likeliest(field: str, names: Collection[str]) -> str | None:
    for word in _NAMES.get(field, "").split():
        found = [name for name in names if word in name.casefold()]
        if found:
            return min(found, key=len)
    return nearest(field, names)
