"""The claims of the views world: parsed, and written in their normal form. ``docs/views.md`` defines them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from srt.language.trace import Operation

Form = Literal[
    "asked", "fits", "sees", "completes", "turns",
    "binding", "column", "stack", "bound", "tallest", "sum", "line_least", "line_most", "line_ways", "needed",
    "column_faces", "view_faces", "quantity", "profile", "footprint", "found", "found_cells", "rejected", "options",
    "layer", "turned", "same",
    "opposes", "folds", "unfolds", "beside", "beyond", "opposite", "seen", "corner",
]  # fmt: skip

ASKED_FORMS: tuple[Form, ...] = ("asked", "fits", "sees", "completes", "turns", "opposes", "folds", "unfolds")
NET_FORMS: tuple[Form, ...] = ("opposes", "folds", "unfolds")
"""What is asked; and what of that is asked of nets."""
QUANTITIES = ("count", "least", "most", "ways", "surface", "painted", "box", "missing")
"""Numbers of a problem: cubes, the least and the most cubes, solids, faces, faces but the bottom; the cubes of the
smallest cuboid around the solid, and how many of them are missing."""


class ClaimSyntaxError(ValueError):
    """A text that is no claim of this world."""


@dataclass(frozen=True)
class ViewClaim:
    """One claim. Which fields mean something depends on ``form``; ``option`` is the solid of an option, if not ``""``.

    ``word`` is a direction or a quantity, ``k`` the column of a view (or a height), ``cells`` are in order. Of nets,
    ``k`` is the face that is spoken of, and ``word`` an edge of it, or the face that comes next around a corner.
    """

    form: Form
    option: str = ""
    word: str = ""
    k: int = 0
    cells: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()

    @property
    def operation(self) -> Operation:
        """The operation of a step with this claim."""
        if self.form in (*ASKED_FORMS, "binding", "beside"):
            return "CORRELATE"
        return "CONSTRAIN" if self.form in ("stack", "bound", "tallest", "layer", "seen") else "INFER"

    def __str__(self) -> str:
        return _TEXTS[self.form].format(
            of=f"{self.option}." if self.option else "",
            option=self.option,
            word=self.word,
            k=self.k,
            cell="".join(self.cells),
            cells="{" + ", ".join(self.cells) + "}",
            numbers=" ".join(map(str, self.numbers)),
        )


_TEXTS: dict[Form, str] = {
    "asked": "? = {word}",
    "fits": "? fits {word}",
    "sees": "? sees view",
    "completes": "? completes {word}",
    "turns": "? turns solid",
    "binding": "{of}{word}[{k}] = {cells}",
    "column": "{of}{word}[{k}] = {numbers}",
    "stack": "{of}{cell} = {numbers}",
    "bound": "{cell} <= {numbers}",
    "tallest": "max{cells} = {numbers}",
    "sum": "sum{cells} = {numbers}",
    "line_least": "least{cells} = {numbers}",
    "line_most": "most{cells} = {numbers}",
    "line_ways": "ways{cells} = {numbers}",
    "needed": "need({k}) = {numbers}",
    "column_faces": "faces({word}[{k}]) = {numbers}",
    "view_faces": "faces({word}) = {numbers}",
    "quantity": "{word} = {numbers}",
    "profile": "{word} = {numbers}",
    "footprint": "top = {cells}",
    "found": "? = {numbers}",
    "found_cells": "? = {cells}",
    "layer": "{of}layer[{k}] = {cells}",
    "turned": "turned({word})[{k}] = {cells}",
    "same": "same {option}",
    "opposes": "? = opposite({k})",
    "folds": "? folds net",
    "unfolds": "? unfolds cube",
    "beside": "{of}{word}({k}) = {numbers}",
    "beyond": "{of}beyond {word}({k}) = {numbers}",
    "opposite": "{of}opposite({k}) = {numbers}",
    "seen": "{of}seen({k} {word}) = {numbers}",
    "corner": "{of}corner({k} {word}) = {numbers}",
    "rejected": "not {option}",
    "options": "options = {{{option}}}",
}
_SIDE = r"(?P<word>front|left|right|back)"
_DIRECTION = r"(?P<word>front|left|right|back|top)"
_TURN = r"(?:top|front|right|bottom|back|left)"
_OF = r"(?:(?P<option>[A-H])\.)?"
_COLUMN = r"\[(?P<k>[1-8])\]"
_CELL = r"(?P<cells>[a-h][1-8])"
_CELLS = r"\{(?P<cells>[a-h][1-8](?:, [a-h][1-8])*)\}"
_NUMBER = r"(?P<numbers>0|[1-9]\d{0,8})"
_HEIGHTS = r"\d(?: \d){1,7}"
_NUMBERS = rf"(?P<numbers>{_HEIGHTS})"
_EDGE = r"(?P<word>up|right|down|left)\((?P<k>[1-9])\)"
_TWO_FACES = r"\((?P<k>[1-9]) (?P<word>[1-9])\)"
_WRITTEN: dict[Form, str] = {
    "asked": rf"\? = (?P<word>{'|'.join(QUANTITIES)}|front|left|right|back|top|plan)",
    "fits": r"\? fits (?P<word>(?:front|left|right|back|top)(?: (?:front|left|right|back|top))*)",
    "sees": r"\? sees view",
    "turns": r"\? turns solid",
    "layer": rf"{_OF}layer{_COLUMN} = {_CELLS}",
    "turned": rf"turned\((?P<word>{_TURN}(?: {_TURN}){{0,2}})\){_COLUMN} = {_CELLS}",
    "same": r"same (?P<option>[A-H])",
    "completes": rf"\? completes {_SIDE}",
    "binding": rf"{_OF}{_SIDE}{_COLUMN} = {_CELLS}",
    "column": rf"{_OF}{_SIDE}{_COLUMN} = {_NUMBER}",
    "stack": rf"{_OF}{_CELL} = {_NUMBER}",
    "bound": rf"{_CELL} <= {_NUMBER}",
    "tallest": rf"max{_CELLS} = {_NUMBER}",
    "sum": rf"sum{_CELLS} = {_NUMBER}",
    "line_least": rf"least{_CELLS} = {_NUMBER}",
    "line_most": rf"most{_CELLS} = {_NUMBER}",
    "line_ways": rf"ways{_CELLS} = {_NUMBER}",
    "needed": rf"need\((?P<k>[1-8])\) = {_NUMBER}",
    "column_faces": rf"faces\({_SIDE}{_COLUMN}\) = {_NUMBER}",
    "view_faces": rf"faces\({_DIRECTION}\) = {_NUMBER}",
    "quantity": rf"(?P<word>{'|'.join(QUANTITIES)}) = {_NUMBER}",
    "profile": rf"{_SIDE} = {_NUMBERS}",
    "footprint": rf"top = {_CELLS}",
    "found": rf"\? = (?P<numbers>{_HEIGHTS}|0|[1-9]\d{{0,8}})",
    "found_cells": rf"\? = {_CELLS}",
    "opposes": r"\? = opposite\((?P<k>[1-9])\)",
    "folds": r"\? folds net",
    "unfolds": r"\? unfolds cube",
    "beside": rf"{_OF}{_EDGE} = {_NUMBER}",
    "beyond": rf"{_OF}beyond {_EDGE} = {_NUMBER}",
    "opposite": rf"{_OF}opposite\((?P<k>[1-9])\) = {_NUMBER}",
    "seen": rf"{_OF}seen{_TWO_FACES} = {_NUMBER}",
    "corner": rf"{_OF}corner{_TWO_FACES} = {_NUMBER}",
    "rejected": r"not (?P<option>[A-H])",
    "options": r"options = \{(?P<option>[A-H])\}",
}
_PATTERNS = {form: re.compile(pattern) for form, pattern in _WRITTEN.items()}


@lru_cache(maxsize=16_384)
def parse_claim(text: str) -> ViewClaim:
    """The claim that ``text`` states.

    Raises:
        ClaimSyntaxError: it is no claim of this world in its normal form.
    """
    for form, pattern in _PATTERNS.items():
        if match := pattern.fullmatch(text):
            parts = match.groupdict()
            cells = tuple((parts.get("cells") or "").split(", ")) if parts.get("cells") else ()
            if list(cells) != sorted(set(cells)):
                raise ClaimSyntaxError(f"{text!r}: cells were expected in order, without repetition")
            return ViewClaim(
                form,
                option=parts.get("option") or "",
                word=parts.get("word") or "",
                k=int(parts.get("k") or 0),
                cells=cells,
                numbers=tuple(map(int, (parts.get("numbers") or "").split())),
            )
    raise ClaimSyntaxError(f"{text!r} is no claim of the views world")
