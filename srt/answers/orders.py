"""Orders and sets of several elements, however they are written: ``A-C-B-D``, ``B<A<C``, ``ACBD``, a numbered list.

An order is read as its elements, a set as its values. A text that states two orders states none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from srt.answers.clauses import conclusion, is_open
from srt.answers.equality.forms.brackets import bracketed
from srt.answers.equality.normal_form import plain, top_level
from srt.answers.equality.stated_values import is_value, said_value
from srt.answers.written_form import undecorated

_LINK = (
    r"(?:\s{0,3}(?:[,，、;；]|-{1,2}>?|[–—→⇒<>＜＞]|\\(?:to|rightarrow|lt|gt)(?![a-z])|"
    r"(?<![A-Za-z])(?:and|then|next|finally|lastly|last|followed\s{1,2}by)(?![a-z])|[和再]|然后|最后){1,1})"
)
_LINKS = rf"(?:{_LINK}{{1,4}}\s{{0,3}}|\s{{1,3}})"
_LETTER = r"[\"'“(]{0,2}(?<![A-Za-z])[A-Z](?![A-Za-z'’])[\"'”)]{0,2}"
_LETTERS = re.compile(rf"{_LETTER}(?:{_LINKS}{_LETTER}){{1,30}}")
_NAME = r"(?<![A-Za-z])[A-Z][a-z]{1,20}(?![A-Za-z])"
_NAMES = re.compile(rf"{_NAME}(?:{_LINK}{{1,4}}\s{{0,3}}{_NAME}){{1,30}}")
_ELEMENT = re.compile(r"[A-Za-z]{1,20}|\d{1,4}|[①-⑳]|[\u4e00-\u9fff]{1,6}")
_SEPARATORS = re.compile(_LINKS)
_RUN_TOGETHER = re.compile(r"(?<![A-Za-z])[A-Z]{3,12}(?![A-Za-z])")
_LIST_LINE = re.compile(
    r"[ \t]*+(?:\(?\d{1,2}[.)、:]|[-*•])?[ \t]*+[*_(\"]{0,3}([A-Za-z]{1,20}|[\u4e00-\u9fff]{1,6})[*_)\".,;]{0,4}[ \t]*"
)
_NUMBERED = re.compile(r"\(?\d{1,2}[.)]\s{1,3}(?=[A-Z])")
_SIGN = re.compile(r"[<＜]|\\lt(?![a-z])"), re.compile(r"[>＞]|\\gt(?![a-z])")
_UP = re.compile(
    r"(?:small|low|short|least|light|few|young|near)\w{0,6}\s.{0,12}?to\s|ascending|increasing|从[小低短轻少]|升序",
    re.I,
)
_DOWN = re.compile(
    r"(?:large|high|great|big|tall|long|most|heav|old|far)\w{0,6}\s.{0,12}?to\s|descending|decreasing|从[大高长重多]|降序",
    re.I,
)
_BACKWARDS = re.compile(r"revers|backwards|last\s+to\s+first|opposite\s+order|倒序|相反|反过来", re.I)
_UNEQUAL = re.compile(r"[≤≥=]|\\(?:le|ge)q?(?![a-z])")
_AND = re.compile(r"\s{0,3}(?:[,，;；、和与或]|(?<![A-Za-z\\])(?:and|or)(?![A-Za-z]))\s{0,3}")
_UNKNOWN = re.compile(r"^\s*[A-Za-z](?:\s*_\s*\{?\d\}?|\d)?\s*(?:=|\\in(?![a-z])|∈)\s*")
_NOT_A_SET = re.compile(r"^\s*[(\[]|[≠<>≤≥]|\\(?:ne|le|ge|lt|gt)q?(?![a-z])|(?<![a-z])not(?![a-z])|不")
_SETTLED = re.compile(r"(?<![A-Za-z])or(?![A-Za-z])|或")
_LONGEST = 400


def order_written(gold: str) -> list[str] | None:
    """The elements of ``gold``, a printed answer, if it is an order of three or more; ``None`` for others."""
    body = undecorated(gold).strip("()[] ")
    if len(body) > _LONGEST or _UNEQUAL.search(body):
        return None
    pieces = [piece for piece in _SEPARATORS.split(body) if piece]
    if len(pieces) == 1 and _RUN_TOGETHER.fullmatch(body) and len(set(body)) == len(body):
        return list(body)
    is_order = len(pieces) > 2 and len(set(pieces)) == len(pieces)
    return pieces if is_order and all(map(_ELEMENT.fullmatch, pieces)) and not "".join(pieces).isdigit() else None


def order_said(text: str, question: str, *, turn: bool = True) -> list[str] | None:
    """The elements of the order that ``text`` states, from the first; ``None`` where it states none, or several.

    ``turn``: ``A > B > C`` is turned where ``question`` asks for an order from the least: C, B, A.
    """
    listed = _listed(text)
    if listed is not None:
        return listed
    body = _NUMBERED.sub(", ", undecorated(conclusion(text[:_LONGEST])))
    if (
        is_open(body)
        or _UNEQUAL.search(body)
        or _BACKWARDS.search(body)
        or re.search(r"(?<![a-z])not(?![a-z])|[不{}]", body)
    ):
        return None
    body = re.sub(r"(?<![A-Za-z])(?:first|firstly)[,\s]", "", body, flags=re.I)
    found = [match[0] for pattern in (_LETTERS, _NAMES) for match in pattern.finditer(body)]
    runs = [[piece.strip("\"'“”()") for piece in _SEPARATORS.split(one) if piece.strip("\"'“”()")] for one in found]
    runs = [run for run in runs if len(run) > 2] or [list(one) for one in _RUN_TOGETHER.findall(body)]
    if len(runs) != 1:
        return None
    rising, falling = (sign.search(body) is not None for sign in _SIGN)
    if rising and falling:
        return None
    against = (falling and _UP.search(question)) or (rising and _DOWN.search(question))
    return runs[0][::-1] if turn and against else runs[0]


def is_by_size(text: str) -> bool:
    """Whether ``text`` writes an order with ``<`` or ``>``."""
    return any(sign.search(text) for sign in _SIGN)


def order_like(elements: Sequence[str], text: str, gold: str) -> str:
    """``elements``, the order of ``text``, written as ``gold`` is: with its separator, and in its direction."""
    signs = [next((at for at, sign in enumerate(_SIGN) if sign.search(one)), None) for one in (text, gold)]
    if None not in signs and signs[0] != signs[1]:
        elements = elements[::-1]
    bare = undecorated(gold).strip("()[] ")
    between = _SEPARATORS.search(bare)
    return (between[0] if between else "").join(elements)


def set_said(text: str) -> list[str] | None:
    """The values of the set that ``text`` states: ``{2, 5}``, "2 and 5", "x = 2 or x = 5"; ``None`` for others."""
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


def _listed(text: str) -> list[str] | None:
    """The elements of a list, one a line; ``None`` where ``text`` is no such list."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    found = [_LIST_LINE.fullmatch(line) for line in lines]
    return [one[1] for one in found if one] if len(lines) > 2 and all(found) else None
