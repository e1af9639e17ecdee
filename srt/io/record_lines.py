"""A record and its line of JSON: reading one, writing one, and what is wrong with a line that is no such record."""

from __future__ import annotations

import re
from typing import TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from srt.io.errors import RecordError, fault_in_words
from srt.io.records import FROM_FILE, Problem, Record
from srt.io.strict_json import JsonFault, load_json, not_utf8_text

M = TypeVar("M", bound=BaseModel)


def parse_record(line: bytes, model: type[M], place: str) -> M:
    """One record from one line of JSON. ``place`` (``file:line``) opens the message of a :class:`RecordError`.

    If the line is a record of another kind, or nothing like a record, the message says so, and how to make the right
    file.
    """
    try:
        values = load_json(line, "a line of JSON")
    except JsonFault as error:
        # A line that begins like an object is most likely a record with a slip: a hint about the whole file would
        # mislead.
        unlike = "" if line.lstrip().startswith(b"{") or not_utf8_text(line) else _how_to_make(model)
        raise RecordError(f"{place}: {error}{unlike}") from None
    try:
        return model.model_validate(values, context=FROM_FILE)
    except ValidationError as error:
        # Before a field is blamed: a whole record of another kind means that two files were mixed up.
        if (other := _kind_of(values)) is not None and other is not model:
            wrong = f"a {_name(model)} was expected, this is a {_name(other)}"
            how = "" if model is Problem else _how_to_make(model)
            raise RecordError(f"{place}: {wrong}; --help shows which file goes where{how}") from None
        # One missing field is a slip in this line; with several, this is no such file at all.
        missing = sum(fault["type"] == "missing" for fault in error.errors())
        unlike = _how_to_make(model) if missing > 1 or not isinstance(values, dict) else ""
        raise RecordError(f"{place}: not a {_name(model)}: {validation_fault(error)}{unlike}") from None


def dump(record: BaseModel) -> bytes:
    """One record as one line, newline included; fields with their default value are left out."""
    # Without defaults, files stay readable, and a field that is added later changes no file that was written before.
    values = record.model_dump(mode="json", exclude_defaults=True)
    if isinstance(record, Record):
        values = {name: getattr(record, name) for name in record.always_written} | values
    return orjson.dumps(values, option=orjson.OPT_APPEND_NEWLINE)


def validation_fault(error: ValidationError) -> str:
    """The first fault of a record, as ``field: what is wrong``."""
    fault = error.errors(include_url=False)[0]
    field = ".".join(map(str, fault["loc"])) or "record"
    return f"{field}: {fault_in_words(fault)}"


def _name(model: type[BaseModel]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", " ", model.__name__).lower()  # TeachingCase: teaching case


def _how_to_make(model: type[BaseModel]) -> str:
    return f"; {model.how_to_make}" if issubclass(model, Record) and model.how_to_make else ""


def _kind_of(values: object) -> type[BaseModel] | None:
    """The record whose fields ``values`` has: all that it must have, and no others."""
    todo, known = [Record], list[type[Record]]()
    while todo:
        subclasses = todo.pop().__subclasses__()
        todo += subclasses
        known += subclasses
    if not isinstance(values, dict):
        return None
    for model in known:
        needed = model.must_have()
        # Of a single required field, almost every JSON object could be a record.
        if len(needed) > 1 and needed <= values.keys() <= model.model_fields.keys():
            return model
    return None
