"""Whether a gold answer is understood, so that other spellings of it can be recognised."""

from __future__ import annotations

import re

from srt.answers.equality.forms.brackets import bracketed
from srt.answers.equality.forms.descriptions import description
from srt.answers.equality.forms.geometric_relations import relation
from srt.answers.equality.normal_form import plain, top_level, unbraced
from srt.answers.equality.parts import leaves, statements
from srt.answers.equality.stated_values import is_value, name_in_front, stated_value
from srt.io.records import Answer

OR = re.compile(r"(?:,|(?<!\s))\s++or\s++|或者?|\\text\s*+\{\s*+or\s*+\}")
_AND = re.compile(r"、|[,;]\s++(?:and\s++)?|(?<!\s)\s++(?:and|与|和)\s")
_BETWEEN_MEMBERS = re.compile(
    r"(?<!\s)\s*+(?:[,;、](?:\s*+(?:and|or)(?![A-Za-z]))?|(?<![A-Za-z])(?:and|or)(?![A-Za-z])|[和与及或])\s*"
)
_UNKNOWN = re.compile(r"^[A-Za-z](?:\s{0,3}_\s{0,3}\{?\s{0,3}\d\s{0,3}\}?|\d)?\s{0,20}=\s*")
_MEMBER_OF = re.compile(r"^[A-Za-z]\s*(?:∈|\\in(?![a-z])|=(?=\s*\\?\{))\s*")
_EITHER_SIGN = re.compile(r"±|\\pm(?![A-Za-z])")


def unreadable_gold(gold: Answer) -> str | None:
    """Why ``gold`` equals only the same characters (or what math-verify accepts); ``None`` where it is understood."""
    if gold.kind == "parts":
        return next(filter(None, map(unreadable_gold, gold.value)), None)
    if gold.kind == "expression" and not is_understood(str(gold.value)):
        return f"the expression {str(gold.value)[:80]!r} is not understood"
    if gold.kind == "text":
        for leaf in listed(plain(gold.value)):
            mathematics = re.search(r"\d|\\[A-Za-z]", leaf)
            if mathematics and not (statements(leaf) or is_understood(leaf) or relation(leaf) or description(leaf)):
                return f"the text {leaf[:80]!r} has mathematics in it and is neither a value nor a description"
    return None


def listed(body: str) -> list[str]:
    """The parts of a text: what its labels part, else values that commas or "and" part; itself if it is one."""
    parts = leaves(body)
    if len(parts) == 1 and not statements(body) and bracketed(body) is None:
        pieces = top_level(body, _AND)
        if len(pieces) > 1 and all(re.search(r"\d|\\", piece) and is_understood(piece) for piece in pieces):
            return pieces
    return parts


def is_understood(text: str) -> bool:
    """Whether ``text`` states one value, in one way or several (``x = 3 or x = -1``)."""
    either = top_level(plain(text), OR)
    if len(either) > 1:
        return all(map(is_understood, either))
    body = either[0][len(name_in_front(either[0])) :]
    return all(map(is_value, stated_value(body).sides))


def set_members(body: str) -> list[str] | None:
    """The members of ``\\{2, 5\\}`` and of ``x = ±3``; ``None`` where ``body`` is no set as a whole."""
    inner = bracketed(body)
    if inner is not None and inner[0] == "{":
        return inner[1]
    return _both(body) if len(_EITHER_SIGN.findall(body)) == 1 else None


def _both(body: str) -> list[str]:
    """Both values of an expression with one ±."""
    return [_EITHER_SIGN.sub("", body), _EITHER_SIGN.sub("-", body)]


def members_said(body: str) -> list[str]:
    """The members of the set that an answer lists: ``\\{2, 5\\}``, ``x = 2 or x = 5``, "2 and 5", ``x ∈ {2, 5}``."""
    body = unbraced(_MEMBER_OF.sub("", body.strip(), count=1))
    inner = set_members(body)
    if inner is None:
        inner = top_level(body, _BETWEEN_MEMBERS)
    return [unbraced(_UNKNOWN.sub("", member, count=1)) for member in inner]


def alternatives(body: str) -> list[str]:
    """The values that ``body`` leaves open: ``x = 3 or x = -3``, ``x = 3, x = -3``, ``\\{3, -3\\}`` and ``x = ±3``."""
    body = unbraced(_MEMBER_OF.sub("", body.strip(), count=1))
    inner = bracketed(body)
    if inner is not None and inner[0] == "{":
        return inner[1]
    if len(_EITHER_SIGN.findall(body)) == 1:
        return _both(body)
    pieces = top_level(body, OR)
    return pieces if len(pieces) > 1 else top_level(body, _AND)
