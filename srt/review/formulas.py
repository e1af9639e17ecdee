"""Formulas in the texts of the page: where they are, and what the browser shows in their place.

LaTeX becomes MathML here, which browsers draw themselves. The data may be hostile: a formula is short, defines no
macros (they can double with every character), and becomes a tree of known elements and attributes, whose texts the page
inserts as text. None of them hides, moves or links anything. A formula with anything else is shown as its source.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element

LONGEST: Final = 2_000
"""Characters of a formula. What is longer between two marks is no formula."""
MOST_DRAWN: Final = 50_000
"""Characters of formulas that are drawn in one view; conversion takes about 10 microseconds each."""

_DEEPEST: Final = 100
"""Elements of a drawing within one another: a writer of JSON takes about 250 levels, and readable formulas a dozen."""

_MARK = re.compile(r"\\\\|\\[$()\[\]]|\$\$?|\n")
_CLOSING: Final = {"\\(": "\\)", "\\[": "\\]", "$$": "$$", "$": "$"}
_NOT_DRAWN = re.compile(r"\\(?:def|newcommand|newenvironment|DeclareMathOperator)(?![A-Za-z])|(?<!\\)%")
"""Definitions, and comments, which would hide what follows."""
_SENTENCE = re.compile(r"(?:[\u4e00-\u9fff][^\u4e00-\u9fff]*){6}")
_BETWEEN_WORDS = re.compile(r"(?!\s)[^\u4e00-\u9fff\u3000-\u303f\uff00-\uff65\n]+")
_ESCAPED = re.compile(r"\\.")
_COMMAND = re.compile(r"\\[A-Za-z]+|\^|_\{")
_WORDS = re.compile(r"[\u4e00-\u9fff]|(?<!\\)\b[A-Za-z]{3,}(?![A-Za-z]*\})")
# At most two digits: nothing may be drawn over the rest of the page.
_LENGTH = re.compile(r"(?:-?0?\.[0-9]{1,4}|[0-9]{1,2}(?:\.[0-9]{1,4})?)(?:em|ex|pt)?|negativethinmathspace")
_WORD = re.compile(r"[a-z -]{1,60}")
_ELEMENTS: Final = frozenset(
    "math mrow mi mo mn mtext mspace mstyle menclose msqrt mroot mfrac msub msup msubsup munder mover munderover "  # noqa: SIM905
    "mmultiscripts mprescripts none mtable mtr mtd".split()
)
_ATTRIBUTES: Final = {
    **dict.fromkeys(("accent", "accentunder", "displaystyle", "fence", "form", "largeop", "movablelimits"), _WORD),
    **dict.fromkeys(("stretchy", "display", "mathvariant", "columnalign", "rowlines", "columnlines"), _WORD),
    **dict.fromkeys(("width", "linethickness", "lspace", "rspace", "minsize", "maxsize", "scriptlevel"), _LENGTH),
    "xmlns": re.compile(r"http://www\.w3\.org/1998/Math/MathML"),
    "notation": re.compile("box"),
}


class FormulaSpan(NamedTuple):
    """A formula: its characters ``[start, end)`` with its marks, and what is between them."""

    start: int
    end: int
    body: str
    display: bool


class Drawing:
    """Draws the formulas of one view, of which there may be too many: the rest are ``None``, as broken ones are."""

    def __init__(self) -> None:
        self._left = MOST_DRAWN

    def draw(self, body: str, display: bool = False) -> list[Any] | None:
        """MathML as ``[element, {attribute: value}, child, ...]``; a child is such a list, or text."""
        # Counted by characters before anything is converted: a hostile text must not cost time first and be refused
        # then.
        self._left -= len(body)
        return _mathml(body.strip(), display) if self._left >= 0 else None


def find_formulas(text: str) -> list[FormulaSpan]:
    """The formulas in ``text``, in order: ``$..$`` in one line, ``$$..$$``, ``\\(..\\)`` and ``\\[..\\]``.

    A text without marks, such as an answer, is one formula if it has commands of LaTeX and no words.

    A Chinese sentence between marks is text, with a formula wherever it has something else.

    One pass, in time proportional to the text, whatever is opened and never closed. A ``$`` before a digit closes
    nothing: "from $5 to $6" has no formula.
    """
    found = list(_marked(text))
    if (
        not found
        and len(text) <= LONGEST
        and _COMMAND.search(text)
        and not _MARK.search(text)
        and not _WORDS.search(text)
    ):
        return [FormulaSpan(0, len(text), text, display=False)]
    return found


def _marked(text: str) -> Iterator[FormulaSpan]:
    mark, start = "", 0
    for match in _MARK.finditer(text):
        found, at = match[0], match.start()
        if mark == "$" and found == "$$":  # "$a$$b$"
            found = "$"
        if mark and found == _CLOSING[mark] and not (mark == "$" and text[at + 1 : at + 2].isdigit()):
            body = text[start + len(mark) : at]
            whole = len(body) <= LONGEST and _is_body(body)
            if whole and _SENTENCE.search(body):
                yield from _within_sentence(body, start + len(mark))
            elif whole:
                yield FormulaSpan(start, at + len(found), body, mark in ("$$", "\\["))
            # "$a$$b$", and the second mark of "$6 or $7", may open the next formula.
            reopened = match[0] != found or (mark == "$" and not whole)
            mark, start = ("$", match.end() - 1) if reopened else ("", 0)
        elif found == "\n":
            mark = "" if mark == "$" else mark
        elif found in _CLOSING and (
            not mark or (mark == found and mark != "$$") or mark + found in ("\\(\\[", "\\[\\(")
        ):
            mark, start = found, at


def _within_sentence(body: str, start: int) -> Iterator[FormulaSpan]:
    """The formulas in a whole Chinese sentence that stands between marks: what is between its words."""
    for match in _BETWEEN_WORDS.finditer(body):
        yield FormulaSpan(start + match.start(), start + match.end(), match[0], display=False)


def _is_body(body: str) -> bool:
    """Not the "6 or " of "$6 or $7": what begins without a blank and ends with one has a command of LaTeX."""
    return bool(body.strip()) and (body[0].isspace() == body[-1].isspace() or "\\" in body)


@lru_cache(maxsize=4096)
def _mathml(body: str, display: bool) -> list[Any] | None:
    bare = _ESCAPED.sub("", body)
    if len(body) > LONGEST or _NOT_DRAWN.search(body) or bare.count("{") != bare.count("}"):
        return None
    try:
        return _tree(convert_to_element(body, display="block" if display else "inline"))
    except (Exception, RecursionError):  # not LaTeX that it knows; hostile text raises what it likes
        return None


def _tree(element: Element, depth: int = 1) -> list[Any]:
    if depth > _DEEPEST:
        raise ValueError(f"more than {_DEEPEST} elements within one another")
    if element.tag not in _ELEMENTS:
        raise ValueError(f"{element.tag} is not an element that is shown")
    for name, value in element.attrib.items():
        if name not in _ATTRIBUTES or not _ATTRIBUTES[name].fullmatch(value):
            raise ValueError(f"{name}={value!r} is not an attribute that is shown")
    # The converter writes signs as references (&#x003C;) and would have the whole unescaped as markup.
    text = html.unescape(element.text or "")
    if "\\" in text and element.tag != "mtext":
        raise ValueError(f"{text} is not a command that is known")
    return [
        element.tag,
        dict(element.attrib),
        *([text] if text.strip("\n") else []),
        *(_tree(child, depth + 1) for child in element),
    ]
