"""Which statements are about one scene: the parts of a problem, its cases and figures have names in common, not values.

What is stated before the first part holds in all of them; what one part states (``x = 3``) need not hold in the next.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

_PART = re.compile(
    r"(?<![\w)}\]^_\\])[(（]\s*([1-9]|[ivx]{1,4}|[一二三四五六])\s*[)）](?!\s*[)）^=+*/×÷-])|([①-⑨])|第([一二三四五六1-6])小?[问题]"
)
_SCENE = re.compile(
    r"\b(?:as|is|are)\s+(?:shown|illustrated|depicted|seen)\b|如(?:右|左|上|下|答)?图|"
    r"\b(?:figure|fig\.?|case|method|solution|way|part|situation|diagram|scenario|question|problem)\s*[(（$]*(?:\d|[IVX]+\b|one|two|three)|"
    r"图\s*[(（$]*[\d一二三①②③④]|情况|第[一二三四五六1-9][种个次]?(?:情|方|问|小|部|类)|解法|方法|另解|变式|"
    r"\b(?:another|second(?:ly)?|third(?:ly)?|alternatively|similarly|likewise|otherwise)\b|同理|另一",
    re.IGNORECASE,
)


@dataclass
class Scenes:
    """Where scenes begin, and under which number; places are negative in givens."""

    breaks: list[int] = field(default_factory=list)
    parts: list[tuple[int, str]] = field(default_factory=list)

    def add_given(self, text: str, place: int) -> None:
        """Read the parts of a given that begins at ``place``; a single number is the number of the whole."""
        found = _parts(text, place)
        if len({label for _, label in found}) > 1:
            self.parts += found

    def add_text(self, text: str) -> None:
        """Read the parts, cases and figures of the text itself."""
        self.parts += _parts(text, 0)
        self.breaks = sorted({at for at, _ in _parts(text, 0)} | {match.start() for match in _SCENE.finditer(text)})

    def same(self, stated: int, used: int) -> bool:
        """Whether what is stated at one place is about the scene of a later place."""
        if stated >= 0:
            return bisect_right(self.breaks, stated) == bisect_right(self.breaks, used)
        part = self._part(stated, low=-(10**9))
        return part is None or part == self._part(used, low=0)

    def number(self, at: int) -> int:
        """The number of the scene of a place in the text."""
        return bisect_right(self.breaks, at)

    def _part(self, at: int, low: int) -> str | None:
        place = bisect_right(self.parts, at, key=lambda part: part[0])
        return self.parts[place - 1][1] if place and self.parts[place - 1][0] >= low else None


def _parts(text: str, place: int) -> list[tuple[int, str]]:
    return [
        (place + match.start(), _NUMBERS.get(label, label))
        for match in _PART.finditer(text)
        if (label := match[1] or match[2] or match[3])
    ]


_NUMBERS = {
    **dict(zip("①②③④⑤⑥⑦⑧⑨", "123456789", strict=True)),
    **dict(zip("一二三四五六", "123456", strict=True)),
    **dict(zip(("i", "ii", "iii", "iv"), "1234", strict=True)),
}
