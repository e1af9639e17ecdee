"""The set of values that a statement gives: ``{2, 5}``, "2 and 5", "x = 2 or x = 5"."""

from __future__ import annotations

import re

from srt.answers.clauses import conclusion
from srt.answers.equality.forms.brackets import bracketed
from srt.answers.equality.normal_form import plain, top_level
from srt.answers.equality.stated_values import is_value, said_value

_AND = re.compile(r"\s{0,3}(?:[,，;；、和与或]|(?<![A-Za-z\\])(?:and|or)(?![A-Za-z]))\s{0,3}")
_UNKNOWN = re.compile(r"^\s*[A-Za-z](?:\s*_\s*\{?\d\}?|\d)?\s*(?:=|\\in(?![a-z])|∈)\s*")
_NOT_A_SET = re.compile(r"^\s*[(\[]|[≠<>≤≥]|\\(?:ne|le|ge|lt|gt)q?(?![a-z])|(?<![a-z])not(?![a-z])|不")
_LONGEST = 400


def set_said(text: str) -> list[str] | None:
    """The values of the set that ``text`` states; ``None`` where it states none, or denies one."""
    body = said_value(plain(conclusion(text[:_LONGEST])))
    body = _UNKNOWN.sub("", re.sub(r"^[A-Z]\s*=\s*(?=\\?\{)", "", body), count=1).strip()
    inner = bracketed(body)
    if inner is not None and inner.opens != "{":
        return None
    if inner is None and body[:1] == "{" and body[-1:] == "}":
        body = body[1:-1]
    pieces = inner.elements if inner is not None else top_level(body, _AND)
    if _NOT_A_SET.search(body):
        return None
    values = [_UNKNOWN.sub("", piece).strip() for piece in pieces if piece.strip()]
    return values if values and all(is_value(value) or re.fullmatch(r"[A-Z]", value) for value in values) else None
